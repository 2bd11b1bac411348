package train_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// modelCase is a model of the table: a recipe and the rows that it is fitted to.
type modelCase struct {
	train.Recipe
	what    string
	targets bool
	dims    int  // of rows, or of the samples of sets
	bags    bool // whether the rows are sets of samples
	n       int  // rows
}

func (c modelCase) String() string {
	s := c.Spec
	return fmt.Sprintf("%s %s %s %q %d, targets: %v", s.Map, c.what, s.Dtype, s.Tune, c.dims, c.targets)
}

// rows are n rows of the case, with what it learns.
func (c modelCase) rows(n int, seed uint64) *data.Set {
	if c.bags {
		return twoShapes(n, c.dims, seed, true)
	}
	x, labels, y := counts(n, c.dims, seed)
	if c.targets {
		return &data.Set{X: x, Y: y}
	}
	return &data.Set{X: x, Labels: labels}
}

func (c modelCase) fit(t *testing.T) *train.Model {
	rows := c.rows(c.n, 1)
	before := fmt.Sprint(numbers(rows.X), c.Spec)
	m, _, err := c.Fit(t.Context(), rows)
	if fmt.Sprint(numbers(rows.X), c.Spec) != before {
		t.Errorf("%v: the rows or the spec have changed", c)
	}
	if err != nil {
		t.Errorf("%v: %v", c, err)
		return new(train.Model)
	}
	return m
}

const modelDims = 7

// modelOf is a model of the map of an entry, with so many features if their number is free.
func modelOf(e *layers.Entry, features int, dtype, tune string) modelCase {
	c := modelCase{dims: modelDims, bags: e.Bags, n: 100}
	c.Scale = "minmax,l1"
	switch {
	case e.Bags:
		c.dims, c.Scale = 2, "cube"
	case e.Inputs == "‖x‖₂ = 1":
		c.Scale = "minmax,l2"
	}
	c.Spec = layers.Spec{Map: e.Name, Dtype: dtype, Seed: 5, Tune: tune, Name: "map"}
	if e.HasFeatures() {
		c.Spec.Features = features
	}
	return c
}

// bagParams are parameters with which the maps of sets of so many coordinates are quick.
func bagParams(name string, axes int) layers.Values {
	switch {
	case name == "mean-map":
		return layers.Values{"sigma": .1, "inner": 64.}
	case axes > 2 && name != "hdd-tv": // which has no basis
		return layers.Values{"points": 16., "functions": 8.}
	}
	return layers.Values{"points": 24.}
}

// modelCases are every map with every head, for classes and for targets, in either element type, frozen and tuned in
// every way that it has, and the specs of savedCases. A head sees features, whichever map they are of, so that no map has
// all of this at once.
func modelCases() (all []modelCase) {
	add := func(c modelCase, what string, f fits.Fitter) { c.what, c.Fitter = what, f; all = append(all, c) }
	// One lambda for all maps may lie beside a negative eigenvalue of an indefinite kernel's system.
	ridge := linear.RidgeOptions{Lambdas: []float64{1e-4, 1e-2, 1}, Select: linear.SelectLOO}
	for _, e := range layers.Entries() {
		if e.Bags {
			c := modelOf(e, 128, "float64", "")
			for c.n, c.dims = 120, 1; c.dims <= 4; c.dims++ {
				c.Spec.Params = bagParams(e.Name, c.dims)
				add(c, "ridge", ridge)
			}
			c.dims, c.Spec.Params = 2, bagParams(e.Name, 2)
			add(c, "svm", linear.SVMOptions{})
			o := sgd.FitOptions{Epochs: 60, Batch: 32, LearnRate: .2, MapRate: .01}
			for _, dtype := range []string{"float64", "float32"} {
				c.Spec.Dtype, c.Spec.Tune = dtype, map[string]string{"float64": "all", "float32": "bandwidth"}[dtype]
				add(c, "softmax", sgd.MiniBatch{FitOptions: o, Head: "softmax"})
			}
			continue
		}
		for _, f := range []struct {
			dtype, what, tune string
			targets           bool
		}{
			{"float64", "softmax", "", false}, {"float64", "ridge", "", true},
			{"float32", "ridge", "", false}, {"float32", "linear", "", true},
			{"float64", "softmax", "bandwidth", false}, {"float64", "linear", "all", true},
			{"float32", "softmax", "bandwidth-each", false}, {"float32", "softmax", "all", false},
		} {
			c, o := modelOf(e, 64, f.dtype, f.tune), sgd.FitOptions{Epochs: 1, Batch: 64, LearnRate: .05}
			if c.targets = f.targets; f.tune == "" {
				c.n, o.Epochs = 300, 12
			}
			switch {
			case f.what == "ridge":
				add(c, f.what, ridge)
			case f.tune == "" || e.Tunable:
				add(c, f.what, sgd.MiniBatch{FitOptions: o, Head: f.what})
			}
		}
	}
	return append(all, savedCases()...)
}

