package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// bagsOfWords are n sparse rows of d counts, the same rows dense, and two targets that depend on them.
func bagsOfWords(n, d int, seed uint64) (*ops.CSR, *tensor.Dense, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 8))
	x, y := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64)), mat.NewDense(n, 2, nil)
	for i := range n {
		for range 6 {
			x.Float64s()[i*d+rng.IntN(d)] += .25
		}
		for j, v := range x.Float64s()[i*d : i*d+d] {
			y.Set(i, 0, y.At(i, 0)+v*math.Sin(float64(j)))
			y.Set(i, 1, y.At(i, 1)+v*v*math.Cos(float64(j)))
		}
	}
	return must(ops.CSROf(x)), x, y
}

// TestSparseFit: mini-batches of sparse rows take the steps of dense ones, with cached features, without, and through a tuned map.
func TestSparseFit(t *testing.T) {
	const n, d = 70, 17
	sparse, dense, y := bagsOfWords(n, d, 2)
	labels := make([]int, n)
	for i := range labels {
		if y.At(i, 0) > 0 {
			labels[i] = 1
		}
	}
	for name, c := range map[string]struct {
		m       func() layers.Layer
		softmax bool
		cache   int
	}{
		"Identity, softmax": {func() layers.Layer { return must(layers.NewIdentity(d)) }, true, 0},
		"Fourier, cached":   {func() layers.Layer { return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, d, 16)) }, false, 0},
		"Fourier, by batch": {func() layers.Layer { return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, d, 16)) }, true, -1},
		"skewed, tuned": {func() layers.Layer {
			return must(layers.NewSkewedChi2Layer(.1, d, 16, layers.Tune(layers.All), layers.WithPhase()))
		}, true, 0},
		"Laplace, tuned": {func() layers.Layer {
			return must(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: .1}, d, 16, layers.Tune(layers.Bandwidth)))
		}, false, 0},
	} {
		run := func(x ops.Matrix) (*fits.Course, []layers.Param) {
			m := c.m()
			var head layers.Head = must(layers.NewLinearHead(m.Features(), 2, layers.WithName("head")))
			rows := data.Pairs{X: x, Y: y}
			if c.softmax {
				head, rows = must(layers.NewSoftmaxHead(m.Features(), 2, layers.WithName("head"))), trial.Classes(x, labels, 2)
			}
			report, err := sgd.Fit(context.Background(), m, head, rows, sgd.FitOptions{Epochs: 3, Batch: 16, HeldOut: .2, CacheBytes: c.cache, Seed: 4})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return report, append(m.Params(), head.Params()...)
		}
		want, wantParams := run(dense)
		got, params := run(sparse)
		for i, e := range want.Epochs {
			if g := got.Epochs[i]; math.Abs(g.Loss-e.Loss) > 1e-9 || math.Abs(g.HeldLoss-e.HeldLoss) > 1e-9 || math.Abs(g.Score-e.Score) > 1e-9 {
				t.Errorf("%s: epoch %+v, of dense rows %+v", name, g, e)
			}
		}
		for i, p := range wantParams {
			for j, v := range p.Value.Float64s() {
				if math.Abs(params[i].Value.Float64s()[j]-v) > 1e-8 {
					t.Fatalf("%s: %s[%d] is %v, of dense rows %v", name, p.Name, j, params[i].Value.Float64s()[j], v)
				}
			}
		}
	}
	sparse.Float64s()[sparse.Pointers()[33]] = math.NaN()
	_, err := sgd.Fit(context.Background(), must(layers.NewIdentity(d)), must(layers.NewSoftmaxHead(d, 2)), trial.Classes(sparse, labels, 2), sgd.FitOptions{Epochs: 1})
	if !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "x[33,") {
		t.Errorf("NaN in row 33: %v", err)
	}
}

