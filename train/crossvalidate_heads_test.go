package train

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// byHand are the errors of a candidate on each fold, by a function that fits on some rows and predicts others.
func byHand(t *testing.T, r *CVReport, s CVScore, x *tensor.Dense, y *mat.Dense, folds int, seed uint64, predict func(m layers.Layer, x *tensor.Dense, y *mat.Dense, part float64, test *tensor.Dense) *mat.Dense) (mean float64) {
	t.Helper()
	n := x.Shape()[0]
	for f, fold := range cv.FoldsOf(n, folds, seed) {
		var rest []int
		for g, other := range cv.FoldsOf(n, folds, seed) {
			if g != f {
				rest = append(rest, other...)
			}
		}
		m, err := s.Spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		p, truth := predict(m, data.Rows(x, rest), trial.TakeRows(y, rest), float64(len(rest))/float64(n), data.Rows(x, fold)), trial.TakeRows(y, fold)
		sum := 0.0
		if r.Metric == fits.ErrorRate {
			for i, c := range ArgMax(truth) {
				if ArgMax(p)[i] != c {
					sum++
				}
			}
		} else {
			_, k := truth.Dims()
			truth.Sub(truth, p)
			sum = math.Pow(mat.Norm(truth, 2), 2) / float64(k)
		}
		mean += sum / float64(len(fold)) / float64(folds)
	}
	return mean
}

