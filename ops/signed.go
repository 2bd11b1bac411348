package ops

import (
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// SignedFourier is the map of a kernel that is a signed combination of several expectations of cosines, such as an
// indefinite kernel, of x, U, r and ρ. It has a block of pairs for each expectation,
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
// Pack takes U, r and ρ. Errors while building: shapes. Errors while running (ErrDomain): a row of x outside
// Attr.Domain, a row whose projections overflow, a direction or norm that is not finite, a root that is not finite and
// positive.
func SignedFourier(a Attr) Op { return Op{decl: &signed, attr: a} }

var signed = decl{kind: "SignedFourier", sig: parse("nd,d(Bm)|dm,(Bm),B->n(2Bm)"), in: []Inputs{X, U, R, Rho},
	names: []string{"x", "the directions", "the norms", "the roots"}, circular: true, sparse: native, pack: packSigned,
	forward: kernel{signedForward[float32], signedForward[float64]}, reads: []int{0, 1, 2, 3, theOutput},
	unpacked: true, backward: kernel{fillSigned[float32], fillSigned[float64]}}

func signedForward[T domain.Float](c *call) error {
	w, out, n := c.w.of.(*signedWeights[T]), result[T](c), c.at('n')
	ld, bad := 2*len(w.norms), -1
	for b, p := range w.of {
		row := -1
		switch {
		case w.shared:
			row = simd.Blocks(out, p, inputRows[T](c), n, w.norms, w.scales)
		case n > 0:
			row = simd.Pair(out[b*ld/len(w.of):], ld, p, inputRows[T](c), nil, n, w.scales[b])
		}
		if row >= 0 && (bad < 0 || row < bad) {
			bad = row
		}
	}
	return c.notFinite(bad)
}

// signedWeights are the packed frequencies of SignedFourier.
type signedWeights[T domain.Float] struct {
	of     []*simd.Weights[T] // the directions that all blocks share, or the frequencies of each block
	norms  []T
	scales []float64 // ρ/√m
	shared bool
}

var packSigned = &packer{from: 1, n: 3, pack: func(c *call, keep bool) (any, error) {
	if err := checkW(domain.Reals(), c.who(), c.in[1]); err != nil {
		return nil, err
	}
	return typed(c.in[1].Dtype(), newSigned[float32], newSigned[float64])(c, keep)
}}

func newSigned[T domain.Float](c *call, keep bool) (any, error) {
	u, r, rho, d, q, m := cells[T](c, 1), cells[T](c, 2), cells[T](c, 3), c.at('d'), c.shapes[1][1], c.at('m')
	if err := checkFinite(c.who(), "norms", setAnew, r, len(r)); err != nil {
		return nil, err
	}
	w := &signedWeights[T]{norms: slices.Clone(r), shared: q != len(r)}
	for b, v := range rho {
		if !(v > 0) || v-v != 0 {
			return nil, &domain.CellError{Who: c.who(), Matrix: "roots", Col: b, Value: float64(v),
				Reason: "is not a finite number above 0", Remedy: setAnew}
		}
		w.scales = append(w.scales, float64(v)/math.Sqrt(float64(m)))
	}
	if w.shared {
		w.of = append(w.of, packMatrix[T](c.in[1], keep).(*simd.Weights[T]))
		return w, nil
	}
	for b := range rho {
		own := make([]T, d*m)
		for i := range own {
			j := b*m + i%m
			own[i] = u[i/m*q+j] * r[j]
		}
		w.of = append(w.of, simd.Pack(own, d, m))
	}
	return w, nil
}

func fillSigned[T domain.Float](c *call) error {
	dx, du, dr, drho := gradientFor[T](c, 0), gradientFor[T](c, 1), gradientFor[T](c, 2), gradientFor[T](c, 3)
	s := signedBackward[T]{n: c.at('n'), d: c.at('d'), q: c.shapes[1][1], m: c.at('m'), blocks: c.at('B'), rows: c.x,
		u: cells[T](c, 1), norms: cells[T](c, 2), z: outputOf[T](c), g: gradientOf[T](c)}
	if drho != nil {
		s.ofRoots(drho, cells[T](c, 3))
	}
	if dr == nil {
		s.products(simd.Gradients[T]{DX: dx, DW: du}, s.norms, s.q)
		return nil
	}
	if dx != nil {
		s.products(simd.Gradients[T]{DX: dx}, s.norms, s.q)
	}
	each := make([]T, s.d*s.m*s.blocks)
	s.products(simd.Gradients[T]{DW: each}, nil, s.m*s.blocks)
	s.ofNorms(du, dr, each)
	return nil
}

// signedBackward holds the operands of the gradients.
type signedBackward[T domain.Float] struct {
	n, d, q, m, blocks int
	rows               Matrix
	u, norms, z, g     []T
}

// products computes dx and dU by the products with dP [n, cols], of simd.BlocksSlopes with these norms.
func (s signedBackward[T]) products(to simd.Gradients[T], norms []T, cols int) {
	if to.DX == nil && to.DW == nil {
		return
	}
	slopes := simd.BlocksSlopes(s.z, s.g, norms, s.m, s.blocks, cols)
	if x, ok := s.rows.(*CSR); ok {
		dp := make([]T, s.n*cols)
		slopes.Write(dp, s.n, cols)
		sparse := sparseOf[T](x)
		simd.GradWCSR(to.DW, sparse.CSR, sparse.columnBase(), dp, cols)
		return
	}
	w := simd.Wide[T](s.d, cols)
	if norms != nil {
		w = simd.Borrow(s.u, s.d, cols)
	}
	w.Backward(to, data[T](s.rows.(*tensor.Dense)), s.n, slopes)
}

// ofNorms writes dU, unless it is nil, and dr from the products xᵀ·dP_b, which lie side by side in each.
func (s signedBackward[T]) ofNorms(du, dr, each []T) {
	cols := s.m * s.blocks
	sums := make([]float64, cols)
	clear(du)
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
