package report

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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
	var drawn []*panel
	var legend []entry
	for _, p := range panels {
		drawn = append(drawn, p.panel(epochs))
		for _, e := range drawn[len(drawn)-1].legend {
			if !slices.ContainsFunc(legend, func(other entry) bool { return other.name == e.name }) {
				legend = append(legend, e)
			}
		}
	}
	f := newFigure(s, numbersOf(panels, epochs))
	f.legend(legend)
	for i, area := range f.panels(len(drawn)) {
		drawn[i].draw(area)
	}
	return f.image(), nil
}

// curvePanel is the loss or the score, on training and held-out rows.
type curvePanel struct {
	name  string
	lists [2][]float64
}

// partNames name the lists of a curvePanel.
var partNames = [2]string{"training", "held-out"}

func (h History) panels(who string) (out []curvePanel, epochs int, err error) {
	first, drawable := "", false
	for _, l := range []struct {
		name string
		list []float64
	}{{"Loss", h.Loss}, {"HeldOutLoss", h.HeldOutLoss}, {"Score", h.Score}, {"HeldOutScore", h.HeldOutScore}} {
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
		{cmp.Or(h.LossName, "loss"), [2][]float64{h.Loss, h.HeldOutLoss}},
		{cmp.Or(h.ScoreName, "accuracy (share of rows)"), [2][]float64{h.Score, h.HeldOutScore}},
	} {
		if len(p.lists[0])+len(p.lists[1]) > 0 {
			out = append(out, p)
		}
	}
	return out, epochs, nil
}

// numbersOf is the line below the title: the last values, and the number of values that could not be drawn.
func numbersOf(panels []curvePanel, epochs int) string {
	var last, lost []string
	nan, inf := 0, 0
	for _, p := range panels {
		name, _, _ := strings.Cut(p.name, " (")
		for i, list := range p.lists {
			if n := len(list); n > 0 && !math.IsNaN(list[n-1]) {
				last = append(last, fmt.Sprintf("%s %s %s", partNames[i], name, short(list[n-1])))
			}
			for _, v := range list {
				if math.IsNaN(v) {
					nan++
				} else if math.IsInf(v, 0) {
					inf++
				}
			}
		}
	}
	out := fmt.Sprintf("after epoch %d", epochs)
	if len(last) > 0 {
		out += ": " + strings.Join(last, ", ")
	}
	if nan > 0 {
		lost = append(lost, fmt.Sprintf("%d NaN", nan))
	}
	if inf > 0 {
		lost = append(lost, fmt.Sprintf("%d infinite", inf))
	}
	if len(lost) > 0 {
		out += "; not drawn: " + strings.Join(lost, ", ")
	}
	return out
}

// panel draws the finite values; it is empty if there are none.
func (p curvePanel) panel(epochs int) *panel {
	out := newPanel("epoch", p.name)
	for i, list := range p.lists {
		pts := make(plotter.XYs, 0, len(list))
		for e, v := range list {
			if finite(v) {
				pts = append(pts, plotter.XY{X: float64(e + 1), Y: v})
			}
		}
		if len(pts) > 0 {
			out.series(i, partNames[i]+" rows", pts, nil, true, len(pts) <= maxMarked)
		}
	}
	if out.Y.Min > out.Y.Max {
		out.Y.Min, out.Y.Max = 0, 0
	}
	widen(&out.Y, .05)
	out.X.Min, out.X.Max = 1, float64(epochs)
	out.X.Tick.Marker = ticks{whole: true}
	if epochs == 1 {
		out.X.Min, out.X.Max = 0.5, 1.5
		out.X.Tick.Marker = plot.ConstantTicks{{Value: 1, Label: "1"}}
	}
	return out
}
