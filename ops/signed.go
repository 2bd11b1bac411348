package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SignedFourier is the map of a kernel that is a combination of several expectations of cosines, as is an indefinite one: a block of
// pairs for each, one after another,
//
//	z(x) = [ρ_b cos(P_b) | ρ_b sin(P_b)] / √m,   P_b = (x·U_b) ∘ r_b,   b = 0, 1, ...,
//
// whose inner products are those of the kernels of the blocks, times ρ_b². x is [n, d]; the norms r are [B·m], those of block 0 first; the
// roots ρ are [B], of the masses; z is [n, 2B·m]. The directions U are [d, B·m], block after block, or [d, m]: then they serve all blocks,
// and one product xU does. Luo et al. (2021), equations (7) and (8), with B = 2 and the sign of the second block left to who takes inner
// products.
//
// Backward: dP_b = g_sin·z_cos - g_cos·z_sin from the output alone, dx = Σ (dP_b∘r_b)·U_bᵀ, and with G_b = xᵀ·dP_b, dU_b = G_b∘r_b and
// dr_b the column sums of U_b∘G_b; dρ_b = <g, z>/ρ_b over the block. Attr.Frozen counts x, U, r and ρ as First to Fourth.
//
// Errors while building: shapes. Errors while running: a row of x outside Attr.Domain, a row whose projections overflow, a direction or
// norm that is not finite, a root that is not a finite number above 0 (ErrDomain).
func SignedFourier(x, directions, norms, roots *G.Node, a Attr) (*G.Node, error) {
	return apply(signedOp{base{kind: "SignedFourier", ranks: "22112", attr: a}}, x, directions, norms, roots)
}

// SignedFourierInto writes SignedFourier, of dense or sparse rows, to dst [n, 2B·m], allocated if nil, without a graph.
func SignedFourierInto(dst *tensor.Dense, x Matrix, w *Signed, a Attr) (*tensor.Dense, error) {
	const op = "SignedFourier"
	_, m := w.Dims()
	dst, x, err := circular(op, a, dst, x, w, 2*m)
	if err != nil {
		return nil, err
	}
	bad := -1
	if w.Dtype() == tensor.Float32 {
		bad = signed(dst, x, w, func(w *Weights) *simd.Weights[float32] { return w.f32 })
	} else {
		bad = signed(dst, x, w, func(w *Weights) *simd.Weights[float64] { return w.f64 })
	}
	return dst, notFinite(op, a, x, bad)
}

func signed[T domain.Float](dst *tensor.Dense, x Matrix, w *Signed, packed func(*Weights) *simd.Weights[T]) (badRow int) {
	out, n, ld := data[T](dst), x.Shape()[0], 2*w.norms.Shape()[0]
	bad := -1
	for b, block := range w.of {
		p := packed(block)
		var dense, bias []T
		var sparse *simd.CSR[T]
		if s, ok := x.(*CSR); ok {
			sparse, bias = &sparseOf[T](s).CSR, background(s, block, p, nil)
		} else {
			dense = data[T](x.(*tensor.Dense))
		}
		row := -1
		switch {
		case w.shared:
			row = simd.SharedPairs(out, dense, n, sparse, bias, p, data[T](w.norms), w.scales)
		case n > 0:
			row = simd.PairBlock(out[b*ld/len(w.of):], ld, dense, n, sparse, bias, p, w.scales[b])
		}
		if row >= 0 && (bad < 0 || row < bad) {
			bad = row
		}
	}
	return bad
}

// Signed are the frequencies of SignedFourier, packed for SignedFourierInto. It is immutable and safe for concurrent use.
type Signed struct {
	of     []*Weights // the directions that all blocks share, or the frequencies of each
	norms  *tensor.Dense
	scales []float64 // ρ/√m
	shared bool
}

// PackSigned copies directions, norms and roots into the form that the products read. Errors: ErrShape, ErrDtype, and ErrDomain for a
// number that is no direction, norm or root.
func PackSigned(directions, norms, roots *tensor.Dense, a Attr) (*Signed, error) {
	return newSigned(directions, norms, roots, a, Pack)
}

func newSigned(directions, norms, roots *tensor.Dense, a Attr, pack func(*tensor.Dense) (*Weights, error)) (*Signed, error) {
	who := a.who("SignedFourier")
	for _, t := range []**tensor.Dense{&directions, &norms, &roots} {
		var err error
		if *t == nil {
			return nil, fmt.Errorf("%s: directions, norms or roots are nil: %w", who, ErrShape)
		}
		if *t, err = contiguous(*t); err != nil {
			return nil, fmt.Errorf("%s: %w", who, err)
		}
	}
	if directions.Dtype() != norms.Dtype() || norms.Dtype() != roots.Dtype() {
		return nil, fmt.Errorf("%s: directions, norms and roots are not of one element type: %w", who, ErrDtype)
	}
	shared, err := checkSigned(who, directions.Shape(), norms.Shape(), roots.Shape())
	if err != nil {
		return nil, err
	}
	if err := CheckFrequencies(domain.Reals(), who, directions); err != nil {
		return nil, err
	}
	if norms.Dtype() == tensor.Float32 {
		return packSigned[float32](who, directions, norms, roots, shared, pack)
	}
	return packSigned[float64](who, directions, norms, roots, shared, pack)
}

