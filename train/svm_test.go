package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// svmProblem is n rows of d columns in k overlapping classes, with a target for regression in the last column of none of them.
func svmProblem(n, d, k int, seed uint64) (x *tensor.Dense, labels []int, target *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 0))
	cells, y := make([]float64, n*d), make([]float64, n)
	labels = make([]int, n)
	for i := range n {
		labels[i] = i % k
		for j := range d {
			v := rng.NormFloat64()
			if j == labels[i]%d {
				v += 1.5
			}
			if rng.Float64() < .3 {
				v = 0
			}
			cells[i*d+j] = v
			y[i] += v * float64(j-1)
		}
		y[i] += .3*rng.NormFloat64() + 2
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(cells)), labels, mat.NewDense(n, 1, y)
}

// svmObjective is the objective of w, the last of it v, by its formula, and its gradient.
func svmObjective(w, grad []float64, x *tensor.Dense, y func(i int) float64, c, beta, epsilon float64, hinge bool) float64 {
	d := x.Shape()[1]
	f := 0.0
	copy(grad, w)
	for _, v := range w {
		f += v * v / 2
	}
	for i := range x.Shape()[0] {
		row := append(slices.Clone(x.Float64s()[i*d:(i+1)*d]), beta)
		s := 0.0
		for j, v := range row {
			s += v * w[j]
		}
		r := 0.0
		switch e := s - y(i); {
		case hinge && 1-y(i)*s > 0:
			r = -y(i) * (1 - y(i)*s)
		case !hinge && math.Abs(e) > epsilon:
			r = e - math.Copysign(epsilon, e)
		}
		f += c * r * r
		for j, v := range row {
			if grad != nil {
				grad[j] += 2 * c * r * v
			}
		}
	}
	return f
}

// spreadOf is the mean squared distance of a row from their mean.
func spreadOf(x *tensor.Dense) (s float64) {
	n, d := x.Shape()[0], x.Shape()[1]
	for j := range d {
		column := mat.Col(nil, j, mat.NewDense(n, d, x.Float64s()))
		s += stat.PopVariance(column, nil)
	}
	return s
}

