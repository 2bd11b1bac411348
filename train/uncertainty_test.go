package train_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

// parted are the first n rows of a set, and the others.
func parted(s *data.Set, n int) (first, others *data.Set) {
	rows := make([]int, s.Rows())
	for i := range rows {
		rows[i] = i
	}
	return s.Take(rows[:n]), s.Take(rows[n:])
}

// sureOf fits a recipe with its uncertainty.
func sureOf(t *testing.T, r train.Recipe, rows data.Source) *train.Model {
	t.Helper()
	r.Uncertainty = &train.UncertaintyOptions{Seed: 3, Laplace: r.Uncertainty != nil && r.Uncertainty.Laplace}
	m, _ := must2(r.Fit(t.Context(), rows))
	return m
}

// noisyWaves are the two columns of waves that matter, with a normal noise of deviation 1 on the targets.
func noisyWaves(n int) *data.Set {
	set := waves(n, 1, true)
	set.X = must(set.X.(*tensor.Dense).Slice(nil, tensor.S(0, 2))).Materialize().(*tensor.Dense)
	noise := distuv.Normal{Mu: 0, Sigma: 1, Src: rand.NewPCG(9, 9)}
	for i := range set.Y {
		set.Y[i] = set.Y[i]/50 + noise.Rand()
	}
	return set
}

// covered are four standard errors of a share of n rows that m held-out rows decide, both draws of one law.
func covered(level float64, n, m int) float64 {
	return 4 * math.Sqrt(level*(1-level)*(1/float64(n)+1/float64(m)))
}

// coverage is the share of the targets of a set in the intervals of a model, or of the classes in its sets.
func coverage(t *testing.T, m *train.Model, set *data.Set, level float64) float64 {
	t.Helper()
	if set.Y == nil {
		sets := must(m.PredictSets(set.X, level))
		share, _, err := calibrate.SetCoverage(sets, must(m.Classes.Index(set.Labels)))
		return must(share, err)
	}
	lower, upper := must2(m.PredictIntervals(set.X, level))
	return must(calibrate.Coverage(mat.NewDense(set.Rows(), 1, set.Y), lower, upper))[0]
}

// TestUncertaintyOfTargets: the noise is found, intervals of either kind cover as often as they say, and the mean is
// the head's. TestModels sees to the files.
func TestUncertaintyOfTargets(t *testing.T) {
	learn, test := parted(noisyWaves(3000), 2000)
	y := mat.NewDense(1000, 1, test.Y)
	for dtype, single := range map[string]float64{"float64": 1e-6, "float32": 1e-4} {
		m := sureOf(t, train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 256, Seed: 1, Tune: "none", Dtype: dtype,
			Params: layers.Values{"sigma": 2.}}}, learn)
		d := must(m.PredictDistribution(test.X))
		if !mat.Equal(d.Mean, must(m.Scores(test.X))) {
			t.Errorf("%s: the means are not the head's", dtype)
		}
		w := m.Uncertainty.Posterior.Fit.W
		if off := far(w.RawMatrix().Data, numbers(m.Head.Params()[0].Value)); !(off <= single) {
			t.Errorf("%s: the posterior's mean is off the head's weights by %v", dtype, off)
		}
		noise := m.Uncertainty.Posterior.Noise[0] // 4 √(2/2000) of 2000 rows, and what the map does not reach
		if noise < 1-4*math.Sqrt(2./2000) || noise > 1.25 {
			t.Errorf("%s: the noise is %v, not 1", dtype, noise)
		}
		for _, level := range []float64{.5, .9, .98} {
			normal := must(calibrate.Coverage(y, must(d.Quantile((1-level)/2)), must(d.Quantile((1+level)/2))))[0]
			for _, share := range []float64{normal, coverage(t, m, test, level)} {
				if math.Abs(share-level) > covered(level, 1000, 1000)+.01 {
					t.Errorf("%s: intervals of %v cover %v", dtype, level, share)
				}
			}
		}
		nll, err := d.NLL(y)
		if want := math.Log(2*math.Pi)/2 + .5; err != nil || math.Abs(nll-want) > .15 {
			t.Errorf("%s: nll %v, %v, of the noise alone %v", dtype, nll, err, want)
		}
	}
}

