package report

import (
	"fmt"
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
	sorted := s.sorted()
	want := Line{Name: s.Name, X: []float64{1000, 3000, 10000}, Y: []float64{60, 68, 72}, Bars: []float64{2, .6, .3}, Exact: 76}
	if fmt.Sprint(sorted) != fmt.Sprint(want) || s.X[0] != 10000 {
		t.Errorf("sorted: %v, want %v; the caller's: %v", sorted, want, s)
	}
}
