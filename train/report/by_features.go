package report

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// sorted is a checked copy of a line over positive numbers of features, sorted by these, with bars.
func (l Line) sorted(who string) (Line, error) {
	if err := l.check(who, true); err != nil {
		return l, err
	}
	if math.Abs(l.Exact) > maxDrawn {
		return l, fmt.Errorf("report: %s: line %q: the score of the exact kernel is %v, not a number up to %v: %w", who,
			l.Name, l.Exact, maxDrawn, ErrDomain)
	}
	out := Line{Name: l.Name, Exact: l.Exact}
	order := make([]int, len(l.X))
	floats.ArgsortStable(slices.Clone(l.X), order)
	for _, i := range order {
		bar := 0.
		if l.Bars != nil {
			bar = l.Bars[i]
		}
		out.Add(l.X[i], l.Y[i], bar)
	}
	return out, nil
}

// byFeatures draws lines by the number of features, on a logarithmic axis from the fewest to the most. add adds them,
// checked and sorted, to the panel.
func byFeatures(who string, s settings, lines []Line, opts []Option,
	add func(p *panel, sorted []Line)) (image.Image, error) {
	s.width, s.height = 1100, 860
	s, err := s.apply(who, opts, "WithMetric")
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("report: %s: there are no lines: %w", who, ErrShape)
	}
	sorted := make([]Line, len(lines))
	var features []float64
	for i, l := range lines {
		if sorted[i], err = l.sorted(who); err != nil {
			return nil, err
		}
		features = append(features, l.X...)
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
