package ops

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// StructuredFourier is Fourier for structured frequencies, with a W that need not be formed. A block of p columns of W
// is
//
//	Wᵀ = exp(-ρ) p^(-3/2) diag(norms) H D₃ H D₂ H D₁,
//
// where H is the Walsh-Hadamard matrix of p = 2^k >= d rows, the Dᵢ are diagonals of signs, and x is padded with zeros
// to p columns. x is [n, d]; signs are [3·blocks, p] with the rows D₁, D₂, D₃ of each block; norms are [m] with ⌈m/p⌉
// blocks; ρ is [1], or nil for none; z is [n, 2m], the m cosines, then the m sines. A row costs O(p log p) operations a
// block. Yu et al. (2016), section 4.
//
// For few columns of x the product with W is faster, and each forward forms W: for d <= 64 in float32, d <= 48 in
// float64, and in the backward for x for d <= 32, on machines with kernels for products. This takes memory for d·m
// numbers, and 2d·m in the backward. The results agree to rounding.
//
// Backward: dP as for Fourier, dx = dP·Wᵀ by the transposed products, and dρ = -<dP, P>, with P computed again. signs
// and norms have no gradient. Attr.Frozen has X and Rho for x and ρ.
//
// Errors while building: shapes, a p that is no power of two. Errors while running: as for Fourier; a sign that is not
// ±1 and a norm that is not finite (ErrDomain).
func StructuredFourier(x, signs, norms, rho *G.Node, a Attr) (*G.Node, error) {
	return applyStructured("StructuredFourier", a, x, signs, norms, rho, nil)
}

// StructuredPhase is the phase form √(2/m) cos(xW + b) for the frequencies of StructuredFourier; b is [m] and z is [n,
// m]. Attr.Frozen has X, Rho and B for x, ρ and b. Errors are as for StructuredFourier.
func StructuredPhase(x, signs, norms, rho, b *G.Node, a Attr) (*G.Node, error) {
	if b == nil {
		return nil, fmt.Errorf("%s: b is nil: %w", a.who("StructuredPhase"), ErrShape)
	}
	p, err := applyStructured("StructuredAffine", a, x, signs, norms, rho, b)
	if err != nil {
		return nil, err
	}
	inputs := X | B
	if rho != nil {
		inputs |= Rho
	}
	return cosine(p, inputs, a)
}

// StructuredFourierInto writes StructuredFourier(x, W), of dense or sparse rows, to dst [n, 2m], allocated if nil,
// without a graph.
func StructuredFourierInto(dst *tensor.Dense, x Matrix, w *Structured, a Attr) (*tensor.Dense, error) {
	const op = "StructuredFourier"
	_, m := w.Dims()
	dst, x, err := circular(op, a, dst, x, w, 2*m)
	if err != nil {
		return nil, err
	}
	bad := typed(w.Dtype(), structuredPair[float32], structuredPair[float64])(dst, x, w, 1/math.Sqrt(float64(m)))
	return dst, notFinite(op, a, x, bad)
}

// StructuredPhaseInto writes StructuredPhase(x, W, b), of dense or sparse rows, to dst [n, m], allocated if nil,
// without a graph.
func StructuredPhaseInto(dst *tensor.Dense, x Matrix, w *Structured, b *tensor.Dense, a Attr) (*tensor.Dense, error) {
	const op = "StructuredPhase"
	_, m := w.Dims()
	b, err := bias(op, a, w, b)
	if err != nil {
		return nil, err
	}
	if dst, x, err = circular(op, a, dst, x, w, m); err != nil {
		return nil, err
	}
	bad := typed(w.Dtype(), structuredPhase[float32], structuredPhase[float64])(dst, x, b, w, phaseScale(m))
	return dst, notFinite(op, a, x, bad)
}

