package linear

import (
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"gonum.org/v1/gonum/mat"
)

// nystrom is the preconditioner of FitRidgeCG, from A ≈ U Λ Uᵀ with Λ of a small rank:
//
//	P⁻¹ = I + U ((λ_r + μ)(Λ + μ)⁻¹ - I) Uᵀ,
//
// in which μ is the shift and λ_r the least of Λ. Frangella, Tropp and Udell (2023), (1.3), in their scale.
type nystrom struct {
	d, rank  int
	omega, y []float64 // [D, rank]: random, and its product with A, which is U in the end
	gain     []float64 // of each column of U; nil: P is the identity
}

func newNystrom(d, rank int, seed uint64) *nystrom {
	p := &nystrom{d: d, rank: rank, omega: make([]float64, d*rank), y: make([]float64, d*rank)}
	rng := rand.New(spectral.Stream(seed, "train/nystrom"))
	for i := range p.omega {
		p.omega[i] = rng.NormFloat64()
	}
	return p
}

// factor makes U and Λ of the sketch (algorithm 2.1): with Y = (A + ν I) Ω and C Cᵀ = Ωᵀ Y, those of A + ν I are the left singular vectors and the
// squares of the singular values of Y C⁻ᵀ. They come from the matrix of its columns' products, which loses only directions that
// the preconditioner leaves alone. trace bounds that of A. Without a factor the preconditioner is the identity.
func (p *nystrom) factor(shift, trace float64) {
	d, r := p.d, p.rank
	if r == 0 {
		return
	}
	nu := 1e-12 * trace
	for i, v := range p.omega {
		p.y[i] += nu * v
	}
	core := mat.NewSymDense(r, nil)
	gemm(true, r, r, d, 1, p.omega, r, p.y, r, core.RawSymmetric().Data, r)
	var chol mat.Cholesky
	if !chol.Factorize(core) {
		return
	}
	products := make([]float64, r*r) // Yᵀ Y
	gemm(true, r, r, d, 1, p.y, r, p.y, r, products, r)
	var c mat.TriDense
	chol.LTo(&c)
	var inner, half mat.Dense // C⁻¹ Yᵀ Y C⁻ᵀ
	if half.Solve(&c, mat.NewDense(r, r, products)) != nil || inner.Solve(&c, half.T()) != nil {
		return
	}
	sym := mat.NewSymDense(r, nil)
	for i := range r {
		for j := range i + 1 {
			sym.SetSym(i, j, (inner.At(i, j)+inner.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		return
	}
	p.combine(&c, &e, shift, nu)
}

// combine puts U = Y C⁻ᵀ V Σ⁻¹ into y, and the gains beside it.
func (p *nystrom) combine(c *mat.TriDense, e *mat.EigenSym, shift, nu float64) {
	r := p.rank
	values := e.Values(nil) // Σ², ascending
	var v, weights mat.Dense
	e.VectorsTo(&v)
	const least = 1e-10 // below it a direction has lost its digits
	first := 0
	for first < r && !(values[first] > least*values[r-1]) {
		first++
	}
	if first == r || weights.Solve(c.T(), &v) != nil {
		return
	}
	at := func(i int) float64 { return max(values[i]-nu, 0) + shift }
	p.gain = make([]float64, r)
	for i := range r {
		scale := 0.0
		if i >= first {
			scale = 1 / math.Sqrt(values[i])
			p.gain[i] = at(first)/at(i) - 1
		}
		for j := range r {
			weights.Set(j, i, weights.At(j, i)*scale)
		}
	}
	u := p.omega // is no longer needed
	clear(u)
	gemm(false, p.d, r, r, 1, p.y, r, weights.RawMatrix().Data, r, u, r)
	p.omega, p.y = nil, u
}

// solve is P⁻¹ x, [D, k].
func (p *nystrom) solve(x []float64, k int) []float64 {
	out := append([]float64(nil), x...)
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
