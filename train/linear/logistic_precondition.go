package linear

import (
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/dense"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// gramFeatures is the largest number of features for which the preconditioner uses the Gram matrix instead of a
	// sketch.
	gramFeatures = 512
	// sketchRank is the rank of the sketch. For sparse features sketchBytes limits the size of its two matrices, since
	// they are dense and could otherwise take most of the memory.
	sketchRank, sketchBytes = 256, 64 << 20
)

// rankOf is the rank of the sketch of n rows of D features.
func rankOf(n, features int, sparse bool) int {
	rank := min(sketchRank, n, features)
	if sparse {
		rank = min(rank, max(1, sketchBytes/(16*features)))
	}
	return rank
}

// preconditioner is (γ Zcᵀ C Zc + λ s I)⁻¹ for every class, with the weights C of the rows, and (γ Σ c)⁻¹ for the
// intercepts.
type preconditioner struct {
	gamma, shift float64
	l            blas64.Triangular // of up to gramFeatures
	sketch       *nystrom          // of more of them
	intercept    float64
}

// survey computes s, the means of the features, and their Gram matrix Zcᵀ C Zc or a sketch of it.
func (l *logistic) survey() error {
	if l.features > gramFeatures {
		return l.sketch()
	}
	return l.gram()
}

// gram goes over the rows for their mean, s, and the Gram matrix.
func (l *logistic) gram() error {
	err := l.each(func(at int, block ops.Matrix) error {
		z, err := spread(block)
		if err != nil {
			return err
		}
		y := mat.NewDense(z.Shape()[0], l.k, nil)
		for i := range z.Shape()[0] {
			for j := range l.k {
				y.Set(i, j, -1)
			}
			y.Set(i, l.class[at+i], 1)
		}
		return l.stats.add(z, y, func(i int) int { return at + i })
	})
	if err == nil {
		l.scale, err = l.stats.scale()
	}
	return err
}

// sketch goes over the rows for their mean and s, and again for the sketch.
func (l *logistic) sketch() error {
	var spread rowSpread
	err := l.each(func(at int, z ops.Matrix) error {
		spread.addMatrix(z, l.weight[at:at+z.Shape()[0]])
		return nil
	})
	if err != nil {
		return err
	}
	if l.scale, err = spread.scale(l.who); err != nil {
		return err
	}
	l.stats.meanZ, l.stats.mass = spread.mean, spread.mass
	d := l.features
	p := newNystrom(d, rankOf(l.n, d, l.stored() > 0), l.o.Seed)
	g := gramSum{mean: spread.mean, out: columns{p.rank, p.y}, v: columns{p.rank, p.omega}}
	err = l.each(func(at int, z ops.Matrix) error {
		g.add(z, l.weight[at:at+z.Shape()[0]])
		return nil
	})
	if err != nil {
		return err
	}
	g.finish()
	p.factor(spread.mass * l.scale)
	l.precond.sketch = p
	return nil
}

// prepare makes the preconditioner for the current curvature, unless the last one is within a factor of two.
func (l *logistic) prepare(shift float64) error {
	sum, mass := 0., 0.
	for i, w := range l.weight {
		row := l.p.row(i)
		sum += w * (1 - floats.Dot(row, row)) / float64(l.k-1)
		mass += w
	}
	gamma := max(sum/mass, 1e-6)
	q := &l.precond
	if q.shift == shift && gamma <= 2*q.gamma && gamma >= q.gamma/2 {
		return nil
	}
	q.gamma, q.shift, q.intercept = gamma, shift, gamma*mass
	if q.sketch != nil {
		q.sketch.shift(gamma, shift)
		return nil
	}
	trace := gamma * mass * l.scale
	for ; ; shift = max(16*shift, 1e-16*trace) { // until it is more than the rounding of the matrix
		if err := l.cancelled(); err != nil {
			return err
		}
		g := slices.Clone(l.stats.g)
		floats.Scale(gamma, g)
		f, ok := dense.Cholesky(l.ctx, g, l.features, shift)
		if ok || !(shift <= trace) {
			q.l = f
			return nil
		}
	}
}

// solve applies it to r.
func (q *preconditioner) solve(r columns) columns {
	last := len(r.v) - r.k
	var out columns
	if q.sketch != nil {
		out = columns{r.k, append(q.sketch.solve(r.v[:last], r.k), r.v[last:]...)}
	} else {
		out = columns{r.k, slices.Clone(r.v)}
		choleskySolve(q.l, out.v[:last], r.k)
	}
	floats.Scale(1/q.intercept, out.v[last:])
	return out
}