// predictions are the scores of a map and a head.
func predictions(t *testing.T, m layers.Layer, head layers.Head, x *tensor.Dense) *mat.Dense {
	t.Helper()
	z, err := layers.Apply(m, nil, x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := layers.Transform(head, nil, z)
	if err != nil {
		t.Fatal(err)
	}
	return trial.MatOf(p)
}

// TestCrossValidateSVM: the scores are those of FitSVM on the same folds, of classes and of targets, with features that are kept or made anew.
func TestCrossValidateSVM(t *testing.T) {
	const folds, seed = 3, 5
	x, classes, target := trial.Overlapping(t, 91, 4, 3)
	maps, err := Grid(layers.Spec{Map: "gaussian", Features: 24, Seed: 2}, Axis{Name: "sigma", Values: []float64{2, 6}}, Axis{Name: AxisLambda, Values: []float64{1e-2, 1, 1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []linear.SVMOptions{{}, {Loss: linear.SquaredInsensitive, Epsilon: .2}, {CacheBytes: -1, BlockRows: 7, ClassWeights: []float64{1, 4, .5}}} {
		o.Tol = 1e-6 // other steps come as near to the same optimum
		y := classes
		if o.Loss == linear.SquaredInsensitive {
			y, o.Tol = target, 1e-8
		}
		r, err := CrossValidate(context.Background(), maps, data.Pairs{X: x, Y: y}, CVOptions{Fitter: o, Folds: folds, Seed: seed})
		if err != nil || len(r.Scores) != 6 || (r.Metric == fits.ErrorRate) == (o.Loss == linear.SquaredInsensitive) {
			t.Fatal(r, err)
		}
		different := map[float64]bool{}
		for i, s := range r.Scores {
			want := byHand(t, r, s, x, y, folds, seed, func(m layers.Layer, x *tensor.Dense, y *mat.Dense, part float64, test *tensor.Dense) *mat.Dense {
				one := o
				one.Lambdas = []float64{s.Lambda * part}
				fit, err := linear.FitSVM(context.Background(), m, data.Pairs{X: x, Y: y}, one)
				if err != nil {
					t.Fatal(err)
				}
				head, err := layers.NewLinearHead(m.Features(), len(fit.B))
				if err == nil {
					err = head.SetWeights(fit.W.RawMatrix().Data, fit.B)
				}
				if err != nil {
					t.Fatal(err)
				}
				return predictions(t, m, head, test)
			})
			different[want] = true
			if s.Lambda != maps[i/3].Lambdas[i%3] || math.Abs(s.Error-want) > 1e-3*want || !(s.StdErr > 0) {
				t.Errorf("%v: %+v, by hand %v", o.Loss, s, want)
			}
			if best := r.Scores[r.Chosen]; s.Error < best.Error || s.Error == best.Error && s.Lambda > best.Lambda {
				t.Errorf("%v: the best is %+v, and there is %+v", o.Loss, best, s)
			}
		}
		if len(different) < 3 {
			t.Errorf("%v: the scores are %v", o.Loss, different)
		}
	}
}

// TestCrossValidateFit: the scores are those of Fit on the same folds, under both heads, frozen and tuned.
func TestCrossValidateFit(t *testing.T) {
	const folds, seed = 3, 5
	x, classes, target := trial.Overlapping(t, 91, 4, 3)
	for _, c := range []struct {
		head sgd.MiniBatch
		tune string
		y    *mat.Dense
	}{
		{sgd.MiniBatch{Head: "softmax"}, "", classes},
		{sgd.MiniBatch{Head: "softmax", FitOptions: sgd.FitOptions{CacheBytes: -1, HeldOut: .2, Patience: 2}}, "", classes},
		{sgd.MiniBatch{Head: "softmax"}, "bandwidth", classes},
		{sgd.MiniBatch{}, "", classes},
		{sgd.MiniBatch{FitOptions: sgd.FitOptions{ClassWeights: []float64{1, 4, .5}, HeldOut: .2, Patience: 2}}, "", classes},
		{sgd.MiniBatch{}, "all", target},
	} {
		maps, err := Grid(layers.Spec{Map: "gaussian", Features: 24, Seed: 2, Tune: c.tune}, Axis{Name: "sigma", Values: []float64{2, 6}}, Axis{Name: AxisLambda, Values: []float64{0, .1}})
		if err != nil {
			t.Fatal(err)
		}
		o := c.head.FitOptions
		o.Epochs, o.Batch, o.LearnRate, o.Seed = 6, 16, .1, 9
		r, err := CrossValidate(context.Background(), maps, data.Pairs{X: x, Y: c.y}, CVOptions{Fitter: sgd.MiniBatch{FitOptions: o, Head: c.head.Head}, Folds: folds, Seed: seed})
		if err != nil || len(r.Scores) != 4 || (r.Metric == fits.ErrorRate) != (c.y == classes) {
			t.Fatal(r, err)
		}
		for _, s := range r.Scores {
			want := byHand(t, r, s, x, c.y, folds, seed, func(m layers.Layer, x *tensor.Dense, y *mat.Dense, _ float64, test *tensor.Dense) *mat.Dense {
				_, k := y.Dims()
				head, targets := trial.HeadOf(t, c.head.Head == "softmax", 24, k), sgd.Targets(y, tensor.Float64, nil)
				if c.head.Head == "softmax" {
					targets = sgd.Targets(y, tensor.Float64, func(v float64) float64 { return (v + 1) / 2 })
				}
				one := o
				one.Lambda = s.Lambda
				if _, err := sgd.Fit(context.Background(), m, head, trial.PairsFor(head, x, targets), one); err != nil {
					t.Fatal(err)
				}
				return predictions(t, m, head, test)
			})
			if math.Abs(s.Error-want) > 1e-9*want {
				t.Errorf("%+v: %+v, by hand %v", c.head, s, want)
			}
		}
	}
}

// TestCrossValidateTunes: without a Fitter, a Spec that tunes its map is fitted by mini-batches, with the head that the
// rows want, beside a frozen one by ridge regression.
func TestCrossValidateTunes(t *testing.T) {
	x, classes, target := trial.Overlapping(t, 60, 3, 2)
	frozen := layers.Spec{Map: "gaussian", Features: 8, Seed: 2}
	tuned := frozen
	tuned.Tune = "bandwidth"
	for head, y := range map[string]*mat.Dense{"softmax": classes, "": target} {
		rows := data.Pairs{X: x, Y: y}
		both, err := CrossValidate(t.Context(), []Candidate{{tuned, []float64{0}}, {frozen, []float64{1}}}, rows, CVOptions{Folds: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range []fits.Fitter{sgd.MiniBatch{FitOptions: sgd.FitOptions{Seed: 2}, Head: head}, linear.RidgeOptions{}} {
			one, err := CrossValidate(t.Context(), []Candidate{{both.Scores[i].Spec, []float64{both.Scores[i].Lambda}}}, rows, CVOptions{Folds: 2, Fitter: f})
			if err != nil || one.Scores[0].Error != both.Scores[i].Error {
				t.Errorf("%q: %+v, and under a %T %+v (%v)", head, both.Scores[i], f, one, err)
			}
		}
	}
}

// TestCrossValidateIsDeterministic: the bits depend on the seed alone.
func TestCrossValidateIsDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	x, y, _ := trial.Overlapping(t, 91, 4, 3)
	for _, head := range []cvHead{linear.RidgeOptions{}, linear.SVMOptions{}, sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 3}, Head: "softmax"}} {
		var first []CVScore
		for procs := 1; procs <= 3; procs++ {
			runtime.GOMAXPROCS(procs)
			maps, err := RandomSearch(layers.Spec{Map: "gaussian", Seed: 2}, 3, 4, Axis{Name: "sigma", Lo: 1, Hi: 10}, Axis{Name: AxisFeatures, Lo: 8, Hi: 32}, Axis{Name: AxisLambda, Lo: 1e-4, Hi: 1e-1})
			if err != nil {
				t.Fatal(err)
			}
			r, err := CrossValidate(context.Background(), maps, data.Pairs{X: x, Y: y}, CVOptions{Fitter: head, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r.Scores
			}
			for i, s := range r.Scores {
				if s.Error != first[i].Error || s.StdErr != first[i].StdErr || s.Lambda != first[i].Lambda || s.Spec.Features != first[i].Spec.Features {
					t.Errorf("%T: with %d processors score %d is %+v, and %+v with one", head, procs, i, s, first[i])
				}
			}
		}
	}
}

// TestCrossValidateBest: a fit that fails by its lambda scores +Inf; of equal scores the larger lambda is taken.
func TestCrossValidateBest(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 60, 3, 2)
	plain := []Candidate{{Spec: layers.Spec{Map: "linear"}}}
	r, err := CrossValidate(context.Background(), plain, data.Pairs{X: x, Y: y}, CVOptions{Fitter: linear.SVMOptions{MaxSteps: 4, Tol: 1e-6}, Lambdas: []float64{1e-320, 1e4, 1e5, 1e3}})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Scores; !math.IsInf(s[0].Error, 1) || !math.IsNaN(s[0].StdErr) || s[1].Error != s[2].Error || r.Chosen != 2 {
		t.Errorf("%+v", r)
	}
	batches := sgd.MiniBatch{FitOptions: sgd.FitOptions{Solver: sgd.SGD, LearnRate: 1e-4, Epochs: 100}}
	if r, err = CrossValidate(context.Background(), plain, data.Pairs{X: x, Y: y}, CVOptions{Fitter: batches, Lambdas: []float64{1e300, 1e-3}}); err != nil || !math.IsInf(r.Scores[0].Error, 1) || r.Chosen != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err = CrossValidate(context.Background(), plain, data.Pairs{X: x, Y: y}, CVOptions{Fitter: batches, Lambdas: []float64{1e300}}); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "none of the 1 candidates") {
		t.Error(err)
	}
}

// TestCrossValidateShares: candidates of one map are scored together, each with its own lambdas and in its own place.
func TestCrossValidateShares(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 60, 3, 2)
	spec, calls := layers.Spec{Map: "gaussian", Features: 8}, 0
	near, err := Grid(spec, Axis{Name: "sigma", Values: []float64{2, 5}})
	if err != nil {
		t.Fatal(err)
	}
	all := []Candidate{{near[0].Spec, []float64{1}}, near[1], {near[0].Spec, []float64{4, 2}}}
	r, err := CrossValidate(context.Background(), all, data.Pairs{X: x, Y: y}, CVOptions{Folds: 3, Lambdas: []float64{.5}, Progress: func(_, total int) {
		if calls++; total != 6 {
			t.Errorf("%d folds are to do", total)
		}
	}})
	if err != nil || calls != 6 || len(r.Scores) != 4 {
		t.Fatal(r, err, calls)
	}
	for i, want := range []struct{ sigma, lambda float64 }{{2, 1}, {5, .5}, {2, 4}, {2, 2}} {
		s := r.Scores[i]
		alone, err := CrossValidate(context.Background(), []Candidate{{s.Spec, []float64{want.lambda}}}, data.Pairs{X: x, Y: y}, CVOptions{Folds: 3})
		if err != nil || s.Spec.Params.Number("sigma") != want.sigma || s.Lambda != want.lambda || s.Error != alone.Scores[0].Error {
			t.Errorf("%+v, alone %+v (%v)", s, alone, err)
		}
	}
	if _, err := CrossValidate(context.Background(), []Candidate{{Spec: spec}, {spec, []float64{}}}, data.Pairs{X: x, Y: y}, CVOptions{}); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "candidate 1 has no lambdas") {
		t.Error(err)
	}
}

