package linear

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
)

// TestKernelRidgeIndefinite: K with the eigenvalues 3, 1, -1 on vectors that sum to 0 works once λ s exceeds 1.
func TestKernelRidgeIndefinite(t *testing.T) {
	q := mat.NewDense(4, 3, []float64{1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1})
	q.Scale(0.5, q)
	var k mat.Dense
	k.Product(q, mat.NewDiagDense(3, []float64{3, 1, -1}), q.T())
	y := mat.NewDense(4, 1, []float64{1, 2, 3, 5})
	s := mat.Trace(&k) / 4
	_, err := FitKernelRidge(&k, y, 0.9/s)
	refused(t, "lambda too small", err, domain.ErrParam, "indefinite")
	r := must(FitKernelRidge(&k, y, 1.5/s))
	pred := must(r.Predict(&k))
	for i := range 4 { // y - f = λ s α
		if e := y.At(i, 0) - pred.At(i, 0) - 1.5*r.Alpha.At(i, 0); math.Abs(e) > 1e-12 {
			t.Errorf("row %d: the equation is off by %.2g", i, e)
		}
	}
}

func TestKernelRidgeErrors(t *testing.T) {
	eye := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	y := mat.NewDense(3, 1, []float64{1, 2, 4})
	with := func(i, j int, v float64) *mat.Dense {
		k := mat.DenseCopyOf(eye)
		k.Set(i, j, v)
		return k
	}
	for _, c := range []struct {
		name   string
		k, y   *mat.Dense
		lambda float64
		is     error
		want   string
	}{
		{"nil", nil, y, 1, domain.ErrShape, "at least one row"},
		{"empty", &mat.Dense{}, y, 1, domain.ErrShape, "[0 0]"},
		{"not square", mat.NewDense(3, 2, nil), y, 1, domain.ErrShape, "[3 2]"},
		{"targets", eye, mat.NewDense(2, 1, nil), 1, domain.ErrShape, "[2 1]"},
		{"lambda", eye, y, -1, domain.ErrParam, "lambda = -1"},
		{"NaN", with(1, 2, math.NaN()), y, 1, domain.ErrDomain, "k[1,2] = NaN"},
		{"target", eye, mat.NewDense(3, 1, []float64{1, math.Inf(-1), 0}), 1, domain.ErrDomain, "y[1,0] = -Inf"},
		{"symmetry", with(2, 0, 0.5), y, 1, domain.ErrDomain, "k[2,0] = 0.5 but k[0,2] = 0"},
		{"trace", mat.NewDense(3, 3, nil), y, 1, domain.ErrDomain, "diagonal"},
		{"singular", mat.NewDense(3, 3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}), y, 0, domain.ErrParam, "raise lambda"},
	} {
		_, err := FitKernelRidge(c.k, c.y, c.lambda)
		refused(t, c.name, err, c.is, c.want)
		if c.name == "singular" {
			c.want = "raise the lambdas"
		}
		_, err = FitKernelRidge(c.k, c.y, c.lambda, c.lambda)
		refused(t, c.name+", leave-one-out", err, c.is, c.want)
	}
	one := mat.NewDense(1, 1, []float64{1})
	_, err := FitKernelRidge(one, one)
	refused(t, "one row", err, domain.ErrShape, "at least 2 rows")
	r := must(FitKernelRidge(eye, y, 1))
	for _, k := range []*mat.Dense{nil, mat.NewDense(1, 2, nil), {}} {
		_, err := r.Predict(k)
		refused(t, "Predict", err, domain.ErrShape, "[rows,3]")
	}
	_, err = r.Predict(with(1, 2, math.NaN()))
	refused(t, "Predict", err, domain.ErrDomain, "kTest[1,2]")
}

func ExampleFitKernelRidge() {
	points := []float64{0, 1, 2, 3}
	gauss := func(a, b float64) float64 { return math.Exp(-(a - b) * (a - b) / 2) }
	k, y := mat.NewDense(4, 4, nil), mat.NewDense(4, 1, []float64{1, 2, 1, -1})
	for i, a := range points {
		for j, b := range points {
			k.Set(i, j, gauss(a, b))
		}
	}
	r, err := FitKernelRidge(k, y, 0.1)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := r.Predict(k)
	fmt.Printf("%.3f %v\n", mat.Formatted(f.T()), err)
	// Output: [ 1.017   1.931   0.950  -0.898] <nil>
}

// TestRidgeCGPreconditioner: the features of a wide kernel, whose eigenvalues fall fast, take a tenth of the
// iterations.
func TestRidgeCGPreconditioner(t *testing.T) {
	x, y := trial.Problem(500, 5, 1, 43)
	var iterations [2]int
	for i, rank := range []int{-1, 100} {
		f := must(FitRidgeCG(context.Background(), trial.Fourier(t, 5, 200, 20), data.Pairs{X: x, Y: y}, CGOptions{Lambda: 1e-4, Rank: rank, MaxIterations: 5000}))
		iterations[i] = f.Steps
	}
	if iterations[1]*10 > iterations[0] {
		t.Errorf("%d iterations with the preconditioner, %d without", iterations[1], iterations[0])
	}
}

// TestRidgeCGOfNothing: targets without anything to explain are done at once.
func TestRidgeCGOfNothing(t *testing.T) {
	x, _ := trial.Problem(20, 3, 1, 31)
	f, err := FitRidgeCG(t.Context(), nil, data.Pairs{X: x, Y: mat.NewDense(20, 2, nil)}, CGOptions{})
	if err != nil || f.Steps != 0 || f.B[0] != 0 || f.B[1] != 0 || mat.Norm(f.W, 1) != 0 {
		t.Errorf("targets of 0: %+v, %v", f, err)
	}
}
