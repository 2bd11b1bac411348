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

// Split holds the two laws of a SignedLaw in ℝ^d.
type Split struct {
	Of          SignedLaw
	On          Domain // where the laws give the kernel
	Plus, Minus Side
	// Error bounds |At - k| on On, as measured on a grid of distances. It is 0 where both are the same.
	Error float64
	// Eps and Flat are the given or chosen arguments of the fit of a signed combination of Gaussians, else 0.
	Eps, Flat float64
}

// Side is the part of a Split of one sign: its mass and its law, a mixture.
type Side struct {
	Mass  float64     // of the measure, >= 0
	Parts []Component // empty where the mass is 0
}

// Component is a kernel with the NormQuantile of its law, and its share of the mixture. The shares of a Side sum to 1.
type Component struct {
	Share float64
	Of    Random
}

// Mass returns the sum of both masses. It is the squared norm of a feature vector, and the variance of the estimate is
// of the order Mass²/m.
func (p *Split) Mass() float64 { return p.Plus.Mass + p.Minus.Mass }

// At returns the expectation of the estimate, which differs from k(x, z) by at most Error.
func (p *Split) At(x, z []float64) float64 {
	if p.Error == 0 {
		if domain.IsNil(p.Of) {
			return math.NaN()
		}
		return p.Of.At(x, z)
	}
	return p.Plus.at(x, z) - p.Minus.at(x, z)
}

func (s Side) at(x, z []float64) float64 {
	sum := 0.
	for _, c := range s.Parts {
		sum += s.Mass * c.Share * c.Of.At(x, z)
	}
	return sum
}

func (p *Split) String() string {
	off := "exact"
	if p.Error > 0 {
		off = fmt.Sprintf("error at most %.2g", p.Error)
	}
	return fmt.Sprintf("masses %.4g and %.4g, %d and %d components, %s",
		p.Plus.Mass, p.Minus.Mass, len(p.Plus.Parts), len(p.Minus.Parts), off)
}

// splitOf sorts weighted kernels by sign. They must come in the order of their norms, on which the couplings rely.
func splitOf(k SignedLaw, weights []float64, of []Random, largestError float64) *Split {
	p := &Split{Of: k, On: k.Domain(), Error: largestError}
	for i, w := range weights {
		side := &p.Plus
		if w < 0 {
			side, w = &p.Minus, -w
		}
		side.Mass += w
		side.Parts = append(side.Parts, Component{w, of[i]})
	}
	for _, side := range []*Side{&p.Plus, &p.Minus} {
		for i := range side.Parts {
			side.Parts[i].Share /= side.Mass
		}
	}
	return p
}

// constant is the kernel 1: all frequencies are 0.
type constant struct{}

func (constant) At(_, _ []float64) float64 { return 1 }
func (constant) Domain() Domain            { return Domain{} }
func (constant) Law() Law {
	return Law{Transform: Fourier, NormQuantile: func(int, float64) float64 { return 0 }}
}
