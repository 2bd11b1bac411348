package ops

import (
	"fmt"
	"math"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SpectralBound is W·min(1, c/σ(W)) for W [d, m], where σ is the largest singular value. The result has σ <= c, so a
// dense layer with it stretches no distance by more than the factor c. Liu et al. (2020), Simple and principled
// uncertainty estimation with deterministic deep learning via distance awareness, equation 8.
//
// Each run computes σ and its singular vectors u and v anew, in float64, by dense.Largest on the smaller of WᵀW and
// WWᵀ, from the same start, so that the result depends on W alone. This takes d m min(d, m) operations, and 2 min(d,
// m)² for each of some tens of steps.
//
// Backward: dW = g for σ <= c, else (c/σ)(g - (<g, W>/σ) u vᵀ), which is exact if no other singular value equals σ. It
// computes σ again.
//
// Errors while building: shapes, a c that is not finite and positive (ErrParam). Errors while running: a cell of W that
// is not finite (ErrDomain).
func SpectralBound(w *G.Node, c float64, a Attr) (*G.Node, error) {
	if err := checkBound(a.who("SpectralBound"), c); err != nil {
		return nil, err
	}
	return apply(&op{kind: "SpectralBound", params: c, in: []Inputs{W}, ranks: "22", attr: a, shape: likeFirst,
		forward: func(_ Matrix, in []*tensor.Dense) (Matrix, error) {
			return SpectralBoundInto(nil, in[0], c, a)
		},
		backward: func(t *tracer) { t.gradient(W, spectralBoundGrad(c, a.who("SpectralBound")), t.in[0], t.grad) }}, w)
}

// SpectralBoundInto writes SpectralBound(W) to dst [d, m], allocated if nil, without a graph. dst may be W.
func SpectralBoundInto(dst, w *tensor.Dense, c float64, a Attr) (*tensor.Dense, error) {
	who := a.who("SpectralBound")
	if err := checkBound(who, c); err != nil {
		return nil, err
	}
	w, err := matrixOf(who, "W", "[d, m]", w)
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, w.Dtype(), w.Shape()...); err != nil {
		return nil, err
	}
	top, err := topSingular(who, w)
	if err != nil {
		return nil, err
	}
	typed(w.Dtype(), boundSpectrum[float32], boundSpectrum[float64])(dst, w, top.shrink(c))
	return dst, nil
}

func checkBound(who string, c float64) error {
	if c > 0 && c <= math.MaxFloat64 {
		return nil
	}
	return fmt.Errorf("%s: the spectral norm is bounded by %v, want a finite number above 0: %w", who, c, ErrParam)
}

func boundSpectrum[T domain.Float](dst, w *tensor.Dense, s float64) {
	out := data[T](dst)
	for i, v := range data[T](w) {
		out[i] = T(float64(v) * s)
	}
}

// singular is the largest singular value of a matrix with its vectors, W v = σ u. The value is the product size·sigma,
// so that it does not overflow.
type singular struct {
	size, sigma float64
	u, v        []float64 // nil where W is 0
}

// shrink is min(1, c/σ).
func (s singular) shrink(c float64) float64 {
	if s.u == nil || s.size*s.sigma <= c {
		return 1
	}
	return c / s.size / s.sigma
}

// topSingular computes the largest singular value of w and its vectors.
func topSingular(who string, w *tensor.Dense) (singular, error) {
	d, m := w.Shape()[0], w.Shape()[1]
	cells := append([]float64(nil), Float64s(w)...)
	s := singular{}
	for i, v := range cells {
		if v-v != 0 {
			return s, fmt.Errorf("%s: W[%d,%d] is %v, and has no spectral norm; lower the rate of the solver: %w", who,
				i/m, i%m, v, ErrDomain)
		}
		s.size = math.Max(s.size, math.Abs(v))
	}
	if s.size == 0 {
		return s, nil
	}
	for i := range cells {
		cells[i] /= s.size
	}
	n, side := min(d, m), blas.Trans
	if d < m {
		side = blas.NoTrans
	}
	if err := domain.CheckSize(who+": the Gram matrix of W", 8, n, n); err != nil {
		return s, err
	}
	gram, f := make([]float64, n*n), fast.Implementation{}
	f.Dsyrk(blas.Lower, side, n, max(d, m), 1, cells, m, 0, gram, n)
	_, of, err := dense.Largest(gram, n)
	if err != nil {
		return s, fmt.Errorf("%s: %w", who, err)
	}
	other := make([]float64, max(d, m))
	if d < m {
		s.u, s.v = of, other
		f.Dgemv(blas.Trans, d, m, 1, cells, m, of, 1, 0, other, 1)
	} else {
		s.u, s.v = other, of
		f.Dgemv(blas.NoTrans, d, m, 1, cells, m, of, 1, 0, other, 1)
	}
	s.sigma = floats.Norm(other, 2)
	floats.Scale(1/s.sigma, other)
	return s, nil
}

// spectralBoundGrad is dW from W and the gradient g of the result.
func spectralBoundGrad(c float64, who string) *op {
	const kind = "gradient of SpectralBound"
	return &op{kind: kind, params: c, attr: Attr{Layer: who}, ranks: "222", shape: likeAll(kind),
		fill: func(dw *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			top, err := topSingular(who, in[0])
			if err != nil {
				return err
			}
			typed(dw.Dtype(), spectralBoundBackward[float32], spectralBoundBackward[float64])(dw, in, top, c)
			return nil
		}}
}

func spectralBoundBackward[T domain.Float](out *tensor.Dense, in []*tensor.Dense, top singular, c float64) {
	dw, w, g, shrink := data[T](out), data[T](in[0]), data[T](in[1]), top.shrink(c)
	if shrink == 1 {
		copy(dw, g)
		return
	}
	along, m := 0., len(top.v)
	for i, v := range w {
		along += float64(g[i]) * (float64(v) / top.size)
	}
	along /= top.sigma
	for i, v := range g {
		dw[i] = T(shrink * (float64(v) - along*top.u[i/m]*top.v[i%m]))
	}
}
