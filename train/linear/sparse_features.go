package linear

import (
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gorgonia.org/tensor"
)

// The products of features that stay sparse. They cost operations in proportion to the entries, sum in float64, and add
// up every number in the order of the rows, whatever GOMAXPROCS is.

// addSparseProduct adds Z w to u, with u [n, k] and w [D, k] or more rows.
func addSparseProduct(u columns, z *ops.CSR, w columns) {
	if z.Dtype() == tensor.Float32 {
		sparseProduct(u, z, z.Float32s(), w)
	} else {
		sparseProduct(u, z, z.Float64s(), w)
	}
}

func sparseProduct[T domain.Float](u columns, z *ops.CSR, values []T, w columns) {
	ptr, cols, k := z.Pointers(), z.Columns(), u.k
	const piece = 64 // rows
	given.InParallel((z.Rows()+piece-1)/piece, func(task int) {
		for i := task * piece; i < min(z.Rows(), (task+1)*piece); i++ {
			row := u.row(i)
			for t := ptr[i]; t < ptr[i+1]; t++ {
				v, at := float64(values[t]), int(cols[t])*k
				for c, x := range w.v[at : at+k] {
					row[c] += v * x
				}
			}
		}
	})
}

// addSparseTransposed adds Zᵀ u to sum, with u [n, k] and sum [D, k] or more rows.
func addSparseTransposed(sum columns, z *ops.CSR, u columns) {
	if z.Dtype() == tensor.Float32 {
		sparseTransposed(sum, z, z.Float32s(), u)
	} else {
		sparseTransposed(sum, z, z.Float64s(), u)
	}
}

// sparseTransposed gives each task some columns of Z.
func sparseTransposed[T domain.Float](sum columns, z *ops.CSR, values []T, u columns) {
	ptr, cols, k, d := z.Pointers(), z.Columns(), u.k, z.Cols()
	tasks := min(8, d, 1+z.Stored()*k>>14)
	given.InParallel(tasks, func(task int) {
		from, to := int32(task*d/tasks), int32((task+1)*d/tasks)
		for i := range z.Rows() {
			row, x := cols[ptr[i]:ptr[i+1]], u.row(i)
			at, _ := slices.BinarySearch(row, from)
			for ; at < len(row) && row[at] < to; at++ {
				v, j := float64(values[ptr[i]+at]), int(row[at])*k
				out := sum.v[j : j+k]
				for c, y := range x {
					out[c] += v * y
				}
			}
		}
	})
}

// addMatrix adds the rows of z, with their weights; nil: all are 1.
func (s *rowSpread) addMatrix(z ops.Matrix, w []float64) {
	switch x := z.(type) {
	case *ops.CSR:
		if x.Dtype() == tensor.Float32 {
			addSparseSpread(s, x, x.Float32s(), w)
		} else {
			addSparseSpread(s, x, x.Float64s(), w)
		}
	case *tensor.Dense:
		if d := x.Shape()[1]; x.Dtype() == tensor.Float32 {
			addSpread(s, x.Float32s(), w, d)
		} else {
			addSpread(s, x.Float64s(), w, d)
		}
	}
}

// addSparseSpread is addSpread for sparse rows. A cell that is not stored is 0, and its distance is the mean of its
// column.
func addSparseSpread[T domain.Float](s *rowSpread, z *ops.CSR, values []T, w []float64) {
	n, d, ptr, cols := z.Rows(), z.Cols(), z.Pointers(), z.Columns()
	mass, mean, stored := 0., make([]float64, d), make([]float64, d)
	for i := range n {
		weight := weightAt(w, i)
		mass += weight
		for t := ptr[i]; t < ptr[i+1]; t++ {
			mean[cols[t]] += weight * float64(values[t])
			stored[cols[t]] += weight
		}
	}
	squares := 0.
	for j := range mean {
		mean[j] /= mass
		squares += max(0, mass-stored[j]) * mean[j] * mean[j]
	}
	for i := range n {
		row := 0.
		for t := ptr[i]; t < ptr[i+1]; t++ {
			e := float64(values[t]) - mean[cols[t]]
			row += e * e
		}
		squares += weightAt(w, i) * row
	}
	s.join(mass, mean, squares)
}

// gramSum is Zcᵀ C Zc v over blocks of rows, for the features Zc less their means and the weights C of the rows.
// Dense blocks are centred. Sparse ones stay as they are: with m the means,
//
//	Zc v = Z v - 1 mᵀv,    Zcᵀ t = Zᵀ t - m 1ᵀt.
type gramSum struct {
	mean []float64
	out  columns // [D, k]
	v    columns // [D, k]
	rows centredRows

	shift, sums []float64 // mᵀv, and 1ᵀt of the sparse rows; nil: there were none
}

// add adds a block with its weights; nil: all are 1.
func (g *gramSum) add(z ops.Matrix, weight []float64) {
	if g.v.k == 0 {
		return
	}
	x, sparse := z.(*ops.CSR)
	if !sparse {
		g.rows.centre(z.(*tensor.Dense), g.mean)
		g.rows.addGram(g.out.v, g.v.v, g.v.k, weight)
		return
	}
	k := g.v.k
	if g.shift == nil {
		g.shift, g.sums = make([]float64, k), make([]float64, k)
		for j, m := range g.mean {
			for c, v := range g.v.row(j) {
				g.shift[c] += m * v
			}
		}
	}
	t := newColumns(x.Rows(), k)
	addSparseProduct(t, x, g.v)
	for i := range x.Rows() {
		w, row := weightAt(weight, i), t.row(i)
		for c := range row {
			row[c] = w * (row[c] - g.shift[c])
			g.sums[c] += row[c]
		}
	}
	addSparseTransposed(g.out, x, t)
}

// finish takes the means out of the sum of sparse blocks.
func (g *gramSum) finish() {
	if g.sums != nil {
		g.out.addOuter(-1, g.mean, g.sums)
	}
}

// addOuter adds a x yᵀ to the first rows.
func (c columns) addOuter(a float64, x, y []float64) {
	for i, v := range x {
		row := c.row(i)
		for j, w := range y {
			row[j] += a * v * w
		}
	}
}

// spread is a block of features as a dense one.
func spread(z ops.Matrix) (*tensor.Dense, error) {
	if x, sparse := z.(*ops.CSR); sparse {
		return x.Dense(nil)
	}
	return z.(*tensor.Dense), nil
}