// TestSparseModel: a model predicts for sparse rows what it predicts for dense ones, in both element types, under scalers that keep
// zeros and, in more than one block of rows, under one that does not.
func TestSparseModel(t *testing.T) {
	const n, d = 600, 19
	sparse, dense, y := bagsOfWords(n, d, 3)
	for _, dtype := range []string{"float64", "float32"} {
		for _, scale := range []string{"l2", "minmax,l1", "standard"} {
			for _, name := range []string{"linear", "gaussian"} {
				spec := layers.Spec{Map: name, Dims: d, Features: 14, Dtype: dtype}
				if name == "linear" {
					spec.Features = d
				}
				m := &train.Model{Scaler: must(data.ParseScalers(scale)), Spec: spec}
				if err := m.Scaler.Fit(dense); err != nil {
					t.Fatal(err)
				}
				if err := m.Spec.FillDefaults(sparse); err != nil {
					t.Fatal(err)
				}
				m.Map = must(m.Spec.Build())
				m.Head = must(layers.NewLinearHead(m.Map.Features(), 2, layers.WithDtype(m.Map.Dtype())))
				w := make([]float64, m.Map.Features()*2)
				for i := range w {
					w[i] = math.Sin(float64(i))
				}
				if err := m.Head.SetWeights(w, []float64{1, 2}); err != nil {
					t.Fatal(err)
				}
				before := sparse.Clone().(*ops.CSR)
				want, got := must(m.Scores(dense)), must(m.Scores(sparse))
				if !mat.EqualApprox(got, want, map[string]float64{"float64": 1e-12, "float32": 1e-5}[dtype]) {
					t.Errorf("%s, %s, %s: other scores", dtype, scale, name)
				}
				if fmt.Sprint(before.Float64s()) != fmt.Sprint(sparse.Float64s()) {
					t.Fatal("the rows have changed")
				}
				prepared := must(m.Prepare(sparse))
				if _, stays := prepared.(*ops.CSR); stays != (scale != "standard") || prepared.Dtype() != m.Map.Dtype() {
					t.Errorf("%s: prepared rows are %T", scale, prepared)
				}
				if z := must(m.Features(sparse)); z.Shape()[0] != n || z.Shape()[1] != m.Map.Features() {
					t.Errorf("features %v", z.Shape())
				}
			}
		}
	}
	m := &train.Model{Scaler: must(data.ParseScalers("standard")), Map: must(layers.NewIdentity(d)), Head: must(layers.NewLinearHead(d, 2))}
	if err := m.Scaler.Fit(dense); err != nil {
		t.Fatal(err)
	}
	sparse.Float64s()[sparse.Pointers()[555]] = math.Inf(1)
	if _, err := m.Scores(sparse); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "x[555,") {
		t.Errorf("Inf in a later block: %v", err)
	}
	if _, err := m.Scores(sparse.TakeColumns(0, 3, 1)); !errors.Is(err, domain.ErrShape) {
		t.Errorf("another width: %v", err)
	}
	_ = y
}

// TestSparseMemory: neither ridge nor a fit nor a prediction spreads the rows out.
func TestSparseMemory(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("memory cannot be counted under the race detector")
	}
	const n, d = 1500, 40000
	rng, ptr, cols, values := rand.New(rand.NewPCG(1, 1)), []int{0}, []int32(nil), []float64(nil)
	for range n {
		at := int32(rng.IntN(100))
		for ; at < d; at += 1 + int32(rng.IntN(2000)) {
			cols, values = append(cols, at), append(values, rng.Float64())
		}
		ptr = append(ptr, len(cols))
	}
	x := must(ops.NewCSR(n, d, ptr, cols, values))
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, rng.NormFloat64())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := linear.FitRidge(context.Background(), nil, data.Pairs{X: x, Y: y}, linear.RidgeOptions{}); err != nil {
		t.Fatal(err)
	}
	head := must(layers.NewLinearHead(d, 1))
	id := must(layers.NewIdentity(d))
	if _, err := sgd.Fit(context.Background(), id, head, data.Pairs{X: x, Y: y}, sgd.FitOptions{Epochs: 1}); err != nil {
		t.Fatal(err)
	}
	m := &train.Model{Scaler: must(data.ParseScalers("l2")), Map: id, Head: head}
	if err := m.Scaler.Fit(x); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Scores(x); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > n*d*8/2 {
		t.Errorf("%d bytes allocated in all, dense rows would be %d", got, n*d*8)
	}
}
