package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// system is the one penalised linear system of this package, (A + μ Σ) X = B. A is G of RidgeStats or the centred Gram
// matrix of the rows; Σ is I, or the signature of an indefinite kernel on a diagonal.
//
// With Σ = I the matrix is positive definite, and a Cholesky factor solves for one μ, a reduction to a band for many
// (path).
//
// With a signature (FitRidge) the features are those of an indefinite kernel, k(x, x') = Σ_j σ_j z_j(x) z_j(x'), and
// this is kernel ridge regression on the matrix of k: X = Σ Zcᵀ α with (Zc Σ Zcᵀ + μ I) α = Yc. A + μ Σ is symmetric and
// indefinite, and every μ takes an LU factor. It is singular if -μ is an eigenvalue of the centred kernel matrix, and
// results near such a μ are erratic. Oglic and Gärtner (2018).
type system struct {
	who   string
	n, k  int
	a, b  []float64 // [n, n], of which only the lower triangle has a meaning, and Bᵀ [k, n]
	signs []float64 // nil: all are +1
}

// solve returns X, [n, k], or not ok for a matrix that is singular to working precision. The factor takes the place of
// one triangle of A for a while, so that no second matrix is needed.
func (s *system) solve(ctx context.Context, mu float64) (x []float64, ok bool) {
	x = transposed(s.b, s.k, s.n, s.n)
	if s.signs != nil {
		f, ok := factorSigned(slices.Clone(s.a), s.n, mu, s.signs)
		if ok {
			f.Solve(x)
		}
		return x, ok
	}
	diagonal := make([]float64, s.n)
	for j := range diagonal {
		diagonal[j] = s.a[j*s.n+j]
	}
	dense.Mirror(s.a, s.n, blas.Lower)
	f, ok := factor.Of(ctx, s.a, s.n, mu)
	if ok {
		f.Solve(x)
	}
	dense.Mirror(s.a, s.n, blas.Upper)
	for j, v := range diagonal {
		s.a[j*s.n+j] = v
	}
	return x, ok
}

// unsolvable is the error for a lambda, mu in the unit of A, whose system cannot be solved.
func (s *system) unsolvable(lambda, mu float64) error {
	switch {
	case math.IsInf(mu, 1):
		return fmt.Errorf("train: %s: lambda = %g times the mean squared norm of a row overflows; lower lambda or "+
			"scale the data: %w", s.who, lambda, domain.ErrParam)
	case s.signs != nil:
		return fmt.Errorf("train: %s: with lambda = %g the %d x %d system of an indefinite kernel is singular to working "+
			"precision, as when an eigenvalue of the kernel matrix is minus the penalty; choose another lambda: %w",
			s.who, lambda, s.n, s.n, domain.ErrParam)
	}
	return fmt.Errorf("train: %s: with lambda = %g the %d x %d system is not positive definite to working precision, as "+
		"when features or rows repeat others or a kernel is indefinite; raise lambda: %w",
		s.who, lambda, s.n, s.n, domain.ErrParam)
}

// signedFactor is the LU factor of A + μ Σ, and later its inverse.
type signedFactor struct {
	lu    blas64.General
	pivot []int
}

// factorSigned overwrites a and reads its lower triangle. It returns false for a matrix that is singular to working
// precision.
func factorSigned(a []float64, n int, mu float64, signs []float64) (f *signedFactor, ok bool) {
	dense.Mirror(a, n, blas.Lower)
	for i, s := range signs {
		a[i*n+i] += mu * s
	}
	f = &signedFactor{general(n, n, n, a), make([]int, n)}
	norm := lapack64.Lange(lapack.MaxColumnSum, f.lu, make([]float64, n))
	if !(norm <= math.MaxFloat64) || !lapack64.Getrf(f.lu, f.pivot) {
		return f, false
	}
	rcond := lapack64.Gecon(lapack.MaxColumnSum, f.lu, norm, make([]float64, 4*n), make([]int, n))
	return f, rcond > dense.Rounding(n)
}

// Solve overwrites x, [n, k], by the solution.
func (f *signedFactor) Solve(x []float64) {
	k := len(x) / f.lu.Rows
	lapack64.Getrs(blas.NoTrans, f.lu, general(f.lu.Rows, k, k, x), f.pivot)
}

