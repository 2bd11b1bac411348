package train_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// cvSets are rows in three classes that overlap, and with one and two targets.
func cvSets(t *testing.T, n int) map[string]*data.Set {
	x, classes, target := trial.Overlapping(t, n, 4, 3)
	_, two := trial.Problem(n, 4, 2, 51)
	return map[string]*data.Set{"classes": labelled(x, classes), "targets": {X: x, Y: target.RawMatrix().Data},
		"two": {X: x, Y: two.RawMatrix().Data, LabelNames: []string{"a", "b"}}}
}

// labelled are rows with the names of their classes.
func labelled(x ops.Matrix, y *mat.Dense) *data.Set {
	set := &data.Set{X: x}
	for _, c := range train.ArgMax(y) {
		set.Labels = append(set.Labels, []string{"a", "b", "c"}[c])
	}
	return set
}

// byHand is the error of a recipe on the rows of each fold, after a fit to the other folds.
func byHand(t *testing.T, recipe func(share float64) train.Recipe, set *data.Set, folds int,
	seed uint64) (sum float64) {
	t.Helper()
	parts := train.FoldsOf(set, folds, seed)
	for f, held := range parts {
		rest := slices.Concat(slices.Delete(slices.Clone(parts), f, f+1)...)
		m, _ := must2(recipe(float64(len(rest))/float64(set.Rows())).Fit(t.Context(), set.Take(rest)))
		test := set.Take(held)
		if e := 1 / float64(folds); set.Labels != nil {
			sum += e * (1 - right(m, test))
		} else {
			off := mat.NewDense(len(held), set.Targets(), slices.Clone(test.Y))
			off.Sub(off, must(m.Scores(test.X)))
			sum += e * math.Pow(mat.Norm(off, 2), 2) / float64(len(test.Y))
		}
	}
	return sum
}

