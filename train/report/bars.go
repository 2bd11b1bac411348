package report

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	panel := newPanel(xLabel, "", niceTicks{n: 6}, nil)
	var kinds []string
	longest, names := 0., make([]plot.Tick, len(bars))
	style := textStyle(tickSize, ink)
	for i, b := range bars {
		if err := checkDrawn(fmt.Sprintf("%s: bar %q", who, b.Name), "the value", []float64{b.Value}); err != nil {
			return nil, err
		}
		if b.Value < 0 {
			return nil, fmt.Errorf("report: %s: bar %q: the value %v is negative: %w", who, b.Name, b.Value, ErrDomain)
		}
		if !slices.Contains(kinds, b.Kind) {
			kinds = append(kinds, b.Kind)
		}
		longest = max(longest, b.Value)
		names[i] = plot.Tick{Value: -float64(i), Label: shorten(style, b.Name, vg.Length(s.width)*vg.Inch/dpi/2)}
	}
	if longest == 0 {
		longest = 1
	}
	panel.Y.Tick.Marker, panel.Y.Tick.Length = plot.ConstantTicks(names), 0
	panel.setRange(0, 1.04*longest, -float64(len(bars))+.4, .6)
	panel.Add(barPlotter{bars, kinds})
	f := newFigure(s, "")
	if len(kinds) > 1 || kinds[0] != "" {
		var entries []entry
		for i, k := range kinds {
			entries = append(entries, entry{name: k, glyph: draw.GlyphStyle{Color: palette[i%len(palette)], Radius: 4, Shape: draw.BoxGlyph{}}})
		}
		f.legend(entries)
	}
	if f.body.Size().Y < vg.Length(len(bars)+3)*tickSize {
		return nil, fmt.Errorf("report: %s: %d bars have no room in %d×%d pixels; raise WithSize or draw fewer: %w", who, len(bars), s.width, s.height, ErrParam)
	}
	panel.draw(f.body)
	return f.image(), nil
}

// barPlotter draws the bars; bar i is at height -i.
type barPlotter struct {
	bars  []Bar
	kinds []string
}

// Plot implements plot.Plotter.
func (p barPlotter) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	for i, b := range p.bars {
		half := min(9, math.Abs(float64(y(0)-y(1)))*.36)
		at := y(-float64(i))
		c.SetColor(palette[slices.Index(p.kinds, b.Kind)%len(palette)])
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(0), Y: at - vg.Length(half)}, Max: vg.Point{X: x(b.Value), Y: at + vg.Length(half)}}.Path())
	}
}
