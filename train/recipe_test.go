package train_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestRecipe: a recipe by every way of going over rows, on labels and targets, learns the rings from rows in memory and
// from a file in blocks. The rows stay as they are. Two fits of one stream at the same time, and one that parses the
// file in every pass, give the same bits; the race detector sees what they share. Cross-validation scores the stream,
// whichever way it is read. TestFitters has the other options.
func TestRecipe(t *testing.T) {
	classes, targets := ringSets(300)
	before := numbers(classes.X)
	one, two, epochs := []float64{.01}, []float64{.001, .01}, sgd.FitOptions{Epochs: 40, Batch: 50}
	for name, c := range map[string]struct {
		fitter  fits.Fitter
		tune    string
		targets bool
		most    float64   // of errors
		lambdas []float64 // for cross-validation; nil: the fitter's
	}{
		"default":            {nil, "", false, .02, two},
		"default, targets":   {nil, "", true, .1, two},
		"default, tuned":     {nil, "all", false, .05, two},
		"ridge":              {linear.RidgeOptions{Select: linear.SelectLOO}, "", true, .1, nil},
		"cg":                 {linear.CGOptions{Lambda: 1e-4}, "", false, .02, nil},
		"svm":                {linear.SVMOptions{}, "", false, .02, two},
		"svm, uncached":      {linear.SVMOptions{Lambdas: one, CacheBytes: -1}, "", false, .02, nil},
		"svm, targets":       {linear.SVMOptions{Loss: linear.SquaredInsensitive}, "", true, .2, two},
		"mini-batch":         {sgd.MiniBatch{FitOptions: epochs}, "", false, .02, two},
		"mini-batch, target": {sgd.MiniBatch{FitOptions: epochs}, "bandwidth", true, .4, two},
		"a user's own":       {centroids{}, "", false, .1, nil},
	} {
		set, o := classes, data.StreamOptions{BlockRows: 60, Shuffle: 100}
		if c.targets {
			set, o.Task = targets, data.Regression
		}
		spec := layers.Spec{Map: "gaussian", Features: 128, Seed: 3, Tune: c.tune}
		r := train.Recipe{Scale: "standard", Spec: spec, Fitter: c.fitter}
		m, rep, err := r.Fit(t.Context(), set)
		if err != nil || rep == nil {
			t.Errorf("%s: %+v, %v", name, rep, err)
			continue
		}
		if e := errorOf(m, set); !(e <= c.most) {
			t.Errorf("%s: error %v, want at most %v", name, e, c.most)
		}
		file := csvOf(t, set)
		shared := must(data.OpenStream(o, file))
		streams := []*data.Stream{shared, shared, must(data.OpenStream(o, file))}
		var models [3]*train.Model
		var all sync.WaitGroup
		for i, s := range streams {
			all.Go(func() { models[i], _ = must2(r.Fit(t.Context(), s)) })
		}
		all.Wait()
		if e := errorOf(models[0], set); !(e <= c.most) {
			t.Errorf("%s, streamed: error %v, want at most %v", name, e, c.most)
		}
		for _, m := range models[1:] {
			if !bytes.Equal(must(m.MarshalBinary()), must(models[0].MarshalBinary())) {
				t.Errorf("%s: another model at the same time, or of another stream", name)
			}
		}
		if c.targets || c.tune != "" {
			continue
		}
		score := func(s *data.Stream) float64 {
			cv := must(r.CrossValidate(t.Context(), s, nil, train.CVOptions{Folds: 3, Lambdas: c.lambdas}))
			return cv.All[cv.Chosen].Error
		}
		if a, b := score(streams[1]), score(streams[2]); a != b || !(a < .1) {
			t.Errorf("%s: cross-validation of streams has the errors %v and %v", name, a, b)
		}
	}
	if !slices.Equal(before, numbers(classes.X)) {
		t.Fatal("the rows have changed")
	}
}

