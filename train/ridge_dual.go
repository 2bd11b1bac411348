package train

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// ridgeDual is the ridge problem in the space of the rows: α = (Kc + λI)⁻¹ Yc with Kc = H K H, H = I - 1 1ᵀ/n, the Gram
// matrix of the centred features.
//
// The vector of ones is an eigenvector of Kc with the value 0, and no centred target has a part along it; its value is
// set to mu, the mean of the others, which changes nothing but the condition of the matrix.
type ridgeDual struct {
	n, targets int
	k          []float64 // Kc + mu 1 1ᵀ/n, lower triangle
	rowMean    []float64 // of K
	mean, mu   float64   // the mean of rowMean; the value of the ones
	y          []float64 // Yc, [n, targets]
	meanY      []float64
}

// newRidgeDual centres k, of which it reads and overwrites the lower triangle, and y, [n, targets], which it copies.
func newRidgeDual(k []float64, n int, y blas64.General) *ridgeDual {
	d := &ridgeDual{n: n, targets: y.Cols, k: k, rowMean: make([]float64, n), meanY: make([]float64, y.Cols), y: make([]float64, n*y.Cols)}
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
		d.mu += k[i*n+i] / float64(n)
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
func (d *ridgeDual) solve(k []float64, shift float64) (alpha []float64, ok bool) {
	l, ok := ridgeCholesky(k, d.n, shift)
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

// leaveOneOut scores every lambda, in the unit of K. With C = (Kc + mu 1 1ᵀ/n + λI)⁻¹ the residual is λ αᵢ and
// 1 - hᵢᵢ = λ (Cᵢᵢ - 1/(n(mu + λ))), so the error without row i is αᵢ over that bracket. One tridiagonal reduction
// serves all lambdas. It overwrites d.k.
func (d *ridgeDual) leaveOneOut(lambdas []float64, scale float64) []LambdaScore {
	n, k := d.n, d.targets
	q := newTridiagonal(d.k, n)
	rows := make([]float64, n*n) // I Q: row i gives Cᵢᵢ
	for i := range n {
		rows[i*n+i] = 1
	}
	q.rotate(rows, n, false)
	y := transposed(d.y, n, k, k)
	q.rotate(y, k, false)
	sums, usable := make([]float64, len(lambdas)), make([]bool, len(lambdas))
	for l, lambda := range lambdas {
		var f ldl
		shift := lambda * scale
		if f, usable[l] = q.factor(shift); !usable[l] {
			continue
		}
		alpha := slices.Clone(y)
		for t := range k {
			f.solve(alpha[t*n : (t+1)*n])
		}
		q.rotate(alpha, k, true)
		errs := make([]float64, n)
		inParallel(n, func(i int) {
			c := f.quadratic(rows[i*n : (i+1)*n])
			left := c - 1/(float64(n)*(d.mu+shift))
			for t := range k {
				e := alpha[t*n+i] / left
				errs[i] += e * e
			}
			if left < decisive*c {
				errs[i] = math.Inf(1)
			}
		})
		for _, e := range errs {
			sums[l] += e
		}
	}
	return scoresOf(lambdas, usable, sums, float64(n*k))
}

// fitRidgeDual solves the n x n system.
func fitRidgeDual(src *rowSource, o RidgeOptions) (*RidgeFit, error) {
	rows, err := src.dualRows()
	if err != nil {
		return nil, err
	}
	scale := meanOf(rows.norms, nil)
	if err := checkScale(scale); err != nil {
		return nil, err
	}
	n, y, k := src.n, src.y.RawMatrix(), rows.gram()
	var scores []LambdaScore
	switch o.Select {
	case SelectLOO:
		scores = newRidgeDual(slices.Clone(k), n, y).leaveOneOut(o.Lambdas, scale)
	case SelectHeldOut:
		scores, err = dualHeldOut(src, k, rows.norms, o)
	}
	if err != nil {
		return nil, err
	}
	best := 0
	if scores != nil {
		if best, err = bestScore(scores); err != nil {
			return nil, err
		}
	}
	dual := newRidgeDual(k, n, y)
	alpha, ok := dual.solve(dual.k, o.Lambdas[best]*scale)
	if !ok {
		return nil, notPositive("Ridge", n, o.Lambdas[best], o.Lambdas[best]*scale)
	}
	s := RidgeStats{n: n, features: src.features, targets: y.Cols, meanZ: rows.mean, meanY: dual.meanY}
	fit, err := s.fit(rows.weights(alpha, y.Cols), o.Lambdas[best])
	if err != nil {
		return nil, err
	}
	fit.Scores, fit.Dual = scores, true
	return fit, nil
}

// all maps every row and returns the features less their means, [n, D], the squared norm of each row before that, and
// the means.
func (s *rowSource) all() (z, norms, mean []float64, err error) {
	z, norms, mean = make([]float64, s.n*s.features), make([]float64, s.n), make([]float64, s.features)
	none := RidgeStats{features: s.features, meanZ: make([]float64, s.features)}
	err = s.each(nil, func(rows rowNames, block *tensor.Dense, y *mat.Dense) error {
		if err := checkFinite("Ridge", block, y, rows.at); err != nil {
			return err
		}
		b, d := block.Shape()[0], s.features
		none.centred(z[rows.first*d:(rows.first+b)*d], block)
		for i := range b {
			r := rows.first + i
			for j, v := range z[r*d : (r+1)*d] {
				norms[r] += v * v
				mean[j] += v / float64(s.n)
			}
		}
		return nil
	})
	subtractMean(z, z, mean)
	return z, norms, mean, err
}

// dualHeldOut fits every lambda to the rows that are kept and scores it on the others, all by entries of k, the lower
// triangle of the Gram matrix of all rows.
func dualHeldOut(src *rowSource, k, norms []float64, o RidgeOptions) ([]LambdaScore, error) {
	train, held := ridgeSplit(src.n, o)
	n, m, y := src.n, len(train), src.y.RawMatrix()
	sub, target := make([]float64, m*m), general(m, y.Cols, y.Cols, make([]float64, m*y.Cols))
	for i, r := range train {
		for j, c := range train[:i+1] {
			sub[i*m+j] = k[r*n+c]
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
	scale := meanOf(norms, train)
	sums, usable := make([]float64, len(o.Lambdas)), make([]bool, len(o.Lambdas))
	work := make([]float64, m*m)
	for l, lambda := range o.Lambdas {
		if err := src.cancelled(); err != nil {
			return nil, err
		}
		copy(work, sub)
		var alpha []float64
		if alpha, usable[l] = dual.solve(work, lambda*scale); !usable[l] {
			continue
		}
		b := dual.intercept(alpha)
		at := transposed(alpha, m, y.Cols, y.Cols)
		pred := make([]float64, len(held)*y.Cols)
		addProduct(1, general(len(held), m, m, cross), general(y.Cols, m, m, at), general(len(held), y.Cols, y.Cols, pred))
		for i, r := range held {
			for t, v := range y.Data[r*y.Stride : r*y.Stride+y.Cols] {
				e := v - b[t] - pred[i*y.Cols+t]
				sums[l] += e * e
			}
		}
	}
	return scoresOf(o.Lambdas, usable, sums, float64(len(held)*y.Cols)), nil
}

// meanOf is the mean of v at index, or of all of it.
func meanOf(v []float64, index []int) float64 {
	sum := 0.0
	if index == nil {
		for _, x := range v {
			sum += x / float64(len(v))
		}
		return sum
	}
	for _, i := range index {
		sum += v[i] / float64(len(index))
	}
	return sum
}
