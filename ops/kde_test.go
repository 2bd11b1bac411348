package ops_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// kdePlain is the estimate by its definition.
func kdePlain(b *ops.Bags, h []float64, g ops.Grid) []float64 {
	var out []float64
	for i := range b.Len() {
		bag := b.Bag(i)
		for v := range g.Len() {
			sum, t := 0.0, g.At(v)
			for s := range b.Size(i) {
				k := 1.0
				for j := range t {
					one, last := 0.0, int(20*h[j])+2
					for m := -last; m <= last; m++ {
						for _, sign := range []float64{1, -1} {
							u := (t[j] - sign*at(bag, s*len(t)+j) - 2*float64(m)) / h[j]
							one += math.Exp(-u*u/2) / (h[j] * math.Sqrt(2*math.Pi))
						}
					}
					k *= one
				}
				sum += k / float64(b.Size(i))
			}
			out = append(out, sum)
		}
	}
	return out
}

// randomBags are bags of the given sizes, samples on the faces of the cube among them.
func randomBags(dt tensor.Dtype, l int, sizes ...int) *ops.Bags {
	rng, offsets := rand.New(rand.NewPCG(5, 0)), []int{0}
	for _, n := range sizes {
		offsets = append(offsets, offsets[len(offsets)-1]+n)
	}
	x := tensor.New(tensor.WithShape(offsets[len(sizes)], l), tensor.Of(dt))
	for i := range x.Shape().TotalSize() {
		switch v := rng.Float64(); {
		case v < .1:
			setAt(x, i, 0)
		case v > .9:
			setAt(x, i, 1)
		default:
			setAt(x, i, v*v)
		}
	}
	return must(ops.NewBags(x, offsets))
}

// TestKDE: the products on the grid are the definition, in every dimension, also for more samples than a block and for
// kernels as wide as the cube; the mean over a grid is 1.
func TestKDE(t *testing.T) {
	for _, c := range []struct {
		points []int
		h      []float64
		sizes  []int
	}{
		{[]int{1}, []float64{.5}, []int{1, 2}},
		{[]int{31}, []float64{.05}, []int{1, 5, 300}},
		{[]int{31}, []float64{2}, []int{3}},
		{[]int{31}, []float64{4}, []int{3}},
		{[]int{13, 7}, []float64{.06, .2}, []int{2, 1, 11}},
		{[]int{7, 5, 11}, []float64{.11, .7, .05}, []int{17, 3}},
	} {
		g := must(ops.NewGrid(c.points...))
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			b := randomBags(dt, len(c.points), c.sizes...)
			h := tensor.New(tensor.WithShape(len(c.h)), tensor.Of(dt))
			for j, v := range c.h {
				setAt(h, j, v)
			}
			p := must(ops.KDEInto(nil, b, h, g, ops.Attr{}))
			tol := 1e-13
			if dt == tensor.Float32 {
				tol = 3e-6
			}
			for i, want := range kdePlain(b, c.h, g) {
				if d := math.Abs(at(p, i) - want); !(d <= tol*(1+want)) {
					t.Errorf("%v, h %v, %v: cell %d is %v, want %v", c.points, c.h, dt, i, at(p, i), want)
				}
			}
			for i := range b.Len() {
				sum := 0.0
				for v := range g.Len() {
					sum += at(p, i*g.Len()+v) / float64(g.Len())
				}
				// The midpoint rule errs by 2 exp(-2(πGh)²) on an axis, at most, as an image of the Gaussian's
				// transform.
				rule := 0.0
				for j, k := range c.points {
					rule += 2 * math.Exp(-2*math.Pow(math.Pi*float64(k)*c.h[j], 2))
				}
				if !(math.Abs(sum-1) <= rule*1.1+10*tol) {
					t.Errorf("%v, h %v, %v: bag %d has the mass %v", c.points, c.h, dt, i, sum)
				}
			}
		}
	}
	for axes := 1; axes <= 3; axes++ { // points that are no grid
		g, h := scatter(axes, 23), []float64{.05, .3, .8}[:axes] // some bags by cosines, and the bag of one sample not
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			b, hs, tol := randomBags(dt, axes, 17, 1, 40), tensor.New(tensor.WithShape(axes), tensor.Of(dt)), 1e-13
			if dt == tensor.Float32 {
				tol = 3e-6
			}
			for j, v := range h {
				setAt(hs, j, v)
			}
			p := must(ops.KDEInto(nil, b, hs, g, ops.Attr{}))
			for i, want := range kdePlain(b, h, g) {
				if d := math.Abs(at(p, i) - want); !(d <= tol*(1+want)) {
					t.Errorf("%v points, %v: cell %d is %v, want %v", g.Points(), dt, i, at(p, i), want)
				}
			}
		}
	}
	empty := must(ops.NewBags(tensor.New(tensor.WithShape(0, 1), tensor.Of(tensor.Float64)), []int{0}))
	if p := must(ops.KDEInto(nil, empty, vector(.3), must(ops.NewGrid(7)), ops.Attr{})); !p.Shape().Eq(tensor.Shape{0,
		7}) {
		t.Errorf("no bags: %v", p.Shape())
	}
}

