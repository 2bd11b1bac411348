package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
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

// ringRows are rows of two classes, one around the other, and a smooth target of each.
func ringRows(n int) (rows [][]float64, labels []string, y []float64) {
	for i := range n {
		r, a := 1+float64(i%2), float64(i)*2.399963
		rows = append(rows, []float64{3 + r*math.Cos(a), 5 + 10*r*math.Sin(a), .1 * float64(i%7)})
		labels = append(labels, []string{"inner", "outer"}[i%2])
		y = append(y, math.Sin(a)+r)
	}
	return rows, labels, y
}

// TestRecipe: every fitter, on labels and targets where it can, learns the rings; the rows stay as they are; a model that
// is saved predicts the same.
func TestRecipe(t *testing.T) {
	rows, labels, y := ringRows(300)
	x := must(data.FromSlices(rows))
	before := append([]float64(nil), x.Float64s()...)
	epochs := sgd.FitOptions{Epochs: 60, Batch: 50}
	for name, c := range map[string]struct {
		fitter  fits.Fitter
		tune    string
		targets bool
		most    float64 // of errors
	}{
		"default":            {nil, "", false, .02},
		"default, targets":   {nil, "", true, .1},
		"default, tuned":     {nil, "all", false, .05},
		"ridge":              {linear.RidgeOptions{Select: linear.SelectLOO}, "", true, .1},
		"cg":                 {linear.CGOptions{Lambda: 1e-4}, "", false, .02},
		"svm":                {linear.SVMOptions{}, "", false, .02},
		"svm, targets":       {linear.SVMOptions{Loss: linear.SquaredInsensitive}, "", true, .2},
		"mini-batch":         {sgd.MiniBatch{FitOptions: epochs}, "", false, .02},
		"mini-batch, target": {sgd.MiniBatch{FitOptions: epochs}, "bandwidth", true, .4},
		"softmax":            {sgd.MiniBatch{FitOptions: epochs, Head: "softmax"}, "all", false, .02},
	} {
		set := &data.Set{X: x, Labels: labels}
		if c.targets {
			set.Labels, set.Y = nil, y
		}
		r := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 128, Seed: 3, Tune: c.tune}, Fitter: c.fitter}
		m, rep, err := r.Fit(t.Context(), set)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var wrong float64
		if c.targets {
			guess := must(m.PredictTargets(x))
			wrong = must(train.RMSE(guess, y))
		} else {
			guess := must(m.PredictClasses(x))
			for i := range guess {
				if guess[i] != labels[i] {
					wrong += 1 / float64(len(guess))
				}
			}
		}
		if !(wrong <= c.most) || rep == nil {
			t.Errorf("%s: error %v, want at most %v; report %+v", name, wrong, c.most, rep)
		}
		path := filepath.Join(t.TempDir(), "model")
		if err := m.Save(path); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a, b := must(m.Scores(x)), must(must(train.Load(path)).Scores(x)); !mat.Equal(a, b) {
			t.Errorf("%s: the saved model predicts otherwise", name)
		}
	}
	for i, v := range x.Float64s() {
		if v != before[i] {
			t.Fatalf("x[%d] = %v, was %v", i, v, before[i])
		}
	}
}

