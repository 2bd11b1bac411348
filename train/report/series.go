package report

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
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
	if math.Abs(s.Exact) > maxDrawn {
		return s, fmt.Errorf("report: %s: the score of the exact kernel is %v, not a number up to %v: %w", where, s.Exact, maxDrawn, ErrDomain)
	}
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

// drawSeries draws series by the number of features, on a logarithmic axis from the fewest to the most. add adds them,
// checked and sorted, to the panel.
func drawSeries(who string, s settings, q quantity, series []Series, opts []Option,
	add func(p *panel, sorted []Series)) (image.Image, error) {
	s.width, s.height = 1100, 860
	s, err := s.apply(who, opts, "WithMetric")
	if err != nil {
		return nil, err
	}
	if len(series) == 0 {
		return nil, fmt.Errorf("report: %s: there are no series: %w", who, ErrShape)
	}
	sorted := make([]Series, len(series))
	var features []float64
	for i, one := range series {
		if sorted[i], err = one.sorted(who, q); err != nil {
			return nil, err
		}
		for _, m := range one.Features {
			features = append(features, float64(m))
		}
	}
	slices.Sort(features)
	features = slices.Compact(features)
	p := newPanel("number of features", s.metric)
	p.X.Scale, p.X.Min, p.X.Max = plot.LogScale{}, features[0], features[len(features)-1]
	add(p, sorted)
	p.X.Tick.Marker = s.featureTicks(features, p.X)
	return p.picture(who, s)
}

// featureTicks marks an axis at numbers of features, with labels that do not overlap.
func (s settings) featureTicks(features []float64, x plot.Axis) plot.ConstantTicks {
	label, room := textStyle(tickSize, ink), vg.Length(s.width)*vg.Inch/dpi-60
	out := make(plot.ConstantTicks, len(features))
	last := math.Inf(-1)
	for i, v := range features {
		txt := strconv.FormatFloat(v, 'f', -1, 64)
		out[i].Value = v
		if at := x.Norm(v); i == 0 || at-last >= float64((label.Width(txt)+6)/room) {
			out[i].Label, last = txt, at
		}
	}
	return out
}
