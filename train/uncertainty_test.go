package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

// part of a set.
func partOf(s *data.Set, from, to int) *data.Set {
	rows := make([]int, to-from)
	for i := range rows {
		rows[i] = from + i
	}
	return s.Take(rows)
}

// sureOf fits a recipe with its uncertainty.
func sureOf(t *testing.T, r train.Recipe, rows data.Source) *train.Model {
	t.Helper()
	r.Uncertainty = &train.UncertaintyOptions{Seed: 3, Laplace: r.Uncertainty != nil && r.Uncertainty.Laplace}
	m, _, err := r.Fit(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// noisyWaves are the two columns of waves that matter, with a normal noise of deviation 1 on the targets.
func noisyWaves(n int) *data.Set {
	set := waves(n, 1, true)
	x := make([]float64, 0, 2*n)
	for i := range n {
		x = append(x, set.X.(*tensor.Dense).Float64s()[8*i:8*i+2]...)
	}
	set.X = tensor.New(tensor.WithShape(n, 2), tensor.WithBacking(x))
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

// TestUncertaintyOfTargets: the noise is found, intervals of either kind cover as often as they say, the mean is the head's, and
// the file brings the same bits back.
func TestUncertaintyOfTargets(t *testing.T) {
	all := noisyWaves(3000)
	learn, test := partOf(all, 0, 2000), partOf(all, 2000, 3000)
	for _, dtype := range []string{"float64", "float32"} {
		m := sureOf(t, train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 256, Seed: 1, Dtype: dtype, Params: layers.Values{"sigma": 2.}}}, learn)
		d, err := m.PredictDistribution(test.X)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := m.Scores(test.X)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(d.Mean, scores) {
			t.Errorf("%s: the means are not the head's", dtype)
		}
		w, single := m.Uncertainty.Posterior.Fit.W, map[string]float64{"float64": 1e-6, "float32": 1e-4}[dtype]
		for j, v := range ops.Float64s(m.Head.Params()[0].Value) {
			if math.Abs(w.At(j, 0)-v) > single*mat.Norm(w, 2) {
				t.Fatalf("%s: the posterior's mean of weight %d is %v, the head's %v", dtype, j, w.At(j, 0), v)
			}
		}
		noise := m.Uncertainty.Posterior.Noise[0] // of 2000 rows: the share 4 √(2/2000) above or below, and what the map does not reach
		if noise < 1-4*math.Sqrt(2./2000) || noise > 1.25 {
			t.Errorf("%s: the noise is %v, not 1", dtype, noise)
		}
		y := mat.NewDense(1000, 1, test.Y)
		for _, level := range []float64{.5, .9, .98} {
			lower, upper, err := m.PredictIntervals(test.X, level)
			if err != nil {
				t.Fatal(err)
			}
			lo, err := d.Quantile((1 - level) / 2)
			if err != nil {
				t.Fatal(err)
			}
			hi, err := d.Quantile((1 + level) / 2)
			if err != nil {
				t.Fatal(err)
			}
			for kind, bounds := range map[string][2]*mat.Dense{"conformal": {lower, upper}, "normal": {lo, hi}} {
				share, err := calibrate.Coverage(y, bounds[0], bounds[1])
				if err != nil || math.Abs(share[0]-level) > covered(level, 1000, 1000)+.01 {
					t.Errorf("%s: %s intervals of %v cover %v, %v", dtype, kind, level, share, err)
				}
			}
		}
		nll, err := d.NLL(y)
		if want := math.Log(2*math.Pi)/2 + .5; err != nil || math.Abs(nll-want) > .15 {
			t.Errorf("%s: nll %v, %v, of the noise alone %v", dtype, nll, err, want)
		}
		again := savedAndLoaded(t, m)
		b, err := again.PredictDistribution(test.X)
		if err != nil || !mat.Equal(b.Std, d.Std) || !mat.Equal(b.FunctionStd, d.FunctionStd) || !mat.Equal(b.Mean, d.Mean) {
			t.Errorf("%s: loaded, the distribution is another: %v", dtype, err)
		}
		lower, upper, _ := m.PredictIntervals(test.X, .9)
		if l, u, err := again.PredictIntervals(test.X, .9); err != nil || !mat.Equal(l, lower) || !mat.Equal(u, upper) {
			t.Errorf("%s: loaded, the intervals are others: %v", dtype, err)
		}
	}
}

func savedAndLoaded(t *testing.T, m *train.Model) *train.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := train.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestDistributionFormulas: quantiles and densities are those of normal distributions.
func TestDistributionFormulas(t *testing.T) {
	d := &train.Distribution{Mean: mat.NewDense(2, 2, []float64{0, 1, 2, 3}), Std: mat.NewDense(2, 2, []float64{1, 2, 3, 4})}
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
		if _, err := d.Quantile(bad); !errors.Is(err, domain.ErrParam) {
			t.Errorf("quantile of %v: %v", bad, err)
		}
	}
	if _, err := new(train.Distribution).Quantile(.5); !errors.Is(err, domain.ErrParam) {
		t.Errorf("of an empty distribution: %v", err)
	}
	if _, err := d.NLL(mat.NewDense(1, 2, nil)); !errors.Is(err, domain.ErrShape) {
		t.Errorf("of another shape: %v", err)
	}
	if _, err := d.NLL(mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()})); !errors.Is(err, domain.ErrDomain) {
		t.Errorf("of NaN: %v", err)
	}
}

