package linear

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
)

// defaultLambda times the number of rows is the default of a single lambda.
const defaultLambda = 1e-6

// builtIn is the grid for n rows: 1e-9 n to 1e-1 n, and up to 1e-15 n and 1e3 n as it grows.
func builtIn(n, by int) cv.Grid {
	return cv.Grid{N: n, Lo: -9, Hi: -1, By: by, Limit: [2]int{-15, 3}}
}

// chooseUsable is Grid.Choose, with an error if no lambda can be used.
func chooseUsable(g cv.Grid, score func(lambdas []float64) ([]fits.LambdaScore, error)) ([]fits.LambdaScore, int, error) {
	scores, best, err := g.Choose(score)
	if err == nil && math.IsInf(scores[best].MSE, 1) {
		err = fmt.Errorf("train: Ridge: none of the %d lambdas leaves a system that can be solved; raise the lambdas: %w", len(scores), domain.ErrParam)
	}
	return scores, best, err
}

// lossSums sums the errors of the predictions of a lambda.
type lossSums struct{ mass, square, wrong float64 }

// add takes the prediction f of a row with targets y and a weight.
func (s *lossSums) add(y, f []float64, weight float64) {
	for t, v := range y {
		s.square += weight * (v - f[t]) * (v - f[t])
	}
	class := given.ClassOf(len(y), func(j int) float64 { return y[j] })
	switch {
	case class < 0:
		s.wrong = math.NaN()
	case class != predicted(f):
		s.wrong += weight
	}
	s.mass += weight
}

// score is the score of a lambda over k targets.
func (s *lossSums) score(lambda float64, k int) fits.LambdaScore {
	score := fits.LambdaScore{Lambda: lambda, MSE: s.square / (s.mass * float64(k)), ErrorRate: s.wrong / s.mass}
	if math.IsNaN(score.MSE) || math.IsInf(score.MSE, 1) {
		return cv.Unusable(lambda)
	}
	return score
}

// predicted is the class of a prediction: the index of the largest number, or for a single number its sign, numbered as
// in given.ClassOf.
func predicted(f []float64) int {
	if len(f) > 1 {
		return given.ArgMax(f)
	}
	if f[0] >= 0 {
		return 1
	}
	return 0
}
