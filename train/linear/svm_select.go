package linear

import (
	"errors"
	"math"
	"slices"

	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
)

// selectSVM fits every lambda on the rows that are not held out, and the best one on all rows.
func selectSVM(src *source, o SVMOptions) (*SVMFit, error) {
	fit, scores, err := selectLambda[*SVMFit](src, o.newton(), o.Seed, func(src *source) (*svm, error) { return newSVM(src, o) })
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	return fit, nil
}

// path fits the lambdas, the largest first and each from the one before, and scores them on other rows.
func (s *svm) path(lambdas []float64, rows *svmRows) ([]fits.LambdaScore, error) {
	held, err := atZero(rows, s.o, s.unit)
	if err != nil {
		return nil, err
	}
	square, err := given.Square(s.who, s.unit.Largest())
	if err != nil {
		return nil, err
	}
	held.bias, held.w = s.bias, s.w
	return scorePath(lambdas, func(lambda float64) (fits.LambdaScore, error) {
		if _, err := s.fit(lambda); err != nil {
			return fits.LambdaScore{}, err
		}
		return held.score(lambda, square)
	})
}

// scorePath scores the lambdas, the largest first. A lambda that is too small to be fitted (errLambda) gets the score
// of cv.Unusable.
func scorePath(lambdas []float64, score func(lambda float64) (fits.LambdaScore, error)) ([]fits.LambdaScore, error) {
	out := make([]fits.LambdaScore, len(lambdas))
	for _, i := range descending(lambdas) {
		var err error
		if out[i], err = score(lambdas[i]); errors.Is(err, errLambda) {
			out[i], err = cv.Unusable(lambdas[i]), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bestScore is the index of the best score, the first of equals.
func bestScore(scores []fits.LambdaScore) (best int) {
	for i, s := range scores {
		if s.Better(scores[best]) {
			best = i
		}
	}
	return best
}

// score is the score of the weights on these rows: the error rate under SquaredHinge, and else the mean squared error,
// with the square of the largest scale of a target.
func (s *svm) score(lambda, square float64) (fits.LambdaScore, error) {
	k, largest, total := s.w.k, s.unit.Largest(), 0.
	err := s.through(s.w, s.bias, nil, func(at int, u columns) {
		for i := range len(u.v) / k {
			y, f := s.y.row(at+i), u.row(i)
			switch {
			case s.o.Loss == SquaredInsensitive:
				for j := range f {
					e := (f[j] - y[j]) * (s.unit.Scale[j] / largest)
					total += e * e / float64(k)
				}
			case k == 1 && (f[0] >= 0) != (y[0] > 0), k > 1 && y[max(given.ArgMax(f), 0)] < 0:
				total++
			}
		}
	})
	score := fits.LambdaScore{Lambda: lambda, MSE: math.NaN(), ErrorRate: math.NaN()}
	if total /= float64(s.n); s.o.Loss == SquaredHinge {
		score.ErrorRate = total
	} else {
		score.MSE = total * square
	}
	return score, err
}

// descending are the indices of the lambdas, the largest first.
func descending(lambdas []float64) []int {
	order := make([]int, len(lambdas))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case lambdas[a] > lambdas[b]:
			return -1
		case lambdas[a] < lambdas[b]:
			return 1
		}
		return 0
	})
	return order
}