// TestLeaveOneOutIntervals: without held-out rows the radii are the ranks of the errors r/(1-h) of fits without each row,
// in units of the deviation of its prediction by such a fit, the root of σ² (1 + h/(1-h)).
func TestLeaveOneOutIntervals(t *testing.T) {
	learn := noisyWaves(90)
	m := sureOf(t, train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 40, Seed: 1, Tune: "none",
		Params: layers.Values{"sigma": 2.}}}, learn)
	d, noise := must(m.PredictDistribution(learn.X)), m.Uncertainty.Posterior.Noise[0]
	scores, most := make([]float64, len(learn.Y)), 0.
	for i, y := range learn.Y {
		h := d.Std.At(i, 0)*d.Std.At(i, 0)/noise - 1
		scores[i], most = math.Abs(y-d.Mean.At(i, 0))/(1-h)/math.Sqrt(noise*(1+h/(1-h))), max(most, h)
	}
	slices.Sort(scores)
	for _, level := range []float64{.5, .9} {
		want := scores[int(math.Ceil(91*level))-1]
		if got := must(m.Uncertainty.Intervals.Radius(level))[0]; math.Abs(got-want) > 1e-9*want || most < .2 {
			t.Errorf("the radius of %v is %v, want %v; the largest h is %v", level, got, want, most)
		}
	}
}

// TestDistributionFormulas: quantiles and densities are those of normal distributions.
func TestDistributionFormulas(t *testing.T) {
	d := &train.Distribution{Mean: mat.NewDense(2, 2, []float64{0, 1, 2, 3}), Std: mat.NewDense(2, 2, []float64{1, 2,
		3, 4})}
	q, err := d.Quantile(.975)
	if want := 3 + 4*1.959963984540054; err != nil || math.Abs(q.At(1, 1)-want) > 1e-12 {
		t.Errorf("quantile %v, %v, want %v", q.At(1, 1), err, want)
	}
	y, sum := mat.NewDense(2, 2, []float64{1, -1, 0, 5}), 0.
	for i := range 2 {
		for j := range 2 {
			sum -= distuv.Normal{Mu: d.Mean.At(i, j), Sigma: d.Std.At(i, j)}.LogProb(y.At(i, j)) / 4
		}
	}
	if got, err := d.NLL(y); err != nil || math.Abs(got-sum) > 1e-12 {
		t.Errorf("nll %v, %v, want %v", got, err, sum)
	}
	for _, bad := range []float64{0, 1, -1, math.NaN()} {
		wants(t, bad, second(d.Quantile(bad)), domain.ErrParam, "is not between 0 and 1")
	}
	wants(t, "quantile", second(new(train.Distribution).Quantile(.5)), domain.ErrParam, "it is empty")
	wants(t, "nll", second(d.NLL(nil)), domain.ErrParam, "empty")
	wants(t, "nll", second(d.NLL(mat.NewDense(1, 2, nil))), domain.ErrShape, "y is [1,2] and the means [2,2]")
	wants(t, "nll", second(d.NLL(mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()}))), domain.ErrDomain, "y[1,1] = NaN")
}

