package train

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	fixtures "github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
)

func TestBalancedWeights(t *testing.T) {
	got, err := BalancedWeights([]int{1, 2, 5})
	if err != nil || math.Abs(got[0]-8./3) > 1e-15 || math.Abs(got[1]-8./6) > 1e-15 || math.Abs(got[2]-8./15) > 1e-15 {
		t.Error(got, err)
	}
	if _, err := BalancedWeights([]int{1, 0}); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "class 1 has 0 rows") {
		t.Error(err)
	}
	if _, err := BalancedWeights(nil); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
}

func TestClassWeightErrors(t *testing.T) {
	x, y, target := fixtures.Overlapping(t, 20, 3, 2)
	half := mat.DenseCopyOf(y)
	half.Set(3, 0, .5)
	both := mat.DenseCopyOf(y)
	both.SetRow(4, []float64{1, 1})
	for _, c := range []struct {
		y       *mat.Dense
		weights []float64
		is      error
		text    string
	}{
		{y, []float64{1}, domain.ErrParam, "1 ClassWeights for 2 classes"},
		{y, []float64{1, 0}, domain.ErrParam, "ClassWeights[1] = 0"},
		{y, []float64{math.NaN(), 1}, domain.ErrParam, "ClassWeights[0] = NaN"},
		{y, []float64{1, math.Inf(1)}, domain.ErrParam, "ClassWeights[1] = +Inf"},
		{both, []float64{1, 1}, domain.ErrDomain, "the targets of row 4 are of no class"},
		{half, []float64{1, 1}, domain.ErrDomain, "row 3"},
		{target, []float64{1, 1}, nil, ""},
	} {
		_, k := c.y.Dims()
		_, svm := linear.FitSVM(context.Background(), nil, data.Pairs{X: x, Y: c.y}, linear.SVMOptions{ClassWeights: c.weights})
		m, err := layers.NewIdentity(3)
		if err != nil {
			t.Fatal(err)
		}
		_, fit := sgd.Fit(context.Background(), m, fixtures.HeadOf(t, false, 3, k), data.Pairs{X: x, Y: c.y}, sgd.FitOptions{ClassWeights: c.weights})
		for _, err := range []error{svm, fit} {
			if err == nil || c.is != nil && (!errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text)) {
				t.Errorf("%v: %v, want %q", c.weights, err, c.text)
			}
		}
	}
	_, err := linear.FitSVM(context.Background(), nil, data.Pairs{X: x, Y: target}, linear.SVMOptions{Loss: linear.SquaredInsensitive, ClassWeights: []float64{1, 1}})
	if !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "ClassWeights are of SquaredHinge") {
		t.Error(err)
	}
}