// TestRecipeSources: slices, gonum's matrices, views and transposes, float32 tensors, sparse rows and a file in blocks
// are one set of rows.
func TestRecipeSources(t *testing.T) {
	rows, labels, _ := ringRows(120)
	for i := range rows { // numbers that float32 holds
		for j := range rows[i] {
			rows[i][j] = float64(float32(rows[i][j]))
		}
	}
	x := must(data.FromSlices(rows))
	wide := mat.NewDense(3, 140, nil)
	for i, r := range rows {
		for j, v := range r {
			wide.Set(j, i+20, v)
		}
	}
	single := tensor.New(tensor.WithShape(x.Shape()...), tensor.Of(tensor.Float32))
	for i, v := range x.Float64s() {
		single.Float32s()[i] = float32(v)
	}
	var text strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&text, "%v,%v,%v,%s\n", r[0], r[1], r[2], labels[i])
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r := train.Recipe{Scale: "minmax,l2", Spec: layers.Spec{Map: "gaussian", Features: 64}, Fitter: linear.RidgeOptions{Lambdas: []float64{.01}}}
	m, _, err := r.Fit(t.Context(), &data.Set{X: x, Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	want := must(m.Scores(x))
	for name, src := range map[string]data.Source{
		"transposed view": &data.Set{X: must(data.FromMatrix(wide.Slice(0, 3, 20, 140).T())), Labels: labels},
		"float32":         &data.Set{X: single, Labels: labels},
		"sparse":          &data.Set{X: must(ops.CSROf(x)), Labels: labels},
		"file":            must(data.Read(file, data.Options{})),
		"stream":          must(data.OpenStream(data.StreamOptions{BlockRows: 17}, file)),
	} {
		m, _, err := r.Fit(t.Context(), src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := must(m.Scores(x)); !mat.EqualApprox(got, want, 1e-9) {
			t.Errorf("%s: another model", name)
		}
	}
}

// TestRecipeErrors: what cannot be fitted is one error that names its place.
func TestRecipeErrors(t *testing.T) {
	rows, labels, y := ringRows(20)
	x := must(data.FromSlices(rows))
	nan := must(data.FromSlices(rows))
	nan.Float64s()[7] = math.NaN()
	gaussian := train.Recipe{}
	tuned := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 8, Tune: "all"}, Fitter: linear.RidgeOptions{}}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		r    train.Recipe
		src  data.Source
		is   error
		text string
	}{
		"nil":          {nil, gaussian, nil, domain.ErrParam, "there are no rows"},
		"nil set":      {nil, gaussian, (*data.Set)(nil), domain.ErrParam, "there are no rows"},
		"nil stream":   {nil, gaussian, (*data.Stream)(nil), domain.ErrParam, "there are no rows"},
		"no targets":   {nil, gaussian, &data.Set{X: x}, domain.ErrParam, "neither Labels nor Y"},
		"both":         {nil, gaussian, &data.Set{X: x, Labels: labels, Y: y}, domain.ErrParam, "both Labels and Y"},
		"too few":      {nil, gaussian, &data.Set{X: x, Labels: labels[1:]}, domain.ErrShape, "20 rows, 19 labels"},
		"one class":    {nil, gaussian, &data.Set{X: x, Labels: make([]string, 20), Source: "a.csv"}, data.ErrLabel, "a.csv: all rows have the class"},
		"nan":          {nil, gaussian, &data.Set{X: nan, Labels: labels, Source: "a.csv"}, domain.ErrDomain, "a.csv: train: Model: x[2,1] = NaN"},
		"map":          {nil, train.Recipe{Spec: layers.Spec{Map: "gauss"}}, &data.Set{X: x, Labels: labels}, domain.ErrParam, "gauss"},
		"scaler":       {nil, train.Recipe{Scale: "big"}, &data.Set{X: x, Labels: labels}, domain.ErrParam, "big"},
		"domain":       {nil, train.Recipe{Spec: layers.Spec{Map: "chi2"}}, &data.Set{X: x, Labels: labels, Source: "a.csv"}, domain.ErrDomain, "a.csv: map chi2"},
		"tuned, ridge": {nil, tuned, &data.Set{X: x, Labels: labels}, domain.ErrParam, "use MiniBatch"},
		"softmax, y":   {nil, train.Recipe{Fitter: sgd.MiniBatch{Head: "softmax"}}, &data.Set{X: x, Y: y}, domain.ErrParam, "learns classes"},
		"svm, y":       {nil, train.Recipe{Fitter: linear.SVMOptions{}}, &data.Set{X: x, Y: y}, domain.ErrDomain, "hinge"},
		"cancelled":    {cancelled, gaussian, &data.Set{X: x, Labels: labels}, context.Canceled, "stopped"},
	} {
		ctx := c.ctx
		if ctx == nil {
			ctx = t.Context()
		}
		m, _, err := c.r.Fit(ctx, c.src)
		if m != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.is, c.text)
		}
	}
	refuse := errors.New("too much")
	sparse := train.Recipe{Scale: "standard", Afford: func(what string, bytes float64) error {
		if bytes != 20*3*8 || !strings.Contains(what, "20 rows of 3 columns") {
			t.Errorf("Afford of %q, %v bytes", what, bytes)
		}
		return refuse
	}}
	if _, _, err := sparse.Fit(t.Context(), &data.Set{X: must(ops.CSROf(x)), Labels: labels}); !errors.Is(err, refuse) {
		t.Errorf("sparse rows under standard: %v", err)
	}
}