func structuredPair[T domain.Float](dst *tensor.Dense, x Matrix, w *Structured, scale float64) (badRow int) {
	return hadamard[T](w).Pair(data[T](dst), structuredRows[T](x), x.Shape()[0], scale)
}

func structuredPhase[T domain.Float](dst *tensor.Dense, x Matrix, b *tensor.Dense, w *Structured,
	scale float64) (badRow int) {
	return hadamard[T](w).Phase(data[T](dst), structuredRows[T](x), data[T](b), x.Shape()[0], scale)
}

// Structured is the W of StructuredFourier, packed for the Into functions. It is immutable and safe for concurrent use.
// It holds 3·blocks·p signs and p·blocks norms, and for few columns (see StructuredFourier), from the first product on,
// the d·m numbers of W.
type Structured struct {
	of sized // a *simd.Structured[float32] or a *simd.Structured[float64]
}

// hadamard is w in its element type, which must be T.
func hadamard[T domain.Float](w *Structured) *simd.Structured[T] { return w.of.(*simd.Structured[T]) }

// PackStructured copies the signs, the norms and ρ (nil for none) for d input columns into the form that the products
// read. Errors: shapes (ErrShape); different element types (ErrDtype); a sign that is not ±1, or a norm that is not
// finite after the multiplication by exp(-ρ) (ErrDomain).
func PackStructured(d int, signs, norms, rho *tensor.Dense, a Attr) (*Structured, error) {
	own, err := contiguous(signs)
	if err != nil {
		return nil, fmt.Errorf("%s: signs: %w", a.who("Structured"), err)
	}
	if own == signs {
		signs = signs.Clone().(*tensor.Dense)
	}
	return borrowStructured(d, signs, norms, rho, a)
}

// borrowStructured is PackStructured without a copy of the signs, for use in one forward or backward.
func borrowStructured(d int, signs, norms, rho *tensor.Dense, a Attr) (*Structured, error) {
	who := a.who("Structured")
	if signs == nil || norms == nil {
		return nil, fmt.Errorf("%s: signs or norms are nil: %w", who, ErrShape)
	}
	factor := 1.0
	if rho != nil {
		r, err := contiguous(rho)
		if err != nil {
			return nil, fmt.Errorf("%s: log bandwidth: %w", who, err)
		}
		if r.Shape().TotalSize() != 1 {
			return nil, fmt.Errorf("%s: the log bandwidth has shape %v, want [1]: %w", who, r.Shape(), ErrShape)
		}
		factor = math.Exp(-Float64s(r)[0])
	}
	signs, err := contiguous(signs)
	if err != nil {
		return nil, fmt.Errorf("%s: signs: %w", who, err)
	}
	if norms, err = contiguous(norms); err != nil {
		return nil, fmt.Errorf("%s: norms: %w", who, err)
	}
	if err := checkStructured(who, d, signs.Shape(), norms.Shape()); err != nil {
		return nil, err
	}
	if signs.Dtype() != norms.Dtype() || rho != nil && rho.Dtype() != norms.Dtype() {
		return nil, fmt.Errorf("%s: signs, norms and log bandwidth are not of one element type: %w", who, ErrDtype)
	}
	return typed(norms.Dtype(), newStructured[float32], newStructured[float64])(who, d, signs, norms, factor)
}

func newStructured[T domain.Float](who string, d int, signs, norms *tensor.Dense, factor float64) (*Structured, error) {
	s, r := data[T](signs), data[T](norms)
	p := signs.Shape()[1]
	for i, v := range s {
		if v != 1 && v != -1 {
			return nil, &domain.CellError{Who: who, Matrix: "signs", Row: i / p, Col: i % p, Value: float64(v),
				Reason: "is not a sign", Remedy: "set the frequencies anew: signs are 1 and -1"}
		}
	}
	w := simd.NewStructured(d, p, s, r, factor)
	for j, v := range w.Scale() {
		if v-v != 0 {
			return nil, &domain.CellError{Who: who, Matrix: "norms", Col: j, Value: float64(r[j]),
				Reason: fmt.Sprintf("times exp(-log bandwidth) = %v is not finite", factor),
				Remedy: "set the frequencies anew, or tune the bandwidth with a lower learning rate"}
		}
	}
	return &Structured{w}, nil
}

