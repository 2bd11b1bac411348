package linear

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// svm is a set of problems over the same rows, one for each column of y.
type svm struct {
	*svmRows
	o           SVMOptions
	y           columns     // targets [n, k]
	weight      []float64   // of each row
	mass        float64     // the sum of the weights
	scale, bias float64     // s and β
	unit        *given.Unit // of the targets of SquaredInsensitive
	epsilon     []float64   // of each column, in the unit

	w, scores columns // [D+1, k] and [n, k]: the current weights and scores
}

func newSVM(src *source, o SVMOptions) (*svm, error) {
	rows, err := newSVMRows(src, o.CacheBytes)
	if err != nil {
		return nil, err
	}
	return svmOf(rows, o)
}

func svmOf(rows *svmRows, o SVMOptions) (*svm, error) {
	var unit *given.Unit
	if o.Loss == SquaredInsensitive {
		var err error
		if unit, err = given.SpreadOf(rows.y).Unit(rows.who, false); err != nil {
			return nil, err
		}
	}
	s, err := atZero(rows, o, unit)
	if err != nil {
		return nil, err
	}
	s.scale, err = s.svmRows.scale(s.weight)
	s.bias = o.Bias * math.Sqrt(s.scale)
	return s, err
}

// atZero are problems with all weights 0, and without a scale.
func atZero(rows *svmRows, o SVMOptions, unit *given.Unit) (*svm, error) {
	k := rows.y.RawMatrix().Cols
	s := &svm{svmRows: rows, o: o, unit: unit, w: newColumns(rows.features+1, k), y: newColumns(rows.n, k)}
	s.scores = newColumns(rows.n, k)
	for j := range k {
		s.epsilon = append(s.epsilon, o.Epsilon)
		if unit != nil {
			s.epsilon[j] /= unit.Scale[j]
		}
	}
	var err error
	if s.weight, err = rows.weights(o.ClassWeights); err != nil {
		return nil, err
	}
	for i, w := range s.weight {
		copy(s.y.row(i), rows.y.RawRowView(i))
		unit.Row(s.y.row(i))
		s.mass += w
	}
	return s, nil
}

// loss is the derivative of half the squared loss of a column at a score, and whether there is a loss.
func (s *svm) loss(col int, y, score float64) (r float64, lossy bool) {
	if s.o.Loss == SquaredHinge {
		if t := 1 - y*score; t > 0 {
			return -y * t, true
		}
		return 0, false
	}
	e := score - y
	if math.Abs(e) <= s.epsilon[col] {
		return 0, false
	}
	return e - math.Copysign(s.epsilon[col], e), true
}

// fit minimises the objective, starting from the current weights. Columns that are done take no part in the products.
func (s *svm) fit(lambda float64) (*SVMFit, error) {
	c := 1 / (2 * lambda * s.scale)
	if math.IsInf(c, 1) {
		return nil, fmt.Errorf("train: SVM: lambda = %v makes C infinite; raise it: %w", lambda, errLambda)
	}
	unit, err := s.units(c)
	if err != nil {
		return nil, err
	}
	open := make([]int, s.w.k) // the columns that are not done
	for j := range open {
		open[j] = j
	}
	// What the last step of a column took off its objective, as a share of it. A gradient can be small where a step
	// still goes far: at the end of a fit to another lambda, above all.
	gain, residual := slices.Repeat([]float64{math.Inf(1)}, s.w.k), make([]float64, s.w.k)
	for step := 0; ; step++ {
		g, err := s.gradient(c, open)
		if err != nil {
			return nil, err
		}
		var rest, at []int
		for j, col := range open {
			norm := g.norm(j)
			if residual[col] = 0; norm > 0 {
				residual[col] = norm / unit[col]
			}
			if norm > 0 && gain[col] > 0 && (residual[col] > s.o.Tol || gain[col] > max(s.o.Tol/100, leastGain)) {
				rest, at = append(rest, col), append(at, j)
			}
		}
		if s.o.Progress != nil {
			s.o.Progress(step, len(rest))
		}
		if len(rest) == 0 {
			return s.done(lambda, c, step, residual)
		}
		if step == s.o.MaxSteps {
			return nil, fmt.Errorf("train: SVM: %d of %d columns are not done after %d Newton steps at lambda = %v; raise lambda, Tol or MaxSteps: %w", len(rest), s.w.k, step, lambda, errLambda)
		}
		open = rest
		if err := s.step(c, open, g.pick(at), gain); err != nil {
			return nil, err
		}
	}
}

