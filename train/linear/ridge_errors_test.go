package linear

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func TestRidgeErrors(t *testing.T) {
	x, y := trial.Problem(23, 5, 2, 17)
	few, _ := trial.Problem(3, 5, 2, 17)
	fewY := mat.DenseCopyOf(y.Slice(0, 3, 0, 2))
	repeated, zero, tiny, huge, nan := x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense), x.Clone().(*tensor.Dense)
	for i := range 23 {
		repeated.Float64s()[i*5+1] = repeated.Float64s()[i*5]
	}
	zero.Zero()
	for i := range huge.Float64s() {
		huge.Float64s()[i] *= 1e200
		tiny.Float64s()[i] *= 1e-150
	}
	nan.Float64s()[17*5+3] = math.Inf(1)
	hugeY := mat.NewDense(23, 2, nil)
	hugeY.Set(0, 1, math.MaxFloat64)
	hugeY.Set(4, 1, -math.MaxFloat64)
	nanY := mat.DenseCopyOf(y)
	nanY.Set(19, 1, math.NaN())
	bad := newCosine(5, 7)
	bad.bad = 2
	one, two := []float64{1}, []float64{1, 2}
	alone := tensor.New(tensor.WithShape(5, 2), tensor.WithBacking([]float64{1, 0, 1, 0, 2, 0, 3, 0, 4, 1}))
	for _, c := range []struct {
		name string
		m    layers.Map
		x    *tensor.Dense
		y    *mat.Dense
		o    RidgeOptions
		is   error
		want string
	}{
		{"nil x", nil, nil, y, RidgeOptions{}, domain.ErrParam, "x is nil"},
		{"nil y", nil, x, nil, RidgeOptions{}, domain.ErrShape, "23 rows"},
		{"vector", nil, tensor.New(tensor.WithShape(23), tensor.Of(tensor.Float64)), y, RidgeOptions{}, domain.ErrShape, "(23)"},
		{"ints", nil, tensor.New(tensor.WithShape(23, 5), tensor.Of(tensor.Int)), y, RidgeOptions{}, domain.ErrDtype, "int"},
		{"column-major", nil, tensor.New(tensor.WithShape(2, 2), tensor.AsFortran([]float64{1, 2, 3, 4})), y, RidgeOptions{}, domain.ErrShape, "strides"},
		{"no rows", nil, tensor.New(tensor.WithShape(0, 5), tensor.WithBacking([]float64{})), &mat.Dense{}, RidgeOptions{}, domain.ErrShape, "at least one row"},
		{"rows", nil, x, fewY, RidgeOptions{}, domain.ErrShape, "[3 2]"},
		{"dims", newCosine(4, 7), x, y, RidgeOptions{}, domain.ErrShape, "5 columns, the map takes 4"},
		{"map's NaN", bad, x, y, RidgeOptions{BlockRows: 10}, domain.ErrDomain, "row 2 has the feature z[2,0] = NaN"},
		{"x", nil, nan, y, RidgeOptions{BlockRows: 4}, domain.ErrDomain, "row 17 has the feature z[17,3] = +Inf"},
		{"y", nil, x, nanY, RidgeOptions{BlockRows: 4}, domain.ErrDomain, "row 19 has the target y[19,1] = NaN"},
		{"dual y", newCosine(5, 29), x, nanY, RidgeOptions{BlockRows: 4}, domain.ErrDomain, "row 19 has the target y[19,1]"},
		{"zero", nil, zero, y, RidgeOptions{}, domain.ErrDomain, "every feature"},
		{"huge", nil, huge, y, RidgeOptions{}, domain.ErrDomain, "scale the data"},
		{"tiny", nil, tiny, y, RidgeOptions{}, domain.ErrDomain, "lose digits"},
		{"targets", nil, x, hugeY, RidgeOptions{}, domain.ErrDomain, "the differences of target 1 overflow; scale the targets"},
		{"large lambda", nil, x, y, RidgeOptions{Lambdas: []float64{math.MaxFloat64}}, domain.ErrParam, "lower lambda"},
		{"dual zero", nil, tensor.New(tensor.WithShape(3, 5), tensor.Of(tensor.Float64)), fewY, RidgeOptions{}, domain.ErrDomain, "every feature"},
		{"repeated", nil, repeated, y, RidgeOptions{Lambdas: []float64{0}}, domain.ErrParam, "raise lambda"},
		{"row with a feature of its own", nil, alone, mat.NewDense(5, 1, []float64{1, 2, 3, 4, 9}), RidgeOptions{Lambdas: []float64{0, 1e-30}, Select: SelectLOO}, domain.ErrParam, "none of the 2 lambdas"},
		{"negative", nil, x, y, RidgeOptions{Lambdas: []float64{1, -2}, Select: SelectLOO}, domain.ErrParam, "Lambdas[1]: lambda = -2"},
		{"NaN lambda", nil, x, y, RidgeOptions{Lambdas: []float64{math.NaN()}}, domain.ErrParam, "Lambdas[0]"},
		{"no lambda", nil, x, y, RidgeOptions{Lambdas: []float64{}}, domain.ErrParam, "empty"},
		{"two", nil, x, y, RidgeOptions{Lambdas: two, Select: SelectNone}, domain.ErrParam, "choose by SelectLOO"},
		{"selection", nil, x, y, RidgeOptions{Select: 7}, domain.ErrParam, "Select = 7"},
		{"block", nil, x, y, RidgeOptions{BlockRows: -1}, domain.ErrParam, "BlockRows = -1"},
		{"one row", nil, tensor.New(tensor.WithShape(1, 5), tensor.Of(tensor.Float64)), mat.NewDense(1, 1, one), RidgeOptions{Select: SelectLOO}, domain.ErrShape, "at least 2 rows"},
		{"few", nil, few, y, RidgeOptions{}, domain.ErrShape, "3 rows"},
	} {
		f, err := FitRidge(context.Background(), c.m, data.Pairs{X: c.x, Y: c.y}, c.o)
		if f != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "train: Ridge: ") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestRidgeProgressAndCancel(t *testing.T) {
	x, y := trial.Problem(23, 5, 1, 19)
	for s, total := range map[Selection]int{SelectAuto: 23, SelectNone: 23, SelectLOO: 46} {
		last, of := 0, 0
		ctx, cancel := context.WithCancel(context.Background())
		o := RidgeOptions{Select: s, BlockRows: 4, Progress: func(done, all int) {
			if done <= last {
				t.Errorf("%v: done %d after %d", s, done, last)
			}
			last, of = done, all
		}}
		if _, err := FitRidge(ctx, nil, data.Pairs{X: x, Y: y}, o); err != nil || last != total || of != total {
			t.Errorf("%v: %d of %d, want %d; %v", s, last, of, total, err)
		}
		o.Progress = func(int, int) { cancel() }
		if _, err := FitRidge(ctx, nil, data.Pairs{X: x, Y: y}, o); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "after 4 of") {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// endsLater is a context that ends at a number of looks after the last block of rows.
type endsLater struct {
	context.Context
	counts bool
	left   int
}

func (c *endsLater) Err() error {
	if c.counts {
		c.left--
	}
	if c.counts && c.left <= 0 {
		return context.Canceled
	}
	return nil
}

// TestRidgeStopsInTheSystem: a context that ends once all rows are read ends the fit within the system's products, its
// factor or its reduction, and what they have left is no fit.
func TestRidgeStopsInTheSystem(t *testing.T) {
	for name, shape := range map[string][2]int{"primal": {400, 256}, "dual": {256, 400}} {
		x, y := trial.Problem(shape[0], shape[1], 1, 19)
		for _, o := range []RidgeOptions{{Lambdas: []float64{.1}, Select: SelectNone}, {}, {Lambdas: []float64{.1, 1}, Select: SelectLOO}} {
			for _, after := range []int{2, 3, 5} {
				ctx := &endsLater{Context: context.Background(), left: after}
				o.Progress = func(done, all int) { ctx.counts = done >= shape[0] }
				fit, err := FitRidge(ctx, nil, data.Pairs{X: x, Y: y}, o)
				if fit != nil || !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %v, ended %d looks after the rows: %v, %v", name, o.Select, after, fit != nil, err)
				}
				if ctx.left < -40 {
					t.Errorf("%s, %v: %d looks after the context has ended", name, o.Select, -ctx.left)
				}
			}
		}
	}
}
