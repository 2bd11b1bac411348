package train_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/modelfile"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// network is a dense layer of Gorgonia's below a map and a head, on given rows.
type network struct {
	w, b, scores *G.Node
	layers       []layers.Layer
}

func newNetwork(seed uint64, x *tensor.Dense) network {
	g, dt := G.NewGraph(), x.Dtype()
	fill := func(name string, shape ...int) *G.Node {
		t := rowsOf(shape[0], shape[1])
		for i := range t.Float64s() {
			t.Float64s()[i] = float64((i*7+int(seed))%5) - 2
		}
		return G.NewMatrix(g, dt, G.WithShape(shape...), G.WithName(name), G.WithValue(as(t, dt)))
	}
	n := network{w: fill("W", 3, 2), b: fill("b", 1, 2)}
	in := G.NewMatrix(g, dt, G.WithShape(x.Shape()...), G.WithName("x"), G.WithValue(x))
	below := G.Must(G.BroadcastAdd(G.Must(G.Mul(in, n.w)), n.b, nil, []byte{0}))
	rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, 2, 8, layers.WithSeed(seed), layers.WithDtype(dt),
		layers.WithInputGrad()))
	head := must(layers.NewSoftmaxHead(8, 3, layers.WithDtype(dt)))
	w := make([]float64, 24)
	for i := range w {
		w[i] = float64((i+int(seed))%7) / 7
	}
	if err := head.SetWeights(w, []float64{.1, .2, float64(seed)}); err != nil {
		panic(err)
	}
	n.layers = []layers.Layer{rff, head}
	n.scores = head.Fwd(rff.Fwd(below)).Node()
	return n
}

func (n network) run(t *testing.T) []float64 {
	t.Helper()
	var v G.Value
	G.Read(n.scores, &v)
	m := G.NewTapeMachine(n.scores.Graph())
	defer m.Close()
	noError(t, m.RunAll())
	return numbers(v.(*tensor.Dense))
}

// TestParams: a network that was started otherwise has the outputs of the one that was saved, to the last bit.
func TestParams(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		x, path := as(rowsOf(4, 3), dt), filepath.Join(t.TempDir(), "params.safetensors")
		first, second := newNetwork(1, x), newNetwork(2, x)
		noError(t, train.SaveParams(path, G.Nodes{first.w, first.b}, first.layers...))
		want := first.run(t)
		noError(t, train.LoadParams(path, G.Nodes{second.b, second.w}, second.layers...))
		if got := second.run(t); !slices.Equal(got, want) {
			t.Errorf("%v: %v after LoadParams, want %v", dt, got, want)
		}
	}
}

// TestParamsErrors: what does not fit is an error that names it, and changes nothing; another kernel, parameter or
// activation is one.
func TestParamsErrors(t *testing.T) {
	n, path := newNetwork(1, rowsOf(4, 3)), filepath.Join(t.TempDir(), "params")
	noError(t, train.SaveParams(path, G.Nodes{n.w, n.b}, n.layers...))
	g := G.NewGraph()
	leaf := func(name string, dt tensor.Dtype, rows int) *G.Node {
		opts := []G.NodeConsOpt{G.WithShape(rows, 2), G.WithInit(G.Zeroes())}
		if name != "" {
			opts = append(opts, G.WithName(name))
		}
		return G.NewMatrix(g, dt, opts...)
	}
	bare := G.NewMatrix(g, G.Float64, G.WithShape(3, 2), G.WithName("W"))
	nameless, small, single := leaf("", G.Float64, 3), leaf("W", G.Float64, 2), leaf("W", G.Float32, 3)
	swapped := []layers.Layer{n.layers[1], n.layers[0]}
	before := n.run(t)
	load := func(nodes ...*G.Node) error { return train.LoadParams(path, nodes, n.layers...) }
	both := G.Nodes{n.w, n.b}
	wantsAll(t, []mistake{
		{load(n.w, nil), domain.ErrParam, "node 1 is nil"},
		{load(nameless, n.b), domain.ErrParam, "WithName"},
		{load(n.w, n.scores), domain.ErrParam, "computed by an op"},
		{load(bare, n.b), domain.ErrParam, `node "W" is <nil>`},
		{load(n.w, small), domain.ErrParam, "two nodes"},
		{load(small, n.b), domain.ErrShape, "node.W has shape (3, 2) in the file and (2, 2) here"},
		{load(single, n.b), domain.ErrDtype, "node.W is float64 in the file and float32 here"},
		{load(n.w), domain.ErrParam, `"node.b"`},
		{train.LoadParams(path, nil, nil), domain.ErrParam, "layer 0 is nil"},
		{train.LoadParams(path, both, swapped...), domain.ErrParam, "in the same order"},
		{train.LoadParams(path, both, n.layers[:1]...), domain.ErrParam, "SoftmaxHead 8 -> 3"},
		{train.SaveParams(path, G.Nodes{bare}), domain.ErrParam, ""}, // which has no value
	})
	if after := n.run(t); !slices.Equal(after, before) {
		t.Error("a load that failed changed the network")
	}
	wants(t, "Load", second(train.Load(path)), modelfile.ErrFormat, "LoadParams reads")
	whole := must(os.ReadFile(path))
	whole[len(whole)-1] ^= 1
	noError(t, os.WriteFile(path, whole, 0o644))
	wants(t, "damaged", train.LoadParams(path, G.Nodes{n.w, n.b}, n.layers...), modelfile.ErrCorrupt, "")
	noError(t, smallModel(2).Save(path))
	wants(t, "a model file", train.LoadParams(path, nil, n.layers...), modelfile.ErrFormat, "read by Load")
	of := func(k spectral.Random, f ops.Activation) layers.Layer {
		return must(layers.NewSequential(must(layers.NewFourierLayer(k, 3, 8, layers.WithName("map"))),
			must(layers.NewDense(8, 2, f, layers.WithName("dense")))))
	}
	noError(t, train.SaveParams(path, nil, of(spectral.Gaussian{Sigma: 2}, ops.ReLU)))
	noError(t, train.LoadParams(path, nil, of(spectral.Gaussian{Sigma: 2}, ops.ReLU)))
	for _, other := range []layers.Layer{of(spectral.Gaussian{Sigma: 2.5}, ops.ReLU),
		of(spectral.Laplacian{Sigma: 2}, ops.ReLU), of(spectral.Gaussian{Sigma: 2}, ops.Tanh)} {
		wants(t, other, train.LoadParams(path, nil, other), domain.ErrParam, "")
	}
}