// TestRecipeOfStream: every fitter learns from a stream what it learns from the file in memory, and cross-validation
// scores both. Rows that are parsed once and rows that are parsed in every pass give the same bits.
func TestRecipeOfStream(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	var text strings.Builder
	for i := range 400 {
		a, b := math.Sincos(float64(i))
		r := 1 + .4*math.Sin(float64(7*i)) + 2*float64(i%2)
		fmt.Fprintf(&text, "%v,%v,%s\n", r*a, r*b, []string{"in", "out"}[i%2])
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	set := must(data.Read(file, data.Options{}))
	for name, f := range map[string]fits.Fitter{"ridge": linear.RidgeOptions{}, "svm": linear.SVMOptions{Lambdas: []float64{.01}}, "svm, anew": linear.SVMOptions{Lambdas: []float64{.01}, CacheBytes: -1},
		"logistic": linear.LogisticOptions{Lambdas: []float64{.01}}, "mini-batch": sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 30, Batch: 20}, Head: "softmax"}} {
		r := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 64}, Fitter: f}
		stream := must(data.OpenStream(data.StreamOptions{BlockRows: 60, Shuffle: 100}, file))
		m, _, err := r.Fit(t.Context(), stream)
		if err != nil {
			t.Fatal(name, err)
		}
		parsed := must(data.OpenStream(data.StreamOptions{BlockRows: 60, Shuffle: 100, SpillBytes: -1}, file))
		again, _, err := r.Fit(t.Context(), parsed)
		if err != nil {
			t.Fatal(name, err)
		}
		if kept, _ := stream.Spilled(); kept == 0 {
			t.Logf("%s: no rows are kept here", name)
		}
		if !bytes.Equal(savedBytes(t, m), savedBytes(t, again)) {
			t.Errorf("%s: the rows that a survey keeps give another model", name)
		}
		wrong := 0
		for i, c := range must(m.PredictClasses(set.X)) {
			if c != set.Labels[i] {
				wrong++
			}
		}
		if wrong > 8 {
			t.Errorf("%s: %d of 400 are wrong", name, wrong)
		}
		switch o := f.(type) {
		case linear.SVMOptions:
			o.Lambdas = nil
			f = o
		case linear.LogisticOptions:
			o.Lambdas = nil
			f = o
		}
		r.Fitter = f
		cv, err := r.CrossValidate(t.Context(), stream, []train.Candidate{{Spec: r.Spec}}, train.CVOptions{Folds: 3, Lambdas: []float64{.001}})
		if err != nil || !(cv.All[0].Error < .1) {
			t.Errorf("%s: %+v, %v", name, cv, err)
		}
		cvAgain, err := r.CrossValidate(t.Context(), parsed, []train.Candidate{{Spec: r.Spec}}, train.CVOptions{Folds: 3, Lambdas: []float64{.001}})
		if err != nil || cvAgain.All[0].Error != cv.All[0].Error {
			t.Errorf("%s: cross-validation scores %+v on rows that a survey keeps, and %+v else (%v)", name, cv, cvAgain, err)
		}
	}
}

// constant is a Fitter whose head predicts one class or one number everywhere. It keeps the number of rows of each fit.
type constant struct {
	kind string
	b    []float64
	rows *[]int
	tune bool
}

func (constant) Cost(fits.Problem) fits.Cost { return fits.Cost{Operations: 1} }
func (c constant) HeadKind() string          { return c.kind }
func (c constant) Frozen() bool              { return !c.tune }

func (c constant) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	n := 0
	for b, err := range rows.Blocks(ctx, 0) {
		if err != nil {
			return nil, err
		}
		n += b.X.Shape()[0]
	}
	*c.rows = append(*c.rows, n)
	for _, p := range m.Params() {
		if p.Tuned { // a map that the next fold must not see
			p.Value.Zero()
		}
	}
	return &fits.Report{}, head.SetWeights(make([]float64, m.Features()*head.Features()), c.b)
}