// TestSVMOptimum: the objective is that of the weights. Its curvature is at least 1, so it is at most ‖g‖²/2 above the least, where the norm of
// the gradient is at most Tol times that at W = 0; gonum's L-BFGS looks for the least on the plain formula.
func TestSVMOptimum(t *testing.T) {
	x, labels, target := svmProblem(83, 5, 3, 1)
	classes, err := data.OneVersusRest(labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{1e-4, .02, 5} {
		for _, o := range []linear.SVMOptions{{}, {Bias: 3}, {Loss: linear.SquaredInsensitive}, {Loss: linear.SquaredInsensitive, Epsilon: .5}} {
			o.Lambdas, o.Tol = []float64{lambda}, 1e-5
			y, hinge := classes, o.Loss == linear.SquaredHinge
			if !hinge {
				y = target
			}
			fit, err := linear.FitSVM(context.Background(), nil, data.Pairs{X: x, Y: y}, o)
			if err != nil {
				t.Fatal(err)
			}
			scale := spreadOf(x)
			beta, c := max(o.Bias, 1)*math.Sqrt(scale), 1/(2*lambda*scale)
			if math.Abs(fit.C-c) > 1e-9*c {
				t.Errorf("C = %v, want %v", fit.C, c)
			}
			for j := range fit.B {
				mean := 0. // of the targets, from which the intercept counts
				if !hinge {
					mean = stat.Mean(mat.Col(nil, j, y), nil)
				}
				of := func(w, g []float64) float64 {
					return svmObjective(w, g, x, func(i int) float64 { return y.At(i, j) - mean }, c, beta, o.Epsilon, hinge)
				}
				w := append(mat.Col(nil, j, fit.W), (fit.B[j]-mean)/beta)
				if f := of(w, nil); math.Abs(f-fit.Objective[j]) > 1e-9*f {
					t.Errorf("λ = %v, %v: the objective is said to be %v and is %v", lambda, o.Loss, fit.Objective[j], f)
				}
				p := optimize.Problem{Func: func(w []float64) float64 { return of(w, nil) }, Grad: func(g, w []float64) { of(w, g) }}
				best, err := optimize.Minimize(p, make([]float64, 6), &optimize.Settings{GradientThreshold: 1e-9}, &optimize.LBFGS{})
				if best == nil {
					t.Fatal(err)
				}
				g := make([]float64, 6)
				of(make([]float64, 6), g)
				gap := o.Tol * o.Tol / 2 * floats.Dot(g, g)
				if f := fit.Objective[j]; f > best.F+gap+1e-9*best.F || f < best.F*(1-1e-9) {
					t.Errorf("λ = %v, %v, ε = %v, column %d: objective %v, L-BFGS reaches %v, the bound is %v more", lambda, o.Loss, o.Epsilon, j, f, best.F, gap)
				}
			}
		}
	}
}

// TestSVMSameFit: features that are kept or made anew, sparse rows, blocks of another length and any number of goroutines give the same fit.
func TestSVMSameFit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	x, labels, _ := svmProblem(211, 7, 3, 2)
	y, err := data.OneVersusRest(labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := ops.CSROf(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		m, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 3}, 7, 64, layers.WithSeed(1), layers.WithDtype(dt))
		if err != nil {
			t.Fatal(err)
		}
		rows, tol := x, 1e-7
		if dt == tensor.Float32 {
			rows, tol = tensor.New(tensor.WithShape(211, 7), tensor.Of(dt)), 1e-4
			for i, v := range x.Float64s() {
				rows.Float32s()[i] = float32(v)
			}
		}
		fit := func(x ops.Matrix, o linear.SVMOptions) *linear.SVMFit {
			o.Lambdas = []float64{1e-3}
			o.Tol = tol // of the gradient; other roundings take the steps another way
			f, err := linear.FitSVM(context.Background(), m, data.Pairs{X: x, Y: y}, o)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		want := fit(rows, linear.SVMOptions{})
		others := map[string]*linear.SVMFit{"made anew": fit(rows, linear.SVMOptions{CacheBytes: -1})}
		for _, procs := range []int{1, 3} {
			runtime.GOMAXPROCS(procs)
			others[fmt.Sprint("GOMAXPROCS ", procs)] = fit(rows, linear.SVMOptions{})
		}
		for name, f := range others {
			if !mat.Equal(f.W, want.W) || !slices.Equal(f.B, want.B) {
				t.Errorf("%v, %s: other weights", dt, name)
			}
		}
		near := map[string]*linear.SVMFit{"short blocks": fit(rows, linear.SVMOptions{BlockRows: 17})}
		if dt == tensor.Float64 {
			near["sparse"] = fit(sparse, linear.SVMOptions{})
		}
		for name, f := range near {
			for j, v := range f.Objective {
				if math.Abs(v-want.Objective[j]) > tol*v {
					t.Errorf("%v, %s: column %d has the objective %v, not %v", dt, name, j, v, want.Objective[j])
				}
			}
		}
	}
}

