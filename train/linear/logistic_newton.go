package linear

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// fit minimises the objective, starting from the current weights.
func (l *logistic) fit(lambda float64) (*LogisticFit, error) {
	shift := lambda * l.scale
	if math.IsInf(shift, 1) {
		return nil, fmt.Errorf("train: Logistic: lambda = %v times the mean squared distance of a row overflows; lower it: %w", lambda, domain.ErrParam)
	}
	if !(shift >= 0x1p-1022) { // it has an inverse
		return nil, fmt.Errorf("train: Logistic: lambda = %v times the mean squared distance of a row underflows; raise it: %w", lambda, errLambda)
	}
	l.passes = 0
	if l.unit == 0 { // it is the same for every lambda
		var err error
		if l.unit, err = l.gradientAtZero(); err != nil {
			return nil, err
		}
	}
	objective := l.objective(shift, columns{}, columns{}, 0)
	l.probabilities()
	accuracy := loose
	for step := 1; ; step++ {
		g, err := l.gradient(shift)
		if err != nil {
			return nil, err
		}
		if err := l.prepare(shift); err != nil {
			return nil, err
		}
		d, u, slope, err := l.direction(shift, accuracy, g)
		if err != nil {
			return nil, err
		}
		promise := -slope / objective
		if promise < .05 {
			accuracy = tight
		}
		before := objective
		objective = l.search(shift, objective, slope, d, u)
		if l.o.Progress != nil {
			l.o.Progress(step, promise)
		}
		switch {
		case !(promise > l.o.Tol) || objective == before: // the last step, or none that gains to working precision
			return l.done(lambda, shift, objective, step)
		case step == l.o.MaxSteps:
			return nil, fmt.Errorf("train: Logistic: not done after %d Newton steps at lambda = %v, the last one promised %.2g of the objective; raise lambda, Tol or MaxSteps: %w", step, lambda, promise, errLambda)
		}
	}
}

// search tries the step d, which adds u to the scores, then half of it, a quarter and so on, until the objective falls
// by 1e-4 of what its slope promises. It takes that step and returns the objective there. If there is no such step,
// everything stays as it is.
func (l *logistic) search(shift, objective, slope float64, d, u columns) float64 {
	for t := 1.; t > 1e-10; t /= 2 {
		next := l.objective(shift, d, u, t)
		if !(next < objective && next <= objective+1e-4*t*slope) {
			continue
		}
		floats.AddScaled(l.w.v, t, d.v)
		floats.AddScaled(l.scores.v, t, u.v)
		l.probabilities()
		return next
	}
	return objective
}

// objective is the value after a step of length t along d, which adds t u to the scores.
func (l *logistic) objective(shift float64, d, u columns, t float64) float64 {
	const piece = 256 // rows
	parts := make([]float64, (l.n+piece-1)/piece)
	given.InParallel(len(parts), func(task int) {
		row := make([]float64, l.k)
		for i := task * piece; i < min(l.n, (task+1)*piece); i++ {
			copy(row, l.scores.row(i))
			if t != 0 {
				floats.AddScaled(row, t, u.row(i))
			}
			at := row[l.class[i]]
			parts[task] += l.weight[i] * (softmaxRow(row) - at)
		}
	})
	square, w := 0., l.w.v[:l.features*l.k]
	for i, v := range w {
		if t != 0 {
			v += t * d.v[i]
		}
		square += v * v
	}
	return floats.Sum(parts) + shift/2*square
}

// probabilities computes p from the scores.
func (l *logistic) probabilities() {
	const piece = 256 // rows
	given.InParallel((l.n+piece-1)/piece, func(task int) {
		for i := task * piece; i < min(l.n, (task+1)*piece); i++ {
			copy(l.p.row(i), l.scores.row(i))
			softmaxRow(l.p.row(i))
		}
	})
}

// gradientAtZero is the norm of the gradient at W = 0 and b = 0, where the probabilities are equal.
func (l *logistic) gradientAtZero() (float64, error) {
	r := newColumns(l.n, l.k)
	for i := range l.n {
		for j := range l.k {
			r.row(i)[j] = l.weight[i] / float64(l.k)
		}
		r.row(i)[l.class[i]] -= l.weight[i]
	}
	g, err := l.transposed(r)
	return floats.Norm(g.v, 2), err
}