// TestUncertaintyOfClasses: every head gets probabilities that are right as often as they say, and sets that cover; the file
// brings the same bits back.
func TestUncertaintyOfClasses(t *testing.T) {
	all := waves(3000, 1, false)
	flip := rand.New(rand.NewPCG(5, 5))
	for i := range all.Labels { // a tenth of the labels is wrong
		if flip.Uint64()%10 == 0 {
			all.Labels[i] = fmt.Sprint(all.Labels[i] != "true")
		}
	}
	learn, test := partOf(all, 0, 2000), partOf(all, 2000, 3000)
	spec := layers.Spec{Map: "gaussian", Features: 128, Seed: 1, Params: layers.Values{"sigma": 2.}}
	for name, r := range map[string]train.Recipe{
		"softmax": {Spec: spec}, "ridge": {Spec: spec, Fitter: linear.RidgeOptions{}}, "svm": {Spec: spec, Fitter: linear.SVMOptions{}},
		"laplace": {Spec: spec, Uncertainty: &train.UncertaintyOptions{Laplace: true}},
		"signed":  {Spec: layers.Spec{Map: "delta-gaussian", Features: 128, Seed: 1, Params: layers.Values{"sigma1": 1., "sigma2": 8.}}},
	} {
		m := sureOf(t, r, learn)
		labels, err := m.Classes.Index(test.Labels)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Probabilities(test.X)
		if err != nil {
			t.Fatal(err)
		}
		ece, err := calibrate.ECE(p, labels, 5)
		if err != nil || ece > 4*math.Sqrt(5*.25/1000+5*.25/2000) { // five shares of about 200 test rows and 400 held-out rows
			t.Errorf("%s: the expected calibration error is %v, %v", name, ece, err)
		}
		sets, err := m.PredictSets(test.X, .95)
		if err != nil {
			t.Fatal(err)
		}
		share, _, err := calibrate.SetCoverage(sets, labels)
		if err != nil || math.Abs(share-.95) > covered(.95, 1000, 1000)+.02 {
			t.Errorf("%s: sets cover %v, %v", name, share, err)
		}
		if again, err := savedAndLoaded(t, m).Probabilities(test.X); err != nil || !mat.Equal(again, p) {
			t.Errorf("%s: loaded, the probabilities are others: %v", name, err)
		}
		if (m.Uncertainty.Laplace != nil) != (name == "laplace") {
			t.Errorf("%s: Laplace is %v", name, m.Uncertainty.Laplace)
		}
		if _, err := m.PredictDistribution(test.X); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%s: a distribution of targets: %v", name, err)
		}
	}
}