// TestUncertaintyOfClasses: every head gets probabilities that are right as often as they say, and sets that cover.
func TestUncertaintyOfClasses(t *testing.T) {
	all, flip := waves(3000, 1, false), rand.New(rand.NewPCG(5, 5))
	for i := range all.Labels { // a tenth of the labels is wrong
		if flip.Uint64()%10 == 0 {
			all.Labels[i] = fmt.Sprint(all.Labels[i] != "true")
		}
	}
	learn, test := parted(all, 2000)
	spec := layers.Spec{Map: "gaussian", Features: 128, Seed: 1, Params: layers.Values{"sigma": 2.}}
	signed := layers.Spec{Map: "delta-gaussian", Features: 128, Seed: 1, Params: layers.Values{"sigma1": 1.,
		"sigma2": 8.}}
	for name, r := range map[string]train.Recipe{
		"softmax": {Spec: spec}, "ridge": {Spec: spec, Fitter: linear.RidgeOptions{}}, "signed": {Spec: signed},
		"svm": {Spec: spec, Fitter: linear.SVMOptions{}}, "laplace": {Spec: spec,
			Uncertainty: &train.UncertaintyOptions{Laplace: true}},
	} {
		m := sureOf(t, r, learn)
		labels, p := must(m.Classes.Index(test.Labels)), must(m.Probabilities(test.X))
		ece, err := calibrate.ECE(p, labels, 5)
		if err != nil || ece > 4*math.Sqrt(5*.25/1000+5*.25/2000) { // five shares of 200 test and 400 held-out rows
			t.Errorf("%s: the expected calibration error is %v, %v", name, ece, err)
		}
		if share := coverage(t, m, test, .95); math.Abs(share-.95) > covered(.95, 1000, 1000)+.02 {
			t.Errorf("%s: sets cover %v", name, share)
		}
		if (m.Uncertainty.Laplace != nil) != (name == "laplace") {
			t.Errorf("%s: Laplace is %v", name, m.Uncertainty.Laplace)
		}
		wants(t, name, second(m.PredictDistribution(test.X)), domain.ErrParam, "use Probabilities or PredictSets")
		wants(t, name, second(m.PredictSets(test.X, 1)), domain.ErrParam, "level = 1 is not between 0 and 1")
	}
}

// TestUncertaintyOfTuned: after mini-batches and a tuner, the model is refitted as it was fitted; neither the
// checkpoints nor the predictions change by it.
func TestUncertaintyOfTuned(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector")
	}
	learn, test := parted(noisyWaves(1500), 1000)
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.}}
	tuned, checkpoint := spec, filepath.Join(t.TempDir(), "c")
	tuned.Tune = "all"
	r := train.Recipe{Spec: spec, Tuner: &train.Tuner{Steps: []string{train.StepFrozen, train.StepEvidence}}}
	without, _ := must2(r.Fit(t.Context(), learn))
	r.Uncertainty = &train.UncertaintyOptions{HeldOut: .5}
	with, _ := must2(r.Fit(t.Context(), learn))
	if !mat.Equal(must(with.Scores(test.X)), must(without.Scores(test.X))) {
		t.Error("learning the uncertainty changed the predictions")
	}
	batches := sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 10, Batch: 64,
		Checkpoints: sgd.Checkpoints{Path: checkpoint, Epochs: 10, Keep: 1}}}
	for name, m := range map[string]*train.Model{"tuner": with,
		"mini-batches": sureOf(t, train.Recipe{Spec: tuned, Fitter: batches}, learn)} {
		if share := coverage(t, m, test, .9); math.Abs(share-.9) > covered(.9, 500, 500)+.02 {
			t.Errorf("%s: intervals cover %v", name, share)
		}
	}
	if files, err := filepath.Glob(checkpoint + "*"); err != nil || len(files) != 1 {
		t.Errorf("the checkpoints are %v, %v", files, err)
	}
}

// TestUncertaintyOfStream: a stream gives the intervals of rows in memory within the noise of another division.
func TestUncertaintyOfStream(t *testing.T) {
	all := noisyWaves(2000)
	s := must(data.OpenStream(data.StreamOptions{Options: data.Options{Task: data.Regression}}, csvOf(t, all)))
	r := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.}},
		Fitter: linear.RidgeOptions{Lambdas: []float64{1}}}
	read, whole := sureOf(t, r, s), sureOf(t, r, all)
	a, b := must(read.Uncertainty.Intervals.Radius(.9)), must(whole.Uncertainty.Intervals.Radius(.9))
	// A quantile of level .9 of 400 and of 1000 normal deviations has the standard error √(.09/n)/(2 φ(1.645)).
	if se := math.Sqrt(.09/400+.09/1000) / (2 * distuv.UnitNormal.Prob(1.645)); math.Abs(a[0]-b[0]) > 4*se {
		t.Errorf("radii %v from a stream, %v in memory", a, b)
	}
	if u, v := read.Uncertainty.Posterior.Noise[0], whole.Uncertainty.Posterior.Noise[0]; math.Abs(u-v) > 1e-9*v {
		t.Errorf("the noise is %v from a stream, %v in memory", u, v)
	}
}

