package linear

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// gaussianProcess is y = f + b + noise on n rows, f of the covariance (σ²/ρ) ZZᵀ and b uniform, by its definition.
type gaussianProcess struct {
	rho  float64
	f    mat.Cholesky // of ZZᵀ + ρI
	c1   mat.VecDense // its solution for ones
	ones *mat.VecDense
	y    *mat.VecDense // the last targets, and their solution
	cy   mat.VecDense
}

func newProcess(gram *mat.Dense, rho float64) *gaussianProcess {
	n, _ := gram.Dims()
	p := &gaussianProcess{rho: rho, ones: mat.NewVecDense(n, nil)}
	c := mat.NewSymDense(n, nil)
	for i := range n {
		p.ones.SetVec(i, 1)
		for j := range i + 1 {
			c.SetSym(i, j, gram.At(i, j))
		}
		c.SetSym(i, i, gram.At(i, i)+rho)
	}
	if !p.f.Factorize(c) {
		panic("not positive definite")
	}
	_ = p.f.SolveVecTo(&p.c1, p.ones)
	return p
}

// at is the mean of y given the rows, and the variance in the unit of σ², for the covariances k with the rows and kxx
// with itself.
func (p *gaussianProcess) at(y, k *mat.VecDense, kxx float64) (mean, variance float64) {
	if p.y != y {
		p.y = y
		_ = p.f.SolveVecTo(&p.cy, y)
	}
	var ck mat.VecDense
	_ = p.f.SolveVecTo(&ck, k)
	s := mat.Dot(p.ones, &p.c1)
	b := mat.Dot(p.ones, &p.cy) / s
	left := 1 - mat.Dot(p.ones, &ck)
	mean = mat.Dot(k, &p.cy) + b*left
	return mean, (kxx - mat.Dot(k, &ck) + left*left/s) / p.rho
}

// logDensity is that of the differences of y for the noise σ²; ½ ln n belongs to the unit of b.
func (p *gaussianProcess) logDensity(y *mat.VecDense, noise float64) (log, q float64) {
	var cy mat.VecDense
	_ = p.f.SolveVecTo(&cy, y)
	n, s := float64(y.Len()), mat.Dot(p.ones, &p.c1)
	q = p.rho * (mat.Dot(y, &cy) - math.Pow(mat.Dot(p.ones, &cy), 2)/s)
	// |(σ²/ρ) C| and the sum of its inverse
	det := p.f.LogDet() + n*math.Log(noise/p.rho)
	return -.5 * (q/noise + det + math.Log(s*p.rho/noise/n) + (n-1)*math.Log(2*math.Pi)), q
}
