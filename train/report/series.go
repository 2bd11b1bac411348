package report

import (
	"fmt"
	"math"
	"slices"
)

// Series is the error or the score of a map or sampler by the number of features.
type Series struct {
	Name     string
	Features []int     // positive
	Value    []float64 // one for each entry of Features
	Bar      []float64 // standard errors or deviations of Value, drawn to both sides; nil: none
	Exact    float64   // the score of the exact kernel, for ScoreCurves; 0 or NaN: none
}

// Add appends a number of features, its value and the bar of the value, 0 for none.
func (s *Series) Add(features int, value, bar float64) {
	s.Features, s.Value, s.Bar = append(s.Features, features), append(s.Value, value), append(s.Bar, bar)
}

func (s Series) hasExact() bool { return s.Exact != 0 && !math.IsNaN(s.Exact) }

// quantity says what the values of a series are.
type quantity struct {
	value, bar string // their names
	check      func(features int, v, bar float64) error
}

// sorted is a checked copy of s, sorted by the number of features.
func (s Series) sorted(who string, q quantity) (Series, error) {
	where := fmt.Sprintf("%s: series %q", who, s.Name)
	if len(s.Features) == 0 {
		return s, fmt.Errorf("report: %s is empty: %w", where, ErrShape)
	}
	if err := checkSameLength(where, "features", len(s.Features), q.value, len(s.Value)); err != nil {
		return s, err
	}
	bars := s.Bar
	if bars == nil {
		bars = make([]float64, len(s.Value))
	}
	if err := checkSameLength(where, "features", len(s.Features), q.bar, len(bars)); err != nil {
		return s, err
	}
	order := make([]int, len(s.Features))
	for i, m := range s.Features {
		order[i] = i
		if m < 1 {
			return s, fmt.Errorf("report: %s: %d features are not a positive number: %w", where, m, ErrDomain)
		}
		if err := q.check(m, s.Value[i], bars[i]); err != nil {
			return s, fmt.Errorf("report: %s: %w: %w", where, err, ErrDomain)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.Features[a] - s.Features[b] })
	out := Series{Name: s.Name, Exact: s.Exact}
	for _, i := range order {
		out.Add(s.Features[i], s.Value[i], bars[i])
	}
	return out, nil
}