// TestUncertaintyOfTuned: after mini-batches and a ladder, the model is refitted as it was fitted, in memory and from files.
func TestUncertaintyOfTuned(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector")
	}
	all := noisyWaves(1500)
	learn, test := partOf(all, 0, 1000), partOf(all, 1000, 1500)
	y, ctx := mat.NewDense(500, 1, test.Y), context.Background()
	spec := layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.}}
	tuned := spec
	tuned.Tune = "all"
	checkpoint := filepath.Join(t.TempDir(), "c")
	models := map[string]*train.Model{
		"mini-batches": sureOf(t, train.Recipe{Spec: tuned, Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 10, Batch: 64, Checkpoints: sgd.Checkpoints{Path: checkpoint, Epochs: 10, Keep: 1}}}}, learn),
	}
	r := train.Recipe{Spec: spec, Tuner: &train.Tuner{Steps: []string{train.StepFrozen, train.StepEvidence}}}
	without, _, err := r.Fit(ctx, learn)
	if err != nil {
		t.Fatal(err)
	}
	r.Uncertainty = &train.UncertaintyOptions{HeldOut: .5}
	with, _, err := r.Fit(ctx, learn)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(must(with.Scores(test.X)), must(without.Scores(test.X))) {
		t.Error("learning the uncertainty changed the predictions")
	}
	models["tuner"] = with
	for name, m := range models {
		lower, upper, err := m.PredictIntervals(test.X, .9)
		if err != nil {
			t.Fatal(err)
		}
		share, err := calibrate.Coverage(y, lower, upper)
		if err != nil || math.Abs(share[0]-.9) > covered(.9, 500, 500)+.02 {
			t.Errorf("%s: intervals cover %v, %v", name, share, err)
		}
	}
	if files, err := filepath.Glob(checkpoint + "*"); err != nil || len(files) != 1 {
		t.Errorf("the checkpoints are %v, %v", files, err)
	}
}

