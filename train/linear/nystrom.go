package linear

import (
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// nystrom is a preconditioner for γ A + μ I, from A ≈ U Λ Uᵀ with Λ of a small rank r:
//
//	P⁻¹ = U (γ Λ + μ)⁻¹ Uᵀ + (γ λ_r + μ)⁻¹ (I - U Uᵀ),
//
// with λ_r the least of Λ. Frangella, Tropp and Udell (2023), Randomized Nyström preconditioning, (1.3), in the scale
// of the inverse instead of theirs. The sketch is made once and serves every γ and μ.
type nystrom struct {
	d, rank  int
	omega, y []float64 // [D, r]: random, and its product with A, which is U in the end
	values   []float64 // Λ, decreasing; nil: there is no U, and P is a multiple of the identity
	least    float64   // λ_r, also where U has lost columns of small eigenvalues to rounding
	mean     float64   // of the diagonal of A
	rest     float64   // γ λ_r + μ
	gain     []float64 // what P⁻¹ has in each column of U beyond 1/rest
}

func newNystrom(d, rank int, seed uint64) *nystrom {
	p := &nystrom{d: d, rank: rank, omega: make([]float64, d*rank), y: make([]float64, d*rank), rest: 1}
	rng := rand.New(spectral.Stream(seed, "train/nystrom"))
	for i := range p.omega {
		p.omega[i] = rng.NormFloat64()
	}
	return p
}

// factor makes U and Λ from the sketch (algorithm 2.1): with Y = (A + ν I) Ω, C Cᵀ = Ωᵀ Y and B = Y C⁻ᵀ, B Bᵀ
// approximates A + ν I, and the eigenvectors of Bᵀ B give U and Λ. trace is about tr A.
func (p *nystrom) factor(trace float64) {
	d, r := p.d, p.rank
	p.mean = trace / float64(d)
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
		gemm(true, r, r, d, 1, p.omega, r, p.y, r, core.RawSymmetric().Data, r)
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
func (p *nystrom) combine(upper blas64.Triangular, nu float64) {
	d, r := p.d, p.rank
	const piece = 64 // rows
	given.InParallel((d+piece-1)/piece, func(task int) {
		lo, hi := task*piece, min((task+1)*piece, d)
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upper, general(hi-lo, r, r, p.y[lo*r:hi*r]))
	})
	products := make([]float64, r*r)
	gemm(true, r, r, d, 1, p.y, r, p.y, r, products, r)
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
	clear(u)
	gemm(false, d, kept, r, 1, p.y, r, weights, kept, u, kept)
	p.y, p.rank, p.values, p.least = u, kept, values[:kept], max(values[r-1]-nu, 0)
	for i, x := range p.values {
		p.values[i] = max(x-nu, 0)
	}
}

// shift makes P⁻¹ for γ A + μ I.
func (p *nystrom) shift(gamma, mu float64) {
	if p.values == nil {
		p.rest = gamma*p.mean + mu
		return
	}
	p.rest = gamma*p.least + mu
	p.gain = make([]float64, p.rank)
	for i, v := range p.values {
		p.gain[i] = 1/(gamma*v+mu) - 1/p.rest
	}
}

// solve is P⁻¹ x, [D, k].
func (p *nystrom) solve(x []float64, k int) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v / p.rest
	}
	if p.gain == nil {
		return out
	}
	t := make([]float64, p.rank*k)
	gemm(true, p.rank, k, p.d, 1, p.y, p.rank, x, k, t, k)
	for i := range t {
		t[i] *= p.gain[i/k]
	}
	gemm(false, p.d, k, p.rank, 1, p.y, p.rank, t, k, out, k)
	return out
}
