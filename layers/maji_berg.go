package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// MajiBergLayer is the map of Maji and Berg (2009) for the intersection kernel Σ min(x, z). The range [0, R] of a
// column, R its largest value in a sample, is cut into n bins of width h = R/n, and a value is how much of each bin it
// fills:
//
//	Ψ(x)_j = √h · min(max(x/h - j, 0), 1),   j = 0 to n-1,   that is √h (1, ..., 1, a, 0, ..., 0),
//	Ψ(x)·Ψ(z) = min(x, z) in different bins, h (j + a b) where both are in bin j and fill a and b of it.
//
// The error is at most h/4 a column. (Vedaldi and Zisserman (2012), section 6, print the second case with (x - jh)(z -
// jh)/n; with their h = 1/n it is n (x - jh)(z - jh).) Values above R count as R.
//
// WithSparseEncoding gives s = DΨ, with D_ii = 1 and D_{i,i+1} = -1: √h (0, ..., 1-a, a, ..., 0), two numbers a column
// however many bins. Its inner products are not the kernel: that is s·H⁻¹s' with H = DDᵀ, so a linear model v on s has
// to be penalised by vᵀHv. The dense encoding is what one gets by folding a root of H⁻¹ into the features, Ψ = D⁻¹s,
// and every root of it makes them dense. Fit ridge, SVM or any head on the dense encoding, then, which is right as it
// is, and serve the same function by two numbers a column: Sparse is the other encoding of the same bins and
// SparseWeights takes the weights along.
//
// Input [n, d], x >= 0, output [n, n·d], the bins of a column side by side. The features of a 0 are 0. A column that is
// 0 in the whole sample has features of 0 for every x. Nothing is tuned. The derivative for x differentiates the
// interpolation: 1/√h in the bin, or ∓1/√h in the sparse encoding. A border takes the derivative of the bin above, and
// from R on it is 0. Parameters: knots [d, n+1], the borders, and table [d, (n+1)·n].
type MajiBergLayer struct {
	*tableMap
	sparse bool
}

var (
	_ Layer     = (*MajiBergLayer)(nil)
	_ SparseMap = (*MajiBergLayer)(nil)
	_ ZeroMap   = (*MajiBergLayer)(nil)
)

// MaxBins is how many bins a column of a MajiBergLayer can have.
const MaxBins = 64

// majiBergOptions are the options of a MajiBergLayer.
type majiBergOptions struct {
	bins   int
	sparse bool
}

var majiBergDefaults = majiBergOptions{bins: 16}

// WithBins sets the bins of each column of a MajiBergLayer. The default is 16.
func WithBins(n int) Option { return option("WithBins", func(o *options) { o.majiBerg.bins = n }) }

// WithSparseEncoding chooses the sparse encoding of a MajiBergLayer, whose inner products are not the kernel.
func WithSparseEncoding() Option {
	return option("WithSparseEncoding", func(o *options) { o.majiBerg.sparse = true })
}

// NewMajiBergLayer fits the ranges on a sample [N, d], float32 or float64. Errors: bins out of range (ErrParam); a
// sample without rows (ErrShape); a cell that is negative or not finite (ErrDomain).
func NewMajiBergLayer(sample *tensor.Dense, opts ...Option) (*MajiBergLayer, error) {
	dims := 0
	if sample != nil && sample.Dims() == 2 {
		dims = sample.Shape()[1]
	}
	o, err := newOptions("NewMajiBergLayer", opts)
	if err != nil {
		return nil, err
	}
	return newMajiBergLayer(sample, dims, o)
}

func newMajiBergLayer(sample *tensor.Dense, dims int, o options) (*MajiBergLayer, error) {
	const kind, auto = "MajiBergLayer", "majiberg"
	b, err := newBase(kind, auto, dims, 1, o)
	if err != nil {
		return nil, err
	}
	n := o.majiBerg.bins
	if n < 1 || n > MaxBins {
		return nil, fmt.Errorf("%s: %d bins, want 1 to %d: %w", b.who(), n, MaxBins, ErrParam)
	}
	o.name = b.name
	t, err := newTableMap(kind, auto, dims, majiBergTables(n), histogramIntersection{}.Domain(), o)
	if err != nil {
		return nil, err
	}
	l := &MajiBergLayer{t, o.majiBerg.sparse}
	if o.undrawn {
		return l, nil
	}
	if sample, err = fittingRows(l.base, l.on, sample); err != nil {
		return nil, err
	}
	ranges := make([]float64, dims)
	for i, v := range ops.Float64s(sample) {
		ranges[i%dims] = math.Max(ranges[i%dims], v)
	}
	if err := l.setRanges(ranges); err != nil {
		return nil, err
	}
	return l, nil
}

