package sgd

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gorgonia.org/tensor"
)

// Solver is a first-order method.
type Solver int

const (
	// Adam is Kingma and Ba (2015), with their defaults for the moments.
	Adam Solver = iota
	// SGD is plain stochastic gradient descent.
	SGD
)

// FitOptions are the options of Fit. The zero value is Adam on batches of 256 rows, with rates that fall by a cosine, for
// 20 epochs, or 40 where the map is tuned.
//
// Rates have no unit: they are relative to the standard deviation of the targets (of a LinearHead or HuberHead) and to the
// layers.Param.Scales of the map's parameters, which are root mean squares of frequencies. So the same rates serve data in
// any unit. For plain descent, SGD, the rate of the map is relative to their square over the variance of the targets.
//
// The defaults come from a study on rows set aside from the training files (a fifth; gaussian, standard, Tune(All), seed 1):
//
//	MapRate, Epochs      .05, 20   .1, 20   .2, 20   .05, 40   .1, 40   .2, 40
//	letter,    D = 512   .9675     .9700    .9691    .9697     .9697    .9703
//	optdigits, D = 256   .9882     .9869    .9817    .9895     .9882    .9856
//	usps,      D = 1024  .9787     .9781    .9540    .9787     .9774    .9458
//	pol,       D = 512   6.138     5.470    5.813    5.551     5.001    5.815
//	kin40k,    D = 512   .0912     .0842    .0749    .0781     .0740    .0692
//	bike,      D = 512   .2453     .2242    .1984    .2195     .1973    .1839
//	elevators, D = 512   .0899     .0887    .0895    .0899     .0900    .0949
//
// The first three are accuracies, the others root mean squared errors in the units of the files. A warm-up of 1 or 3
// epochs changed letter to .9684 and .9688, usps to .9787 and .9781, pol to 5.080 and 5.048, bike to .190 and .194: by chance.
type FitOptions struct {
	Epochs    int     // 0: 20, or 40 where the map is tuned
	Batch     int     // rows a step; the last batch of an epoch may have fewer; 0: 256
	LearnRate float64 // of the head; 0: 0.05 for Adam, 0.5 for SGD
	MapRate   float64 // of the map's parameters; 0: twice LearnRate for Adam, a hundredth of it for SGD
	Solver    Solver
	// Schedule changes both rates from epoch to epoch, and in the first WarmUp of them, epoch n, they are n/(WarmUp+1) of that.
	Schedule Schedule
	WarmUp   int
	// ClipNorm is the norm that the gradient of all parameters together is cut to when it is larger: Pascanu, Mikolov and Bengio (2013),
	// algorithm 1. 0: it is not.
	ClipNorm float64
	// WeightDecay shrinks the head's weights A, not its intercept, by the factor 1 - LearnRate·WeightDecay before each step, under the
	// schedule: Loshchilov and Hutter (2019), Decoupled weight decay regularization, algorithm 2.
	WeightDecay float64
	// ClassWeights multiply the loss of the rows of each class, under a SoftmaxHead or, of targets as OneVersusRest makes them, a LinearHead. nil:
	// all are 1.
	ClassWeights []float64
	Lambda       float64 // the penalty lambda/2 ‖A‖² on the head's weights A, not on its intercept, added to the mean loss
	Seed         uint64  // of the order of the rows and of the part that is held out
	// HeldOut is the fraction of the rows that is set aside, in [0, 1). When it is positive, fitting stops once the loss on
	// that part has not improved for Patience epochs (0: 5), and the parameters of the best epoch are kept.
	HeldOut  float64
	Patience int
	// CacheBytes is how much memory the features of a frozen map may take, so that they are computed once and not once an
	// epoch; 0 is 512 MiB, negative is none. More than that is computed batch by batch.
	CacheBytes  int
	Checkpoints Checkpoints // none where its Path is empty
	// Progress is called after each epoch. nil: not called.
	Progress func(fits.Epoch)
}

