package linear

import (
	"context"
	"errors"
	"math"
	"slices"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
)

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

// gramFloat32 is gram by float32 products of the centred rows. It also returns the least lambda that may be used with
// them; k is nil if the rows are out of range or ctx has ended. The bounds above for G hold for K with columns in place
// of rows, and centring K afterwards does not enlarge the error.
func (r *dualRows) gramFloat32(ctx context.Context) (k []float64, least float64) {
	n, d := r.n, r.d
	most := make([]float64, n)
	given.InParallel(n, func(i int) {
		for _, v := range r.z[i*d : (i+1)*d] {
			most[i] = max(most[i], math.Abs(v))
		}
	})
	if m := slices.Max(most); !(m >= leastFloat && m <= mostFloat) {
		return nil, 0
	}
	k = make([]float64, n*n)
	trace := func() (sum, largest float64) {
		for i := range n {
			sum += k[i*n+i]
			largest = max(largest, k[i*n+i])
		}
		return sum, largest
	}
	across, squares, before := make([]float32, min(ridgeDepth, d)*n), 0., 0.
	for lo := 0; lo < d; lo += ridgeDepth {
		if ctx.Err() != nil {
			return nil, 0
		}
		cols := min(ridgeDepth, d-lo)
		given.InParallel((n+63)/64, func(task int) { // rows side by side, for lines of the cache are
			for i := task * 64; i < min(n, (task+1)*64); i++ {
				for j, v := range r.z[i*d+lo:][:cols] {
					across[j*n+i] = float32(v)
				}
			}
		})
		fast.DsyrkFloat32(n, cols, across, n, k, n)
		sums := float64((cols + fast.FloatRows - 1) / fast.FloatRows)
		now, _ := trace()
		squares += (now - before) * (now - before) / sums
		before = now
	}
	sum, largest := trace()
	return k, floatMargin * floatNorm(largest, sum, squares) / sum * float64(n)
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

// fitRidgePrimal solves the D x D system by float32 products, and again by float64 products if lambda turns out too
// small for these.
func fitRidgePrimal(src *source, o RidgeOptions) (*RidgeFit, error) {
	if o.float32Pays(src.problem()) {
		fit, least, err := fitRidgeSums(src, o, true)
		if least == 0 || err == nil && fit.Lambda >= least || err != nil && !errors.Is(err, domain.ErrParam) {
			return fit, err
		}
	}
	fit, _, err := fitRidgeSums(src, o, false)
	return fit, err
}

// float32Pays says whether float32 products, by columns or by rows, are likely to save time. They are not for a lambda
// that is too small for them, nor for a choice from the built-in grid: its lambdas go far below, and choosing twice
// would take longer than they save.
func (o RidgeOptions) float32Pays(p fits.Problem) bool {
	n, d := float64(p.Rows), float64(p.Features)
	switch {
	case p.Signed:
		return false
	case p.Streamed: // nobody knows how many rows there are
		return true
	case o.Lambdas != nil: // the least of rows of like size, the features too
		return slices.Min(o.Lambdas) >= floatMargin*0x1p-23*math.Sqrt(n/3/d)*fast.FloatRows
	case o.Select == SelectNone || o.Select == SelectAuto && !o.choosesAmong(p.Rows, p.Features, false):
		return true
	}
	return max(n, d) > choiceWork*min(n, d)
}

// problem is what float32Pays looks at.
func (s *source) problem() fits.Problem {
	return fits.Problem{Rows: s.n, Features: s.features, Signed: s.signature != nil, Streamed: s.memory == nil}
}

// choiceWork is the number of products of the system's size that take as long as the choice of lambda, measured at D =
// 4096 on one core.
const choiceWork = 24

// fitRidgeSums is fitRidgePrimal with one kind of products of float32 features. It returns the least lambda that may be
// used with them, and domain.ErrParam for a given lambda below it.
func fitRidgeSums(src *source, o RidgeOptions, narrow bool) (fit *RidgeFit, least float64, err error) {
	s := RidgeStats{Signature: src.signature, ClassWeights: o.ClassWeights, Float32Products: narrow}
	sample := newRowSample(o.Seed)
	add := s.addNamed
	if o.Select == SelectAuto && o.chooses(2, src.signature) {
		add = both(add, sample.add)
	}
	if err := src.each(add); err != nil {
		return nil, 0, err
	}
	least = s.LeastLambda()
	if o.Lambdas != nil && slices.Min(o.Lambdas) < least {
		return nil, least, domain.ErrParam
	}
	switch {
	case o.Select == SelectLOO:
		fit, err = s.leaveOneOut(src.ctx, src, o.grid(s.n, 3))
	case o.chooses(s.n, src.signature):
		fit, err = s.leaveOneOut(src.ctx, sample, o.grid(s.n, 1))
	default:
		fit, err = s.solve(src.ctx, o.lambda(s.n), true)
	}
	return fit, least, err
}