// TestRecipeCrossValidateFitter: the recipe's own Fitter is fitted in every fold, in memory and on a stream, for classes
// and for targets; Best keeps it.
func TestRecipeCrossValidateFitter(t *testing.T) {
	rows, labels, y := ringRows(90)
	for i := range labels {
		labels[i] = []string{"inner", "outer", "outer"}[i%3]
	}
	set := &data.Set{X: must(data.FromSlices(rows)), Labels: labels}
	file := filepath.Join(t.TempDir(), "rows.csv")
	var text strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&text, "%v,%v,%v,%s\n", r[0], r[1], r[2], labels[i])
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	targets, square := &data.Set{X: set.X, Y: y}, 0.
	for _, v := range y {
		square += (v - 2) * (v - 2) / 90
	}
	for name, c := range map[string]struct {
		rows  data.Source
		f     constant
		tune  string
		error float64
		off   float64 // how far the folds of a stream, which differ in size, may be off
	}{
		"linear":         {set, constant{kind: "linear", b: []float64{1, -1}}, "", 2. / 3, 1e-12},
		"softmax":        {set, constant{kind: "softmax", b: []float64{-1, 1}}, "", 1. / 3, 1e-12},
		"targets":        {targets, constant{kind: "huber", b: []float64{2}}, "", square, 1e-9},
		"tuned":          {set, constant{kind: "softmax", b: []float64{-1, 1}, tune: true}, "all", 1. / 3, 1e-12},
		"stream, linear": {must(data.OpenStream(data.StreamOptions{BlockRows: 17}, file)), constant{kind: "linear", b: []float64{1, -1}}, "", 2. / 3, .1},
	} {
		var fitted []int
		c.f.rows = &fitted
		r := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 8, Tune: c.tune}, Fitter: c.f}
		cv, err := r.CrossValidate(t.Context(), c.rows, nil, train.CVOptions{Folds: 3})
		if err != nil || len(cv.All) != 1 || len(fitted) != 3 || fitted[0]+fitted[1]+fitted[2] != 180 ||
			math.Abs(cv.All[0].Error-c.error) > c.off || !math.IsNaN(cv.All[0].Lambda) {
			t.Errorf("%s: %+v, fits to %d rows, %v; want the error %v", name, cv, fitted, err, c.error)
			continue
		}
		if best := cv.Best(r); best.Fitter.(constant).rows != c.f.rows || best.Spec.Params.Number("sigma") == 0 {
			t.Errorf("%s: the best is %+v", name, best)
		}
	}
	lone := train.Recipe{Spec: layers.Spec{Map: "gaussian", Features: 8}, Fitter: constant{kind: "linear", b: []float64{1, -1}, rows: new([]int)}}
	if _, err := lone.CrossValidate(t.Context(), set, nil, train.CVOptions{Lambdas: []float64{1}}); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "takes none") {
		t.Errorf("lambdas for a Fitter without: %v", err)
	}
}