// weighted multiplies the columns of a softmax head's one-hot targets, which stay as they are, by the weights; a linear head weighs its errors.
func (o *FitOptions) weighted(head layers.Head, targets *tensor.Dense) *tensor.Dense {
	if !head.Classifies() || o.ClassWeights == nil {
		return targets
	}
	out := targets.Clone().(*tensor.Dense)
	for i := range out.Shape().TotalSize() {
		given.SetCell(out, i, given.Cell(out, i)*o.ClassWeights[i%len(o.ClassWeights)])
	}
	return out
}

// classWeights wants one weight a class, of a head that knows classes.
func (o *FitOptions) classWeights(head layers.Head) error {
	switch {
	case o.ClassWeights == nil:
		return nil
	case head.Features() < 2:
		return fmt.Errorf("train: Fit: there are ClassWeights, and %v has one output, of no classes: %w", head, domain.ErrParam)
	}
	return given.CheckWeights("Fit", o.ClassWeights, head.Features())
}

// fill sets the defaults, for a map that is tuned or not, and checks the ranges.
func (o *FitOptions) fill(tuned bool) error {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	set(&o.Epochs, map[bool]int{false: 20, true: 40}[tuned])
	set(&o.Batch, 256)
	set(&o.Patience, 5)
	set(&o.CacheBytes, 512<<20)
	if o.LearnRate == 0 {
		o.LearnRate = map[Solver]float64{Adam: .05, SGD: .5}[o.Solver]
	}
	if o.MapRate == 0 {
		o.MapRate = o.LearnRate * map[Solver]float64{Adam: 2, SGD: .01}[o.Solver]
	}
	if err := o.Checkpoints.fill(); err != nil {
		return err
	}
	for _, c := range []struct {
		ok   bool
		text string
	}{
		{o.Epochs >= 1, fmt.Sprintf("Epochs = %d, want at least 1", o.Epochs)},
		{o.Batch >= 1, fmt.Sprintf("Batch = %d, want at least 1", o.Batch)},
		{o.Patience >= 1, fmt.Sprintf("Patience = %d, want at least 1", o.Patience)},
		{o.LearnRate > 0 && !math.IsInf(o.LearnRate, 0), fmt.Sprintf("LearnRate = %v, want a number above 0", o.LearnRate)},
		{o.MapRate > 0 && !math.IsInf(o.MapRate, 0), fmt.Sprintf("MapRate = %v, want a number above 0", o.MapRate)},
		{o.Lambda >= 0 && !math.IsInf(o.Lambda, 0), fmt.Sprintf("Lambda = %v, want a number of at least 0", o.Lambda)},
		{o.HeldOut >= 0 && o.HeldOut < 1, fmt.Sprintf("HeldOut = %v, want a fraction in [0, 1)", o.HeldOut)},
		{o.Schedule >= CosineRate && o.Schedule <= LinearRate, fmt.Sprintf("Schedule = %d is none of CosineRate, ConstantRate and LinearRate", int(o.Schedule))},
		{o.WarmUp >= 0 && o.WarmUp < o.Epochs, fmt.Sprintf("WarmUp = %d, want 0 to fewer than the %d epochs", o.WarmUp, o.Epochs)},
		{o.ClipNorm >= 0 && !math.IsInf(o.ClipNorm, 0), fmt.Sprintf("ClipNorm = %v, want a number of at least 0", o.ClipNorm)},
		{o.WeightDecay >= 0 && o.LearnRate*o.WeightDecay < 1, fmt.Sprintf("WeightDecay = %v, want at least 0 and below 1/LearnRate = %v", o.WeightDecay, 1/o.LearnRate)},
		{o.Solver == Adam || o.Solver == SGD, fmt.Sprintf("Solver = %d, want Adam (0) or SGD (1)", int(o.Solver))},
	} {
		if !c.ok {
			return fmt.Errorf("train: Fit: %s: %w", c.text, domain.ErrParam)
		}
	}
	return nil
}
