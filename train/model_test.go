package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// counts are histograms of three classes, rows of d counts that differ in their first bins, and the target that goes with each: a
// smooth function of the row. Of a few dozen rows, some have a zero in each bin, so minmax makes nothing negative.
func counts(n, d int, seed uint64) (x *tensor.Dense, labels []string, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := make([]float64, n*d)
	y = mat.NewDense(n, 1, nil)
	for i := range n {
		row, class := v[i*d:(i+1)*d], rng.IntN(3)
		for range 20 {
			if rng.IntN(2) == 0 {
				row[class]++
			} else {
				row[rng.IntN(d)]++
			}
		}
		labels = append(labels, []string{"cat", "dog", "eel"}[class])
		y.Set(i, 0, 2+math.Sin(row[0]/5)+.2*row[1])
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v)), labels, y
}

// A plan is a model to be made.
type plan struct {
	entry   *layers.Entry
	head    string // softmax, linear (both by Fit), ridge
	dtype   string
	tune    string
	regress bool

	// Of the models of saved_models_test.go; zero is what the others have.
	sampler  string
	params   layers.Values
	scaled   string
	features int
}

func (p plan) String() string {
	return strings.Join([]string{p.entry.Name, p.head, p.dtype, p.tune, fmt.Sprintf("regression=%v", p.regress)}, " ")
}

const (
	modelDims     = 7
	modelFeatures = 64
)

// plans are every map of rows with every head, both element types, frozen; with policies also tuned in every way.
func plans(policies bool) []plan {
	var ps []plan
	for _, e := range layers.Entries() {
		if e.Bags { // bags_test.go
			continue
		}
		for _, dtype := range []string{"float64", "float32"} {
			for _, regress := range []bool{false, true} {
				for _, head := range []string{"ridge", "linear", "softmax"} {
					if regress && head == "softmax" {
						continue
					}
					ps = append(ps, plan{entry: e, head: head, dtype: dtype, regress: regress})
					if !policies || !e.Tunable || head == "ridge" || regress {
						continue
					}
					for _, tune := range []string{"bandwidth", "bandwidth-each", "all"} {
						ps = append(ps, plan{entry: e, head: head, dtype: dtype, tune: tune, regress: regress})
					}
				}
			}
		}
	}
	return ps
}

// scale is how the rows are scaled for the map.
func (p plan) scale() string {
	if p.scaled != "" {
		return p.scaled
	}
	if p.entry.Inputs == "‖x‖₂ = 1" {
		return "minmax,l2"
	}
	return "minmax,l1"
}

// fit makes the model from rows that it leaves as they are.
func (p plan) fit(x *tensor.Dense, labels []string, y *mat.Dense, epochs int) (*train.Model, error) {
	m := &train.Model{
		Scaler: must(data.ParseScalers(p.scale())),
		Spec:   layers.Spec{Map: p.entry.Name, Params: p.params, Dims: x.Shape()[1], Sampler: p.sampler, Dtype: p.dtype, Seed: 5, Tune: p.tune, Name: "map"},
	}
	if p.entry.HasFeatures() {
		if m.Spec.Features = p.features; p.features == 0 {
			m.Spec.Features = modelFeatures
		}
	}
	if err := m.Scaler.Fit(x); err != nil {
		return nil, err
	}
	scaled := &data.Set{X: x.Clone().(*tensor.Dense)}
	if err := m.Scaler.ApplyInPlace(scaled.X); err != nil {
		return nil, err
	}
	dt := tensor.Float64
	if p.dtype == "float32" {
		dt = tensor.Float32
	}
	z, err := scaled.As(dt)
	if err != nil {
		return nil, err
	}
	if err := m.Spec.FillDefaults(z); err != nil {
		return nil, err
	}
	if m.Map, err = m.Spec.Fit(z); err != nil {
		return nil, err
	}
	var idx []int
	if !p.regress {
		m.Classes = data.NewClasses(labels)
		idx = must(m.Classes.Index(labels))
		y = must(data.OneVersusRest(idx, len(m.Classes)))
	}
	return m, p.fitHead(m, dt, z, idx, y, epochs)
}

