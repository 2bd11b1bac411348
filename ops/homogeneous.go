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

// Series says how Homogeneous maps a coordinate, apart from its base frequency L and its roots.
type Series struct {
	F        []int           // the harmonics 1 <= f_1 < f_2 < ...; f_0 = 0 is not listed
	Gamma    float64         // γ > 0, the degree
	Negative domain.Negative // how x < 0 is treated
	// Stationary maps x in place of ln x, without the factor x^{γ/2}: the map of the translation-invariant kernel 𝒦(y -
	// x) on ℝ.
	Stationary bool
}

// Width returns the number of output columns for each column of x: 2n+1 for n harmonics, and twice that for
// SplitNegative.
func (h Series) Width() int {
	w := 2*len(h.F) + 1
	if h.Negative == domain.SplitNegative && !h.Stationary {
		w *= 2
	}
	return w
}

// domain is the domain of the map.
func (h Series) domain() Domain {
	if h.Stationary {
		return domain.Reals()
	}
	return h.Negative.Domain()
}

func (h Series) check(who string) error {
	if !(h.Gamma > 0) || math.IsInf(h.Gamma, 1) || h.Negative < domain.RejectNegative || h.Negative > domain.SplitNegative {
		return fmt.Errorf("%s: degree %v and Negative(%d), want a finite degree above 0 and RejectNegative, "+
			"SignNegative or SplitNegative: %w",
			who, h.Gamma, h.Negative, ErrParam)
	}
	for j, f := range h.F {
		if f < 1 || j > 0 && f <= h.F[j-1] {
			return fmt.Errorf("%s: harmonics %v, want whole numbers from 1 on that rise: %w", who, h.F, ErrParam)
		}
	}
	return nil
}

// Homogeneous is the homogeneous kernel map. It makes of each coordinate v > 0 of x the 2n+1 numbers
//
//	r₀ v^{γ/2},   √2 r_j v^{γ/2} cos(f_j L ln v),   √2 r_j v^{γ/2} sin(f_j L ln v),   j = 1 to n,
//
// side by side, and zeros of v = 0. With r_j = √κ̂_j its inner products are Σ (vu)^{γ/2} 𝒦̂(ln u - ln v). κ̂_j = r_j²
// is not negative, whatever the sign of r_j. x is [n, d]; L is [1], or [d] with an entry for each column; r is [n+1];
// the result is [n, d·Width]. Vedaldi and Zisserman (2012), equation (19), and (18) for the stationary form.
//
// Backward, from x and the output z alone: with t = Σ_j f_j (g_sin z_cos - g_cos z_sin) of a coordinate, dx = (γ/2 Σ
// g·z + L t)/x and dL = Σ t ln|x|, over everything or over each column; for the stationary form dx = L t and dL = Σ t
// x. The map is linear in r: dr is Σ g·z for roots of 1, computed again. At v = 0 the map has no derivative. dx is
// defined as 0 there, which leaves the empty bins of a histogram alone; near 0 it grows as v^{γ/2-1}.
//
// For sparse rows the result is sparse, unless L or r has a gradient or the form is stationary. Attr.Domain is not
// used. Errors while building: shapes and h. Errors while running (ErrDomain): a cell that is not finite or, without an
// extension, negative; features that are not finite, as for large numbers and γ > 2.
func Homogeneous(x, base, roots *G.Node, h Series, a Attr) (*G.Node, error) {
	if err := h.check(a.who("Homogeneous")); err != nil {
		return nil, err
	}
	h.F = slices.Clone(h.F)
	return apply(homogeneousOp(h, a), x, base, roots)
}

// HomogeneousInto writes Homogeneous(x, L, r) to dst [n, d·Width], allocated if nil, without a graph. See
// HomogeneousCSR for sparse rows.
func HomogeneousInto(dst, x, base, roots *tensor.Dense, h Series, a Attr) (*tensor.Dense, error) {
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
	return dst, typed(dst.Dtype(), homogeneous[float32], homogeneous[float64])(dst, ts, h, who)
}

