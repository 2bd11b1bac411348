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
	fixtures "github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// byHand is the error of a score by the definition: of fits to the other folds, on the rows of each fold. relative says
// that the lambda of the Fitter is for as many rows as it is given.
func byHand(t *testing.T, r *Scores, s Score, p data.Pairs, f fits.Fitter, relative bool, folds int, seed uint64) (mean float64) {
	t.Helper()
	n, k := p.Y.Dims()
	prepared := &prepared{rows: p, n: n}
	job, err := prepared.job(t.Context(), CVOptions{Folds: folds, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	for fold, held := range job.Order {
		rest := job.Rest(fold)
		lambda := s.Lambda
		if relative {
			lambda *= float64(len(rest)) / float64(n)
		}
		m, err := s.Spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		f, _ := withLambdas(f, []float64{lambda})
		head, err := headFor(f, m, k)
		if err == nil {
			_, err = f.Fit(context.Background(), m, head, pick(p, rest))
		}
		if err != nil {
			t.Fatal(err)
		}
		test := pick(p, held)
		z, err := layers.Apply(m, nil, test.X)
		if err != nil {
			t.Fatal(err)
		}
		y, err := layers.Transform(head, nil, z)
		if err != nil {
			t.Fatal(err)
		}
		guess, sum := fixtures.MatOf(y), 0.
		if r.Metric == fits.ErrorRate {
			for i, c := range ArgMax(test.Y) {
				if ArgMax(guess)[i] != c {
					sum++
				}
			}
		} else {
			test.Y.Sub(test.Y, guess)
			sum = math.Pow(mat.Norm(test.Y, 2), 2) / float64(k)
		}
		mean += sum / float64(len(held)) / float64(folds)
	}
	return mean
}

// TestCrossValidate: under every head, of classes and of targets, frozen and tuned, with features that are kept or made
// anew, the scores are those of fits on the other folds.
func TestCrossValidate(t *testing.T) {
	const folds, seed = 3, 5
	x, classes, target := fixtures.Overlapping(t, 91, 4, 3)
	_, two := fixtures.Problem(91, 4, 2, 51)
	weights, penalties, strengths := []float64{1, 4, .5}, []float64{1e-2, 1, 1e-3}, []float64{0, .1}
	short := sgd.FitOptions{Epochs: 6, Batch: 16, LearnRate: .1, Seed: 9}
	early, weighted := short, short
	early.CacheBytes, early.HeldOut, early.Patience = -1, .2, 2
	weighted.ClassWeights, weighted.HeldOut, weighted.Patience = weights, .2, 2
	for name, c := range map[string]struct {
		fitter  fits.Fitter
		y       *mat.Dense
		lambdas []float64
		tune    string
		tol     float64
	}{
		"ridge":                  {linear.RidgeOptions{}, two, penalties, "", 1e-8},
		"ridge, classes":         {linear.RidgeOptions{}, classes, penalties, "", 1e-9},
		"svm":                    {linear.SVMOptions{Tol: 1e-6}, classes, penalties, "", 1e-3},
		"svm, targets":           {linear.SVMOptions{Tol: 1e-8, Loss: linear.SquaredInsensitive, Epsilon: .2}, target, penalties, "", 1e-3},
		"svm, weighted":          {linear.SVMOptions{Tol: 1e-6, CacheBytes: -1, BlockRows: 7, ClassWeights: weights}, classes, penalties, "", 1e-3},
		"logistic":               {linear.LogisticOptions{Tol: 1e-9}, classes, penalties, "", 1e-9},
		"mini-batch, softmax":    {sgd.MiniBatch{FitOptions: short, Head: "softmax"}, classes, strengths, "", 1e-9},
		"mini-batch, early stop": {sgd.MiniBatch{FitOptions: early, Head: "softmax"}, classes, strengths, "", 1e-9},
		"mini-batch, tuned":      {sgd.MiniBatch{FitOptions: short, Head: "softmax"}, classes, strengths, "bandwidth", 1e-9},
		"mini-batch, linear":     {sgd.MiniBatch{FitOptions: short}, classes, strengths, "", 1e-9},
		"mini-batch, weighted":   {sgd.MiniBatch{FitOptions: weighted}, classes, strengths, "", 1e-9},
		"mini-batch, targets":    {sgd.MiniBatch{FitOptions: short}, target, strengths, "all", 1e-9},
	} {
		maps, err := Grid(layers.Spec{Map: "gaussian", Features: 24, Seed: 2, Tune: c.tune, Dtype: "float64"}, Axis{Name: "sigma", Values: []float64{2, 6}}, Axis{Name: AxisLambda, Values: c.lambdas})
		if err != nil {
			t.Fatal(err)
		}
		p, calls := data.Pairs{X: x, Y: c.y}, 0
		r, err := CrossValidate(context.Background(), maps, p, c.fitter, CVOptions{Folds: folds, Seed: seed, Progress: func(int, int) { calls++ }})
		if err != nil || len(r.All) != 2*len(c.lambdas) || calls != 2*folds || (r.Metric == fits.ErrorRate) != (c.y == classes) {
			t.Fatal(name, r, err, calls)
		}
		_, batches := c.fitter.(sgd.MiniBatch)
		different := map[float64]bool{}
		for i, s := range r.All {
			want := byHand(t, r, s, p, c.fitter, !batches, folds, seed)
			different[want] = true
			if s.Lambda != c.lambdas[i%len(c.lambdas)] || math.Abs(s.Error-want) > c.tol*want || !(s.StdErr > 0) {
				t.Errorf("%s: %+v, by hand %v", name, s, want)
			}
			if s.score(r.Metric).Better(r.All[r.Chosen].score(r.Metric)) {
				t.Errorf("%s: the best is %+v, and there is %+v", name, r.All[r.Chosen], s)
			}
		}
		if len(different) < 2 {
			t.Errorf("%s: the scores are %v", name, different)
		}
	}
}

// TestCrossValidateTunes: without a Fitter, a Spec that tunes its map is fitted by mini-batches, with the head that the
// rows want, beside a frozen one, which is solved.
func TestCrossValidateTunes(t *testing.T) {
	x, classes, target := fixtures.Overlapping(t, 60, 3, 2)
	frozen := layers.Spec{Map: "gaussian", Features: 8, Seed: 2}
	tuned := frozen
	tuned.Tune = "bandwidth"
	labelled, targets := &data.Set{X: x}, &data.Set{X: x, Y: target.RawMatrix().Data}
	for _, c := range ArgMax(classes) {
		labelled.Labels = append(labelled.Labels, []string{"a", "b"}[c])
	}
	for head, c := range map[string]struct {
		rows *data.Set
		of   fits.Fitter // of the frozen map
	}{"softmax": {labelled, linear.LogisticOptions{Seed: 2}}, "": {targets, linear.RidgeOptions{}}} {
		both, err := Recipe{}.CrossValidate(t.Context(), c.rows, []Candidate{{tuned, []float64{0}}, {frozen, []float64{1}}}, CVOptions{Folds: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range []fits.Fitter{sgd.MiniBatch{FitOptions: sgd.FitOptions{Seed: 2}, Head: head}, c.of} {
			s := both.All[i]
			one, err := Recipe{Fitter: f}.CrossValidate(t.Context(), c.rows, []Candidate{{s.Spec, []float64{s.Lambda}}}, CVOptions{Folds: 2})
			if err != nil || one.All[0].Error != s.Error {
				t.Errorf("%q: %+v, and under a %T %+v (%v)", head, s, f, one, err)
			}
		}
	}
}

// TestCrossValidateIsDeterministic: the bits depend on the seed alone.
func TestCrossValidateIsDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	x, y, _ := fixtures.Overlapping(t, 91, 4, 3)
	for _, head := range []fits.Fitter{linear.RidgeOptions{}, linear.SVMOptions{}, sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 3}, Head: "softmax"}} {
		var first []Score
		for procs := 1; procs <= 3; procs++ {
			runtime.GOMAXPROCS(procs)
			maps, err := RandomSearch(layers.Spec{Map: "gaussian", Seed: 2}, 3, 4, Axis{Name: "sigma", Lo: 1, Hi: 10}, Axis{Name: AxisFeatures, Lo: 8, Hi: 32}, Axis{Name: AxisLambda, Lo: 1e-4, Hi: 1e-1})
			if err != nil {
				t.Fatal(err)
			}
			r, err := CrossValidate(context.Background(), maps, data.Pairs{X: x, Y: y}, head, CVOptions{Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r.All
			}
			for i, s := range r.All {
				if s.Error != first[i].Error || s.StdErr != first[i].StdErr || s.Lambda != first[i].Lambda || s.Spec.Features != first[i].Spec.Features {
					t.Errorf("%T: with %d processors score %d is %+v, and %+v with one", head, procs, i, s, first[i])
				}
			}
		}
	}
}

// TestCrossValidateBest: a fit that fails by its lambda scores +Inf; of equal scores the larger lambda is taken.
func TestCrossValidateBest(t *testing.T) {
	x, y, _ := fixtures.Overlapping(t, 60, 3, 2)
	plain := []Candidate{{Spec: layers.Spec{Map: "linear"}}}
	r, err := CrossValidate(context.Background(), plain, data.Pairs{X: x, Y: y}, linear.SVMOptions{MaxSteps: 4, Tol: 1e-6}, CVOptions{Lambdas: []float64{1e-320, 1e4, 1e5, 1e3}})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.All; !math.IsInf(s[0].Error, 1) || !math.IsNaN(s[0].StdErr) || s[1].Error != s[2].Error || r.Chosen != 2 {
		t.Errorf("%+v", r)
	}
	batches := sgd.MiniBatch{FitOptions: sgd.FitOptions{Solver: sgd.SGD, LearnRate: 1e-4, Epochs: 100}}
	if r, err = CrossValidate(context.Background(), plain, data.Pairs{X: x, Y: y}, batches, CVOptions{Lambdas: []float64{1e300, 1e-3}}); err != nil || !math.IsInf(r.All[0].Error, 1) || r.Chosen != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err = CrossValidate(context.Background(), plain, data.Pairs{X: x, Y: y}, batches, CVOptions{Lambdas: []float64{1e300}}); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "none of the 1 candidates") {
		t.Error(err)
	}
}

// TestCrossValidateShares: candidates of one map are scored together, each with its own lambdas and in its own place.
func TestCrossValidateShares(t *testing.T) {
	x, y, _ := fixtures.Overlapping(t, 60, 3, 2)
	spec, calls := layers.Spec{Map: "gaussian", Features: 8}, 0
	near, err := Grid(spec, Axis{Name: "sigma", Values: []float64{2, 5}})
	if err != nil {
		t.Fatal(err)
	}
	all := []Candidate{{near[0].Spec, []float64{1}}, near[1], {near[0].Spec, []float64{4, 2}}}
	r, err := CrossValidate(context.Background(), all, data.Pairs{X: x, Y: y}, nil, CVOptions{Folds: 3, Lambdas: []float64{.5}, Progress: func(_, total int) {
		if calls++; total != 6 {
			t.Errorf("%d folds are to do", total)
		}
	}})
	if err != nil || calls != 6 || len(r.All) != 4 {
		t.Fatal(r, err, calls)
	}
	for i, want := range []struct{ sigma, lambda float64 }{{2, 1}, {5, .5}, {2, 4}, {2, 2}} {
		s := r.All[i]
		alone, err := CrossValidate(context.Background(), []Candidate{{s.Spec, []float64{want.lambda}}}, data.Pairs{X: x, Y: y}, nil, CVOptions{Folds: 3})
		if err != nil || s.Spec.Params.Number("sigma") != want.sigma || s.Lambda != want.lambda || s.Error != alone.All[0].Error {
			t.Errorf("%+v, alone %+v (%v)", s, alone, err)
		}
	}
	if _, err := CrossValidate(context.Background(), []Candidate{{Spec: spec}, {spec, []float64{}}}, data.Pairs{X: x, Y: y}, nil, CVOptions{}); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "candidate 1 has no lambdas") {
		t.Error(err)
	}
}

