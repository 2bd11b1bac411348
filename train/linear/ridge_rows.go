package linear

import (
	"context"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gorgonia.org/tensor"
)

// dualRows are the features of all rows in memory for the dual system: dense and centred, or sparse and not centred if
// the map keeps zeros. The dual system is centred later in any case; dense features are centred first for accuracy.
type dualRows struct {
	n, d int
	z    []float64 // [n, D], or
	x    *ops.CSR  // float64
	mean []float64 // before centring
	// single says that z were float32 numbers before centring.
	single bool
}

// dualRows maps every row.
func (s *source) dualRows() (*dualRows, error) {
	if s.stored() > 0 {
		return s.sparseRows()
	}
	return s.all()
}

func (s *source) sparseRows() (*dualRows, error) {
	if err := s.cancelled(); err != nil {
		return nil, err
	}
	z, err := s.features2d(s.memory.X, rowNames{}, s.n, true)
	if err != nil {
		return nil, given.Located(*s.memory, err)
	}
	x := z.(*ops.CSR)
	if err := ops.CheckRows(domain.Reals(), "train: Ridge", x); err != nil {
		return nil, err
	}
	if err := given.CheckTargets("Ridge", s.memory.Y, rowNames{}.at); err != nil {
		return nil, err
	}
	x, err = x.As(tensor.Float64, "train: Ridge")
	if err != nil {
		return nil, err
	}
	r := &dualRows{n: s.n, d: s.features, x: x, mean: make([]float64, s.features)}
	r.entries(func(_, j int, v float64) {
		r.mean[j] += v / float64(s.n)
	})
	s.done += s.n
	if s.progress != nil {
		s.progress(s.done, s.total)
	}
	return r, s.cancelled()
}

// entries calls f for every entry, row by row.
func (r *dualRows) entries(f func(i, j int, v float64)) {
	ptr, cols, values := r.x.Pointers(), r.x.Columns(), r.x.Float64s()
	for i := range r.n {
		for t := ptr[i]; t < ptr[i+1]; t++ {
			f(i, int(cols[t]), values[t])
		}
	}
}

// gram is the lower triangle of Z Zᵀ. For sparse rows it multiplies each entry of a row only with the entries of its
// column. Once ctx has ended it returns early.
func (r *dualRows) gram(ctx context.Context) []float64 {
	n, d := r.n, r.d
	k := make([]float64, n*n)
	if r.x == nil {
		addSquareUntil(ctx, general(n, d, d, r.z), general(n, n, n, k))
		return k
	}
	from, rows, values := r.byColumn()
	ptr, cols, x := r.x.Pointers(), r.x.Columns(), r.x.Float64s()
	given.InParallel(n, func(i int) {
		if ctx.Err() != nil {
			return
		}
		out := k[i*n : i*n+i+1]
		for t := ptr[i]; t < ptr[i+1]; t++ {
			lo, hi := from[cols[t]], from[cols[t]+1]
			for u, row := range rows[lo:hi] {
				if int(row) > i {
					break
				}
				out[row] += x[t] * values[lo+u]
			}
		}
	})
	return k
}

// byColumn are the entries sorted by column, and by row within it: column j has the entries from[j] to from[j+1].
func (r *dualRows) byColumn() (from []int, rows []int32, values []float64) {
	from, rows, values = make([]int, r.d+1), make([]int32, r.x.Stored()), make([]float64, r.x.Stored())
	r.entries(func(_, j int, _ float64) { from[j+1]++ })
	for j := range r.d {
		from[j+1] += from[j]
	}
	next := slices.Clone(from)
	r.entries(func(i, j int, v float64) {
		rows[next[j]], values[next[j]] = int32(i), v
		next[j]++
	})
	return from, rows, values
}

// weights is Zᵀα, [D, targets]. The columns of α sum to 0, so centring Z changes nothing.
func (r *dualRows) weights(alpha []float64, targets int) []float64 {
	w := make([]float64, r.d*targets)
	if r.x == nil {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(r.n, r.d, r.d, r.z), general(r.n, targets, targets, alpha), 0, general(r.d, targets, targets, w))
		return w
	}
	r.entries(func(i, j int, v float64) {
		for t, a := range alpha[i*targets : (i+1)*targets] {
			w[j*targets+t] += v * a
		}
	})
	return w
}
