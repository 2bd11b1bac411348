package report

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// scoresOf are series in realistic and extreme cases.
func scoresOf() map[string][]Series {
	exact := Series{Name: "skewed-chi2, iid", Features: []int{10000, 1000, 3000}, Value: []float64{72, 60, 68}, Bar: []float64{.3, 2, .6}, Exact: 76}
	none := Series{Name: "chi2", Features: []int{12600}, Value: []float64{72}}
	return map[string][]Series{
		"two kinds": {exact, none},
		"one point": {none},
		"ten":       slices.Repeat([]Series{exact}, 10),
		"extreme":   {{Name: "wide", Features: []int{1, min(1<<40, math.MaxInt)}, Value: []float64{-1e300, 1e300}, Bar: []float64{1e300, 0}, Exact: 1e300}},
		"constant":  {{Name: "flat", Features: []int{7, 11}, Value: []float64{0, 0}, Exact: 0}},
	}
}

func TestScoreCurvesSortsACopy(t *testing.T) {
	s := scoresOf()["two kinds"][0]
	sorted := must(s.sorted("test", aScore))
	want := Series{s.Name, []int{1000, 3000, 10000}, []float64{60, 68, 72}, []float64{2, .6, .3}, 76}
	if fmt.Sprint(sorted) != fmt.Sprint(want) || s.Features[0] != 10000 {
		t.Errorf("sorted: %v, want %v; the caller's: %v", sorted, want, s)
	}
}

func TestScoreCurvesErrors(t *testing.T) {
	of := func(series []Series, opts ...Option) error { return failed(ScoreCurves(series, opts...)) }
	change := func(f func(s *Series)) error {
		s := Series{Name: "bad", Features: []int{2, 3}, Value: []float64{1, 2}, Bar: []float64{1, 1}, Exact: 3}
		f(&s)
		return of([]Series{scoresOf()["one point"][0], s})
	}
	wantFailures(t, map[string]failure{
		"no series":      {of(nil), ErrShape, []string{"ScoreCurves", "no series"}},
		"empty":          {change(func(s *Series) { s.Features = nil }), ErrShape, []string{`"bad" is empty`}},
		"short":          {change(func(s *Series) { s.Value = s.Value[1:] }), ErrShape, []string{`"bad"`, "score is 1"}},
		"short bars":     {change(func(s *Series) { s.Bar = s.Bar[1:] }), ErrShape, []string{"standard deviation is 1"}},
		"no features":    {change(func(s *Series) { s.Features[1] = 0 }), ErrDomain, []string{`"bad"`, "0 features"}},
		"NaN":            {change(func(s *Series) { s.Value[1] = math.NaN() }), ErrDomain, []string{"3 features", "NaN"}},
		"negative bar":   {change(func(s *Series) { s.Bar[0] = -1 }), ErrDomain, []string{"2 features", "-1"}},
		"infinite exact": {change(func(s *Series) { s.Exact = math.Inf(1) }), ErrDomain, []string{"exact kernel is +Inf"}},
		"option":         {of(scoresOf()["ten"], WithLogX()), ErrParam, []string{"WithLogX does not apply", "WithMetric"}},
		"many":           {of(slices.Repeat(scoresOf()["ten"], 30)), ErrParam, []string{"legend of 30", "WithSize"}},
	})
}
