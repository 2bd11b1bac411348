package ops

import (
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// ColumnFourier is scale times the Fourier features of each column of x by itself, of x and W,
//
//	z(x) = scale·[cos P₁ | sin P₁ | cos P₂ | sin P₂ | ...],   P_jl = x_j W_jl,
//
// the k cosines and then the k sines of a column, column after column. x is [n, d], W [d, k], z [n, 2dk]. The scale is
// 1/√k with mean set, and else 1. With mean and random frequencies its inner products are unbiased for the additive
// kernel Σ_j E cos(w_j (x_j - x'_j)). With learned frequencies, and BlockAffine after it, it is the periodic
// activation of Gorishniy et al. (2022), On embeddings for numerical features in tabular deep learning, section 3.3.
//
// Backward, from the output alone: dP = g_sin·z_cos - g_cos·z_sin, dx_j = Σ_l dP_jl W_jl and dW_jl = Σ_rows x_j dP_jl.
// Pack takes W. Errors while building: shapes. Errors while running: a cell of x outside Attr.Domain, a W or a row whose
// projections are not finite (ErrDomain).
func ColumnFourier(mean bool, a Attr) Op { return Op{decl: &columnFourier, attr: a, params: mean} }

var columnFourier = decl{kind: "ColumnFourier", sig: parse("nd,dk->n(2dk)"), names: []string{"x", "W"},
	in: []Inputs{X, W}, circular: true, sparse: spread, pack: packColumns,
	forward: kernel{columnFourierForward[float32], columnFourierForward[float64]},
	reads:   []int{0, 1, theOutput}, backward: kernel{columnFourierBackward[float32], columnFourierBackward[float64]}}

func columnFourierForward[T domain.Float](c *call) error {
	k, scale := c.at('k'), 1.
	if paramsOf[bool](c) {
		scale = pairScale(k)
	}
	return c.notFinite(simd.ColumnPairs(result[T](c), cells[T](c, 0), c.w.of.([]T), c.at('n'), c.at('d'), k, scale))
}

func columnFourierBackward[T domain.Float](c *call) error {
	simd.ColumnPairsBackward(gradientsXWB[T](c), outputOf[T](c), gradientOf[T](c), cells[T](c, 0), c.w.of.([]T),
		c.at('n'), c.at('d'), c.at('k'))
	return nil
}

// BlockAffine is an affine map of each of d blocks of q columns of z by itself, of z, A and b,
//
//	[z₁A₁ + b₁ | z₂A₂ + b₂ | ...],
//
// which is zA + b for a block-diagonal A. z is [n, d·q], A [d·q, e] the blocks one below the other, and b [d, e]; the
// result is [n, d·e].
//
// Backward: dz_j = g_j·A_jᵀ, dA_j = z_jᵀ·g_j, db = the column sums of g. Attr.Domain is not used, and A and b, which a
// solver changes at each step, are not checked. Errors while building: shapes.
func BlockAffine(a Attr) Op { return Op{decl: &blockAffine, attr: a} }

var blockAffine = decl{kind: "BlockAffine", sig: parse("n(dq),(dq)e,de->n(de)"), names: []string{"z", "A", "b"},
	in: []Inputs{X, W, B}, unchecked: true,
	forward: kernel{blockAffineForward[float32], blockAffineForward[float64]},
	reads:   []int{0, 1}, backward: kernel{blockAffineBackward[float32], blockAffineBackward[float64]}}

func blockAffineForward[T domain.Float](c *call) error {
	simd.BlockAffine(result[T](c), cells[T](c, 0), cells[T](c, 1), cells[T](c, 2), c.at('n'), c.at('d'), c.at('q'),
		c.at('e'))
	return nil
}

func blockAffineBackward[T domain.Float](c *call) error {
	to, g := gradientsXWB[T](c), gradientOf[T](c)
	simd.BlockAffineBackward(to.DX, to.DW, cells[T](c, 0), cells[T](c, 1), g, c.at('n'), c.at('d'), c.at('q'),
		c.at('e'))
	if to.DB != nil {
		simd.ColSum(to.DB, g, c.at('n'))
	}
	return nil
}
