package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ScaleColumns is x·diag(s) for x >= 0 and s >= 0. x is [n, d]; s is [1], or [d] with an entry for each column.
//
// Backward: dx = g·diag(s), ds = Σ g∘x, over everything or over each column. For sparse rows the result is sparse,
// unless s has a gradient. Attr.Domain is not used.
//
// Errors while building: shapes. Errors while running (ErrDomain): a cell of x or an entry of s that is negative or not
// finite; a product that is not finite.
func ScaleColumns(x, s *G.Node, a Attr) (*G.Node, error) {
	a.Domain = domain.NonNegative()
	o := &op{kind: "ScaleColumns", in: []Inputs{X, S}, ranks: "212", attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if err := scalesFit(o.who(), in[0], in[1]); err != nil {
			return nil, err
		}
		return in[0].Clone(), nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		if s, ok := x.(*CSR); ok && !o.wants(1) && s.of.zeroBased() {
			return ScaleColumnsCSR(s, in[1], a)
		}
		dense, err := spread(x)
		if err != nil {
			return nil, err
		}
		return ScaleColumnsInto(nil, dense, in[1], a)
	}
	o.backward = func(t *tracer) {
		t.gradient(X, scaleColumnsGradXOp, t.grad, t.in[1])
		t.gradient(S, scaleColumnsGradS(length(t.in[1])), t.in[0], t.grad)
	}
	return apply(o, x, s)
}

// ScaleColumnsInto writes ScaleColumns(x, s) to dst [n, d], allocated if nil, without a graph. See ScaleColumnsCSR for
// sparse rows.
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
	return dst, typed(x.Dtype(), scaleColumns[float32], scaleColumns[float64])(dst, x, s, who)
}

func scaleColumns[T domain.Float](dst, x, s *tensor.Dense, who string) error {
	d, out, cells := x.Shape()[1], data[T](dst), data[T](x)
	multiplyColumns[T](dst, x, s)
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
func multiplyColumns[T domain.Float](out, cells, scales *tensor.Dense) {
	dst, x, s, d := data[T](out), data[T](cells), data[T](scales), cells.Shape()[1]
	if len(s) == 1 {
		simd.Multiply(dst, x, s)
		return
	}
	for lo := 0; lo < len(x); lo += d {
		simd.Multiply(dst[lo:lo+d], x[lo:lo+d], s)
	}
}

func notFiniteScaled[T domain.Float](who string, row, col int, v T) error {
	return &domain.CellError{Who: who, Row: row, Col: col, Value: float64(v),
		Reason: fmt.Sprintf("is not finite in %T in the unit of the kernel", v),
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

// ScaleColumnsCSR is ScaleColumns of sparse rows, as sparse rows. Errors are as for ScaleColumnsInto, and ErrParam for
// an x that LogShiftCSR returned.
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
	if !x.of.zeroBased() {
		return nil, fmt.Errorf("%s: of these sparse rows the map is not sparse; make them dense: %w", who, ErrParam)
	}
	if err := CheckRows(domain.NonNegative(), who, x); err != nil {
		return nil, err
	}
	if err := checkScales(who, ts[0]); err != nil {
		return nil, err
	}
	return typed(x.Dtype(), scaleSparse[float32], scaleSparse[float64])(x, ts[0], who)
}

func scaleSparse[T domain.Float](rows *CSR, scales *tensor.Dense, who string) (*CSR, error) {
	x, s := sparseOf[T](rows), data[T](scales)
	out := *x
	out.Val = make([]T, len(x.Val))
	for i := range x.Rows {
		for t := x.Ptr[i]; t < x.Ptr[i+1]; t++ {
			v := T(x.Val[t] * s[int(x.Col[t])%len(s)]) // the conversion rounds: fused, v - v is the rounding error
			if v-v != 0 {
				return nil, notFiniteScaled(who, i, int(x.Col[t]), x.Val[t])
			}
			out.Val[t] = v
		}
	}
	return &CSR{&out}, nil
}

// scaleColumnsGradXOp is dx = g·diag(s) from g and s.
var scaleColumnsGradXOp = &op{kind: "gradient of ScaleColumns for x", ranks: "212", shape: likeFirst,
	fill: func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		typed(dx.Dtype(), multiplyColumns[float32], multiplyColumns[float64])(dx, in[0], in[1])
		return nil
	}}

// scaleColumnsGradS is ds with the given number of entries, from x and g.
func scaleColumnsGradS(entries int) *op {
	const kind = "gradient of ScaleColumns for s"
	return &op{kind: kind, params: entries, ranks: "221", spread: true,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if !in[0].Eq(in[1]) {
				return nil, misfit(kind, in)
			}
			return tensor.Shape{entries}, nil
		},
		fill: func(ds *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(ds.Dtype(), columnDots[float32], columnDots[float64])(ds, in[0], in[1])
			return nil
		}}
}

// columnDots writes Σ_i x[i,j]·g[i,j], or its sum over j if out has one entry. Sums are in float64.
func columnDots[T domain.Float](out, x, grad *tensor.Dense) {
	sums, g, d := make([]float64, out.Shape()[0]), data[T](grad), x.Shape()[1]
	for i, v := range data[T](x) {
		sums[i%d%len(sums)] += float64(v) * float64(g[i])
	}
	recast(data[T](out), sums)
}