func TestCrossValidateHeadErrors(t *testing.T) {
	x, y, target := trial.Overlapping(t, 20, 3, 2)
	plain := []Candidate{{Spec: layers.Spec{Map: "linear"}}}
	for _, c := range []struct {
		y    *mat.Dense
		o    CVOptions
		err  error
		text string
	}{
		{y, CVOptions{Fitter: linear.SVMOptions{Lambdas: []float64{1}}}, domain.ErrParam, "SVMOptions has Lambdas"},
		{y, CVOptions{Fitter: linear.SVMOptions{MaxSteps: -1}}, domain.ErrParam, "MaxSteps = -1"},
		{y, CVOptions{Fitter: linear.SVMOptions{}, Lambdas: []float64{1, 0}}, domain.ErrParam, "Lambdas[1] = 0"},
		{target, CVOptions{Fitter: linear.SVMOptions{}}, domain.ErrDomain, "the hinge loss takes -1 and 1"},
		{y, CVOptions{Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Lambda: 1}}}, domain.ErrParam, "MiniBatch has Lambda = 1"},
		{y, CVOptions{Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Checkpoints: sgd.Checkpoints{Path: "c"}}}}, domain.ErrParam, "MiniBatch has Checkpoints"},
		{y, CVOptions{Fitter: sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: -1}}}, domain.ErrParam, "Epochs = -1"},
		{target, CVOptions{Fitter: sgd.MiniBatch{Head: "softmax"}}, domain.ErrDomain, "a softmax head learns classes"},
		{y, CVOptions{Fitter: sgd.MiniBatch{}, Lambdas: []float64{math.NaN()}}, domain.ErrParam, "lambda = NaN"},
	} {
		if _, err := CrossValidate(context.Background(), plain, data.Pairs{X: x, Y: c.y}, c.o); !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.text)
		}
	}
}

// TestDefaultLambdas: each head has its own, in the order that a table shows them in.
func TestDefaultLambdas(t *testing.T) {
	for _, head := range []cvHead{linear.RidgeOptions{}, linear.SVMOptions{}, sgd.MiniBatch{}} {
		g := head.Folds().DefaultLambdas(100)
		if l := cv.Powers(g.Lo, g.Hi, g.N); len(l) < 3 || !slices.IsSorted(l) || g.Limit[0] > g.Lo || g.Limit[1] <= g.Hi {
			t.Errorf("%T: %+v", head, g)
		}
	}
}
