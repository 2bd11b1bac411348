package report

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// History holds the losses and scores of a fit by epoch: entry i of each list belongs to epoch i+1. A list may be nil,
// and an entry may be NaN if nothing was measured.
type History struct {
	Loss, HeldOutLoss   []float64
	Score, HeldOutScore []float64
	LossName            string // label of the axis; "loss" if empty
	ScoreName           string // label of the axis; "accuracy (share of rows)" if empty
}

// Add appends an epoch, with the values of fits.Epoch. If heldOutLoss is NaN, nothing is held out.
func (h *History) Add(loss, score, heldOutLoss, heldOutScore float64) {
	h.Loss, h.Score = append(h.Loss, loss), append(h.Score, score)
	if !math.IsNaN(heldOutLoss) {
		h.HeldOutLoss, h.HeldOutScore = append(h.HeldOutLoss, heldOutLoss), append(h.HeldOutScore, heldOutScore)
	}
}

// Curves draws loss and score by epoch, side by side, or one above the other if the size is higher than wide. Training
// curves are solid, held-out curves dashed. A panel without values is left out. The lines skip values that are NaN or
// infinite, and the line below the title counts them. It takes WithTitle and WithSize.
//
// Errors: ErrShape for no epochs or lists of different lengths; ErrDomain if no value can be drawn, or for a finite
// value beyond 1e300; ErrParam for a size out of range.
func Curves(h History, opts ...Option) (image.Image, error) {
	const who = "Curves"
	panels, epochs, err := h.panels(who)
	if err != nil {
		return nil, err
	}
	least := minSide
	if len(panels) == 2 {
		least = twoPanels
	}
	s, err := settings{title: "Training by epoch", width: 240 + 560*len(panels), height: 640, least: least}.apply(who, opts)
	if err != nil {
		return nil, err
	}
	f := newFigure(s, h.numbers(panels, epochs))
	f.legend(curveLegend(panels))
	for i, area := range f.panels(len(panels)) {
		panels[i].draw(area, epochs)
	}
	return f.image(), nil
}

// curvePanel is the loss or the score, on training and held-out rows.
type curvePanel struct {
	name           string
	train, heldOut []float64
}

func (h History) panels(who string) (out []curvePanel, epochs int, err error) {
	or := func(name, otherwise string) string {
		if name == "" {
			return otherwise
		}
		return name
	}
	all := []struct {
		name string
		list []float64
	}{{"Loss", h.Loss}, {"HeldOutLoss", h.HeldOutLoss}, {"Score", h.Score}, {"HeldOutScore", h.HeldOutScore}}
	first := ""
	drawable := false
	for _, l := range all {
		if len(l.list) == 0 {
			continue
		}
		if first == "" {
			first, epochs = l.name, len(l.list)
		}
		if err := checkSameLength(who, first, epochs, l.name, len(l.list)); err != nil {
			return nil, 0, err
		}
		for i, v := range l.list {
			drawable = drawable || finite(v)
			if finite(v) && math.Abs(v) > maxDrawn {
				return nil, 0, fmt.Errorf("report: %s: %s[%d] = %v is beyond ±%v and cannot be drawn: %w", who, l.name, i, v, maxDrawn, ErrDomain)
			}
		}
	}
	if epochs == 0 {
		return nil, 0, fmt.Errorf("report: %s: there are no epochs: %w", who, ErrShape)
	}
	if !drawable {
		return nil, 0, fmt.Errorf("report: %s: none of the values is a finite number: %w", who, ErrDomain)
	}
	for _, p := range []curvePanel{
		{or(h.LossName, "loss"), h.Loss, h.HeldOutLoss},
		{or(h.ScoreName, "accuracy (share of rows)"), h.Score, h.HeldOutScore},
	} {
		if len(p.train)+len(p.heldOut) > 0 {
			out = append(out, p)
		}
	}
	return out, epochs, nil
}

