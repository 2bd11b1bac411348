package evidence

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// mapFor is the map of a spec with the defaults for x.
func mapFor(s layers.Spec, x *tensor.Dense) layers.Layer {
	s.Seed, s.Dims = 1, x.Shape()[1]
	if err := s.FillDefaults(x); err != nil {
		panic(err)
	}
	return must(s.Build())
}

// TestScreened: the relevance of a column at the second start is the correlation ratio of the targets with it, for maps
// that divide by their scales and that multiply, with columns of different sizes, and there is no such start without
// what it takes.
func TestScreened(t *testing.T) {
	const n = 80
	x, y := tensor.New(tensor.WithShape(n, 4), tensor.Of(tensor.Float64)), mat.NewDense(n, 2, nil)
	for i := range n {
		half := float64(2 * i / n)
		copy(x.Float64s()[4*i:], []float64{float64(i), half * 1e3, float64(i%10) + 1, math.Abs(float64(i) - n/2)})
		y.SetRow(i, []float64{half, 7}) // the second does not vary
	}
	// Groups of ten rows say of the first column to which half they belong, of the second too, of the third nothing, and
	// of the fourth nothing, since both halves are in each.
	want := []float64{1, 1, .1, .1}
	for _, spec := range []layers.Spec{{Map: "gaussian"}, {Map: "exp-semigroup"}} {
		spec.Features, spec.Tune = 32, "bandwidth-each"
		m := mapFor(spec, x)
		s := searchOf(t, m, data.Pairs{X: x, Y: y}, Options{})
		rows := must(draw(context.Background(), m, data.Pairs{X: x, Y: y}, s.Options))
		s.move(s.best.x)
		s.move(s.screened(rows))
		if got := relevance(s.chain.m, rows.blocks); !floats.EqualApprox(got, want, 1e-9) {
			t.Errorf("%s: the relevance is %v, want %v", spec.Map, got, want)
		}
		dense := s.screened(rows)
		rows.blocks = []ops.Matrix{must(ops.CSROf(x))}
		if !slices.Equal(s.screened(rows), dense) {
			t.Errorf("%s: sparse rows have another start", spec.Map)
		}
		spec.Tune = "bandwidth"
		if one := searchOf(t, mapFor(spec, x), data.Pairs{X: x, Y: y}, Options{}); one.screened(rows) != nil {
			t.Errorf("%s: a single scale has another start", spec.Map)
		}
	}
	// A share of 1 - (within/(n-8))/(total/(n-1)): the fifth of the rows in each group that is 1 more leaves .16 of .25.
	v := tensor.New(tensor.WithShape(n, 1), tensor.Of(tensor.Float64))
	for i := range n {
		v.Float64s()[i] = float64(i)
		y.Set(i, 0, float64(i/(n/2)))
		if i%5 == 0 {
			y.Set(i, 0, float64(1-i/(n/2)))
		}
	}
	m := mapFor(layers.Spec{Map: "gaussian", Features: 16, Tune: "bandwidth-each"}, v)
	s := searchOf(t, m, data.Pairs{X: v, Y: y}, Options{})
	rows := must(draw(context.Background(), m, data.Pairs{X: v, Y: y}, s.Options))
	if got, want := s.post.correlations(rows.blocks)[0], math.Sqrt(1-.16/.25*(n-1)/(n-8)); !scalar.EqualWithinAbs(got, want, 1e-12) {
		t.Errorf("the correlation ratio is %v, want %v", got, want)
	}
}

// TestManyColumns: among eighty columns the few that matter are found, two of them by their product alone. A function is
// linear in one, which needs little relevance. From the map as drawn none of these draws finds them.
func TestManyColumns(t *testing.T) {
	const n, d = 400, 80
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x, y := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64)), mat.NewDense(n, 1, nil)
		for i := range n {
			row := x.Float64s()[i*d:][:d]
			copy(row, normal(rng, d))
			y.Set(i, 0, math.Sin(2*row[7])+row[40]*row[60]+.5*row[20]+.3*rng.NormFloat64())
		}
		m := mapFor(layers.Spec{Map: "gaussian", Features: 256, Tune: "bandwidth-each"}, x)
		r := must(Maximise(context.Background(), m, data.Pairs{X: x, Y: y}, Options{}))
		for j, v := range r.Relevance {
			if matters := j == 7 || j == 40 || j == 60; j != 20 && matters != (v > .2) {
				t.Errorf("seed %d: column %d has the relevance %.3g", seed, j, v)
			}
		}
	}
}
