package sgd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
)

// The values of FitOptions.Solver.
const (
	Adam = "adam" // Kingma and Ba (2015), with their default moments
	SGD  = "sgd"  // plain stochastic gradient descent
)

// The values of FitOptions.Schedule, by which the learning rates change from epoch to epoch.
const (
	// CosineRate multiplies them by (1 + cos π(n-1)/N)/2 in epoch n of N: Loshchilov and Hutter (2017), SGDR, (5),
	// without restarts.
	CosineRate   = "cosine"
	ConstantRate = "constant" // leaves them unchanged
	LinearRate   = "linear"   // multiplies them by 1 - (n-1)/N
)

// FitOptions are the options of Fit. The zero value is Adam on batches of 256 rows, with rates that follow a cosine to
// 0, for 20 epochs, or 40 if the map is tuned.
//
// Rates have no unit, so the same rates serve data in any unit. LearnRate is relative to the standard deviation of the
// targets, for a LinearHead or HuberHead. MapRate is relative to the layers.Param.Scales of the map's parameters, which
// are root mean squares of frequencies. For SGD, MapRate is relative to the square of these scales over the variance of
// the targets.
//
// This study led to the defaults: scores on a held-out fifth of the training rows, for a Gaussian map with standard
// scaling, Tune(All) and seed 1. The first three are accuracies, the others root mean squared errors in the units of
// the files.
//
//	MapRate, Epochs      .05, 20   .1, 20   .2, 20   .05, 40   .1, 40   .2, 40
//	letter,    D = 512   .9675     .9700    .9691    .9697     .9697    .9703
//	optdigits, D = 256   .9882     .9869    .9817    .9895     .9882    .9856
//	usps,      D = 1024  .9787     .9781    .9540    .9787     .9774    .9458
//	pol,       D = 512   6.138     5.470    5.813    5.551     5.001    5.815
//	kin40k,    D = 512   .0912     .0842    .0749    .0781     .0740    .0692
//	bike,      D = 512   .2453     .2242    .1984    .2195     .1973    .1839
//	elevators, D = 512   .0899     .0887    .0895    .0899     .0900    .0949
type FitOptions struct {
	// Epochs are passes over the rows. 0: 20, or 40 if the map is tuned; of more than 50,000 rows in memory fewer, but at
	// least 8, and also where MapDecays find that more would learn noise.
	Epochs    int
	Batch     int     // rows per step; the last batch of an epoch may have fewer; 0: 256
	LearnRate float64 // of the head; 0: 0.05 for Adam, 0.5 for SGD
	MapRate   float64 // of the map; 0: twice LearnRate for Adam, a hundredth of it for SGD
	Solver    string  // a first-order method, Adam or SGD; empty: Adam
	// Schedule changes both rates from epoch to epoch: CosineRate, ConstantRate or LinearRate; empty: CosineRate. In epoch
	// n of the first WarmUp epochs they are multiplied by n/(WarmUp+1) as well.
	Schedule string
	WarmUp   int
	// ClipNorm limits the norm of the gradient of all parameters together: Pascanu, Mikolov and Bengio (2013),
	// algorithm 1. 0: no limit.
	ClipNorm float64
	// WeightDecay multiplies the head's weights A, not its intercept, by 1 - LearnRate·WeightDecay before each step,
	// under the schedule: Loshchilov and Hutter (2019), Decoupled weight decay regularization, algorithm 2. It is at
	// least 0 and below 1/LearnRate.
	WeightDecay float64
	// MapDecay does the same to the tuned parameters of the map, at MapRate, but for its biases, phases and logarithms. It
	// is at least 0 and below 1/MapRate, whatever their Scales are.
	MapDecay float64
	// MapDecays are values of MapDecay to choose from, where the map is tuned: the one with the least loss on a held-out
	// fifth of the rows, of at most 50,000 in memory, after fits of 8 epochs or more to the others. Later values are tried
	// while the loss falls, and one that misses more classes than another by two standard errors is not taken. Where a
	// fifth is fewer than 600 rows, rows in memory are divided up to eight times, or four for a map with more than 2^20
	// tuned numbers. If the fit to all rows then fails, with more than twice the loss of the short fits, it is begun again
	// with the next best, unless there are Checkpoints. Short fits of layers of this module to rows in memory run in
	// parallel, on GOMAXPROCS copies.
	//
	// Where the best of them misses more than a twentieth of the classes of rows in memory, labels may contradict one
	// another. If Epochs is 0, it is fitted again, with all epochs: if it then has more loss and misses no fewer classes,
	// the fit to all rows ends after as many epochs as the short ones. nil: MapDecay.
	MapDecays []float64
	// Directions turns and scales the frequencies W of a FourierLayer before the fit, W ← M^½ W, where M is the average
	// gradient outer product of ridge regression on its features, scaled to the trace of the identity. It is for the
	// pair form and for at least 100 rows in memory, of at most 512 columns; other maps and rows start as they are.
	// Radhakrishnan et al. (2024), Mechanism for feature learning in neural networks and backpropagation-free machine
	// learning models.
	//
	// With MapDecays, the fits that choose a decay also choose between this start and the map as it is.
	Directions bool
	// LabelSmoothing is ε in [0, 1) of a SoftmaxHead of k classes: the fit is to probabilities of (1 - ε) for the class of
	// a row and ε/k for each class besides. Held-out rows and scores are not smoothed. Szegedy et al. (2016), Rethinking
	// the Inception architecture for computer vision, section 7. -1: 0.1 for more than two classes, and 0 otherwise.
	LabelSmoothing float64
	// ClassWeights multiply the loss of the rows of each class, for a SoftmaxHead, or for another head whose targets
	// are as data.OneVersusRest returns them. They are an error for a head with one output. nil: all are 1.
	ClassWeights []float64
	Lambda       float64 // adds lambda/2 ‖A‖² to the mean loss, for the head's weights A without its intercept
	Seed         uint64  // draws the order of the rows and the held-out rows
	// HeldOut is the fraction of the rows that is held out, in [0, 1). If it is positive, the fit stops once the loss
	// on these rows has not improved for Patience epochs (0: 5), and keeps the parameters of the best epoch.
	HeldOut  float64
	Patience int
	// CacheBytes is the largest size of the features of a frozen map that is kept in memory, so that they are computed
	// once; 0 is 512 MiB, negative is none. Larger features are computed batch by batch in every epoch.
	CacheBytes  int
	ScoreRows   int         // training rows for the score of an epoch; 0: 2000, negative: none, the score is NaN
	Checkpoints Checkpoints // none if its Path is empty
	// Progress is called after each epoch; nil: not called.
	Progress func(fits.Epoch)
	// Chosen is called before a fit to all rows begins, with the options that it has: one MapDecay, and the Directions and
	// the Epochs that short fits have chosen. It is called again if that fit fails. nil: not called.
	Chosen func(FitOptions)
}

