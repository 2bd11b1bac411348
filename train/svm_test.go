package train_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// svmProblem is n rows of d columns in k overlapping classes, with a target for regression in the last column of none
// of them.
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

// TestSVMOptimum: the objective is that of the weights. Its curvature is at least 1, so it is at most ‖g‖²/2 above the
// least, where the norm of the gradient is at most Tol times that at W = 0; gonum's L-BFGS looks for the least on the
// plain formula.
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
