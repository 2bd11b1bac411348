package spectral

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gorgonia.org/tensor"
)

// DrawGrids draws random grids in ℝ^d, such that two rows fall into the same cell of one with the probability k(x, z) =
// exp(-‖x-z‖₁/σ), and a hash for the cells of each. Grid g cuts column j into intervals of the width δ_gj, of the
// density δ exp(-δ/σ)/σ², from a uniform origin:
//
//	cell_gj = ⌊x_j rates_gj - offsets_gj⌋,   rates = 1/δ,   hash_g(cell) = (a_g0 + Σ_j a_gj (cell_gj mod 2¹³)) mod 2²⁴.
//
// For two cells the 12 leading bits of hash are independent and uniform. rates and offsets are [grids, d], and rounded
// to float32; the whole numbers a are [grids, d+1], a_g0 first. They come from the streams "rates", "offsets" and
// "hash" of the seed. Errors wrap ErrParam: an invalid kernel, d or grids below 1, a σ so small that a rate is beyond
// float32. Rahimi and Recht (2007), algorithm 2; Dietzfelbinger (1996), theorem 3.
func DrawGrids(k Laplacian, d, grids int, seed uint64) (rates, offsets, a *tensor.Dense, err error) {
	if err := cmp.Or(validate(k), checkCounts(d, grids), checkCounts(d+1, grids)); err != nil {
		return nil, nil, nil, err
	}
	rates = drawCells(seed, "rates", grids, d, func(rng *rand.Rand) float64 {
		return float64(float32(1 / (k.Sigma * (rng.ExpFloat64() + rng.ExpFloat64()))))
	})
	if math.IsInf(slices.Max(rates.Float64s()), 1) {
		return nil, nil, nil, invalid("DrawGrids: Sigma = %v makes cells whose width float32 does not hold; scale the "+
			"columns", k.Sigma)
	}
	offsets = drawCells(seed, "offsets", grids, d, func(rng *rand.Rand) float64 { return float64(rng.Float32()) })
	a = drawCells(seed, "hash", grids, d+1, func(rng *rand.Rand) float64 { return float64(rng.Uint32N(1 << 24)) })
	return rates, offsets, a, nil
}