// leastGain is the gain of a last step that is small for any Tol. In an ill-conditioned problem the gradient is small
// long before steps stop to gain.
const leastGain = 1e-5

// units are the units of Tol, as in LIBLINEAR: the gradient norms at W = 0, times the share of the rarer class.
func (s *svm) units(c float64) ([]float64, error) {
	at := newColumns(s.n, s.w.k)
	positive := make([]float64, s.w.k)
	for i := range s.n {
		for j, y := range s.y.row(i) {
			r, _ := s.loss(j, y, 0)
			at.row(i)[j] = 2 * c * s.weight[i] * r
			if y > 0 {
				positive[j] += s.weight[i]
			}
		}
	}
	g, err := s.transposed(at)
	if err != nil {
		return nil, err
	}
	unit := make([]float64, s.w.k)
	for j := range unit {
		unit[j] = g.norm(j)
		if s.o.Loss == SquaredHinge {
			unit[j] *= max(s.mass/float64(s.n), min(positive[j], s.mass-positive[j])) / s.mass
		}
	}
	return unit, nil
}

// transposed is [Z | β]ᵀ u.
func (s *svm) transposed(u columns) (columns, error) {
	sum := newColumns(s.features+1, u.k)
	at := 0
	err := s.each(func(_ int, z ops.Matrix) error {
		n := z.Shape()[0]
		s.addTransposed(sum, z, columns{u.k, u.v[at*u.k : (at+n)*u.k]}, s.bias)
		at += n
		return nil
	})
	return sum, err
}

// gradient is w + 2C [Z | β]ᵀ r of some columns.
func (s *svm) gradient(c float64, cols []int) (columns, error) {
	r := newColumns(s.n, len(cols))
	for i := range s.n {
		y, f, row := s.y.row(i), s.scores.row(i), r.row(i)
		for j, col := range cols {
			d, _ := s.loss(col, y[col], f[col])
			row[j] = 2 * c * s.weight[i] * d
		}
	}
	g, err := s.transposed(r)
	for i := range s.w.v[:len(s.w.v)/s.w.k] {
		for j, col := range cols {
			g.row(i)[j] += s.w.row(i)[col]
		}
	}
	return g, err
}

// step takes a Newton step of the columns with gradient g, and sets what each gained: 0 if its line search found no
// lower objective.
func (s *svm) step(c float64, cols []int, g columns, gain []float64) error {
	d, err := s.direction(c, cols, g)
	if err != nil {
		return err
	}
	u := newColumns(s.n, len(cols)) // what a whole step adds to the scores
	if err := s.through(d, s.bias, nil, func(at int, b columns) { copy(u.v[at*b.k:], b.v) }); err != nil {
		return err
	}
	length := s.search(c, cols, g, d, u, gain)
	for i := range len(d.v) / d.k {
		for j, col := range cols {
			s.w.row(i)[col] += length[j] * d.row(i)[j]
		}
	}
	for i := range s.n {
		for j, col := range cols {
			s.scores.row(i)[col] += length[j] * u.row(i)[j]
		}
	}
	return nil
}

// forcing is the factor by which conjugate gradients reduce the residual of a Newton system, in at most solves
// iterations.
const forcing, solves = .1, 250