// TestRecipeCrossValidateIsFit: the score of a recipe is that of its fits by hand on the same folds: by default for
// classes and targets, frozen and tuned, and under its own Fitter with its own lambda.
func TestRecipeCrossValidateIsFit(t *testing.T) {
	const folds, seed = 3, 7
	rows, labels, y := ringRows(120)
	x := must(data.FromSlices(rows))
	frozen := layers.Spec{Map: "gaussian", Features: 16, Seed: 3, Params: layers.Values{"sigma": 3.}}
	tuned := frozen
	tuned.Tune = "all"
	short := sgd.FitOptions{Epochs: 4, Batch: 20, Lambda: 1e-3}
	for name, c := range map[string]struct {
		spec    layers.Spec
		fitter  fits.Fitter
		lambdas []float64 // of the options
		targets bool
		by      func(lambda float64) fits.Fitter // the same by hand; nil: the Fitter as it is
		tuner   *train.Tuner
	}{
		"tuner":            {frozen, linear.RidgeOptions{}, nil, true, nil, &train.Tuner{Steps: []string{train.StepFrozen, train.StepEvidence}}},
		"tuner, classes":   {frozen, linear.LogisticOptions{}, nil, false, nil, &train.Tuner{Steps: []string{train.StepEvidence}}},
		"default":          {frozen, nil, []float64{.01}, false, func(l float64) fits.Fitter { return linear.LogisticOptions{Lambdas: []float64{l}, Seed: 3} }, nil},
		"default, targets": {frozen, nil, []float64{.01}, true, func(l float64) fits.Fitter { return linear.RidgeOptions{Lambdas: []float64{l}, Seed: 3} }, nil},
		"tuned":            {tuned, nil, []float64{1e-3}, false, nil, nil},
		"tuned, targets":   {tuned, nil, []float64{1e-3}, true, nil, nil},
		"svm":              {frozen, linear.SVMOptions{Tol: 1e-9}, []float64{.01}, false, func(l float64) fits.Fitter { return linear.SVMOptions{Lambdas: []float64{l}, Tol: 1e-9} }, nil},
		"its own lambdas":  {frozen, linear.LogisticOptions{Lambdas: []float64{.5}}, nil, false, nil, nil},
		"its own choice":   {frozen, linear.RidgeOptions{Select: linear.SelectLOO}, nil, true, nil, nil},
		"its own penalty":  {tuned, sgd.MiniBatch{FitOptions: short, Head: "softmax"}, nil, false, nil, nil},
		"cg":               {frozen, linear.CGOptions{Lambda: .1}, nil, true, nil, nil},
	} {
		set := &data.Set{X: x, Labels: labels}
		if c.targets {
			set.Labels, set.Y = nil, y
		}
		r := train.Recipe{Scale: "none", Spec: c.spec, Fitter: c.fitter, Tuner: c.tuner}
		cv, err := r.CrossValidate(t.Context(), set, nil, train.CVOptions{Folds: folds, Seed: seed, Lambdas: c.lambdas})
		if err != nil || len(cv.All) != 1 {
			t.Errorf("%s: %+v, %v", name, cv, err)
			continue
		}
		by, want := c.by, 0.
		if by == nil {
			by = func(lambda float64) fits.Fitter {
				if c.fitter == nil {
					kind := map[bool]string{false: "softmax"}[c.targets]
					return sgd.MiniBatch{FitOptions: sgd.FitOptions{Seed: 3, Lambda: lambda}, Head: kind}
				}
				return c.fitter
			}
		}
		parts := must(train.FoldsOf(set, folds, seed))
		for f, held := range parts {
			rest := slices.Concat(slices.Delete(slices.Clone(parts), f, f+1)...)
			part := &data.Set{X: data.Rows(x, rest)}
			lambda := cv.All[0].Lambda
			for _, i := range rest {
				if c.targets {
					part.Y = append(part.Y, y[i])
				} else {
					part.Labels = append(part.Labels, labels[i])
				}
			}
			if c.by != nil {
				lambda *= 2. / 3 // the same penalty a row
			}
			one := r
			one.Fitter = by(lambda)
			m, _, err := one.Fit(t.Context(), part)
			if err != nil {
				t.Fatal(name, err)
			}
			if c.targets {
				guess := must(m.PredictTargets(data.Rows(x, held)))
				for j, i := range held {
					want += (guess[j] - y[i]) * (guess[j] - y[i]) / 120
				}
				continue
			}
			for j, guess := range must(m.PredictClasses(data.Rows(x, held))) {
				if guess != labels[held[j]] {
					want += 1. / 120
				}
			}
		}
		if got := cv.All[0].Error; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: the error %v, by hand %v", name, got, want)
		}
		if c.spec.Tune != "" && c.fitter == nil {
			still := r
			still.Spec, still.Fitter = frozen, sgd.MiniBatch{FitOptions: sgd.FitOptions{Seed: 3}, Head: by(0).HeadKind()}
			other := must(still.CrossValidate(t.Context(), set, nil, train.CVOptions{Folds: folds, Seed: seed, Lambdas: c.lambdas}))
			if got := cv.All[0].Error; got == other.All[0].Error {
				t.Errorf("%s: the frozen map has the error %v too", name, got)
			}
		}
		best := cv.Best(r)
		m, rep, err := best.Fit(t.Context(), set)
		if err != nil || c.lambdas != nil && c.spec.Tune == "" && rep.Lambda != c.lambdas[0] || best.Spec.Tune != c.spec.Tune || best.Tuner != c.tuner {
			t.Errorf("%s: the best %+v makes %v: %+v, %v", name, best, m, rep, err)
		}
	}
	r := train.Recipe{Spec: tuned, Fitter: linear.RidgeOptions{}}
	if _, err := r.CrossValidate(t.Context(), &data.Set{X: x, Labels: labels}, nil, train.CVOptions{}); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "use MiniBatch") {
		t.Errorf("ridge under a tuned map: %v", err)
	}
}

// savedBytes is the file of a model.
func savedBytes(t *testing.T, m *train.Model) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	return must(os.ReadFile(path))
}

// TestRecipeFitsAtOnce: two fits of one stream at the same time give the model that one gives; the race detector sees
// what they share.
func TestRecipeFitsAtOnce(t *testing.T) {
	rows, labels, _ := ringRows(200)
	var text strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&text, "%v,%v,%v,%s\n", r[0], r[1], r[2], labels[i])
	}
	file := filepath.Join(t.TempDir(), "rings.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 32, Seed: 3}, Fitter: linear.RidgeOptions{}}
	s := must(data.OpenStream(data.StreamOptions{BlockRows: 60}, file))
	defer s.Close()
	var scores [2]*mat.Dense
	var all sync.WaitGroup
	x := must(data.FromSlices(rows))
	for i := range scores {
		all.Go(func() {
			m, _, err := r.Fit(t.Context(), s)
			if err == nil {
				scores[i], err = m.Scores(x)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() || !mat.Equal(scores[0], scores[1]) {
		t.Error("the models differ")
	}
}
