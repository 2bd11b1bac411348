package train

import (
	"math"
	"sync"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// building serialises the building of graphs and machines: Gorgonia writes to globals meanwhile.
var building sync.Mutex

// stepper is a solver of Gorgonia's.
type stepper interface{ Step([]G.ValueGrad) error }

func newSolver(s Solver, rate float64) stepper {
	if s == SGD {
		return G.NewVanillaSolver(G.WithLearnRate(rate))
	}
	return G.NewAdamSolver(G.WithLearnRate(rate))
}

// step is the training graph for one batch size. The tensors x and targets are the graph's inputs, filled anew each time; x is nil
// where the rows are sparse, which the node gets as they are.
type step struct {
	node       *G.Node
	x, targets *tensor.Dense
	model      [2]G.Nodes // the learnable nodes of the map and of the head
	loss       *G.Value
	machine    G.VM
}

// newStep builds map, head, loss, penalty and gradients for n rows.
func (f *fitter) newStep(n int) (*step, error) {
	building.Lock()
	defer building.Unlock()
	dt := f.m.Dtype()
	s := &step{
		targets: tensor.New(tensor.WithShape(n, f.head.Features()), tensor.Of(dt)),
		loss:    new(G.Value),
	}
	g := G.NewGraph()
	s.node = G.NewMatrix(g, dt, G.WithShape(n, f.m.Dims()), G.WithName("batch_x"))
	if _, sparse := f.x.(*ops.CSR); !sparse {
		s.x = tensor.New(tensor.WithShape(n, f.m.Dims()), tensor.Of(dt))
		if err := G.Let(s.node, s.x); err != nil {
			return nil, err
		}
	}
	targets := G.NewMatrix(g, dt, G.WithShape(s.targets.Shape()...), G.WithName("batch_targets"), G.WithValue(s.targets))
	z := f.m.Fwd(s.node)
	if err := z.Err(); err != nil {
		return nil, err
	}
	loss, err := f.head.Loss(z.Node(), targets)
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
	s.machine, err = backprop(loss, append(append(G.Nodes{}, s.model[0]...), s.model[1]...))
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

// close releases the machine.
func (s *step) close() { s.machine.Close() }

// step runs one batch, moves the parameters, and returns the loss before the move.
func (f *fitter) step(batch []int) (float64, error) {
	s := f.steps[len(batch)]
	if s == nil {
		var err error
		if s, err = f.newStep(len(batch)); err != nil {
			return 0, err
		}
		f.steps[len(batch)] = s
	}
	if x, sparse := f.x.(*ops.CSR); sparse {
		if err := G.Let(s.node, x.Take(batch)); err != nil {
			return 0, err
		}
	} else {
		data.RowsInto(s.x, f.x.(*tensor.Dense), batch)
	}
	data.RowsInto(s.targets, f.targets, batch)
	if err := s.machine.RunAll(); err != nil {
		return 0, err
	}
	loss := 0.0
	switch v := (*s.loss).Data().(type) {
	case float64:
		loss = v
	case float32:
		loss = float64(v)
	}
	for i, solver := range f.solvers {
		if len(s.model[i]) == 0 {
			continue
		}
		if err := solver.Step(G.NodesToValueGrads(s.model[i])); err != nil { // which also zeroes the gradients
			return 0, err
		}
	}
	s.machine.Reset()
	return loss, nil
}

// evaluate is the head's loss, without the penalty, and its score on some rows.
func (f *fitter) evaluate(rows []int) (loss, score float64, err error) {
	const block = 512
	classes := f.targetsAreClasses()
	for at := 0; at < len(rows); at += block {
		part := rows[at:min(at+block, len(rows))]
		z, err := layers.Apply(f.m, nil, data.RowsOf(f.x, part))
		if err != nil {
			return 0, 0, err
		}
		y, err := layers.Transform(f.head, nil, z)
		if err != nil {
			return 0, 0, err
		}
		l, s := rowErrors(y, data.Rows(f.targets, part), f.head, classes)
		loss, score = loss+l, score+s
	}
	loss, score = loss/float64(len(rows)), score/float64(len(rows))
	if !classes {
		score = math.Sqrt(score / float64(f.head.Features()))
	}
	return loss, score, nil
}

// targetsAreClasses says whether a score is an accuracy: one-hot targets, or several outputs of -1 and +1.
func (f *fitter) targetsAreClasses() bool {
	if _, ok := f.head.(*layers.SoftmaxHead); ok {
		return true
	}
	for i := range f.targets.Shape().TotalSize() {
		if math.Abs(cell(f.targets, i)) != 1 {
			return false
		}
	}
	return f.head.Features() > 1
}

// rowErrors sums over rows the loss, and the hits (classes) or squared errors.
func rowErrors(y, targets *tensor.Dense, head layers.Head, classes bool) (loss, score float64) {
	_, softmax := head.(*layers.SoftmaxHead)
	k := y.Shape()[1]
	for i := range y.Shape()[0] {
		guess, truth, squares := 0, 0, 0.0
		for j := range k {
			p, t := cell(y, i*k+j), cell(targets, i*k+j)
			if p > cell(y, i*k+guess) {
				guess = j
			}
			if t > cell(targets, i*k+truth) {
				truth = j
			}
			squares += (p - t) * (p - t)
			if softmax && t != 0 {
				loss -= t * math.Log(max(p, math.SmallestNonzeroFloat64))
			}
		}
		if !softmax {
			loss += squares
		}
		switch {
		case !classes:
			score += squares
		case guess == truth:
			score++
		}
	}
	return loss, score
}
