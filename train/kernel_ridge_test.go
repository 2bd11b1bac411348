package train

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// TestKernelRidgeIsRidge: on K = Z Zᵀ it predicts what ridge on Z does, with more rows than features and with fewer.
func TestKernelRidgeIsRidge(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{43, 7, 2}, {13, 31, 3}, {1, 3, 1}, {73, 71, 1}} {
		x, y := problem(c.n, c.d, c.k, 47)
		other, _ := problem(11, c.d, c.k, 53)
		for _, lambda := range []float64{1e-4, 0.1, 10} {
			f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{lambda}})
			var k, cross, want mat.Dense
			k.Mul(matOf(x), matOf(x).T())
			cross.Mul(matOf(other), matOf(x).T())
			saved := mat.DenseCopyOf(&k)
			r, err := FitKernelRidge(&k, y, lambda)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Predict(&cross)
			if err != nil {
				t.Fatal(err)
			}
			want.Mul(matOf(other), f.W)
			for i := range 11 {
				for j := range c.k {
					w := want.At(i, j) + f.B[j]
					if e := math.Abs(got.At(i, j) - w); e > 1e-8*(1+math.Abs(w)) {
						t.Errorf("%+v lambda %g: f[%d,%d] is off by %.2g", c, lambda, i, j, e)
					}
				}
			}
			if !mat.Equal(&k, saved) {
				t.Error("k was changed")
			}
		}
	}
}

// TestKernelRidgeIndefinite: K with the eigenvalues 3, 1, -1 on vectors that sum to 0 works once λ s exceeds 1.
func TestKernelRidgeIndefinite(t *testing.T) {
	q := mat.NewDense(4, 3, []float64{1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1})
	q.Scale(0.5, q)
	var k mat.Dense
	k.Product(q, mat.NewDiagDense(3, []float64{3, 1, -1}), q.T())
	y := mat.NewDense(4, 1, []float64{1, 2, 3, 5})
	s := mat.Trace(&k) / 4
	if _, err := FitKernelRidge(&k, y, 0.9/s); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "indefinite") {
		t.Errorf("lambda too small: %v", err)
	}
	r, err := FitKernelRidge(&k, y, 1.5/s)
	if err != nil {
		t.Fatal(err)
	}
	pred, err := r.Predict(&k)
	if err != nil {
		t.Fatal(err)
	}
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
		if _, err := FitKernelRidge(c.k, c.y, c.lambda); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	r, err := FitKernelRidge(eye, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []*mat.Dense{nil, mat.NewDense(1, 2, nil), {}} {
		if _, err := r.Predict(k); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "[rows,3]") {
			t.Errorf("Predict: %v", err)
		}
	}
	if _, err := r.Predict(with(1, 2, math.NaN())); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "kTest[1,2]") {
		t.Errorf("Predict: %v", err)
	}
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
	// Output: [ 1.031   1.864   0.911  -0.806] <nil>
}
