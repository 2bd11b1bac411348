package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ScaleColumns is x·diag(s), for x >= 0 and s >= 0: a unit for every column, or one for all. x is [n, d], s [1] or [d].
//
// Backward: dx = g·diag(s), ds = Σ g∘x, over everything or over a column. Of sparse rows the result is sparse, unless s has a gradient.
//
// Errors while building: shapes. Errors while running (ErrDomain): a cell of x or an entry of s that is negative or not finite; a product
// that is not finite.
func ScaleColumns(x, s *G.Node, a Attr) (*G.Node, error) {
	a.Domain = domain.NonNegative()
	return apply(scaleColumnsOp{base{kind: "ScaleColumns", ranks: "212", attr: a}}, x, s)
}

// ScaleColumnsInto writes ScaleColumns(x, s) to dst [n, d], allocated if nil, without a graph. See ScaleColumnsCSR for sparse rows.
func ScaleColumnsInto(dst, x, s *tensor.Dense, a Attr) (*tensor.Dense, error) {
	who := a.who("ScaleColumns")
	ts, err := sameType(who, typeOf(x), []string{"x", "s"}, x, s)
	if err != nil {
		return nil, err
	}
	x, s = ts[0], ts[1]
	if err := scalesFit(who, x.Shape(), s.Shape()); err != nil {
		return nil, err
	}
	if err := CheckRows(domain.NonNegative(), who, x); err != nil {
		return nil, err
	}
	if err := checkScales(who, s); err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()[0], x.Shape()[1]); err != nil {
		return nil, err
	}
	if x.Dtype() == tensor.Float32 {
		return dst, scaleColumns[float32](dst, x, s, who)
	}
	return dst, scaleColumns[float64](dst, x, s, who)
}

func scaleColumns[T domain.Float](dst, x, s *tensor.Dense, who string) error {
	d, out, cells, scales := x.Shape()[1], data[T](dst), data[T](x), data[T](s)
	multiplyColumns(out, cells, scales, d)
	if within(domain.Reals(), out) {
		return nil
	}
	for i, v := range out {
		if v-v != 0 {
			return notFiniteScaled(who, i/d, i%d, cells[i])
		}
	}
	return nil
}

// multiplyColumns writes x·diag(s) to dst.
func multiplyColumns[T domain.Float](dst, x, s []T, d int) {
	if len(s) == 1 {
		simd.Multiply(dst, x, s)
		return
	}
	for lo := 0; lo < len(x); lo += d {
		simd.Multiply(dst[lo:lo+d], x[lo:lo+d], s)
	}
}

func notFiniteScaled[T domain.Float](who string, row, col int, v T) error {
	return &domain.CellError{Who: who, Row: row, Col: col, Value: float64(v), Reason: fmt.Sprintf("is not finite in %T in the unit of the kernel", v),
		Remedy: "scale the data and the kernel's parameter together"}
}

// scalesFit compares the shapes of x and s.
func scalesFit(who string, x, s tensor.Shape) error {
	if len(x) != 2 {
		return fmt.Errorf("%s: x has shape %v, want [n, d]: %w", who, x, ErrShape)
	}
	if k := s.TotalSize(); k != 1 && k != x[1] {
		return lengthError(who, "s", k, x[1])
	}
	return nil
}

// ScaleColumnsCSR is ScaleColumns of sparse rows, as sparse rows. Errors as for ScaleColumnsInto.
func ScaleColumnsCSR(x *CSR, s *tensor.Dense, a Attr) (*CSR, error) {
	who := a.who("ScaleColumns")
	if err := given(who, "x", x); err != nil {
		return nil, err
	}
	ts, err := sameType(who, x.Dtype(), []string{"s"}, s)
	if err != nil {
		return nil, err
	}
	if err := scalesFit(who, x.Shape(), ts[0].Shape()); err != nil {
		return nil, err
	}
	if !x.zeroBased() {
		return nil, fmt.Errorf("%s: of these sparse rows the map is not sparse; make them dense: %w", who, ErrParam)
	}
	if err := CheckRows(domain.NonNegative(), who, x); err != nil {
		return nil, err
	}
	if err := checkScales(who, ts[0]); err != nil {
		return nil, err
	}
	if x.f32 != nil {
		return wrapped(scaleSparse(x.f32, data[float32](ts[0]), who))
	}
	return wrapped(scaleSparse(x.f64, data[float64](ts[0]), who))
}

