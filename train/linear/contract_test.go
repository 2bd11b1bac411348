package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// contract are the fitters of this package, with stopping rules so tight that equal problems have equal solutions.
// TestFitters of package train has what they share with others: sparse rows, blocks, float32, class weights, any number
// of cores.
var contract = map[string]struct {
	fits.Fitter
	classes bool
	tol     float64 // of the weights
}{
	"ridge":                {RidgeOptions{Lambdas: []float64{.3}}, false, 1e-7},
	"ridge, chosen":        {RidgeOptions{}, false, 1e-7},
	"ridge, leave-one-out": {RidgeOptions{Lambdas: []float64{1e-3, .1, 3}, Select: SelectLOO}, false, 1e-7},
	"conjugate gradients":  {CGOptions{Lambda: .3, Tol: 1e-11}, false, 1e-5},
	"svm":                  {SVMOptions{Lambdas: []float64{.02}, Tol: 1e-7}, true, 1e-4},
	"svm, not kept":        {SVMOptions{Lambdas: []float64{.02}, Tol: 1e-7, CacheBytes: -1}, true, 1e-4},
	"svr": {SVMOptions{Lambdas: []float64{.02}, Tol: 1e-7, Loss: SquaredInsensitive, Epsilon: .3}, false,
		1e-4},
	"logistic":           {LogisticOptions{Lambdas: []float64{.02}, Tol: 1e-10}, true, 1e-4},
	"logistic, not kept": {LogisticOptions{Lambdas: []float64{.02}, Tol: 1e-10, CacheBytes: -1}, true, 1e-4},
}

// headBy fits a head by a fitter.
func headBy(t *testing.T, f fits.Fitter, m layers.Layer, rows data.Examples, k int) (*Fit, error) {
	t.Helper()
	head := must(layers.NewHead(f.HeadKind(), m.Features(), k))
	report, err := f.Fit(t.Context(), m, head, rows)
	if err != nil {
		return nil, err
	}
	fit := &Fit{Lambda: report.Lambda, Scores: report.Scores}
	for _, p := range head.Params() {
		if v := ops.Float64s(p.Value); p.Name == "W" {
			fit.W = mat.NewDense(m.Features(), k, slices.Clone(v))
		} else {
			fit.B = slices.Clone(v)
		}
	}
	return fit, nil
}

// TestContract: rows in columns instead of rows, and rows that are read, in one block or in blocks of any sizes, dense
// and sparse, have the fit of rows in memory, with fewer features than rows and with more.
func TestContract(t *testing.T) {
	x, classes, _ := trial.Overlapping(t, 91, 4, 3)
	_, targets := trial.Problem(91, 4, 3, 23)
	turned := tensor.New(tensor.WithShape(4, 91), tensor.WithBacking(transposed(x.Float64s(), 91, 4, 4)))
	ok(t, turned.T())
	for name, c := range contract {
		y := targets
		if c.classes {
			y = classes
		}
		memory := data.Pairs{X: x, Y: y}
		for _, m := range []layers.Layer{trial.Fourier(t, 4, 24, 2), trial.Fourier(t, 4, 120, 4)} {
			want := must(headBy(t, c.Fitter, m, memory, 3))
			for form, rows := range map[string]data.Examples{
				"columns": data.Pairs{X: turned, Y: y}, "one read block": trial.Read{Pairs: memory},
				"blocks": trial.InBlocks(t, x, y, 1, 7, 64), "equal blocks": trial.InBlocks(t, x, y, 20),
			} {
				got, err := headBy(t, c.Fitter, m, rows, 3)
				if err != nil || far(got, want) > c.tol || got.Lambda != want.Lambda || len(got.Scores) != len(want.Scores) {
					t.Errorf("%s, %d features, %s: another fit (%v)", name, m.Features(), form, err)
				}
			}
		}
	}
}