// TestCrossValidate: under every head, of classes and of targets, frozen and tuned, with features that are kept or made
// again, by default and with a lambda or a tuner of its own, the scores are those of fits of the recipe to the other
// folds. Candidates of one map are scored together, each with its own lambdas and in its own place. The bits depend on
// the seed alone, and sparse rows have the scores of dense ones.
func TestCrossValidate(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const folds, seed = 3, 5
	sets := cvSets(t, 91)
	weights, penalties, strengths := []float64{1, 4, .5}, []float64{1e-2, 1, 1e-3}, []float64{0, .1}
	short := sgd.FitOptions{Epochs: 6, Batch: 16, LearnRate: .1, Seed: 9}
	early, weighted, own := short, short, short
	early.CacheBytes, early.HeldOut, early.Patience = -1, .2, 2
	weighted.ClassWeights, weighted.HeldOut, weighted.Patience, own.Lambda = weights, .2, 2, 1e-3
	streamed := linear.SVMOptions{Tol: 1e-6, CacheBytes: -1, BlockRows: 7, ClassWeights: weights}
	svr := linear.SVMOptions{Tol: 1e-8, Loss: linear.SquaredInsensitive, Epsilon: .2}
	batch := func(o sgd.FitOptions, head string) fits.Fitter { return sgd.MiniBatch{FitOptions: o, Head: head} }
	steps := []string{train.StepFrozen, train.StepEvidence}
	for name, c := range map[string]struct {
		fitter  fits.Fitter
		rows    string
		lambdas []float64 // nil: it is fitted as it is
		tune    string
		tuner   []string
		tol     float64
	}{
		"default":                {nil, "classes", penalties, "", nil, 1e-9},
		"default, targets":       {nil, "targets", penalties, "", nil, 1e-8},
		"default, tuned targets": {nil, "targets", strengths, "all", nil, 1e-6},
		"ridge":                  {linear.RidgeOptions{}, "two", penalties, "", nil, 1e-8},
		"ridge, classes":         {linear.RidgeOptions{}, "classes", penalties, "", nil, 1e-9},
		"ridge, its own":         {linear.RidgeOptions{Select: linear.SelectLOO}, "targets", nil, "", nil, 1e-8},
		"svm":                    {linear.SVMOptions{Tol: 1e-9}, "classes", penalties, "", nil, 1e-3},
		"svm, targets":           {svr, "targets", penalties, "", nil, 1e-3},
		"svm, weighted":          {streamed, "classes", penalties, "", nil, 1e-3},
		"logistic":               {linear.LogisticOptions{Tol: 1e-9}, "classes", penalties, "", nil, 1e-9},
		"logistic, its own":      {linear.LogisticOptions{Lambdas: []float64{.5}}, "classes", nil, "", nil, 1e-9},
		"cg":                     {linear.CGOptions{Lambda: .1}, "two", nil, "", nil, 1e-6},
		"mini-batch, early stop": {batch(early, "softmax"), "classes", strengths, "", nil, 1e-9},
		"mini-batch, tuned":      {batch(short, "softmax"), "classes", strengths, "bandwidth", nil, 1e-9},
		"mini-batch, weighted":   {batch(weighted, ""), "classes", strengths, "", nil, 1e-9},
		"mini-batch, targets":    {batch(short, ""), "targets", strengths, "all", nil, 1e-9},
		"mini-batch, its own":    {batch(own, "softmax"), "classes", nil, "all", nil, 1e-9},
		"mini-batch, huber":      {batch(short, "huber"), "targets", strengths, "", nil, 1e-9},
		"a user's own":           {centroids{}, "classes", nil, "", nil, 1e-9},
		"tuner":                  {linear.RidgeOptions{}, "targets", nil, "", steps, 1e-6},
		"tuner, classes":         {linear.LogisticOptions{}, "classes", nil, "", steps[1:], 1e-6},
	} {
		if c.tune = cmp.Or(c.tune, "none"); trial.RaceEnabled && c.fitter == nil && c.tune == "all" {
			continue // minutes under the race detector
		}
		spec := layers.Spec{Map: "gaussian", Features: 24, Seed: 2, Tune: c.tune, Dtype: "float64"}
		maps, set, calls := must(train.Grid(spec, list("sigma", 2, 6))), sets[c.rows], 0
		var lambdas []float64 // of the scores
		if c.lambdas != nil { // two candidates with lambdas of their own are of the first map
			maps = []train.Candidate{{Spec: maps[0].Spec, Lambdas: c.lambdas[:1]}, maps[1], {Spec: maps[0].Spec,
				Lambdas: c.lambdas[1:]}}
			lambdas = slices.Concat(c.lambdas[:1], c.lambdas, c.lambdas[1:])
		}
		r := train.Recipe{Scale: "none", Spec: spec, Fitter: c.fitter}
		if c.tuner != nil {
			r.Tuner = &train.Tuner{Steps: c.tuner}
		}
		before := fmt.Sprintf("%v %v", maps, numbers(set.X))
		o := train.CVOptions{Folds: folds, Seed: seed, Lambdas: c.lambdas, Progress: func(int, int) { calls++ }}
		cv, err := r.CrossValidate(t.Context(), set, maps, o)
		each := max(1, len(c.lambdas))
		if err != nil || len(cv.All) != 2*each || calls != 2*folds ||
			(cv.Metric == fits.ErrorRate) != (set.Labels != nil) {
			t.Errorf("%s: %+v, %v, %d calls", name, cv, err, calls)
			continue
		}
		different := map[float64]bool{}
		for i, s := range cv.All {
			want := byHand(t, func(share float64) train.Recipe {
				one := *cv
				one.All, one.Chosen = slices.Clone(cv.All), i
				if _, batches := cv.Best(r).Fitter.(sgd.MiniBatch); !batches {
					one.All[i].Lambda *= share // the same penalty a row
				}
				return one.Best(r)
			}, set, folds, seed)
			different[want] = true
			sigma := 2.
			if i > 0 && i <= each {
				sigma = 6
			}
			if c.lambdas != nil && s.Lambda != lambdas[i] || math.IsNaN(s.Lambda) != (c.lambdas == nil) ||
				s.Spec.Params.Number("sigma") != sigma || math.Abs(s.Error-want) > c.tol*want || !(s.StdErr > 0) {
				t.Errorf("%s, %v, %v: %v ± %v, by hand %v", name, s.Spec.Params, s.Lambda, s.Error, s.StdErr, want)
			}
			if s.Error < cv.All[cv.Chosen].Error {
				t.Errorf("%s: the best is %+v, and there is %+v", name, cv.All[cv.Chosen], s)
			}
		}
		if len(different) < 2 && c.tuner == nil {
			t.Errorf("%s: the scores are %v", name, different)
		}
		if best := cv.Best(r); best.Tuner != r.Tuner || best.Spec.Tune != c.tune ||
			best.Spec.Params.Number("sigma") == 0 {
			t.Errorf("%s: the best is %+v", name, best)
		} else if _, rep, err := best.Fit(t.Context(), set); err != nil ||
			rep.Lambda != 0 && c.lambdas != nil && c.tune == "none" && !slices.Contains(c.lambdas, rep.Lambda) {
			t.Errorf("%s: the best is fitted as %+v, %v", name, rep, err)
		}
		if c.fitter == nil && c.tune == "all" {
			continue // slow, and by mini-batches as others
		}
		sparse := *set
		sparse.X = must(ops.CSROf(set.X.(*tensor.Dense)))
		got := must(r.CrossValidate(t.Context(), &sparse, maps, o))
		runtime.GOMAXPROCS(1 + calls/(2*folds)%3)
		again := must(r.CrossValidate(t.Context(), set, maps, o))
		for i, s := range cv.All {
			if a := again.All[i]; a.Error != s.Error || a.StdErr != s.StdErr {
				t.Errorf("%s: with %d processors %+v, and %+v", name, runtime.GOMAXPROCS(0), a, s)
			}
			if g := got.All[i]; math.Abs(g.Error-s.Error) > max(c.tol, 1e-6)*s.Error {
				t.Errorf("%s: sparse rows have the error %v, dense ones %v", name, g.Error, s.Error)
			}
		}
		if fmt.Sprintf("%v %v", maps, numbers(set.X)) != before {
			t.Errorf("%s: the rows or the candidates have changed", name)
		}
	}
}

