package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
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

// twoShapes are n sets of 30 to 60 samples in so many dimensions: one bump, or two of the same mean and variance, in units of 7.
func twoShapes(n, axes int, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 0))
	var x []float64
	offsets, set := []int{0}, &data.Set{Source: "two shapes"}
	for i := range n {
		size := 30 + rng.IntN(30)
		for range size {
			for range axes {
				v := .2 * rng.NormFloat64()
				if i%2 == 1 {
					v = math.Copysign(.18, v) + .087*rng.NormFloat64()
				}
				x = append(x, 7*v)
			}
		}
		offsets = append(offsets, offsets[i]+size)
		set.Labels = append(set.Labels, []string{"one", "two"}[i%2])
	}
	set.X = must(ops.NewBags(tensor.New(tensor.WithShape(len(x)/axes, axes), tensor.WithBacking(x)), offsets))
	return set
}

// small are parameters with which the maps of bags are quick.
func smallBagParams(name string, axes int) layers.Values {
	if name == "mean-map" {
		return layers.Values{"sigma": .1, "inner": 64.}
	}
	if axes > 2 && name != "hdd-tv" { // which has no basis
		return layers.Values{"points": 16., "functions": 8.}
	}
	return layers.Values{"points": 24.}
}

// bagModel fits a model on a set that it leaves as it is.
func bagModel(t *testing.T, name, dtype, head, tune string, params layers.Values, set *data.Set) *train.Model {
	t.Helper()
	own := set.Take(indices(set.Rows()))
	m := &train.Model{Scaler: must(data.ParseScalers("cube")), Classes: data.NewClasses(own.Labels),
		Spec: layers.Spec{Map: name, Params: params, Dims: own.Dims(), Features: 128, Dtype: dtype, Seed: 5, Tune: tune, Name: "map"}}
	if err := m.Scaler.Fit(own.X); err != nil {
		t.Fatal(err)
	}
	if err := m.Scaler.ApplyInPlace(own.X); err != nil {
		t.Fatal(err)
	}
	dt := tensor.Float64
	if dtype == "float32" {
		dt = tensor.Float32
	}
	x := must(own.As(dt))
	if err := m.Spec.FillDefaults(x); err != nil {
		t.Fatal(err)
	}
	m.Map = must(m.Spec.Fit(x))
	labels := must(m.Classes.Index(own.Labels))
	y := must(data.OneVersusRest(labels, 2))
	ctx, opt := context.Background(), layers.WithDtype(dt)
	var err error
	switch head {
	case "softmax":
		m.Head = must(layers.NewSoftmaxHead(m.Map.Features(), 2, opt))
		_, err = sgd.Fit(ctx, m.Map, m.Head, trial.Classes(x, labels, 2), sgd.FitOptions{Epochs: 60, Batch: 32, LearnRate: .2, MapRate: .01})
	case "ridge":
		m.Head = must(layers.NewLinearHead(m.Map.Features(), 2, opt))
		fit := must(linear.FitRidge(ctx, m.Map, data.Pairs{X: x, Y: y}, linear.RidgeOptions{Lambdas: []float64{1e-3, 1e-2, 1e-1}, Select: linear.SelectLOO}))
		err = m.Head.SetWeights(fit.W.RawMatrix().Data, fit.B)
	default:
		m.Head = must(layers.NewLinearHead(m.Map.Features(), 2, opt))
		fit := must(linear.FitSVM(ctx, m.Map, data.Pairs{X: x, Y: y}, linear.SVMOptions{}))
		err = m.Head.SetWeights(fit.W.RawMatrix().Data, fit.B)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// correlated are n sets of 60 samples in four dimensions, whose marginals are those of the standard normal law. The
// first two coordinates have the correlation .6 in one class and -.6 in the other.
func correlated(n int, seed uint64) *data.Set {
	const axes, size = 4, 60
	rng := rand.New(rand.NewPCG(seed, 0))
	var x []float64
	offsets, set := []int{0}, &data.Set{Source: "correlated"}
	for i := range n {
		rho := []float64{.6, -.6}[i%2]
		for range size {
			z := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			z[1] = rho*z[0] + math.Sqrt(1-rho*rho)*z[1]
			x = append(x, z...)
		}
		offsets = append(offsets, offsets[i]+size)
		set.Labels = append(set.Labels, []string{"with", "against"}[i%2])
	}
	set.X = must(ops.NewBags(tensor.New(tensor.WithShape(n*size, axes), tensor.WithBacking(x)), offsets))
	return set
}

// TestCorrelatedSets: every map of sets tells classes apart that differ in no marginal.
func TestCorrelatedSets(t *testing.T) {
	for _, name := range layers.BagMaps() {
		set, test := correlated(200, 1), correlated(200, 2)
		m := bagModel(t, name, "float64", "ridge", "", smallBagParams(name, 4), set)
		hits := 0
		for j, class := range must(m.PredictClasses(test.X)) {
			if class == test.Labels[j] {
				hits++
			}
		}
		t.Logf("%s: %.3f", name, float64(hits)/200)
		if hits < 180 {
			t.Errorf("%s: %d of 200 are right", name, hits)
		}
	}
}

func indices(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}

// TestBagModels: scaler, map of sets and head are fitted, predict, are saved and loaded as with rows, for every map, head and policy, and by
// coordinates in four dimensions; a model that was loaded predicts to the bit.
func TestBagModels(t *testing.T) {
	for _, e := range layers.Entries() {
		if !e.Bags {
			continue
		}
		for i, c := range []struct {
			axes              int
			dtype, head, tune string
		}{{1, "float64", "ridge", ""}, {2, "float32", "ridge", ""}, {2, "float64", "svm", ""}, {1, "float32", "softmax", ""},
			{2, "float64", "softmax", "bandwidth"}, {1, "float64", "softmax", "all"}, {4, "float64", "ridge", ""}, {4, "float32", "softmax", "bandwidth-each"}} {
			where := fmt.Sprintf("%s %+v", e.Name, c)
			set, test := twoShapes(120, c.axes, 1), twoShapes(60, c.axes, 2)
			m := bagModel(t, e.Name, c.dtype, c.head, c.tune, smallBagParams(e.Name, c.axes), set)
			want := must(m.Predict(test.X))
			hits := 0
			for j, class := range must(m.PredictClasses(test.X)) {
				if class == test.Labels[j] {
					hits++
				}
			}
			if hits < 48 { // of 60: four standard errors below nine in ten
				t.Errorf("%s: %d of 60 are right", where, hits)
			}
			if b := test.X.(*ops.Bags); len(want) != b.Len() || b.Samples().Float64s()[0] != twoShapes(1, c.axes, 2).X.(*ops.Bags).Samples().Float64s()[0] {
				t.Errorf("%s: Predict changes the samples", where)
			}
			path := filepath.Join(t.TempDir(), "model")
			save := m.Save
			if c.tune == "" && i%2 == 0 {
				save = m.SaveSpec
			}
			if err := save(path); err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			again := must(train.Load(path))
			if !mat.Equal(must(again.Scores(test.X)), must(m.Scores(test.X))) {
				t.Errorf("%s: what was loaded predicts otherwise", where)
			}
		}
	}
}

// TestMeanMapOfLandmarks: the mean map of a Nyström map is fitted, saved whole and not by its spec alone.
func TestMeanMapOfLandmarks(t *testing.T) {
	set, test := twoShapes(80, 1, 1), twoShapes(40, 1, 2)
	m := bagModel(t, "mean-map", "float64", "ridge", "", layers.Values{"sigma": .1, "landmarks": 30.}, set)
	path := filepath.Join(t.TempDir(), "model")
	if err := m.SaveSpec(path); err == nil || !strings.Contains(err.Error(), "was fitted on data") {
		t.Errorf("spec only: %v", err)
	}
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(must(must(train.Load(path)).Scores(test.X)), must(m.Scores(test.X))) {
		t.Error("what was loaded predicts otherwise")
	}
}

// TestBagErrors: what does not go together says so.
func TestBagErrors(t *testing.T) {
	set := twoShapes(20, 2, 1)
	m := bagModel(t, "hdd-js", "float64", "ridge", "", layers.Values{"points": 24.}, set)
	rowMap := must(layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.}, Dims: 2, Features: 4}.Build())
	y := mat.NewDense(20, 1, nil)
	nan := twoShapes(20, 2, 1)
	nan.X.(*ops.Bags).Samples().Float64s()[2*nan.X.(*ops.Bags).Offsets()[3]+5] = math.NaN()
	scores := func(x ops.Matrix) error { _, err := m.Scores(x); return err }
	ridge := func(l layers.Map) error {
		_, err := linear.FitRidge(context.Background(), l, data.Pairs{X: set.X, Y: y}, linear.RidgeOptions{})
		return err
	}
	for i, c := range []struct {
		err, is error
		says    string
	}{
		{scores(twoShapes(5, 3, 1).X), domain.ErrShape, "(5, 3) and the model was fitted on 2 columns"},
		{scores(nan.X), domain.ErrDomain, "bag 3: x[2,1] = NaN"},
		{ridge(nil), domain.ErrParam, "sets of samples want one, such as hdd-js"},
		{ridge(rowMap), domain.ErrDtype, "it is a map of rows"},
		{(&layers.Spec{Map: "gaussian"}).FillDefaults(set.X), domain.ErrDtype, "map gaussian is one of rows"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) || !errors.Is(c.err, c.is) {
			t.Errorf("%d: %v, want %q", i, c.err, c.says)
		}
	}
}
