package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// HDD embeds densities so that squared Euclidean distances are squared homogeneous density distances: the coefficients
//
//	A(p) = [Φᵀ r_j √p cos(λ_j ln p) | Φᵀ r_j √p sin(λ_j ln p)], j = 1 to M,
//
// of functions of p on an orthonormal basis. p is [n, V], the densities at V points; λ and the roots r of its weights are [M]; Φ is [V, B], the
// basis functions at the points times their weights of integration; the result is [n, 2MB], coefficients of cos(λ₁ ln p), of sin(λ₁ ln p),
// of cos(λ₂ ln p) and so on, or with even, for frequencies of 0 whose sine is none, [n, MB]. A number p = 0 adds exactly nothing.
// Sutherland, Oliva, Póczos and Schneider (2016), equations (4) to (6) and (9).
//
// A row of p may be k densities, one after another, [n, kV], as those of the coordinates of a sample of many dimensions. Each is embedded by
// itself, and the result is [n, k·2MB] or [n, kMB], one after another.
//
// Backward: with g' = gΦᵀ, dp = Σ_j r_j (½(g'_c c + g'_s s) + λ_j (g'_s c - g'_c s))/√p and dλ_j = Σ r_j √p ln p (g'_s c - g'_c s), c and s the
// cosine and sine, which are computed again, a block of densities at a time. Where p is 0 dp is defined as 0, as for Homogeneous. The
// roots and Φ have no gradient. Attr.Domain is not looked at.
//
// Errors while building: shapes. Errors while running (ErrDomain): a density that is negative or not finite, a λ that is not finite or makes λ ln p
// overflow.
func HDD(p, lambda, roots, basis *G.Node, even bool, a Attr) (*G.Node, error) {
	a.Frozen |= Third | Fourth
	return apply(hddOp{newHDDBase("HDD", "21122", even, a)}, p, lambda, roots, basis)
}

// HDDInto writes HDD(p, λ, r, Φ) to dst, allocated if nil, without a graph.
func HDDInto(dst, p, lambda, roots, basis *tensor.Dense, even bool, a Attr) (*tensor.Dense, error) {
	o := newHDDBase("HDD", "21122", even, a)
	who := a.who("HDD")
	ts, err := sameType(who, typeOf(p), []string{"p", "λ", "the roots", "Φ"}, p, lambda, roots, basis)
	if err != nil {
		return nil, err
	}
	shape, err := o.shape(ts[0].Shape(), ts[1].Shape(), ts[2].Shape(), ts[3].Shape())
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, ts[0].Dtype(), shape...); err != nil {
		return nil, err
	}
	if err := CheckRows(domain.NonNegative(), who, ts[0]); err != nil {
		return nil, err
	}
	if dst.Dtype() == tensor.Float32 {
		return dst, project[float32](dst, ts, even, who)
	}
	return dst, project[float64](dst, ts, even, who)
}

func project[T domain.Float](dst *tensor.Dense, in []*tensor.Dense, even bool, who string) error {
	v, b := in[3].Shape()[0], in[3].Shape()[1]
	n, k := in[0].Shape()[0], in[0].Shape()[1]/v
	row := waves[T](in, even).Project(data[T](dst), data[T](in[0]), data[T](in[3]), n*k, v, b)
	if row < 0 {
		return nil
	}
	return fmt.Errorf("%s: λ ln p of row %d is not finite in %v; look for NaN and huge numbers among the frequencies λ: %w", who, row/k, dst.Dtype(), ErrDomain)
}

func waves[T domain.Float](in []*tensor.Dense, even bool) *simd.Waves[T] {
	return &simd.Waves[T]{Lambda: data[T](in[1]), Root: data[T](in[2]), Even: even}
}

// hddBase is what the embedding and its gradient share.
type hddBase struct {
	base
	even bool
}

// hddOp is the embedding.
type hddOp struct{ hddBase }

var (
	_ backwarder = hddOp{}
	_ G.Op       = hddGrad{}
)

func newHDDBase(kind, ranks string, even bool, a Attr) hddBase {
	if even {
		kind += " of cosines"
	}
	return hddBase{base{kind: kind, ranks: ranks, attr: a}, even}
}

func (o hddBase) shape(p, lambda, roots, basis tensor.Shape) (tensor.Shape, error) {
	who := o.attr.who("HDD")
	if p.Dims() != 2 || basis.Dims() != 2 || basis[0] < 1 || p[1] < 1 || p[1]%basis[0] != 0 {
		return nil, fmt.Errorf("%s: p is %v and Φ %v, want [n, V], or a multiple of V, and [V, B]: %w", who, p, basis, ErrShape)
	}
	m := lambda.TotalSize()
	if m < 1 || roots.TotalSize() != m {
		return nil, fmt.Errorf("%s: %d frequencies λ and %d roots, want as many, one at least: %w", who, m, roots.TotalSize(), ErrShape)
	}
	if !o.even {
		m *= 2
	}
	return tensor.Shape{p[0], p[1] / basis[0] * m * basis[1]}, nil
}

func (o hddOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.shape(ss[0], ss[1], ss[2], ss[3])
}

func (o hddOp) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	return result(HDDInto(nil, ts[0], ts[1], ts[2], ts[3], o.even, o.attr))
}

func (o hddOp) backward(t *tracer, in []any, _, grad any) []any {
	all := t.apply(hddGrad{newHDDBase("gradients of HDD", "211221", o.even, Attr{})}, in[0], in[1], in[2], in[3], grad)
	return append(t.parts(o, all, shapeOf(in[0]), shapeOf(in[1])), nil, nil)
}

// hddGrad is the vector [dp | dλ] from the inputs and the gradient of the coefficients. The forward has checked the values.
type hddGrad struct{ hddBase }

func (o hddGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return tensor.Shape{ss[0].TotalSize() + ss[1].TotalSize()}, nil
}

func (o hddGrad) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	want, err := o.shape(ts[0].Shape(), ts[1].Shape(), ts[2].Shape(), ts[3].Shape())
	if err != nil {
		return nil, err
	}
	if g := ts[4].Shape(); !g.Eq(want) {
		return nil, fmt.Errorf("ops: %s: the gradient has shape %v, want %v: %w", o.kind, g, want, ErrShape)
	}
	out := tensor.New(tensor.WithShape(ts[0].Shape().TotalSize()+ts[1].Shape().TotalSize()), tensor.Of(ts[0].Dtype()))
	if out.Dtype() == tensor.Float32 {
		hddGradient(data[float32](out), ts, o.even)
	} else {
		hddGradient(data[float64](out), ts, o.even)
	}
	return out, nil
}

func hddGradient[T domain.Float](out []T, in []*tensor.Dense, even bool) {
	v, b := in[3].Shape()[0], in[3].Shape()[1]
	n := in[0].Shape().TotalSize() / v
	waves[T](in, even).Backward(out[:n*v], out[n*v:], data[T](in[0]), data[T](in[3]), data[T](in[4]), n, v, b)
}
