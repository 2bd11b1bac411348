package train_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gorgonia.org/tensor"
)

// logisticProblem are n rows of d features about a large mean, and their classes, which overlap.
func logisticProblem(n, d, k int, seed uint64) (*tensor.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, labels := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64)), make([]int, n)
	for i := range n {
		labels[i] = i % k
		for j := range d {
			x.Float64s()[i*d+j] = 3 + rng.NormFloat64()
		}
		x.Float64s()[i*d+labels[i]%d] += 1.2
	}
	return x, labels
}

// naiveLogistic is the objective of FitLogistic and its gradient, row by row: W [d, k] and then b [k] in v.
func naiveLogistic(x *tensor.Dense, labels []int, weights []float64, lambda float64, v, grad []float64) float64 {
	n, d := x.Shape()[0], x.Shape()[1]
	k := len(v) / (d + 1)
	mean, mass, spread := make([]float64, d), 0., 0.
	for i := range n {
		mass += weights[i]
		for j := range d {
			mean[j] += weights[i] * x.Float64s()[i*d+j]
		}
	}
	for i := range n {
		for j := range d {
			spread += weights[i] * math.Pow(x.Float64s()[i*d+j]-mean[j]/mass, 2) / mass
		}
	}
	clear(grad)
	sum := 0.
	for i, w := range v[:d*k] {
		sum += lambda * spread / 2 * w * w
		if grad != nil {
			grad[i] = lambda * spread * w
		}
	}
	for i := range n {
		logits := append([]float64(nil), v[d*k:]...)
		for j := range d {
			for c := range k {
				logits[c] += x.Float64s()[i*d+j] * v[j*k+c]
			}
		}
		top, total := math.Inf(-1), 0.
		for _, l := range logits {
			top = max(top, l)
		}
		for _, l := range logits {
			total += math.Exp(l - top)
		}
		sum += weights[i] * (top + math.Log(total) - logits[labels[i]])
		for c := range k {
			if grad == nil {
				break
			}
			r := weights[i] * math.Exp(logits[c]-top) / total
			if c == labels[i] {
				r -= weights[i]
			}
			grad[d*k+c] += r
			for j := range d {
				grad[j*k+c] += r * x.Float64s()[i*d+j]
			}
		}
	}
	return sum
}

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// TestLogisticOptimum: the objective is the one that gonum's BFGS finds, from the naive objective and its gradient, to
// 1e-9 of it, for two classes and four, with weights, a small and a large lambda; the gradient there is what it says.
func TestLogisticOptimum(t *testing.T) {
	for _, c := range []struct {
		k       int
		lambda  float64
		weights []float64
	}{{2, .1, nil}, {4, 1e-4, nil}, {4, 30, nil}, {3, .01, []float64{1, 3, .5}}} {
		const n, d = 90, 5
		x, labels := logisticProblem(n, d, c.k, 7)
		rows := ones(n)
		for i, l := range labels {
			if c.weights != nil {
				rows[i] = c.weights[l]
			}
		}
		y := must(data.OneVersusRest(labels, c.k))
		f, err := linear.FitLogistic(t.Context(), nil, data.Pairs{X: x, Y: y}, linear.LogisticOptions{Lambdas: []float64{c.lambda}, ClassWeights: c.weights, Tol: 1e-10, BlockRows: 17})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		v := append(append([]float64(nil), f.W.RawMatrix().Data...), f.B...)
		grad, zero := make([]float64, len(v)), make([]float64, len(v))
		at := naiveLogistic(x, labels, rows, c.lambda, v, grad)
		if math.Abs(at-f.Objective) > 1e-11*at {
			t.Errorf("%+v: objective %v, and at its weights it is %v", c, f.Objective, at)
		}
		naiveLogistic(x, labels, rows, c.lambda, make([]float64, len(v)), zero)
		// f.Gradient is about the mean, the naive one is not: both vanish together.
		if g := mat.Norm(mat.NewVecDense(len(grad), grad), 2) / mat.Norm(mat.NewVecDense(len(zero), zero), 2); !(g < 1e-6) || !(f.Gradient < 1e-6) {
			t.Errorf("%+v: gradient %v, %v said", c, g, f.Gradient)
		}
		r, err := optimize.Minimize(optimize.Problem{
			Func: func(v []float64) float64 { return naiveLogistic(x, labels, rows, c.lambda, v, nil) },
			Grad: func(g, v []float64) { naiveLogistic(x, labels, rows, c.lambda, v, g) },
		}, make([]float64, len(v)), &optimize.Settings{GradientThreshold: 1e-8, MajorIterations: 2000}, &optimize.BFGS{})
		if r == nil {
			t.Fatal(err)
		}
		if math.Abs(r.F-f.Objective) > 1e-9*r.F {
			t.Errorf("%+v: objective %v, BFGS has %v (%v)", c, f.Objective, r.F, r.Status)
		}
	}
}

// TestLogisticModel: cross-validation and recipes take the fitter; the scores of the model are probabilities.
func TestLogisticModel(t *testing.T) {
	x, labels := logisticProblem(300, 4, 3, 5)
	y := must(data.OneVersusRest(labels, 3))
	maps := []train.Candidate{{Spec: layers.Spec{Map: "linear"}}}
	cv := must(train.CrossValidate(t.Context(), maps, data.Pairs{X: x, Y: y}, linear.LogisticOptions{}, train.CVOptions{Folds: 3}))
	if e := cv.All[cv.Chosen].Error; cv.Metric != fits.ErrorRate || !(e > .05 && e < .6) {
		t.Errorf("cross-validation: %v %v", cv.Metric, e)
	}
	set := &data.Set{X: x}
	for _, l := range labels {
		set.Labels = append(set.Labels, []string{"a", "b", "c"}[l])
	}
	m, _, err := train.Recipe{Spec: layers.Spec{Map: "linear"}, Fitter: linear.LogisticOptions{}}.Fit(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	p := must(m.Scores(x))
	for i := range 300 {
		if s := mat.Sum(p.RowView(i)); m.Head.Kind() != "softmax" || math.Abs(s-1) > 1e-12 {
			t.Fatalf("%s: the probabilities of row %d have the sum %v", m.Head.Kind(), i, s)
		}
	}
}
