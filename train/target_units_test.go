package train_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// targetFit fits a linear head on rows to targets in a unit, the ε and δ of the fit included, and returns its
// predictions of the rows.
type targetFit func(x *tensor.Dense, y []float64, unit float64) ([]float64, error)

// targetFits are all ways to fit targets.
func targetFits(t *testing.T) map[string]targetFit {
	by := func(f func(unit float64) fits.Fitter, rows func(data.Pairs) data.Examples) targetFit {
		return func(x *tensor.Dense, y []float64, unit float64) ([]float64, error) {
			d, g := x.Shape()[1], f(unit)
			opts := []layers.Option{layers.WithDtype(x.Dtype())}
			if g.HeadKind() == "huber" {
				opts = append(opts, layers.WithDelta(.5*unit))
			}
			m := must(layers.NewIdentity(d, layers.WithDtype(x.Dtype())))
			head, pairs := must(layers.NewHead(g.HeadKind(), d, 1, opts...)), data.Pairs{X: x, Y: mat.NewDense(len(y), 1, y)}
			if _, err := g.Fit(t.Context(), m, head, rows(pairs)); err != nil {
				return nil, err
			}
			return ops.Float64s(must(head.Transform(nil, x))), nil
		}
	}
	memory := func(p data.Pairs) data.Examples { return p }
	read := func(p data.Pairs) data.Examples {
		return trial.InBlocks(t, p.X.(*tensor.Dense), p.Y, 50)
	}
	plain := func(f fits.Fitter) func(float64) fits.Fitter { return func(float64) fits.Fitter { return f } }
	svr := func(lambdas ...float64) func(float64) fits.Fitter {
		return func(unit float64) fits.Fitter {
			return linear.SVMOptions{Loss: linear.SquaredInsensitive, Epsilon: .1 * unit, Lambdas: lambdas}
		}
	}
	batch := func(o sgd.FitOptions, head string) func(float64) fits.Fitter {
		o.Epochs, o.Batch = 30, 20
		return plain(sgd.MiniBatch{FitOptions: o, Head: head})
	}
	return map[string]targetFit{
		"ridge":                  by(plain(linear.RidgeOptions{}), memory),
		"ridge, lambda 0":        by(plain(linear.RidgeOptions{Lambdas: []float64{0}}), memory),
		"ridge, leave-one-out":   by(plain(linear.RidgeOptions{Select: linear.SelectLOO}), memory),
		"ridge, read":            by(plain(linear.RidgeOptions{}), read),
		"conjugate gradients":    by(plain(linear.CGOptions{}), memory),
		"gradients, read":        by(plain(linear.CGOptions{}), read),
		"svr":                    by(svr(), memory),
		"svr, read":              by(svr(), read),
		"svr, held out":          by(svr(1, 1e-3), memory),
		"huber":                  by(batch(sgd.FitOptions{}, "huber"), memory),
		"huber, read":            by(batch(sgd.FitOptions{}, "huber"), read),
		"mini-batch":             by(batch(sgd.FitOptions{Lambda: 1e-3, WeightDecay: 1e-3}, ""), memory),
		"mini-batch, descent":    by(batch(sgd.FitOptions{Solver: sgd.SGD, LearnRate: .02}, ""), memory),
		"mini-batch, early stop": by(batch(sgd.FitOptions{HeldOut: .2}, ""), memory),
		"sums": func(x *tensor.Dense, y []float64, _ float64) ([]float64, error) {
			var s linear.RidgeStats
			if err := s.AddRows(t.Context(), nil, read(data.Pairs{X: x, Y: mat.NewDense(len(y), 1, y)})); err != nil {
				return nil, err
			}
			f, err := s.Solve(1e-6)
			if err != nil {
				return nil, err
			}
			out := mat.NewDense(len(y), 1, nil)
			out.Mul(trial.MatOf(x), f.W)
			floats.AddConst(f.B[0], out.RawMatrix().Data)
			return out.RawMatrix().Data, nil
		},
		"exact kernel": func(x *tensor.Dense, y []float64, _ float64) ([]float64, error) {
			var k mat.Dense // the linear kernel of the rows
			k.Mul(trial.MatOf(x), trial.MatOf(x).T())
			f, err := linear.FitKernelRidge(&k, mat.NewDense(len(y), 1, y))
			if err != nil {
				return nil, err
			}
			return must(f.Predict(&k)).RawMatrix().Data, nil
		},
	}
}

