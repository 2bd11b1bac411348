package layers_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// first builds a layer of 3 columns by some options, and says what its messages begin with.
type first struct {
	says  string
	build func(opts ...layers.Option) (layers.Layer, error)
}

var firsts = []first{
	{`layers: FourierLayer "first"`, func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 4, opts...)
	}},
	{`layers: FourierLayer "first"`, func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 4, append(opts, layers.Tune(layers.All),
			layers.WithPhase())...)
	}},
	{`layers: FourierLayer "first"`, func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 16, 32,
			append(opts, layers.WithSampler(spectral.Structured{}))...)
	}},
	{`layers: RandomLaplaceLayer "first"`, func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: 1}, 3, 4,
			append(opts, layers.Tune(layers.Bandwidth))...)
	}},
	{`layers: SkewedChi2 "first"`, func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewSkewedChi2Layer(.2, 3, 4, opts...)
	}},
	{`layers: HomogeneousLayer "first"`, func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewHomogeneousLayer(spectral.Chi2{}, 3, opts...)
	}},
	{`layers: GORFLayer "first"`, func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewGORFLayer(twoGaussians, 3, 8, opts...)
	}},
	{`layers: Concat`, func(opts ...layers.Option) (layers.Layer, error) {
		a, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 4)
		if err != nil {
			return nil, err
		}
		b, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 4, layers.Tune(layers.All))
		if err != nil {
			return nil, err
		}
		// The parts have the names.
		parts := []layers.Part{{Layer: a, From: 0, To: 2, Weight: 1}, {Layer: b, From: 1, To: 3, Weight: 1}}
		return layers.NewConcat(3, parts, opts[1:]...)
	}},
	{`layers: LinearHead "first"`, func(opts ...layers.Option) (layers.Layer, error) {
		return layers.NewLinearHead(3, 2,
			opts...)
	}},
}

// TestForgottenInputGrad: G.Grad for a leaf that a layer takes for data is an error that names the layer and the
// remedy, directly, through another map, and where the leaf has a second way to the loss, which would make a gradient
// in part. With WithInputGrad there is a gradient.
func TestForgottenInputGrad(t *testing.T) {
	for i, f := range firsts {
		for _, chain := range []string{"alone", "below a frozen map", "below tanh", "in two ways"} {
			for _, asked := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d %s, %s, asked=%v", i, f.says, chain, asked), func(t *testing.T) {
					opts := []layers.Option{layers.WithName("first")}
					if asked {
						opts = append(opts, layers.WithInputGrad())
					}
					l := must(f.build(opts...))
					x := input(G.NewGraph(), rows(tensor.Float64, 5, l.Dims(), 1))
					r := l.Fwd(x)
					if r.Err() != nil {
						t.Fatal(r.Err())
					}
					z := r.Node()
					top := z
					switch chain {
					case "below a frozen map":
						top = must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, l.Features(), 4)).Fwd(z).Node()
					case "below tanh":
						top = G.Must(G.Tanh(z))
					}
					head := must(layers.NewLinearHead(top.Shape()[1], 1))
					loss := G.Must(G.Sum(head.Fwd(top).Node()))
					if chain == "in two ways" {
						loss = G.Must(G.Add(loss, G.Must(G.Sum(G.Must(G.Square(x))))))
					}
					model := layers.Collect(l, head)
					_, err := G.Grad(loss, append(slices.Clone(model), x)...)
					if asked {
						if err != nil {
							t.Error(err)
						}
						return
					}
					if err == nil || !strings.Contains(err.Error(), f.says) ||
						!strings.Contains(err.Error(), "WithInputGrad") {
						t.Errorf("G.Grad for x: %v", err)
					}
					if cause := ops.Cause(err); !errors.Is(cause, layers.ErrParam) ||
						!strings.HasPrefix(cause.Error(), f.says) {
						t.Errorf("the cause is %v", cause)
					}
				})
			}
		}
	}
}

// TestGradOfFrozenFeatures: a gradient for the features of a frozen map, of which nothing is made that a gradient could
// want, is that error too, and not a gradient of another node; that for the weights above is right.
func TestGradOfFrozenFeatures(t *testing.T) {
	build := func() (z, loss *G.Node, head layers.Head) {
		rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 4, layers.WithName("first")))
		z = rff.Fwd(input(G.NewGraph(), rows(tensor.Float64, 5, 3, 1))).Node()
		head = must(layers.NewLinearHead(4, 1))
		return z, G.Must(G.Sum(head.Fwd(z).Node())), head
	}
	z, loss, _ := build()
	one := G.NodeFromAny(loss.Graph(), 1.0, G.WithName("one"))
	if _, err := G.Backpropagate(G.Nodes{loss}, G.Nodes{one}, G.Nodes{z}); err == nil ||
		!strings.Contains(err.Error(), `FourierLayer "first"`) {
		t.Errorf("a gradient for the features: %v", err)
	}
	z, loss, head := build()
	must(G.Grad(loss, head.Model()...))
	var features G.Value
	G.Read(z, &features)
	m := G.NewTapeMachine(loss.Graph(), G.BindDualValues(head.Model()...))
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 4)
	for i, v := range floats(features) {
		want[i%4] += v
	}
	if d := maxDiff(floats(must(head.Model()[0].Grad())), want); d > 1e-13 {
		t.Errorf("the gradient of W is off by %v", d)
	}
}

// TestDataIsNotWritten: the value of data goes through the graph without a copy, and no op above writes to it, with and
// without a backward.
func TestDataIsNotWritten(t *testing.T) {
	for _, backward := range []bool{false, true} {
		x := rows(tensor.Float64, 5, 3, 1)
		before := slices.Clone(x.Float64s())
		rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8, layers.Tune(layers.All)))
		z := rff.Fwd(input(G.NewGraph(), x)).Node()
		params := rff.Model()
		for k := range 4 { // of the shape of x
			a := G.NewMatrix(z.Graph(), G.Float64, G.WithShape(z.Shape()[1], 3), G.WithName(fmt.Sprint("a", k)),
				G.WithValue(tensor.Ones(tensor.Float64, z.Shape()[1], 3)))
			params = append(params, a)
			z = G.Must(G.Tanh(G.Must(G.Mul(z, a))))
		}
		loss := G.Must(G.Sum(G.Must(G.Square(z))))
		if backward {
			must(G.Grad(loss, params...))
		}
		m := G.NewTapeMachine(loss.Graph())
		for range 2 {
			if err := m.RunAll(); err != nil {
				t.Fatal(err)
			}
			m.Reset()
		}
		m.Close()
		if !slices.Equal(x.Float64s(), before) {
			t.Errorf("backward=%v: x was %v and is %v", backward, before, x.Float64s())
		}
	}
}