// checkStructured checks the shapes of a structured W for d input columns: signs [3·⌈m/p⌉, p] with p a power of two >=
// d, and norms [m].
func checkStructured(who string, d int, signs, norms tensor.Shape) error {
	if signs.Dims() != 2 || norms.Dims() != 1 {
		return fmt.Errorf("%s: signs are %v and norms %v, want [3·blocks, p] and [m]: %w", who, signs, norms, ErrShape)
	}
	p, m := signs[1], norms[0]
	if p < d || bits.OnesCount(uint(p)) != 1 {
		return fmt.Errorf("%s: signs are %v for %d input columns, want a power of two of columns, at least %d: %w",
			who, signs, d, d, ErrShape)
	}
	if m < 1 || signs[0] != 3*((m+p-1)/p) {
		return fmt.Errorf("%s: signs are %v for %d norms, want three rows for each block of %d: %w",
			who, signs, m, p, ErrShape)
	}
	return nil
}

// Dims returns d and m, and 0 and 0 for nil.
func (w *Structured) Dims() (d, m int) {
	if w == nil {
		return 0, 0
	}
	return w.of.Dims()
}

// Dtype returns the element type.
func (w *Structured) Dtype() tensor.Dtype {
	if _, ok := w.of.(*simd.Structured[float32]); ok {
		return tensor.Float32
	}
	return tensor.Float64
}

// applyStructured adds [cos(xW) | sin(xW)]/√m of a structured W, or xW + b with a bias. The inputs are x, signs and
// norms, then ρ and the bias if they are given.
func applyStructured(kind string, a Attr, x, signs, norms, rho, b *G.Node) (*G.Node, error) {
	o := &op{kind: kind, in: []Inputs{X, 0, 0}, ranks: "221", attr: a, sparse: true, backward: structuredBackward}
	in := []*G.Node{x, signs, norms}
	if rho != nil {
		in, o.in, o.ranks, o.kind = append(in, rho), append(o.in, Rho), o.ranks+"1", o.kind+" with bandwidth"
	}
	if b != nil {
		in, o.in, o.ranks = append(in, b), append(o.in, B), o.ranks+"1"
	}
	o.ranks += "2"
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		m := in[2][0]
		if err := checkStructured(o.who(), in[0][1], in[1], in[2]); err != nil {
			return nil, err
		}
		if rho != nil && in[3][0] != 1 {
			return nil, fmt.Errorf("%s: the log bandwidth has shape %v, want [1]: %w", o.who(), in[3], ErrShape)
		}
		if b == nil {
			return tensor.Shape{in[0][0], 2 * m}, nil
		}
		if last := in[len(in)-1]; last[0] != m {
			return nil, fmt.Errorf("%s: there are %d norms and the bias is %v: %w", o.who(), m, last, ErrShape)
		}
		return tensor.Shape{in[0][0], m}, nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		w, err := structuredWeights(x.Shape()[1], in[1:], rho != nil, a)
		if err != nil {
			return nil, err
		}
		if b == nil {
			return StructuredFourierInto(nil, x, w, a)
		}
		return structuredAffine(x, w, in[len(in)-1], a)
	}
	return apply(o, in...)
}

// structuredWeights makes W from the inputs signs, norms and, if given, ρ.
func structuredWeights(d int, in []*tensor.Dense, withRho bool, a Attr) (*Structured, error) {
	var rho *tensor.Dense
	if withRho {
		rho = in[2]
	}
	return borrowStructured(d, in[0], in[1], rho, a)
}

