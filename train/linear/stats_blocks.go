package linear

import (
	"math"
	"math/bits"
	"slices"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ridgeBlock is a block of rows on its way into RidgeStats.
type ridgeBlock struct {
	z           []float64 // [rows, d]
	w           []float64 // the weights of the rows; nil: all are 1
	rows        int
	narrow      bool    // whether z were float32 numbers and are multiplied as such
	mass        float64 // the sum of the weights
	meanY, yy   []float64
	meanZ, yByZ []float64 // and Σ w (y - ȳ) zᵀ, [k, d]
}

// addBlock adds a block of features z [rows, d] with the targets, classes and weights i, i+1, ... of y, classes and w;
// nil classes: the targets are no classes; a nil w is all 1. It returns false, and adds nothing, if a feature is not finite.
func (s *RidgeStats) addBlock(z []float64, narrow bool, d int, y *mat.Dense, classes []int, w []float64, i, rows int) bool {
	k := y.RawMatrix().Cols
	targets := y.Slice(i, i+rows, 0, k).(*mat.Dense).RawMatrix()
	b := &ridgeBlock{z: z, rows: rows, narrow: narrow, mass: float64(rows), yy: make([]float64, k)}
	if w != nil {
		b.w = w[i : i+rows]
		b.mass = floats.Sum(b.w)
	}
	s.zy = slices.Grow(s.zy[:0], d*(k+1))[:d*(k+1)]
	if (classes == nil || !s.sumClasses(b, classes[i:i+rows], d, k)) && !s.sumTargets(b, targets, d, k) {
		return false
	}
	if s.n == 0 {
		s.reset(d, k)
	}
	s.join(b)
	return true
}

// sumTargets sets what a block knows of its targets, the means of its features and their products with the targets, by
// one pass over the features. Not ok means that a feature is not finite.
func (s *RidgeStats) sumTargets(b *ridgeBlock, targets blas64.General, d, k int) (ok bool) {
	b.meanY = columnMeans(targets.Data, b.w, b.mass, b.rows, k, targets.Stride)
	off := make([]float64, k) // of the mean, whose sum has lost digits where it is large
	for r := range b.rows {
		w := weightAt(b.w, r)
		for t, v := range targets.Data[r*targets.Stride:][:k] {
			off[t] += w / b.mass * (v - b.meanY[t])
		}
	}
	clear(b.yy)
	s.yc = slices.Grow(s.yc[:0], b.rows*(k+1))[:0]
	for r := range b.rows {
		w := weightAt(b.w, r)
		for t, v := range targets.Data[r*targets.Stride:][:k] {
			v -= b.meanY[t]
			v -= off[t]
			b.yy[t] += w * v * v
			s.yc = append(s.yc, w*v)
		}
		s.yc = append(s.yc, w/b.mass) // divided first: finite numbers have a finite mean
	}
	floats.Add(b.meanY, off)
	fast.Implementation{}.Dgemm(blas.Trans, blas.NoTrans, k+1, d, b.rows, 1, s.yc, k+1, b.z, d, 0, s.zy, d)
	b.yByZ, b.meanZ = s.zy[:k*d], s.zy[k*d:]
	for _, m := range b.meanZ {
		if m-m != 0 {
			return false
		}
	}
	return true
}

// join adds a block.
//
// With nₐ the weight of the rows before, n_b the weight of the block and δ the difference of their means, the moments
// grow by nₐ n_b/(nₐ+n_b) δ δᵀ and by the moments of the block about its own mean z̄. That sum equals the moments of
// the block about the point z̄ - √(nₐ/(nₐ+n_b)) δ.
func (s *RidgeStats) join(b *ridgeBlock) {
	d, k := s.features, s.targets
	all := s.mass + b.mass
	share := s.mass / all
	deltaY := make([]float64, k)
	for t := range deltaY {
		deltaY[t] = b.meanY[t] - s.meanY[t]
		s.meanY[t] += deltaY[t] * (b.mass / all)
		s.yy[t] += b.yy[t] + share*b.mass*deltaY[t]*deltaY[t]
	}
	less := make([]float64, d) // the point, to be added
	for j, mean := range b.meanZ {
		delta := mean - s.meanZ[j]
		less[j] = math.Sqrt(share)*delta - mean
		s.meanZ[j] += delta * (b.mass / all)
		for t := range k {
			s.r[j*k+t] += b.yByZ[t*d+j] + share*b.mass*delta*deltaY[t]
		}
	}
	switch {
	case b.narrow && s.joinFloat32(b, less):
	case b.w == nil:
		fast.DsyrkMoved(d, b.rows, b.z, d, less, s.g, d)
	default:
		s.wide = slices.Grow(s.wide[:0], b.rows*d)[:b.rows*d]
		given.InParallel(b.rows, func(r int) {
			root, row := math.Sqrt(b.w[r]), s.wide[r*d:][:d]
			floats.AddTo(row, b.z[r*d:][:d], less)
			floats.Scale(root, row)
		})
		fast.Implementation{}.Dsyrk(blas.Lower, blas.Trans, d, b.rows, 1, s.wide, d, 1, s.g, d)
	}
	s.n += b.rows
	s.mass += b.mass
}

// widen writes float32 numbers to dst.
func widen(dst []float64, src []float32) []float64 {
	given.InParallel((len(dst)+ridgePiece-1)/ridgePiece, func(task int) {
		lo := task * ridgePiece
		for i, v := range src[lo:min(lo+ridgePiece, len(dst))] {
			dst[lo+i] = float64(v)
		}
	})
	return dst
}

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

// The products of float32 features (RidgeStats.Float32Products), with u = 2⁻²⁴.
//
// A row less the point that it is centred by is taken in float64 and rounded to float32: x = (z - p)(1 + ε), |ε| <= u,
// whatever the mean. It is as if the feature, less its mean, had been rounded once more, and changes Gᵢⱼ by at most 2 u
// √(Gᵢᵢ Gⱼⱼ). At most m = FloatRows products are then summed in float32, one rounding a step, and every partial sum is
// within √(Cᵢᵢ Cⱼⱼ) of its m rows C, so that their rounding is at most m u √(Cᵢᵢ Cⱼⱼ). By the inequality of Cauchy and
// Schwarz over all such C, whose sum is G, to 2⁻⁴⁴,
//
//	|ΔGᵢⱼ| <= (m + 3) u √(Gᵢᵢ Gⱼⱼ),   ‖ΔG‖₂ <= (m + 3) u tr G.
//
// That is what all roundings at their worst and of one sign would do. Independent ones of the mean 0 (Higham and Mary
// 2019) have variances of at most u² per step, and their partial sums grow step by step: Var ΔCᵢⱼ <= u² (m/3) Cᵢᵢ Cⱼⱼ,
// or with rows of like size |ΔGᵢⱼ| ~ m u √(Gᵢᵢ Gⱼⱼ / 3n), which is below u from 5500 rows on. A symmetric matrix of
// such entries has the norm, about,
//
//	‖ΔG‖₂ <= 2 max √(Σⱼ Var ΔGᵢⱼ) <= 2 u √(m/3 · (max Gᵢᵢ / tr G) · Σ (tr C)²).

const (
	// floatMargin is the least ratio of a trusted penalty to the rounding error of G.
	floatMargin = 8
	// The range of the largest centred feature of a block for float32 products: 128 squares do
	// not overflow, and squares below the normal numbers are below 2⁻⁴⁶ of the largest.
	leastFloat, mostFloat = 0x1p-40, 0x1p60
)

// joinFloat32 adds Σ w x xᵀ for the rows x = z + less of a block by float32 products. It returns false if they are out
// of range.
func (s *RidgeStats) joinFloat32(b *ridgeBlock, less []float64) bool {
	d := s.features
	s.narrow = slices.Grow(s.narrow[:0], b.rows*d)[:b.rows*d]
	largest := make([]uint32, b.rows)
	given.InParallel(b.rows, func(r int) {
		row, bits := s.narrow[r*d:][:d], uint32(0)
		if from, root := b.z[r*d:][:d], math.Sqrt(weightAt(b.w, r)); root == 1 {
			for j, v := range from {
				x := float32(v + less[j])
				row[j], bits = x, max(bits, math.Float32bits(x)&^(1<<31))
			}
		} else {
			for j, v := range from {
				x := float32(root * (v + less[j]))
				row[j], bits = x, max(bits, math.Float32bits(x)&^(1<<31))
			}
		}
		largest[r] = bits
	})
	if most := math.Float32frombits(slices.Max(largest)); !(most >= leastFloat && most <= mostFloat) {
		return false
	}
	before := s.trace()
	fast.DsyrkFloat32(d, b.rows, s.narrow, d, s.g, d)
	sums := (b.rows + fast.FloatRows - 1) / fast.FloatRows
	grown := (s.trace() - before) / float64(sums)
	s.rounded += float64(sums) * grown * grown
	return true
}

// trace is tr G.
func (s *RidgeStats) trace() float64 {
	sum := 0.
	for j := range s.features {
		sum += s.g[j*s.features+j]
	}
	return sum
}

// floatError is the bound of ‖ΔG‖₂ for independent roundings, and 0 if all products were float64.
func (s *RidgeStats) floatError() float64 {
	if s.rounded == 0 {
		return 0
	}
	largest := 0.
	for j := range s.features {
		largest = max(largest, s.g[j*s.features+j])
	}
	return floatNorm(largest, s.trace(), s.rounded)
}

// floatNorm is the bound of ‖ΔG‖₂ for the largest Gᵢᵢ, tr G and Σ (tr C)².
func floatNorm(largest, trace, squares float64) float64 {
	return 0x1p-23 * math.Sqrt(fast.FloatRows/3.*largest/trace*squares)
}

// LeastLambda returns the least relative lambda that the float32 products of the sums so far allow: 8 n e / tr G, with
// e the bound of ‖ΔG‖₂ in Float32Products. It is 0 if all products were float64. At this lambda rounding changes W by
// less than an eighth, at a hundred times this lambda by less than a thousandth. For a lower lambda add the rows again
// without Float32Products, as FitRidge does.
func (s *RidgeStats) LeastLambda() float64 {
	if s.rounded == 0 {
		return 0
	}
	return floatMargin * s.floatError() / s.trace() * s.mass
}
