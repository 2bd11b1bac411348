package layers_test

import (
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestLispMachine is what the package documentation of ops says of that machine: a new one for each step trains as a
// TapeMachine does, for either head, frozen and tuned; one that is used again leaves the loss as it is, without an
// error; the gradients for data and for what is frozen stay 0; probabilities beside the loss are an error.
func TestLispMachine(t *testing.T) {
	x, labels := rows(tensor.Float64, 6, 3, 1), dense(2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1)
	type model struct {
		x, z, loss *G.Node
		rff, head  layers.Layer
		params     G.Nodes
		value      G.Value
	}
	build := func(kind string, p layers.Policy) *model {
		rff, head := fourier(3, 8, layers.Tune(p)), must(layers.NewHead(kind, 8, 2))
		m := &model{x: input(G.NewGraph(), x), rff: rff, head: head}
		m.z = rff.Fwd(m.x).Node()
		m.loss = must(head.Loss(m.z, node(m.x.Graph(), "y", labels)))
		G.Read(m.loss, &m.value)
		m.params = layers.Collect(rff, head)
		return m
	}
	const steps = 20
	// course is the loss before each step, of the machines that next returns.
	course := func(m *model, next func() G.VM) []float64 {
		solver := G.NewAdamSolver(G.WithLearnRate(.1))
		var losses []float64
		for range steps {
			vm := next()
			must(0, vm.RunAll())
			losses = append(losses, floats(m.value)[0])
			must(0, solver.Step(G.NodesToValueGrads(m.params)))
			vm.Reset()
		}
		return losses
	}
	for _, kind := range []string{"linear", "softmax"} {
		for _, p := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.All} {
			tape := build(kind, p)
			must(G.Grad(tape.loss, tape.params...))
			machine := G.NewTapeMachine(tape.loss.Graph(), G.BindDualValues(tape.params...))
			want := course(tape, func() G.VM { return machine })
			machine.Close()

			lisp := build(kind, p)
			got := course(lisp, func() G.VM { return G.NewLispMachine(lisp.loss.Graph()) })
			if d := maxDiff(got, want); d > 1e-12 || !(want[steps-1] < want[0]) {
				t.Errorf("%s, %v: %v on new machines, %v on a TapeMachine", kind, p, got, want)
			}
			still := G.Nodes{lisp.x}
			if p == layers.Frozen {
				still = append(still, lisp.loss.Graph().ByName(lisp.rff.Name() + "_W")[0])
			}
			for _, n := range still {
				if g := floats(must(n.Grad())); maxDiff(g, make([]float64, len(g))) != 0 {
					t.Errorf("%s, %v: the gradient for %s is %v", kind, p, n.Name(), g)
				}
			}

			again := build(kind, p)
			used := G.NewLispMachine(again.loss.Graph())
			if got := course(again, func() G.VM { return used }); got[1] != got[0] || got[steps-1] != got[0] {
				t.Errorf("%s, %v: a machine that is used again computes: %v; the documentation of ops says that it does "+
					"not", kind, p, got)
			}
			used.Close()
		}
	}
	t.Chdir(t.TempDir()) // the machine writes err.dot
	both := build("softmax", layers.Frozen)
	G.Read(both.head.Fwd(both.z).Node(), new(G.Value))
	if err := G.NewLispMachine(both.loss.Graph()).RunAll(); err == nil ||
		!strings.Contains(err.Error(), "Expected cost to be a scalar") {
		t.Errorf("probabilities beside the loss: %v", err)
	}
}
