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

// SignedFourier is the map of a kernel that is a signed combination of several expectations of cosines, such as an
// indefinite kernel. It has a block of pairs for each expectation,
//
//	z(x) = [ρ_b cos(P_b) | ρ_b sin(P_b)] / √m,   P_b = (x·U_b) ∘ r_b,   b = 0, 1, ..., B-1.
//
// The inner products of block b estimate its kernel times ρ_b². x is [n, d]; the norms r are [B·m], block 0 first; the
// roots ρ of the masses are [B]; z is [n, 2B·m]. The directions U are [d, B·m], block after block, or [d, m] for
// directions that all blocks share, which takes one product xU. Luo et al. (2021), equations (7) and (8), with B = 2;
// the caller applies the sign of the second block in inner products.
//
// Backward: dP_b = g_sin·z_cos - g_cos·z_sin from the output alone, dx = Σ (dP_b∘r_b)·U_bᵀ; with G_b = xᵀ·dP_b, dU_b =
// G_b∘r_b and dr_b is the column sums of U_b∘G_b; dρ_b = <g, z>/ρ_b over the block. Attr.Frozen has X, U, R and Rho for
// x, U, r and ρ.
//
// Errors while building: shapes. Errors while running (ErrDomain): a row of x outside Attr.Domain, a row whose
// projections overflow, a direction or norm that is not finite, a root that is not finite and positive.
func SignedFourier(x, directions, norms, roots *G.Node, a Attr) (*G.Node, error) {
	o := &op{kind: "SignedFourier", in: []Inputs{X, U, R, Rho}, ranks: "22112", attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		x, u := in[0], in[1]
		if _, err := checkSigned(o.who(), u, in[2], in[3]); err != nil {
			return nil, err
		}
		if x[1] != u[0] {
			return nil,
				fmt.Errorf("%s: x is %v and the directions are %v: x has %d columns, the directions want %d: %w",
					o.who(), x, u, x[1], u[0], ErrShape)
		}
		return tensor.Shape{x[0], 2 * in[2][0]}, nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		w, err := newSigned(in[1], in[2], in[3], a, Borrow)
		if err != nil {
			return nil, err
		}
		return SignedFourierInto(nil, x, w, a)
	}
	o.backward = func(t *tracer) { t.gradientsOf(o.in, signedGradients, append(slices.Clone(t.in), t.out, t.grad)...) }
	return apply(o, x, directions, norms, roots)
}

// SignedFourierInto writes SignedFourier, of dense or sparse rows, to dst [n, 2B·m], allocated if nil, without a graph.
func SignedFourierInto(dst *tensor.Dense, x Matrix, w *Signed, a Attr) (*tensor.Dense, error) {
	const op = "SignedFourier"
	_, m := w.Dims()
	dst, x, err := circular(op, a, dst, x, w, 2*m)
	if err != nil {
		return nil, err
	}
	bad := typed(w.Dtype(), signed[float32], signed[float64])(dst, x, w)
	return dst, notFinite(op, a, x, bad)
}

