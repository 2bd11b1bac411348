package layers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestForgottenInputGrad: G.Grad for a leaf that a layer takes for data is an error that names the layer and the
// remedy, directly, through another map, and where the leaf has a second way to the loss, which would make a gradient
// in part. With WithInputGrad there is a gradient. Package maptest has the leaf directly below every map.
func TestForgottenInputGrad(t *testing.T) {
	name := layers.WithName("first")
	build := func(d int, o ...layers.Option) layers.Layer {
		return fourier(d, 4, append(o, layers.Tune(layers.All))...)
	}
	both := func() []layers.Part {
		return []layers.Part{{Layer: build(2), To: 2, Weight: 1}, {Layer: build(2), From: 1, To: 3, Weight: 1}}
	}
	for says, build := range map[string]func(o ...layers.Option) layers.Layer{
		`layers: FourierLayer "first"`: func(o ...layers.Option) layers.Layer {
			return build(3, append(o, name, layers.WithPhase())...)
		},
		`layers: LinearHead "first"`: func(o ...layers.Option) layers.Layer {
			return must(layers.NewLinearHead(3, 2, append(o, name)...))
		},
		`layers: Product`: func(o ...layers.Option) layers.Layer { return must(layers.NewProduct(3, both(), o...)) },
		`layers: Concat`:  func(o ...layers.Option) layers.Layer { return must(layers.NewConcat(3, both(), o...)) },
	} {
		for _, chain := range []string{"alone", "below a frozen map", "below tanh", "in two ways"} {
			l, asked := build(), build(layers.WithInputGrad())
			grad := func(l layers.Layer) error {
				x := input(G.NewGraph(), rows(tensor.Float64, 5, 3, 1))
				r := l.Fwd(x)
				top := must(r.Node(), r.Err())
				switch chain {
				case "below a frozen map":
					top = fourier(l.Features(), 4).Fwd(top).Node()
				case "below tanh":
					top = G.Must(G.Tanh(top))
				}
				head := must(layers.NewLinearHead(top.Shape()[1], 1))
				loss := G.Must(G.Sum(head.Fwd(top).Node()))
				if chain == "in two ways" {
					loss = G.Must(G.Add(loss, G.Must(G.Sum(G.Must(G.Square(x))))))
				}
				_, err := G.Grad(loss, append(layers.Collect(l, head), x)...)
				return err
			}
			what := fmt.Sprint(says, " ", chain)
			if err := grad(asked); err != nil {
				t.Errorf("%s, asked for: %v", what, err)
			}
			err := grad(l)
			wantErr(t, what, ops.Cause(err), layers.ErrParam, says, "WithInputGrad")
			if text := fmt.Sprint(err); !strings.Contains(text, says) || !strings.Contains(text, "WithInputGrad") {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// TestGradOfFrozenFeatures: a gradient for the features of a frozen map, of which nothing is made that a gradient could
// want, is that error too, and not a gradient of another node; that for the weights above is right.
func TestGradOfFrozenFeatures(t *testing.T) {
	build := func() (z, loss *G.Node, head layers.Head) {
		z = fourier(3, 4, layers.WithName("first")).Fwd(input(G.NewGraph(), rows(tensor.Float64, 5, 3, 1))).Node()
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
	want := make([]float64, 4)
	for i, v := range run(t, z, G.BindDualValues(head.Model()...)) {
		want[i%4] += v
	}
	near(t, "the gradient of W", floats(must(head.Model()[0].Grad())), want, 1e-13)
}

// TestDataIsNotWritten: the value of data goes through the graph without a copy, and no op above writes to it, with and
// without a backward.
func TestDataIsNotWritten(t *testing.T) {
	for _, backward := range []bool{false, true} {
		x := rows(tensor.Float64, 5, 3, 1)
		before := slices.Clone(x.Float64s())
		rff := fourier(3, 8, layers.Tune(layers.All))
		z := rff.Fwd(input(G.NewGraph(), x)).Node()
		params := rff.Model()
		for k := range 4 { // of the shape of x
			a := node(z.Graph(), fmt.Sprint("a", k), tensor.Ones(tensor.Float64, z.Shape()[1], 3))
			params = append(params, a)
			z = G.Must(G.Tanh(G.Must(G.Mul(z, a))))
		}
		loss := G.Must(G.Sum(G.Must(G.Square(z))))
		if backward {
			must(G.Grad(loss, params...))
		}
		m := G.NewTapeMachine(loss.Graph())
		for range 2 {
			must(0, m.RunAll())
			m.Reset()
		}
		m.Close()
		if !slices.Equal(x.Float64s(), before) {
			t.Errorf("backward=%v: x was %v and is %v", backward, before, x.Float64s())
		}
	}
}