func TestCrossValidateHeadErrors(t *testing.T) {
	x, y, target := fixtures.Overlapping(t, 20, 3, 2)
	plain := []Candidate{{Spec: layers.Spec{Map: "linear"}}}
	for _, c := range []struct {
		y    *mat.Dense
		f    fits.Fitter
		o    CVOptions
		err  error
		text string
	}{
		{y, linear.SVMOptions{Lambdas: []float64{1}}, CVOptions{Lambdas: []float64{1}}, domain.ErrParam, "SVMOptions has Lambdas"},
		{y, linear.SVMOptions{MaxSteps: -1}, CVOptions{}, domain.ErrParam, "MaxSteps = -1"},
		{y, linear.SVMOptions{}, CVOptions{Lambdas: []float64{1, 0}}, domain.ErrParam, "Lambdas[1] = 0"},
		{target, linear.SVMOptions{}, CVOptions{}, domain.ErrDomain, "the hinge loss takes -1 and 1"},
		{y, sgd.MiniBatch{FitOptions: sgd.FitOptions{Lambda: 1}}, CVOptions{Lambdas: []float64{1}}, domain.ErrParam, "MiniBatch has Lambda = 1"},
		{y, sgd.MiniBatch{FitOptions: sgd.FitOptions{Checkpoints: sgd.Checkpoints{Path: "c"}}}, CVOptions{}, domain.ErrParam, "MiniBatch has Checkpoints"},
		{y, sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: -1}}, CVOptions{}, domain.ErrParam, "Epochs = -1"},
		{target, sgd.MiniBatch{Head: "softmax"}, CVOptions{}, domain.ErrDomain, "a softmax head learns classes"},
		{y, sgd.MiniBatch{}, CVOptions{Lambdas: []float64{math.NaN()}}, domain.ErrParam, "lambda = NaN"},
	} {
		if _, err := CrossValidate(context.Background(), plain, data.Pairs{X: x, Y: c.y}, c.f, c.o); !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%+v, %+v: %v, want %q", c.f, c.o, err, c.text)
		}
	}
}

