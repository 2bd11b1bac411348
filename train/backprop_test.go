package train_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/sgd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// xor is a graph of two layers on the rows of exclusive or, its loss and the learnable nodes.
func xor(t *testing.T, opts ...layers.Option) (map2 layers.Layer, head layers.Head, loss *G.Node) {
	rows := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{0, 0, 0, 1, 1, 0, 1, 1}))
	oneHot := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{1, 0, 0, 1, 0, 1, 1, 0}))
	map2 = layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .5}, 2, 64, opts...))
	head = layers.MustHead(layers.NewSoftmaxHead(64, 2))
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("x"), G.WithValue(rows))
	y := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("y"), G.WithValue(oneHot))
	loss, err := head.Loss(map2.Fwd(x).Node(), y)
	if err != nil {
		t.Fatal(err)
	}
	return map2, head, loss
}

// TestBackprop: the gradient of the bandwidth is the central difference of the loss, and steps lower the loss.
func TestBackprop(t *testing.T) {
	rff, head, loss := xor(t, layers.Tune(layers.Bandwidth))
	weights := head.Params()[0].Value.Float64s()
	for i := range weights {
		weights[i] = math.Sin(float64(i))
	}
	var value G.Value
	G.Read(loss, &value)
	model := layers.Collect(rff, head)
	vm, err := sgd.Backprop(loss, model)
	if err != nil {
		t.Fatal(err)
	}
	defer vm.Close()
	run := func() float64 {
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		v := float64(*value.(*G.F64))
		vm.Reset()
		return v
	}
	start := run()
	grad, err := model[0].Grad()
	if err != nil {
		t.Fatal(err)
	}
	got := grad.(*tensor.Dense).Float64s()[0]
	rho, h := model[0].Value().(*tensor.Dense).Float64s(), 1e-6
	at := rho[0]
	rho[0] = at + h
	up := run()
	rho[0] = at - h
	down := run()
	rho[0] = at
	if want := (up - down) / (2 * h); math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
		t.Errorf("gradient %v, central difference %v", got, want)
	}
	solver := G.NewAdamSolver(G.WithLearnRate(.1))
	if err := solver.Step(G.NodesToValueGrads(model)); err != nil { // zeroes what the three runs have summed
		t.Fatal(err)
	}
	for range 30 {
		run()
		if err := solver.Step(G.NodesToValueGrads(model)); err != nil {
			t.Fatal(err)
		}
	}
	if end := run(); !(end < start/2) {
		t.Errorf("loss %v at the start, %v after 30 steps", start, end)
	}
}

func TestBackpropErrors(t *testing.T) {
	rff, _, loss := xor(t)
	for name, call := range map[string]func() (G.VM, error){
		"frozen":  func() (G.VM, error) { return sgd.Backprop(loss, layers.Collect(rff)) },
		"no loss": func() (G.VM, error) { return sgd.Backprop(nil, G.Nodes{loss}) },
	} {
		if vm, err := call(); vm != nil || !errors.Is(err, domain.ErrParam) {
			t.Errorf("%s: %v, %v", name, vm, err)
		}
	}
	other := G.NewScalar(loss.Graph(), G.Float64, G.WithName("alone"), G.WithValue(1.0))
	if vm, err := sgd.Backprop(loss, G.Nodes{other}); vm != nil || err == nil {
		t.Errorf("a node that loss does not depend on: %v, %v", vm, err)
	}
}

// TestBackpropCause: errors.Is finds what an op says in an error of the machine, and in that of a gradient for data.
func TestBackpropCause(t *testing.T) {
	chi2 := layers.Must(layers.NewSkewedChi2Layer(.1, 2, 8))
	head := layers.MustHead(layers.NewLinearHead(8, 1))
	g := G.NewGraph()
	rows := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{0, -.2}))
	x := G.NewMatrix(g, G.Float64, G.WithShape(1, 2), G.WithName("x"), G.WithValue(rows))
	y := G.NewMatrix(g, G.Float64, G.WithShape(1, 1), G.WithName("y"), G.WithValue(tensor.New(tensor.WithShape(1, 1), tensor.Of(tensor.Float64))))
	loss, err := head.Loss(chi2.Fwd(x).Node(), y)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := sgd.Backprop(loss, head.Model())
	if err != nil {
		t.Fatal(err)
	}
	defer vm.Close()
	var cell *domain.CellError
	if err := vm.RunAll(); !errors.Is(err, domain.ErrDomain) || !errors.As(err, &cell) || cell.Col != 1 {
		t.Errorf("RunAll: %v", err)
	}
	if _, err := sgd.Backprop(loss, G.Nodes{x}); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "SkewedChi2") ||
		!strings.Contains(err.Error(), "WithInputGrad") {
		t.Errorf("a gradient for data: %v", err)
	}
}
