package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// preconditioner is P for systems with γ A + μ I, for A = Zcᵀ C Zc of the centred features and the weights C of the
// rows. It serves every γ and μ. P is the matrix itself if A is there, and otherwise is made from A ≈ U Λ Uᵀ with Λ of
// a small rank r:
//
//	P⁻¹ = U (γ Λ + μ)⁻¹ Uᵀ + (γ λ_r + μ)⁻¹ (I - U Uᵀ),
//
// with λ_r the least of Λ. Frangella, Tropp and Udell (2023), Randomized Nyström preconditioning, (1.3), in the scale
// of the inverse instead of theirs.
type preconditioner struct {
	d     int
	trace float64 // about tr A

	a []float64        // A, of which the lower triangle has a meaning; nil: there is a sketch
	l *factor.Cholesky // the factor of γ A + μ I

	rank     int
	omega, y []float64 // [D, r]: random, and its product with A, which is U in the end
	values   []float64 // Λ, decreasing; nil: there is no U, and P is a multiple of the identity
	least    float64   // λ_r, also where U has lost columns of small eigenvalues to rounding
	rest     float64   // γ λ_r + μ
	gain     []float64 // what P⁻¹ has in each column of U beyond 1/rest
}

// newSketch is to be filled with the product of A and omega.
func newSketch(d, rank int, seed uint64) *preconditioner {
	p := &preconditioner{d: d, rank: rank, omega: make([]float64, d*rank), y: make([]float64, d*rank), rest: 1}
	rng := rand.New(spectral.Stream(seed, "train/nystrom"))
	for i := range p.omega {
		p.omega[i] = rng.NormFloat64()
	}
	return p
}

// factor makes U and Λ from the sketch (algorithm 2.1): with Y = (A + ν I) Ω, C Cᵀ = Ωᵀ Y and B = Y C⁻ᵀ, B Bᵀ
// approximates A + ν I, and the eigenvectors of Bᵀ B give U and Λ.
func (p *preconditioner) factor(trace float64) {
	d, r := p.d, p.rank
	p.trace = trace
	if r == 0 {
		return
	}
	nu := 0.
	for _, next := range []float64{1e-12, 1e-10, 1e-8} { // times the trace
		for i, v := range p.omega {
			p.y[i] += (next*trace - nu) * v
		}
		nu = next * trace
		core := mat.NewSymDense(r, nil)
		factor.Product(blas.Trans, blas.NoTrans, r, r, d, 1, p.omega, p.y, 1, core.RawSymmetric().Data)
		var chol mat.Cholesky
		if !chol.Factorize(core) {
			continue
		}
		var upper mat.TriDense
		chol.UTo(&upper)
		p.combine(upper.RawTriangular(), nu)
		break
	}
	p.omega = nil
}

// combine puts U = B V Σ⁻¹ into y for Bᵀ B = V Σ² Vᵀ, and Λ = Σ² - ν into values; upper is Cᵀ.
func (p *preconditioner) combine(upper blas64.Triangular, nu float64) {
	d, r := p.d, p.rank
	inPieces(d, 64, func(lo, hi int) {
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upper, general(hi-lo, r, r, p.y[lo*r:hi*r]))
	})
	products := make([]float64, r*r)
	factor.Product(blas.Trans, blas.NoTrans, r, r, d, 1, p.y, p.y, 1, products)
	values, v, err := dense.Eigen(products, r)
	if err != nil {
		return
	}
	const least = 1e-10 // below it a direction has lost its digits
	kept := 0
	for kept < r && values[kept] > least*values[0] {
		kept++
	}
	if kept == 0 {
		return
	}
	weights := make([]float64, r*kept)
	for i := range kept {
		scale := 1 / math.Sqrt(values[i])
		for j := range r {
			weights[j*kept+i] = v[i*r+j] * scale
		}
	}
	u := p.omega[:d*kept] // is no longer needed
	factor.Product(blas.NoTrans, blas.NoTrans, d, kept, r, 1, p.y, weights, 0, u)
	p.y, p.rank, p.values, p.least = u, kept, values[:kept], max(values[r-1]-nu, 0)
	for i, x := range p.values {
		p.values[i] = max(x-nu, 0)
	}
}

