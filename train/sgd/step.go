package sgd

import (
	"iter"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// step is the training graph for one batch size. The tensors x and targets are its inputs, filled for each batch. x is
// nil for sparse rows, which the node takes directly.
type step struct {
	node       *G.Node
	x, targets *tensor.Dense
	weights    *tensor.Dense // of the errors, [rows, outputs]; nil: all are 1
	model      [2]G.Nodes    // the learnable nodes of the map and of the head
	loss       *G.Value
	machine    G.VM
}

// newStep builds map, head, loss, penalty and gradients for n rows.
func (f *fitter) newStep(n int, sparse bool) (*step, error) {
	given.Building.Lock()
	defer given.Building.Unlock()
	dt := f.m.Dtype()
	s := &step{
		targets: tensor.New(tensor.WithShape(n, f.head.Features()), tensor.Of(dt)),
		loss:    new(G.Value),
	}
	g := G.NewGraph()
	s.node = G.NewMatrix(g, dt, G.WithShape(n, f.m.Dims()), G.WithName("batch_x"))
	if !sparse {
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
	loss, err := f.loss(s, z.Node(), targets)
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

// loss is the loss of the head, weighted if there are weights.
func (f *fitter) loss(s *step, z, targets *G.Node) (*G.Node, error) {
	if f.weigh == nil {
		return f.head.Loss(z, targets)
	}
	s.weights = tensor.New(tensor.WithShape(targets.Shape()...), tensor.Of(f.m.Dtype()))
	weights := G.NewMatrix(targets.Graph(), f.m.Dtype(), G.WithShape(targets.Shape()...), G.WithName("batch_weights"), G.WithValue(s.weights))
	return f.head.WeightedLoss(z, targets, weights)
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
func (f *fitter) step(b batch) (float64, error) {
	x, sparse := b.x.(*ops.CSR)
	s := f.steps[len(b.rows)]
	if s == nil {
		var err error
		if s, err = f.newStep(len(b.rows), sparse); err != nil {
			return 0, err
		}
		f.steps[len(b.rows)] = s
	}
	if sparse {
		if err := G.Let(s.node, x.Take(b.rows)); err != nil {
			return 0, err
		}
	} else {
		data.RowsInto(s.x, b.x.(*tensor.Dense), b.rows)
	}
	data.RowsInto(s.targets, b.targets, b.rows)
	if s.weights != nil {
		k := f.head.Features()
		for i := range s.weights.Shape().TotalSize() {
			given.SetCell(s.weights, i, f.weigh(s.targets, i/k))
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

// evaluate returns the loss of the head without the penalty, and its score, on some rows.
func (f *fitter) evaluate(batches iter.Seq2[batch, error]) (loss, score float64, err error) {
	const block = 512
	n := 0
	for b, err := range batches {
		if err != nil {
			return 0, 0, err
		}
		for part := range slices.Chunk(b.rows, block) {
			z := data.RowsOf(b.x, part)
			if !layers.IsIdentity(f.m) {
				if z, err = layers.Apply(f.m, nil, z); err != nil {
					return 0, 0, f.locate(b, err)
				}
			}
			y, err := f.head.Logits(nil, z)
			if err != nil {
				return 0, 0, f.locate(b, err)
			}
			l, s := f.rowErrors(y, data.Rows(b.targets, part))
			loss, score, n = loss+l, score+s, n+len(part)
		}
	}
	loss, score = loss/float64(n), score/float64(n)
	if !f.classes {
		score = math.Sqrt(score / float64(f.head.Features()))
	}
	return loss, score, nil
}

// rowErrors sums over rows the loss, and the hits for classes or the squared errors.
func (f *fitter) rowErrors(y, targets *tensor.Dense) (loss, score float64) {
	k := y.Shape()[1]
	p, t := make([]float64, k), make([]float64, k)
	for i := range y.Shape()[0] {
		for j := range k {
			p[j], t[j] = given.Cell(y, i*k+j), given.Cell(targets, i*k+j)
		}
		loss += f.weigh.of(targets, i) * f.head.RowLoss(p, t)
		switch {
		case !f.classes:
			d := floats.Distance(p, t, 2)
			score += d * d
		case floats.MaxIdx(p) == floats.MaxIdx(t):
			score++
		}
	}
	return loss, score
}
