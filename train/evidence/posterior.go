package evidence

import (
	"context"
	"math"

	"github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/train/internal/factor"
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// posterior is ridge regression on n rows of D features for one ρ, by the smaller of two systems. Its matrices are
// row-major without gaps.
//
//	D < n     G = ZᵀZ + ρI         P = (H - Z G⁻¹ Zᵀ)/ρ        PZ = Z G⁻¹
//	D >= n    C = ZZᵀ + ρI + μ11ᵀ/n    P = C⁻¹ - 11ᵀ/(n(ρ+μ))
//
// with H = I - 11ᵀ/n. The features Z and the targets y have the column means 0. μ has the size of the kernel, so that C
// is well conditioned.
type posterior struct {
	n, d, k int
	z       []float64 // Z [n, D], written by the caller
	y       []float64 // [n, k], of unit variance

	m      int       // the size of the system
	gram   []float64 // ZᵀZ or ZZᵀ + μ11ᵀ/n, [m, m], the lower triangle
	mu     float64
	spread float64          // the mean squared norm of a row of Z
	rho    float64          // ρ of the fields below
	factor *factor.Cholesky // in half
	half   []float64        // L; after marginalGradient L⁻¹
	inv    []float64        // G⁻¹ or P, by marginalGradient
	alpha  []float64        // P y [n, k]
	q      []float64        // yᵀPy [k]
	logP   float64          // ln|P| among vectors with the sum 0
	a      []float64        // Zᵀ P y [k, D]
	grad   []float64        // [n, D]
}

func newPosterior(n, d, k int, y []float64) *posterior {
	p := &posterior{n: n, d: d, k: k, y: y, m: min(n, d)}
	p.z, p.grad = make([]float64, n*d), make([]float64, n*d)
	for _, v := range []*[]float64{&p.gram, &p.inv, &p.half} {
		*v = make([]float64, p.m*p.m)
	}
	p.alpha, p.q, p.a = make([]float64, n*k), make([]float64, k), make([]float64, k*d)
	return p
}

// dual says whether the system is the one of the rows.
func (p *posterior) dual() bool { return p.d >= p.n }

// centre subtracts the column means from a [rows, cols].
func centre(a []float64, rows, cols int) {
	mean := make([]float64, cols)
	for i := range rows {
		floats.Add(mean, a[i*cols:(i+1)*cols])
	}
	floats.Scale(-1/float64(rows), mean)
	for i := range rows {
		floats.Add(a[i*cols:(i+1)*cols], mean)
	}
}

// features takes the features in z. It returns false if they are not finite, or the same in all rows.
func (p *posterior) features() (ok bool) {
	centre(p.z, p.n, p.d)
	fast := blas.Implementation{}
	if p.dual() {
		fast.Dsyrk(gonum.Lower, gonum.NoTrans, p.n, p.d, 1, p.z, p.d, 0, p.gram, p.n)
	} else {
		fast.Dsyrk(gonum.Lower, gonum.Trans, p.d, p.n, 1, p.z, p.d, 0, p.gram, p.d)
	}
	p.spread = 0
	for i := range p.m {
		p.spread += p.gram[i*p.m+i] / float64(p.n)
	}
	if p.dual() {
		p.mu = p.spread
		for i := range p.n {
			floats.AddConst(p.mu/float64(p.n), p.gram[i*p.n:i*p.n+i+1])
		}
	}
	return p.spread > 0 && p.spread <= math.MaxFloat64
}

// solve computes alpha, q and logP for ρ. It returns false if the system is not positive definite to working precision.
func (p *posterior) solve(rho float64) (ok bool) {
	p.rho = rho
	copy(p.half, p.gram)
	if p.factor, ok = factor.Of(context.Background(), p.half, p.m, rho); !ok {
		return false
	}
	p.logP = -p.factor.LogDet()
	if p.dual() {
		p.logP += math.Log(rho + p.mu)
		copy(p.alpha, p.y)
		p.factor.Solve(p.alpha)
		factor.Product(gonum.Trans, gonum.NoTrans, p.k, p.d, p.n, 1, p.alpha, p.z, 0, p.a)
	} else {
		p.logP -= float64(p.n-1-p.d) * math.Log(rho)
		w := make([]float64, p.d*p.k) // G⁻¹ Zᵀ y, and alpha is (y - Z w)/ρ
		factor.Product(gonum.Trans, gonum.NoTrans, p.d, p.k, p.n, 1, p.z, p.y, 0, w)
		p.factor.Solve(w)
		copy(p.alpha, p.y)
		factor.Product(gonum.NoTrans, gonum.NoTrans, p.n, p.k, p.d, -1/rho, p.z, w, 1/rho, p.alpha)
		for t := range p.k {
			for j := range p.d {
				p.a[t*p.d+j] = w[j*p.k+t]
			}
		}
	}
	// yᵀPy = ρ‖Py‖² + ‖ZᵀPy‖² has no differences.
	for t := range p.k {
		p.q[t] = math.Pow(floats.Norm(p.a[t*p.d:(t+1)*p.d], 2), 2)
		for i := range p.n {
			v := p.alpha[i*p.k+t]
			p.q[t] += rho * v * v
		}
	}
	return true
}

// marginal is minus the log marginal likelihood, as a mean over rows and targets.
func (p *posterior) marginal() float64 {
	return -factor.LogEvidence(float64(p.n-1), -p.logP, p.q, nil) / float64(p.n*p.k)
}

// marginalGradient writes the gradient of marginal with respect to Z to grad and returns the derivative with respect to
// ln ρ:
//
//	k P Z - (n-1) Σₜ (P yₜ)(P yₜ)ᵀ Z/qₜ      ½ρ [k tr P - (n-1) Σₜ ‖P yₜ‖²/qₜ]
func (p *posterior) marginalGradient() (lnRho float64) {
	blas.Implementation{}.Dsyrk(gonum.Lower, gonum.Trans, p.m, p.m, 1, p.factor.Inverse(), p.m, 0, p.inv, p.m)
	dense.Mirror(p.inv, p.m, gonum.Lower)
	left, right, rest := p.z, p.inv, float64(p.n-1-p.d)/p.rho // the factors of P Z, and what tr P has beside inv
	if p.dual() {
		floats.AddConst(-1/(float64(p.n)*(p.rho+p.mu)), p.inv)
		left, right, rest = p.inv, p.z, 0
	}
	factor.Product(gonum.NoTrans, gonum.NoTrans, p.n, p.d, p.m, 1, left, right, 0, p.grad)
	trace := 0.
	for i := range p.m {
		trace += p.inv[i*p.m+i]
	}
	f, scale := float64(p.n-1), 1/float64(p.n*p.k)
	weighted := append([]float64(nil), p.alpha...)
	for i, v := range p.alpha {
		weighted[i] *= f / p.q[i%p.k]
		lnRho -= v * weighted[i]
	}
	factor.Product(gonum.NoTrans, gonum.NoTrans, p.n, p.d, p.k, -scale, weighted, p.a, float64(p.k)*scale, p.grad)
	return p.rho * scale * (lnRho + float64(p.k)*(trace+rest)) / 2
}
