package report

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// scoresOf are series in realistic and extreme cases.
func scoresOf() map[string][]Line {
	exact := Line{Name: "skewed-chi2, iid", X: []float64{10000, 1000, 3000}, Y: []float64{72, 60, 68}, Bars: []float64{.3, 2, .6}, Exact: 76}
	none := Line{Name: "chi2", X: []float64{12600}, Y: []float64{72}}
	return map[string][]Line{
		"two kinds": {exact, none},
		"one point": {none},
		"ten":       slices.Repeat([]Line{exact}, 10),
		"extreme":   {{Name: "wide", X: []float64{1, 1 << 40}, Y: []float64{-1e300, 1e300}, Bars: []float64{1e300, 0}, Exact: 1e300}},
		"constant":  {{Name: "flat", X: []float64{7, 11}, Y: []float64{0, 0}, Exact: 0}},
	}
}

func TestScoreCurvesSortsACopy(t *testing.T) {
	s := scoresOf()["two kinds"][0]
	sorted := must(s.sorted("test"))
	want := Line{Name: s.Name, X: []float64{1000, 3000, 10000}, Y: []float64{60, 68, 72}, Bars: []float64{2, .6, .3}, Exact: 76}
	if fmt.Sprint(sorted) != fmt.Sprint(want) || s.X[0] != 10000 {
		t.Errorf("sorted: %v, want %v; the caller's: %v", sorted, want, s)
	}
}

func TestScoreCurvesErrors(t *testing.T) {
	of := func(lines []Line, opts ...Option) error { return failed(ScoreCurves(lines, opts...)) }
	change := func(f func(l *Line)) error {
		l := Line{Name: "bad", X: []float64{2, 3}, Y: []float64{1, 2}, Bars: []float64{1, 1}, Exact: 3}
		f(&l)
		return of([]Line{scoresOf()["one point"][0], l})
	}
	wantFailures(t, map[string]failure{
		"no lines":       {of(nil), ErrShape, []string{"ScoreCurves", "no lines"}},
		"empty":          {change(func(l *Line) { l.X, l.Y = nil, nil }), ErrShape, []string{`"bad": x has no rows`}},
		"short":          {change(func(l *Line) { l.Y = l.Y[1:] }), ErrShape, []string{`"bad"`, "y is 1"}},
		"short bars":     {change(func(l *Line) { l.Bars = l.Bars[1:] }), ErrShape, []string{"bars is 1"}},
		"no features":    {change(func(l *Line) { l.X[1] = 0 }), ErrDomain, []string{`"bad"`, "x[1] = 0 is not above 0"}},
		"NaN":            {change(func(l *Line) { l.Y[1] = math.NaN() }), ErrDomain, []string{"y[1] = NaN"}},
		"negative bar":   {change(func(l *Line) { l.Bars[0] = -1 }), ErrDomain, []string{"bars[0] = -1"}},
		"infinite exact": {change(func(l *Line) { l.Exact = math.Inf(1) }), ErrDomain, []string{"exact kernel is +Inf"}},
		"option":         {of(scoresOf()["ten"], WithLogX()), ErrParam, []string{"WithLogX does not apply", "WithMetric"}},
		"many":           {of(slices.Repeat(scoresOf()["ten"], 30)), ErrParam, []string{"legend of 30", "WithSize"}},
	})
}
