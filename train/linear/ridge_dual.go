package linear

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// ridgeDual is the ridge problem in the space of the rows: α = (Kc + λI)⁻¹ Yc with Kc = H K H, H = I - 1 1ᵀ/n, the Gram
// matrix of the centred features.
//
// The vector of ones is an eigenvector of Kc with the eigenvalue 0, and every centred target is orthogonal to it. Its
// eigenvalue is set to mu, the mean of the others, which only improves the condition of the matrix.
type ridgeDual struct {
	n, targets int
	k          []float64      // Kc + mu 1 1ᵀ/n, lower triangle
	rowMean    []float64      // of K
	spread     float64        // tr Kc/n
	mean, mu   float64        // the mean of rowMean; the value of the ones
	given      blas64.General // the targets
	y          []float64      // less their mean, Yc, [n, targets]
	meanY      []float64
	unit       *given.Unit // of the targets of an exact kernel
}

// newRidgeDual centres k and y. It reads and overwrites the lower triangle of k, and copies y, [n, targets].
func newRidgeDual(k []float64, n int, y blas64.General) *ridgeDual {
	d := &ridgeDual{n: n, targets: y.Cols, k: k, given: y, rowMean: make([]float64, n), meanY: make([]float64, y.Cols), y: make([]float64, n*y.Cols)}
	for i := range n {
		for j, v := range k[i*n : i*n+i+1] {
			d.rowMean[i] += v / float64(n)
			if j != i {
				d.rowMean[j] += v / float64(n)
			}
		}
	}
	for _, v := range d.rowMean {
		d.mean += v / float64(n)
	}
	for i := range n {
		for j := range i + 1 {
			k[i*n+j] += d.mean - d.rowMean[i] - d.rowMean[j]
		}
		d.spread += k[i*n+i] / float64(n)
	}
	if d.mu = d.spread; !(d.mu > 0) { // an indefinite kernel: any number of its size
		for i := range n {
			for _, v := range k[i*n : i*n+i+1] {
				d.mu = max(d.mu, math.Abs(v))
			}
		}
	}
	if !(d.mu > 0) {
		d.mu = 1
	}
	for i := range n {
		for j := range i + 1 {
			k[i*n+j] += d.mu / float64(n)
		}
		for t, v := range y.Data[i*y.Stride : i*y.Stride+y.Cols] {
			d.meanY[t] += v / float64(n)
		}
	}
	for i := range n {
		for t, v := range y.Data[i*y.Stride : i*y.Stride+y.Cols] {
			d.y[i*y.Cols+t] = v - d.meanY[t]
		}
	}
	return d
}

// solve returns α, [n, targets], and overwrites k, which is d.k or a copy of it.
func (d *ridgeDual) solve(ctx context.Context, k []float64, shift float64) (alpha []float64, ok bool) {
	l, ok := dense.Cholesky(ctx, k, d.n, shift)
	if !ok {
		return nil, false
	}
	alpha = append([]float64(nil), d.y...)
	choleskySolve(l, alpha, d.targets)
	return alpha, true
}

// intercept is b of f(x) = Σᵢ αᵢ k(x, xᵢ) + b: the mean of y - K α. The sum of α is 0.
func (d *ridgeDual) intercept(alpha []float64) []float64 {
	b := append([]float64(nil), d.meanY...)
	for i, m := range d.rowMean {
		for t := range b {
			b[t] -= m * alpha[i*d.targets+t]
		}
	}
	return b
}