// treeOf is a network below and above a map, trained jointly if it is tuned.
func treeOf(kernel, tune string) layers.Spec {
	return layers.Spec{Map: "sequential", Seed: 5, Parts: []layers.Spec{
		{Map: "dense", Features: 6, Params: layers.Values{"activation": "tanh"}, Tune: tune},
		{Map: "concat", Parts: []layers.Spec{{Map: kernel, Features: 16, Tune: tune}, {Map: "linear"}}},
	}}
}

// TestModels: every model of the table has learned something. Its ways to predict agree, row by row, from many
// goroutines, of views, sparse rows and float32 rows. Its file predicts the same bits, and so does, of a frozen map, a
// file of the spec and the seed alone, and a model of its layers. Fits side by side give the bits of fits one after the
// other, and the rows and the spec stay as they are.
func TestModels(t *testing.T) {
	path, cases := filepath.Join(t.TempDir(), "model"), modelCases()
	want := make([]string, len(cases))
	for i, c := range cases {
		m := c.fit(t)
		if m.Map == nil {
			continue
		}
		c.checkPredictions(t, m)
		if c.Spec.Tune == "" && c.what != "linear" {
			c.checkRows(t, m)
		}
		want[i] = predicted(m)
		c.checkFiles(t, m, path)
	}
	var wg sync.WaitGroup
	for i, c := range cases {
		if c.bags || c.what == "linear" && c.Spec.Tune == "" {
			continue // minutes under the race detector, which watches
		}
		wg.Go(func() {
			if predicted(c.fit(t)) != want[i] {
				t.Errorf("%v, beside others: other bits", c)
			}
		})
	}
	wg.Wait()
}

// checkPredictions compares the ways to predict with each other and with the truth.
func (c modelCase) checkPredictions(t *testing.T, m *train.Model) {
	test := c.rows(97, 2)
	x, all := test.X, []ops.Matrix{test.X}
	if !c.bags {
		x = as(x.(*tensor.Dense), tensor.Float32) // whole numbers, the same in both
		all = append(all, x)
	}
	for _, x := range all {
		before := numbers(x)
		scores := must(m.Scores(x))
		if n, k := scores.Dims(); n != 97 || k != m.Head.Features() {
			t.Errorf("%v: scores are %d x %d", c, n, k)
		}
		z := must(m.Features(x))
		if !z.Shape().Eq(tensor.Shape{97, m.Map.Features()}) || z.Dtype() != m.Map.Dtype() {
			t.Errorf("%v: features are %v %v", c, z.Dtype(), z.Shape())
		}
		if byHand := must(m.Head.Transform(nil, z)); !slices.Equal(numbers(byHand), scores.RawMatrix().Data) {
			t.Errorf("%v: the head on the features has other scores", c)
		}
		rows := must(m.Prepare(x))
		if first, again := must(m.ScoresPrepared(rows)), must(m.ScoresPrepared(rows)); rows.Dtype() != m.Map.Dtype() ||
			!mat.Equal(first, scores) || !mat.Equal(again, scores) {
			t.Errorf("%v: prepared rows are %v and have other scores", c, rows.Dtype())
		}
		if c.targets {
			if !slices.Equal(must(m.PredictTargets(x)), scores.RawMatrix().Data) {
				t.Errorf("%v: PredictTargets is not the score", c)
			}
		} else if guess := must(m.Predict(x)); !slices.Equal(guess, train.ArgMax(scores)) {
			t.Errorf("%v: Predict is not the largest score", c)
		} else {
			for i, name := range must(m.PredictClasses(x)) {
				if sum := mat.Sum(scores.RowView(i)); name != m.Classes[guess[i]] ||
					m.Head.Classifies() && math.Abs(sum-1) > 1e-5 {
					t.Errorf("%v: row %d is %q and %d, by scores of the sum %v", c, i, name, guess[i], sum)
				}
			}
		}
		if !slices.Equal(numbers(x), before) {
			t.Fatalf("%v: prediction changed its rows", c)
		}
	}
	if c.targets {
		wants(t, c, second(m.Predict(x)), domain.ErrParam, "use PredictTargets")
		wants(t, c, second(m.PredictClasses(x)), domain.ErrParam, "use PredictTargets")
		sum, squares := 0., 0.
		for _, v := range test.Y {
			sum, squares = sum+v/97, squares+v*v/97
		}
		spread := math.Sqrt(squares - sum*sum)
		if e := must(report.RMSE(must(m.PredictTargets(x)), test.Y)); c.n == 300 && !(e < .7*spread) {
			t.Errorf("%v: RMSE %v, and %v for the mean", c, e, spread)
		}
		return
	}
	wants(t, c, second(m.PredictTargets(x)), domain.ErrParam, "use Predict")
	if share := right(m, test); c.n >= 120 && share < .8 { // guessing gives a third, or half of the sets
		t.Errorf("%v: %v of the rows are right", c, share)
	}
}