// TestUncertaintyOfStream: a stream gives the intervals of rows in memory within the noise of another division.
func TestUncertaintyOfStream(t *testing.T) {
	all := noisyWaves(2000)
	path := filepath.Join(t.TempDir(), "rows.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	x := all.X.(*tensor.Dense).Float64s()
	for i, y := range all.Y {
		for _, v := range x[2*i : 2*i+2] {
			fmt.Fprintf(f, "%v,", v)
		}
		fmt.Fprintln(f, y)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := data.OpenStream(data.StreamOptions{Options: data.Options{Task: data.Regression}}, path)
	if err != nil {
		t.Fatal(err)
	}
	r := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Params: layers.Values{"sigma": 2.}}, Fitter: linear.RidgeOptions{Lambdas: []float64{1}}}
	read, whole := sureOf(t, r, s), sureOf(t, r, all)
	a, err := read.Uncertainty.Intervals.Radius(.9)
	if err != nil {
		t.Fatal(err)
	}
	b, err := whole.Uncertainty.Intervals.Radius(.9)
	if err != nil {
		t.Fatal(err)
	}
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
	ctx := context.Background()
	set := waves(100, 1, false)
	r := train.Recipe{Spec: layers.Spec{Features: 16}, Fitter: linear.RidgeOptions{}}
	m, _, err := r.Fit(ctx, set)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]train.UncertaintyOptions{"HeldOut": {HeldOut: 1}, "NaN": {HeldOut: math.NaN()}, "none": {HeldOut: 1e-9}, "Laplace of ridge": {Laplace: true},
		"method": {Calibration: "none"}, "sets": {Sets: "none"}} {
		r.Uncertainty = &o
		got, _, err := r.Fit(ctx, set)
		if !errors.Is(err, domain.ErrParam) || got != nil && (got.Uncertainty != nil || !mat.Equal(must(got.Scores(set.X)), must(m.Scores(set.X)))) {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
	if _, err := m.Probabilities(set.X); !errors.Is(err, domain.ErrParam) {
		t.Errorf("without uncertainty: %v", err)
	}
	signed := sureOf(t, train.Recipe{Spec: layers.Spec{Map: "delta-gaussian", Features: 32, Params: layers.Values{"sigma1": 1., "sigma2": 8.}}}, waves(200, 1, true))
	if _, err := signed.PredictDistribution(set.X); !errors.Is(err, domain.ErrParam) {
		t.Errorf("of an indefinite kernel: %v", err)
	}
	if lower, upper, err := signed.PredictIntervals(set.X, .9); err != nil || stat.Mean(upper.RawMatrix().Data, nil) <= stat.Mean(lower.RawMatrix().Data, nil) {
		t.Errorf("intervals of an indefinite kernel: %v", err)
	}
	if _, _, err := signed.PredictIntervals(set.X, .99999); !errors.Is(err, domain.ErrShape) {
		t.Errorf("a level that needs more rows: %v", err)
	}
	plain := sureOf(t, train.Recipe{Spec: layers.Spec{Features: 16}}, noisyWaves(200))
	plain.Uncertainty = &train.Uncertainty{Posterior: plain.Uncertainty.Posterior}
	two := noisyWaves(200).X
	if d, err := savedAndLoaded(t, plain).PredictDistribution(two); err != nil || d.Std.At(0, 0) <= 0 {
		t.Errorf("a posterior alone: %v", err)
	}
	if _, _, err := plain.PredictIntervals(two, .9); !errors.Is(err, domain.ErrParam) {
		t.Errorf("intervals by a posterior alone: %v", err)
	}
	m = sureOf(t, train.Recipe{Spec: layers.Spec{Features: 16}}, set)
	u := *m.Uncertainty
	u.Intervals, m.Uncertainty = signed.Uncertainty.Intervals, &u
	if err := m.Save(filepath.Join(t.TempDir(), "m")); !errors.Is(err, domain.ErrParam) {
		t.Errorf("an uncertainty of classes and targets is saved: %v", err)
	}
}

// TestUncertaintyCost: the estimate grows with the matrices that are held.
func TestUncertaintyCost(t *testing.T) {
	q := fits.Problem{Rows: 1000, Features: 100, Outputs: 3}
	for name, c := range map[string]struct {
		o       train.UncertaintyOptions
		classes bool
		p       fits.Problem
		want    float64
	}{
		"targets":     {p: q, want: 16*100*100 + 16*3000},
		"signed":      {p: fits.Problem{Rows: 1000, Features: 100, Outputs: 3, Signed: true}, want: 16 * 3000},
		"classes":     {classes: true, p: q, want: 16 * 3000},
		"exact":       {classes: true, p: q, o: train.UncertaintyOptions{Laplace: true}, want: 8*303*303 + 8*101*101*3 + 16*3000},
		"by class":    {classes: true, p: fits.Problem{Rows: 1000, Features: 1000, Outputs: 3}, o: train.UncertaintyOptions{Laplace: true}, want: 8*1001*1001*3 + 16*3000},
		"one for all": {classes: true, p: fits.Problem{Rows: 1000, Features: 8000, Outputs: 3}, o: train.UncertaintyOptions{Laplace: true}, want: 8*8001*8001 + 16*3000},
	} {
		if got := c.o.Cost(c.p, c.classes); got.Bytes != c.want || got.Largest == "" {
			t.Errorf("%s: %v bytes (%s), want %v", name, got.Bytes, got.Largest, c.want)
		}
	}
}

// TestUncertaintyOfNetwork: a network of dense layers under random features has Laplace's approximation on top: it is less sure far from the rows than among them, and comes back from its file.
func TestUncertaintyOfNetwork(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("some minutes under the race detector")
	}
	all := waves(1500, 1, false)
	learn, test := partOf(all, 0, 1000), partOf(all, 1000, 1500)
	spec := layers.Spec{Map: "sequential", Seed: 4, Parts: []layers.Spec{
		{Map: "dense", Features: 16, Params: layers.Values{"activation": "tanh"}, Tune: "all"},
		{Map: "dense", Features: 8, Params: layers.Values{"activation": "linear"}, Tune: "all"},
		{Map: "gaussian", Features: 128, Params: layers.Values{"sigma": 1.}},
	}}
	r := train.Recipe{Spec: spec, Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 30, Batch: 64}, Head: "softmax"}, Uncertainty: &train.UncertaintyOptions{Laplace: true}}
	m := sureOf(t, r, learn)
	guess, err := m.PredictClasses(test.X)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, g := range guess {
		if g == test.Labels[i] {
			right++
		}
	}
	p, err := m.Probabilities(test.X)
	if err != nil {
		t.Fatal(err)
	}
	var among, far float64
	away := test.X.(*tensor.Dense).Clone().(*tensor.Dense)
	for i, v := range away.Float64s() {
		away.Float64s()[i] = 6 * v
	}
	q, err := m.Probabilities(away)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		among += stat.Entropy(p.RawRowView(i)) / 500
		far += stat.Entropy(q.RawRowView(i)) / 500
	}
	if right < 400 || !(far > among) {
		t.Errorf("%d of 500 rows are right; the entropy is %v among the rows and %v far from them", right, among, far)
	}
	if again, err := savedAndLoaded(t, m).Probabilities(test.X); err != nil || !mat.Equal(again, p) {
		t.Errorf("loaded, the probabilities are others: %v", err)
	}
}