// direction solves H d = -g for all columns together by conjugate gradients, with one pass over the features per
// iteration.
func (s *svm) direction(c float64, cols []int, g columns) (columns, error) {
	k, rows := len(cols), len(g.v)/len(cols)
	lossy := make([]bool, s.n*k)
	for i := range s.n {
		for j, col := range cols {
			_, lossy[i*k+j] = s.loss(col, s.y.row(i)[col], s.scores.row(i)[col])
		}
	}
	d, r, p := newColumns(rows, k), newColumns(rows, k), newColumns(rows, k)
	for i, v := range g.v {
		r.v[i], p.v[i] = -v, -v
	}
	open := make([]int, k)
	rr, limit := make([]float64, k), make([]float64, k)
	for j := range open {
		open[j], rr[j] = j, r.dot(r, j)
		limit[j] = forcing * forcing * rr[j]
	}
	for range solves {
		part := p.pick(open)
		h := columns{part.k, slices.Clone(part.v)}
		sum := newColumns(rows, part.k)
		err := s.through(part, s.bias, &sum, func(at int, u columns) {
			for i := range len(u.v) / u.k {
				for q, j := range open {
					if lossy[(at+i)*k+j] {
						u.row(i)[q] *= 2 * c * s.weight[at+i]
					} else {
						u.row(i)[q] = 0
					}
				}
			}
		})
		if err != nil {
			return d, err
		}
		blas64.Axpy(1, vector(sum.v), vector(h.v))
		var rest []int
		for q, j := range open {
			curvature := 0.0
			for i := range rows {
				curvature += p.row(i)[j] * h.row(i)[q]
			}
			alpha, before := rr[j]/curvature, rr[j]
			rr[j] = 0
			for i := range rows {
				d.row(i)[j] += alpha * p.row(i)[j]
				v := r.row(i)[j] - alpha*h.row(i)[q]
				r.row(i)[j] = v
				rr[j] += v * v
			}
			for i := range rows {
				p.row(i)[j] = r.row(i)[j] + rr[j]/before*p.row(i)[j]
			}
			if rr[j] > limit[j] {
				rest = append(rest, j)
			}
		}
		if open = rest; len(open) == 0 {
			break
		}
	}
	return d, nil
}

// search halves the step of each column until the objective falls by 1e-4 of what its slope promises. The column stays
// where it is if that never happens, or if the whole promise is below the rounding of the objective.
func (s *svm) search(c float64, cols []int, g, d, u columns, gain []float64) []float64 {
	k, rows := len(cols), len(d.v)/len(cols)
	length, ww, dw, dd, slope := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	for i := range rows {
		for j, col := range cols {
			v, w := d.row(i)[j], s.w.row(i)[col]
			ww[j] += w * w
			dw[j] += v * w
			dd[j] += v * v
			slope[j] += v * g.row(i)[j]
		}
	}
	for j, col := range cols {
		start := s.losses(col, u, j, 0)
		objective := ww[j]/2 + c*start
		gain[col] = 0
		for t := 1.0; t > 1e-10 && -t*slope[j] > 0x1p-52*objective; t /= 2 {
			change := t*dw[j] + t*t/2*dd[j] + c*(s.losses(col, u, j, t)-start)
			if change <= 1e-4*t*slope[j] {
				length[j], gain[col] = t, -change/objective
				break
			}
		}
	}
	return length
}

// losses is the sum of a column's losses at a step of length t.
func (s *svm) losses(col int, u columns, j int, t float64) (sum float64) {
	for i := range s.n {
		r, _ := s.loss(col, s.y.row(i)[col], s.scores.row(i)[col]+t*u.row(i)[j])
		sum += s.weight[i] * r * r
	}
	return sum
}

// done returns the current weights as a fit.
func (s *svm) done(lambda, c float64, steps int, residual []float64) (*SVMFit, error) {
	d, k := s.features, s.w.k
	fit := &SVMFit{W: mat.NewDense(d, k, slices.Clone(s.w.v[:d*k])), B: make([]float64, k), Lambda: lambda, C: c, Objective: make([]float64, k), Residual: residual, Steps: steps,
		unit: s.unit}
	for j := range k {
		fit.B[j] = s.bias * s.w.row(d)[j]
		norm := s.w.norm(j)
		fit.Objective[j] = norm*norm/2 + c*s.losses(j, columns{1, make([]float64, s.n)}, 0, 0)
		if s.unit != nil {
			fit.Objective[j] *= s.unit.Scale[j] * s.unit.Scale[j]
		}
	}
	return fit, s.unit.Weights(s.who, fit.W.RawMatrix().Data, fit.B)
}
