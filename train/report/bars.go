package report

import (
	"fmt"
	"image"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Bar is a horizontal bar for a value that is not negative, with its name to the left. Bars of one Kind have one
// colour, which the legend explains; if all kinds are empty there is no legend.
type Bar struct {
	Name  string
	Value float64
	Kind  string
}

// barHeight is the height of a bar with its gap, in pixels.
const barHeight = 44

// Bars draws horizontal bars from 0, the first at the top, for instance scores of a leaderboard or the relevance of
// columns. By default the height of the picture depends on the number of bars. It takes WithTitle and WithSize.
//
// Errors: ErrShape for no bars, or more than 180; ErrDomain for a value that is negative, not finite or beyond 1e300;
// ErrParam for a size that is too small for the bars.
func Bars(xLabel string, bars []Bar, opts ...Option) (image.Image, error) {
	const who, most = "Bars", 180
	if len(bars) == 0 || len(bars) > most {
		return nil, fmt.Errorf("report: %s: there are %d bars; give 1 to %d: %w", who, len(bars), most, ErrShape)
	}
	s, err := settings{title: xLabel, width: 1100, height: 200 + barHeight*len(bars)}.apply(who, opts)
	if err != nil {
		return nil, err
	}
	p := newPanel(xLabel, "")
	var kinds []string
	values := map[string]plotter.Values{} // of each kind, 0 for bars of another
	names := make(plot.ConstantTicks, len(bars))
	for i, b := range bars {
		if err := checkDrawn(fmt.Sprintf("%s: bar %q", who, b.Name), "the value", []float64{b.Value}); err != nil {
			return nil, err
		}
		if b.Value < 0 {
			return nil, fmt.Errorf("report: %s: bar %q: the value %v is negative: %w", who, b.Name, b.Value, ErrDomain)
		}
		if values[b.Kind] == nil {
			kinds, values[b.Kind] = append(kinds, b.Kind), make(plotter.Values, len(bars))
		}
		values[b.Kind][len(bars)-1-i] = b.Value
		room := vg.Length(s.width) * vg.Inch / dpi / 2
		names[i] = plot.Tick{Value: float64(len(bars) - 1 - i), Label: shorten(p.Y.Tick.Label, b.Name, room)}
	}
	var entries []entry
	charts := make([]*plotter.BarChart, len(kinds))
	for i, k := range kinds {
		charts[i] = &plotter.BarChart{Values: values[k], Color: palette[i%len(palette)], Horizontal: true}
		p.Add(charts[i])
		entries = append(entries, entry{k, []plot.Thumbnailer{charts[i]}})
	}
	f := newFigure(s, "")
	if len(kinds) > 1 || kinds[0] != "" {
		f.legend(entries)
	}
	each := f.body.Size().Y / vg.Length(len(bars)+3)
	if each < tickSize {
		return nil, fmt.Errorf("report: %s: %d bars have no room in %d×%d pixels; raise WithSize or draw fewer: %w",
			who, len(bars), s.width, s.height, ErrParam)
	}
	for _, c := range charts {
		c.Width = min(18, each*.72)
	}
	p.Y.Tick.Marker, p.Y.Tick.Length = names, 0
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1.04*p.X.Max, -.6, float64(len(bars))-.4
	if p.X.Max == 0 {
		p.X.Max = 1
	}
	p.draw(f.body)
	return f.image(), nil
}