func majiBergTables(bins int) ops.Tables { return ops.Tables{Points: bins + 1, Width: bins, Power: 1} }

// setRanges makes the borders of the bins and the numbers at them.
func (l *MajiBergLayer) setRanges(ranges []float64) error {
	p, n := l.op.Points, l.op.Width
	knots, table := make([]float64, l.dims*p), make([]float64, l.dims*p*n)
	for c, r := range ranges {
		root := math.Sqrt(r / float64(n))
		for a := range p {
			knots[c*p+a] = r * (float64(a) / float64(n))
			for j := range n {
				if full := j < a; full && !l.sparse || j == a-1 {
					table[(c*p+a)*n+j] = root
				}
			}
		}
	}
	return l.set(knots, table)
}

// Kernel is the intersection kernel, of which the inner products of the dense encoding are an approximation.
func (l *MajiBergLayer) Kernel() spectral.Kernel { return histogramIntersection{} }

// histogramIntersection is the kernel without the extensions to negative numbers that an error about its domain would
// recommend.
type histogramIntersection struct{ spectral.Intersection }

func (histogramIntersection) Domain() ops.Domain { return domain.NonNegative() }

// Ranges are the R of the columns.
func (l *MajiBergLayer) Ranges() []float64 {
	knots, p := ops.Float64s(l.param("knots")), l.op.Points
	r := make([]float64, l.dims)
	for j := range r {
		r[j] = knots[(j+1)*p-1]
	}
	return r
}

// Sparse is the layer of the same bins in the sparse encoding. Its name ends in _sparse.
func (l *MajiBergLayer) Sparse() (*MajiBergLayer, error) {
	o := apply([]Option{named(l.name + "_sparse"), WithDtype(l.dt), WithBins(l.op.Width), WithSparseEncoding(),
		withoutDraw()})
	o.inputGrad = l.grad
	s, err := newMajiBergLayer(nil, l.dims, o)
	if err != nil {
		return nil, err
	}
	if err := s.setRanges(l.Ranges()); err != nil {
		return nil, err
	}
	return s, nil
}

// SparseWeights turns the weights w [n·d, k] of a linear model on the dense encoding into those on the sparse one,
// which has the same values: v = D⁻ᵀw, the sums of w up to each bin of a column. The intercept stays. Errors: another
// number of rows (ErrShape).
func (l *MajiBergLayer) SparseWeights(w *mat.Dense) (*mat.Dense, error) {
	if w == nil || w.RawMatrix().Rows != l.features {
		return nil, fmt.Errorf("%s: the weights have %d rows, want %d: %w", l.who(), rowsIn(w), l.features, ErrShape)
	}
	v := mat.DenseCopyOf(w)
	for i := range l.features {
		if i%l.op.Width != 0 {
			v.SetRow(i, addRows(v.RawRowView(i-1), v.RawRowView(i)))
		}
	}
	return v, nil
}

func rowsIn(w *mat.Dense) int {
	if w == nil {
		return 0
	}
	return w.RawMatrix().Rows
}

func addRows(a, b []float64) []float64 {
	sum := make([]float64, len(a))
	for i := range sum {
		sum[i] = a[i] + b[i]
	}
	return sum
}

// Regulariser is H = DDᵀ of one column, [bins, bins]: 2 on the diagonal, 1 at its end, and -1 beside it. A linear model
// v on the sparse encoding is that on the dense one if Σ vᵀHv over the columns is its penalty. Vedaldi and Zisserman
// (2012), section 6.
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
	return fmt.Sprintf("%s %q: %d -> %d, %d bins, %s, %v", l.kind, l.name, l.dims, l.features, l.op.Width, encoding,
		l.dt)
}
