package linear

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestRidgeCG: the head is that of the factorised system, for any blocks, element type and preconditioner, whatever the means are.
func TestRidgeCG(t *testing.T) {
	x, y := trial.Problem(400, 6, 3, 41)
	ctx := context.Background()
	for _, m := range []layers.Map{nil, trial.Fourier(t, 6, 60, 6), trial.Fourier(t, 6, 300, 9)} {
		for _, lambda := range []float64{0, .5} {
			o := RidgeOptions{Select: SelectNone}
			if lambda > 0 {
				o.Lambdas = []float64{lambda}
			}
			want, err := FitRidge(ctx, m, data.Pairs{X: x, Y: y}, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, rank := range []int{0, 20, -1} {
				if rank != 0 && lambda == 0 {
					continue // hundreds of iterations
				}
				got, err := FitRidgeCG(ctx, m, trial.InBlocks(t, x, y, 100, 33), CGOptions{Lambda: lambda, Rank: rank, Tol: 1e-11})
				if err != nil {
					t.Fatal(err)
				}
				if e := differ(&got.RidgeFit, want); e > 1e-5 || got.Lambda != want.Lambda || !(got.Residual <= 1e-11) {
					t.Errorf("lambda %v, rank %d: off by %.2g after %d iterations", lambda, rank, e, got.Iterations)
				}
			}
		}
	}
	narrow := tensor.New(tensor.WithShape(400, 6), tensor.Of(tensor.Float32))
	for i, v := range x.Float64s() {
		narrow.Float32s()[i] = float32(v)
	}
	want, err := FitRidge(ctx, nil, data.Pairs{X: narrow, Y: y}, RidgeOptions{Select: SelectNone})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := FitRidgeCG(ctx, nil, data.Pairs{X: narrow, Y: y}, CGOptions{Tol: 1e-12}); err != nil || differ(&got.RidgeFit, want) > 1e-9 {
		t.Errorf("float32 gives another fit (%v)", err)
	}
}

// TestRidgeCGPreconditioner: the features of a wide kernel, whose eigenvalues fall fast, take a tenth of the iterations.
func TestRidgeCGPreconditioner(t *testing.T) {
	x, y := trial.Problem(500, 5, 1, 43)
	var iterations [2]int
	for i, rank := range []int{-1, 100} {
		f, err := FitRidgeCG(context.Background(), trial.Fourier(t, 5, 200, 20), data.Pairs{X: x, Y: y}, CGOptions{Lambda: 1e-4, Rank: rank, MaxIterations: 5000})
		if err != nil {
			t.Fatal(err)
		}
		iterations[i] = f.Iterations
	}
	if iterations[1]*10 > iterations[0] {
		t.Errorf("%d iterations with the preconditioner, %d without", iterations[1], iterations[0])
	}
}

// TestNystrom: of full rank it inverts the matrix.
func TestNystrom(t *testing.T) {
	const d, shift = 12, .01
	x, _ := trial.Problem(30, d, 1, 47)
	var a mat.Dense
	a.Mul(trial.MatOf(x).T(), trial.MatOf(x))
	p := newNystrom(d, d, 1)
	gemm(false, d, d, d, 1, a.RawMatrix().Data, d, p.omega, d, p.y, d)
	p.factor(mat.Trace(&a))
	p.shift(1, shift)
	b := make([]float64, d)
	for i := range b {
		b[i] = float64(i%5) - 2
	}
	got := p.solve(b, 1)
	for i := range d {
		a.Set(i, i, a.At(i, i)+shift)
	}
	var want mat.VecDense
	if err := want.SolveVec(&a, mat.NewVecDense(d, b)); err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if w := want.AtVec(i); math.Abs(v-w) > 1e-6*math.Abs(b[0]) {
			t.Errorf("[%d] is %v, want %v", i, v, w)
		}
	}
}

func TestRidgeCGErrors(t *testing.T) {
	x, y := trial.Problem(20, 3, 1, 31)
	ctx := context.Background()
	zero := tensor.New(tensor.WithShape(20, 3), tensor.Of(tensor.Float64))
	nan := x.Clone().(*tensor.Dense)
	nan.Float64s()[7] = math.NaN()
	for name, c := range map[string]struct {
		m        layers.Map
		b        data.Examples
		o        CGOptions
		sentinel error
	}{
		"no rows":    {nil, trial.InBlocks(t, tensor.New(tensor.WithShape(0, 3), tensor.Of(tensor.Float64)), y, 1), CGOptions{}, domain.ErrShape},
		"zero":       {nil, data.Pairs{X: zero, Y: y}, CGOptions{}, domain.ErrDomain},
		"nan":        {nil, data.Pairs{X: nan, Y: y}, CGOptions{}, domain.ErrDomain},
		"signs":      {trial.TwoSigns{D: 3, Plus: 2}, data.Pairs{X: x, Y: y}, CGOptions{}, domain.ErrParam},
		"lambda":     {nil, data.Pairs{X: x, Y: y}, CGOptions{Lambda: -1}, domain.ErrParam},
		"tol":        {nil, data.Pairs{X: x, Y: y}, CGOptions{Tol: 1}, domain.ErrParam},
		"iterations": {nil, data.Pairs{X: x, Y: y}, CGOptions{MaxIterations: 1, Rank: -1}, domain.ErrParam},
		"negative":   {nil, data.Pairs{X: x, Y: y}, CGOptions{MaxIterations: -1}, domain.ErrParam},
	} {
		if _, err := FitRidgeCG(ctx, c.m, c.b, c.o); !errors.Is(err, c.sentinel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := FitRidgeCG(cancelled, nil, data.Pairs{X: x, Y: y}, CGOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// Targets without anything to explain are done at once.
	f, err := FitRidgeCG(ctx, nil, data.Pairs{X: x, Y: mat.NewDense(20, 2, nil)}, CGOptions{})
	if err != nil || f.Iterations != 0 || f.B[0] != 0 || f.B[1] != 0 || mat.Norm(f.W, 1) != 0 {
		t.Errorf("targets of 0: %+v, %v", f, err)
	}
}
