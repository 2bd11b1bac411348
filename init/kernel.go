package spectral

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
)

// Domain is the set of inputs on which a kernel is defined, see domain.Domain.
type Domain = domain.Domain

// Errors of this package wrap one of these. The packages ops and layers use the same ones.
var (
	ErrDomain = domain.ErrDomain // data outside the domain of a kernel
	ErrShape  = domain.ErrShape  // lengths or shapes that do not fit
	ErrDtype  = domain.ErrDtype  // an element type other than float32 or float64
	ErrParam  = domain.ErrParam  // a parameter out of range

	ErrSampler = errors.New("does not fit") // a sampler and the law of a kernel
)

// The largest order of Harmonics, order of LogWaves, and number of frequencies of a DensityDistance.
const (
	MaxOrder   = 100
	MaxWaves   = 16
	MaxLambdas = 1 << 16
)

// Kernel is a kernel function: its exact value and where it is defined.
type Kernel interface {
	// At returns k(x, z) for two rows of the same length. It panics when the lengths differ. It does not check the
	// domain; Gram does. For a kernel that Validate refuses the result is undefined, and NaN where a part of the kernel
	// is nil.
	At(x, z []float64) float64
	// Domain is the set of inputs for which At is defined.
	Domain() Domain
}

// Gradienter is a kernel with a gradient.
type Gradienter interface {
	Kernel
	// Gradient writes ∂k(x, z)/∂x to dst and returns it. It allocates dst if nil, and panics when the lengths differ.
	Gradient(dst, x, z []float64) []float64
}

// Validator is a kernel that checks its parameters. Functions that take a kernel and return an error call Validate
// first.
type Validator interface {
	// Validate returns an error that wraps ErrParam, or nil.
	Validate() error
}

// Transform says which expectation over a random frequency w a kernel is, and so how w becomes features.
type Transform int

const (
	// Fourier is k(x, z) = E cos(w·(x - z)), by Bochner's theorem.
	Fourier Transform = iota + 1
	// Laplace is k(x, z) = E exp(-w·(x + z)) with w >= 0, by the theorem of Berg, Christensen and Ressel.
	Laplace
	// LogFourier is k(x, z) = E cos(w·(ln(x + c) - ln(z + c))), by Bochner's theorem on the skewed multiplicative
	// group. The Shift of the Law is c.
	LogFourier
	// Step is k(x, z) = 2 E s(w·x) s(w·z), where s(t) is 1 for t > 0 and else 0. Cho and Saul (2009), equation (1).
	Step
	// ReLU is k(x, z) = 2 E r(w·x) r(w·z), where r(t) = max(t, 0).
	ReLU
	// Tangent is k(x, z) = 2 E [r(w·x) r(w·z) + s(w·x) s(w·z) (v·x) (v·z)], where v is independent of w and has its
	// law. Frequencies draws both as one frequency in 2d dimensions, and returns the w, then the v.
	Tangent
	// Additive is k(x, z) = E Σ_j cos(w_j (x_j - z_j)), a sum of kernels of one column each.
	Additive
	// Positive is k(x, z) = E exp(w·(x + z) - s²(‖x‖² + ‖z‖²)/2). The Scale of the Law is s.
	Positive
)

func (t Transform) String() string {
	return domain.Word(t, "no transform", "Fourier", "Laplace", "LogFourier", "Step", "ReLU", "Tangent", "Additive", "Positive")
}

// Law is the distribution of the frequencies of a kernel, and what becomes features of them. A field that is not known,
// or does not exist, is zero; one of the functions suffices for features (Yang et al. 2014, algorithm 1). Each sampler
// says what it needs. The functions must be safe for concurrent use.
type Law struct {
	Transform Transform
	Shift     float64 // the c of LogFourier, else 0
	Scale     float64 // the s of Positive, else 0
	// Draw fills dst with one frequency of len(dst) dimensions.
	Draw func(dst []float64, rng *rand.Rand)
	// Quantile is the inverse distribution function, for 0 < p < 1, of a coordinate, if the coordinates are independent
	// and identically distributed.
	Quantile func(p float64) float64
	// NormQuantile is the inverse distribution function, for 0 < p < 1, of ‖w‖₂ in ℝ^d, if the direction is uniform on
	// the sphere and independent of the norm.
	NormQuantile func(d int, p float64) float64

	// squares is the second moment of the term of one frequency in the estimate of k(x, z); nil for the transforms that
	// atAndDoubled covers.
	squares func(x, z []float64) float64
}

// Random is a kernel that is an expectation over random frequencies. SRF is an exception: it is close to its expectation.
type Random interface {
	Kernel
	Law() Law
}

// validate returns an error for a nil kernel, or the error of its Validate method if it has one.
func validate(k Kernel) error {
	if domain.IsNil(k) {
		return invalid("no kernel: it is nil; give one, as spectral.Gaussian{Sigma: 1}")
	}
	if v, ok := k.(Validator); ok {
		return v.Validate()
	}
	return nil
}

// invalid returns an error that wraps ErrParam.
func invalid(format string, args ...any) error {
	return fmt.Errorf("spectral: %s: %w", fmt.Sprintf(format, args...), ErrParam)
}

// require returns nil if ok, and else invalid.
func require(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return invalid(format, args...)
}

// positive checks a parameter that must be finite and above 0.
func positive(kernel, field string, v float64) error {
	if v > 0 && v-v == 0 {
		return nil
	}
	return invalid("%s: %s = %.6g is not a finite number above 0", kernel, field, v)
}

// sameLength panics when the rows differ in length, because At and its like have no error result.
func sameLength(x, z []float64) {
	if len(x) != len(z) {
		panic(fmt.Sprintf("spectral: x has %d coordinates and z has %d", len(x), len(z)))
	}
}

// checkLengths is sameLength for functions that return an error.
func checkLengths(x, z []float64) error {
	if len(x) != len(z) {
		return fmt.Errorf("spectral: x has %d coordinates and z has %d: %w", len(x), len(z), ErrShape)
	}
	return nil
}

// sumOver is the sum of f over the coordinates of two rows of the same length. It is small enough to be inlined.
func sumOver(x, z []float64, f func(a, b float64) float64) float64 {
	sum := 0.0
	for i, a := range x {
		sum += f(a, z[i])
	}
	return sum
}

func zero(_, _ float64) float64 { return 0 }

// gradient writes f of each coordinate of two rows to dst, allocated if nil. It panics when the lengths differ.
func gradient(dst, x, z []float64, f func(a, b float64) float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(x))
	}
	sameLength(dst, x)
	sameLength(x, z)
	for i, a := range x {
		dst[i] = f(a, z[i])
	}
	return dst
}