func TestHistogram(t *testing.T) {
	b := must(ops.NewBags(rowsOf(2, 0, 0, .5, .34, 1, 1, .2, .9), []int{0, 3, 4}))
	p := must(ops.HistogramInto(nil, b, must(ops.NewGrid(2, 3)), ops.Attr{}))
	if want := []float64{2, 0, 0, 0, 2, 2, 0, 0, 6, 0, 0, 0}; !slices.Equal(p.Float64s(), want) {
		t.Errorf("%v, want %v", p.Float64s(), want)
	}
	f := must(ops.NewBags(tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float32{.1, .6})), []int{0, 2}))
	if p := must(ops.HistogramInto(nil, f, must(ops.NewGrid(2)), ops.Attr{})); p.Float32s()[0] != 1 ||
		p.Float32s()[1] != 1 {
		t.Errorf("float32: %v", p)
	}
}

// TestBandwidths: Scott's rule by its formula with its exceptions, and a cross-validation that finds the narrow
// bandwidth of two bumps.
func TestBandwidths(t *testing.T) {
	b := must(ops.NewBags(rowsOf(3, .2, .3, .5, .4, .3, .5, .1, .9, .5), []int{0, 2, 3}))
	h := must(ops.ScottBandwidth(b))
	n := math.Pow(1.5, -1./7)
	// Within bag 0: .2 ± .1, so Σ = .02 over 3 - 2; coordinate 1 varies between bags only: .3, .3, .9; coordinate 2 not
	// at all.
	for j, want := range []float64{math.Sqrt(.02) * n, math.Sqrt(.24/2) * n, n / math.Sqrt(12)} {
		if !(math.Abs(h[j]-want) <= 1e-15) {
			t.Errorf("h[%d] = %v, want %v", j, h[j], want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	x := make([]float64, 200)
	for i := range x {
		x[i] = .2 + .6*float64(i%2) + .02*rng.NormFloat64()
	}
	bumps := must(ops.NewBags(rowsOf(1, x...), []int{0, 120, 200}))
	scott, cv := must(ops.ScottBandwidth(bumps)), must(ops.CrossValidatedBandwidth(bumps, nil))
	if !(cv[0] < .2*scott[0]) || !(scott[0] > .1) {
		t.Errorf("two bumps: Scott %v, cross-validated %v", scott, cv)
	}
	for _, err := range []error{
		second(ops.CrossValidatedBandwidth(b.Take([]int{1, 1}), nil)),
		second(ops.CrossValidatedBandwidth(b, []float64{0})),
		second(ops.CrossValidatedBandwidth(b, []float64{1e-3})),
	} {
		if !errors.Is(err, ops.ErrParam) || !strings.Contains(err.Error(), "ops: CrossValidatedBandwidth: ") {
			t.Error(err)
		}
	}
	if err := second(ops.ScottBandwidth(b.Slice(0, 0))); !errors.Is(err, ops.ErrShape) {
		t.Error(err)
	}
	if err := second(ops.ScottBandwidth(must(ops.NewBags(rowsOf(1, .5, 2), []int{0, 2})))); !errors.Is(err,
		ops.ErrDomain) || !strings.Contains(err.Error(), "x[1,0] = 2") {
		t.Error(err)
	}
}

func TestKDEErrors(t *testing.T) {
	line := must(ops.NewGrid(10))
	one := must(ops.NewBags(rowsOf(1, .5, .25), []int{0, 2}))
	of := func(v float64) *ops.Bags { return must(ops.NewBags(rowsOf(1, .5, v), []int{0, 2})) }
	kde := func(b *ops.Bags, h ...float64) error {
		return second(ops.KDEInto(nil, b, vector(h...), line, ops.Attr{Layer: "f"}))
	}
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(2, 1), G.WithName("x"))
	wide := G.NewMatrix(g, G.Float64, G.WithShape(2, 3), G.WithName("wide"))
	h := G.NewVector(g, G.Float64, G.WithShape(1), G.WithName("h"))
	for i, c := range []struct {
		err, is error
		says    string
	}{
		{second(ops.NewGrid()), ops.ErrParam, "0 dimensions"},
		{second(ops.NewGrid(2, 2, 2, 2)), ops.ErrParam, "embed each coordinate by itself (Bags.Axis)"},
		{second(ops.NewGrid(4, 0)), ops.ErrParam, "axis 1 has 0"},
		{second(ops.NewGrid(1<<11, 1<<12)), ops.ErrParam, "axis 1 has 4096"},
		{kde(of(1.5), .3), ops.ErrDomain, "f: bag 0: x[1,0] = 1.5 is outside the unit cube"},
		{kde(of(math.NaN()), .3), ops.ErrDomain, "x[1,0] = NaN"},
		{kde(one, .04), ops.ErrParam, "axis 0 is 0.04, want 0.05 to 4 for 10 points"},
		{kde(one, 4.1), ops.ErrParam, "4.1"},
		{kde(one, math.NaN()), ops.ErrParam, "NaN"},
		{kde(one, .3, .3), ops.ErrShape, "2 bandwidths for 1"},
		{second(ops.KDEInto(nil, one, vector(.3, .3), must(ops.NewGrid(3, 3)), ops.Attr{})), ops.ErrShape,
			"1 dimensions and the grid 2"},
		{second(ops.KDEInto(nil, one, tensor.New(tensor.WithShape(1), tensor.Of(tensor.Float32)), line, ops.Attr{})),
			ops.ErrDtype, "float32"},
		{second(ops.KDE(x, h, []int{0, 1}, line, ops.Attr{})), ops.ErrShape, "end at 1 and there are 2"},
		{second(ops.KDE(wide, h, []int{0, 2}, line, ops.Attr{})), ops.ErrShape, "the grid has 1 axes"},
		{second(ops.NewPoints(nil)), ops.ErrShape, "want points [V, l]"},
		{second(ops.NewPoints(rowsOf(4, .1, .2, .3, .4))), ops.ErrShape, "1 to 3 dimensions"},
		{second(ops.NewPoints(rowsOf(1, .5, 1.5))), ops.ErrDomain, "x[1,0] = 1.5"},
		{second(ops.NewPoints(tensor.New(tensor.WithShape(2, 1), tensor.Of(tensor.Float32)))), ops.ErrDtype, "float32"},
		{second(ops.HistogramInto(nil, one, scatter(1, 5), ops.Attr{})), ops.ErrParam, "the points are no grid"},
		{second(ops.KDEInto(nil, one, vector(.05), scatter(1, 5), ops.Attr{})), ops.ErrParam,
			"want 0.1 to 4 for 5 points"},
		{second(ops.HistogramInto(nil, of(-.1), line, ops.Attr{})), ops.ErrDomain, "ops: Histogram: bag 0: x[1,0]"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%d: %v, want %q", i, c.err, c.says)
		}
	}
}

// TestKDEHash: the offsets and the points are a part of the op, so bags of other sizes are another node.
func TestKDEHash(t *testing.T) {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(3, 1), G.WithName("x"))
	h := G.NewVector(g, G.Float64, G.WithShape(1), G.WithName("h"))
	a := must(ops.KDE(x, h, []int{0, 1, 3}, must(ops.NewGrid(4)), ops.Attr{}))
	b := must(ops.KDE(x, h, []int{0, 2, 3}, must(ops.NewGrid(4)), ops.Attr{}))
	c := must(ops.KDE(x, h, []int{0, 1, 3}, must(ops.NewGrid(4)), ops.Attr{}))
	if a == b || a != c || a.Hashcode() == b.Hashcode() {
		t.Error(fmt.Sprint("nodes ", a, b, c))
	}
	at := func(points ...float64) *G.Node {
		return must(ops.KDE(x, h, []int{0, 1, 3}, must(ops.NewPoints(rowsOf(1, points...))), ops.Attr{}))
	}
	if d := at(.1, .2, .3, .4); d == at(.1, .2, .4, .3) || d != at(.1, .2, .3, .4) || d == a {
		t.Error("the points are not a part of the op")
	}
}