// leaveOneOut scores every lambda, in the unit of K, on the rows in which (nil: all). With C = (Kc + mu 1 1ᵀ/n + λI)⁻¹
// the residual is λ αᵢ and 1 - hᵢᵢ = λ (Cᵢᵢ - 1/(n(mu + λ))), so the error without row i is αᵢ over that bracket. One
// tridiagonal reduction serves all lambdas. It returns the α of the best lambda and overwrites d.k.
func (d *ridgeDual) leaveOneOut(ctx context.Context, which []int, grid cv.Grid, scale float64) (alpha []float64, scores []fits.LambdaScore, best int, err error) {
	n, k := d.n, d.targets
	if which == nil {
		which = make([]int, n)
		for i := range which {
			which[i] = i
		}
	}
	squares := make([]float64, k)
	for i, v := range d.y {
		squares[i%k] += v * v
	}
	if err := checkSquares(squares); err != nil {
		return nil, nil, 0, err
	}
	q := dense.Reduce(ctx, d.k, n)
	rows := make([]float64, len(which)*n) // of I Q: row i gives Cᵢᵢ
	for r, i := range which {
		rows[r*n+i] = 1
	}
	q.Rotate(ctx, rows, len(which), false)
	y := transposed(d.y, n, k, k)
	q.Rotate(ctx, y, k, false)
	solve := func(f dense.Shifted) []float64 {
		alpha := slices.Clone(y)
		for t := range k {
			f.Solve(alpha[t*n : (t+1)*n])
		}
		q.Rotate(ctx, alpha, k, true)
		return alpha
	}
	scores, best, err = chooseUsable(grid, func(lambdas []float64) ([]fits.LambdaScore, error) {
		sums, usable := make([]lossSums, len(lambdas)), make([]bool, len(lambdas))
		for l, lambda := range lambdas {
			var f dense.Shifted
			shift := lambda * scale
			if f, usable[l] = q.Shift(shift); !usable[l] {
				continue
			}
			alpha, left := solve(f), make([]float64, len(which))
			given.InParallel(len(which), func(r int) {
				c := f.Quadratic(rows[r*n : (r+1)*n])
				if left[r] = c - 1/(float64(n)*(d.mu+shift)); left[r] < decisive*c {
					left[r] = 0
				}
			})
			target, pred := make([]float64, k), make([]float64, k)
			for r, i := range which {
				usable[l] = usable[l] && left[r] != 0
				for t := range k {
					target[t] = d.given.Data[i*d.given.Stride+t]
					pred[t] = target[t] - alpha[t*n+i]/left[r]
				}
				sums[l].add(target, pred, 1)
			}
		}
		return scoresOf(lambdas, usable, sums, k), nil
	})
	if err != nil {
		return nil, nil, 0, err
	}
	f, _ := q.Shift(scores[best].Lambda * scale)
	return transposed(solve(f), k, n, n), scores, best, nil
}

// fitRidgeDual solves the n x n system by float32 products, and again by float64 products if lambda turns out too small
// for these.
func fitRidgeDual(src *source, o RidgeOptions) (*RidgeFit, error) {
	rows, err := src.dualRows()
	if err != nil {
		return nil, err
	}
	if rows.single && o.float32Pays(src.problem()) {
		if k, least := rows.gramFloat32(src.ctx); k != nil && (o.Lambdas == nil || slices.Min(o.Lambdas) >= least) {
			fit, err := fitRidgeGram(src, rows, k, o)
			if err == nil && fit.Lambda >= least || err != nil && !errors.Is(err, domain.ErrParam) {
				return fit, err
			}
		}
	}
	return fitRidgeGram(src, rows, rows.gram(src.ctx), o)
}

// fitRidgeGram is fitRidgeDual for the Gram matrix k of the rows, which it overwrites.
func fitRidgeGram(src *source, rows *dualRows, k []float64, o RidgeOptions) (*RidgeFit, error) {
	n, y, mean, rounded := src.n, src.memory.Y.RawMatrix(), floats.Dot(rows.mean, rows.mean), roundedRows
	if rows.x != nil {
		rounded = roundedKernel // of products that are not centred
	}
	var err error
	lambda := o.lambda(n)
	var scores []fits.LambdaScore
	dual := newRidgeDual(k, n, y)
	scale, err := penaltyScale("Ridge", dual.spread, mean, rounded)
	if err != nil {
		return nil, err
	}
	var alpha []float64
	if o.Select == SelectLOO || o.chooses(n, nil) {
		var which []int
		if o.Select == SelectAuto && n > scoredRows {
			which = data.Shuffle(n, o.Seed)[:scoredRows]
		}
		var best int
		if alpha, scores, best, err = dual.leaveOneOut(src.ctx, which, o.grid(n, 1), scale); err != nil {
			return nil, err
		}
		lambda = scores[best].Lambda
	} else {
		var ok bool
		if alpha, ok = dual.solve(src.ctx, dual.k, lambda*scale); !ok {
			return nil, notPositive("Ridge", n, lambda, lambda*scale)
		}
	}
	s := RidgeStats{n: n, features: src.features, targets: y.Cols, meanZ: rows.mean, meanY: dual.meanY}
	fit, err := s.fit(rows.weights(alpha, y.Cols), lambda)
	if err != nil {
		return nil, err
	}
	fit.Scores, fit.Dual = scores, true
	return fit, nil
}