// noisyRows are rows and targets of mean 0 and deviation about 1, half of it noise.
func noisyRows(n, d int, dt tensor.Dtype) (x *tensor.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(33, 7))
	x, y = tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64)), make([]float64, n)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			x.Float64s()[i*d+j] = 2 + v
			y[i] += v * float64(j+1) / float64(2*d)
		}
		y[i] += .7 * rng.NormFloat64()
	}
	floats.AddConst(-floats.Sum(y)/float64(n), y)
	return as(x, dt), y
}

// TestTargetUnits: a fit to a y + b predicts a times what a fit to y predicts, and b, for large and small a and for b
// far from 0, and as well as there. A constant target is predicted. float32 rows and heads learn targets of any unit
// that they can hold, and the others are an error with a remedy.
func TestTargetUnits(t *testing.T) {
	type unit struct{ a, b, tol float64 }
	for dt, units := range map[tensor.Dtype][]unit{
		tensor.Float64: {{1e-150, 0, 1e-7}, {1e150, 0, 1e-7}, {1e-150, 1e-144, 1e-7}, {1, 1e6, 1e-7},
			{1e150, 1e156, 1e-7}, {1, 1e15, .5}, {1e160, 0, 1e-7}, {1e-160, 0, 1e-7}},
		tensor.Float32: {{1e-20, 0, .02}, {1e20, 1e21, .02}, {1, 1e5, .02}, {1, 1e15, 0}, {1e150, 0, 0}, {1e-60, 0, 0}},
	} {
		x, y := noisyRows(120, 4, dt)
		for name, fit := range targetFits(t) {
			if dt == tensor.Float32 && (name == "sums" || name == "exact kernel") {
				continue
			}
			want, err := fit(x, y, 1)
			if err != nil {
				t.Errorf("%s, %v: %v", name, dt, err)
				continue
			}
			error, all := math.Pow(floats.Distance(want, y, 2), 2), floats.Dot(y, y)
			if !(error < .8*all) {
				t.Errorf("%s, %v: the squared error is %v of %v", name, dt, error, all)
			}
			for _, c := range units {
				moved := slices.Clone(y)
				floats.Scale(c.a, moved)
				floats.AddConst(c.b, moved)
				got, err := fit(x, moved, c.a)
				if (c.a == 1e160 || c.a == 1e-160) && errors.Is(err, domain.ErrDomain) &&
					strings.Contains(fmt.Sprint(err), "scale the targets") {
					continue // squares choose, and are not held
				}
				if c.tol == 0 && errors.Is(err, domain.ErrDomain) && strings.Contains(fmt.Sprint(err), "float32") {
					continue
				}
				if err != nil || c.tol == 0 {
					t.Errorf("%s, %v: %v y + %v: %v", name, dt, c.a, c.b, err)
					continue
				}
				off := 0.
				for i, v := range got {
					off = max(off, math.Abs((v-c.b)/c.a-want[i]))
				}
				if !(off <= c.tol) {
					t.Errorf("%s, %v: %v y + %v: predictions are off by %v of the unit", name, dt, c.a, c.b, off)
				}
			}
			for _, v := range []float64{3, 0, -.1, 1e15, 1e-160, -1e200} {
				if dt == tensor.Float32 {
					break
				}
				got, err := fit(x, slices.Repeat([]float64{v}, len(y)), 1)
				far := func(g float64) bool { return math.Abs(g-v) > 1e-14*math.Abs(v) }
				if err != nil || slices.ContainsFunc(got, far) {
					t.Errorf("%s: the constant %v is predicted as %v: %v", name, v, got, err)
				}
			}
		}
	}
}