// Quadratics multiplies by the inverse, which for many rows is several times faster than the factor, and which takes
// the factor's place.
func (f *signedFactor) Quadratics(to, x []float64) {
	n, rows := f.lu.Rows, len(to)
	if f.pivot != nil {
		work := make([]float64, 1)
		lapack64.Getri(f.lu, f.pivot, work, -1)
		work = make([]float64, int(work[0]))
		lapack64.Getri(f.lu, f.pivot, work, len(work))
		f.pivot = nil
	}
	solved := make([]float64, rows*n)
	factor.Product(blas.NoTrans, blas.Trans, rows, n, n, 1, x, f.lu.Data, 1, solved) // the inverse is symmetric
	for i := range to {
		to[i] = floats.Dot(x[i*n:(i+1)*n], solved[i*n:(i+1)*n])
	}
}

// path solves a system for one μ after another. With Σ = I it reduces A once to a band matrix Qᵀ A Q, which takes A's
// place: vectors that are rotated by Q once have a solution in O(n) operations for every μ. With a signature nothing is
// rotated.
type path struct {
	*system
	ctx context.Context
	t   *dense.Band // nil with a signature
	b   []float64   // (Qᵀ B)ᵀ [k, n]
}

func (s *system) path(ctx context.Context) *path {
	p := &path{system: s, ctx: ctx, b: slices.Clone(s.b)}
	if s.signs == nil {
		p.t = dense.Reduce(ctx, s.a, s.n)
	}
	p.turn(p.b, s.k, false)
	return p
}

// turn multiplies rows x [m, n] by Q, or by Qᵀ.
func (p *path) turn(x []float64, m int, back bool) {
	if p.t != nil {
		p.t.Rotate(p.ctx, x, m, back)
	}
}

// factored is A + μ Σ: a Cholesky factor, an LU factor with a signature, or a band matrix for turned rows. Solve
// overwrites x, [n, k], a column at a time by a band. Quadratics puts xᵢᵀ (A + μ Σ)⁻¹ xᵢ of rows x into to; nothing is
// solved after it.
type factored interface {
	Solve(x []float64)
	Quadratics(to, x []float64)
}

// at factors A + μ Σ; not ok means that it is singular to working precision.
func (p *path) at(mu float64) (f factored, ok bool) {
	if p.t == nil {
		return factorSigned(slices.Clone(p.a), p.n, mu, p.signs)
	}
	return p.t.Shift(mu)
}

// solutions puts the turned solution, (Qᵀ X)ᵀ [k, n], into x.
func (p *path) solutions(f factored, x []float64) {
	copy(x, p.b)
	for t := range p.k {
		f.Solve(x[t*p.n : (t+1)*p.n])
	}
}

// solve returns X, [n, k].
func (p *path) solve(mu float64) (x []float64, ok bool) {
	f, ok := p.at(mu)
	if !ok {
		return nil, false
	}
	xt := make([]float64, p.k*p.n)
	p.solutions(f, xt)
	p.turn(xt, p.k, true)
	return transposed(xt, p.k, p.n, p.n), true
}

// turnedRows hands out all rows, turned, with their targets and their weights; nil: all are 1.
type turnedRows func(f func(x []float64, y *mat.Dense, weight []float64)) error

// A without turns the product of a row with X into the prediction of a fit without that row, of targets y, leverage h
// and weight w, at μ. Not ok means that the row determines its own fit and cannot be left out.
type without func(pred, y []float64, h, w, mu float64) (ok bool)

// leaveOneOut scores lambdas, scale being the unit of A, by the predictions of fits without each row, and returns the
// best with its solution X. With a signature memory holds one factor at a time, and the rows come again for every
// lambda.
func (p *path) leaveOneOut(rows turnedRows, leave without, grid cv.Grid, scale float64) (x []float64, lambda float64,
	scores []fits.LambdaScore, err error) {
	scores, best, err := grid.Choose(func(lambdas []float64) (all []fits.LambdaScore, err error) {
		size := len(lambdas)
		if p.t == nil {
			size = 1
		}
		for some := range slices.Chunk(lambdas, size) {
			if err := given.Stopped(p.ctx); err != nil {
				return nil, fmt.Errorf("train: %s: stopped after %d of %d lambdas: %w", p.who, len(all), len(lambdas),
					err)
			}
			scores, err := p.scores(rows, leave, some, scale)
			if err != nil {
				return nil, err
			}
			all = append(all, scores...)
		}
		return all, nil
	})
	switch {
	case err != nil:
		return nil, 0, nil, err
	case math.IsInf(scores[best].MSE, 1):
		return nil, 0, nil, fmt.Errorf("train: %s: none of the %d lambdas leaves a system that can be solved; raise "+
			"the lambdas: %w", p.who, len(scores), domain.ErrParam)
	}
	lambda = scores[best].Lambda
	x, _ = p.solve(lambda * scale)
	return x, lambda, scores, nil
}