func (p plan) fitHead(m *train.Model, dt tensor.Dtype, x ops.Matrix, labels []int, y *mat.Dense, epochs int) error {
	_, k := y.Dims()
	ctx, opt := context.Background(), layers.WithDtype(dt)
	o := sgd.FitOptions{Epochs: epochs, Batch: 64, LearnRate: .05}
	switch p.head {
	case "softmax":
		m.Head = must(layers.NewSoftmaxHead(m.Map.Features(), k, opt))
		_, err := sgd.Fit(ctx, m.Map, m.Head, trial.Classes(x, labels, k), o)
		return err
	case "linear":
		m.Head = must(layers.NewLinearHead(m.Map.Features(), k, opt))
		_, err := sgd.Fit(ctx, m.Map, m.Head, data.Pairs{X: x, Y: y}, o)
		return err
	default:
		m.Head = must(layers.NewLinearHead(m.Map.Features(), k, opt))
		// One lambda for all maps may lie beside a negative eigenvalue of an indefinite kernel's system.
		o := linear.RidgeOptions{Lambdas: []float64{1e-4, 1e-2, 1}, Select: linear.SelectLOO}
		f, err := linear.FitRidge(ctx, m.Map, data.Pairs{X: x, Y: y}, o)
		if err != nil {
			return err
		}
		return m.Head.SetWeights(f.W.RawMatrix().Data, f.B)
	}
}

// as is x in another element type.
func as(x *tensor.Dense, dt tensor.Dtype) *tensor.Dense {
	y := tensor.New(tensor.WithShape(x.Shape()...), tensor.Of(dt))
	for i, v := range x.Float64s() {
		if dt == tensor.Float32 {
			y.Float32s()[i] = float32(v)
		} else {
			y.Float64s()[i] = v
		}
	}
	return y
}

// numbers are the entries of a tensor, which float64 holds exactly.
func numbers(t *tensor.Dense) []float64 {
	if t.Dtype() == tensor.Float64 {
		return t.Float64s()
	}
	v := make([]float64, t.Shape().TotalSize())
	for i, f := range t.Float32s() {
		v[i] = float64(f)
	}
	return v
}

// TestModelPredicts: scaler, map and head from end to end, for every map, head, task and element type. The model has learnt
// something, its ways to predict agree with each other, and the rows that it is given stay as they are.
func TestModelPredicts(t *testing.T) {
	x, labels, y := counts(300, modelDims, 1)
	test, testLabels, testY := counts(97, modelDims, 2)
	for _, p := range plans(false) {
		m, err := p.fit(x, labels, y, 12)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		for _, rows := range []*tensor.Dense{test, as(test, tensor.Float32)} { // whole numbers, the same in both
			before := slices.Clone(numbers(rows))
			scores := must(m.Scores(rows))
			if n, k := scores.Dims(); n != 97 || k != m.Head.Features() {
				t.Errorf("%v: scores are %d x %d", p, n, k)
			}
			z := must(m.Features(rows))
			if !z.Shape().Eq(tensor.Shape{97, m.Map.Features()}) || z.Dtype() != m.Map.Dtype() {
				t.Errorf("%v: features are %v %v", p, z.Dtype(), z.Shape())
			}
			if byHand := must(m.Head.Transform(nil, z)); !slices.Equal(numbers(byHand), scores.RawMatrix().Data) {
				t.Errorf("%v: the head on the features has other scores", p)
			}
			prepared := must(m.Prepare(rows))
			if again := must(m.ScoresPrepared(prepared)); prepared.Dtype() != m.Map.Dtype() || !mat.Equal(again, scores) {
				t.Errorf("%v: prepared rows are %v and have other scores", p, prepared.Dtype())
			}
			if p.regress {
				p.checkTargets(t, m, rows, scores, testY)
			} else {
				p.checkClasses(t, m, rows, scores, testLabels)
			}
			if !slices.Equal(before, numbers(rows)) {
				t.Fatalf("%v: prediction changed its rows", p)
			}
		}
	}
}

func (p plan) checkClasses(t *testing.T, m *train.Model, rows *tensor.Dense, scores *mat.Dense, labels []string) {
	t.Helper()
	guess, names := must(m.Predict(rows)), must(m.PredictClasses(rows))
	if !slices.Equal(guess, train.ArgMax(scores)) {
		t.Errorf("%v: Predict is not the largest score", p)
	}
	hits := 0
	for i, c := range guess {
		if names[i] != m.Classes[c] {
			t.Fatalf("%v: row %d is %q by name and %q by number", p, i, names[i], m.Classes[c])
		}
		if names[i] == labels[i] {
			hits++
		}
		if sum := mat.Sum(scores.RowView(i)); p.head == "softmax" && math.Abs(sum-1) > 1e-5 {
			t.Errorf("%v: the probabilities of row %d sum to %v", p, i, sum)
		}
	}
	if hits < 78 { // four fifths; guessing gives a third
		t.Errorf("%v: %d of 97 rows are right", p, hits)
	}
	if _, err := m.PredictTargets(rows); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "use Predict") {
		t.Errorf("%v: the targets of a classifier: %v", p, err)
	}
}