// TestCrossValidateRidgeWeights: the mean squared errors are those of weighted fits and weighted errors.
func TestCrossValidateRidgeWeights(t *testing.T) {
	const folds, seed = 3, 5
	set := cvSets(t, 61)["classes"]
	x, y, _ := trial.Overlapping(t, 61, 4, 3)
	o := linear.RidgeOptions{ClassWeights: trial.ClassTimes}
	r := must(train.Recipe{Spec: layers.Spec{Map: "linear"}, Fitter: o}.CrossValidate(t.Context(), set, nil,
		train.CVOptions{Lambdas: []float64{2}, Folds: folds, Seed: seed}))
	want, parts := 0., train.FoldsOf(set, folds, seed)
	for f, held := range parts {
		rest := slices.Concat(slices.Delete(slices.Clone(parts), f, f+1)...)
		o.Lambdas = []float64{2 * float64(len(rest)) / 61}
		rows := data.Pairs{X: data.Rows(x, rest), Y: given.TargetRows(y, rest)}
		head := must(linear.FitRidge(t.Context(), nil, rows, o))
		var sums linear.RidgeStats
		x2, y2 := trial.Repeated(data.Rows(x, held).(*tensor.Dense), given.TargetRows(y, held))
		noError(t, sums.Add(x2, y2))
		want += must(sums.MSE(head)) / folds
	}
	if math.Abs(r.All[0].MSE/want-1) > 1e-10 {
		t.Errorf("%+v, by hand %v", r.All[0], want)
	}
}

// TestCrossValidateNamesRow: a row that the map refuses has its number in the file, whatever part of the rows a fit is on.
func TestCrossValidateNamesRow(t *testing.T) {
	set := cvSets(t, 61)["classes"]
	set.Source = "rows.csv"
	for i := range set.X.(*tensor.Dense).Float64s() {
		set.X.(*tensor.Dense).Float64s()[i] = float64(1 + i%7)
	}
	set.X.(*tensor.Dense).Float64s()[57*set.Dims()+1] = -1
	spec := layers.Spec{Map: "exp-semigroup", Features: 8, Params: layers.Values{"beta": .5}}
	for _, f := range []fits.Fitter{linear.RidgeOptions{}, linear.CGOptions{}, sgd.MiniBatch{Head: "softmax"}} {
		_, err := train.Recipe{Spec: spec, Fitter: f}.CrossValidate(t.Context(), set, nil, train.CVOptions{Folds: 3})
		wants(t, f, err, domain.ErrDomain, "rows.csv: layers: RandomLaplaceLayer \"exp-semigroup\": x[57,1] = -1")
	}
}

