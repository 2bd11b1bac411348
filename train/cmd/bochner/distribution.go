package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strconv"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// coverage is how well a model knows its errors, on the test rows. Intervals and sets are conformal ones.
type coverage struct {
	NLL           *float64 `json:"nll,omitempty"`         // in nats; nil of targets without a posterior
	Coverage90    *float64 `json:"coverage_90,omitempty"` // of the level .9; nil where held-out rows are too few
	ECE           *float64 `json:"ece,omitempty"`         // of classes
	Level         float64  `json:"level"`
	Coverage      float64  `json:"coverage"`                  // of the level: the share of rows in their interval or set
	IntervalWidth *float64 `json:"interval_width,omitempty"`  // of the level, the mean
	SetSize       *float64 `json:"set_size,omitempty"`        // of the level, the mean number of classes
	Normal        *float64 `json:"coverage_normal,omitempty"` // of the normal distribution's intervals of the level
}

// uncertainty is a coverage with what its picture shows.
type uncertainty struct {
	coverage
	classes              bool
	bins                 []calibrate.Bin
	curve, normalCurve   report.Line // coverage by level, of conformal intervals or sets and of the normal distribution
	someIntervals, truth report.Line // of some rows in the order of their means
}

// levels are where the coverage is drawn.
var levels = []float64{.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99}

// measureUncertainty predicts the test rows with their distribution, and measures it.
func (r *result) measureUncertainty(ctx context.Context, m *train.Model, test data.Examples, level float64) error {
	var first, second, y []float64 // the probabilities, or means and standard deviations; and the targets
	k := m.Head.Features()
	for b, err := range test.Blocks(ctx, 0) {
		if err != nil {
			return err
		}
		p, err := m.PredictionPrepared(b.X)
		if err != nil {
			return b.Locate(err)
		}
		of := p.Probabilities
		if m.Classes == nil {
			of = p.Scores
		}
		first, y = append(first, of.RawMatrix().Data...), append(y, b.Y.RawMatrix().Data...)
		if p.Distribution != nil {
			second = append(second, p.Distribution.Std.RawMatrix().Data...)
		}
	}
	n := len(y) / k
	u := &uncertainty{coverage: coverage{Level: level}, classes: m.Classes != nil}
	r.uncertainty, r.coverage = u, &u.coverage
	p, targets := mat.NewDense(n, k, first), mat.NewDense(n, k, y)
	var std *mat.Dense
	if second != nil {
		std = mat.NewDense(n, k, second)
	}
	var err error
	if u.classes {
		err = u.ofClasses(m.Uncertainty, p, train.ArgMax(targets))
	} else {
		err = u.ofTargets(m.Uncertainty, p, std, targets)
	}
	if i := slices.Index(u.curve.X, .9); i >= 0 {
		u.Coverage90 = &u.curve.Y[i]
	}
	return err
}

// ofClasses measures probabilities and sets.
func (s *uncertainty) ofClasses(u *train.Uncertainty, p *mat.Dense, labels []int) error {
	nll, err := calibrate.NLL(p, labels)
	if err == nil {
		s.bins, err = calibrate.Reliability(p, labels, 0)
	}
	if err != nil {
		return err
	}
	ece, err := calibrate.ECE(p, labels, 0)
	if err != nil {
		return err
	}
	s.NLL, s.ECE, s.SetSize = &nll, &ece, new(float64)
	s.curve, s.Coverage, *s.SetSize, err = s.measure(func(level float64) (covers, size float64, err error) {
		sets, err := u.Sets.All(level, p)
		if err != nil {
			return 0, 0, err
		}
		return calibrate.SetCoverage(sets, labels)
	})
	return err
}

// ofTargets measures intervals.
func (s *uncertainty) ofTargets(u *train.Uncertainty, mean, std, y *mat.Dense) error {
	n, k := y.Dims()
	covered := func(lower, upper *mat.Dense, err error) (covers, width float64, _ error) {
		if err != nil {
			return 0, 0, err
		}
		all, err := calibrate.Coverage(y, lower, upper)
		var wide mat.Dense
		wide.Sub(upper, lower)
		return stat.Mean(all, nil), mat.Sum(&wide) / float64(n*k), err
	}
	if std != nil {
		d := &train.Distribution{Mean: mean, Std: std}
		nll, err := d.NLL(y)
		if err != nil {
			return err
		}
		normal := func(level float64) (covers, width float64, err error) {
			lower, err := d.Quantile((1 - level) / 2)
			if err != nil {
				return 0, 0, err
			}
			upper, err := d.Quantile((1 + level) / 2)
			return covered(lower, upper, err)
		}
		s.NLL, s.Normal = &nll, new(float64)
		if s.normalCurve, *s.Normal, _, err = s.measure(normal); err != nil {
			return err
		}
	}
	var err error
	s.IntervalWidth = new(float64)
	s.curve, s.Coverage, *s.IntervalWidth, err = s.measure(func(level float64) (covers, width float64, err error) {
		return covered(u.Intervals.Bounds(level, mean, std))
	})
	if err != nil {
		return err
	}
	lower, upper, err := u.Intervals.Bounds(s.Level, mean, std)
	if err == nil {
		s.pickIntervals(mean, lower, upper, y)
	}
	return err
}