// TestDefaultLambdas: each head has its own, in the order that a table shows them in.
func TestDefaultLambdas(t *testing.T) {
	for _, head := range []fits.Fitter{linear.RidgeOptions{}, linear.SVMOptions{}, sgd.MiniBatch{}} {
		scored, err := foldsOf(head, false)
		if err != nil {
			t.Fatal(err)
		}
		g := scored.DefaultLambdas(100)
		if l := cv.Powers(g.Lo, g.Hi, g.N); len(l) < 3 || !slices.IsSorted(l) || g.Limit[0] > g.Lo || g.Limit[1] <= g.Hi {
			t.Errorf("%T: %+v", head, g)
		}
	}
}

func TestCrossValidateErrors(t *testing.T) {
	x, y := fixtures.Problem(20, 3, 1, 53)
	spec := layers.Spec{Map: "linear", Dims: 3, Dtype: "float64"}
	one := []Candidate{{Spec: spec}}
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		specs []Candidate
		x     *tensor.Dense
		o     CVOptions
		err   error
	}{
		"no spec":   {ctx, []Candidate{}, x, CVOptions{}, domain.ErrParam},
		"folds":     {ctx, one, x, CVOptions{Folds: 1}, domain.ErrParam},
		"no lambda": {ctx, one, x, CVOptions{Lambdas: []float64{}}, domain.ErrParam},
		"lambda":    {ctx, one, x, CVOptions{Lambdas: []float64{-1}}, domain.ErrParam},
		"rows":      {ctx, one, x, CVOptions{Folds: 11}, domain.ErrShape},
		"factors":   {ctx, one, x, CVOptions{Factors: []float64{}}, domain.ErrParam},
		"around":    {ctx, []Candidate{one[0], one[0]}, x, CVOptions{Factors: []float64{1}}, domain.ErrParam},
		"context":   {cancelled, one, x, CVOptions{}, context.Canceled},
	} {
		if _, err := CrossValidate(c.ctx, c.specs, data.Pairs{X: c.x, Y: y}, nil, c.o); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Around(spec, x, 1); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
	around, err := Around(layers.Spec{Map: "gaussian", Features: 16}, x, .5, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := around[0].Spec.Params.Number("sigma"), around[2].Spec.Params.Number("sigma"); len(around) != 3 || math.Abs(b/a-4) > 1e-12 {
		t.Errorf("around: %v and %v", a, b)
	}
}

// TestCrossValidateAround: where the best is at an end of the factors, or of the default lambdas, there are more, until it is inside or at the
// stated limit, which the report tells.
func TestCrossValidateAround(t *testing.T) {
	x, y := fixtures.Problem(83, 4, 1, 51) // linear: the wider the kernel, the better, and the less the penalty
	spec := layers.Spec{Map: "gaussian", Features: 16, Seed: 2, Dtype: "float64"}
	calls := 0
	r, err := CrossValidate(context.Background(), []Candidate{{Spec: spec}}, data.Pairs{X: x, Y: y}, nil, CVOptions{Factors: []float64{2, .5, 1}, Folds: 3, Progress: func(done, of int) {
		calls++
		if done > of {
			t.Errorf("%d of %d folds are done", done, of)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	best, sigma := r.All[r.Chosen], map[float64]bool{}
	least, largest := math.Inf(1), 0.
	var lambdas []float64
	for i, s := range r.All {
		v := s.Spec.Params.Number("sigma")
		sigma[v], least, largest = true, math.Min(least, v), math.Max(largest, v)
		if i > 0 && v < r.All[i-1].Spec.Params.Number("sigma") {
			t.Error("the scores are not in the order of σ")
		}
		if v == best.Spec.Params.Number("sigma") {
			lambdas = append(lambdas, s.Lambda)
		}
		if s.Error < best.Error*(1-1e-6) {
			t.Errorf("%v was chosen, and there is %v", best, s)
		}
	}
	if ratio := largest / least; len(sigma) < 5 || math.Abs(ratio/math.Exp2(math.Round(math.Log2(ratio)))-1) > 1e-9 {
		t.Errorf("%d bandwidths from %v to %v", len(sigma), least, largest)
	}
	inside := best.Spec.Params.Number("sigma") > least && best.Spec.Params.Number("sigma") < largest
	if ends := slices.Contains(r.AtEnd, "sigma"); ends == inside || !inside && largest/least < 128 {
		t.Errorf("σ = %v of %v to %v, at an end: %v", best.Spec.Params, least, largest, r.AtEnd)
	}
	if !slices.IsSorted(lambdas) || best.Lambda == lambdas[0] && lambdas[0] > 83e-15*1.001 || best.Lambda == lambdas[len(lambdas)-1] {
		t.Errorf("λ = %v of %v", best.Lambda, lambdas)
	}
	given, err := CrossValidate(context.Background(), []Candidate{{Spec: best.Spec, Lambdas: []float64{best.Lambda, 10 * best.Lambda}}}, data.Pairs{X: x, Y: y}, nil, CVOptions{Folds: 3})
	if err != nil || len(given.All) != 2 || given.All[0].Error != best.Error || !slices.Equal(given.AtEnd, []string{AxisLambda}) {
		t.Errorf("%+v, %v: a list grew, or tells of no end: %v", given, err, given.AtEnd)
	}
	if _, err := CrossValidate(context.Background(), []Candidate{{Spec: layers.Spec{Map: "linear"}}}, data.Pairs{X: x, Y: y}, nil, CVOptions{Factors: []float64{1}}); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
}