// fits compares the shapes of x, L and r.
func (h Series) fits(who string, x, base, roots tensor.Shape) error {
	if x.Dims() != 2 {
		return fmt.Errorf("%s: x has shape %v, want [n, d]: %w", who, x, ErrShape)
	}
	if k := base.TotalSize(); k != 1 && k != x[1] {
		return lengthError(who, "L", k, x[1])
	}
	if k := roots.TotalSize(); k != len(h.F)+1 {
		return fmt.Errorf("%s: there are %d roots, want %d for %d harmonics: %w",
			who, k, len(h.F)+1, len(h.F), ErrShape)
	}
	return nil
}

// homogeneous computes first, and looks at single cells only if a result is not finite.
func homogeneous[T domain.Float](dst *tensor.Dense, in []*tensor.Dense, h Series, who string) error {
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
		v := data[T](params[i])
		if err := checkFinite(who, name, "set it anew, or tune it with a lower learning rate", v, len(v)); err != nil {
			return err
		}
	}
	return nil
}

func notFiniteFeatures[T domain.Float](who string, row, col int, v T) error {
	return &domain.CellError{Who: who, Row: row, Col: col, Value: float64(v),
		Reason: fmt.Sprintf("has features that are not finite in %T", v),
		Remedy: "scale the data, or lower the degree gamma"}
}

// scalarMap returns the arithmetic of h with L and r; r may be nil where it is not needed.
func scalarMap[T domain.Float](h Series, base, roots *tensor.Dense) *simd.Homogeneous[T] {
	m := &simd.Homogeneous[T]{F: h.F, Base: data[T](base), Gamma: h.Gamma, Stationary: h.Stationary}
	if !h.Stationary {
		m.Sign, m.Split = h.Negative == domain.SignNegative, h.Negative == domain.SplitNegative
	}
	if roots != nil {
		m.Root = data[T](roots)
	}
	return m
}

func homogeneousOp(h Series, a Attr) *op {
	o := &op{kind: "Homogeneous", params: h, in: []Inputs{X, L, R}, ranks: "2112", attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if err := h.fits(o.who(), in[0], in[1], in[2]); err != nil {
			return nil, err
		}
		return tensor.Shape{in[0][0], in[0][1] * h.Width()}, nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		s, sparse := x.(*CSR)
		if sparse && !o.wants(1) && !o.wants(2) && h.keepsZeros(s) {
			return HomogeneousCSR(s, in[1], in[2], h, a)
		}
		dense, err := spread(x) // z gets a gradient, which is dense as well
		if err != nil {
			return nil, err
		}
		return HomogeneousInto(nil, dense, in[1], in[2], h, a)
	}
	o.backward = func(t *tracer) {
		x, base := t.in[0], t.in[1]
		t.gradient(X, homogeneousGrad(X, h, 0), x, base, t.out, t.grad)
		t.gradient(L, homogeneousGrad(L, h, length(base)), x, base, t.out, t.grad)
		t.gradient(R, homogeneousGrad(R, h, length(t.in[2])), x, base, t.out, t.grad)
	}
	return o
}

// homogeneousGrad is the gradient of Homogeneous for x, L or the roots, with the given number of entries, from x, L,
// the output z and the gradient g.
func homogeneousGrad(of Inputs, h Series, entries int) *op {
	o := &op{kind: "homogeneousGrad", params: []any{of, entries, h}, ranks: "21221", spread: true}
	if of == X {
		o.ranks = "21222"
	}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if x, z, g := in[0], in[2], in[3]; !z.Eq(g) || !z.Eq(tensor.Shape{x[0], x[1] * h.Width()}) {
			return nil, misfit(o.kind, in)
		}
		if of == X {
			return in[0].Clone(), nil
		}
		return tensor.Shape{entries}, nil
	}
	o.fill = func(out *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		typed(out.Dtype(), homogeneousGradient[float32], homogeneousGradient[float64])(of, h, out, in)
		return nil
	}
	return o
}

