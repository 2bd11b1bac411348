package spectral

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// SignedLaw is a kernel that need not be positive definite: the difference of two expectations over frequencies of
// uniform direction,
//
//	k(x, z) = m₊ E cos(w₊·(x - z)) - m₋ E cos(w₋·(x - z)),
//
// that is, Bochner's theorem for a measure with a sign, which the masses m₊ and m₋ of its parts make finite. Luo et al.
// (2021), theorem 3. The features of the two parts, with the sign of each column beside them, make the kernel an
// indefinite inner product.
type SignedLaw interface {
	Kernel
	// Split returns the two laws in ℝ^d. Where they belong to an approximation of the kernel that is to be chosen, it
	// is the one for m frequencies a sign that are drawn by the coupling.
	Split(d, m int, c Coupling) (*Split, error)
}

// Split is a SignedLaw in ℝ^d, taken apart.
type Split struct {
	Of          SignedLaw
	Plus, Minus Side
	// Error bounds |At - k| on the domain: 0 where the two are the same. It is measured, on a grid of distances.
	Error float64
	// Eps and Flat are what a signed combination of Gaussians was fitted with, given or chosen; 0 for another split.
	Eps, Flat float64
}

// Side is the part of one sign: a mass, and a law that is a mixture.
type Side struct {
	Mass  float64     // of the measure, not below 0
	Parts []Component // none where the mass is 0
}

// Component is a law with its share of the mixture. The shares sum to 1.
type Component struct {
	Share float64
	Law   RadialLaw
}

// Mass is the sum of both masses: the features have the squared norm Mass, and the variance of the estimate is of the
// order Mass²/m.
func (p *Split) Mass() float64 { return p.Plus.Mass + p.Minus.Mass }

// At returns the expectation of the estimate, which is k(x, z) to Error.
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
		sum += s.Mass * c.Share * c.Law.At(x, z)
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

// splitOf sorts weighted laws by sign. They come in the order of their norms, which the couplings make use of.
func splitOf(k SignedLaw, weights []float64, laws []RadialLaw, largestError float64) *Split {
	p := &Split{Of: k, Error: largestError}
	for i, w := range weights {
		side := &p.Plus
		if w < 0 {
			side, w = &p.Minus, -w
		}
		side.Mass += w
		side.Parts = append(side.Parts, Component{w, laws[i]})
	}
	for _, side := range []*Side{&p.Plus, &p.Minus} {
		for i := range side.Parts {
			side.Parts[i].Share /= side.Mass
		}
	}
	return p
}

// constant is the law of the kernel that is 1 everywhere: all frequencies are 0.
type constant struct{}

var _ RadialLaw = constant{}

func (constant) At(_, _ []float64) float64             { return 1 }
func (constant) Domain() Domain                        { return Domain{} }
func (constant) Transform() Transform                  { return Fourier }
func (constant) NormQuantile(_ int, _ float64) float64 { return 0 }