// TestCrossValidateWide: candidates are the maps that they name also where a fit of the recipe alone would take a linear
// model, of very many columns.
func TestCrossValidateWide(t *testing.T) {
	const n, d = 12, 1<<14 + 1
	x, labels := rowsOf(n, d), make([]string, n)
	for i := range n {
		labels[i] = []string{"a", "b"}[i%2]
		x.Float64s()[i*d+i] = float64(1 + i%2)
	}
	o := train.CVOptions{Folds: 2, Lambdas: []float64{0}}
	r := must(train.Recipe{}.CrossValidate(t.Context(), &data.Set{X: x, Labels: labels},
		[]train.Candidate{{Spec: layers.Spec{Map: "gaussian", Features: 2}}}, o))
	if s := r.All[0].Spec; s.Map != "gaussian" || s.Tune != "all" {
		t.Errorf("%v", s)
	}
}

// TestCrossValidateFewGroups: folds that the groups leave without rows are refused, and Auto holds out fewer times.
func TestCrossValidateFewGroups(t *testing.T) {
	set, groups := cvSets(t, 61)["classes"], make([]int, 61)
	for i := range groups {
		groups[i] = max(0, i-40) // a large one
	}
	for _, f := range []fits.Fitter{linear.RidgeOptions{}, linear.LogisticOptions{}, sgd.MiniBatch{Head: "softmax"}} {
		r := train.Recipe{Spec: layers.Spec{Map: "linear"}, Fitter: f, Groups: groups}
		_, err := r.CrossValidate(t.Context(), set, nil, train.CVOptions{Folds: 5})
		wants(t, f, err, domain.ErrShape, "has no rows, as the rows of a group stay together; give fewer folds")
	}
	must2(train.Auto(t.Context(), set, train.AutoOptions{Trials: 1, Groups: groups}))
}

// TestCrossValidateTunes: without a Fitter, a Spec that tunes its map is fitted by mini-batches, with the head that the
// rows want, as is a Spec without a policy, beside a frozen one, which is solved.
func TestCrossValidateTunes(t *testing.T) {
	spec := layers.Spec{Map: "gaussian", Features: 8, Seed: 2}
	frozen, tuned := spec, spec
	frozen.Tune, tuned.Tune = "none", "bandwidth"
	for rows, c := range map[string]struct {
		head   string
		frozen fits.Fitter
	}{"classes": {"softmax", linear.LogisticOptions{Seed: 2}}, "targets": {"", linear.RidgeOptions{}}} {
		set, o := cvSets(t, 60)[rows], train.CVOptions{Folds: 2}
		both := must(train.Recipe{}.CrossValidate(t.Context(), set, []train.Candidate{
			{Spec: tuned, Lambdas: []float64{0}}, {Spec: frozen, Lambdas: []float64{1}},
			{Spec: spec, Lambdas: []float64{0}}}, o))
		batches := sgd.ForTuning(c.head)
		batches.Seed = 2
		if last := both.All[2].Spec; last.Tune != "all" || last.Dtype != "float32" {
			t.Errorf("%s: without a policy, %v", rows, last)
		}
		for i, f := range []fits.Fitter{batches, c.frozen, batches} {
			s := both.All[i]
			one, err := train.Recipe{Spec: layers.Spec{Dtype: "float32"}, Fitter: f}.CrossValidate(t.Context(), set,
				[]train.Candidate{{Spec: s.Spec, Lambdas: []float64{s.Lambda}}}, o)
			if err != nil || one.All[0].Error != s.Error {
				t.Errorf("%s: %+v, and under a %T %+v (%v)", rows, s, f, one, err)
			}
		}
	}
}

