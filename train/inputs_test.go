package train_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// given is what a user passes in: three columns of 60 rows in every form, three classes.
type given struct {
	x      ops.Matrix
	dense  *tensor.Dense // x, or its float64 rows where it is sparse
	y      *mat.Dense    // -1 and 1
	values *mat.Dense    // a target
	names  []string
	labels []int
	spec   layers.Spec
	lists  [][]float64 // lambdas, class weights
}

const givenRows, givenDims, givenClasses = 60, 3, 3

func newGiven(t *testing.T, dt tensor.Dtype, sparse bool) *given {
	rng := rand.New(rand.NewPCG(5, 5))
	g := &given{
		y:      mat.NewDense(givenRows, givenClasses, nil),
		values: mat.NewDense(givenRows, 1, nil),
		spec:   layers.Spec{Map: "gaussian", Params: layers.Values{}, Dims: givenDims, Features: 16, Seed: 1, Dtype: dt.String()},
		lists:  [][]float64{{1, 1e-3, 1e-1}, {1, 2, 3}},
	}
	g.dense = tensor.New(tensor.WithShape(givenRows, givenDims), tensor.Of(dt))
	for i := range givenRows * givenDims {
		v := math.Round(8*rng.Float64()) / 4
		if dt == tensor.Float32 {
			g.dense.Float32s()[i] = float32(v)
		} else {
			g.dense.Float64s()[i] = v
		}
	}
	for i := range givenRows {
		g.labels = append(g.labels, i%givenClasses)
		g.names = append(g.names, string(rune('c'-i%givenClasses)))
		g.values.Set(i, 0, rng.NormFloat64()+3)
	}
	var err error
	if g.y, err = data.OneVersusRest(g.labels, givenClasses); err != nil {
		t.Fatal(err)
	}
	g.x = g.dense
	if sparse {
		g.x = sparseRows(t, g.dense)
	}
	return g
}

