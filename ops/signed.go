package ops

import (
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
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
	unpacked: true, backward: kernel{signedBackward[float32], signedBackward[float64]}}

func signedForward[T domain.Float](c *call) error {
	w, out, n := c.w.of.(*signedWeights[T]), result[T](c), c.at('n')
	ld, bad := 2*len(w.norms), -1
	for b, p := range w.of {
		row := -1
		if w.shared {
			row = simd.Blocks(out, p, inputRows[T](c), n, w.norms, w.scales)
		} else {
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
	if err := checkFinite(c.who(), "norms", resetFrequencies, r, len(r)); err != nil {
		return nil, err
	}
	w := &signedWeights[T]{norms: slices.Clone(r), shared: q != len(r)}
	err := checkEach(c.who(), "roots", "is not a finite number above 0", resetFrequencies, rho, len(rho),
		func(v float64) bool { return v > 0 && finite(v) })
	if err != nil {
		return nil, err
	}
	for _, v := range rho {
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

func signedBackward[T domain.Float](c *call) error {
	dx, du, dr, drho := gradientFor[T](c, 0), gradientFor[T](c, 1), gradientFor[T](c, 2), gradientFor[T](c, 3)
	u, norms, roots, z, g := cells[T](c, 1), cells[T](c, 2), cells[T](c, 3), outputOf[T](c), gradientOf[T](c)
	d, m, q, all := c.at('d'), c.at('m'), c.shapes[1][1], len(norms)
	if drho != nil {
		sums := make([]float64, len(roots))
		for k, v := range z {
			sums[k/(2*m)%len(sums)] += float64(v) * float64(g[k])
		}
		for b, v := range sums {
			drho[b] = T(v / float64(roots[b]))
		}
	}
	w, slopes := simd.Borrow(u, d, q), simd.BlocksSlopes(z, g, norms, m, len(roots), q)
	if dr == nil {
		return ofSlopes(c, w, simd.Gradients[T]{DX: dx, DW: du}, slopes)
	}
	ofSlopes(c, w, simd.Gradients[T]{DX: dx}, slopes)
	each := make([]T, d*all) // the products xᵀ·dP_b side by side
	ofSlopes(c, simd.Wide[T](d, all), simd.Gradients[T]{DW: each}, simd.BlocksSlopes(z, g, nil, m, len(roots), all))
	sums := make([]float64, all)
	clear(du)
	for i := range d {
		for k, v := range each[i*all : (i+1)*all] {
			j := i*q + k%q
			sums[k] += float64(u[j]) * float64(v)
			if du != nil {
				du[j] += v * norms[k]
			}
		}
	}
	recast(dr, sums)
	return nil
}