// TestCrossValidateBest: a fit that fails by its lambda scores +Inf; of equal scores the larger lambda is taken; the
// default lambdas of each head are in the order that a table shows them in.
func TestCrossValidateBest(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 60, 3, 2)
	cv := func(f fits.Fitter, lambdas ...float64) (*train.Scores, error) {
		r := train.Recipe{Spec: layers.Spec{Map: "linear"}, Fitter: f}
		return r.CrossValidate(t.Context(), labelled(x, y), nil, train.CVOptions{Lambdas: lambdas})
	}
	r := must(cv(linear.SVMOptions{MaxSteps: 4, Tol: 1e-6}, 1e-320, 1e4, 1e5, 1e3))
	if s := r.All; !math.IsInf(s[0].Error, 1) || !math.IsNaN(s[0].StdErr) || s[1].Error != s[2].Error || r.Chosen != 2 {
		t.Errorf("%+v", r)
	}
	batches := sgd.MiniBatch{FitOptions: sgd.FitOptions{Solver: sgd.SGD, LearnRate: 1e-4, Epochs: 100}}
	if r, err := cv(batches, 1e300, 1e-3); err != nil || !math.IsInf(r.All[0].Error, 1) || r.Chosen != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	wants(t, "1e300", second(cv(batches, 1e300)), domain.ErrParam, "none of the 1 candidates")
	for _, f := range []fits.Fitter{linear.RidgeOptions{}, linear.SVMOptions{}, sgd.MiniBatch{}} {
		r, byLambda := must(cv(f)), func(a, b train.Score) int { return cmp.Compare(a.Lambda, b.Lambda) }
		if !slices.IsSortedFunc(r.All, byLambda) || len(r.All) < 3 {
			t.Errorf("%T: the default lambdas are %+v", f, r.All)
		}
	}
}

// TestCrossValidateErrors: options, candidates and heads that do not go together say so.
func TestCrossValidateErrors(t *testing.T) {
	sets := cvSets(t, 20)
	classes, targets := sets["classes"], sets["targets"]
	frozen := layers.Spec{Map: "gaussian", Features: 8}
	linearMap, tuned, one := layers.Spec{Map: "linear"}, frozen, []float64{1}
	tuned.Tune = "all"
	two := []train.Candidate{{Spec: frozen}, {Spec: frozen}}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var none context.Context
	type options = train.CVOptions
	cv := func(ctx context.Context, spec layers.Spec, f fits.Fitter, set *data.Set, o options) error {
		return second(train.Recipe{Spec: spec, Fitter: f}.CrossValidate(ctx, set, nil, o))
	}
	by := func(f fits.Fitter, o options) error { return cv(t.Context(), frozen, f, classes, o) }
	of := func(candidates []train.Candidate, o options) error {
		return second(train.Recipe{Spec: frozen}.CrossValidate(t.Context(), classes, candidates, o))
	}
	batch := func(o sgd.FitOptions) error { return by(sgd.MiniBatch{FitOptions: o}, options{}) }
	decayed := sgd.MiniBatch{FitOptions: sgd.FitOptions{Lambda: 1}}
	bad := domain.ErrParam
	wantsAll(t, []mistake{
		{of([]train.Candidate{}, options{}), bad, "0 candidates"},
		{of(nil, options{Folds: 1}), bad, "1 folds"},
		{of(nil, options{Lambdas: []float64{}}), bad, "candidate 0 has no lambdas"},
		{of([]train.Candidate{two[0], {Spec: frozen, Lambdas: []float64{}}}, options{}), bad, "candidate 1 has no lambdas"},
		{of(nil, options{Lambdas: []float64{-1}}), bad, "lambda = -1"},
		{of(nil, options{Folds: 11}), domain.ErrShape, "20 rows in 11 folds"},
		{of(nil, options{Factors: []float64{}}), bad, "0 Factors of 1 candidates"},
		{of(two, options{Factors: one}), bad, "1 Factors of 2 candidates"},
		{cv(t.Context(), linearMap, nil, classes, options{Factors: one}), bad, "no parameter that comes from the data"},
		{cv(cancelled, frozen, nil, classes, options{}), context.Canceled, ""},
		{cv(t.Context(), tuned, linear.RidgeOptions{}, classes, options{}), bad, "use MiniBatch"},
		{by(centroids{}, options{Lambdas: one}), bad, "takes none"},
		{by((*linear.RidgeOptions)(nil), options{}), bad, "the Fitter is a nil"},
		{by(linear.SVMOptions{Lambdas: one}, options{Lambdas: one}), bad, "SVMOptions has Lambdas"},
		{by(linear.SVMOptions{MaxSteps: -1}, options{}), bad, "MaxSteps = -1"},
		{by(linear.SVMOptions{}, options{Lambdas: []float64{1, 0}}), bad, "Lambdas[1] = 0"},
		{cv(t.Context(), frozen, linear.SVMOptions{}, targets, options{}), domain.ErrDomain, "the hinge loss takes -1 and 1"},
		{by(decayed, options{Lambdas: one}), bad, "MiniBatch has Lambda = 1"},
		{batch(sgd.FitOptions{Checkpoints: sgd.Checkpoints{Path: "c"}}), bad, "MiniBatch has Checkpoints"},
		{batch(sgd.FitOptions{Epochs: -1}), bad, "Epochs = -1"},
		{cv(t.Context(), frozen, sgd.MiniBatch{Head: "softmax"}, targets, options{}), domain.ErrDomain,
			"a softmax head learns classes"},
		{by(sgd.MiniBatch{}, options{Lambdas: []float64{math.NaN()}}), bad, "lambda = NaN"},
		{cv(none, frozen, nil, classes, options{}), bad, "Recipe: the context is nil"},
		{second(train.Around(linearMap, classes.X, 1)), bad, "no parameter"},
		{second(train.Around(frozen, nil)), bad, "Around: x is nil"},
	})
}