// structuredAffine is xW + b.
func structuredAffine(x Matrix, w *Structured, b *tensor.Dense, a Attr) (*tensor.Dense, error) {
	const op = "StructuredAffine"
	_, m := w.Dims()
	b, err := bias(op, a, w, b)
	if err != nil {
		return nil, err
	}
	dst, x, err := input(op, a, nil, x, w, m)
	if err != nil {
		return nil, err
	}
	typed(w.Dtype(), structuredProjection[float32], structuredProjection[float64])(dst, x, b, w)
	return dst, nil
}

func structuredProjection[T domain.Float](dst *tensor.Dense, x Matrix, b *tensor.Dense, w *Structured) {
	var bias []T
	if b != nil {
		bias = data[T](b)
	}
	hadamard[T](w).Affine(data[T](dst), structuredRows[T](x), bias, x.Shape()[0])
}

func structuredBackward(t *tracer) {
	dp := t.grad
	if t.at(B) < len(t.in) {
		t.gradient(B, colSumOp, dp)
	} else if t.wanted(X) || t.wanted(Rho) {
		dp = t.apply(pairGradOp, t.out, t.grad)
	}
	w, withRho := t.in[1:3], t.at(Rho) < len(t.in)
	if withRho {
		w = t.in[1:4]
	}
	t.gradient(Rho, structuredGradRhoOp, append([]handle{t.in[0], dp}, w...)...)
	t.gradient(X, structuredGradX(shapeOf(t.in[0])[1], withRho), append([]handle{dp}, w...)...)
}

// structuredGradX is dx = dP·Wᵀ [n, d] from dP [n, m], signs, norms and, if given, ρ.
func structuredGradX(d int, withRho bool) *op {
	o := &op{kind: fmt.Sprintf("structuredGradX of %d columns", d), ranks: "2212"}
	if withRho {
		o.ranks = "22112"
	}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if in[0][1] != in[2][0] {
			return nil, misfit(o.kind, in)
		}
		return tensor.Shape{in[0][0], d}, nil
	}
	o.fill = func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		w, err := structuredWeights(d, in[1:], withRho, o.attr)
		if err == nil {
			typed(dx.Dtype(), structuredGrad[float32], structuredGrad[float64])(dx, in[0], w)
		}
		return err
	}
	return o
}

func structuredGrad[T domain.Float](dx, dp *tensor.Dense, w *Structured) {
	hadamard[T](w).GradX(data[T](dx), data[T](dp), dp.Shape()[0])
}

// structuredRows returns x as simd.Structured takes it.
func structuredRows[T domain.Float](x Matrix) simd.Rows[T] {
	if s, ok := x.(*CSR); ok {
		return simd.Rows[T]{Sparse: &sparseOf[T](s).CSR, Base: sparseOf[T](s).columnBase()}
	}
	return simd.Rows[T]{Dense: data[T](x.(*tensor.Dense))}
}

// structuredGradRhoOp is dρ = -<dP, xW> [1] from x [n, d], dP [n, m], signs, norms and ρ.
var structuredGradRhoOp = &op{kind: "structuredGradRho", ranks: "222111", sparse: true,
	shape: func(in []tensor.Shape) (tensor.Shape, error) {
		if !in[1].Eq(tensor.Shape{in[0][0], in[3][0]}) {
			return nil, misfit("structuredGradRho", in)
		}
		return tensor.Shape{1}, nil
	},
	fill: func(drho *tensor.Dense, x Matrix, in []*tensor.Dense) error {
		w, err := structuredWeights(x.Shape()[1], in[2:], true, Attr{})
		if err != nil {
			return err
		}
		p := tensor.New(tensor.WithShape(in[1].Shape().Clone()...), tensor.Of(x.Dtype()))
		typed(x.Dtype(), structuredProjection[float32], structuredProjection[float64])(p, x, nil, w)
		typed(x.Dtype(), minusRowDots[float32], minusRowDots[float64])(drho, p, in[1])
		return nil
	}}