// MiniBatch is a fits.Fitter that calls Fit: it fits the head by mini-batches on a Gorgonia graph, and tunes the map as
// its policy says.
type MiniBatch struct {
	FitOptions
	Head string // the kind of head, see layers.NewHead; empty: "linear"
}

// Frozen returns false: the map is tuned as its policy says.
func (MiniBatch) Frozen() bool { return false }

// HeadKind returns Head, or "linear" if it is empty.
func (o MiniBatch) HeadKind() string { return cmp.Or(o.Head, "linear") }

// Fit calls the function Fit.
func (o MiniBatch) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report,
	error) {
	epochs, err := Fit(ctx, m, head, rows, o.FitOptions)
	return &fits.Report{Lambda: o.Lambda, Epochs: epochs}, err
}

// Cost estimates the cost of Fit. It is 0 for options that Fit refuses.
func (o FitOptions) Cost(p fits.Problem) fits.Cost {
	if err := o.fill(false, p.Rows); err != nil {
		return fits.Cost{}
	}
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	cells := p.Cells()
	var c fits.Cost
	c.Hold(8*p.Number()*d*k, "the %d x %d weights, their gradients and moments", p.Features, p.Outputs)
	if !p.Streamed && p.Bytes() <= float64(o.CacheBytes) {
		c.Hold(p.Bytes(), "the %d x %d features", p.Rows, p.Features)
	}
	c.Hold(4*p.Number()*float64(o.Batch)*cells/max(1, n), "batches of %d rows", o.Batch)
	epochs := float64(o.Epochs + 8*len(o.MapDecays))
	c.Operations = epochs * (6*cells*k + math.Ceil(n/float64(o.Batch))*12*d*k)
	return c
}

// Validate returns the error, domain.ErrParam, of Fit for options out of range, with a map that is tuned or is not.
func (o FitOptions) Validate(tuned bool) error { return o.fill(tuned, 0) }