// TestCrossValidateAround: where the best is at an end of the factors, or of the default lambdas, there are more, until
// it is inside or at the stated limit, which the report tells.
func TestCrossValidateAround(t *testing.T) {
	x, y := trial.Problem(83, 4, 1, 51) // linear: the wider the kernel, the better, and the less the penalty
	set := &data.Set{X: x, Y: y.RawMatrix().Data}
	recipe := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 16, Seed: 2}, Fitter: linear.RidgeOptions{}}
	sigma := func(s train.Score) float64 { return s.Spec.Params.Number("sigma") }
	r := must(recipe.CrossValidate(t.Context(), set, nil, train.CVOptions{Factors: []float64{2, .5, 1}, Folds: 3,
		Progress: func(done, of int) {
			if done > of {
				t.Errorf("%d of %d folds are done", done, of)
			}
		}}))
	best := r.All[r.Chosen]
	var sigmas, lambdas []float64 // the lambdas of the best sigma
	for _, s := range r.All {
		sigmas = append(sigmas, sigma(s))
		if sigma(s) == sigma(best) {
			lambdas = append(lambdas, s.Lambda)
		}
		if s.Error < best.Error*(1-1e-6) {
			t.Errorf("%v was chosen, and there is %v", best, s)
		}
	}
	inOrder := slices.IsSorted(sigmas) && slices.IsSorted(lambdas)
	sigmas = slices.Compact(sigmas)
	if len(sigmas) != 6 || math.Abs(sigmas[5]/sigmas[0]/32-1) > 1e-9 || sigma(best) != sigmas[4] || !inOrder ||
		r.AtEnd != nil {
		t.Errorf("the best σ is %v of %v, at an end: %v", sigma(best), sigmas, r.AtEnd)
	}
	if at := slices.Index(lambdas, best.Lambda); at < 1 || at > len(lambdas)-2 {
		t.Errorf("λ = %v of %v", best.Lambda, lambdas)
	}
	list := []train.Candidate{{Spec: best.Spec, Lambdas: []float64{best.Lambda, 10 * best.Lambda}}}
	given, err := recipe.CrossValidate(t.Context(), set, list, train.CVOptions{Folds: 3})
	if err != nil || len(given.All) != 2 || given.All[0].Error != best.Error ||
		!slices.Equal(given.AtEnd, []string{train.AxisLambda}) {
		t.Errorf("%+v, %v: a list grew, or tells of no end", given, err)
	}
}