// TestUncertaintyErrors: what cannot be learned or told is one clear error.
func TestUncertaintyErrors(t *testing.T) {
	set, targets := waves(100, 1, false), noisyWaves(200)
	r := train.Recipe{Spec: layers.Spec{Features: 16}, Fitter: linear.RidgeOptions{}}
	plain, _ := must2(r.Fit(t.Context(), set))
	for text, o := range map[string]train.UncertaintyOptions{
		"HeldOut = 1 ": {HeldOut: 1}, "HeldOut = NaN": {HeldOut: math.NaN()},
		"leaves none": {HeldOut: 1e-9}, "Laplace is for a softmax head": {Laplace: true},
		"Calibration: there is no method": {Calibration: "none"},
		"Sets: there is no method":        {Sets: "none"}} {
		r.Uncertainty = &o
		got, _, err := r.Fit(t.Context(), set)
		if wants(t, o, err, domain.ErrParam, text); got != nil && (got.Uncertainty != nil ||
			!mat.Equal(must(got.Scores(set.X)), must(plain.Scores(set.X)))) {
			t.Errorf("%s: %v, %+v", text, err, got)
		}
	}
	spec := layers.Spec{Map: "delta-gaussian", Features: 32, Params: layers.Values{"sigma1": 1., "sigma2": 8.}}
	signed := sureOf(t, train.Recipe{Spec: spec}, waves(200, 1, true))
	if lower, upper, err := signed.PredictIntervals(set.X, .9); err != nil || mat.Sum(upper) <= mat.Sum(lower) {
		t.Errorf("intervals of an indefinite kernel: %v", err)
	}
	alone := sureOf(t, train.Recipe{Spec: layers.Spec{Features: 16}}, targets)
	alone.Uncertainty = &train.Uncertainty{Posterior: alone.Uncertainty.Posterior}
	if d, err := reloaded(t, alone.Save).PredictDistribution(targets.X); err != nil || d.Std.At(0, 0) <= 0 {
		t.Errorf("a posterior alone: %v", err)
	}
	both := sureOf(t, train.Recipe{Spec: layers.Spec{Features: 16}}, set)
	u := *both.Uncertainty
	u.Intervals, both.Uncertainty = signed.Uncertainty.Intervals, &u
	const is = "Uncertainty"
	wants(t, is, second(plain.Probabilities(set.X)), domain.ErrParam, "the model has no Uncertainty")
	wants(t, is, second(signed.Probabilities(set.X)), domain.ErrParam, "use PredictDistribution")
	wants(t, is, second(signed.PredictDistribution(set.X)), domain.ErrParam, "the model has no Posterior")
	wants(t, is, third(signed.PredictIntervals(set.X, .99999)), domain.ErrShape, "level")
	wants(t, is, third(alone.PredictIntervals(targets.X, .9)), domain.ErrParam, "no Intervals")
	wants(t, is, second(alone.PredictDistribution(tensor.New(tensor.WithShape(0, alone.Dims()), tensor.Of(tensor.Float64)))),
		domain.ErrShape, "no rows")
	wants(t, is, both.Save(filepath.Join(t.TempDir(), "m")), domain.ErrParam, "and this one has others")
}

// TestUncertaintyCost: the estimate grows with the matrices that are held.
func TestUncertaintyCost(t *testing.T) {
	laplace := train.UncertaintyOptions{Laplace: true}
	for name, c := range map[string]struct {
		o        train.UncertaintyOptions
		classes  bool
		features int
		signed   bool
		want     float64
	}{
		"targets":     {features: 100, want: 16*100*100 + 16*3000},
		"signed":      {features: 100, signed: true, want: 16 * 3000},
		"classes":     {features: 100, classes: true, want: 16 * 3000},
		"exact":       {laplace, true, 100, false, 8*303*303 + 8*101*101*3 + 16*3000},
		"by class":    {laplace, true, 1000, false, 8*1001*1001*3 + 16*3000},
		"one for all": {laplace, true, 8000, false, 8*8001*8001 + 16*3000},
	} {
		p := fits.Problem{Rows: 1000, Features: c.features, Outputs: 3, Signed: c.signed}
		if got := c.o.Cost(p, c.classes); got.Bytes != c.want || got.Largest == "" {
			t.Errorf("%s: %v bytes (%s), want %v", name, got.Bytes, got.Largest, c.want)
		}
	}
}