// numbers is the line below the title: the last values, and the number of values that could not be drawn.
func (h History) numbers(panels []curvePanel, epochs int) string {
	var parts []string
	for _, p := range panels {
		name, _, _ := strings.Cut(p.name, " (")
		for _, part := range []struct {
			of   string
			list []float64
		}{{"training", p.train}, {"held-out", p.heldOut}} {
			if n := len(part.list); n > 0 && !math.IsNaN(part.list[n-1]) {
				parts = append(parts, fmt.Sprintf("%s %s %s", part.of, name, short(part.list[n-1])))
			}
		}
	}
	out := fmt.Sprintf("after epoch %d", epochs)
	if len(parts) > 0 {
		out += ": " + strings.Join(parts, ", ")
	}
	if lost := undrawn(panels); lost != "" {
		out += "; not drawn: " + lost
	}
	return out
}

// undrawn counts the values that cannot be drawn.
func undrawn(panels []curvePanel) string {
	nan, inf := 0, 0
	for _, p := range panels {
		for _, v := range slices.Concat(p.train, p.heldOut) {
			switch {
			case math.IsNaN(v):
				nan++
			case math.IsInf(v, 0):
				inf++
			}
		}
	}
	switch {
	case nan+inf == 0:
		return ""
	case inf == 0:
		return fmt.Sprintf("%d NaN", nan)
	case nan == 0:
		return fmt.Sprintf("%d infinite", inf)
	}
	return fmt.Sprintf("%d NaN, %d infinite", nan, inf)
}

func curveLegend(panels []curvePanel) (out []entry) {
	for i, part := range []struct {
		name string
		list func(curvePanel) []float64
	}{
		{"training rows", func(p curvePanel) []float64 { return p.train }},
		{"held-out rows", func(p curvePanel) []float64 { return p.heldOut }},
	} {
		shown := entry{name: part.name, line: seriesLine(i)}
		for _, p := range panels {
			if drawn(part.list(p)) > 0 && drawn(part.list(p)) <= maxMarked {
				shown.glyph = seriesGlyph(i)
			}
		}
		if slices.ContainsFunc(panels, func(p curvePanel) bool { return len(part.list(p)) > 0 }) {
			out = append(out, shown)
		}
	}
	return out
}

// drawn counts the values that a curve shows.
func drawn(list []float64) (n int) {
	for _, v := range list {
		if finite(v) {
			n++
		}
	}
	return n
}

const maxMarked = 15 // the largest number of points that a curve marks one by one

func (p curvePanel) draw(area draw.Canvas, epochs int) {
	panel := newPanel("epoch", p.name, niceTicks{n: 6, whole: true, first: true}, niceTicks{n: 6})
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, list := range [][]float64{p.train, p.heldOut} {
		pts := make(plotter.XYs, 0, len(list))
		for e, v := range list {
			if finite(v) {
				pts = append(pts, plotter.XY{X: float64(e + 1), Y: v})
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if len(pts) == 0 {
			continue
		}
		addSeries(panel, pts, i, len(pts) <= maxMarked)
	}
	if lo > hi {
		lo, hi = 0, 0 // an empty panel; the line below the title counts its values
	}
	lo, hi = spread(lo, hi, 0.05)
	panel.setRange(1, float64(epochs), lo, hi)
	if epochs == 1 {
		panel.X.Min, panel.X.Max = 0.5, 1.5
		panel.X.Tick.Marker = plot.ConstantTicks{{Value: 1, Label: "1"}}
	}
	panel.draw(area)
}

// addSeries draws finite points in the style of series i, joined by a line, with or without marks.
func addSeries(p *panel, pts plotter.XYs, i int, marked bool) {
	if len(pts) > 1 {
		p.Add(&plotter.Line{XYs: pts, LineStyle: seriesLine(i)})
	}
	if marked || len(pts) == 1 {
		p.Add(&plotter.Scatter{XYs: pts, GlyphStyle: seriesGlyph(i)})
	}
}

// maxDrawn is the largest magnitude on a linear axis that cannot overflow.
const maxDrawn = 1e300
