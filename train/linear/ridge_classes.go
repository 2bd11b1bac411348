package linear

import (
	"math"
	"math/bits"

	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// classesOf are the classes of the rows of targets that are 1 in the column of the class and -1 in all others, as
// data.OneVersusRest makes them; nil: a row of y is of no class, or y has one column.
func classesOf(to []int, y *mat.Dense) []int {
	raw := y.RawMatrix()
	if raw.Cols < 2 {
		return nil
	}
	to = to[:0]
	for r := range raw.Rows {
		row, class, ones := raw.Data[r*raw.Stride:][:raw.Cols], 0, 0
		minus, other := math.Float64bits(-1), uint64(0)
		for first := 0; first < len(row); first += 64 { // no branch depends on a cell
			mask := uint64(0)
			for t, v := range row[first:min(first+64, len(row))] {
				sign := math.Float64bits(v) ^ minus // 0 of -1, and the sign alone of 1
				other |= sign &^ (1 << 63)
				mask |= sign >> 63 << (t & 63)
			}
			if mask != 0 {
				class, ones = first+bits.TrailingZeros64(mask), ones+bits.OnesCount64(mask)
			}
		}
		if other != 0 || ones != 1 {
			return nil
		}
		to = append(to, class)
	}
	return to
}

// sumClasses sets what a block knows of its targets and the means of its features from the sums of its classes: with
// S_c = Σ w z over the rows of class c, m_c their weight and m the weight of all rows,
//
//	ȳ_c = 2 m_c/m - 1,   Σ w (y_c - ȳ_c)² = 4 m_c (1 - m_c/m),   Σ w (y_c - ȳ_c) z = 2 (S_c - m_c/m Σ S).
//
// It takes D additions a row where a product with the targets takes D k. Not ok means that a sum is not finite.
func (s *RidgeStats) sumClasses(b *ridgeBlock, classes []int, d, k int) (ok bool) {
	mass := make([]float64, k)
	for r, c := range classes {
		mass[c] += weightAt(b.w, r)
	}
	b.meanY = make([]float64, k)
	for t, m := range mass {
		part := m / b.mass
		b.meanY[t], b.yy[t] = 2*part-1, 4*m*(1-part)
	}
	sums := s.zy
	clear(sums)
	given.InParallel((d+ridgeDepth-1)/ridgeDepth, func(task int) {
		lo, hi := task*ridgeDepth, min((task+1)*ridgeDepth, d)
		for r, c := range classes {
			to, z := sums[c*d+lo:c*d+hi], b.z[r*d+lo:r*d+hi]
			if b.w == nil {
				floats.Add(to, z)
			} else {
				floats.AddScaled(to, b.w[r], z)
			}
		}
	})
	all := sums[k*d:][:d]
	for t := range k {
		floats.Add(all, sums[t*d:][:d])
	}
	b.yByZ, b.meanZ = sums[:k*d], all
	for t, m := range mass {
		row := b.yByZ[t*d:][:d]
		floats.AddScaled(row, -m/b.mass, all)
		floats.Scale(2, row)
	}
	floats.Scale(1/b.mass, all)
	row, _, _ := given.NotFinite(sums, k+1, d, d)
	return row < 0
}
