package main

import (
	"log"
	"math"

	"gonum.org/v1/gonum/mat"
)

// process is the exact Gaussian process with the covariance (σ²/ρ) k(x, x'), the noise σ² and a flat prior on its mean,
// given points of one dimension; Rasmussen and Williams (2006), (2.41) and (2.42).
type process struct {
	x, alpha, one []float64 // one is (K + ρI)⁻¹ 1
	mean, mass    float64
	noise, rho    float64
	k             func(a, b float64) float64
	factor        mat.Cholesky
}

func newProcess(k func(a, b float64) float64, x, y []float64, noise, rho float64) *process {
	n := len(x)
	p := &process{x: x, noise: noise, rho: rho, k: k}
	gram := mat.NewSymDense(n, nil)
	ones := mat.NewVecDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			gram.SetSym(i, j, k(x[i], x[j]))
		}
		gram.SetSym(i, i, gram.At(i, i)+rho)
		ones.SetVec(i, 1)
	}
	if !p.factor.Factorize(gram) {
		log.Fatal("the kernel matrix has no Cholesky factor")
	}
	p.one = p.solve(ones)
	p.mass = mat.Dot(ones, mat.NewVecDense(n, p.one))
	p.mean = mat.Dot(mat.NewVecDense(n, y), mat.NewVecDense(n, p.one)) / p.mass
	off := mat.NewVecDense(n, nil)
	for i := range n {
		off.SetVec(i, y[i]-p.mean)
	}
	p.alpha = p.solve(off)
	return p
}

func (p *process) solve(v mat.Vector) []float64 {
	var out mat.VecDense
	if err := p.factor.SolveVecTo(&out, v); err != nil {
		log.Fatal(err)
	}
	return out.RawVector().Data
}

// at is the mean and the standard deviation of the function.
func (p *process) at(x []float64) (mean, std []float64) {
	for _, x := range x {
		k := mat.NewVecDense(len(p.x), nil)
		for i, at := range p.x {
			k.SetVec(i, p.k(x, at))
		}
		left := 1 - mat.Dot(k, mat.NewVecDense(len(p.one), p.one))
		v := p.k(x, x) - mat.Dot(k, mat.NewVecDense(len(p.x), p.solve(k))) + left*left/p.mass
		mean = append(mean, p.mean+mat.Dot(k, mat.NewVecDense(len(p.alpha), p.alpha)))
		std = append(std, math.Sqrt(p.noise/p.rho*v))
	}
	return mean, std
}