func (p plan) checkTargets(t *testing.T, m *train.Model, rows *tensor.Dense, scores, y *mat.Dense) {
	t.Helper()
	guess := must(m.PredictTargets(rows))
	if !slices.Equal(guess, scores.RawMatrix().Data) {
		t.Errorf("%v: PredictTargets is not the score", p)
	}
	truth := y.RawMatrix().Data
	mean := mat.Sum(y) / float64(len(truth))
	spread := must(train.RMSE(slices.Repeat([]float64{mean}, len(truth)), truth))
	if e := must(train.RMSE(guess, truth)); !(e < .7*spread) {
		t.Errorf("%v: RMSE %v, and %v for the mean", p, e, spread)
	}
	for _, f := range []func() error{
		func() error { _, err := m.Predict(rows); return err },
		func() error { _, err := m.PredictClasses(rows); return err },
	} {
		if err := f(); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "use PredictTargets") {
			t.Errorf("%v: the classes of a regression: %v", p, err)
		}
	}
}

// TestRowByRow: what is predicted for a row does not depend on the rows beside it, to the last bit: a row has its own tile of a
// product, or shares one whose sums run in the same order. Blocks of 512 rows are as good as any other.
func TestRowByRow(t *testing.T) {
	x, labels, y := counts(150, modelDims, 1)
	many, _, _ := counts(1100, modelDims, 3)
	for _, p := range plans(false) {
		if p.head == "linear" {
			continue // the head of ridge
		}
		m, err := p.fit(x, labels, y, 1)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		all := must(m.Scores(many))
		for _, i := range []int{0, 1, 31, 32, 511, 512, 513, 1023, 1024, 1099} {
			one := must(m.Scores(data.Rows(many, []int{i})))
			if !slices.Equal(one.RawRowView(0), all.RawRowView(i)) {
				t.Errorf("%v: row %d alone has the scores %v, among others %v", p, i, one.RawRowView(0), all.RawRowView(i))
			}
		}
	}
}

// TestConcurrentPrediction: from many goroutines, the first of which pack the weights. The race detector watches.
func TestConcurrentPrediction(t *testing.T) {
	x, labels, y := counts(100, modelDims, 1)
	for _, p := range plans(true) {
		if p.regress || p.head != "softmax" {
			continue
		}
		m, err := p.fit(x, labels, y, 1)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		var wg sync.WaitGroup
		scores := make([]*mat.Dense, 8)
		for i := range scores {
			wg.Go(func() { scores[i], _ = m.Scores(x) })
		}
		wg.Wait()
		for _, s := range scores {
			if s == nil || !mat.Equal(s, scores[0]) {
				t.Fatalf("%v: concurrent predictions differ", p)
			}
		}
	}
}

// TestViewsArePredicted: a view has the scores of its copy.
func TestViewsArePredicted(t *testing.T) {
	x, labels, y := counts(100, modelDims, 1)
	wide, _, _ := counts(11, modelDims+4, 2)
	view := must(wide.Slice(nil, tensor.S(2, 2+modelDims))).(*tensor.Dense)
	for _, p := range plans(false) {
		m, err := p.fit(x, labels, y, 1)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		if a, b := must(m.Scores(view)), must(m.Scores(view.Materialize().(*tensor.Dense))); !mat.Equal(a, b) {
			t.Errorf("%v: a view has the scores\n%v\nand its copy\n%v", p, mat.Formatted(a), mat.Formatted(b))
		}
	}
}