// TestTargetUnitsHuber: targets far larger than the δ of a Huber head are learned, or the fit says that it cannot hold
// them.
func TestTargetUnitsHuber(t *testing.T) {
	x, y := noisyRows(120, 4, tensor.Float64)
	fit := targetFits(t)["huber"]
	var first float64
	for _, a := range []float64{100, 1e10, 1e155, 1e250, 1e300} {
		large := make([]float64, len(y))
		floats.AddScaled(large, a, y)
		got, err := fit(x, large, 1) // δ stays .5
		if a == 1e300 {
			wants(t, a, err, domain.ErrDomain, "raise δ")
			continue
		}
		if err != nil {
			t.Errorf("targets of %v: %v", a, err)
			continue
		}
		floats.Scale(1/a, got)
		error := floats.Distance(got, y, 2) / floats.Norm(y, 2)
		if first == 0 {
			first = error
		}
		if !(error < .9) || math.Abs(error-first) > .02 {
			t.Errorf("targets of %v: the error is %v of them, and %v of smaller ones", a, error, first)
		}
	}
}

// TestTargetUnitsOfScores: cross-validation and the search by the marginal likelihood choose the same in any unit of
// the targets, and say so where squares cannot be held.
func TestTargetUnitsOfScores(t *testing.T) {
	x, y := noisyRows(60, 3, tensor.Float64)
	spec := layers.Spec{Map: "gaussian", Features: 8, Params: layers.Values{"sigma": 3.}}
	moved := func(a, b float64) *data.Set {
		s := &data.Set{X: x}
		for _, v := range y {
			s.Y = append(s.Y, a*v+b)
		}
		return s
	}
	for name, f := range map[string]fits.Fitter{"ridge": linear.RidgeOptions{},
		"svr":        linear.SVMOptions{Loss: linear.SquaredInsensitive},
		"mini-batch": sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 20, Batch: 10}}} {
		score := func(a, b float64) (*train.Scores, error) {
			return train.Recipe{Spec: spec, Fitter: f}.CrossValidate(t.Context(), moved(a, b), nil,
				train.CVOptions{Folds: 3, Lambdas: []float64{1e-3, 10}})
		}
		want := must(score(1, 0))
		for _, c := range []struct{ a, b, tol float64 }{{1e-140, 0, 1e-6}, {1e140, 0, 1e-6}, {1, 1e6, 1e-6},
			{1, 1e15, .03}} {
			got, err := score(c.a, c.b)
			if err != nil || got.Chosen != want.Chosen {
				t.Errorf("%s: %v y + %v: %+v, %v; want %+v", name, c.a, c.b, got, err, want)
				continue
			}
			for i, s := range got.All {
				if e := want.All[i].Error; math.Abs(s.Error/c.a/c.a-e) > c.tol*e {
					t.Errorf("%s: %v y + %v: λ = %v has the error %v, want %v of the square of the unit", name, c.a,
						c.b, s.Lambda, s.Error, e)
				}
			}
		}
		for _, a := range []float64{1e-160, 1e160} {
			wants(t, name, second(score(a, 0)), domain.ErrDomain, "scale the targets")
		}
	}
	for _, c := range []struct{ a, b float64 }{{1, 0}, {1e-140, 0}, {1e140, 0}, {1, 1e15}} {
		recipe := train.Recipe{Spec: spec, Uncertainty: &train.UncertaintyOptions{}}
		sure, _, err := recipe.Fit(t.Context(), moved(c.a, c.b))
		if err != nil {
			t.Errorf("intervals, %v y + %v: %v", c.a, c.b, err)
			continue
		}
		lower, upper := must2(sure.PredictIntervals(x, .9))
		inside := 0
		for i, v := range moved(c.a, c.b).Y {
			if lower.At(i, 0) <= v && v <= upper.At(i, 0) && upper.At(i, 0)-lower.At(i, 0) < 5*c.a {
				inside++
			}
		}
		if inside < 45 {
			t.Errorf("intervals of .9, %v y + %v: %d of 60 targets are inside", c.a, c.b, inside)
		}
		m := must(layers.Spec{Map: "gaussian", Dims: 3, Features: 8, Tune: "bandwidth",
			Params: layers.Values{"sigma": 3.}}.Build())
		s := moved(c.a, c.b)
		r, err := evidence.Maximise(t.Context(), m, data.Pairs{X: x, Y: mat.NewDense(60, 1, s.Y)},
			evidence.Options{MaxEvaluations: 3})
		if err != nil || !(r.Noise[0]/c.a/c.a > .1 && r.Noise[0]/c.a/c.a < 2) {
			t.Errorf("evidence, %v y + %v: %+v, %v", c.a, c.b, r, err)
		}
	}
}
