package sgd

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Schedule says how the learning rates change from epoch to epoch.
type Schedule int

const (
	// CosineRate multiplies them by (1 + cos π(n-1)/N)/2 in epoch n of N: Loshchilov and Hutter (2017), SGDR, (5),
	// without restarts. It is the default.
	CosineRate Schedule = iota
	// ConstantRate leaves them unchanged.
	ConstantRate
	// LinearRate multiplies them by 1 - (n-1)/N.
	LinearRate
)

func (s Schedule) String() string {
	switch s {
	case ConstantRate:
		return "constant"
	case CosineRate:
		return "cosine"
	case LinearRate:
		return "linear"
	default:
		return fmt.Sprintf("Schedule(%d)", int(s))
	}
}

// ParseSchedule returns the schedule with a name: constant, cosine or linear. Errors: domain.ErrParam for another name.
func ParseSchedule(name string) (Schedule, error) {
	for s := CosineRate; s <= LinearRate; s++ {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("train: there is no schedule %q; there are constant, cosine and linear: %w", name, domain.ErrParam)
}

// rate is the factor of the learning rates in epoch n.
func (o *FitOptions) rate(n int) float64 {
	factor, done := 1.0, float64(n-1)/float64(o.Epochs)
	switch o.Schedule {
	case CosineRate:
		factor = (1 + math.Cos(math.Pi*done)) / 2
	case LinearRate:
		factor = 1 - done
	}
	if n <= o.WarmUp {
		factor *= float64(n) / float64(o.WarmUp+1)
	}
	return factor
}

// solver changes parameters by their gradients: w -= η g, or Adam's
//
//	m = β₁m + (1-β₁)g,    v = β₂v + (1-β₂)g²,    w -= η m̂/(√v̂ + ε),    m̂ = m/(1-β₁ᵗ),    v̂ = v/(1-β₂ᵗ),
//
// algorithm 1 of Kingma and Ba (2015). The moments are float64 for either element type.
type solver struct {
	kind  Solver
	rate  float64
	steps int // t
	// scales are the units of the rate for the values of each parameter; they repeat if there are fewer of them.
	scales [][]float64
	m, v   [][]float64 // the moments of each parameter
}

const (
	adamBeta1, adamBeta2, adamEps = .9, .999, 1e-8
)

// moments makes the moments of parameters that have none yet.
func (s *solver) moments(params []*tensor.Dense) {
	for i := len(s.m); s.kind == Adam && i < len(params); i++ {
		n := params[i].Shape().TotalSize()
		s.m, s.v = append(s.m, make([]float64, n)), append(s.v, make([]float64, n))
	}
}

// step moves the parameters by scale times the gradients, at factor times the rate.
func (s *solver) step(params, grads []*tensor.Dense, scale, factor float64) {
	s.moments(params)
	s.steps++
	for i, w := range params {
		if w.Dtype() == tensor.Float32 {
			descend(s, i, w.Float32s(), grads[i].Float32s(), scale, factor)
		} else {
			descend(s, i, w.Float64s(), grads[i].Float64s(), scale, factor)
		}
	}
}

// descend is step for the parameter i.
func descend[T domain.Float](s *solver, i int, w, grads []T, scale, factor float64) {
	eta, of, at := s.rate*factor, s.scales[i], 0
	if s.kind == Adam {
		eta /= 1 - math.Pow(adamBeta1, float64(s.steps))
	}
	next := func() float64 {
		e := eta * of[at]
		if at++; at == len(of) {
			at = 0
		}
		return e
	}
	if s.kind != Adam {
		for j, g := range grads {
			w[j] = T(float64(w[j]) - next()*scale*float64(g))
		}
		return
	}
	m, v := s.m[i][:len(grads)], s.v[i][:len(grads)]
	c := 1 / (1 - math.Pow(adamBeta2, float64(s.steps)))
	for j, g := range grads {
		g := scale * float64(g)
		m[j] = adamBeta1*m[j] + (1-adamBeta1)*g
		v[j] = adamBeta2*v[j] + (1-adamBeta2)*g*g
		w[j] = T(float64(w[j]) - next()*m[j]/(math.Sqrt(c*v[j])+adamEps))
	}
}

// gradients are the values of nodes, and their gradients after a run of the machine.
func gradients(nodes G.Nodes) (values, grads []*tensor.Dense, err error) {
	for _, n := range nodes {
		g, err := n.Grad()
		if err != nil {
			return nil, nil, fmt.Errorf("train: Fit: %s has no gradient: %w", n.Name(), err)
		}
		values, grads = append(values, n.Value().(*tensor.Dense)), append(grads, g.(*tensor.Dense))
	}
	return values, grads, nil
}

// norm is the Euclidean norm of all cells together. It divides by the largest, so that no square overflows.
func norm(ts []*tensor.Dense) float64 {
	largest, sum := 0.0, 0.0
	for _, t := range ts {
		for j := range t.Shape().TotalSize() {
			largest = math.Max(largest, math.Abs(given.Cell(t, j)))
		}
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return largest
	}
	for _, t := range ts {
		for j := range t.Shape().TotalSize() {
			v := given.Cell(t, j) / largest
			sum += v * v
		}
	}
	return largest * math.Sqrt(sum)
}

// move takes a step of both solvers and zeroes the gradients.
func (f *fitter) move(s *step) error {
	var values, grads [2][]*tensor.Dense
	var err error
	for i, nodes := range s.model {
		if values[i], grads[i], err = gradients(nodes); err != nil {
			return err
		}
	}
	scale := 1.0
	if f.ClipNorm > 0 { // of the gradients for the targets as given
		unit := f.unit.Largest()
		scale = min(1, f.ClipNorm/math.Hypot(norm(grads[0])*unit*unit, norm(grads[1])*unit))
	}
	if f.Solver == Adam {
		scale *= f.gain
	}
	factor := f.rate(f.at.Epoch)
	if f.WeightDecay > 0 { // of the head's weights, before the step
		keep := 1 - f.LearnRate*factor*f.WeightDecay
		w := values[1][0]
		for j := range w.Shape().TotalSize() {
			given.SetCell(w, j, keep*given.Cell(w, j))
		}
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
