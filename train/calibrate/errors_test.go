package calibrate

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

func TestErrors(t *testing.T) {
	of := func(columns int, x ...float64) *mat.Dense { return mat.NewDense(len(x)/columns, columns, x) }
	fit := func(m string, scores *mat.Dense, labels ...int) error { _, err := Fit(m, scores, labels); return err }
	ece := func(p *mat.Dense, bins int, labels ...int) error { _, err := ECE(p, labels, bins); return err }
	cover := func(y, lower, upper *mat.Dense) error { _, err := Coverage(y, lower, upper); return err }
	intervals := func(residuals, std *mat.Dense) error { _, err := FitIntervals(residuals, std); return err }
	good, nan := of(2, 1, 0, 0, 1, 1, 0), of(2, 1, 0, 0, math.NaN(), 1, 0)
	p, y := of(2, .5, .5, 1, 0), of(1, 1, 2, 3)
	v, sets := must(FitIntervals(y, nil)), must(FitSets(Adaptive, p, []int{0, 1}, 0))
	later := func(c *Calibration, scores *mat.Dense) error { _, err := c.Probabilities(scores); return err }
	bounds := func(mean, std *mat.Dense) error { _, _, err := v.Bounds(.5, mean, std); return err }
	radius := func(v *Intervals, level float64) error { _, err := v.Radius(level); return err }
	fitSets := func(m string, p *mat.Dense) error { _, err := FitSets(m, p, []int{0, 1}, 0); return err }
	all := func(s *Sets, level float64, p *mat.Dense) error { _, err := s.All(level, p); return err }
	logs := func(p *mat.Dense) error { _, err := LogProbabilities(p); return err }
	covered := func(sets [][]int, labels ...int) error { _, _, err := SetCoverage(sets, labels); return err }
	for _, c := range []struct {
		name string
		err  error
		want error
		text string
	}{
		{"nil", fit(Platt, nil, 0, 1, 0), domain.ErrParam, "scores is nil"},
		{"empty", fit(Platt, &mat.Dense{}), domain.ErrShape, "at least one row"},
		{"one column", fit(Platt, y, 0, 1, 0), domain.ErrShape, "1 column"},
		{"two labels", fit(Platt, good, 0, 1), domain.ErrShape, "2 labels"},
		{"a label of no class", fit(Platt, good, 0, 2, 0), domain.ErrDomain, "label 2"},
		{"a negative label", fit(Platt, good, 0, -1, 0), domain.ErrDomain, "label -1"},
		{"NaN", fit(Platt, nan, 0, 1, 0), domain.ErrDomain, "scores[1,1] = NaN"},
		{"overflow", fit(Temperature, of(2, 1e308, -1e308, 0, 1), 0, 1), domain.ErrDomain, "scale them"},
		{"no method", fit("none", good, 0, 1, 0), domain.ErrParam, "none"},
		{"later: columns", later(fitted(Platt, good, []int{0, 1, 0}), of(3, 0, 0, 0)), domain.ErrShape, "3 scores"},
		{"later: NaN", later(fitted(Platt, good, []int{0, 1, 0}), nan), domain.ErrDomain, "NaN"},
		{"later: not fitted", later(new(Calibration), good), domain.ErrParam, "not been fitted"},
		{"no probabilities", logs(of(2, .5, .6)), domain.ErrDomain, "the sum of row 0"},

		{"ECE: nil", ece(nil, 0, 0, 1), domain.ErrParam, "p is nil"},
		{"ECE: labels", ece(p, 0, 0), domain.ErrShape, "1 labels"},
		{"ECE: label", ece(p, 0, 0, 2), domain.ErrDomain, "label 2"},
		{"ECE: bins", ece(p, -1, 0, 1), domain.ErrParam, "-1 bins"},
		{"ECE: many bins", ece(p, math.MaxInt, 0, 1), domain.ErrParam, "bins"},
		{"ECE: sum", ece(of(2, .5, .5, 1, .1), 0, 0, 1), domain.ErrDomain, "the sum of row 1"},
		{"ECE: negative", ece(of(2, .5, .5, 1.5, -.5), 0, 0, 1), domain.ErrDomain, "p[1,0] = 1.5"},
		{"ECE: NaN", ece(of(2, .5, .5, math.NaN(), 1), 0, 0, 1), domain.ErrDomain, "NaN"},
		{"Coverage: NaN", cover(y, of(1, 0, math.NaN(), 0), y), domain.ErrDomain, "is no bound"},
		{"Coverage: nil", cover(y, nil, y), domain.ErrParam, "lower is nil"},
		{"Coverage: shape", cover(y, y, of(1, 0)), domain.ErrShape, "upper is [1,1]"},
		{"SetCoverage", covered(nil), domain.ErrShape, "0 sets"},

		{"nil residuals", intervals(nil, y), domain.ErrParam, "residuals is nil"},
		{"two columns", intervals(y, good), domain.ErrShape, "std is [3,2]"},
		{"a std of 0", intervals(y, of(1, 1, 0, 1)), domain.ErrDomain, "std[1,0] = 0"},
		{"a NaN residual", intervals(of(1, 1, math.NaN(), 1), nil), domain.ErrDomain, "residuals[1,0] = NaN"},
		{"a tiny std", intervals(of(1, 1e308), of(1, 1e-10)), domain.ErrDomain, "+Inf"},
		{"a std where there was none", bounds(y, y), domain.ErrParam, "nowhere else"},
		{"two targets", bounds(good, nil), domain.ErrShape, "2 targets"},
		{"rows", radius(v, .8), domain.ErrShape, "4 rows"},
		{"not fitted", radius(new(Intervals), .5), domain.ErrParam, "FitIntervals"},
		{"level 0", radius(v, 0), domain.ErrParam, "level"},
		{"level 1", radius(v, 1), domain.ErrParam, "level"},
		{"level -1", radius(v, -1), domain.ErrParam, "level"},
		{"level NaN", radius(v, math.NaN()), domain.ErrParam, "level"},

		{"sets: method", fitSets("none", p), domain.ErrParam, "none"},
		{"sets: columns", fitSets(Adaptive, y), domain.ErrShape, "1 column"},
		{"sets: sum", all(sets, .5, of(2, .5, .6)), domain.ErrDomain, "the sum of row 0"},
		{"sets: rows", all(sets, .9, p), domain.ErrShape, "9 rows"},
		{"sets: not fitted", all(new(Sets), .5, p), domain.ErrParam, "FitSets"},
		{"sets: nil", all(sets, .5, nil), domain.ErrParam, "p is nil"},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", c.name, c.err, c.want, c.text)
		}
	}
}
