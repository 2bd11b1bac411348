package train_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestNilArguments: every fit says which of its arguments is nil, a nil pointer in an interface included.
func TestNilArguments(t *testing.T) {
	ctx := context.Background()
	m, head := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 4)), layers.MustHead(layers.NewLinearHead(4, 1))
	x := tensor.New(tensor.WithShape(4, 2), tensor.Of(tensor.Float64))
	y := mat.NewDense(4, 1, nil)
	fit := func(ctx context.Context, m layers.Layer, head layers.Head, x ops.Matrix) error {
		_, err := sgd.Fit(ctx, m, head, data.Pairs{X: x, Y: y}, sgd.FitOptions{Epochs: 1})
		return err
	}
	second := func(_ any, err error) error { return err }
	var none context.Context
	for name, tc := range map[string]struct {
		err  error
		says string
	}{
		"head":       {fit(ctx, m, nil, x), "Fit: the head is nil"},
		"rows":       {second(sgd.Fit(ctx, m, head, data.Streamed{}, sgd.FitOptions{})), "the stream of rows is nil"},
		"ridge rows": {second(linear.FitRidge(ctx, m, nil, linear.RidgeOptions{})), "Ridge: the source of rows is nil"},
		"ridge CG":   {second(linear.FitRidgeCG(ctx, m, nil, linear.CGOptions{})), "Ridge: the source of rows is nil"},
		"cv context": {second(train.Recipe{}.CrossValidate(none, &data.Set{X: x, Y: y.RawMatrix().Data}, nil, train.CVOptions{})), "Recipe: the context is nil"},
		"around":     {second(train.Around(layers.Spec{Map: "gaussian"}, nil)), "Around: x is nil"},
		"no factors": {second(train.CrossValidate(ctx, []train.Candidate{{Spec: layers.Spec{Map: "gaussian"}}}, data.Pairs{X: x, Y: y}, nil, train.CVOptions{Factors: []float64{}})), "0 Factors of 1 candidates"},
	} {
		if !errors.Is(tc.err, domain.ErrParam) || !strings.Contains(tc.err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, tc.err, tc.says)
		}
	}
}