func homogeneousGradient[T domain.Float](of Inputs, h Series, out *tensor.Dense, in []*tensor.Dense) {
	m, n, d := scalarMap[T](h, in[1], nil), in[0].Shape()[0], in[0].Shape()[1]
	x, z, g, dst := data[T](in[0]), data[T](in[2]), data[T](in[3]), data[T](out)
	switch of {
	case X:
		m.GradX(dst, x, z, g, n, d)
	case L:
		m.GradBase(dst, x, z, g, n, d)
	case R:
		m.Root = make([]T, len(dst))
		m.GradRoot(dst, x, g, n, d)
	}
}

// HomogeneousCSR is Homogeneous of sparse rows x [n, d], as sparse rows [n, d·Width]: it stores the numbers of each
// entry. Errors are as for HomogeneousInto, and ErrParam for the stationary form, which maps 0 like any other number,
// and for an x that LogShiftCSR returned; make those dense.
func HomogeneousCSR(x *CSR, base, roots *tensor.Dense, h Series, a Attr) (*CSR, error) {
	who := a.who("Homogeneous")
	if err := h.check(who); err != nil {
		return nil, err
	}
	if err := given(who, "x", x); err != nil {
		return nil, err
	}
	if !h.keepsZeros(x) {
		return nil, fmt.Errorf("%s: of these sparse rows the map is not sparse; make them dense: %w", who, ErrParam)
	}
	ts, err := sameType(who, x.Dtype(), []string{"L", "the roots"}, base, roots)
	if err != nil {
		return nil, err
	}
	if err := h.fits(who, x.Shape(), ts[0].Shape(), ts[1].Shape()); err != nil {
		return nil, err
	}
	if x.Cols() > maxColumns/h.Width() {
		return nil, fmt.Errorf("%s: %d columns make more than %d; lower the order: %w",
			who, x.Cols(), maxColumns, ErrShape)
	}
	if err := CheckRows(h.domain(), who, x); err != nil {
		return nil, err
	}
	return typed(x.Dtype(), homogeneousSparse[float32], homogeneousSparse[float64])(x, ts, h, who)
}

// keepsZeros reports whether the missing cells of x are zeros whose features are zeros.
func (h Series) keepsZeros(x *CSR) bool {
	return !h.Stationary && x.of.zeroBased()
}

// homogeneousSparse maps the entries as one row, each with the L of its column.
func homogeneousSparse[T domain.Float](rows *CSR, params []*tensor.Dense, h Series, who string) (*CSR, error) {
	x := sparseOf[T](rows)
	if err := finiteParams[T](who, params); err != nil {
		return nil, err
	}
	first, end, w := x.Ptr[0], x.Ptr[x.Rows], h.Width()
	m, col, val := scalarMap[T](h, params[0], params[1]), x.Col[first:end], x.Val[first:end]
	if len(m.Base) > 1 {
		each := make([]T, len(col))
		for t, j := range col {
			each[t] = m.Base[j]
		}
		m.Base = each
	}
	z := make([]T, len(val)*w)
	if len(val) > 0 && m.Forward(z, val, 1, len(val)) {
		for i := range x.Rows {
			for t := x.Ptr[i] - first; t < x.Ptr[i+1]-first; t++ {
				if !simd.Within(z[t*w:(t+1)*w], -simd.Largest[T]()) {
					return nil, notFiniteFeatures[T](who, i, int(col[t]), val[t])
				}
			}
		}
	}
	stored := 2*len(h.F) + 1 // of an entry: the zeros of the other sign are not
	out := &sparse[T]{CSR: simd.CSR[T]{Rows: x.Rows, Cols: x.Cols * w, Ptr: make([]int, x.Rows+1),
		Col: make([]int32, len(val)*stored), Val: z[:0]}}
	for i, p := range x.Ptr {
		out.Ptr[i] = (p - first) * stored
	}
	for t, v := range val {
		from := 0
		if w > stored && v < 0 {
			from = stored
		}
		out.Val = append(out.Val, z[t*w+from:t*w+from+stored]...) // never ahead of what is read
		for k := range stored {
			out.Col[t*stored+k] = col[t]*int32(w) + int32(from+k)
		}
	}
	return &CSR{out}, nil
}
