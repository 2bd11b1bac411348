package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestCrossValidate: the scores are those of the definition, a fit on the other folds and its predictions on the rows of this one.
func TestCrossValidate(t *testing.T) {
	x, y := trial.Problem(83, 4, 2, 51)
	const folds, seed = 3, 7
	specs, err := Around(layers.Spec{Map: "gaussian", Features: 16, Sampler: "iid", Seed: 2, Dtype: "float64"}, x, .5, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := specs[0].Spec.Params.Number("sigma"), specs[2].Spec.Params.Number("sigma"); len(specs) != 3 || math.Abs(b/a-4) > 1e-12 {
		t.Errorf("around: %v and %v", a, b)
	}
	lambdas, progress := []float64{1e-3, 1}, 0
	r, err := CrossValidate(context.Background(), specs, data.Pairs{X: x, Y: y}, CVOptions{Folds: folds, Lambdas: lambdas, Seed: seed, Progress: func(_, _ int) { progress++ }})
	if err != nil || len(r.Scores) != 6 || progress != 9 || r.Metric != fits.MeanSquaredError {
		t.Fatal(r, err, progress)
	}
	order, best := data.Shuffle(83, seed), 0
	for i, s := range r.Scores {
		if s.Error < r.Scores[best].Error {
			best = i
		}
		m, err := s.Spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for f := range folds {
			lo, hi := f*83/folds, (f+1)*83/folds
			rest := append(append([]int(nil), order[:lo]...), order[hi:]...)
			head, err := linear.FitRidge(context.Background(), m, data.Pairs{X: data.Rows(x, rest), Y: trial.TakeRows(y, rest)}, linear.RidgeOptions{Lambdas: []float64{s.Lambda * float64(len(rest)) / 83}})
			if err != nil {
				t.Fatal(err)
			}
			z, err := m.Transform(nil, data.Rows(x, order[lo:hi]))
			if err != nil {
				t.Fatal(err)
			}
			var p mat.Dense
			p.Mul(trial.MatOf(z), head.W)
			sum := 0.0
			for k, row := range order[lo:hi] {
				for j := range 2 {
					e := p.At(k, j) + head.B[j] - y.At(row, j)
					sum += e * e
				}
			}
			want += sum / float64(2*(hi-lo)) / folds
		}
		if s.Lambda != lambdas[i%2] || math.Abs(s.Error/want-1) > 1e-8 || !(s.StdErr > 0) {
			t.Errorf("%v: want the error %v", s, want)
		}
	}
	if r.Chosen != best {
		t.Errorf("the best is %d, want %d", r.Chosen, best)
	}
}

func TestCrossValidateErrors(t *testing.T) {
	x, y := trial.Problem(20, 3, 1, 53)
	spec := layers.Spec{Map: "linear", Dims: 3, Dtype: "float64"}
	one := []Candidate{{Spec: spec}}
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		specs []Candidate
		x     *tensor.Dense
		o     CVOptions
		err   error
	}{
		"no spec":   {ctx, nil, x, CVOptions{}, domain.ErrParam},
		"folds":     {ctx, one, x, CVOptions{Folds: 1}, domain.ErrParam},
		"no lambda": {ctx, one, x, CVOptions{Lambdas: []float64{}}, domain.ErrParam},
		"lambda":    {ctx, one, x, CVOptions{Lambdas: []float64{-1}}, domain.ErrParam},
		"rows":      {ctx, one, x, CVOptions{Folds: 11}, domain.ErrShape},
		"context":   {cancelled, one, x, CVOptions{}, context.Canceled},
	} {
		if _, err := CrossValidate(c.ctx, c.specs, data.Pairs{X: c.x, Y: y}, c.o); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Around(spec, x, 1); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
}

// TestCrossValidateAround: where the best is at an end of the factors, or of the default lambdas, there are more, until it is inside or at the
// stated limit, which the report tells.
func TestCrossValidateAround(t *testing.T) {
	x, y := trial.Problem(83, 4, 1, 51) // linear: the wider the kernel, the better, and the less the penalty
	spec := layers.Spec{Map: "gaussian", Features: 16, Seed: 2, Dtype: "float64"}
	calls := 0
	r, err := CrossValidateAround(context.Background(), spec, data.Pairs{X: x, Y: y}, []float64{2, .5, 1}, CVOptions{Folds: 3, Progress: func(done, of int) {
		calls++
		if done > of {
			t.Errorf("%d of %d folds are done", done, of)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	best, sigma := r.Scores[r.Chosen], map[float64]bool{}
	least, largest := math.Inf(1), 0.
	var lambdas []float64
	for i, s := range r.Scores {
		v := s.Spec.Params.Number("sigma")
		sigma[v], least, largest = true, math.Min(least, v), math.Max(largest, v)
		if i > 0 && v < r.Scores[i-1].Spec.Params.Number("sigma") {
			t.Error("the scores are not in the order of σ")
		}
		if v == best.Spec.Params.Number("sigma") {
			lambdas = append(lambdas, s.Lambda)
		}
		if s.Error < best.Error*(1-1e-6) {
			t.Errorf("%v was chosen, and there is %v", best, s)
		}
	}
	if ratio := largest / least; len(sigma) < 5 || math.Abs(ratio/math.Exp2(math.Round(math.Log2(ratio)))-1) > 1e-9 {
		t.Errorf("%d bandwidths from %v to %v", len(sigma), least, largest)
	}
	inside := best.Spec.Params.Number("sigma") > least && best.Spec.Params.Number("sigma") < largest
	if ends := slices.Contains(r.AtEnd(), "sigma"); ends == inside || !inside && largest/least < 128 {
		t.Errorf("σ = %v of %v to %v, at an end: %v", best.Spec.Params, least, largest, r.AtEnd())
	}
	if !slices.IsSorted(lambdas) || best.Lambda == lambdas[0] && lambdas[0] > 83e-15*1.001 || best.Lambda == lambdas[len(lambdas)-1] {
		t.Errorf("λ = %v of %v", best.Lambda, lambdas)
	}
	given, err := CrossValidate(context.Background(), []Candidate{{Spec: best.Spec, Lambdas: []float64{best.Lambda, 10 * best.Lambda}}}, data.Pairs{X: x, Y: y}, CVOptions{Folds: 3})
	if err != nil || len(given.Scores) != 2 || given.Scores[0].Error != best.Error || !slices.Equal(given.AtEnd(), []string{AxisLambda}) {
		t.Errorf("%+v, %v: a list grew, or tells of no end: %v", given, err, given.AtEnd())
	}
	if _, err := CrossValidateAround(context.Background(), layers.Spec{Map: "linear"}, data.Pairs{X: x, Y: y}, []float64{1}, CVOptions{}); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
}
