package evidence_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// someRows are n rows of 6 columns, of which the first two matter, in a unit of x and of y.
func someRows(n int, seed uint64, unitX, unitY float64) data.Pairs {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y := make([]float64, n*6), mat.NewDense(n, 1, nil)
	for i := range n {
		row := x[i*6 : (i+1)*6]
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y.Set(i, 0, unitY*(3+math.Sin(2*row[0])+math.Cos(1.5*row[1])+.1*rng.NormFloat64()))
		for j := range row {
			row[j] *= unitX
		}
	}
	return data.Pairs{X: tensor.New(tensor.WithShape(n, 6), tensor.WithBacking(x)), Y: y}
}

func gaussian(t testing.TB, sigma float64, policy layers.Policy) layers.Layer {
	t.Helper()
	spec := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": sigma}, Dims: 6, Features: 128, Sampler: "orthogonal", Seed: 1, Tune: policy.String()}
	return layers.Must(spec.Build())
}

func maximise(t *testing.T, m layers.Layer, rows data.Examples, o evidence.Options) *evidence.Result {
	t.Helper()
	r, err := evidence.Maximise(context.Background(), m, rows, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The evidence finds the columns that matter, and the noise.
func ExampleMaximise() {
	rows := someRows(500, 1, 1, 1)
	spec := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 2}, Dims: 6, Features: 128, Sampler: "orthogonal", Seed: 1, Tune: "bandwidth-each"}
	m := layers.Must(spec.Build())
	r, err := evidence.Maximise(context.Background(), m, rows, evidence.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("relevance %.1f\n", r.Relevance)
	fmt.Printf("noise %.1f\n", math.Sqrt(r.Noise[0]))
	fit, err := linear.FitRidge(context.Background(), m, rows, linear.RidgeOptions{Lambdas: []float64{r.Lambda}, Select: linear.SelectNone})
	if err != nil {
		log.Fatal(err)
	}
	at := tensor.New(tensor.WithShape(1, 6), tensor.WithBacking([]float64{.5, 1, 9, 9, 9, 9}))
	z := layers.MustDense(m.Transform(nil, at))
	prediction := fit.B[0] + mat.Dot(mat.NewVecDense(128, z.Float64s()), fit.W.ColView(0))
	fmt.Printf("prediction %.1f of %.1f\n", prediction, 3+math.Sin(1)+math.Cos(1.5))
	// Output:
	// relevance [1.0 0.9 0.0 0.0 0.0 0.0]
	// noise 0.1
	// prediction 3.9 of 3.9
}

// TestUnits: another unit of the columns and of sigma, even one whose square overflows, and another one of the targets
// change nothing but what has a unit. Where sigma is far off, the relevance is still one.
func TestUnits(t *testing.T) {
	const huge = 0x1p664 // 1e200
	o := evidence.Options{MaxEvaluations: 15}
	for _, c := range []struct {
		policy layers.Policy
		unit   float64
	}{{layers.BandwidthEach, 1024}, {layers.All, 1024}, {layers.BandwidthEach, huge}} {
		a := maximise(t, gaussian(t, 2, c.policy), someRows(200, 1, 1, 1), o)
		b := maximise(t, gaussian(t, 2*c.unit, c.policy), someRows(200, 1, c.unit, 1./64), o)
		if !scalar.EqualWithinRel(a.After, b.After, 1e-6) || !scalar.EqualWithinRel(a.Lambda, b.Lambda, 1e-5) || !scalar.EqualWithinRel(a.Noise[0], 64*64*b.Noise[0], 1e-5) || a.Evaluations != b.Evaluations {
			t.Errorf("%v: %+v, in other units %+v", c.policy, a, b)
		}
		for j, v := range a.Relevance {
			if !scalar.EqualWithinRel(v, b.Relevance[j], 1e-6) {
				t.Errorf("%v: column %d: %v, in another unit %v", c.policy, j, v, b.Relevance[j])
			}
		}
	}
	c := maximise(t, gaussian(t, 2, layers.BandwidthEach), someRows(200, 1, huge, 1), o)
	if slices.ContainsFunc(c.Relevance, func(v float64) bool { return !(v >= 0 && v <= 1) }) {
		t.Errorf("the relevance is %v", c.Relevance)
	}
}

// TestRows: rows that are read, and sparse ones, bring what the same rows in memory bring; of more than enough rows some are drawn by the seed.
func TestRows(t *testing.T) {
	p := someRows(150, 1, 1, 1)
	o := evidence.Options{MaxEvaluations: 12}
	want := maximise(t, gaussian(t, 2, layers.Bandwidth), p, o)
	read := trial.InBlocks(t, p.X.(*tensor.Dense), p.Y, 70)
	sparse, err := ops.CSROf(p.X.(*tensor.Dense))
	if err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string]data.Examples{"read": read, "sparse": data.Pairs{X: sparse, Y: p.Y}} {
		if got := maximise(t, gaussian(t, 2, layers.Bandwidth), rows, o); !scalar.EqualWithinRel(got.After, want.After, 1e-8) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	for name, rows := range map[string]data.Examples{"memory": p, "read": read} {
		o.Rows = 60
		a, b := maximise(t, gaussian(t, 2, layers.Bandwidth), rows, o), maximise(t, gaussian(t, 2, layers.Bandwidth), rows, o)
		if a.After != b.After || a.Rows < 40 || a.Rows > 80 {
			t.Errorf("%s: %+v and with the same seed %+v", name, a, b)
		}
		o.Seed = 2
		if c := maximise(t, gaussian(t, 2, layers.Bandwidth), rows, o); c.After == a.After {
			t.Errorf("%s: another seed draws the same rows", name)
		}
		o.Seed = 0
	}
}

// TestConstantTarget: a target that does not vary has no say.
func TestConstantTarget(t *testing.T) {
	p := someRows(100, 1, 1, 1)
	y := mat.NewDense(100, 2, nil)
	for i := range 100 {
		y.SetRow(i, []float64{-1, p.Y.At(i, 0)})
	}
	o := evidence.Options{MaxEvaluations: 12}
	want := maximise(t, gaussian(t, 2, layers.Bandwidth), p, o)
	got := maximise(t, gaussian(t, 2, layers.Bandwidth), data.Pairs{X: p.X, Y: y}, o)
	if got.After != want.After || got.Noise[0] != 0 || got.Amplitude[0] != 0 || got.Noise[1] != want.Noise[0] {
		t.Errorf("%+v, without it %+v", got, want)
	}
}

// TestRejected: a search that meets points where the map takes the rows no more goes on without them.
func TestRejected(t *testing.T) {
	p := someRows(200, 1, 1, 1)
	x := p.X.(*tensor.Dense).Float64s()
	for i := range x {
		x[i] = max(x[i], -1) // c must stay above 1
		if i%6 == 0 {
			p.Y.Set(i/6, 0, math.Log(x[i]+1.05))
		}
	}
	m := layers.Must(layers.NewSkewedLayer(spectral.SkewedChi2{C: 1.5}, 6, 64, layers.Tune(layers.BandwidthEach)))
	r := maximise(t, m, p, evidence.Options{})
	if !(r.After < r.Before) || r.Relevance[0] != 1 || !r.Converged || r.Rows != 200 {
		t.Errorf("%+v", r)
	}
}

// TestCancelled: a context that ends leaves the best parameters so far, and says so.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := gaussian(t, 2, layers.BandwidthEach)
	var told []float64
	r, err := evidence.Maximise(ctx, m, someRows(300, 1, 1, 1), evidence.Options{Progress: func(done, most int, loss float64) {
		if told = append(told, loss); done == 12 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil || r.Converged || r.Evaluations != 12 || r.After != told[len(told)-1] || !slices.IsSortedFunc(told, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
		t.Errorf("%+v, %v; losses %v", r, err, told)
	}
	for early := range 3 { // before the search by L-BFGS
		ctx, cancel := context.WithCancel(context.Background())
		r, err := evidence.Maximise(ctx, m, someRows(300, 1, 1, 1), evidence.Options{Progress: func(done, _ int, _ float64) {
			if done > early {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || r == nil || r.Evaluations > early+2 || r.After > r.Before {
			t.Errorf("after %d: %+v, %v", early, r, err)
		}
	}
	if r, err := evidence.Maximise(ctx, m, someRows(300, 1, 1, 1), evidence.Options{}); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestErrors: what is wrong is named.
func TestErrors(t *testing.T) {
	good, m := someRows(20, 1, 1, 1), gaussian(t, 2, layers.Bandwidth)
	of := func(change func(x, y []float64)) data.Pairs {
		p := someRows(20, 1, 1, 1)
		change(p.X.(*tensor.Dense).Float64s(), p.Y.RawMatrix().Data)
		return p
	}
	single := data.Pairs{X: tensor.New(tensor.WithShape(20, 6), tensor.Of(tensor.Float32)), Y: good.Y}
	for name, c := range map[string]struct {
		m    layers.Layer
		rows data.Examples
		o    evidence.Options
		want error
	}{
		"no map":         {nil, good, evidence.Options{}, domain.ErrParam},
		"no rows":        {m, nil, evidence.Options{}, domain.ErrParam},
		"frozen":         {gaussian(t, 2, layers.Frozen), good, evidence.Options{}, domain.ErrParam},
		"rows":           {m, good, evidence.Options{Rows: -1}, domain.ErrParam},
		"evaluations":    {m, good, evidence.Options{MaxEvaluations: -1}, domain.ErrParam},
		"tolerance":      {m, good, evidence.Options{Tolerance: math.NaN()}, domain.ErrParam},
		"two rows":       {m, someRows(2, 1, 1, 1), evidence.Options{}, domain.ErrShape},
		"type":           {m, single, evidence.Options{}, domain.ErrDtype},
		"columns":        {m, data.Pairs{X: tensor.New(tensor.WithShape(20, 5), tensor.Of(tensor.Float64)), Y: good.Y}, evidence.Options{}, domain.ErrShape},
		"constant":       {m, of(func(_, y []float64) { clear(y) }), evidence.Options{}, domain.ErrDomain},
		"same rows":      {m, of(func(x, _ []float64) { clear(x) }), evidence.Options{}, domain.ErrDomain},
		"NaN in targets": {m, of(func(_, y []float64) { y[3] = math.NaN() }), evidence.Options{}, domain.ErrDomain},
		"NaN":            {m, of(func(x, _ []float64) { x[8] = math.NaN() }), evidence.Options{}, domain.ErrDomain},
	} {
		if r, err := evidence.Maximise(context.Background(), c.m, c.rows, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}
