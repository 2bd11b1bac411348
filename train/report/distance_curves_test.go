package report

import (
	"image"
	"math"
	"slices"
	"testing"
)

func TestDistanceCurvesErrors(t *testing.T) {
	change := func(f func(s *DistanceSeries)) func() (image.Image, error) {
		s := DistanceSeries{"bad", []float64{0, 1}, []float64{1, -2}}
		f(&s)
		return func() (image.Image, error) { return DistanceCurves([]DistanceSeries{distancesOf()["two"][0], s}) }
	}
	for name, c := range map[string]struct {
		draw     func() (image.Image, error)
		sentinel error
		parts    []string
	}{
		"no series":  {func() (image.Image, error) { return DistanceCurves(nil) }, ErrShape, []string{"DistanceCurves", "no series"}},
		"empty":      {change(func(s *DistanceSeries) { s.Distance = nil }), ErrShape, []string{`"bad" is empty`}},
		"short":      {change(func(s *DistanceSeries) { s.Value = s.Value[1:] }), ErrShape, []string{`"bad"`, "values is 1"}},
		"NaN":        {change(func(s *DistanceSeries) { s.Value[1] = math.NaN() }), ErrDomain, []string{"NaN at the distance 1"}},
		"infinite":   {change(func(s *DistanceSeries) { s.Distance[1] = math.Inf(1) }), ErrDomain, []string{"-2 at the distance +Inf"}},
		"not rising": {change(func(s *DistanceSeries) { s.Distance[1] = 0 }), ErrDomain, []string{"the distance 0 comes after 0"}},
		"option":     {func() (image.Image, error) { return DistanceCurves(distancesOf()["two"], WithLinearX()) }, ErrParam, []string{"WithLinearX does not apply"}},
		"many":       {func() (image.Image, error) { return DistanceCurves(slices.Repeat(distancesOf()["two"], 200)) }, ErrParam, []string{"400 series", "WithSize"}},
	} {
		img, err := c.draw()
		if img != nil {
			t.Errorf("%s: a picture and an error", name)
		}
		wantErr(t, err, c.sentinel, c.parts...)
	}
}

// distancesOf are series in realistic and extreme cases.
func distancesOf() map[string][]DistanceSeries {
	rising := DistanceSeries{"GORF", []float64{0, .5, 1, 2}, []float64{0, .1, .4, .2}}
	return map[string][]DistanceSeries{
		"two":     {rising, {"separate", []float64{0, 1, 2}, []float64{0, .2, -.1}}},
		"point":   {{"one", []float64{1}, []float64{0}}},
		"extreme": {{"wide", []float64{-1e300, 1e300}, []float64{-1e300, 1e300}}},
	}
}