func scaleSparse[T domain.Float](x *sparse[T], s []T, who string) (*sparse[T], error) {
	out := *x
	out.Val = make([]T, len(x.Val))
	for i := range x.Rows {
		for t := x.Ptr[i]; t < x.Ptr[i+1]; t++ {
			if out.Val[t] = x.Val[t] * s[int(x.Col[t])%len(s)]; out.Val[t]-out.Val[t] != 0 {
				return nil, notFiniteScaled(who, i, int(x.Col[t]), x.Val[t])
			}
		}
	}
	return &out, nil
}

type scaleColumnsOp struct{ base }

var _ backwarder = scaleColumnsOp{}

func (o scaleColumnsOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	if err := scalesFit(o.attr.who("ScaleColumns"), ss[0], ss[1]); err != nil {
		return nil, err
	}
	return ss[0].Clone(), nil
}

func (o scaleColumnsOp) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	if s, ok := x.(*CSR); ok && !o.wants(1) && s.zeroBased() {
		return sparseResult(ScaleColumnsCSR(s, ts[1], o.attr))
	}
	dense, err := spread(x)
	if err != nil {
		return nil, err
	}
	return result(ScaleColumnsInto(nil, dense, ts[1], o.attr))
}

func (o scaleColumnsOp) backward(t *tracer, in []any, _, grad any) []any {
	grads := make([]any, 2)
	if o.wants(0) {
		grads[0] = t.apply(scaleColumnsGrad{base{kind: "scaleColumnsGrad", ranks: "212"}, 0}, grad, in[1])
	}
	if o.wants(1) {
		k := length(in[1])
		grads[1] = t.apply(scaleColumnsGrad{base{kind: fmt.Sprint("scaleColumnsGrad of ", k), ranks: "221"}, k}, in[0], grad)
	}
	return grads
}

// scaleColumnsGrad is dx = g·diag(s) from g and s, or ds of so many entries from x and g.
type scaleColumnsGrad struct {
	base
	entries int // of ds; 0: dx
}

var _ G.Op = scaleColumnsGrad{}

func (o scaleColumnsGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	if o.entries > 0 {
		return tensor.Shape{o.entries}, nil
	}
	return ss[0].Clone(), nil
}

func (o scaleColumnsGrad) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, false)
	if err != nil {
		return nil, err
	}
	if ts[0], err = spread(x); err != nil {
		return nil, err
	}
	if ts[0].Dtype() == tensor.Float32 {
		return scaleColumnsGradient[float32](o, ts[0], ts[1])
	}
	return scaleColumnsGradient[float64](o, ts[0], ts[1])
}

func scaleColumnsGradient[T domain.Float](o scaleColumnsGrad, a, b *tensor.Dense) (G.Value, error) {
	d := a.Shape()[1]
	if o.entries == 0 {
		out := tensor.New(tensor.WithShape(a.Shape().Clone()...), tensor.Of(a.Dtype()))
		multiplyColumns(data[T](out), data[T](a), data[T](b), d)
		return out, nil
	}
	if !a.Shape().Eq(b.Shape()) {
		return nil, fmt.Errorf("ops: %s of shapes %v and %v: %w", o.kind, a.Shape(), b.Shape(), ErrShape)
	}
	sums, g := make([]float64, o.entries), data[T](b)
	for i, v := range data[T](a) {
		sums[i%d%len(sums)] += float64(v) * float64(g[i])
	}
	out := tensor.New(tensor.WithShape(o.entries), tensor.Of(a.Dtype()))
	for j, s := range sums {
		data[T](out)[j] = T(s)
	}
	return out, nil
}
