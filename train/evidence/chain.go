package evidence

import (
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// chain maps blocks of rows to features, and carries gradients with respect to the features back to the tuned
// parameters of the map.
type chain struct {
	m      layers.Layer
	blocks []ops.Matrix
	params []layers.Param // the tuned parameters
	graphs map[int]*graph // by the number of rows of a block
}

// graph computes the map forward and backward for blocks of a number of rows. The gradient with respect to the features
// is an input.
type graph struct {
	x       *G.Node
	grad    *tensor.Dense
	params  []*G.Value // the gradient with respect to each parameter
	machine G.VM
}

func newChain(m layers.Layer, blocks []ops.Matrix) (*chain, error) {
	c := &chain{blocks: make([]ops.Matrix, len(blocks)), graphs: map[int]*graph{}}
	for i, x := range blocks {
		var err error
		if c.m, c.blocks[i], err = given.OnRows("Maximise", m, x); err != nil {
			return nil, err
		}
	}
	seen := map[*tensor.Dense]bool{}
	for _, p := range c.m.Params() {
		if p.Tuned && !seen[p.Value] {
			seen[p.Value] = true
			c.params = append(c.params, p)
		}
	}
	return c, nil
}

// close releases the machines.
func (c *chain) close() {
	for _, g := range c.graphs {
		g.machine.Close()
	}
}

// forward writes the features of all rows to z.
func (c *chain) forward(z []float64) error {
	for _, x := range c.blocks {
		f, err := layers.Transform(c.m, nil, x)
		if err != nil {
			return err
		}
		out := z[:f.DataSize()]
		given.Cells(out, f, 0)
		z = z[len(out):]
	}
	return nil
}

// backward adds to sums the gradients with respect to the parameters. grad is the gradient with respect to the features
// of all rows.
func (c *chain) backward(sums [][]float64, grad []float64) error {
	for _, x := range c.blocks {
		n := x.Shape()[0]
		g := c.graphs[n]
		if g == nil {
			var err error
			if g, err = c.build(x); err != nil {
				return err
			}
			c.graphs[n] = g
		}
		if err := G.Let(g.x, x); err != nil {
			return err
		}
		cells := n * c.m.Features()
		given.SetCells(g.grad, 0, grad[:cells])
		grad = grad[cells:]
		if err := g.machine.RunAll(); err != nil {
			return ops.Cause(err)
		}
		for i, v := range g.params {
			floats.Add(sums[i], ops.Float64s((*v).(*tensor.Dense)))
		}
		g.machine.Reset()
	}
	return nil
}

// build builds the graph for blocks like x.
func (c *chain) build(x ops.Matrix) (*graph, error) {
	given.Building.Lock()
	defer given.Building.Unlock()
	n, dt := x.Shape()[0], c.m.Dtype()
	out := &graph{grad: tensor.New(tensor.WithShape(n, c.m.Features()), tensor.Of(dt))}
	g := G.NewGraph()
	out.x = G.NewMatrix(g, dt, G.WithShape(n, c.m.Dims()), G.WithName("evidence_x"))
	if err := G.Let(out.x, x); err != nil {
		return nil, err
	}
	z := c.m.Fwd(out.x)
	if err := z.Err(); err != nil {
		return nil, err
	}
	grad := G.NewMatrix(g, dt, G.WithShape(n, c.m.Features()), G.WithName("evidence_grad"), G.WithValue(out.grad))
	learnt := c.m.ModelIn(g)
	nodes := make(G.Nodes, len(c.params))
	for i, p := range c.params {
		for _, node := range learnt {
			if node.Value() == G.Value(p.Value) {
				nodes[i] = node
			}
		}
		if nodes[i] == nil {
			return nil, fmt.Errorf("train: Maximise: the parameter %q is tuned, and Fwd adds no node for it to the graph: %w",
				p.Name, domain.ErrParam)
		}
	}
	grads, err := G.Backpropagate(G.Nodes{z.Node()}, G.Nodes{grad}, nodes)
	if err != nil {
		return nil, fmt.Errorf("train: Maximise: %w", ops.Cause(err))
	}
	for _, node := range grads {
		v := new(G.Value)
		G.Read(node, v)
		out.params = append(out.params, v)
	}
	out.machine = G.NewTapeMachine(g)
	return out, nil
}
