package train

import (
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// decisive is how near 1 - hᵢᵢ may come to 0: a row whose fit is its own target to 12 digits cannot be left out.
const decisive = 1e-12

// ridgeSplit sets rows aside: the fraction o.HeldOut, at least one, drawn under o.Seed. Both parts are in order of rows.
func ridgeSplit(n int, o RidgeOptions) (train, held []int) {
	perm := rand.New(spectral.Stream(o.Seed, "held-out")).Perm(n)
	c := min(max(int(math.Round(o.HeldOut*float64(n))), 1), n-1)
	train, held = perm[c:], perm[:c]
	slices.Sort(train)
	slices.Sort(held)
	return train, held
}

// leaveOneOut scores every lambda by 1/(nk) Σ wᵢ (rᵢ/(1 - hᵢᵢ))², with r the residual and hᵢᵢ = wᵢ (1/n + zᵢᵀ (G + λI)⁻¹ zᵢ) for
// centred zᵢ, w the weights and n their sum, and fits the best. One tridiagonal reduction of G and one rotation of the rows serve all lambdas; a
// Cholesky factor each would need a product with all rows each. It overwrites s.g.
func (s *RidgeStats) leaveOneOut(src featureRows, lambdas []float64) (*RidgeFit, error) {
	if s.Signature != nil {
		return s.kreinLeaveOneOut(src, lambdas)
	}
	scale, err := s.scale()
	if err != nil {
		return nil, err
	}
	d, k := s.features, s.targets
	q := newTridiagonal(s.g, d)
	rt := transposed(s.r, d, k, k)
	q.rotate(rt, k, false)
	factors := make([]ldl, len(lambdas))
	usable := make([]bool, len(lambdas))
	coef := make([]float64, len(lambdas)*k*d) // (T + λI)⁻¹ QᵀR as rows
	for l, lambda := range lambdas {
		if factors[l], usable[l] = q.factor(lambda * scale); !usable[l] {
			continue
		}
		copy(coef[l*k*d:], rt)
		for t := range k {
			factors[l].solve(coef[(l*k+t)*d : (l*k+t+1)*d])
		}
	}
	sums := make([]float64, len(lambdas))
	var p, pred, errs []float64
	err = src.each(func(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
		b := z.Shape()[0]
		if err := checkFinite("Ridge", z, y, rows.at); err != nil {
			return err
		}
		weight, err := s.rowWeights(y, rows.at)
		if err != nil {
			return err
		}
		p = s.centred(p, z)
		q.rotate(p, b, false)
		pred = append(pred[:0], make([]float64, b*len(lambdas)*k)...)
		addProduct(1, general(b, d, d, p), general(len(lambdas)*k, d, d, coef), general(b, len(lambdas)*k, len(lambdas)*k, pred))
		errs = append(errs[:0], make([]float64, b*len(lambdas))...)
		inParallel(b, func(i int) {
			for l, f := range factors {
				if usable[l] {
					w := weightAt(weight, i)
					left := 1 - w/s.mass - w*f.quadratic(p[i*d:(i+1)*d])
					errs[i*len(lambdas)+l] = w * s.rowError(pred[(i*len(lambdas)+l)*k:], y.RawRowView(i)) / (left * left)
					if left < decisive {
						errs[i*len(lambdas)+l] = math.Inf(1)
					}
				}
			}
		})
		for i, e := range errs {
			sums[i%len(lambdas)] += e
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	scores := scoresOf(lambdas, usable, sums, s.mass*float64(k))
	best, err := bestScore(scores)
	if err != nil {
		return nil, err
	}
	w := coef[best*k*d : (best+1)*k*d]
	q.rotate(w, k, true)
	fit, err := s.fit(transposed(w, k, d, d), lambdas[best])
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	return fit, nil
}

// weightAt is the weight of a row of a block.
func weightAt(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// scoresOf divides sums of squares by their number; a lambda that could not be used, or overflowed, gets +Inf.
func scoresOf(lambdas []float64, usable []bool, sums []float64, count float64) []LambdaScore {
	scores := make([]LambdaScore, len(lambdas))
	for l, lambda := range lambdas {
		scores[l] = LambdaScore{lambda, sums[l] / count}
		if !usable[l] || math.IsNaN(sums[l]) {
			scores[l].MSE = math.Inf(1)
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

// rowError is the squared error of a prediction about the mean target.
func (s *RidgeStats) rowError(pred, y []float64) float64 {
	sum := 0.0
	for t, v := range y {
		e := v - s.meanY[t] - pred[t]
		sum += e * e
	}
	return sum
}