// TestContractErrors: what is wrong with rows, read or in memory, or with options, is an error that names the place,
// the value or the remedy.
func TestContractErrors(t *testing.T) {
	x, y, target := trial.Overlapping(t, 20, 3, 3)
	column := y.Slice(0, 20, 0, 1).(*mat.Dense)
	nan, nanY, soft := x.Clone().(*tensor.Dense), mat.DenseCopyOf(y), mat.DenseCopyOf(y)
	nan.Float64s()[7] = math.NaN()
	nanY.Set(6, 0, math.NaN())
	soft.Set(3, 0, .5)
	one := data.Pairs{X: data.Rows(x, []int{0}), Y: given.TargetRows(y, []int{0})}
	zeros := data.Pairs{X: tensor.New(tensor.WithShape(20, 3), tensor.Of(tensor.Float64)), Y: y}
	broken, pairs := errors.New("broken"), data.Pairs{X: x, Y: y}
	located := data.Pairs{X: x, Y: y, Locate: func(err error) error { return errors.Join(err, broken) }}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	type row struct {
		f    fits.Fitter // nil: all
		ctx  context.Context
		rows data.Examples
		is   error
		text string
	}
	svr := SVMOptions{Loss: SquaredInsensitive, Epsilon: -1}
	for _, e := range []row{
		{nil, done, pairs, context.Canceled, "stopped"},
		{nil, nil, trial.Blocks(func(func(data.Pairs, error) bool) {}), domain.ErrShape, "no rows"},
		{nil, nil, trial.Blocks(func(yield func(data.Pairs, error) bool) { yield(data.Pairs{}, broken) }), broken, ""},
		{nil, nil, data.Pairs{X: nan, Y: y}, domain.ErrDomain, "row 2 has the feature z[2,1] = NaN"},
		{nil, nil, trial.InBlocks(t, x, nanY, 5), domain.ErrDomain, "row 6 has the target y[6,0] = NaN"},
		{nil, nil, zeros, domain.ErrDomain, "every feature of every row is 0"},
		{RidgeOptions{}, nil, data.Pairs{X: nan, Y: y, Locate: located.Locate}, broken, ""},
		{RidgeOptions{Lambdas: []float64{1, 2}, Select: SelectNone}, nil, trial.InBlocks(t, x, y, 20), domain.ErrParam,
			"choose by SelectLOO"},
		{CGOptions{Lambda: -1}, nil, pairs, domain.ErrParam, "Lambda = -1"},
		{CGOptions{Tol: 1}, nil, pairs, domain.ErrParam, "Tol = 1"},
		{CGOptions{MaxIterations: 1, Rank: -1}, nil, pairs, domain.ErrParam, "raise Rank"},
		{CGOptions{MaxIterations: -1}, nil, pairs, domain.ErrParam, "MaxIterations = -1"},
		{SVMOptions{}, nil, data.Pairs{X: x, Y: target}, domain.ErrDomain, "row 0 has the target y[0,0] = "},
		{LogisticOptions{}, nil, data.Pairs{X: x, Y: soft}, domain.ErrDomain, "OneVersusRest"},
		{LogisticOptions{}, nil, data.Pairs{X: x, Y: column}, domain.ErrDomain, "two columns"},
		{SVMOptions{Lambdas: []float64{0}}, nil, pairs, domain.ErrParam, "Lambdas[0] = 0"},
		{LogisticOptions{Lambdas: []float64{1, 0}}, nil, pairs, domain.ErrParam, "Lambdas[1] = 0"},
		{LogisticOptions{Lambdas: []float64{}}, nil, pairs, domain.ErrParam, "Lambdas = []"},
		{SVMOptions{Lambdas: []float64{1, 2}}, nil, one, domain.ErrShape, "2 lambdas need at least 2 rows"},
		{SVMOptions{Epsilon: .1}, nil, pairs, domain.ErrParam, "Epsilon is of SquaredInsensitive"},
		{svr, nil, data.Pairs{X: x, Y: target}, domain.ErrParam, "Epsilon = -1"},
		{SVMOptions{Loss: SquaredInsensitive, ClassWeights: []float64{1, 1, 1}}, nil, pairs, domain.ErrParam,
			"ClassWeights are of SquaredHinge"},
		{SVMOptions{Loss: 7}, nil, pairs, domain.ErrParam, "Loss = 7"},
		{SVMOptions{Bias: -1}, nil, pairs, domain.ErrParam, "Bias = -1"},
		{SVMOptions{HeldOut: 1}, nil, pairs, domain.ErrParam, "HeldOut = 1"},
		{LogisticOptions{HeldOut: 1}, nil, pairs, domain.ErrParam, "HeldOut = 1"},
		{SVMOptions{Tol: 2}, nil, pairs, domain.ErrParam, "Tol = 2"},
		{LogisticOptions{Tol: 2}, nil, pairs, domain.ErrParam, "Tol = 2"},
		{SVMOptions{MaxSteps: -1}, nil, pairs, domain.ErrParam, "MaxSteps = -1"},
		{SVMOptions{MaxSteps: 1, Tol: 1e-9}, nil, pairs, domain.ErrParam, "not done after 1 Newton steps"},
		{LogisticOptions{MaxSteps: 1, Tol: 1e-14}, nil, pairs, domain.ErrParam, "not done after 1 Newton steps"},
		{LogisticOptions{ClassWeights: []float64{1}}, nil, pairs, domain.ErrParam, "1 ClassWeights for 3 classes"},
		{SVMOptions{Lambdas: []float64{1e-320}}, nil, pairs, domain.ErrParam, "underflows; raise it"},
		{LogisticOptions{Lambdas: []float64{1e308}}, nil, pairs, domain.ErrParam, "overflows; lower it"},
	} {
		fitters := []fits.Fitter{e.f}
		if e.f == nil {
			fitters = []fits.Fitter{RidgeOptions{}, RidgeOptions{Select: SelectLOO}, CGOptions{}, SVMOptions{}, LogisticOptions{}}
		}
		if e.ctx == nil {
			e.ctx = t.Context()
		}
		for _, f := range fitters {
			head := must(layers.NewHead(f.HeadKind(), 3, 3))
			_, err := f.Fit(e.ctx, nil, head, e.rows)
			refused(t, fmt.Sprintf("%T", f), err, e.is, e.text)
			if e.text != "" && !strings.HasPrefix(fmt.Sprint(err), "train: ") {
				t.Errorf("%T: %v does not say where it comes from", f, err)
			}
		}
	}
	_, err := FitRidgeCG(t.Context(), twoSigns{3, 2}, pairs, CGOptions{})
	refused(t, "conjugate gradients with two signs", err, domain.ErrParam, "use FitRidge")
}

