package train_test

import (
	"fmt"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestInputsStay: nothing that a user passes in is changed: rows in either form and element type, targets, labels, the
// parameters of a spec, kernel matrices, lists of options. What a fit is for, and what is called ...Into or ...InPlace,
// is not among it. TestFitters, TestModels and TestCrossValidate see to what they call, and TestEveryScaler of package
// data to scalers.
func TestInputsStay(t *testing.T) {
	lambdas, labels := []float64{1, 1e-3, 1e-1}, []int{2, 0, 1, 2, 0, 1}
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		sparse, dense, y, _ := sparseTask(60, 5, dt)
		for _, x := range []ops.Matrix{sparse, dense} {
			spec := layers.Spec{Map: "gaussian", Params: layers.Values{}, Dims: 5, Features: 16, Seed: 1,
				Dtype: dt.String()}
			k := must(report.ExactGram(spectral.Gaussian{Sigma: 1}, x))
			calls := map[string]func() error{
				"around":        func() error { return second(train.Around(spec, x, .5, 1, 2)) },
				"random search": func() error { return second(train.RandomSearch(spec, 3, 1, span("sigma", 1, 2))) },
				"kernel ridge":  func() error { return second(linear.FitKernelRidge(k, y, lambdas...)) },
				"comparison":    func() error { return second(report.Compare(k, k)) },
				"picture":       func() error { return second(report.ExactVsApprox(k, k)) },
				"metrics": func() error {
					must(report.F1(labels, labels))
					must(report.ConfusionMatrix(labels, labels, 3))
					must(report.RMSE(lambdas, lambdas))
					must(report.Residuals(lambdas, lambdas))
					data.SplitStratified(labels, .3, 1)
					train.ArgMax(y)
					return nil
				},
			}
			for _, name := range []string{"nystrom", "add-kpca", "maji-berg", "chi2", "exp-chi2", "skewed-chi2"} {
				calls["spec "+name] = func() error {
					s := spec
					s.Map, s.Features, s.Params = name, 0, nil
					if must(layers.Lookup(name)).HasFeatures() {
						s.Features = 8
					}
					if err := s.FillDefaults(x); err != nil {
						return err
					}
					return second(layers.Transform(must(s.Fit(x)), nil, x))
				}
			}
			for name, call := range calls {
				all := func() string {
					return fmt.Sprint(numbers(dense), sparse, mat.Formatted(y), mat.Formatted(k), spec, lambdas, labels)
				}
				before := all()
				if err := call(); err != nil {
					t.Errorf("%s, %v, %T: %v", name, dt, x, err)
				}
				if after := all(); after != before {
					t.Errorf("%s, %v, %T: from\n%s to\n%s", name, dt, x, before, after)
				}
			}
		}
	}
}

// TestColumnOfCell: an error about a cell of a table has its column, by name and as counted before the scalers, where the
// rows are too large for the scaler or, scaled, for float32.
func TestColumnOfCell(t *testing.T) {
	f := must(data.NewFrame("p", "q"))
	for i := range 12 {
		noError(t, f.Append(float64(i%5), 1+float64(i%3)/4))
		f.Labels = append(f.Labels, []string{"a", "b"}[i%2])
	}
	f.LabelNames = []string{"class"}
	for _, c := range []struct {
		scale string
		v     float64
		want  string
	}{
		{"none", 1e300, "x[1,1] = 1e+300 is too large for float32"},
		{"l2|none", 1e300, "x[1,1] = 1e+300 (scaled) is too large for float32"},
		{"standard", 1.7e308, "x[1,1] = 1.7e+308 overflows"},
	} {
		m, _ := must2(train.Recipe{Scale: c.scale, Spec: layers.Spec{Map: "linear", Dtype: "float32"}}.Fit(t.Context(), f))
		far := must(data.FromSlices([][]float64{{1, 1}, {0, c.v}}))
		wants(t, c.scale, second(m.Scores(far)), ops.ErrDomain, `column "q": `+c.want)
	}
}
