package train_test

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
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
	m, _, err := c.Fit(t.Context(), c.rows(c.n, 1))
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

// modelCases are every map with every head for classes and targets, in either element type, frozen and tuned in every
// way that it has, and those of savedCases.
func modelCases() (all []modelCase) {
	// One lambda for all maps may lie beside a negative eigenvalue of an indefinite kernel's system.
	ridge := linear.RidgeOptions{Lambdas: []float64{1e-4, 1e-2, 1}, Select: linear.SelectLOO}
	batch := func(head, tune string) fits.Fitter {
		o := sgd.FitOptions{Epochs: 12, Batch: 64, LearnRate: .05}
		if tune != "" {
			o.Epochs = 1
		}
		return sgd.MiniBatch{FitOptions: o, Head: head}
	}
	add := func(c modelCase, what string, f fits.Fitter) { c.what, c.Fitter = what, f; all = append(all, c) }
	for _, e := range layers.Entries() {
		for _, dtype := range []string{"float64", "float32"} {
			c := modelOf(e, 64, dtype, "")
			if c.n = 300; c.bags {
				c.n, c.Spec.Features = 120, 128
				for axes := range 4 {
					c.dims, c.Spec.Params = axes+1, bagParams(e.Name, axes+1)
					add(c, "ridge", ridge)
				}
				c.dims, c.Spec.Params = 2, bagParams(e.Name, 2)
				add(c, "svm", linear.SVMOptions{})
				o := sgd.FitOptions{Epochs: 60, Batch: 32, LearnRate: .2, MapRate: .01}
				for _, c.Spec.Tune = range map[string][]string{"float64": {"", "all"}, "float32": {"bandwidth"}}[dtype] {
					add(c, "softmax", sgd.MiniBatch{FitOptions: o, Head: "softmax"})
				}
				continue
			}
			add(c, "softmax", batch("softmax", ""))
			for _, c.targets = range []bool{false, true} {
				if add(c, "ridge", ridge); c.targets == (dtype == "float32") {
					add(c, "linear", batch("", ""))
				}
			}
			each := map[string]string{"float64": "bandwidth", "float32": "bandwidth-each"}[dtype]
			for _, tune := range []string{each, "all"} {
				if c = modelOf(e, 64, dtype, tune); e.Tunable {
					add(c, "softmax", batch("softmax", tune))
				}
				if c.targets = true; e.Tunable && tune == "all" {
					add(c, "linear", batch("", tune))
				}
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
// goroutines, of views, sparse rows and float32 rows. It predicts the same bits in another process, and of a frozen map
// from the spec and the seed alone; so does a model of its layers. Fits side by side give the bits of fits one after
// the other, and the rows stay as they are.
func TestModels(t *testing.T) {
	dir := t.TempDir()
	want, cases := map[string]prediction{}, modelCases()
	for i, c := range cases {
		m := c.fit(t)
		if m.Map == nil {
			continue
		}
		c.checkPredictions(t, m)
		if c.Spec.Tune == "" && c.what != "linear" {
			c.checkRows(t, m)
		}
		c.checkFiles(t, m, filepath.Join(dir, fmt.Sprintf("%03d", i)), want)
	}
	var wg sync.WaitGroup
	for i, c := range cases {
		if c.bags || c.what == "linear" && c.Spec.Tune == "" {
			continue // minutes under the race detector, which watches
		}
		wg.Go(func() {
			got := must(predict(c.fit(t)))
			if path := filepath.Join(dir, fmt.Sprintf("%03d.model", i)); !got.equal(want[path]) {
				t.Errorf("%v, beside others: other bits", c)
			}
		})
	}
	wg.Wait()

	cmd := itself("-test.run=^TestPredictInChild$")
	cmd.Env = append(os.Environ(), modelDir+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, out)
	}
	var said map[string]prediction
	noError(t, gob.NewDecoder(bytes.NewReader(must(os.ReadFile(filepath.Join(dir, "said"))))).Decode(&said))
	for path, p := range want {
		if !p.equal(said[path]) {
			t.Errorf("%s: another process predicts otherwise", path)
		}
	}
	wants(t, "a kernel not registered here", second(train.Load(filepath.Join(dir, "twice"))), nil, "Register")
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

// checkFiles saves the model in every way, and adds what it predicts of the files.
func (c modelCase) checkFiles(t *testing.T, m *train.Model, path string, want map[string]prediction) {
	whole, spec := path+".model", path+"-spec.model"
	m.Notes = map[string]string{"source": "run 7, \"küche\"\n", "evaluation": `{"accuracy":.5}`, "": "empty"}
	text, err := m.MarshalBinary() // the bytes of the file, and faster
	if err == nil {
		err = os.WriteFile(whole, text, 0o600)
	}
	if err != nil {
		t.Errorf("%v: %v", c, err)
		return
	}
	p := must(predict(m))
	want[whole] = p
	if again, err := train.NewModel(m.Map, m.Head); err == nil { // from the same layers
		again.Scaler, again.Classes, again.Uncertainty = m.Scaler, m.Classes, m.Uncertainty
		err := again.UnmarshalBinary(must(again.MarshalBinary()))
		if err != nil || !must(predict(again)).equal(p) {
			t.Errorf("%v: the model of its layers predicts otherwise: %v", c, err)
		}
	} else if !c.bags { // not every inner map of sets has a Spec
		t.Errorf("%v: %v", c, err)
	}
	back := must(train.Load(whole))
	if fmt.Sprint(back.Spec.Params) != fmt.Sprint(m.Spec.Params) || !maps.Equal(back.Notes, m.Notes) {
		t.Errorf("%v: the parameters %v and the notes %q came back as %v and %q", c, m.Spec.Params, m.Notes,
			back.Spec.Params, back.Notes)
	}
	if f, ok := m.Map.(*layers.GORFLayer); ok && back.Spec.Params.Number("eps") != f.Split().Eps {
		t.Errorf("%v: eps is read back as %v", c, back.Spec.Params)
	}
	fitted, tuned := len(must(m.Spec.State())) > 0, slices.ContainsFunc(m.Map.Params(), func(p layers.Param) bool {
		return p.Tuned
	})
	if !tuned && (c.what == "linear" || c.targets && c.what == "ridge") {
		return // the map of ridge for classes
	}
	err = m.SaveSpec(spec)
	if refused := map[bool]string{fitted: "was fitted on data", tuned: "was tuned"}[true]; refused != "" {
		if _, missing := os.Stat(spec); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), refused) ||
			!strings.Contains(err.Error(), "save the whole model") || missing == nil {
			t.Errorf("%v: spec only: %v, no file: %v", c, err, missing)
		}
	} else if err != nil {
		t.Errorf("%v: spec only: %v", c, err)
	} else {
		want[spec] = p
	}
	if tuned { // the file is then needed
		drawn := *m
		if drawn.Map = must(m.Spec.Build()); must(predict(&drawn)).equal(p) {
			t.Errorf("%v: tuning changed nothing", c)
		}
	}
}

// modelDir tells the test binary, started once more, where the models of TestModels are.
const modelDir = "BOCHNER_TEST_MODELS"

// prediction is what a model says of some rows, the scores as bits.
type prediction struct {
	Scores []uint64
	Names  []string
}

func predict(m *train.Model) (prediction, error) {
	c := modelCase{dims: m.Dims()}
	if e, err := layers.Lookup(m.Spec.Map); err == nil {
		c.bags = e.Bags
	}
	x := c.rows(29, 7).X
	s, err := m.Scores(x)
	if err != nil {
		return prediction{}, err
	}
	var p prediction
	for _, v := range s.RawMatrix().Data {
		p.Scores = append(p.Scores, math.Float64bits(v))
	}
	if m.Uncertainty != nil {
		for _, v := range sure(m, x) {
			p.Scores = append(p.Scores, math.Float64bits(v))
		}
	}
	if m.Classes != nil {
		p.Names, err = m.PredictClasses(x)
	}
	return p, err
}

func (p prediction) equal(q prediction) bool {
	return len(p.Scores) > 0 && slices.Equal(p.Scores, q.Scores) && slices.Equal(p.Names, q.Names)
}

// twice is the Gaussian kernel of twice the distance, a kernel of a user's own.
type twice struct {
	Sigma float64 `param:"sigma" default:"2" doc:"σ"`
}

func (k twice) gaussian() spectral.Gaussian { return spectral.Gaussian{Sigma: k.Sigma / 2} }
func (k twice) At(x, z []float64) float64   { return k.gaussian().At(x, z) }
func (k twice) Domain() spectral.Domain     { return k.gaussian().Domain() }
func (k twice) Law() spectral.Law           { return k.gaussian().Law() }

// TestPredictInChild is the other process of TestModels; by itself it has nothing to do. It registers a kernel, and
// saves a model of it.
func TestPredictInChild(t *testing.T) {
	dir := os.Getenv(modelDir)
	if dir == "" {
		return
	}
	said := map[string]prediction{}
	for _, path := range must(filepath.Glob(filepath.Join(dir, "*.model"))) {
		said[path] = must(predict(must(train.Load(path))))
	}
	f := must(os.Create(filepath.Join(dir, "said")))
	noError(t, errors.Join(gob.NewEncoder(f).Encode(said), f.Close()))
	noError(t, layers.Register(layers.Entry{Name: "twice", Kernel: twice{}}))
	c := modelCase{dims: modelDims, n: 50, targets: true}
	c.Scale, c.Spec = "standard", treeOf("twice", "all")
	m, path := c.fit(t), filepath.Join(dir, "twice")
	noError(t, m.Save(path))
	if !must(predict(must(train.Load(path)))).equal(must(predict(m))) {
		t.Error("the model of a registered kernel predicts otherwise")
	}
}

// itself is a command that starts the test binary again, under the emulator that BOCHNER_EMULATOR names, if any.
func itself(args ...string) *exec.Cmd {
	args = append(append(strings.Fields(os.Getenv("BOCHNER_EMULATOR")), os.Args[0]), args...)
	return exec.Command(args[0], args[1:]...)
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
	for _, e := range layers.Entries() {
		for _, dtype := range []string{"float64", "float32"} {
			c := modelOf(e, 64, dtype, "")
			if c.Fitter = (linear.RidgeOptions{}); c.bags {
				continue
			}
			c.targets = true
			m := c.fit(t)
			type call struct {
				what  string
				x     ops.Matrix
				is    error
				wants []string
			}
			calls := []call{
				{"narrow", none(tensor.Float64, 3, 5), domain.ErrShape, []string{"(3, 5)", "7 columns"}},
				{"wide", none(tensor.Float64, 3, 11), domain.ErrShape, []string{"(3, 11)", "7 columns"}},
				{"vector", none(tensor.Float64, 7), domain.ErrShape, []string{"(7)", "7 columns"}},
				{"nil", (*tensor.Dense)(nil), domain.ErrShape, []string{"none"}},
				{"no rows", none(tensor.Float64, 0, 7), domain.ErrShape, []string{"no rows"}},
				{"integers", none(tensor.Int, 3, 7), domain.ErrDtype, []string{"int"}},
				{"sparse and wide", must(ops.CSROf(none(tensor.Float64, 3, 11))), domain.ErrShape, []string{"(3, 11)"}},
				{"sparse Inf", csr(1400, 2, math.Inf(1)), domain.ErrDomain, []string{"x[1400,2] = +Inf"}},
				{"NaN", with(1200, 3, math.NaN()), domain.ErrDomain, []string{"x[1200,3] = NaN",
					"not a finite number"}},
				{"infinite", with(0, 6, math.Inf(-1)), domain.ErrDomain, []string{"x[0,6] = -Inf"}},
			}
			m.Scaler = must(data.ParseScalers("none")) // so that what is negative stays so
			noError(t, m.Scaler.Fit(with(0, 0, 0)))
			if dtype == "float32" {
				calls = append(calls, call{"too large", with(700, 2, 1e39), domain.ErrDomain,
					[]string{"x[700,2] = 1e+39", "float32"}})
			}
			if must(m.Spec.Kernel()).Domain().IsNonNegative() {
				for _, row := range []int{0, 511, 512, 1300} {
					calls = append(calls, call{"negative", with(row, 4, -.5), domain.ErrDomain,
						[]string{fmt.Sprintf("x[%d,4] = -0.5 is negative", row), `"map"`, "the scaler cube"}})
				}
			}
			for _, call := range calls {
				for _, want := range call.wants {
					wants(t, c.String()+call.what, second(m.Scores(call.x)), call.is, want)
				}
			}
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