// TestCores: the number of processors changes no bit of what large rows give, which many goroutines share.
func TestCores(t *testing.T) {
	ctx := t.Context()
	for name, results := range map[string]func() string{
		"ridge": func() (all string) {
			for _, n := range []int{701, 97} {
				x, y := trial.Problem(n, 151, 3, 11)
				f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{.1, 1, 10}, Select: SelectLOO, BlockRows: 300})
				all += fmt.Sprint(*f.W, f.B, f.Scores)
			}
			for _, size := range [][2]int{{3000, 150}, {90, 2300}} { // by float32 products
				z, y := floatRows(size[0], size[1], 1, 11)
				f := fit(t, nil, z, y, RidgeOptions{Lambdas: []float64{1}})
				all += fmt.Sprint(*f.W, f.B)
			}
			return all
		},
		"sketch": func() string {
			f := sketched(t, 1)
			return fmt.Sprint(*f.W, f.B)
		},
		"posterior": func() string {
			x, y := trial.Problem(601, 97, 3, 11)
			var s RidgeStats
			ok(t, s.Add(x, y), s.Forget(.7))
			e, p := must(s.Evidence(ctx, nil)), must(s.Posterior(.01))
			f := must(p.Draw(1))
			return fmt.Sprint(*e, *p.Fit.W, p.Noise, p.LogEvidence, p.Effective, must(p.Variance(nil, x)), *f.W, f.B)
		},
		"laplace": func() (all string) {
			p, f := laplaceProblem(t, 700, 40, 3, nil)
			for _, kind := range []string{ExactCovariance, ClassesCovariance, SharedCovariance} {
				l := must(FitLaplace(ctx, nil, p, f, LaplaceOptions{Covariance: kind}))
				all += fmt.Sprint(*must(l.Probabilities(p.X.(*tensor.Dense))))
			}
			return all
		},
	} {
		var want string
		for _, procs := range []int{1, 2, 5} {
			before := runtime.GOMAXPROCS(procs)
			got := results()
			runtime.GOMAXPROCS(before)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: %d processors give other bits than 1", name, procs)
			}
		}
	}
}
