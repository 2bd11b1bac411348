package report

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Ranking says how well scores separate the rows of one class, the positive ones, from the others, at every threshold.
// NewRanking makes it. Rows whose score is at least the threshold count as positive: hits if they are, and else false
// alarms. The numbers of the zero value are NaN.
type Ranking struct {
	hits, alarms    []float64 // shares of the positive and of the other rows by threshold, from 0 to 1
	positive, other float64   // numbers of rows
}

// NewRanking ranks the rows by their scores, such as the probability of the positive class. Errors: ErrShape when the
// lengths differ or are 0; ErrDomain for a score that is not finite, and for rows that are all positive or all not.
func NewRanking(scores []float64, positive []bool) (*Ranking, error) {
	const who = "NewRanking"
	if err := samePairs(who, len(scores), len(positive)); err != nil {
		return nil, err
	}
	r := new(Ranking)
	for i, s := range scores {
		if s-s != 0 {
			return nil, fmt.Errorf("report: %s: the score of row %d is %v, not a finite number; drop the row: %w", who, i, s, ErrDomain)
		}
		if positive[i] {
			r.positive++
		} else {
			r.other++
		}
	}
	if r.positive == 0 || r.other == 0 {
		return nil, fmt.Errorf("report: %s: %v rows are positive and %v are not; give at least one of each: %w", who,
			r.positive, r.other, ErrDomain)
	}
	scores, positive = slices.Clone(scores), slices.Clone(positive)
	stat.SortWeightedLabeled(scores, positive, nil)
	r.hits, r.alarms, _ = stat.ROC(nil, scores, positive, nil)
	return r, nil
}

// AUC returns the area under the curve of hits over false alarms, which is the probability that a positive row has a
// higher score than another one, plus half the probability that the scores are equal.
func (r *Ranking) AUC() float64 {
	if r.hits == nil {
		return math.NaN()
	}
	return integrate.Trapezoidal(r.alarms, r.hits)
}

// AveragePrecision returns Σ (h_i - h_{i-1}) p_i over the thresholds, where h_i is the share of hits and the precision
// p_i is the share of positive rows among those that count as positive.
func (r *Ranking) AveragePrecision() float64 {
	if r.hits == nil {
		return math.NaN()
	}
	sum := 0.
	for i, h := range r.hits[1:] {
		sum += (h - r.hits[i]) * h * r.positive / (h*r.positive + r.alarms[i+1]*r.other)
	}
	return sum
}

// EqualErrorRate returns the share of missed rows where it equals the share of false alarms, between thresholds by
// linear interpolation.
func (r *Ranking) EqualErrorRate() float64 {
	if r.hits == nil {
		return math.NaN()
	}
	i := 0
	for 1-r.hits[i] > r.alarms[i] {
		i++
	}
	if i == 0 {
		return r.alarms[0]
	}
	before, after := 1-r.hits[i-1]-r.alarms[i-1], r.alarms[i]+r.hits[i]-1
	return r.alarms[i-1] + (r.alarms[i]-r.alarms[i-1])*before/(before+after)
}

// ROC returns the curve of hits over false alarms, the receiver operating characteristic, for Lines and DET.
func (r *Ranking) ROC(name string) Line { return Line{Name: name, X: r.alarms, Y: r.hits} }

// DET draws curves of Ranking.ROC as detection error tradeoffs: the share of missed rows over the share of false alarms,
// on axes of normal quantiles. Shares below 0.0005 or above 0.9995 are drawn there. It takes WithTitle and WithSize.
// Martin et al. (1997), The DET curve in assessment of detection task performance.
//
// Errors: ErrShape for no curves, an empty one or lists of different lengths; ErrDomain for a number that is no share;
// ErrParam for more curves than the legend has room for, and for a size out of range.
func DET(curves []Line, opts ...Option) (image.Image, error) {
	const who, least = "DET", .0005
	s, err := settings{title: "Missed rows by false alarms", width: 800, height: 880, equal: true}.apply(who, opts)
	if err == nil {
		err = checkLines(who, curves, false)
	}
	if err != nil {
		return nil, err
	}
	quantile := func(share float64) float64 { return distuv.UnitNormal.Quantile(min(max(share, least), 1-least)) }
	p := newPanel("false alarms (share of the other rows)", "missed (share of the positive rows)")
	for i, c := range curves {
		points := make(plotter.XYs, len(c.X))
		for j, x := range c.X {
			y := c.Y[j]
			if x < 0 || x > 1 || y < 0 || y > 1 {
				return nil, fmt.Errorf("report: %s: line %q: point %d is (%v, %v), not two shares in [0, 1]: %w", who, c.Name,
					j, x, y, ErrDomain)
			}
			points[j] = plotter.XY{X: quantile(x), Y: quantile(1 - y)}
		}
		p.series(i, c.Name, points, nil, true, false)
	}
	var marks plot.ConstantTicks
	for _, share := range []float64{.001, .01, .05, .2, .5, .8, .95, .99, .999} {
		marks = append(marks, plot.Tick{Value: quantile(share), Label: fmt.Sprint(share)})
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Min, axis.Max, axis.Tick.Marker = quantile(least), quantile(1-least), marks
	}
	return p.picture(who, s)
}
