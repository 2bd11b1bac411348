package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Harmonics says how Homogeneous maps a coordinate, besides its base frequency L and its roots.
type Harmonics struct {
	F        []int    // the harmonics f_1 < f_2 < ...; f_0 = 0 goes without saying
	Gamma    float64  // γ > 0, the degree
	Negative Negative // what becomes of x < 0
	// Stationary maps x in place of ln x, without the factor x^{γ/2}: the map of the translation-invariant kernel 𝒦(y - x) on ℝ.
	Stationary bool
}

// Negative is what Homogeneous makes of a negative coordinate.
type Negative int

const (
	RejectNegative Negative = iota // an error
	SignNegative                   // the negated numbers of |x|
	SplitNegative                  // the numbers of |x| in columns of their own, after those for x > 0
)

// Width is the number of output columns for each column of x: 2n+1 for n harmonics, twice that for SplitNegative.
func (h Harmonics) Width() int {
	w := 2*len(h.F) + 1
	if h.Negative == SplitNegative && !h.Stationary {
		w *= 2
	}
	return w
}

// domain is where the map is defined.
func (h Harmonics) domain() Domain {
	if h.Negative == RejectNegative && !h.Stationary {
		return domain.Histograms()
	}
	return domain.Reals()
}

func (h Harmonics) check(who string) error {
	if !(h.Gamma > 0) || math.IsInf(h.Gamma, 1) || h.Negative < RejectNegative || h.Negative > SplitNegative {
		return fmt.Errorf("%s: degree %v and Negative(%d), want a finite degree above 0 and RejectNegative, SignNegative or SplitNegative: %w",
			who, h.Gamma, h.Negative, ErrParam)
	}
	for j, f := range h.F {
		if f < 1 || j > 0 && f <= h.F[j-1] {
			return fmt.Errorf("%s: harmonics %v, want whole numbers from 1 on that rise: %w", who, h.F, ErrParam)
		}
	}
	return nil
}

// Homogeneous is the homogeneous kernel map: of each coordinate v of x, v > 0, the 2n+1 numbers
//
//	r₀ v^{γ/2},   √2 r_j v^{γ/2} cos(f_j L ln v),   √2 r_j v^{γ/2} sin(f_j L ln v),   j = 1 to n,
//
// side by side, and zeros of v = 0. With r_j = √κ̂_j its inner products are Σ (vu)^{γ/2} 𝒦̂(ln u - ln v), whatever the sign of a root:
// κ̂_j = r_j² cannot be negative. x is [n, d], L [1] or [d], one a column, r [n+1], the result [n, d·Width]. Vedaldi and
// Zisserman (2012), equation (19), and (18) for the stationary form.
//
// Backward, from x and the output z alone: with t = Σ_j f_j (g_sin z_cos - g_cos z_sin) of a coordinate, dx = (γ/2 Σ g·z + L t)/x and
// dL = Σ t ln|x|, over everything or over a column; stationary: dx = L t and dL = Σ t x. The map is linear in r: dr is Σ g·z for roots of
// 1, computed anew. At v = 0 the map has no derivative (for γ < 2 its slope is infinite, and for γ = 2 it oscillates); dx is defined as
// 0 there, the value that leaves the empty bins of a histogram alone. Next to 0 dx is the true one, which grows as v^{γ/2-1}.
//
// Of sparse rows the result is sparse too, unless L or r has a gradient or the form is the stationary one. Attr.Domain is not looked at: it
// follows from h. Errors while building: shapes and h. Errors while running (ErrDomain): a cell that
// is negative, without an extension, or not finite; features that are not finite, as those of large numbers are for γ > 2.
func Homogeneous(x, base, roots *G.Node, h Harmonics, a Attr) (*G.Node, error) {
	if err := h.check(a.who("Homogeneous")); err != nil {
		return nil, err
	}
	return apply(newHomogeneousOp("Homogeneous", "2112", h, a), x, base, roots)
}

// HomogeneousInto writes Homogeneous(x, L, r) to dst [n, d·Width], allocated if nil, without a graph. See HomogeneousCSR for sparse rows.
func HomogeneousInto(dst, x, base, roots *tensor.Dense, h Harmonics, a Attr) (*tensor.Dense, error) {
	who := a.who("Homogeneous")
	if err := h.check(who); err != nil {
		return nil, err
	}
	ts, err := sameType(who, typeOf(x), []string{"x", "L", "the roots"}, x, base, roots)
	if err != nil {
		return nil, err
	}
	if err := h.fits(who, ts[0].Shape(), ts[1].Shape(), ts[2].Shape()); err != nil {
		return nil, err
	}
	dst, err = output(who, dst, ts[0].Dtype(), ts[0].Shape()[0], ts[0].Shape()[1]*h.Width())
	if err != nil {
		return nil, err
	}
	if dst.Dtype() == tensor.Float32 {
		return dst, homogeneous[float32](dst, ts, h, who)
	}
	return dst, homogeneous[float64](dst, ts, h, who)
}

