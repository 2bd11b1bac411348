package ops_test

import (
	"math"
	"math/rand/v2"
	"slices"
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
// kernels as wide as the cube; the mean over a grid is 1. At points that are no grid some bags are by cosines, and the
// bag of one sample is not.
func TestKDE(t *testing.T) {
	grid := func(points ...int) ops.Grid { return must(ops.NewGrid(points...)) }
	for _, c := range []struct {
		g     ops.Grid
		h     []float64
		sizes []int
		mass  bool
	}{
		{grid(1), []float64{.5}, []int{1, 2}, true},
		{grid(31), []float64{.05}, []int{1, 5, 300}, true},
		{grid(31), []float64{2}, []int{3}, true},
		{grid(31), []float64{4}, []int{3}, true},
		{grid(13, 7), []float64{.06, .2}, []int{2, 1, 11}, true},
		{grid(7, 5, 11), []float64{.11, .7, .05}, []int{17, 3}, true},
		{scatter(1, 23), []float64{.05}, []int{17, 1, 40}, false},
		{scatter(2, 23), []float64{.05, .3}, []int{17, 1, 40}, false},
		{scatter(3, 23), []float64{.05, .3, .8}, []int{17, 1, 40}, false},
	} {
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			b, tol := randomBags(dt, c.g.Axes(), c.sizes...), 1e-13
			if dt == tensor.Float32 {
				tol = 3e-6
			}
			p := must(ops.KDE(b.Offsets(), c.g, ops.Attr{}).Into(nil, b.Samples(), entries(dt, c.h...)))
			for i, want := range kdePlain(b, c.h, c.g) {
				if d := math.Abs(at(p, i) - want); !(d <= tol*(1+want)) {
					t.Errorf("%v points, h %v, %v: cell %d is %v, want %v", c.g.Points(), c.h, dt, i, at(p, i), want)
				}
			}
			for i := range b.Len() {
				sum, rule := 0.0, 0.0
				for v := range c.g.Len() {
					sum += at(p, i*c.g.Len()+v) / float64(c.g.Len())
				}
				// The midpoint rule errs by 2 exp(-2(πGh)²) on an axis, at most, as an image of the Gaussian's
				// transform.
				for j, k := range c.g.Points() {
					rule += 2 * math.Exp(-2*math.Pow(math.Pi*float64(k)*c.h[j], 2))
				}
				if c.mass && !(math.Abs(sum-1) <= rule*1.1+10*tol) {
					t.Errorf("%v points, h %v, %v: bag %d has the mass %v", c.g.Points(), c.h, dt, i, sum)
				}
			}
		}
	}
	none := tensor.New(tensor.WithShape(0, 1), tensor.Of(tensor.Float64))
	if p := must(kde([]int{0}, 7)(ops.Attr{}).Into(nil, none, vector(.3))); !p.Shape().Eq(tensor.Shape{0, 7}) {
		t.Errorf("no bags: %v", p.Shape())
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
		wantErr(t, err, ops.ErrParam, "ops: CrossValidatedBandwidth: ")
	}
	wantErr(t, second(ops.ScottBandwidth(b.Slice(0, 0))), ops.ErrShape, "")
	outside := must(ops.NewBags(rowsOf(1, .5, 2), []int{0, 2}))
	wantErr(t, second(ops.ScottBandwidth(outside)), ops.ErrDomain, "x[1,0] = 2")
}

// TestBagMean: sums are in float64.
func TestBagMean(t *testing.T) {
	big := matrix(tensor.Float32, 1<<17, 1, .1)
	if got := must(ops.BagMean([]int{0, 1 << 17}, ops.Attr{}).Into(nil, big)); got.Float32s()[0] != .1 {
		t.Errorf("the mean of 2^17 times .1 is %v in float32", got)
	}
}

func TestBags(t *testing.T) {
	x := rowsOf(2, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60)
	b, err := ops.NewBags(x, []int{0, 1, 4, 6})
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got *ops.Bags, offsets []int, want ...float64) {
		t.Helper()
		if !slices.Equal(got.Offsets(), offsets) || !slices.Equal(got.Samples().Float64s(), want) ||
			got.Len() != len(offsets)-1 {
			t.Errorf("%s: %v, %v of %v", what, got, got.Samples().Float64s(), got.Offsets())
		}
	}
	same("Slice", b.Slice(1, 2), []int{0, 3}, 2, 20, 3, 30, 4, 40)
	same("Take", b.Take([]int{2, 0, 0}), []int{0, 2, 3, 4}, 5, 50, 6, 60, 1, 10, 1, 10)
	same("Axis", b.Axis(1), []int{0, 1, 4, 6}, 10, 20, 30, 40, 50, 60)
	if got := b.Slice(2, 2); got.Len() != 0 || !got.Samples().Shape().Eq(tensor.Shape{0, 2}) || b.Take(nil).Len() != 0 {
		t.Errorf("no bags: %v", got)
	}
	if got := b.Bag(1); !got.Shape().Eq(tensor.Shape{3, 2}) || got.Float64s()[5] != 40 || b.Size(1) != 3 ||
		b.Axes() != 2 || b.Dtype() != tensor.Float64 {
		t.Errorf("bag 1 is %v", got)
	}
	if s := b.String(); s != "3 bags of float64 (6, 2)" {
		t.Errorf("String: %s", s)
	}
	one := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float32{.5, .25}))
	if f, err := ops.NewBags(one, []int{0, 1, 2}); err != nil || f.Take([]int{1}).Samples().Float32s()[0] != .25 {
		t.Errorf("float32: %v, %v", f, err)
	}
	if view, err := x.Slice(G.S(0, 6, 2), nil); err != nil {
		t.Error(err)
	} else if v, err := ops.NewBags(view.(*tensor.Dense), []int{0, 3}); err != nil || v.Samples().Float64s()[2] != 3 {
		t.Errorf("a view: %v, %v", v, err)
	}
}

func TestBagsErrors(t *testing.T) {
	x := rowsOf(2, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		x       *tensor.Dense
		offsets []int
		is      error
		says    string
	}{
		{nil, []int{0}, ops.ErrShape, "nil"},
		{vector(1, 2), []int{0, 2}, ops.ErrShape, "want [N, l]"},
		{tensor.New(tensor.WithShape(2, 1), tensor.Of(tensor.Int)), []int{0, 2}, ops.ErrDtype, "int"},
		{x, nil, ops.ErrShape, "begin with 0"},
		{x, []int{1, 3}, ops.ErrShape, "begin with 0"},
		{x, []int{0, 2, 2, 3}, ops.ErrShape, "bag 1 is empty"},
		{x, []int{0, 2, 1, 3}, ops.ErrShape, "bag 1 has the rows 2 to 1"},
		{x, []int{0, 2}, ops.ErrShape, "end at 2 and there are 3"},
	} {
		wantErr(t, second(ops.NewBags(c.x, c.offsets)), c.is, c.says)
	}
}
