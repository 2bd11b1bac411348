package layers_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/golgi"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestConcatIsAWeightedSumOfKernels: the inner product of joined features is the weighted sum of the inner products of
// the parts. This holds in a graph and without one. A gradient flows through overlapping parts.
func TestConcatIsAWeightedSumOfKernels(t *testing.T) {
	x := rows(tensor.Float64, 11, 7, 1)
	a := must(layers.NewSkewedChi2Layer(.2, 3, 20, layers.Tune(layers.All)))
	b := must(layers.NewRandomLaplaceLayer(spectral.ReciprocalSemigroup{Lambda: 1}, 5, 13))
	c := must(layers.NewConcat(7, []layers.Part{{Layer: a, From: 0, To: 3, Weight: .25},
		{Layer: b, From: 2, To: 7, Weight: 3}}))
	z := must(c.Transform(nil, x))
	if d := maxDiff(run(t, c.Fwd(input(G.NewGraph(), x)).Node()), floats(z)); d > 1e-13 {
		t.Errorf("graph and Transform differ by %v", d)
	}
	part := func(l layers.Layer, from, to int) []float64 {
		v := must(x.Slice(nil, G.S(from, to))).(*tensor.Dense)
		return floats(must(l.Transform(nil, v)))
	}
	za, zb := part(a, 0, 3), part(b, 2, 7)
	for i := range 11 {
		for j := range 11 {
			want := .25*dot(za, 20, i, j) + 3*dot(zb, 13, i, j)
			if got := dot(z.Float64s(), 33, i, j); math.Abs(got-want) > 1e-12 {
				t.Fatalf("z_%d·z_%d = %v, weighted sum %v", i, j, got, want)
			}
		}
	}
	seq := must(layers.NewSequential(c, must(layers.NewLinearHead(33, 2))))
	if got := len(seq.Params()); got != 2+1+2 { // W and raw_c, W, W and b
		t.Errorf("%d parameters", got)
	}
	before := must(seq.Transform(nil, x))
	values := map[string]*tensor.Dense{}
	for _, p := range seq.Params() {
		values[p.Name] = p.Value.Clone().(*tensor.Dense)
	}
	if err := seq.SetParams(values); err != nil {
		t.Error(err)
	}
	last := ""
	for _, p := range seq.Params() {
		other := p.Value.Clone().(*tensor.Dense)
		if err := other.Memset(7.); err != nil {
			t.Fatal(err)
		}
		values[p.Name], last = other, p.Name
	}
	delete(values, last)
	if err := seq.SetParams(values); !errors.Is(err, layers.ErrParam) {
		t.Errorf("without a value for %s: %v", last, err)
	}
	if again := must(seq.Transform(nil, x)); !slices.Equal(floats(again), floats(before)) {
		t.Error("an error in the last part leaves the first part changed")
	}
}

// TestNoSample: a layer that is fitted says that it has no sample.
func TestNoSample(t *testing.T) {
	for _, c := range []struct {
		sample *tensor.Dense
		is     error
		text   string
	}{
		{nil, layers.ErrParam, "the sample is nil; give rows"},
		{tensor.New(tensor.WithShape(3), tensor.Of(tensor.Float64)), layers.ErrShape, "the sample has shape (3)"},
	} {
		_, nystrom := layers.NewNystromLayer(layers.Nystrom{Kernel: spectral.Gaussian{Sigma: 1}}, c.sample, 2)
		_, kpca := layers.NewAddKPCALayer(layers.AddKPCA{Kernel: spectral.Chi2{}}, c.sample)
		_, bins := layers.NewMajiBergLayer(layers.MajiBerg{}, c.sample)
		for _, err := range []error{nystrom, kpca, bins} {
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %v with %q", err, c.is, c.text)
			}
		}
	}
}

func dot(z []float64, cols, i, j int) float64 {
	s := 0.0
	for k := range cols {
		s += z[i*cols+k] * z[j*cols+k]
	}
	return s
}

// TestGolgi: a tuned map between two layers of golgi's, composed and differentiated.
func TestGolgi(t *testing.T) {
	g := G.NewGraph()
	x := input(g, rows(tensor.Float64, 7, 3, 1))
	rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 5, 10, layers.Tune(layers.All)))
	model := must(golgi.ComposeSeq(x,
		golgi.L(golgi.ConsFC, golgi.WithSize(5), golgi.AsBatched(true), golgi.WithName("below"),
			golgi.WithActivation(G.Tanh)),
		rff,
		golgi.L(golgi.ConsFC, golgi.WithSize(2), golgi.AsBatched(true), golgi.WithName("above")),
	))
	out := model.Fwd(x)
	if out.Err() != nil {
		t.Fatal(out.Err())
	}
	cost := G.Must(G.Sum(G.Must(G.Square(out.Node()))))
	must(G.Grad(cost, model.Model()...))
	m := G.NewTapeMachine(g, G.BindDualValues(model.Model()...))
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	if len(model.Model()) < 4 {
		t.Errorf("the model has %d learnable nodes", len(model.Model()))
	}
	for _, n := range model.Model() {
		if v := floats(must(n.Grad())); maxDiff(v, make([]float64, len(v))) == 0 {
			t.Errorf("the gradient of %s is zero", n.Name())
		}
	}
}
