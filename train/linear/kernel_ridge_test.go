package linear

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
)

// TestKernelRidgeIsRidge: on K = Z Zᵀ it predicts what ridge on Z does, with more rows than features and with fewer.
func TestKernelRidgeIsRidge(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{43, 7, 2}, {13, 31, 3}, {1, 3, 1}, {73, 71, 1}} {
		x, y := trial.Problem(c.n, c.d, c.k, 47)
		other, _ := trial.Problem(11, c.d, c.k, 53)
		for _, lambda := range []float64{1e-4, 0.1, 10} {
			f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{lambda}})
			var k, cross, want mat.Dense
			k.Mul(trial.MatOf(x), trial.MatOf(x).T())
			cross.Mul(trial.MatOf(other), trial.MatOf(x).T())
			saved := mat.DenseCopyOf(&k)
			r, err := FitKernelRidge(&k, y, lambda)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Predict(&cross)
			if err != nil {
				t.Fatal(err)
			}
			want.Mul(trial.MatOf(other), f.W)
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

// TestKernelRidgeLOO: the scores are those of fits without each row in turn, at the same effective lambda, and of ridge on the
// features; the fit is that of the best.
func TestKernelRidgeLOO(t *testing.T) {
	lambdas := []float64{0.01, 0.3, 5}
	for _, c := range []struct{ n, d, k int }{{13, 31, 3}, {17, 5, 2}} {
		x, y := trial.Problem(c.n, c.d, c.k, 61)
		var k mat.Dense
		k.Mul(trial.MatOf(x), trial.MatOf(x).T())
		saved := mat.DenseCopyOf(&k)
		r, err := FitKernelRidgeLOO(&k, y, lambdas)
		if err != nil {
			t.Fatal(err)
		}
		want, err := FitKernelRidge(&k, y, r.Lambda)
		if err != nil || !mat.EqualApprox(r.Alpha, want.Alpha, 1e-9*mat.Norm(want.Alpha, 2)) || !mat.Equal(&k, saved) {
			t.Errorf("%+v: not the fit at lambda %v (%v), or k was changed", c, r.Lambda, err)
		}
		f := fit(t, nil, x, y, RidgeOptions{Lambdas: lambdas, Select: SelectLOO})
		if f.Lambda != r.Lambda {
			t.Errorf("%+v: ridge on the features chooses %v, not %v", c, f.Lambda, r.Lambda)
		}
		for l, s := range r.Scores {
			left := leftOut(t, &k, y, s.Lambda)
			if s.Lambda != lambdas[l] || math.Abs(s.MSE-left) > 1e-9*left || math.Abs(s.MSE-f.Scores[l].MSE) > 1e-9*left {
				t.Errorf("%+v, lambda %v: %v, without each row in turn %v, ridge on the features %v", c, s.Lambda, s.MSE, left, f.Scores[l].MSE)
			}
		}
	}
}

// centredTrace is the mean of the diagonal of k less the mean of all entries.
func centredTrace(k *mat.Dense) float64 {
	n := float64(k.RawMatrix().Rows)
	return mat.Trace(k)/n - mat.Sum(k)/n/n
}

// leftOut is the mean squared error of rows under a fit to the others, whose lambda is such that the penalty is that of all rows.
func leftOut(t *testing.T, k, y *mat.Dense, lambda float64) (mse float64) {
	t.Helper()
	n, targets := y.Dims()
	for out := range n {
		rest, target, cross := mat.NewDense(n-1, n-1, nil), mat.NewDense(n-1, targets, nil), mat.NewDense(1, n-1, nil)
		at := func(i int) int { // the row of k that is row i of the rest
			if i < out {
				return i
			}
			return i + 1
		}
		for i := range n - 1 {
			for j := range n - 1 {
				rest.Set(i, j, k.At(at(i), at(j)))
			}
			target.SetRow(i, y.RawRowView(at(i)))
			cross.Set(0, i, k.At(out, at(i)))
		}
		r, err := FitKernelRidge(rest, target, lambda*centredTrace(k)/centredTrace(rest))
		if err != nil {
			t.Fatal(err)
		}
		pred, err := r.Predict(cross)
		if err != nil {
			t.Fatal(err)
		}
		for j := range targets {
			e := y.At(out, j) - pred.At(0, j)
			mse += e * e / float64(n*targets)
		}
	}
	return mse
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
		if _, err := FitKernelRidgeLOO(c.k, c.y, []float64{c.lambda}); !errors.Is(err, c.is) || c.name != "singular" && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, leave-one-out: %v", c.name, err)
		}
	}
	if _, err := FitKernelRidgeLOO(eye, y, []float64{}); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "no lambdas") {
		t.Errorf("no lambdas: %v", err)
	}
	if _, err := FitKernelRidgeLOO(mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, 1, []float64{1}), []float64{1}); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "at least 2 rows") {
		t.Errorf("one row: %v", err)
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
	// Output: [ 1.017   1.931   0.950  -0.898] <nil>
}