func signed[T domain.Float](dst *tensor.Dense, x Matrix, w *Signed) (badRow int) {
	out, n, ld := data[T](dst), x.Shape()[0], 2*w.norms.Shape()[0]
	bad := -1
	for b, block := range w.of {
		p := packed[T](block)
		var dense, bias []T
		var sparse *simd.CSR[T]
		if s, ok := x.(*CSR); ok {
			sparse, bias = &sparseOf[T](s).CSR, background[T](s, block, nil)
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

// Signed holds the frequencies of SignedFourier, packed for SignedFourierInto. It is immutable and safe for concurrent
// use.
type Signed struct {
	of     []*Weights // the directions that all blocks share, or the frequencies of each block
	norms  *tensor.Dense
	scales []float64 // ρ/√m
	shared bool
}

// PackSigned copies directions, norms and roots into the form that the products read. Errors: shapes (ErrShape),
// different element types (ErrDtype), an invalid direction, norm or root (ErrDomain).
func PackSigned(directions, norms, roots *tensor.Dense, a Attr) (*Signed, error) {
	return newSigned(directions, norms, roots, a, Pack)
}

func newSigned(directions, norms, roots *tensor.Dense, a Attr,
	pack func(*tensor.Dense) (*Weights, error)) (*Signed, error) {
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
	return typed(norms.Dtype(), packSigned[float32], packSigned[float64])(who, directions, norms, roots, shared, pack)
}

func packSigned[T domain.Float](who string, directions, norms, roots *tensor.Dense, shared bool,
	pack func(*tensor.Dense) (*Weights, error)) (*Signed, error) {
	r, rho, u, d, q := data[T](norms), data[T](roots), data[T](directions), directions.Shape()[0], directions.Shape()[1]
	if err := checkFinite(who, "norms", setAnew, r, len(r)); err != nil {
		return nil, err
	}
	m := len(r) / len(rho)
	w := &Signed{norms: norms.Clone().(*tensor.Dense), shared: shared}
	for b, v := range rho {
		if !(v > 0) || v-v != 0 {
			return nil, &domain.CellError{Who: who, Matrix: "roots", Col: b, Value: float64(v),
				Reason: "is not a finite number above 0", Remedy: setAnew}
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

// checkSigned checks the shapes of directions [d, q], norms [B·m] and roots [B], with q = B·m, or q = m and B > 1 for
// shared directions.
func checkSigned(who string, directions, norms, roots tensor.Shape) (shared bool, err error) {
	if directions.Dims() == 2 && norms.Dims() == 1 && roots.Dims() == 1 && roots[0] > 0 && norms[0] > 0 &&
		norms[0]%roots[0] == 0 {
		q, blocks := directions[1], roots[0]
		if q == norms[0] || q*blocks == norms[0] {
			return q != norms[0], nil
		}
	}
	return false, fmt.Errorf("%s: directions are %v, norms %v and roots %v; want [d, q], [B·m] and [B] with q = "+
		"B·m, or m for directions that all share: %w",
		who, directions, norms, roots, ErrShape)
}

// Dims returns d and the number of frequencies of all blocks, and 0 and 0 for nil.
func (w *Signed) Dims() (d, m int) {
	if w == nil {
		return 0, 0
	}
	d, _ = w.of[0].Dims()
	return d, w.norms.Shape()[0]
}

// Dtype returns the element type.
func (w *Signed) Dtype() tensor.Dtype { return w.norms.Dtype() }

// signedGradients is the backward of SignedFourier in one op: the vector of the wanted ones of [dx | dU | dr | dρ]. Its
// inputs are the inputs of SignedFourier, its output z and the gradient g of z.
func signedGradients(wanted Inputs) *op {
	names := []Inputs{X, U, R, Rho}
	o := &op{kind: "gradients of SignedFourier", params: wanted, ranks: "2211221", sparse: wanted&X == 0}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if _, err := checkSigned(o.who(), in[1], in[2], in[3]); err != nil {
			return nil, err
		}
		if want := (tensor.Shape{in[0][0], 2 * in[2][0]}); in[0][1] != in[1][0] || !in[4].Eq(want) || !in[5].Eq(want) {
			return nil, misfit(o.kind, in)
		}
		_, all := sizesOf(wanted, names, in)
		return tensor.Shape{all}, nil
	}
	o.fill = func(out *tensor.Dense, x Matrix, in []*tensor.Dense) error {
		sizes, _ := sizesOf(wanted, names, shapesOf(x, in))
		typed(out.Dtype(), fillSigned[float32], fillSigned[float64])(out, sizes, x, in)
		return nil
	}
	return o
}

func fillSigned[T domain.Float](out *tensor.Dense, sizes []int, rows Matrix, in []*tensor.Dense) {
	parts := split(data[T](out), sizes)
	dx, du, dr, drho := parts[0], parts[1], parts[2], parts[3]
	s := signedBackward[T]{n: rows.Shape()[0], d: in[1].Shape()[0], q: in[1].Shape()[1], blocks: in[3].Shape()[0],
		rows: rows,
		u:    data[T](in[1]), norms: data[T](in[2]), z: data[T](in[4]), g: data[T](in[5])}
	s.m = len(s.norms) / s.blocks
	if drho != nil {
		s.ofRoots(drho, data[T](in[3]))
	}
	if dr == nil {
		s.products(simd.Gradients[T]{DX: dx, DW: du}, s.norms, s.q)
		return
	}
	if dx != nil {
		s.products(simd.Gradients[T]{DX: dx}, s.norms, s.q)
	}
	each := make([]T, s.d*s.m*s.blocks)
	s.products(simd.Gradients[T]{DW: each}, nil, s.m*s.blocks)
	s.ofNorms(du, dr, each)
}

// signedBackward holds the operands of the gradients.
type signedBackward[T domain.Float] struct {
	n, d, q, m, blocks int
	rows               Matrix
	u, norms, z, g     []T
}

// products computes dx and dU by the products with dP [n, cols], which simd.BlocksGrad computes with these norms.
func (s signedBackward[T]) products(to simd.Gradients[T], norms []T, cols int) {
	if to.DX == nil && to.DW == nil {
		return
	}
	if x, ok := s.rows.(*CSR); ok {
		dp := make([]T, s.n*cols)
		simd.BlocksGrad(dp, s.z, s.g, norms, s.n, s.m, s.blocks, cols)
		sparse := sparseOf[T](x)
		simd.GradWCSR(to.DW, sparse.CSR, sparse.columnBase(), dp, cols)
		return
	}
	w := simd.Wide[T](s.d, cols)
	if norms != nil {
		w = simd.Borrow(s.u, s.d, cols)
	}
	w.BlocksBackward(to, data[T](s.rows.(*tensor.Dense)), s.z, s.g, norms, s.n, s.m, s.blocks)
}

// ofNorms writes dU, unless it is nil, and dr from the products xᵀ·dP_b, which lie side by side in each.
func (s signedBackward[T]) ofNorms(du, dr, each []T) {
	cols := s.m * s.blocks
	sums := make([]float64, cols)
	for i := range s.d {
		for k, v := range each[i*cols : (i+1)*cols] {
			j := i*s.q + k%s.q
			sums[k] += float64(s.u[j]) * float64(v)
			if du != nil {
				du[j] += v * s.norms[k]
			}
		}
	}
	for k, v := range sums {
		dr[k] = T(v)
	}
}

// ofRoots writes dρ_b = <g, z>/ρ_b.
func (s signedBackward[T]) ofRoots(drho, roots []T) {
	sums := make([]float64, s.blocks)
	for k, v := range s.z {
		sums[k/(2*s.m)%s.blocks] += float64(v) * float64(s.g[k])
	}
	for b, v := range sums {
		drho[b] = T(v / float64(roots[b]))
	}
}
