package train

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// LambdaScore is the error of one relative lambda: the mean squared one over rows and targets, and of targets that are classes the share of rows
// whose class has not the largest prediction. An error that does not apply is NaN. Both are +Inf for a lambda that is too small for the
// rows at hand: the system is singular to working precision, or a row determines its own fit.
type LambdaScore struct{ Lambda, MSE, ErrorRate float64 }

// sameError is by what share two squared errors may differ and count as equal.
const sameError = 1e-6

// Better says whether s is chosen before other: by the error rate where there is one, then by a squared error that is less by a millionth or more,
// then as the larger lambda.
func (s LambdaScore) Better(other LambdaScore) bool {
	if s.ErrorRate < other.ErrorRate || s.ErrorRate > other.ErrorRate {
		return s.ErrorRate < other.ErrorRate
	}
	if least := math.Min(s.MSE, other.MSE); math.Abs(s.MSE-other.MSE) > sameError*least {
		return s.MSE < other.MSE
	}
	return s.Lambda > other.Lambda
}

// unusable is a lambda that cannot be used.
func unusable(lambda float64) LambdaScore { return LambdaScore{lambda, math.Inf(1), math.Inf(1)} }

// defaultLambda is what one lambda is by default, a row.
const defaultLambda = 1e-6

// lambdaGrid is what lambda is chosen among: a list, or powers of ten times the number of rows, of which more are tried while the best is at an end.
type lambdaGrid struct {
	list   []float64
	n      int
	lo, hi int // the powers; without a list
	by     int // how many more at once
	limit  [2]int
	zero   bool // whether 0 stands before them
}

// builtIn is the grid for n rows: 1e-9 n to 1e-1 n, and at most 1e-15 n to 1e3 n.
func builtIn(n, by int) lambdaGrid {
	return lambdaGrid{n: n, lo: -9, hi: -1, by: by, limit: [2]int{-15, 3}}
}

// choose scores the lambdas, in the order of the list or from the least up, and returns the number of the best.
func (g lambdaGrid) choose(score func(lambdas []float64) ([]LambdaScore, error)) (scores []LambdaScore, best int, err error) {
	if scores, err = score(g.first()); err != nil {
		return nil, 0, err
	}
	for {
		for i := range scores {
			if scores[i].Better(scores[best]) {
				best = i
			}
		}
		below, above := g.beyond(scores, best)
		switch {
		case len(below) > 0:
			more, err := score(below)
			if err != nil {
				return nil, 0, err
			}
			scores, best = append(more, scores...), best+len(below)
			g.lo -= len(below)
		case len(above) > 0:
			more, err := score(above)
			if err != nil {
				return nil, 0, err
			}
			scores = append(scores, more...)
			g.hi += len(above)
		default:
			return scores, best, nil
		}
	}
}

// first are the lambdas to begin with.
func (g lambdaGrid) first() []float64 {
	switch all := powers(g.lo, g.hi, g.n); {
	case g.list != nil:
		return g.list
	case g.zero:
		return append([]float64{0}, all...)
	default:
		return all
	}
}

// beyond are the lambdas to go on with: past the end where the best is, or above where none can be used.
func (g lambdaGrid) beyond(scores []LambdaScore, best int) (below, above []float64) {
	switch {
	case g.list != nil:
	case best == len(scores)-1 || math.IsInf(scores[best].MSE, 1):
		above = powers(g.hi+1, min(g.hi+g.by, g.limit[1]), g.n)
	case best == 0 && !g.zero:
		below = powers(max(g.lo-g.by, g.limit[0]), g.lo-1, g.n)
	}
	return below, above
}

// chooseUsable is choose for ridge, and an error where no lambda can be used.
func (g lambdaGrid) chooseUsable(score func(lambdas []float64) ([]LambdaScore, error)) ([]LambdaScore, int, error) {
	scores, best, err := g.choose(score)
	if err == nil && math.IsInf(scores[best].MSE, 1) {
		err = fmt.Errorf("train: Ridge: none of the %d lambdas leaves a system that can be solved; raise the lambdas: %w", len(scores), domain.ErrParam)
	}
	return scores, best, err
}

// powers are the powers of ten from 10^lo to 10^hi, times n.
func powers(lo, hi, n int) (out []float64) {
	for e := lo; e <= hi; e++ {
		out = append(out, math.Pow10(e)*float64(n))
	}
	return out
}

// lossSums are the errors of a lambda's predictions, added up.
type lossSums struct{ mass, square, wrong float64 }

// add takes the prediction f of a row with targets y and a weight.
func (s *lossSums) add(y, f []float64, weight float64) {
	for t, v := range y {
		s.square += weight * (v - f[t]) * (v - f[t])
	}
	class := classOf(len(y), func(j int) float64 { return y[j] })
	switch {
	case class < 0:
		s.wrong = math.NaN()
	case class != predicted(f):
		s.wrong += weight
	}
	s.mass += weight
}

// score is that of a lambda over k targets.
func (s *lossSums) score(lambda float64, k int) LambdaScore {
	score := LambdaScore{lambda, s.square / (s.mass * float64(k)), s.wrong / s.mass}
	if math.IsNaN(score.MSE) || math.IsInf(score.MSE, 1) {
		return unusable(lambda)
	}
	return score
}

// predicted is the class of a prediction: of the largest number, or of one number by its sign, as classOf counts them.
func predicted(f []float64) int {
	if len(f) > 1 {
		return argMax(f)
	}
	if f[0] >= 0 {
		return 1
	}
	return 0
}

// hasClasses says whether each row of y is of a class: 1 in one column and -1 in the others, as OneVersusRest makes them, or -1 or 1 in the one
// column.
func hasClasses(y *mat.Dense) bool {
	n, k := y.Dims()
	for i := range n {
		if row := y.RawRowView(i); classOf(k, func(j int) float64 { return row[j] }) < 0 {
			return false
		}
	}
	return true
}