// scores are the leave-one-out scores of lambdas, in one pass over the rows.
func (p *path) scores(rows turnedRows, leave without, lambdas []float64, scale float64) ([]fits.LambdaScore, error) {
	n, k, count := p.n, p.k, len(lambdas)
	factors, sums := make([]factored, count), make([]lossSums, count)
	coef, usable := make([]float64, count*k*n), false
	for l, lambda := range lambdas {
		f, ok := p.at(lambda * scale)
		if sums[l].unusable = !ok; ok {
			factors[l], usable = f, true
			p.solutions(f, coef[l*k*n:(l+1)*k*n])
		}
	}
	if !usable {
		return scoresOf(lambdas, sums, k), nil
	}
	var pred []float64
	err := rows(func(x []float64, y *mat.Dense, weight []float64) {
		b := len(x) / n
		pred = append(pred[:0], make([]float64, b*count*k)...)
		factor.Product(blas.NoTrans, blas.Trans, b, count*k, n, 1, x, coef, 1, pred)
		h := make([]float64, b)
		for l, lambda := range lambdas {
			if sums[l].unusable {
				continue
			}
			factors[l].Quadratics(h, x)
			for i := range b {
				own, w := pred[(i*count+l)*k:(i*count+l+1)*k], weightAt(weight, i)
				if !leave(own, y.RawRowView(i), h[i], w, lambda*scale) {
					sums[l].unusable = true
				}
				sums[l].add(y.RawRowView(i), own, w)
			}
		}
	})
	return scoresOf(lambdas, sums, k), err
}

// decisive is the least 1 - hᵢᵢ. Below it a row determines its own fit to 12 digits and cannot be left out.
const decisive = 1e-12

// defaultLambda times the number of rows is the default of a single lambda.
const defaultLambda = 1e-6

// builtIn is the grid for n rows: 1e-9 n to 1e-1 n, and up to 1e-15 n and 1e3 n as it grows.
func builtIn(n, by int) cv.Grid {
	return cv.Grid{N: n, Lo: -9, Hi: -1, By: by, Limit: [2]int{-15, 3}}
}

// lossSums sums the errors of the predictions of a lambda.
type lossSums struct {
	mass, square, wrong float64
	unusable            bool // whether the lambda has no predictions
}

// add takes the prediction f of a row with targets y and a weight.
func (s *lossSums) add(y, f []float64, weight float64) {
	for t, v := range y {
		s.square += weight * (v - f[t]) * (v - f[t])
	}
	switch {
	case given.ClassOf(y) < 0:
		s.wrong = math.NaN()
	case missed(y, f):
		s.wrong += weight
	}
	s.mass += weight
}

// missed says whether a prediction is of another class than the targets: by the largest number, or the sign of the only
// one.
func missed(y, f []float64) bool {
	if len(f) == 1 {
		return (f[0] >= 0) != (y[0] > 0)
	}
	return y[floats.MaxIdx(f)] < 0
}

// scoresOf are the scores of the lambdas over k targets.
func scoresOf(lambdas []float64, sums []lossSums, k int) []fits.LambdaScore {
	scores := make([]fits.LambdaScore, len(lambdas))
	for l, s := range sums {
		mse := s.square / (s.mass * float64(k))
		if scores[l] = cv.Unusable(lambdas[l]); !s.unusable && mse-mse == 0 {
			scores[l] = fits.LambdaScore{Lambda: lambdas[l], MSE: mse, ErrorRate: s.wrong / s.mass}
		}
	}
	return scores
}

// weightAt is the weight of a row of a block.
func weightAt(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}