// TestPredictionErrors: rows that do not fit are told by width, type, row and column, wherever the row is.
func TestPredictionErrors(t *testing.T) {
	x, labels, y := counts(100, modelDims, 1)
	with := func(row, col int, v float64) *tensor.Dense {
		bad, _, _ := counts(1500, modelDims, 2)
		bad.Float64s()[row*modelDims+col] = v
		return bad
	}
	type call struct {
		what  string
		x     *tensor.Dense
		is    error
		wants []string
	}
	for _, p := range plans(false) {
		m, err := p.fit(x, labels, y, 1)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		m.Scaler = must(data.ParseScalers("none")) // so that what is negative stays so
		if err := m.Scaler.Fit(x); err != nil {
			t.Fatal(err)
		}
		calls := []call{
			{"narrow", tensor.New(tensor.WithShape(3, modelDims-2), tensor.Of(tensor.Float64)), domain.ErrShape, []string{"(3, 5)", "7 columns"}},
			{"wide", tensor.New(tensor.WithShape(3, modelDims+4), tensor.Of(tensor.Float64)), domain.ErrShape, []string{"(3, 11)", "7 columns"}},
			{"vector", tensor.New(tensor.WithShape(modelDims), tensor.Of(tensor.Float64)), domain.ErrShape, []string{"(7)", "7 columns"}},
			{"nil", nil, domain.ErrShape, []string{"none"}},
			{"no rows", tensor.New(tensor.WithShape(0, modelDims), tensor.Of(tensor.Float64)), domain.ErrShape, []string{"no rows"}},
			{"integers", tensor.New(tensor.WithShape(3, modelDims), tensor.Of(tensor.Int)), domain.ErrDtype, []string{"int"}},
			{"NaN", with(1200, 3, math.NaN()), domain.ErrDomain, []string{"x[1200,3] = NaN", "not a finite number"}},
			{"infinite", with(0, 6, math.Inf(-1)), domain.ErrDomain, []string{"x[0,6] = -Inf"}},
		}
		if p.dtype == "float32" {
			calls = append(calls, call{"too large", with(700, 2, 1e39), domain.ErrDomain, []string{"x[700,2] = 1e+39", "float32"}})
		}
		if k := must(m.Spec.Kernel()); k.Domain().IsNonNegative() {
			for _, row := range []int{0, 511, 512, 1300} {
				calls = append(calls, call{"negative", with(row, 4, -.5), domain.ErrDomain, []string{fmt.Sprintf("x[%d,4] = -0.5 is negative", row), `"map"`, "the scaler cube"}})
			}
		}
		for _, c := range calls {
			_, err := m.Scores(c.x)
			if !errors.Is(err, c.is) {
				t.Fatalf("%v, %s: %v, want %v", p, c.what, err, c.is)
			}
			for _, want := range c.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, %s: %q does not say %q", p, c.what, err, want)
				}
			}
		}
		empty := tensor.New(tensor.WithShape(0, modelDims), tensor.Of(tensor.Float64))
		if z, err := m.Features(empty); err != nil || !z.Shape().Eq(tensor.Shape{0, m.Map.Features()}) {
			t.Errorf("%v: the features of no rows: %v", p, err)
		}
	}
}

// TestModelOfSeveralTargets: they are scores, and PredictTargets does not choose one of them.
func TestModelOfSeveralTargets(t *testing.T) {
	x, labels, y := counts(50, modelDims, 1)
	m := must(plan{entry: layers.Entries()[0], head: "ridge", regress: true}.fit(x, labels, y, 1))
	m.Head = must(layers.NewLinearHead(modelDims, 2))
	if _, err := m.PredictTargets(x); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "2 targets") {
		t.Errorf("two targets: %v", err)
	}
	if n, k := must(m.Scores(x)).Dims(); n != 50 || k != 2 {
		t.Errorf("scores are %d x %d", n, k)
	}
	m.Scaler = nil
	if _, err := m.Scores(x); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "Scaler") {
		t.Errorf("no scaler: %v", err)
	}
}

// TestBadFrequencies: parameters that were set to what no law draws are told by their place in W, not by one in x.
func TestBadFrequencies(t *testing.T) {
	x, labels, y := counts(600, modelDims, 1)
	m := must(plan{entry: must(layers.Lookup("gaussian")), head: "ridge", regress: true}.fit(x, labels, y, 1))
	params := map[string]*tensor.Dense{}
	for _, p := range m.Map.Params() {
		params[p.Name] = p.Value.Clone().(*tensor.Dense)
	}
	params["W"].Float64s()[2*(modelFeatures/2)+3] = math.NaN()
	if err := m.Map.SetParams(params); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Scores(x); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "W[2,3] = NaN") {
		t.Errorf("a frequency of NaN: %v", err)
	}
}