// TestSVMSelection: the lambda with the fewest wrong classes among rows that are set aside is fitted on all rows.
func TestSVMSelection(t *testing.T) {
	x, labels, target := svmProblem(301, 5, 3, 3)
	y, err := data.OneVersusRest(labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	lambdas := []float64{1e-6, 1e-2, 1e3}
	for _, o := range []linear.SVMOptions{{Lambdas: lambdas, Seed: 5}, {Lambdas: lambdas, Seed: 5, Loss: linear.SquaredInsensitive, Epsilon: .1}} {
		targets := y
		if o.Loss == linear.SquaredInsensitive {
			targets = target
		}
		fit, err := linear.FitSVM(context.Background(), nil, data.Pairs{X: x, Y: targets}, o)
		if err != nil {
			t.Fatal(err)
		}
		best := slices.IndexFunc(fit.Scores, func(s fits.LambdaScore) bool { return s.Lambda == fit.Lambda })
		for i, s := range fit.Scores {
			if s.Lambda != lambdas[i] || s.MSE < fit.Scores[best].MSE || s.ErrorRate < fit.Scores[best].ErrorRate || math.IsNaN(s.MSE) == math.IsNaN(s.ErrorRate) {
				t.Errorf("%v: λ = %v was taken, the scores are %v", o.Loss, fit.Lambda, fit.Scores)
			}
		}
		one := o
		one.Lambdas = []float64{fit.Lambda}
		alone, err := linear.FitSVM(context.Background(), nil, data.Pairs{X: x, Y: targets}, one)
		if err != nil {
			t.Fatal(err)
		}
		for j, f := range fit.Objective {
			if math.Abs(f-alone.Objective[j]) > 1e-3*f {
				t.Errorf("%v: column %d has the objective %v, without selection %v", o.Loss, j, f, alone.Objective[j])
			}
		}
	}
}

func TestSVMErrors(t *testing.T) {
	x, labels, target := svmProblem(11, 3, 2, 4)
	y, err := data.OneVersusRest(labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	bad := x.Clone().(*tensor.Dense)
	bad.Float64s()[7] = math.NaN()
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for _, e := range []struct {
		ctx  context.Context
		x    *tensor.Dense
		y    *mat.Dense
		o    linear.SVMOptions
		is   error
		text string
	}{
		{nil, x, target, linear.SVMOptions{}, ops.ErrDomain, "row 0 has the target y[0,0] = "},
		{nil, bad, y, linear.SVMOptions{}, ops.ErrDomain, "row 2 has the feature z[2,1] = NaN"},
		{nil, tensor.New(tensor.WithShape(11, 3), tensor.Of(tensor.Float64)), y, linear.SVMOptions{}, ops.ErrDomain, "every feature of every row is 0"},
		{nil, x, mat.NewDense(10, 2, nil), linear.SVMOptions{}, ops.ErrShape, "x has 11 rows"},
		{nil, x, y, linear.SVMOptions{Lambdas: []float64{0}}, ops.ErrParam, "Lambdas[0] = 0"},
		{nil, x, y, linear.SVMOptions{Lambdas: []float64{}}, ops.ErrParam, "Lambdas is empty"},
		{nil, x, y, linear.SVMOptions{Epsilon: .1}, ops.ErrParam, "Epsilon is of SquaredInsensitive"},
		{nil, x, target, linear.SVMOptions{Loss: linear.SquaredInsensitive, Epsilon: -1}, ops.ErrParam, "Epsilon = -1"},
		{nil, x, y, linear.SVMOptions{Loss: 7}, ops.ErrParam, "Loss = 7"},
		{nil, x, y, linear.SVMOptions{HeldOut: 1}, ops.ErrParam, "HeldOut = 1"},
		{nil, x, y, linear.SVMOptions{Bias: -1}, ops.ErrParam, "Bias = -1"},
		{nil, x, y, linear.SVMOptions{Tol: 2}, ops.ErrParam, "Tol = 2"},
		{nil, x, y, linear.SVMOptions{MaxSteps: -1}, ops.ErrParam, "MaxSteps = -1"},
		{nil, x, y, linear.SVMOptions{MaxSteps: 1, Tol: 1e-9}, ops.ErrParam, "not done after 1 Newton steps"},
		{done, x, y, linear.SVMOptions{}, context.Canceled, "train: SVM: stopped"},
	} {
		if e.ctx == nil {
			e.ctx = context.Background()
		}
		_, err := linear.FitSVM(e.ctx, nil, data.Pairs{X: e.x, Y: e.y}, e.o)
		if !errors.Is(err, e.is) || !strings.Contains(fmt.Sprint(err), e.text) || !strings.HasPrefix(fmt.Sprint(err), "train: SVM: ") {
			t.Errorf("got %v, want %v with %q", err, e.is, e.text)
		}
	}
}