// TestRecipeSources: slices, gonum's matrices, views and transposes, float32 tensors, sparse rows and a file, whole or
// in blocks, are one set of rows.
func TestRecipeSources(t *testing.T) {
	set, _ := ringSets(120)
	single := as(set.X.(*tensor.Dense), tensor.Float32)
	x := tensor.New(tensor.WithShape(120, 3), tensor.WithBacking(ops.Float64s(single))) // numbers that float32 holds
	set.X = x
	wide := mat.NewDense(3, 140, nil)
	for i := range 120 {
		for j := range 3 {
			wide.Set(j, i+20, x.Float64s()[3*i+j])
		}
	}
	file, labels := csvOf(t, set), set.Labels
	r := train.Recipe{Scale: "minmax,l2", Spec: layers.Spec{Map: "gaussian", Features: 64},
		Fitter: linear.RidgeOptions{Lambdas: []float64{.01}}}
	m, _ := must2(r.Fit(t.Context(), set))
	want := must(m.Scores(x))
	for name, src := range map[string]data.Source{
		"transposed view": &data.Set{X: must(data.FromMatrix(wide.Slice(0, 3, 20, 140).T())), Labels: labels},
		"float32":         &data.Set{X: single, Labels: labels},
		"sparse":          &data.Set{X: must(ops.CSROf(x)), Labels: labels},
		"file":            must(data.Read(file, data.Options{})),
		"stream":          must(data.OpenStream(data.StreamOptions{BlockRows: 17}, file)),
		"sparse stream": must(data.OpenStream(data.StreamOptions{BlockRows: 17,
			Options: data.Options{Form: data.FormSparse}}, file)),
	} {
		m, _, err := r.Fit(t.Context(), src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := must(m.Scores(x)); !mat.EqualApprox(got, want, 1e-9) {
			t.Errorf("%s: another model", name)
		}
	}
}

// TestRecipeErrors: what cannot be fitted is one error that names its place.
func TestRecipeErrors(t *testing.T) {
	classes, targets := ringSets(20)
	x, labels, y := classes.X.(*tensor.Dense), classes.Labels, targets.Y
	nan := x.Clone().(*tensor.Dense)
	nan.Float64s()[7] = math.NaN()
	gaussian := train.Recipe{}
	tuned := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 8, Tune: "all"}, Fitter: linear.RidgeOptions{}}
	softmax := train.Recipe{Fitter: sgd.MiniBatch{Head: "softmax"}}
	from := func(x ops.Matrix, labels []string) *data.Set { return &data.Set{X: x, Labels: labels, Source: "a.csv"} }
	fit := func(r train.Recipe, rows data.Source) error {
		m, _, err := r.Fit(t.Context(), rows)
		if m != nil {
			t.Errorf("a model, with the error %v", err)
		}
		return err
	}
	of := func(spec layers.Spec) train.Recipe { return train.Recipe{Spec: spec} }
	wantsAll(t, []mistake{
		{fit(gaussian, nil), domain.ErrParam, "there are no rows"},
		{fit(gaussian, (*data.Set)(nil)), domain.ErrParam, "there are no rows"},
		{fit(gaussian, (*data.Stream)(nil)), domain.ErrParam, "there are no rows"},
		{fit(gaussian, &data.Set{X: x}), domain.ErrParam, "neither Labels nor Y"},
		{fit(gaussian, &data.Set{X: x, Labels: labels, Y: y}), domain.ErrParam, "both Labels and Y"},
		{fit(gaussian, from(x, labels[1:])), domain.ErrShape, "20 rows, 19 labels"},
		{fit(gaussian, from(x, make([]string, 20))), data.ErrLabel, "a.csv: all rows have the class"},
		{fit(gaussian, from(nan, labels)), domain.ErrDomain, "a.csv: train: Model: x[2,1] = NaN"},
		{fit(of(layers.Spec{Map: "gauss"}), classes), domain.ErrParam, "gauss"},
		{fit(train.Recipe{Scale: "big"}, classes), domain.ErrParam, "big"},
		{fit(of(layers.Spec{Map: "chi2"}), from(x, labels)), domain.ErrDomain, "a.csv: map chi2"},
		{fit(tuned, classes), domain.ErrParam, "use MiniBatch"},
		{fit(softmax, targets), domain.ErrParam, "learns classes"},
		{fit(train.Recipe{Fitter: linear.SVMOptions{}}, targets), domain.ErrDomain, "hinge"},
		{fit(train.Recipe{Groups: []int{1}}, classes), domain.ErrShape, "1 Groups for 20 rows"},
	})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	m, _, err := gaussian.Fit(cancelled, classes)
	if wants(t, "cancelled", err, context.Canceled, "stopped"); m != nil {
		t.Error("a model of a fit that was cancelled")
	}
	refuse := errors.New("too much")
	sparse := train.Recipe{Scale: "standard", Afford: func(what string, bytes float64) error {
		if bytes != 20*3*8 || !strings.Contains(what, "20 rows of 3 columns") {
			t.Errorf("Afford of %q, %v bytes", what, bytes)
		}
		return refuse
	}}
	wants(t, "sparse rows under standard", third(sparse.Fit(t.Context(), from(must(ops.CSROf(x)), labels))), refuse, "")
}

// TestDtype: what mini-batches may tune is float32 unless the Spec says otherwise, and what is solved is float64.
func TestDtype(t *testing.T) {
	set := waves(60, 1, false)
	for _, c := range []struct {
		tune, dtype string
		steps       []string
		want        tensor.Dtype
	}{
		{"none", "", nil, tensor.Float64},
		{"", "", nil, tensor.Float32},
		{"none", "float32", nil, tensor.Float32},
		{"all", "", nil, tensor.Float32},
		{"bandwidth", "float64", nil, tensor.Float64},
		{"", "", []string{train.StepFrozen}, tensor.Float64},
		{"", "", []string{train.StepEvidence}, tensor.Float64},
		{"", "", []string{train.StepAll}, tensor.Float32},
		{"", "", []string{train.StepBoth}, tensor.Float32},
		{"", "float64", []string{train.StepAll}, tensor.Float64},
	} {
		spec := layers.Spec{Map: "gaussian", Features: 16, Seed: 1, Tune: c.tune, Dtype: c.dtype}
		r := train.Recipe{Spec: spec}
		if c.steps != nil {
			r.Tuner = &train.Tuner{Steps: c.steps, Descent: sgd.FitOptions{Epochs: 1}}
		}
		m, _, err := r.Fit(t.Context(), set)
		if err != nil || m.Map.Dtype() != c.want || m.Head.Dtype() != c.want || m.Spec.ElementType() != c.want {
			t.Errorf("%+v: the map is %v, the head %v: %v", c, m.Map.Dtype(), m.Head.Dtype(), err)
		}
	}
}