// checkRows: what is predicted for a row does not depend on the rows beside it, to the last bit: a row has its own tile
// of a product, or shares one whose sums run in the same order. Blocks of 512 rows are as good as any other.
func (c modelCase) checkRows(t *testing.T, m *train.Model) {
	var scores [4]*mat.Dense
	var wg sync.WaitGroup
	many := c.rows(1100, 3).X
	if c.bags {
		many = many.(*ops.Bags).Slice(0, 20)
	}
	for i := range scores {
		wg.Go(func() { scores[i], _ = m.Scores(many) }) // the first one packs the weights
	}
	wg.Wait()
	for _, s := range scores {
		if s == nil || !mat.Equal(s, scores[0]) {
			t.Errorf("%v: concurrent predictions differ", c)
			return
		}
	}
	x, ok := many.(*tensor.Dense)
	if !ok {
		return
	}
	for _, i := range []int{0, 1, 31, 32, 511, 512, 513, 1023, 1024, 1099} {
		if one := must(m.Scores(data.Rows(x, []int{i}))); !slices.Equal(one.RawRowView(0), scores[0].RawRowView(i)) {
			t.Errorf("%v: row %d alone has the scores %v, among others %v", c, i, one, scores[0].RawRowView(i))
		}
	}
	wide, _, _ := counts(11, c.dims+4, 2)
	view := must(wide.Slice(nil, tensor.S(2, 2+c.dims))).(*tensor.Dense)
	if !mat.Equal(must(m.Scores(view)), must(m.Scores(view.Materialize().(*tensor.Dense)))) {
		t.Errorf("%v: a view has other scores than its copy", c)
	}
	sparse, tol := must(ops.CSROf(x)), 1e-12
	if m.Map.Dtype() == tensor.Float32 {
		tol = 1e-4
	}
	if got := must(m.Scores(sparse)); !(far(got.RawMatrix().Data, scores[0].RawMatrix().Data) <= tol) {
		t.Errorf("%v: sparse rows have other scores", c)
	}
	if rows := must(m.Prepare(sparse)); m.Scaler.KeepsZeros() != (rows.Dtype() == m.Map.Dtype() && isSparse(rows)) {
		t.Errorf("%v: prepared rows are %T of %v", c, rows, rows.Dtype())
	}
}

func isSparse(x ops.Matrix) bool { _, sparse := x.(*ops.CSR); return sparse }