// fill sets the defaults, which depend on whether the map is tuned and on the number of rows in memory, 0 for others, and
// checks the ranges.
func (o *FitOptions) fill(tuned bool, rows int) error {
	epochs, rate, mapRate := 20, .05, 2.
	if tuned {
		const most, fewest, visits = 40, 8, 2_000_000 // rows that all epochs go over
		epochs = min(most, max(fewest, visits/max(1, rows)))
	}
	if o.Solver = cmp.Or(o.Solver, Adam); o.Solver == SGD {
		rate, mapRate = .5, .01
	}
	o.Epochs, o.Batch, o.Patience, o.CacheBytes, o.ScoreRows = cmp.Or(o.Epochs, epochs), cmp.Or(o.Batch, 256),
		cmp.Or(o.Patience, 5), cmp.Or(o.CacheBytes, 512<<20), cmp.Or(o.ScoreRows, 2000)
	o.LearnRate, o.Schedule = cmp.Or(o.LearnRate, rate), cmp.Or(o.Schedule, CosineRate)
	most := slices.Max(append(o.MapDecays[:len(o.MapDecays):len(o.MapDecays)], o.MapDecay))
	fast := o.MapRate == 0 && mapRate*o.LearnRate*most >= 1
	o.MapRate = cmp.Or(o.MapRate, mapRate*o.LearnRate)
	if err := o.Checkpoints.fill(); err != nil {
		return err
	}
	decays := func(d, rate float64) bool { return d >= 0 && rate*d < 1 }
	wrong := slices.ContainsFunc(o.MapDecays, func(d float64) bool { return !decays(d, o.MapRate) })
	check := given.Options("Fit")
	return cmp.Or(
		check(o.Epochs >= 1, "Epochs", o.Epochs, "at least 1"),
		check(o.Batch >= 1, "Batch", o.Batch, "at least 1"),
		check(o.Patience >= 1, "Patience", o.Patience, "at least 1"),
		check(o.LearnRate > 0 && !math.IsInf(o.LearnRate, 0), "LearnRate", o.LearnRate, "a number above 0"),
		check(!fast, "LearnRate", fmt.Sprintf("%v (--lr)", o.LearnRate), fmt.Sprintf("below %v, or a MapRate", 1/(mapRate*most))),
		check(o.MapRate > 0 && !math.IsInf(o.MapRate, 0), "MapRate", o.MapRate, "a number above 0"),
		check(o.Lambda >= 0 && !math.IsInf(o.Lambda, 0), "Lambda", o.Lambda, "a number of at least 0"),
		check(o.HeldOut >= 0 && o.HeldOut < 1, "HeldOut", o.HeldOut, "a fraction in [0, 1)"),
		check(slices.Contains([]string{CosineRate, ConstantRate, LinearRate}, o.Schedule), "Schedule", o.Schedule,
			"CosineRate, ConstantRate or LinearRate"),
		check(o.WarmUp >= 0 && o.WarmUp < o.Epochs, "WarmUp", o.WarmUp,
			fmt.Sprintf("0 to fewer than the %d epochs", o.Epochs)),
		check(o.ClipNorm >= 0 && !math.IsInf(o.ClipNorm, 0), "ClipNorm", o.ClipNorm, "a number of at least 0"),
		check(decays(o.WeightDecay, o.LearnRate), "WeightDecay", o.WeightDecay,
			fmt.Sprintf("at least 0 and below 1/LearnRate = %v", 1/o.LearnRate)),
		check(decays(o.MapDecay, o.MapRate), "MapDecay", o.MapDecay,
			fmt.Sprintf("at least 0 and below 1/MapRate = %v", 1/o.MapRate)),
		check(o.MapDecays == nil || len(o.MapDecays) > 0 && o.MapDecay == 0, "MapDecays", o.MapDecays,
			fmt.Sprintf("some or nil, and none beside MapDecay = %v", o.MapDecay)),
		check(!wrong, "MapDecays", o.MapDecays,
			fmt.Sprintf("numbers of at least 0 and below 1/MapRate = %v", 1/o.MapRate)),
		check(o.LabelSmoothing == -1 || o.LabelSmoothing >= 0 && o.LabelSmoothing < 1, "LabelSmoothing",
			o.LabelSmoothing, "a fraction in [0, 1), or -1 to choose by the classes"),
		check(o.Solver == Adam || o.Solver == SGD, "Solver", o.Solver, "Adam or SGD"),
	)
}

// suits wants a head that learns classes for what only such a head has, and one weight for each class. It chooses
// the LabelSmoothing of -1.
func (o *FitOptions) suits(head layers.Head) error {
	if o.LabelSmoothing == -1 {
		if o.LabelSmoothing = 0; head.Classifies() && head.Features() > 2 {
			o.LabelSmoothing = .1
		}
	}
	switch {
	case o.LabelSmoothing > 0 && !head.Classifies():
		return fmt.Errorf("train: Fit: there is LabelSmoothing, and %v has no probabilities; use a SoftmaxHead: %w", head,
			domain.ErrParam)
	case o.ClassWeights == nil:
		return nil
	case head.Features() < 2:
		return fmt.Errorf("train: Fit: there are ClassWeights, and %v has one output, of no classes: %w", head,
			domain.ErrParam)
	}
	return given.CheckWeights("Fit", o.ClassWeights, head.Features())
}

// rate is the factor of the learning rates in epoch n.
func (o *FitOptions) rate(n int) float64 {
	factor, done := 1.0, float64(n-1)/float64(o.Epochs)
	switch o.Schedule {
	case CosineRate:
		factor = (1 + math.Cos(math.Pi*done)) / 2
	case LinearRate:
		factor = 1 - done
	}
	if n <= o.WarmUp {
		factor *= float64(n) / float64(o.WarmUp+1)
	}
	return factor
}