func packSigned[T domain.Float](who string, directions, norms, roots *tensor.Dense, shared bool, pack func(*tensor.Dense) (*Weights, error)) (*Signed, error) {
	r, rho, u, d, q := data[T](norms), data[T](roots), data[T](directions), directions.Shape()[0], directions.Shape()[1]
	remedy := "set the frequencies anew, or tune them with a lower learning rate"
	for j, v := range r {
		if v-v != 0 {
			return nil, &domain.CellError{Who: who, Matrix: "norms", Col: j, Value: float64(v), Reason: "is not finite", Remedy: remedy}
		}
	}
	m := len(r) / len(rho)
	w := &Signed{norms: norms.Clone().(*tensor.Dense), shared: shared}
	for b, v := range rho {
		if !(v > 0) || v-v != 0 {
			return nil, &domain.CellError{Who: who, Matrix: "roots", Col: b, Value: float64(v), Reason: "is not a finite number above 0", Remedy: remedy}
		}
		w.scales = append(w.scales, float64(v)/math.Sqrt(float64(m)))
	}
	if shared {
		block, err := pack(directions)
		w.of = []*Weights{block}
		return w, err
	}
	for b := range rho {
		own := make([]T, d*m)
		for i := range own {
			j := b*m + i%m
			own[i] = u[i/m*q+j] * r[j]
		}
		block, err := Pack(tensor.New(tensor.WithShape(d, m), tensor.WithBacking(own)))
		if err != nil {
			return nil, err
		}
		w.of = append(w.of, block)
	}
	return w, nil
}

// checkSigned wants shapes that fit: directions [d, q], norms [B·m], roots [B] with q = B·m, or q = m where B > 1: shared.
func checkSigned(who string, directions, norms, roots tensor.Shape) (shared bool, err error) {
	if directions.Dims() == 2 && norms.Dims() == 1 && roots.Dims() == 1 && roots[0] > 0 && norms[0] > 0 && norms[0]%roots[0] == 0 {
		q, blocks := directions[1], roots[0]
		if q == norms[0] || q*blocks == norms[0] {
			return q != norms[0], nil
		}
	}
	return false, fmt.Errorf("%s: directions are %v, norms %v and roots %v; want [d, q], [B·m] and [B] with q = B·m, or m for directions that all share: %w",
		who, directions, norms, roots, ErrShape)
}

// Dims returns d and the number of frequencies of all blocks, 0 and 0 of nil.
func (w *Signed) Dims() (d, m int) {
	if w == nil {
		return 0, 0
	}
	d, _ = w.of[0].Dims()
	return d, w.norms.Shape()[0]
}

// Dtype is the element type.
func (w *Signed) Dtype() tensor.Dtype { return w.norms.Dtype() }

type signedOp struct{ base }

var _ backwarder = signedOp{}

func (o signedOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	who := o.attr.who(o.kind)
	if _, err := checkSigned(who, ss[1], ss[2], ss[3]); err != nil {
		return nil, err
	}
	if ss[0][1] != ss[1][0] {
		return nil, fmt.Errorf("%s: x is %v and the directions are %v: x has %d columns, the directions want %d: %w", who, ss[0], ss[1], ss[0][1], ss[1][0], ErrShape)
	}
	return tensor.Shape{ss[0][0], 2 * ss[2][0]}, nil
}

func (o signedOp) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	w, err := newSigned(ts[1], ts[2], ts[3], o.attr, Borrow)
	if err != nil {
		return nil, err
	}
	return result(SignedFourierInto(nil, x, w, o.attr))
}

func (o signedOp) backward(t *tracer, in []any, out, grad any) []any {
	var wanted Inputs
	for i := range in {
		if o.wants(i) {
			wanted |= 1 << i
		}
	}
	op := signedGradients{base{kind: fmt.Sprintf("gradients of SignedFourier for %04b", wanted), ranks: "2211221"}, wanted}
	all := t.apply(op, in[0], in[1], in[2], in[3], out, grad)
	grads, at := make([]any, len(in)), 0
	for i, h := range in {
		if o.wants(i) {
			shape := shapeOf(h).Clone()
			grads[i] = t.apply(newPart(at, shape), all)
			at += shape.TotalSize()
		}
	}
	return grads
}
