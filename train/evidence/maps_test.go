package evidence

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// trialRows are unit vectors of 3 positive numbers, which every map of rows takes, or sets of 5 numbers, and two targets.
func trialRows(t *testing.T, n int, bags bool, dt tensor.Dtype) data.Pairs {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	samples, d := n, 3
	if bags {
		samples, d = 5*n, 1
	}
	cells, y := make([]float64, samples*d), mat.NewDense(n, 2, nil)
	for row := range slices.Chunk(cells, d) {
		sum := 0.
		for j := range row {
			row[j] = .05 + .9*rng.Float64()
			sum += row[j] * row[j]
		}
		for j := range row {
			if !bags {
				row[j] /= math.Sqrt(sum)
			}
		}
	}
	for i := range n {
		at := i * samples / n * d
		y.SetRow(i, []float64{math.Sin(4*cells[at]) + .1*rng.NormFloat64(), cells[at]*cells[at+d-1] + .1*rng.NormFloat64()})
	}
	x := tensor.New(tensor.WithShape(samples, d), tensor.WithBacking(cells))
	if dt == tensor.Float32 {
		x = must((&data.Set{X: x}).As(dt)).(*tensor.Dense)
	}
	if !bags {
		return data.Pairs{X: x, Y: y}
	}
	offsets := make([]int, n+1)
	for i := range offsets {
		offsets[i] = 5 * i
	}
	b := must(ops.NewBags(x, offsets))
	return data.Pairs{X: b, Y: y}
}

// eachMap calls f with every map of the table that is tunable, under every policy, and rows for it.
func eachMap(t *testing.T, n int, dt tensor.Dtype, f func(t *testing.T, m layers.Layer, p data.Pairs)) {
	count := 0
	for _, e := range layers.Entries() {
		if !e.Tunable {
			continue
		}
		for _, way := range ways(e) {
			for policy := layers.Bandwidth; policy <= layers.All; policy++ {
				t.Run(fmt.Sprintf("%s/%v/%v", e.Name, way, policy), func(t *testing.T) {
					p := trialRows(t, n, e.Bags, dt)
					spec := layers.Spec{Map: e.Name, Params: way, Dims: p.X.Shape()[1], Seed: 3, Tune: policy.String(), Dtype: dt.String()}
					if e.HasFeatures() {
						spec.Features = 16
					}
					if err := spec.FillDefaults(p.X); err != nil {
						t.Fatal(err)
					}
					count++
					f(t, must(spec.Fit(p.X)), p)
				})
			}
		}
	}
	if count < 50 {
		t.Errorf("%d maps under their policies, want at least 50", count)
	}
}

// ways are the values of each parameter of words or flags that shapes the features.
func ways(e *layers.Entry) []layers.Values {
	series := map[string]layers.Values{"exp-intersection": {"order": 1.}, "hdd-tv": {"lambdas": 5.}}[e.Name]
	all := []layers.Values{{}}
	for _, p := range e.Params() {
		for _, w := range p.Words {
			if w != p.Default && p.Name != "kernel" {
				v := layers.Values{p.Name: w}
				maps.Copy(v, series) // without which words of the series are an error
				all = append(all, v)
			}
		}
		if p.Flag {
			all = append(all, layers.Values{p.Name: true})
		}
	}
	return all
}

// TestGradient: the gradient with respect to ln ρ and tuned numbers of every map, of more features than rows and of
// fewer, agrees with central differences, to 1e-6 of the largest.
func TestGradient(t *testing.T) {
	eachMap(t, 12, tensor.Float64, func(t *testing.T, m layers.Layer, p data.Pairs) {
		s := searchOf(t, m, p, Options{})
		rng := rand.New(rand.NewPCG(1, 1))
		x := slices.Clone(s.best.x)
		x[0] = math.Log(.1 * s.best.spread)
		for i := range x[1:] {
			x[1+i] = .1 * rng.NormFloat64()
		}
		got := make([]float64, len(x))
		s.value(x)
		s.gradient(got, x)
		if s.failed != nil {
			t.Fatal(s.failed)
		}
		largest := 0.
		for _, v := range got {
			largest = max(largest, math.Abs(v))
		}
		for i := 0; i < len(x); i += 1 + len(x)/16 {
			// A long step has less rounding, a short one less of the other derivatives: Cauchy frequencies can be in the thousands.
			want, off := 0., math.Inf(1)
			for _, h := range []float64{1e-3, 3e-4, 1e-4, 1e-5, 1e-6} {
				var f [4]float64
				for j, step := range []float64{-2, -1, 1, 2} {
					moved := slices.Clone(x)
					moved[i] += step * h
					f[j] = s.value(moved)
				}
				d := (f[0] - 8*f[1] + 8*f[2] - f[3]) / (12 * h)
				if math.Abs(got[i]-d) < off {
					want, off = d, math.Abs(got[i]-d)
				}
				if off <= 1e-6*largest {
					break
				}
			}
			if off > 1e-6*largest {
				t.Errorf("the derivative %d is %v, by differences %v", i, got[i], want)
			}
		}
		s.move(make([]float64, len(x))) // back to the start
	})
}

// searchOf is one that has started.
func searchOf(t *testing.T, m layers.Layer, p data.Pairs, o Options) *search {
	t.Helper()
	o = must(o.complete())
	rows := must(draw(context.Background(), m, p, o))
	s := must(newSearch(context.Background(), m, rows, o))
	t.Cleanup(s.chain.close)
	if _, err := s.start(make([]float64, 1+len(s.first))); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEveryMap: the loss of no map ends above its start, in either element type, and it is the loss at the parameters that are left.
func TestEveryMap(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		eachMap(t, 40, dt, func(t *testing.T, m layers.Layer, p data.Pairs) {
			o := Options{MaxEvaluations: 6}
			r := must(Maximise(context.Background(), m, p, o))
			if !(r.After <= r.Before) || r.Evaluations > 2*6 {
				t.Errorf("from %v to %v in %d evaluations", r.Before, r.After, r.Evaluations)
			}
			again := searchOf(t, m, p, o)
			x := make([]float64, 1+len(again.first))
			if ok, err := again.features(x); !ok || err != nil {
				t.Fatal(err)
			}
			x[0] = math.Log(r.Lambda * again.post.spread)
			if got := again.lossAt(x); math.Abs(got-r.After) > 1e-5*(1+math.Abs(got)) {
				t.Errorf("the loss at what is left is %v, the result's %v", got, r.After)
			}
			for _, q := range m.Params() {
				for _, v := range ops.Float64s(q.Value) {
					if v-v != 0 {
						t.Errorf("%s holds %v", strings.TrimSpace(q.Name), v)
					}
				}
			}
		})
	}
}

// must is the value of a call that must not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
