package sgd

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestDirections: the frequencies of a function of one direction turn into it, in either element type and for one output
// or several, their mean square over columns stays what the trace of the identity makes it, and other maps, rows and
// policies stay as they are.
func TestDirections(t *testing.T) {
	const n, d, features = 1000, 4, 128
	u, rng := []float64{.5, -.5, .1, .7}, rand.New(rand.NewPCG(1, 2))
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		x := tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
		one, two := mat.NewDense(n, 1, nil), mat.NewDense(n, 2, nil)
		for i := range n {
			at := 0.
			for j, v := range u {
				cell := rng.NormFloat64()
				at += v * cell
				given.SetCell(x, i*d+j, cell)
			}
			one.Set(i, 0, math.Sin(at))
			two.SetRow(i, []float64{math.Sin(at), 5 * at})
		}
		drawn := func(opts ...layers.Option) *layers.RandomLayer {
			opts = append(opts, layers.WithDtype(dt), layers.WithSeed(3))
			return must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, d, features, opts...))
		}
		weights := func(l layers.Layer) []float64 { return slices.Clone(ops.Float64s(l.Params()[0].Value)) }
		before := weights(drawn())
		for _, y := range []*mat.Dense{one, two} {
			l := drawn(layers.Tune(layers.All))
			if turned, err := direct(t.Context(), wrapped{l}, data.Pairs{X: x, Y: y}, 1); err != nil || !turned {
				t.Fatal(turned, err)
			}
			w := mat.NewDense(d, features/2, weights(l))
			var gram mat.SymDense
			gram.SymOuterK(1, w)
			var e mat.EigenSym
			e.Factorize(&gram, true)
			var v mat.Dense
			e.VectorsTo(&v)
			cosine := mat.Dot(v.ColView(d-1), mat.NewVecDense(d, u))
			if share := e.Values(nil)[d-1] / mat.Trace(&gram); math.Abs(cosine) < .98 || share < .95 {
				t.Errorf("%v, %d outputs: the cosine to the direction is %.3f, which has %.3f of the squares", dt, y.RawMatrix().Cols, cosine, share)
			}
		}
		for name, l := range map[string]*layers.RandomLayer{"frozen": drawn(), "a phase": drawn(layers.WithPhase(), layers.Tune(layers.All)),
			"bandwidth": drawn(layers.Tune(layers.Bandwidth))} {
			old := weights(l)
			if turned, err := direct(t.Context(), l, data.Pairs{X: x, Y: one}, 1); err != nil || turned || !slices.Equal(weights(l), old) {
				t.Errorf("%s: the frequencies have changed (%v)", name, err)
			}
		}
		l := drawn(layers.Tune(layers.All))
		constant := mat.NewDense(n, 1, nil)
		for name, rows := range map[string]data.Examples{"a constant": data.Pairs{X: x, Y: constant}, "a stream": data.Streamed{}, "no targets": data.Pairs{X: x}} {
			if turned, err := direct(t.Context(), l, rows, 1); err != nil || turned || !slices.Equal(weights(l), before) {
				t.Errorf("%s: the frequencies have changed (%v)", name, err)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := direct(ctx, l, data.Pairs{X: x, Y: one}, 1); !errors.Is(err, context.Canceled) || !slices.Equal(weights(l), before) {
			t.Errorf("cancelled: %v", err)
		}
	}
	z, a := mat.NewDense(3, 2, []float64{1, 0, 0, 1, .6, .8}), mat.NewDense(2, 1, []float64{2, 3})
	root := rootOfGradients(z, a, mat.NewDense(2, 1, []float64{3, 4}), 1) // all gradients are along (3, 4)
	if want := mat.NewDense(2, 2, []float64{9, 12, 12, 16}); root == nil {
		t.Error("there is no root")
	} else if want.Scale(math.Sqrt2/25, want); !mat.EqualApprox(root, want, 1e-12) {
		t.Errorf("the root is %v, want %v", mat.Formatted(root), mat.Formatted(want))
	}
}

// TestDirectionsChosen: short fits choose the start that helps, the report says so, and there is nothing to choose for a
// map that has no directions. Without MapDecays the start is as it was asked for.
func TestDirectionsChosen(t *testing.T) {
	const n, d = 400, 20
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64)), mat.NewDense(n, 1, nil)
	for i := range x.Float64s() {
		x.Float64s()[i] = rng.NormFloat64()
	}
	for i := range n {
		y.Set(i, 0, math.Tanh(2*x.Float64s()[i*d]))
	}
	for _, c := range []struct {
		o    FitOptions
		opts []layers.Option
		want bool
	}{
		{FitOptions{Directions: true, MapDecays: []float64{.01, .1}}, nil, true},
		{FitOptions{Directions: true}, nil, true},
		{FitOptions{MapDecays: []float64{.01, .1}}, nil, false},
		{FitOptions{Directions: true, MapDecays: []float64{.01}}, []layers.Option{layers.WithPhase()}, false},
	} {
		m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 3}, d, 64, append(c.opts, layers.Tune(layers.All), layers.WithSeed(3))...))
		start := slices.Clone(m.Params()[0].Value.Float64s())
		c.o.Epochs, c.o.MapRate = 1, 1e-9
		r := must(Fit(t.Context(), m, must(layers.NewLinearHead(64, 1)), data.Pairs{X: x, Y: y}, c.o))
		moved := floats.Distance(m.Params()[0].Value.Float64s(), start, math.Inf(1))
		if r.Directions != c.want || moved > .1 != c.want {
			t.Errorf("%+v: directions %v, and the frequencies moved by %.3g", c.o, r.Directions, moved)
		}
	}
}

// wrapped is a layer around another.
type wrapped struct{ layers.Layer }

func (w wrapped) Unwrap() layers.Layer { return w.Layer }
