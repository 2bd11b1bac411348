package linear

import (
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// addProducts adds the inner products of row i of x with its rows 0 to i to out. across is the transpose of x: each cell
// is multiplied with the cells of its column alone.
func addProducts(out []float64, x, across *ops.CSR, i int) {
	cols, values, from, rows, others := x.Columns(), x.Float64s(), across.Pointers(), across.Columns(), across.Float64s()
	for t := x.Pointers()[i]; t < x.Pointers()[i+1]; t++ {
		lo, hi := from[cols[t]], from[cols[t]+1]
		for u, k := range rows[lo:hi] {
			if int(k) > i {
				break
			}
			out[k] += values[t] * others[lo+u]
		}
	}
}

// sparseBlock has the cells of a block of features that are not 0.
type sparseBlock struct {
	rows, columns *ops.CSR  // the columns are the transpose, with the weights of the rows
	sums          []float64 // of the columns
}

// sparsely returns the cells of a block of which at most a sixteenth are not 0, and in no column more than three
// quarters by weight; nil: another block. Products of the pairs of cells of each row are then several times as fast as
// dense ones. Rows need not be centred before: (Σ wz)² <= 3/4 Σ w Σ wz² leaves a quarter of Σ wz², so that G loses two
// bits at most.
func sparsely(b *ridgeBlock) *sparseBlock {
	const share = 16
	d, cells := len(b.meanZ), 0
	for r := range b.n {
		for _, v := range b.z[r*d:][:d] {
			if v != 0 {
				cells++
			}
		}
		if share*cells > b.n*d {
			return nil
		}
	}
	x, err := ops.CSROf(tensor.New(tensor.WithShape(b.n, d), tensor.WithBacking(b.z)))
	if err != nil {
		return nil
	}
	s := &sparseBlock{x, x.Transposed(), make([]float64, d)}
	ptr, values := s.columns.Pointers(), s.columns.Float64s()
	for j := range d {
		mass := 0.
		for t := ptr[j]; t < ptr[j+1]; t++ {
			w := weightAt(b.w, int(s.columns.Columns()[t]))
			mass += w
			values[t] *= w
			s.sums[j] += values[t]
		}
		if mass > .75*b.mass {
			return nil
		}
	}
	return s
}

// add adds Σ w (z + less)(z + less)ᵀ of the rows of a block to the lower triangle of G [d, d].
func (s *sparseBlock) add(g []float64, mass float64, less []float64) {
	d := len(less)
	given.InParallel(d, func(j int) {
		row := g[j*d:][:j+1]
		addProducts(row, s.columns, s.rows, j)
		floats.AddScaled(row, s.sums[j]+mass*less[j], less[:j+1])
		floats.AddScaled(row, less[j], s.sums[:j+1])
	})
}