// gradient is [Zc | 1]ᵀ (p - y) + λ s W.
func (l *logistic) gradient(shift float64) (columns, error) {
	r := newColumns(l.n, l.k)
	for i := range l.n {
		row := r.row(i)
		copy(row, l.p.row(i))
		row[l.class[i]]--
		floats.Scale(l.weight[i], row)
	}
	g, err := l.transposed(r)
	if err == nil {
		last := l.features * l.k
		floats.AddScaled(g.v[:last], shift, l.w.v[:last])
	}
	return g, err
}

// transposed is [Zc | 1]ᵀ u.
func (l *logistic) transposed(u columns) (columns, error) {
	l.passes++
	sum := newColumns(l.features+1, u.k)
	err := l.each(func(at int, z ops.Matrix) error {
		l.addTransposed(sum, z, columns{u.k, u.v[at*u.k : (at+z.Shape()[0])*u.k]}, 1)
		return nil
	})
	l.centre(sum)
	return sum, err
}

// centre turns Zᵀ u, with the sum of u as its last row, into Zcᵀ u.
func (l *logistic) centre(sum columns) {
	last := sum.row(l.features)
	for j, m := range l.stats.meanZ {
		floats.AddScaled(sum.row(j), -m, last)
	}
}

// raw turns weights for centred features into weights for the features as they are; only the last row, the intercept,
// changes.
func (l *logistic) raw(v columns) columns {
	out := columns{v.k, slices.Clone(v.v)}
	last := out.row(l.features)
	for j, m := range l.stats.meanZ {
		floats.AddScaled(last, -m, v.row(j))
	}
	return out
}

// loose and tight are the factors by which conjugate gradients reduce the residual of a Newton system, in the norm of
// the preconditioner: loose while steps are long, tight near the optimum.
const loose, tight = .5, .2

// direction solves H d = -g by conjugate gradients, and returns d, the change u of the scores, and the slope <g, d>.
func (l *logistic) direction(shift, forcing float64, g columns) (d, u columns, slope float64, err error) {
	rows, k := l.features+1, l.k
	d, u = newColumns(rows, k), newColumns(l.n, k)
	r := columns{k, slices.Clone(g.v)}
	floats.Scale(-1, r.v)
	z := l.precond.solve(r)
	p := columns{k, slices.Clone(z.v)}
	rz := floats.Dot(r.v, z.v)
	first := rz
	for range solves {
		if !(rz > 0) {
			break
		}
		h, err := l.hessian(shift, p)
		if err != nil {
			return d, u, 0, err
		}
		curvature := floats.Dot(p.v, h.v)
		if !(curvature > 0) {
			break
		}
		alpha := rz / curvature
		floats.AddScaled(d.v, alpha, p.v)
		floats.AddScaled(r.v, -alpha, h.v)
		z = l.precond.solve(r)
		before := rz
		if rz = floats.Dot(r.v, z.v); rz <= forcing*forcing*first {
			break
		}
		floats.Scale(rz/before, p.v)
		floats.Add(p.v, z.v)
	}
	l.passes++
	err = l.through(l.raw(d), 1, nil, func(at int, b columns) { copy(u.v[at*k:], b.v) })
	return d, u, floats.Dot(g.v, d.v), err
}

// done returns the current weights as a fit.
func (l *logistic) done(lambda, shift, objective float64, steps int) (*LogisticFit, error) {
	g, err := l.gradient(shift)
	if err != nil {
		return nil, err
	}
	norm := floats.Norm(g.v, 2)
	if l.unit > 0 {
		norm /= l.unit
	}
	d := l.features
	w := l.raw(l.w)
	b := slices.Clone(w.row(d))
	floats.AddConst(-floats.Sum(b)/float64(l.k), b)
	return &LogisticFit{W: mat.NewDense(d, l.k, w.v[:d*l.k:d*l.k]), B: b, Lambda: lambda, Objective: objective, Gradient: norm, Steps: steps, Passes: l.passes}, nil
}