// shift makes P⁻¹ for γ A + μ I.
func (p *preconditioner) shift(ctx context.Context, gamma, mu float64) {
	switch {
	case p.a != nil:
		// μ grows until it is more than the rounding of the matrix.
		for ok := false; ; mu = max(16*mu, 1e-16*gamma*p.trace) {
			g := slices.Clone(p.a)
			floats.Scale(gamma, g)
			if p.l, ok = factor.Of(ctx, g, p.d, mu); ok || !(mu <= gamma*p.trace) || ctx.Err() != nil {
				return
			}
		}
	case p.values == nil:
		p.rest = gamma*p.trace/float64(p.d) + mu
	default:
		p.rest = gamma*p.least + mu
		p.gain = make([]float64, p.rank)
		for i, v := range p.values {
			p.gain[i] = 1/(gamma*v+mu) - 1/p.rest
		}
	}
}

// solve is P⁻¹ x, [D, k].
func (p *preconditioner) solve(x columns) columns {
	out, k := columns{x.k, slices.Clone(x.v)}, x.k
	if p.a != nil {
		p.l.Solve(out.v)
		return out
	}
	for i := range out.v {
		out.v[i] /= p.rest
	}
	if p.gain == nil {
		return out
	}
	t := make([]float64, p.rank*k)
	factor.Product(blas.Trans, blas.NoTrans, p.rank, k, p.d, 1, p.y, x.v, 1, t)
	for i := range t {
		t[i] *= p.gain[i/k]
	}
	factor.Product(blas.NoTrans, blas.NoTrans, p.d, k, p.rank, 1, p.y, t, 1, out.v)
	return out
}

const (
	// gramFeatures is the largest number of features for which the preconditioner uses the Gram matrix instead of a
	// sketch.
	gramFeatures = 512
	// sketchRank is the rank of the sketch of many dense rows. One of n rows takes as long to apply as many passes over
	// n features, and so has at most n/sketchShare; one of sparse rows, as a pass over their few cells.
	sketchRank, sketchShare, sparseRank = 256, 16, 16
)

// rankOf is the rank of the sketch of n rows of D features.
func rankOf(n, features int, sparse bool) int {
	if sparse {
		return min(sparseRank, n, features)
	}
	return min(sketchRank, max(1, n/sketchShare), features)
}

// survey computes s, the means of the features, and the preconditioner.
func (p *newton) survey() error {
	if p.Features <= gramFeatures {
		return p.gram()
	}
	var err error
	if p.mean, p.scale, err = p.spread(); err != nil {
		return err
	}
	p.precond = newSketch(p.Features, rankOf(p.N, p.Features, p.Stored() > 0), p.seed)
	g := p.precond.sketch(p.mean)
	err = p.Each(func(at int, z ops.Matrix) error {
		g.add(z, p.weight[at:at+z.Shape()[0]])
		return nil
	})
	if err == nil {
		g.finish()
		p.precond.factor(p.mass * p.scale)
	}
	return err
}

// sketch is the sum that the sketch is to be.
func (p *preconditioner) sketch(mean []float64) *gramSum {
	return &gramSum{mean: mean, out: columns{p.rank, p.y}, v: columns{p.rank, p.omega}}
}

// gram goes over the rows for their mean, s, and the Gram matrix, which preconditions and need not be exact.
func (p *newton) gram() error {
	stats := &RidgeStats{ClassWeights: p.weights, Float32Products: true}
	err := p.Each(func(at int, block ops.Matrix) error {
		z, err := given.Dense(block)
		if err != nil {
			return err
		}
		n := z.Shape()[0]
		return stats.add(rows.Names{First: at}, z, p.y.Slice(at, at+n, 0, p.w.k).(*mat.Dense))
	})
	if err != nil {
		return err
	}
	p.mean = stats.meanZ
	mean := floats.Dot(p.mean, p.mean)
	spread, _ := trace(stats.g, p.Features)
	if p.scale, err = penaltyScale(p.who, spread/stats.mass, mean, roundedRows); err != nil {
		return err
	}
	p.precond = &preconditioner{d: p.Features, trace: p.mass * p.scale, a: stats.g}
	return nil
}
