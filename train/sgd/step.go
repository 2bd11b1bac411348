package sgd

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
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
// Where no value of a node is kept beyond the next run, ops.Reuse of the graph makes steps faster. Close the machine
// when done. Backprop may run concurrently with itself and with Fit, but not with code that builds graphs by hand.
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
		return nil, fmt.Errorf("train: Backprop: there is no node to learn; give it those of a head, or of a layer "+
			"built with layers.Tune: %w", domain.ErrParam)
	}
	if loss.Graph() == nil {
		return nil, fmt.Errorf("train: Backprop: the loss %v is in no graph; compute it from nodes of one: %w",
			loss, domain.ErrParam)
	}
	for i, p := range params {
		if p == nil {
			return nil, fmt.Errorf("train: Backprop: node %d to learn is nil; give it a leaf of the graph of the "+
				"loss: %w", i, domain.ErrParam)
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

// step is the training graph for one batch size. The node x takes the rows of a batch; targets and weights are filled.
type step struct {
	x       *G.Node
	targets *tensor.Dense
	weights *tensor.Dense // of the errors, [rows, outputs]; nil: all are 1
	model   [2]G.Nodes    // the learnable nodes of the map and of the head
	loss    *G.Value
	machine G.VM
}

// newStep builds map, head, loss, penalty and gradients for n rows.
func (f *fitter) newStep(n int) (*step, error) {
	given.Building.Lock()
	defer given.Building.Unlock()
	dt, k := f.m.Dtype(), f.head.Features()
	s, g := &step{loss: new(G.Value)}, G.NewGraph()
	input := func(name string) (*G.Node, *tensor.Dense) {
		t := tensor.New(tensor.WithShape(n, k), tensor.Of(dt))
		return G.NewMatrix(g, dt, G.WithShape(n, k), G.WithName(name), G.WithValue(t)), t
	}
	s.x = G.NewMatrix(g, dt, G.WithShape(n, f.m.Dims()), G.WithName("batch_x"))
	var targets, weights, loss *G.Node
	targets, s.targets = input("batch_targets")
	z := f.m.Fwd(s.x)
	err := z.Err()
	if err != nil {
		return nil, err
	}
	if f.ClassWeights == nil || f.head.Classifies() {
		loss, err = f.head.Loss(z.Node(), targets)
	} else {
		weights, s.weights = input("batch_weights")
		loss, err = f.head.WeightedLoss(z.Node(), targets, weights)
	}
	if err != nil {
		return nil, err
	}
	s.model = [2]G.Nodes{f.m.ModelIn(g), f.head.ModelIn(g)}
	if f.Lambda > 0 {
		if loss, err = penalised(loss, s.model[1][0], f.Lambda); err != nil {
			return nil, err
		}
	}
	G.Read(loss, s.loss)
	s.machine, err = backprop(loss, slices.Concat(s.model[0], s.model[1]))
	ops.Reuse(g)
	return s, err
}

// penalised is loss + lambda/2 ‖A‖².
func penalised(loss, a *G.Node, lambda float64) (*G.Node, error) {
	sq, err := G.Square(a)
	if err != nil {
		return nil, err
	}
	sum, err := G.Sum(sq)
	if err != nil {
		return nil, err
	}
	if sum, err = G.Mul(sum, ops.Constant(lambda/2, a.Dtype())); err != nil {
		return nil, err
	}
	return G.Add(loss, sum)
}

// step runs one batch, moves the parameters, and returns the loss before the move.
func (f *fitter) step(x ops.Matrix, y *mat.Dense) (float64, error) {
	n, k := y.Dims()
	s := f.steps[n]
	if s == nil {
		var err error
		if s, err = f.newStep(n); err != nil {
			return 0, err
		}
		f.steps[n] = s
	}
	if err := G.Let(s.x, x); err != nil {
		return 0, err
	}
	f.targetsOf(s.targets, y)
	for i := 0; s.weights != nil && i < n; i++ {
		w := f.weight(y.RawRowView(i))
		for j := range k {
			given.SetCell(s.weights, i*k+j, w)
		}
	}
	if err := s.machine.RunAll(); err != nil {
		return 0, err
	}
	loss := 0.0
	switch v := (*s.loss).(type) {
	case *G.F64:
		loss = float64(*v)
	case *G.F32:
		loss = float64(*v)
	case *tensor.Dense: // of a head that is not ours
		loss = given.Cell(v, 0)
	}
	if err := f.move(s); err != nil {
		return 0, err
	}
	s.machine.Reset()
	return loss, nil
}

// move takes a step of both solvers and zeroes the gradients.
func (f *fitter) move(s *step) error {
	var values, grads [2][]*tensor.Dense
	for i, nodes := range s.model {
		for _, n := range nodes {
			g, err := n.Grad()
			if err != nil {
				return fmt.Errorf("train: Fit: %s has no gradient: %w", n.Name(), err)
			}
			values[i], grads[i] = append(values[i], n.Value().(*tensor.Dense)), append(grads[i], g.(*tensor.Dense))
		}
	}
	scale, factor := 1.0, f.rate(f.at.Epoch)
	if f.ClipNorm > 0 { // of the gradients for the targets as given
		unit := f.unit.Largest()
		scale = min(1, f.ClipNorm/math.Hypot(norm(grads[0])*unit*unit, norm(grads[1])*unit))
	}
	if f.Solver == Adam {
		scale *= f.gain
	}
	for i, solver := range f.solvers {
		if len(values[i]) > 0 {
			solver.step(values[i], grads[i], scale, factor)
		}
		for _, g := range grads[i] {
			g.Zero()
		}
	}
	return nil
}

// norm is the Euclidean norm of all cells together.
func norm(ts []*tensor.Dense) (size float64) {
	for _, t := range ts {
		size = math.Hypot(size, floats.Norm(ops.Float64s(t), 2))
	}
	return size
}

// solver changes parameters by their gradients: w -= η g, or Adam's
//
//	m = β₁m + (1-β₁)g,    v = β₂v + (1-β₂)g²,    w -= η m̂/(√v̂ + ε),    m̂ = m/(1-β₁ᵗ),    v̂ = v/(1-β₂ᵗ),
//
// algorithm 1 of Kingma and Ba (2015), in the element type of the parameter. Before a step, w shrinks by the
// share decay of the rate, unless it is a bias, a phase or a logarithm.
type solver struct {
	kind        string
	rate, decay float64
	steps       int // t
	// scales are the units of the rate for the values of each parameter, and m and v its moments.
	scales, m, v []*tensor.Dense
	shrinks      []bool
}

const (
	adamBeta1, adamBeta2, adamEps = .9, .999, 1e-8
)

// add adds a parameter.
func (s *solver) add(p layers.Param, scales []float64) {
	s.shrinks = append(s.shrinks, s.decay > 0 && p.LocalName() != "b" && !p.Logarithmic())
	like := func() *tensor.Dense {
		return tensor.New(tensor.Of(p.Value.Dtype()), tensor.WithShape(p.Value.Shape()...))
	}
	sizes := like()
	for i := range sizes.Shape().TotalSize() {
		given.SetCell(sizes, i, scales[i%len(scales)])
	}
	if s.scales = append(s.scales, sizes); s.kind == Adam {
		s.m, s.v = append(s.m, like()), append(s.v, like())
	}
}

// step moves the parameters by scale times the gradients, at factor times the rate.
func (s *solver) step(params, grads []*tensor.Dense, scale, factor float64) {
	s.steps++
	for i, w := range params {
		if w.Dtype() == tensor.Float32 {
			descend(s, i, (*tensor.Dense).Float32s, w, grads[i], scale, factor)
		} else {
			descend(s, i, (*tensor.Dense).Float64s, w, grads[i], scale, factor)
		}
	}
}

// descend is step for the parameter i.
func descend[T domain.Float](s *solver, i int, of func(*tensor.Dense) []T, param, grad *tensor.Dense, scale,
	factor float64) {
	w, g, sizes, eta := of(param), of(grad), of(s.scales[i]), s.rate*factor
	if s.shrinks[i] {
		share := 1 - eta*s.decay
		for j, v := range w {
			w[j] = T(share * float64(v))
		}
	}
	if s.kind != Adam {
		for j, g := range g {
			w[j] = T(float64(w[j]) - eta*float64(sizes[j])*scale*float64(g))
		}
		return
	}
	dense.Adam(w, g, of(s.m[i]), of(s.v[i]), sizes, dense.AdamStep{Scale: scale, Beta1: adamBeta1, Beta2: adamBeta2,
		Rate: eta / (1 - math.Pow(adamBeta1, float64(s.steps))), Eps: adamEps,
		Correction: 1 / (1 - math.Pow(adamBeta2, float64(s.steps)))})
}
