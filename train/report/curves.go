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
	curves, err := h.curves(who)
	if err != nil {
		return nil, err
	}
	var panels []*panel
	var legend []entry
	for i, c := range curves {
		if i == 0 || c.score != curves[i-1].score {
			panels = append(panels, newPanel("epoch", c.axis))
		}
		if p := panels[len(panels)-1]; c.points != nil {
			p.series(c.part, partNames[c.part]+" rows", c.points, nil, true, len(c.points) <= maxMarked)
			if e := p.legend[len(p.legend)-1]; !slices.ContainsFunc(legend, func(o entry) bool { return o.name == e.name }) {
				legend = append(legend, e)
			}
		}
	}
	s := settings{title: "Training by epoch", width: 240 + 560*len(panels), height: 640}
	if len(panels) == 2 {
		s.least = twoPanels
	}
	if s, err = s.apply(who, opts); err != nil {
		return nil, err
	}
	f := newFigure(s, numbersOf(curves))
	f.legend(legend)
	for i, area := range f.panels(len(panels)) {
		panels[i].byEpoch(len(curves[0].values))
		panels[i].draw(area)
	}
	return f.image(), nil
}

// curve is one list of a History.
type curve struct {
	field  string // of History
	axis   string // its label
	score  bool   // or the loss
	part   int    // of partNames
	values []float64
	points plotter.XYs // the finite values
}

// partNames name the rows that a curve is of.
var partNames = [2]string{"training", "held-out"}

// curves are the lists that are not empty: checked, losses first.
func (h History) curves(who string) (out []curve, err error) {
	loss, score := cmp.Or(h.LossName, "loss"), cmp.Or(h.ScoreName, "accuracy (share of rows)")
	drawable := false
	for _, c := range []curve{
		{"Loss", loss, false, 0, h.Loss, nil}, {"HeldOutLoss", loss, false, 1, h.HeldOutLoss, nil},
		{"Score", score, true, 0, h.Score, nil}, {"HeldOutScore", score, true, 1, h.HeldOutScore, nil},
	} {
		if len(c.values) == 0 {
			continue
		}
		out = append(out, c)
		if err := checkSameLength(who, out[0].field, len(out[0].values), c.field, len(c.values)); err != nil {
			return nil, err
		}
		for i, v := range c.values {
			if !finite(v) {
				continue
			}
			if math.Abs(v) > maxDrawn {
				return nil, fmt.Errorf("report: %s: %s[%d] = %v is beyond ±%v and cannot be drawn: %w", who, c.field, i, v,
					maxDrawn, ErrDomain)
			}
			drawable = true
			last := &out[len(out)-1]
			last.points = append(last.points, plotter.XY{X: float64(i + 1), Y: v})
		}
	}
	switch {
	case out == nil:
		return nil, fmt.Errorf("report: %s: there are no epochs: %w", who, ErrShape)
	case !drawable:
		return nil, fmt.Errorf("report: %s: none of the values is a finite number: %w", who, ErrDomain)
	}
	return out, nil
}

// numbersOf is the line below the title: the last values, and the number of values that could not be drawn.
func numbersOf(curves []curve) string {
	var last, lost []string
	nan, inf := 0, 0
	epochs := len(curves[0].values)
	for _, c := range curves {
		name, _, _ := strings.Cut(c.axis, " (")
		if v := c.values[epochs-1]; !math.IsNaN(v) {
			last = append(last, fmt.Sprintf("%s %s %s", partNames[c.part], name, short(v)))
		}
		for _, v := range c.values {
			if math.IsNaN(v) {
				nan++
			} else if math.IsInf(v, 0) {
				inf++
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

// byEpoch sets the axes of a panel, which may be empty.
func (p *panel) byEpoch(epochs int) {
	if p.Y.Min > p.Y.Max {
		p.Y.Min, p.Y.Max = 0, 0
	}
	widen(&p.Y, .05)
	p.X.Min, p.X.Max, p.X.Tick.Marker = 1, float64(epochs), ticks{whole: true}
	if epochs == 1 {
		p.X.Min, p.X.Max, p.X.Tick.Marker = 0.5, 1.5, plot.ConstantTicks{{Value: 1, Label: "1"}}
	}
}