// checkFiles saves the model in every way, and wants of each file what the model predicts.
func (c modelCase) checkFiles(t *testing.T, m *train.Model, path string) {
	m.Notes = map[string]string{"source": "run 7, \"küche\"\n", "evaluation": `{"accuracy":.5}`, "": "empty"}
	text, err := m.MarshalBinary() // the bytes of the file, and faster
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Errorf("%v: %v", c, err)
		return
	}
	want, back := predicted(m), must(train.Load(path))
	if predicted(back) != want {
		t.Errorf("%v: loaded, the model predicts otherwise", c)
	}
	if again, err := train.NewModel(m.Map, m.Head); err == nil { // from the same layers
		again.Scaler, again.Classes, again.Uncertainty = m.Scaler, m.Classes, m.Uncertainty
		if err := again.UnmarshalBinary(must(again.MarshalBinary())); err != nil || predicted(again) != want {
			t.Errorf("%v: the model of its layers predicts otherwise: %v", c, err)
		}
	} else if !c.bags { // not every inner map of sets has a Spec
		t.Errorf("%v: %v", c, err)
	}
	if fmt.Sprint(back.Spec.Params) != fmt.Sprint(m.Spec.Params) || !maps.Equal(back.Notes, m.Notes) {
		t.Errorf("%v: the parameters %v and the notes %q came back as %v and %q", c, m.Spec.Params, m.Notes,
			back.Spec.Params, back.Notes)
	}
	if f, ok := m.Map.(*layers.GORFLayer); ok && back.Spec.Params.Number("eps") != f.Split().Eps {
		t.Errorf("%v: eps is read back as %v", c, back.Spec.Params)
	}
	fitted, tuned := must(m.Spec.Traits()).Fitted, slices.ContainsFunc(m.Map.Params(), func(p layers.Param) bool {
		return p.Tuned
	})
	if tuned { // the file is then needed
		drawn := *m
		if drawn.Map = must(m.Spec.Build()); predicted(&drawn) == want {
			t.Errorf("%v: tuning changed nothing", c)
		}
	}
	noError(t, os.Remove(path))
	err = m.SaveSpec(path)
	if refused := map[bool]string{fitted: "was fitted on data", tuned: "was tuned"}[true]; refused != "" {
		wants(t, c, err, domain.ErrParam, refused)
		wants(t, c, err, domain.ErrParam, "save the whole model")
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%v: there is a file of the spec", c)
		}
	} else if err != nil || predicted(must(train.Load(path))) != want {
		t.Errorf("%v: the model of its spec predicts otherwise: %v", c, err)
	}
}

// predicted is what a model says of some rows, to the last bit.
func predicted(m *train.Model) string {
	c := modelCase{dims: m.Dims()}
	if e, err := layers.Lookup(m.Spec.Map); err == nil {
		c.bags = e.Bags
	}
	x, names := c.rows(29, 7).X, []string(nil)
	out := must(m.Scores(x)).RawMatrix().Data
	if m.Uncertainty != nil {
		out = append(out, sure(m, x)...)
	}
	if m.Classes != nil {
		names = must(m.PredictClasses(x))
	}
	return fmt.Sprintf("%x %q", out, names)
}

