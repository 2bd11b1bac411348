package spectral

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// SignedLaw is a kernel, not necessarily positive definite, that is the difference of two expectations over frequencies
// of uniform direction,
//
//	k(x, z) = m₊ E cos(w₊·(x - z)) - m₋ E cos(w₋·(x - z)).
//
// This is Bochner's theorem for a signed measure whose two parts have the finite masses m₊ and m₋. Luo et al. (2021),
// theorem 3. The features of both parts, each column with its sign, make the kernel an indefinite inner product.
type SignedLaw interface {
	Kernel
	// Split returns the two laws in ℝ^d, which may give the kernel on the unit sphere alone. Where the kernel must be
	// approximated, and the approximation is not given, it is chosen for m frequencies of each sign that the coupling
	// draws.
	Split(d, m int, c Coupling) (*Split, error)
}

// Split is a SignedLaw in ℝ^d as a combination of laws of either sign.
type Split struct {
	Of    SignedLaw
	On    Domain      // where the laws give the kernel
	Parts []Component // k(x, z) ≈ Σ Weight·Of(x, z)
	// Error bounds |At - k| on On, as measured on a grid of distances. It is 0 where both are the same.
	Error float64
	// Eps and Flat are the given or chosen arguments of the fit of a signed combination of Gaussians, else 0.
	Eps, Flat float64
}

// Component is a kernel with the NormQuantile of its law, and its weight. The components of a sign come in the order of
// their norms, on which the couplings rely.
type Component struct {
	Weight float64
	Of     Random
}

// side is the part of a Split of one sign, a mixture.
type side struct {
	mass   float64
	parts  []Random
	shares []float64  // of the mass
	of     []*cosines // of the parts, at a distance
}

// sides returns the two mixtures.
func (p *Split) sides() (both [2]side) {
	for _, c := range p.Parts {
		s := &both[0]
		if c.Weight < 0 {
			s, c.Weight = &both[1], -c.Weight
		}
		s.mass += c.Weight
		s.parts, s.shares = append(s.parts, c.Of), append(s.shares, c.Weight)
	}
	for _, s := range both {
		for i := range s.shares {
			s.shares[i] /= s.mass
		}
	}
	return both
}

// Masses returns m₊ and m₋, the sums of the weights of each sign. Their sum is the squared norm of a feature vector,
// and the variance of the estimate is of the order of its square over m.
func (p *Split) Masses() (plus, minus float64) {
	both := p.sides()
	return both[0].mass, both[1].mass
}

// At returns the expectation of the estimate, which differs from k(x, z) by at most Error.
func (p *Split) At(x, z []float64) float64 {
	if p.Error == 0 {
		if domain.IsNil(p.Of) {
			return math.NaN()
		}
		return p.Of.At(x, z)
	}
	sum := 0.
	for _, c := range p.Parts {
		sum += c.Weight * c.Of.At(x, z)
	}
	return sum
}

func (p *Split) String() string {
	off := "exact"
	if p.Error > 0 {
		off = fmt.Sprintf("error at most %.2g", p.Error)
	}
	both := p.sides()
	return fmt.Sprintf("masses %.4g and %.4g, %d and %d components, %s",
		both[0].mass, both[1].mass, len(both[0].parts), len(both[1].parts), off)
}

// constant is the kernel 1: all frequencies are 0.
type constant struct{}

func (constant) At(_, _ []float64) float64 { return 1 }
func (constant) Domain() Domain            { return Domain{} }
func (constant) Law() Law {
	return Law{Transform: Fourier, NormQuantile: func(int, float64) float64 { return 0 }}
}
