package layers_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
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
		head       layers.Head
		name       string
		params     G.Nodes
		value      G.Value
	}
	build := func(softmax bool, p layers.Policy) *model {
		var head layers.Head = must(layers.NewLinearHead(8, 2))
		if softmax {
			head = must(layers.NewSoftmaxHead(8, 2))
		}
		rff := fourier(3, 8, layers.Tune(p))
		m := &model{name: rff.Name(), x: input(G.NewGraph(), x)}
		m.head, m.z = head, rff.Fwd(m.x).Node()
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
	for _, softmax := range []bool{false, true} {
		for _, p := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.All} {
			tape := build(softmax, p)
			must(G.Grad(tape.loss, tape.params...))
			machine := G.NewTapeMachine(tape.loss.Graph(), G.BindDualValues(tape.params...))
			want := course(tape, func() G.VM { return machine })
			machine.Close()

			lisp := build(softmax, p)
			got := course(lisp, func() G.VM { return G.NewLispMachine(lisp.loss.Graph()) })
			if d := maxDiff(got, want); d > 1e-12 || !(want[steps-1] < want[0]) {
				t.Errorf("softmax=%v, %v: %v on new machines, %v on a TapeMachine", softmax, p, got, want)
			}
			if g := floats(must(lisp.x.Grad())); maxDiff(g, make([]float64, len(g))) != 0 {
				t.Errorf("softmax=%v, %v: the gradient for data is %v", softmax, p, g)
			}

			if p == layers.Frozen {
				w := lisp.loss.Graph().ByName(lisp.name + "_W")[0]
				if g := floats(must(w.Grad())); maxDiff(g, make([]float64, len(g))) != 0 {
					t.Errorf("softmax=%v: the gradient for frozen frequencies is %v", softmax, g)
				}
			}

			again := build(softmax, p)
			used := G.NewLispMachine(again.loss.Graph())
			if got := course(again, func() G.VM { return used }); got[1] != got[0] || got[steps-1] != got[0] {
				t.Errorf("softmax=%v, %v: a machine that is used again computes: %v; the documentation of ops says "+
					"that it does not", softmax, p, got)
			}
			used.Close()
		}
	}
	t.Chdir(t.TempDir()) // the machine writes err.dot
	both := build(true, layers.Frozen)
	G.Read(both.head.Fwd(both.z).Node(), new(G.Value))
	if err := G.NewLispMachine(both.loss.Graph()).RunAll(); err == nil ||
		!strings.Contains(err.Error(), "Expected cost to be a scalar") {
		t.Errorf("probabilities beside the loss: %v", err)
	}
}

// TestLispMachineWithoutValue: an input without a value ends the process, here another one, which runs under the
// emulator that BOCHNER_EMULATOR names, if any.
func TestLispMachineWithoutValue(t *testing.T) {
	const variable = "BOCHNER_LISP_WITHOUT_VALUE"
	if os.Getenv(variable) != "" {
		x := G.NewMatrix(G.NewGraph(), G.Float64, G.WithShape(2, 2), G.WithName("x"))
		G.Must(G.Sum(x))
		fmt.Println("an error:", G.NewLispMachine(x.Graph()).RunAll())
		return
	}
	if runtime.GOOS == "js" {
		t.Skip("js starts no other process")
	}
	args := append(strings.Fields(os.Getenv("BOCHNER_EMULATOR")), os.Args[0], "-test.run=^TestLispMachineWithoutValue$")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), variable+"=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "panic: Unable to clone value") {
		t.Errorf("it does not: %v\n%s", err, out)
	}
}