// TestPredictionErrors: rows that do not fit are told by width, type, row and column, wherever the row is.
func TestPredictionErrors(t *testing.T) {
	with := func(row, col int, v float64) *tensor.Dense {
		bad, _, _ := counts(1500, modelDims, 2)
		bad.Float64s()[row*modelDims+col] = v
		return bad
	}
	none := func(dt tensor.Dtype, shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.Of(dt))
	}
	csr := func(row, col int, v float64) *ops.CSR {
		return must(ops.NewCSR(1500, modelDims, append(slices.Repeat([]int{0}, row+1), slices.Repeat([]int{1},
			1500-row)...), []int32{int32(col)}, []float64{v}))
	}
	for _, name := range []string{"gaussian", "chi2", "exp-semigroup"} { // package maptest has the errors of all maps
		for _, dtype := range []string{"float64", "float32"} {
			c := modelOf(must(layers.Lookup(name)), 64, dtype, "")
			c.Fitter, c.targets = linear.RidgeOptions{}, true
			m := c.fit(t)
			m.Scaler = must(data.ParseScalers("none")) // so that what is negative stays so
			noError(t, m.Scaler.Fit(with(0, 0, 0)))
			of := func(x ops.Matrix) error { return second(m.Scores(x)) }
			const columns = " and the model was fitted on 7 columns"
			all := []mistake{
				{of(none(tensor.Float64, 3, 5)), domain.ErrShape, "(3, 5)" + columns},
				{of(none(tensor.Float64, 3, 11)), domain.ErrShape, "(3, 11)" + columns},
				{of(none(tensor.Float64, 7)), domain.ErrShape, "(7)" + columns},
				{of((*tensor.Dense)(nil)), domain.ErrShape, "none" + columns},
				{of(none(tensor.Float64, 0, 7)), domain.ErrShape, "no rows"},
				{of(none(tensor.Int, 3, 7)), domain.ErrDtype, "int"},
				{of(must(ops.CSROf(none(tensor.Float64, 3, 11)))), domain.ErrShape, "(3, 11)"},
				{of(csr(1400, 2, math.Inf(1))), domain.ErrDomain, "x[1400,2] = +Inf"},
				{of(with(1200, 3, math.NaN())), domain.ErrDomain, "x[1200,3] = NaN is not a finite number"},
				{of(with(0, 6, math.Inf(-1))), domain.ErrDomain, "x[0,6] = -Inf"},
			}
			if dtype == "float32" {
				all = append(all, mistake{of(with(700, 2, 1e39)), domain.ErrDomain,
					"x[700,2] = 1e+39 is too large for float32"})
			}
			if name != "gaussian" {
				for _, row := range []int{0, 511, 512, 1300} {
					err, at := of(with(row, 4, -.5)), fmt.Sprintf("x[%d,4] = -0.5 is negative", row)
					all = append(all, mistake{err, domain.ErrDomain, at}, mistake{err, domain.ErrDomain, `"map"`},
						mistake{err, domain.ErrDomain, "the scaler cube"})
				}
			}
			wantsAll(t, all)
			if z, err := m.Features(none(tensor.Float64, 0, 7)); err != nil || z.Shape()[1] != m.Map.Features() {
				t.Errorf("%v: the features of no rows: %v", c, err)
			}
		}
	}
	x, m := with(0, 0, 1), smallModel(modelDims)
	m.Head, m.Classes = must(layers.NewLinearHead(2, 2)), nil
	wants(t, "two targets", second(m.PredictTargets(x)), domain.ErrParam, "2 targets")
	m.Map.Params()[0].Value.Float64s()[3] = math.NaN() // told by its place in W, not by one in x
	wants(t, "a frequency of NaN", second(m.Scores(x)), domain.ErrDomain, "W[3,0] = NaN")
	m.Scaler = nil
	wants(t, "no scaler", second(m.Scores(x)), domain.ErrParam, "Scaler")
	bags := modelOf(must(layers.Lookup("hdd-js")), 16, "float64", "")
	bags.Fitter, bags.Spec.Params = linear.RidgeOptions{}, bagParams("hdd-js", 2)
	m, nan := bags.fit(t), twoShapes(20, 2, 1, true).X.(*ops.Bags)
	nan.Samples().Float64s()[2*nan.Offsets()[3]+5] = math.NaN()
	ridge := func(m layers.Map) error {
		y := mat.NewDense(20, 1, nil)
		return second(linear.FitRidge(t.Context(), m, data.Pairs{X: nan, Y: y}, linear.RidgeOptions{}))
	}
	wants(t, "sets", second(m.Scores(twoShapes(5, 3, 1, true).X)), domain.ErrShape,
		"(5, 3) and the model was fitted on 2 columns")
	wants(t, "sets", second(m.Scores(nan)), domain.ErrDomain, "bag 3: x[2,1] = NaN")
	wants(t, "sets", ridge(nil), domain.ErrParam, "sets of samples want one, such as hdd-js")
	wants(t, "sets", ridge(must(layers.NewIdentity(2))), domain.ErrDtype, "the map takes rows")
	wants(t, "sets", (&layers.Spec{Map: "gaussian"}).FillDefaults(nan), domain.ErrDtype, "map gaussian is one of rows")
}

func TestArgMax(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	got := train.ArgMax(mat.NewDense(6, 3, []float64{1, 3, 2, 5, 5, 4, nan, -1, -2, nan, nan, nan, -inf, -inf, -inf,
		0, inf, nan}))
	if want := []int{1, 0, 1, -1, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := train.ArgMax(&mat.Dense{}); len(got) != 0 {
		t.Errorf("no rows: %v", got)
	}
}

// TestCorrelatedSets: every map of sets tells classes apart that differ in no marginal.
func TestCorrelatedSets(t *testing.T) {
	for _, name := range layers.BagMaps() {
		c := modelOf(must(layers.Lookup(name)), 128, "float64", "")
		c.Spec.Params = bagParams(name, 4)
		c.Fitter = linear.RidgeOptions{Select: linear.SelectLOO}
		m, _ := must2(c.Fit(t.Context(), twoShapes(200, 4, 1, false)))
		if share := right(m, twoShapes(200, 4, 2, false)); share < .9 {
			t.Errorf("%s: %v of the sets are right", name, share)
		}
	}
}