// sparseRows are the cells of x that are not 0.
func sparseRows(t *testing.T, x *tensor.Dense) *ops.CSR {
	pointers, columns, values := []int{0}, []int32(nil), reflect.MakeSlice(reflect.SliceOf(x.Dtype().Type), 0, 0)
	cells := reflect.ValueOf(x.Float64s)
	if x.Dtype() == tensor.Float32 {
		cells = reflect.ValueOf(x.Float32s)
	}
	cells = cells.Call(nil)[0]
	for i := range cells.Len() {
		if !cells.Index(i).IsZero() {
			columns, values = append(columns, int32(i%givenDims)), reflect.Append(values, cells.Index(i))
		}
		if i%givenDims == givenDims-1 {
			pointers = append(pointers, len(columns))
		}
	}
	s, err := ops.NewCSR(givenRows, givenDims, pointers, columns, values.Interface())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// snapshot is a copy of all of it.
func (g *given) snapshot() []any {
	out := []any{g.dense.Clone(), mat.DenseCopyOf(g.y), mat.DenseCopyOf(g.values), slices.Clone(g.names), slices.Clone(g.labels),
		fmt.Sprint(g.spec), slices.Clone(g.lists[0]), slices.Clone(g.lists[1]), maps.Clone(g.spec.Params)}
	if s, ok := g.x.(*ops.CSR); ok {
		out = append(out, s.Clone())
	}
	return out
}

// TestInputsStay: nothing that a user passes in is changed: rows in either form and element type, targets, labels, the
// parameters of a spec, lists of options. What a fit is for, and what is called ...Into or ...InPlace, is not among it.
func TestInputsStay(t *testing.T) {
	ctx := context.Background()
	mapped := func(g *given) layers.Layer {
		s := g.spec
		s.Params = layers.Values{"sigma": 1.}
		return layers.Must(s.Build())
	}
	copied := func(g *given) layers.Layer { // whose features are x itself where they can be
		return layers.Must(layers.Spec{Map: "linear", Dims: givenDims, Features: givenDims, Dtype: g.spec.Dtype}.Build())
	}
	calls := map[string]func(g *given) error{}
	for _, name := range []string{"none", "l1", "l2", "minmax", "cube", "standard", "minmax,l2"} {
		calls["scaler "+name] = func(g *given) error {
			s, err := data.ParseScalers(name)
			if err != nil {
				return err
			}
			if err := s.Fit(g.x); err != nil {
				return err
			}
			_, err = s.Apply(g.x)
			return err
		}
	}
	for name, of := range map[string]func(g *given) layers.Layer{"gaussian": mapped, "linear": copied} {
		ridge := func(o linear.RidgeOptions, y func(g *given) *mat.Dense) func(g *given) error {
			return func(g *given) error {
				o.ClassWeights = slices.Clone(o.ClassWeights)
				if o.Select != linear.SelectNone {
					o.Lambdas = g.lists[0]
				}
				if o.ClassWeights != nil {
					o.ClassWeights = g.lists[1]
				}
				_, err := linear.FitRidge(ctx, of(g), data.Pairs{X: g.x, Y: y(g)}, o)
				return err
			}
		}
		classes, target := func(g *given) *mat.Dense { return g.y }, func(g *given) *mat.Dense { return g.values }
		calls["ridge "+name] = ridge(linear.RidgeOptions{}, target)
		calls["ridge, leave one out, "+name] = ridge(linear.RidgeOptions{Select: linear.SelectLOO}, classes)
		calls["ridge, leave one out, weights, "+name] = ridge(linear.RidgeOptions{Select: linear.SelectLOO, ClassWeights: []float64{}}, classes)
		calls["conjugate gradients "+name] = func(g *given) error {
			_, err := linear.FitRidgeCG(ctx, of(g), data.Pairs{X: g.x, Y: g.values}, linear.CGOptions{})
			return err
		}
		calls["blocks "+name] = func(g *given) error {
			_, err := linear.FitRidge(ctx, of(g), trial.Read{Pairs: data.Pairs{X: g.x, Y: g.y}}, linear.RidgeOptions{})
			return err
		}
		calls["svm "+name] = func(g *given) error {
			_, err := linear.FitSVM(ctx, of(g), data.Pairs{X: g.x, Y: g.y}, linear.SVMOptions{Lambdas: g.lists[0], ClassWeights: g.lists[1]})
			return err
		}
		calls["svm of targets "+name] = func(g *given) error {
			_, err := linear.FitSVM(ctx, of(g), data.Pairs{X: g.x, Y: g.values}, linear.SVMOptions{Loss: linear.SquaredInsensitive, Lambdas: []float64{.1}, Tol: 1e-2})
			return err
		}
		for _, softmax := range []bool{false, true} {
			calls[fmt.Sprint("fit ", name, softmax)] = func(g *given) error {
				m := of(g)
				head := layers.MustHead(layers.NewLinearHead(m.Features(), givenClasses, layers.WithDtype(g.dense.Dtype())))
				if softmax {
					head = layers.MustHead(layers.NewSoftmaxHead(m.Features(), givenClasses, layers.WithDtype(g.dense.Dtype())))
				}
				_, err := sgd.Fit(ctx, m, head, data.Pairs{X: g.x, Y: g.y}, sgd.FitOptions{Epochs: 2, Lambda: .1, HeldOut: .2, ClassWeights: g.lists[1], ClipNorm: .1, WeightDecay: .1})
				return err
			}
		}
	}
	for name, head := range map[string]fits.Fitter{"ridge": linear.RidgeOptions{}, "svm": linear.SVMOptions{}, "fit": sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 1}, Head: "softmax"}} {
		calls["cross-validation "+name] = func(g *given) error {
			candidates, err := train.Grid(g.spec, train.Axis{Name: "features", Values: []float64{4, 8}})
			if err != nil {
				return err
			}
			_, err = train.CrossValidate(ctx, candidates, data.Pairs{X: g.x, Y: g.y}, head, train.CVOptions{Folds: 3, Lambdas: g.lists[0]})
			return err
		}
	}
	calls["around"] = func(g *given) error {
		candidates, err := train.Around(g.spec, g.x, .5, 1, 2)
		if err != nil {
			return err
		}
		_, err = train.CrossValidate(ctx, candidates, data.Pairs{X: g.x, Y: g.values}, nil, train.CVOptions{Folds: 2})
		return err
	}
	calls["random search"] = func(g *given) error {
		_, err := train.RandomSearch(g.spec, 3, 1, train.Axis{Name: "sigma", Lo: 1, Hi: 2})
		return err
	}
	calls["model"] = func(g *given) error {
		m := &train.Model{Classes: data.NewClasses(g.names), Spec: g.spec}
		var err error
		if m.Scaler, err = data.ParseScalers("cube,l2"); err != nil {
			return err
		}
		if err := m.Scaler.Fit(g.dense); err != nil {
			return err
		}
		m.Map = mapped(g)
		m.Head = layers.MustHead(layers.NewLinearHead(m.Map.Features(), givenClasses, layers.WithDtype(g.dense.Dtype())))
		for _, f := range []func() error{
			func() error { _, err := m.Prepare(g.x); return err },
			func() error { _, err := m.Features(g.x); return err },
			func() error { _, err := m.Scores(g.x); return err },
			func() error { _, err := m.Predict(g.x); return err },
			func() error { _, err := m.PredictClasses(g.x); return err },
			func() error {
				prepared, err := m.Prepare(g.x)
				if err != nil {
					return err
				}
				before := fmt.Sprint(prepared)
				if _, err = m.ScoresPrepared(prepared); fmt.Sprint(prepared) != before {
					t.Error("model: ScoresPrepared changes its rows")
				}
				return err
			},
		} {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range []string{"nystrom", "add-kpca", "maji-berg", "chi2", "exp-chi2", "skewed-chi2", "exp-semigroup"} {
		calls["spec "+name] = func(g *given) error {
			s := g.spec
			s.Map, s.Features = name, 0
			if e, err := layers.Lookup(name); err != nil {
				return err
			} else if e.HasFeatures() {
				s.Features = 8
			}
			if err := s.FillDefaults(g.x); err != nil {
				return err
			}
			l, err := s.Fit(g.x)
			if err != nil {
				return err
			}
			_, err = layers.Transform(l, nil, g.x)
			return err
		}
	}
	calls["kernel ridge"] = func(g *given) error {
		k, err := report.ExactGram(spectral.Gaussian{Sigma: 1}, g.x)
		if err != nil {
			return err
		}
		before := mat.DenseCopyOf(k)
		for name, f := range map[string]func() error{
			"plain":         func() error { _, err := linear.FitKernelRidge(k, g.y, .1); return err },
			"leave one out": func() error { _, err := linear.FitKernelRidge(k, g.y, g.lists[0]...); return err },
			"comparison":    func() error { _, err := report.Compare(k, k); return err },
			"picture":       func() error { _, err := report.ExactVsApprox(k, k); return err },
		} {
			if err := f(); err != nil {
				return err
			}
			if !mat.Equal(k, before) {
				t.Errorf("%s changes the kernel matrix", name)
			}
		}
		return nil
	}
	calls["metrics"] = func(g *given) error {
		_, err := train.F1(g.labels, g.labels)
		if err != nil {
			return err
		}
		if _, err := train.ConfusionMatrix(g.labels, g.labels, givenClasses); err != nil {
			return err
		}
		if _, err := train.RMSE(g.lists[0], g.lists[1]); err != nil {
			return err
		}
		if _, err = report.Residuals(g.lists[0], g.lists[1]); err != nil {
			return err
		}
		if _, err := data.NewClasses(g.names).Index(g.names); err != nil {
			return err
		}
		data.SplitStratified(g.labels, .3, 1)
		train.ArgMax(g.y)
		return nil
	}
	for name, call := range calls {
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			for _, sparse := range []bool{false, true} {
				g := newGiven(t, dt, sparse)
				before := g.snapshot()
				if err := call(g); err != nil && !(sparse && name == "scaler standard") {
					t.Errorf("%s, %v, sparse=%v: %v", name, dt, sparse, err)
				}
				if after := g.snapshot(); !reflect.DeepEqual(before, after) {
					for i := range after {
						if !reflect.DeepEqual(before[i], after[i]) {
							t.Errorf("%s, %v, sparse=%v: input %d, a %T, has changed from\n%v to\n%v", name, dt, sparse, i, before[i], before[i], after[i])
						}
					}
				}
			}
		}
	}
}
