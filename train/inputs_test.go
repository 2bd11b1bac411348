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

// TestInputsStay: searches, kernel ridge and reports change nothing of what they are given. TestFitters, TestModels and
// TestCrossValidate see to fits and predictions, and TestEveryScaler of package data to scalers.
func TestInputsStay(t *testing.T) {
	lambdas, labels := []float64{1, 1e-3, 1e-1}, []int{2, 0, 1, 2, 0, 1}
	sparse, dense, y, _ := sparseTask(60, 5, tensor.Float64)
	spec := layers.Spec{Map: "gaussian", Params: layers.Values{}, Dims: 5, Features: 16, Seed: 1}
	k := must(report.ExactGram(spectral.Gaussian{Sigma: 1}, dense))
	all := func() string {
		return fmt.Sprint(numbers(dense), sparse, mat.Formatted(y), mat.Formatted(k), spec, lambdas, labels)
	}
	before := all()
	for _, x := range []ops.Matrix{sparse, dense} {
		must(report.ExactGram(spectral.Gaussian{Sigma: 1}, x))
		must(train.Around(spec, x, .5, 1, 2))
		for _, name := range []string{"nystrom", "chi2"} {
			s := spec
			s.Map, s.Features, s.Params = name, 8, nil
			if name == "chi2" {
				s.Features = 0
			}
			noError(t, s.FillDefaults(x))
			must(layers.Transform(must(s.Fit(x)), nil, x))
		}
	}
	must(train.RandomSearch(spec, 3, 1, span("sigma", 1, 2)))
	must(linear.FitKernelRidge(k, y, lambdas...))
	must(report.Compare(k, k))
	must(report.ExactVsApprox(k, k))
	must(report.F1(labels, labels))
	must(report.ConfusionMatrix(labels, labels, 3))
	must(report.RMSE(lambdas, lambdas))
	must(report.Residuals(lambdas, lambdas))
	data.SplitStratified(labels, .3, 1)
	train.ArgMax(y)
	if after := all(); after != before {
		t.Errorf("from\n%s to\n%s", before, after)
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
