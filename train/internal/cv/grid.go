package cv

import (
	"math"

	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
)

// OneClass says whether y has several columns and each row is 1 in one of them and -1 in the others, as OneVersusRest
// makes them.
func OneClass(y *mat.Dense) bool { return y.RawMatrix().Cols > 1 && given.AreClasses(y) }

// Unusable is a lambda that cannot be used.
func Unusable(lambda float64) fits.LambdaScore {
	return fits.LambdaScore{Lambda: lambda, MSE: math.Inf(1), ErrorRate: math.Inf(1)}
}

// Grid is what lambda is chosen among: a list, or powers of ten times the number of rows, of which more are tried
// while the best is at an end.
type Grid struct {
	List   []float64
	N      int
	Lo, Hi int // the powers; without a list
	By     int // how many more at once
	Limit  [2]int
	Zero   bool // whether 0 stands before them
}

// Choose scores the lambdas, in the order of the list or from the least up, and returns the number of the best.
func (g Grid) Choose(score func(lambdas []float64) ([]fits.LambdaScore, error)) (scores []fits.LambdaScore, best int,
	err error) {
	if scores, err = score(g.First()); err != nil {
		return nil, 0, err
	}
	for {
		for i := range scores {
			if scores[i].Better(scores[best]) {
				best = i
			}
		}
		lambdas, below := g.grow(scores, best)
		if len(lambdas) == 0 {
			return scores, best, nil
		}
		more, err := score(lambdas)
		if err != nil {
			return nil, 0, err
		}
		if below {
			scores, best = append(more, scores...), best+len(more)
		} else {
			scores = append(scores, more...)
		}
	}
}

// First are the lambdas to begin with.
func (g Grid) First() []float64 {
	switch all := Powers(g.Lo, g.Hi, g.N); {
	case g.List != nil:
		return g.List
	case g.Zero:
		return append([]float64{0}, all...)
	default:
		return all
	}
}

// grow adds the lambdas to go on with: past the end where the best is, or above where none can be used.
func (g *Grid) grow(scores []fits.LambdaScore, best int) (lambdas []float64, below bool) {
	switch {
	case g.List != nil:
	case best == len(scores)-1 || math.IsInf(scores[best].MSE, 1):
		lambdas = Powers(g.Hi+1, min(g.Hi+g.By, g.Limit[1]), g.N)
		g.Hi += len(lambdas)
	case best == 0 && !g.Zero:
		lambdas, below = Powers(max(g.Lo-g.By, g.Limit[0]), g.Lo-1, g.N), true
		g.Lo -= len(lambdas)
	}
	return lambdas, below
}

// Powers are the powers of ten from 10^lo to 10^hi, times n.
func Powers(lo, hi, n int) (out []float64) {
	for e := lo; e <= hi; e++ {
		out = append(out, math.Pow10(e)*float64(n))
	}
	return out
}