// fits compares the shapes of x, L and r.
func (h Harmonics) fits(who string, x, base, roots tensor.Shape) error {
	if x.Dims() != 2 {
		return fmt.Errorf("%s: x has shape %v, want [n, d]: %w", who, x, ErrShape)
	}
	if k := base.TotalSize(); k != 1 && k != x[1] {
		return lengthError(who, "L", k, x[1])
	}
	if k := roots.TotalSize(); k != len(h.F)+1 {
		return fmt.Errorf("%s: there are %d roots, want %d for %d harmonics: %w", who, k, len(h.F)+1, len(h.F), ErrShape)
	}
	return nil
}

// homogeneous computes first and asks afterwards: only where something is wrong are the cells looked at one by one.
func homogeneous[T domain.Float](dst *tensor.Dense, in []*tensor.Dense, h Harmonics, who string) error {
	x := in[0]
	n, d := x.Shape()[0], x.Shape()[1]
	if err := finiteParams[T](who, in[1:]); err != nil {
		return err
	}
	m := scalarMap[T](h, in[1], in[2])
	bad := m.Forward(data[T](dst), data[T](x), n, d)
	if !bad && !h.Stationary {
		return nil
	}
	if err := CheckRows(h.domain(), who, x); err != nil || !bad {
		return err
	}
	for i, z := range data[T](dst) {
		if z-z != 0 {
			cell := i / m.Width()
			return notFiniteFeatures(who, cell/d, cell%d, data[T](x)[cell])
		}
	}
	return nil
}

// finiteParams finds a number of L or of the roots that is not finite.
func finiteParams[T domain.Float](who string, params []*tensor.Dense) error {
	for i, name := range []string{"L", "roots"} {
		for j, v := range data[T](params[i]) {
			if v-v != 0 {
				return &domain.CellError{Who: who, Matrix: name, Col: j, Value: float64(v), Reason: "is not finite",
					Remedy: "set it anew, or tune it with a lower learning rate"}
			}
		}
	}
	return nil
}

func notFiniteFeatures[T domain.Float](who string, row, col int, v T) error {
	return &domain.CellError{Who: who, Row: row, Col: col, Value: float64(v), Reason: fmt.Sprintf("has features that are not finite in %T", v),
		Remedy: "scale the data, or lower the degree gamma"}
}

// scalarMap is the arithmetic of h with L and r; r is nil where it is not needed.
func scalarMap[T domain.Float](h Harmonics, base, roots *tensor.Dense) *simd.Homogeneous[T] {
	m := &simd.Homogeneous[T]{F: h.F, Base: data[T](base), Gamma: h.Gamma, Stationary: h.Stationary}
	if !h.Stationary {
		m.Sign, m.Split = h.Negative == SignNegative, h.Negative == SplitNegative
	}
	if roots != nil {
		m.Root = data[T](roots)
	}
	return m
}

// homogeneousOp is the map.
type homogeneousOp struct {
	base
	h Harmonics
}

var _ backwarder = homogeneousOp{}

func newHomogeneousOp(kind, ranks string, h Harmonics, a Attr) homogeneousOp {
	h.F = slices.Clone(h.F)
	return homogeneousOp{base{kind: fmt.Sprintf("%s%v^%v,%d,%v", kind, h.F, h.Gamma, h.Negative, h.Stationary), ranks: ranks, attr: a}, h}
}

func (o homogeneousOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	if err := o.h.fits(o.attr.who("Homogeneous"), ss[0], ss[1], ss[2]); err != nil {
		return nil, err
	}
	return tensor.Shape{ss[0][0], ss[0][1] * o.h.Width()}, nil
}

func (o homogeneousOp) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	s, sparse := x.(*CSR)
	if sparse && o.attr.Frozen&(Second|Third) == Second|Third && o.h.keepsZeros(s) {
		return sparseResult(HomogeneousCSR(s, ts[1], ts[2], o.h, o.attr))
	}
	if ts[0], err = spread(x); err != nil { // z gets a gradient, which is dense as well
		return nil, err
	}
	return result(HomogeneousInto(nil, ts[0], ts[1], ts[2], o.h, o.attr))
}

func (o homogeneousOp) backward(t *tracer, in []any, out, grad any) []any {
	grads := make([]any, 3)
	if o.wants(0) {
		grads[0] = t.apply(newHomogeneousGrad(gradOfX, o.h, 0), in[0], in[1], out, grad)
	}
	if o.wants(1) {
		grads[1] = t.apply(newHomogeneousGrad(gradOfBase, o.h, length(in[1])), in[0], in[1], out, grad)
	}
	if o.wants(2) {
		grads[2] = t.apply(newHomogeneousGrad(gradOfRoots, o.h, length(in[2])), in[0], in[1], out, grad)
	}
	return grads
}