// all maps every row.
func (s *source) all() (*dualRows, error) {
	rows := &dualRows{n: s.n, d: s.features, z: make([]float64, s.n*s.features), mean: make([]float64, s.features), single: true}
	none := RidgeStats{features: s.features, meanZ: make([]float64, s.features)}
	err := s.each(func(names rowNames, block *tensor.Dense, y *mat.Dense) error {
		if err := checkFinite("Ridge", block, y, names.at); err != nil {
			return err
		}
		b, d := block.Shape()[0], s.features
		rows.single = rows.single && block.Dtype() == tensor.Float32
		none.centred(rows.z[names.first*d:(names.first+b)*d], block)
		for i := range b {
			r := names.first + i
			for j, v := range rows.z[r*d : (r+1)*d] {
				rows.mean[j] += v / float64(s.n)
			}
		}
		return nil
	})
	subtractMean(rows.z, rows.z, rows.mean)
	return rows, err
}

// dualScorer fits lambdas to the rows train and scores them on the rows held, all by entries of k, the lower triangle
// of the Gram matrix of all rows in memory. mean is the squared norm of the mean feature row.
func dualScorer(src *source, k []float64, train, held []int, mean, rounded float64) (func(lambdas []float64) ([]fits.LambdaScore, error), error) {
	n, m, y := src.n, len(train), src.memory.Y.RawMatrix()
	sub, target := make([]float64, m*m), general(m, y.Cols, y.Cols, make([]float64, m*y.Cols))
	for i, r := range train {
		for j, c := range train[:i+1] {
			sub[i*m+j] = k[max(r, c)*n+min(r, c)]
		}
		copy(target.Data[i*y.Cols:], y.Data[r*y.Stride:r*y.Stride+y.Cols])
	}
	cross := make([]float64, len(held)*m)
	for i, r := range held {
		for j, c := range train {
			cross[i*m+j] = k[max(r, c)*n+min(r, c)]
		}
	}
	dual := newRidgeDual(sub, m, target)
	scale, err := penaltyScale("Ridge", dual.spread, mean, rounded)
	if err != nil {
		return nil, err
	}
	work := make([]float64, m*m)
	return func(lambdas []float64) ([]fits.LambdaScore, error) {
		sums, usable := make([]lossSums, len(lambdas)), make([]bool, len(lambdas))
		for l, lambda := range lambdas {
			if err := src.cancelled(); err != nil {
				return nil, err
			}
			copy(work, sub)
			var alpha []float64
			if alpha, usable[l] = dual.solve(src.ctx, work, lambda*scale); !usable[l] {
				continue
			}
			pred := slices.Repeat(dual.intercept(alpha), len(held))
			at := transposed(alpha, m, y.Cols, y.Cols)
			addProduct(1, general(len(held), m, m, cross), general(y.Cols, m, m, at), general(len(held), y.Cols, y.Cols, pred))
			for i, r := range held {
				sums[l].add(y.Data[r*y.Stride:r*y.Stride+y.Cols], pred[i*y.Cols:(i+1)*y.Cols], 1)
			}
		}
		return scoresOf(lambdas, usable, sums, y.Cols), nil
	}, nil
}
