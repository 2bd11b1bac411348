package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
)

// Domain is the set of inputs on which a kernel is defined.
type Domain = domain.Domain

// The errors of this package wrap one of these; ops and layers use the same ones.
var (
	ErrDomain = domain.ErrDomain
	ErrShape  = domain.ErrShape
	ErrDtype  = domain.ErrDtype
	ErrParam  = domain.ErrParam
)

// Kernel is a kernel function: its exact value and where it is defined.
type Kernel interface {
	// At returns k(x, z) for two rows of the same length. It does not check the domain; Gram does. It panics when
	// the lengths differ. Of a kernel that Validate refuses it may be any number, and is NaN where a part is missing.
	At(x, z []float64) float64
	// Domain is the set of inputs for which At is defined.
	Domain() Domain
}

// Gradienter is a kernel that knows its gradient.
type Gradienter interface {
	Kernel
	// Gradient writes ∂k(x, z)/∂x into dst and returns it; a nil dst is allocated. It panics when the lengths differ.
	Gradient(dst, x, z []float64) []float64
}

// Validator is a kernel that can tell whether its parameters are in range. Everything that takes a kernel asks.
type Validator interface {
	// Validate returns an error that wraps ErrParam, or nil.
	Validate() error
}

// Transform says how a random frequency w becomes features, that is, which expectation the kernel is.
type Transform int

const (
	// Fourier: k(x, z) = E cos(w·(x - z)), by Bochner's theorem.
	Fourier Transform = iota + 1
	// Laplace: k(x, z) = E exp(-w·(x + z)), w >= 0, by the theorem of Berg, Christensen and Ressel.
	Laplace
	// LogFourier: k(x, z) = E cos(w·(ln(x + c) - ln(z + c))), Bochner's theorem on the skewed multiplicative group.
	// A kernel of this kind is a Shifter.
	LogFourier
)

func (t Transform) String() string {
	switch t {
	case Fourier:
		return "Fourier"
	case Laplace:
		return "Laplace"
	case LogFourier:
		return "LogFourier"
	default:
		return fmt.Sprintf("Transform(%d)", int(t))
	}
}

// Random is a kernel that is an expectation over random frequencies. What is known of the law of a frequency are the
// interfaces Law, ProductLaw and RadialLaw; a kernel has at least one of them.
type Random interface {
	Kernel
	Transform() Transform
}

// Law draws a whole frequency. It is all that Algorithm 1 of Yang et al. (2014) asks for, so a kernel of the user's
// own needs no more than this (see Custom).
type Law interface {
	Random
	// Draw fills dst, of length d, with one frequency. It panics when rng is nil.
	Draw(dst []float64, rng *rand.Rand)
}

// ProductLaw is a law with independent, identically distributed coordinates.
type ProductLaw interface {
	Random
	// Quantile is the inverse distribution function of one coordinate, for 0 < p < 1.
	Quantile(p float64) float64
}

// RadialLaw is a law whose direction is uniform on the sphere and independent of its norm.
type RadialLaw interface {
	Random
	// NormQuantile is the inverse distribution function of ‖w‖₂ in ℝ^d, for 0 < p < 1.
	NormQuantile(d int, p float64) float64
}

// Shifter is a LogFourier kernel; Shift is its c.
type Shifter interface {
	Random
	Shift() float64
}

// validate asks a kernel for its parameters, if it can tell. A nil kernel is an error.
func validate(k Kernel) error {
	if domain.IsNil(k) {
		return fmt.Errorf("spectral: no kernel: it is nil; give one, as spectral.Gaussian{Sigma: 1}: %w", ErrParam)
	}
	if v, ok := k.(Validator); ok {
		return v.Validate()
	}
	return nil
}

// absent stands for a kernel that is missing in another: every number of it is NaN.
type absent struct{}

var _ Homogeneous = absent{}

func (absent) At(_, _ []float64) float64 { return math.NaN() }
func (absent) Domain() Domain            { return Domain{} }
func (absent) Signature(float64) float64 { return math.NaN() }
func (absent) Spectrum(float64) float64  { return math.NaN() }
func (absent) Degree() float64           { return math.NaN() }
func (absent) Extension() Negative       { return RejectNegative }

// present is k, or absent for a nil one.
func present(k Homogeneous) Homogeneous {
	if domain.IsNil(k) {
		return absent{}
	}
	return k
}

// needsSource panics when there is nothing to draw from: a mistake of the caller that no result could express.
func needsSource(rng *rand.Rand) {
	if rng == nil {
		panic("spectral: the source of random numbers, rng, is nil")
	}
}

// positive is the check of a parameter that must be a finite number above 0.
func positive(kernel, field string, v float64) error {
	if v > 0 && v-v == 0 {
		return nil
	}
	return fmt.Errorf("spectral: %s: %s = %v is not a finite number above 0: %w", kernel, field, v, ErrParam)
}

// sameLength panics when two rows cannot be compared: a mistake of the caller that no result could express.
func sameLength(x, z []float64) {
	if len(x) != len(z) {
		panic(fmt.Sprintf("spectral: x has %d coordinates and z has %d", len(x), len(z)))
	}
}

// checkLengths is sameLength for what returns an error.
func checkLengths(x, z []float64) error {
	if len(x) != len(z) {
		return fmt.Errorf("spectral: x has %d coordinates and z has %d: %w", len(x), len(z), ErrShape)
	}
	return nil
}

// gradientDst returns dst, allocated if nil.
func gradientDst(dst, x []float64) []float64 {
	if dst == nil {
		return make([]float64, len(x))
	}
	sameLength(dst, x)
	return dst
}