// measure is the coverage of intervals or sets by level, as far as there are rows enough for it, and at the level that is
// asked for, there with their mean size.
func (s *uncertainty) measure(at func(level float64) (covers, size float64, err error)) (curve report.Line, covers,
	size float64, err error) {
	for _, level := range levels {
		covers, _, err := at(level)
		if errors.Is(err, domain.ErrShape) && len(curve.X) > 0 {
			break
		}
		if err != nil {
			return curve, 0, 0, err
		}
		curve.X, curve.Y = append(curve.X, level), append(curve.Y, covers)
	}
	covers, size, err = at(s.Level)
	return curve, covers, size, err
}

// pickIntervals picks up to 60 rows, evenly in the order of their means, of the first target.
func (s *uncertainty) pickIntervals(mean, lower, upper, y *mat.Dense) {
	const most = 60
	n, _ := mean.Dims()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mean.At(a, 0), mean.At(b, 0)) })
	s.someIntervals.Name = fmt.Sprintf("intervals of %g %%", 100*s.Level)
	s.truth.Name, s.truth.Points = "true targets", true
	for i := range min(most, n) {
		r, x := order[i*n/min(most, n)], float64(i+1)
		lo, hi := lower.At(r, 0), upper.At(r, 0)
		s.someIntervals.Add(x, (lo+hi)/2, (hi-lo)/2)
		s.truth.X, s.truth.Y = append(s.truth.X, x), append(s.truth.Y, y.At(r, 0))
	}
}

// show prints what the test rows say of the distribution.
func (s *uncertainty) show() {
	percent := strconv.FormatFloat(100*s.Level, 'g', 4, 64) + " %"
	if s.NLL != nil {
		fmt.Printf("nll          %.4f test\n", *s.NLL)
	}
	if s.classes {
		fmt.Printf("calibration  expected error %.4f test\n", *s.ECE)
		fmt.Printf("sets         of %s cover %.4f test, %.4g classes\n", percent, s.Coverage, *s.SetSize)
		return
	}
	fmt.Printf("intervals    of %s cover %.4f test, %.4g wide", percent, s.Coverage, *s.IntervalWidth)
	if s.Normal != nil {
		fmt.Printf("; of the normal distribution %.4f", *s.Normal)
	}
	fmt.Println()
}

// draw draws the coverage by level and, beside it, probabilities against accuracies, or some intervals.
func (s *uncertainty) draw() (image.Image, error) {
	ideal := report.Line{Name: "as asked", X: []float64{0, 1}, Y: []float64{0, 1}}
	curve, what := s.curve, "sets"
	curve.Name = "conformal sets"
	if !s.classes {
		curve.Name, what = "conformal intervals", "intervals"
	}
	lines := []report.Line{ideal, curve}
	if s.normalCurve.X != nil {
		normal := s.normalCurve
		normal.Name = "normal distribution"
		lines = append(lines, normal)
	}
	coverage, err := report.Lines("level", "share of test rows covered", lines, report.WithEqualAxes(),
		report.WithTitle("How often "+what+" cover"))
	if err != nil {
		return nil, err
	}
	var second image.Image
	if s.classes {
		bins := report.Line{Name: "test rows, in 15 bins", Points: true}
		for _, b := range s.bins {
			bins.X, bins.Y = append(bins.X, b.Confidence), append(bins.Y, b.Accuracy)
		}
		second, err = report.Lines("probability of the predicted class", "share of rows that have it",
			[]report.Line{ideal, bins}, report.WithEqualAxes(), report.WithTitle("Reliability"))
	} else {
		second, err = report.Lines("test rows in the order of their predictions", "target",
			[]report.Line{s.someIntervals, s.truth}, report.WithTitle("Intervals of some test rows"))
	}
	if err != nil {
		return nil, err
	}
	return report.Grid(2, coverage, second)
}
