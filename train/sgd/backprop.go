package sgd

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	G "gorgonia.org/gorgonia"
)

// Backprop adds the gradients of loss for the given nodes to its graph and returns a machine that computes loss and
// gradients. It is G.Grad and G.NewTapeMachine in one call, without a []*gorgonia.Node, which the interpreter of a
// notebook cannot hold. A step is
//
//	vm.RunAll()
//	solver.Step(gorgonia.NodesToValueGrads(params)) // which also zeroes the gradients
//	vm.Reset()
//
// params come from layers.Collect, and may include other leaves of the graph, such as weights below or between layers.
// Close the machine when done. Backprop may run concurrently with itself and with Fit, but not with code that builds
// graphs by hand.
//
// Errors: domain.ErrParam for a nil loss, a loss without a graph, no params (every layer is frozen and there is no
// head), a nil node among them, and the input of a layer built without layers.WithInputGrad; the errors of G.Grad, for
// example for a node that loss does not depend on. RunAll returns the ops.Cause of an error, so that errors.Is finds
// domain.ErrDomain and the like.
func Backprop(loss *G.Node, params G.Nodes) (G.VM, error) {
	given.Building.Lock()
	defer given.Building.Unlock()
	return backprop(loss, params)
}

// backprop is Backprop for a caller that holds given.Building.
func backprop(loss *G.Node, params G.Nodes) (G.VM, error) {
	if loss == nil {
		return nil, fmt.Errorf("train: Backprop: there is no loss: %w", domain.ErrParam)
	}
	if len(params) == 0 {
		return nil, fmt.Errorf("train: Backprop: there is no node to learn; give it those of a head, or of a layer built with layers.Tune: %w", domain.ErrParam)
	}
	if loss.Graph() == nil {
		return nil, fmt.Errorf("train: Backprop: the loss %v is in no graph; compute it from nodes of one: %w",
			loss, domain.ErrParam)
	}
	for i, p := range params {
		if p == nil {
			return nil, fmt.Errorf("train: Backprop: node %d to learn is nil; give it a leaf of the graph of the loss: %w",
				i, domain.ErrParam)
		}
	}
	if _, err := G.Grad(loss, params...); err != nil {
		return nil, fmt.Errorf("train: Backprop: %w", ops.Cause(err))
	}
	return machine{G.NewTapeMachine(loss.Graph(), G.BindDualValues(params...))}, nil
}

// machine returns the errors of the ops themselves.
type machine struct{ G.VM }

func (m machine) RunAll() error { return ops.Cause(m.VM.RunAll()) }
