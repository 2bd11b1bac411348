package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// decisive is the least 1 - hᵢᵢ. Below it a row determines its own fit to 12 digits and cannot be left out.
const decisive = 1e-12

// ridgeSplit holds out a fraction of the rows, at least one, drawn by the seed. Both parts are sorted.
func ridgeSplit(n int, fraction float64, seed uint64) (train, held []int) {
	perm := rand.New(spectral.Stream(seed, "held-out")).Perm(n)
	c := min(max(int(math.Round(fraction*float64(n))), 1), n-1)
	train, held = perm[c:], perm[:c]
	slices.Sort(train)
	slices.Sort(held)
	return train, held
}

// leaveOneOut scores every lambda on the rows of src by yᵢ - rᵢ/(1 - hᵢᵢ), with the residual r and hᵢᵢ = wᵢ (1/n + zᵢᵀ
// (G + λI)⁻¹ zᵢ) for centred zᵢ, weights w and their sum n, and fits the best. One tridiagonal reduction of G and one
// rotation of the rows serve all lambdas; with a Cholesky factor every lambda would need its own product with all rows.
// It overwrites s.g, and the rows of a sample.
func (s *RidgeStats) leaveOneOut(ctx context.Context, src eachRows, grid cv.Grid) (*RidgeFit, error) {
	if s.Signature != nil {
		return s.kreinLeaveOneOut(ctx, src, grid)
	}
	scale, err := s.scale()
	if err != nil {
		return nil, err
	}
	if err := checkSquares(s.yy); err != nil {
		return nil, err
	}
	d, k := s.features, s.targets
	q := dense.Reduce(ctx, s.g, d)
	rt := transposed(s.r, d, k, k)
	q.Rotate(ctx, rt, k, false)
	rows := rotatedRows{ctx: ctx, s: s, q: q, src: src}
	scores, best, err := chooseUsable(grid, func(lambdas []float64) ([]fits.LambdaScore, error) { return rows.scores(lambdas, scale, rt) })
	if err != nil {
		return nil, err
	}
	f, _ := q.Shift(scores[best].Lambda * scale)
	for t := range k {
		f.Solve(rt[t*d : (t+1)*d])
	}
	q.Rotate(ctx, rt, k, true)
	fit, err := s.fit(transposed(rt, k, d, d), scores[best].Lambda)
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	return fit, nil
}

// rotatedRows are rows less their means, times Q.
type rotatedRows struct {
	ctx  context.Context
	s    *RidgeStats
	q    *dense.Tridiagonal
	src  eachRows
	done bool // the rows of a sample are rotated once, where they lie
}

// each hands out the rows p with their targets and weights.
func (r *rotatedRows) each(f func(p []float64, y *mat.Dense, weight []float64)) error {
	if sample, ok := r.src.(*rowSample); ok {
		for _, b := range sample.all() {
			if !r.done {
				subtractMean(b.z, b.z, r.s.meanZ)
				r.q.Rotate(r.ctx, b.z, len(b.rows.index), false)
			}
			weight, err := r.s.rowWeights(b.y, b.rows.at)
			if err != nil {
				return err
			}
			f(b.z, b.y, weight)
		}
		r.done = true
		return nil
	}
	var p []float64
	return r.src.each(func(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
		if err := checkFinite("Ridge", z, y, rows.at); err != nil {
			return err
		}
		weight, err := r.s.rowWeights(y, rows.at)
		if err != nil {
			return err
		}
		p = r.s.centred(p, z)
		r.q.Rotate(r.ctx, p, z.Shape()[0], false)
		f(p, y, weight)
		return nil
	})
}

// scores are the scores of the lambdas; rt is (QᵀR)ᵀ.
func (r *rotatedRows) scores(lambdas []float64, scale float64, rt []float64) ([]fits.LambdaScore, error) {
	s, count := r.s, len(lambdas)
	d, k := s.features, s.targets
	factors, usable := make([]dense.Shifted, count), make([]bool, count)
	coef := make([]float64, count*k*d) // (T + λI)⁻¹ QᵀR as rows
	for l, lambda := range lambdas {
		if factors[l], usable[l] = r.q.Shift(lambda * scale); !usable[l] {
			continue
		}
		copy(coef[l*k*d:], rt)
		for t := range k {
			factors[l].Solve(coef[(l*k+t)*d : (l*k+t+1)*d])
		}
	}
	sums := make([]lossSums, count)
	var pred, left []float64
	err := r.each(func(p []float64, y *mat.Dense, weight []float64) {
		b := len(p) / d
		pred = append(pred[:0], make([]float64, b*count*k)...)
		addProduct(1, general(b, d, d, p), general(count*k, d, d, coef), general(b, count*k, count*k, pred))
		left = slices.Grow(left[:0], b*count)[:b*count]
		given.InParallel(b, func(i int) {
			for l, f := range factors {
				if usable[l] {
					w := weightAt(weight, i)
					left[i*count+l] = 1 - w/s.mass - w*f.Quadratic(p[i*d:(i+1)*d])
				}
			}
		})
		for i := range b {
			for l := range lambdas {
				if usable[l] {
					usable[l] = left[i*count+l] >= decisive
					s.leaveOut(pred[(i*count+l)*k:(i*count+l+1)*k], y.RawRowView(i), left[i*count+l])
					sums[l].add(y.RawRowView(i), pred[(i*count+l)*k:(i*count+l+1)*k], weightAt(weight, i))
				}
			}
		}
	})
	return scoresOf(lambdas, usable, sums, k), err
}

// leaveOut turns a prediction about the mean target, by a fit to all rows, into the prediction of a fit without this
// row; left is 1 - h.
func (s *RidgeStats) leaveOut(pred, y []float64, left float64) {
	for t, v := range y {
		pred[t] = v - (v-s.meanY[t]-pred[t])/left
	}
}

// weightAt is the weight of a row of a block.
func weightAt(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// scoresOf are the scores of the lambdas over k targets.
func scoresOf(lambdas []float64, usable []bool, sums []lossSums, k int) []fits.LambdaScore {
	scores := make([]fits.LambdaScore, len(lambdas))
	for l, lambda := range lambdas {
		if scores[l] = cv.Unusable(lambda); usable[l] {
			scores[l] = sums[l].score(lambda, k)
		}
	}
	return scores
}

// centred is the features of a block less their means over all rows, as float64.
func (s *RidgeStats) centred(dst []float64, z *tensor.Dense) []float64 {
	rows := z.Shape()[0]
	dst = slices.Grow(dst[:0], rows*s.features)[:rows*s.features]
	if z.Dtype() == tensor.Float32 {
		subtractMean(dst, z.Float32s(), s.meanZ)
	} else {
		subtractMean(dst, z.Float64s(), s.meanZ)
	}
	return dst
}

func subtractMean[T domain.Float](dst []float64, z []T, mean []float64) {
	d := len(mean)
	for i := 0; i < len(dst); i += d {
		for j, v := range z[i : i+d] {
			dst[i+j] = float64(v) - mean[j]
		}
	}
}
