package frame

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bochner-go/bochner/examples/internal/try"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Ridge fits ridge regression with the lambda of the least squared error on a fraction of the rows, which the seed draws
// and the fits for the lambdas have not seen.
func Ridge(ctx context.Context, m layers.Map, x *tensor.Dense, y *mat.Dense, lambdas []float64, fraction float64,
	seed uint64) *linear.Fit {
	n := x.Shape()[0]
	drawn := rand.New(spectral.Stream(seed, "held-out")).Perm(n)
	held := make([]bool, n)
	for _, row := range drawn[:min(max(int(math.Round(fraction*float64(n))), 1), n-1)] {
		held[row] = true
	}
	var sums [2]linear.RidgeStats // of the rows to learn from, and of the others
	for i, of := range []bool{false, true} {
		part := data.Part(data.Pairs{X: x, Y: y}, func(_, row int) bool { return held[row] == of })
		try.Do(sums[i].AddRows(ctx, m, part))
	}
	best, least := lambdas[len(lambdas)-1], math.Inf(1)
	for _, lambda := range lambdas {
		f, err := sums[0].Solve(lambda)
		if errors.Is(err, domain.ErrParam) { // singular
			continue
		}
		try.Do(err)
		if mse := try.Get(sums[1].MSE(f)); mse <= least {
			best, least = lambda, mse
		}
	}
	try.Do(sums[0].Merge(&sums[1]))
	return try.Get(sums[0].Solve(best))
}

// ScoreOf is the score of the lambda that a fit chose.
func ScoreOf(lambda float64, scores []fits.LambdaScore) fits.LambdaScore {
	return scores[slices.IndexFunc(scores, func(s fits.LambdaScore) bool { return s.Lambda == lambda })]
}
