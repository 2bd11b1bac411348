package layers

import (
	"fmt"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// MajiBergLayer is the map of Maji and Berg (2009) for the intersection kernel Σ min(x, z). It divides the range [0, R]
// of a column, with R its largest value in a sample, into n bins of width h = R/n. A value x fills each bin by a share:
//
//	Ψ(x)_j = √h · min(max(x/h - j, 0), 1),   j = 0 to n-1,   that is √h (1, ..., 1, a, 0, ..., 0),
//	Ψ(x)·Ψ(z) = min(x, z) in different bins, h (j + a b) if x and z fill the shares a and b of the same bin j.
//
// The error is at most h/4 a column. (Vedaldi and Zisserman (2012), section 6, print the second case with (x - jh)(z -
// jh)/n; with their h = 1/n it is n (x - jh)(z - jh).) Values above R count as R.
//
// The sparse encoding is s = DΨ, with D_ii = 1 and D_{i,i+1} = -1: √h (0, ..., 1-a, a, ..., 0), two numbers a column
// for any number of bins. The inner products s·s' are not the kernel, which is s·H⁻¹s' with H = DDᵀ: a linear model v
// on s needs the penalty vᵀHv (Regulariser). There is no need for it: fit ridge, an SVM or any head on the dense
// encoding, and predict by two numbers a column. Sparse returns the layer of the same bins in the other encoding, and
// SparseWeights converts the weights.
//
// Input [n, d], x >= 0; output [n, n·d], the bins of a column side by side. The features of 0 are 0, and so are all
// features of a column that is 0 in the whole sample. Nothing is tuned. The derivative for x is the derivative of the
// interpolation: 1/√h in the bin, or ∓1/√h in the sparse encoding. A border has the derivative of the bin above it;
// from R on it is 0. Parameters: knots [d, n+1], the borders, and table [d, (n+1)·n].
type MajiBergLayer struct {
	*tableMap
	sparse bool
}

// maxBins is the largest number of bins of a column.
const maxBins = 64

// MajiBerg says how a MajiBergLayer encodes a column.
type MajiBerg struct {
	// The number of bins for each column, 1 to 64. 0 is 16.
	Bins int `param:"bins" range:"(0,64]" default:"16" doc:"columns for each input column"`
	// Sparse chooses the sparse encoding, whose inner products are not the kernel.
	Sparse bool
}

func (f MajiBerg) plan(s Spec) (plan, error) {
	return plan{kernel: histogramIntersection{}, columns: f.Bins * s.Dims,
		size:  tableSize(s.Dims, majiBergTables(f.Bins)),
		build: func(o options) (Layer, error) { return newMajiBergLayer(f, s.Dims, o) }}, nil
}

// NewMajiBergLayer finds the ranges of the columns of a sample [N, d], float32 or float64. Errors: a nil sample, bins
// out of range (ErrParam); a sample without rows (ErrShape); a cell that is negative or not finite (ErrDomain).
func NewMajiBergLayer(of MajiBerg, sample *tensor.Dense, opts ...Option) (*MajiBergLayer, error) {
	return newFitted(orDefaults(of), sample, opts, basicOptions, newMajiBergLayer)
}

func newMajiBergLayer(of MajiBerg, dims int, o options) (*MajiBergLayer, error) {
	b, err := newBase("MajiBergLayer", dims, 1, o)
	if err != nil {
		return nil, err
	}
	if of.Bins < 1 || of.Bins > maxBins {
		return nil, fmt.Errorf("%s: %d bins, want 1 to %d: %w", b.who(), of.Bins, maxBins, ErrParam)
	}
	if !of.Sparse {
		b.of = of
	}
	l := &MajiBergLayer{newTableMap(b, majiBergTables(of.Bins), histogramIntersection{}.Domain()), of.Sparse}
	if !o.undrawn {
		err = l.fit(o.sample, l.bins)
	}
	return l, err
}

func majiBergTables(bins int) ops.Tables { return ops.Tables{Points: bins + 1, Width: bins, Power: 1} }

// bins computes the borders of the bins of a column and the features there.
func (l *MajiBergLayer) bins(knots, table, values []float64) error {
	r, n := slices.Max(values), l.op.Width
	root := math.Sqrt(r / float64(n))
	for a := range knots {
		knots[a] = r * (float64(a) / float64(n))
		for j := range n {
			if full := j < a; full && !l.sparse || j == a-1 {
				table[a*n+j] = root
			}
		}
	}
	return nil
}

// Kernel returns the intersection kernel, which the inner products of the dense encoding approximate.
func (l *MajiBergLayer) Kernel() spectral.Kernel { return histogramIntersection{} }

// histogramIntersection is the intersection kernel without extensions to negative numbers, so that errors do not
// recommend them.
type histogramIntersection struct{ spectral.Intersection }

func (histogramIntersection) Domain() ops.Domain { return domain.NonNegative() }

// Ranges returns the R of each column.
func (l *MajiBergLayer) Ranges() []float64 {
	knots, p := ops.Float64s(l.param("knots")), l.op.Points
	r := make([]float64, l.dims)
	for j := range r {
		r[j] = knots[(j+1)*p-1]
	}
	return r
}

// Sparse returns the layer of the same bins in the sparse encoding. Its name ends in _sparse.
func (l *MajiBergLayer) Sparse() (*MajiBergLayer, error) {
	o := l.options
	o.name, o.sample = l.name+"_sparse", newTensor(l.dt, l.Ranges(), 1, l.dims)
	return newMajiBergLayer(MajiBerg{l.op.Width, true}, l.dims, o)
}

// SparseWeights converts the weights w [n·d, k] of a linear model on the dense encoding into weights on the sparse one
// that give the same values: v = D⁻ᵀw, in each column the sums of w up to each bin. The intercept stays. Errors:
// another number of rows (ErrShape).
func (l *MajiBergLayer) SparseWeights(w *mat.Dense) (*mat.Dense, error) {
	rows := 0
	if w != nil {
		rows, _ = w.Dims()
	}
	if rows != l.features {
		return nil, fmt.Errorf("%s: the weights have %d rows, want %d: %w", l.who(), rows, l.features, ErrShape)
	}
	v := mat.DenseCopyOf(w)
	for i := range rows {
		if i%l.op.Width != 0 {
			floats.Add(v.RawRowView(i), v.RawRowView(i-1))
		}
	}
	return v, nil
}

// Regulariser returns H = DDᵀ of one column, [bins, bins]: 2 on the diagonal, but 1 at its end, and -1 beside it. A
// linear model v on the sparse encoding with the penalty Σ vᵀHv over the columns equals the model on the dense one with
// the penalty ‖w‖². Vedaldi and Zisserman (2012), section 6.
func (l *MajiBergLayer) Regulariser() *mat.SymBandDense {
	n := l.op.Width
	h := mat.NewSymBandDense(n, min(1, n-1), nil)
	for i := range n {
		h.SetSymBand(i, i, 2)
		if i > 0 {
			h.SetSymBand(i-1, i, -1)
		}
	}
	h.SetSymBand(n-1, n-1, 1)
	return h
}

func (l *MajiBergLayer) String() string {
	encoding := "dense"
	if l.sparse {
		encoding = "sparse"
	}
	return l.text(fmt.Sprintf("%d bins, %s, %v", l.op.Width, encoding, l.dt))
}
