package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
)

// Custom is a kernel given by functions. Any law that can be sampled has a random feature map. Yang et al. (2014),
// algorithm 1.
//
// The functions must agree: Exact(x, z) is the expectation that Form states, over the draws of Frequency. Several
// goroutines may call Exact at once.
type Custom struct {
	Form      Transform                           // Fourier, Laplace or LogFourier
	Exact     func(x, z []float64) float64        // k(x, z)
	Frequency func(dst []float64, rng *rand.Rand) // fills dst with one frequency of len(dst) dimensions
	// where Exact is defined; the zero value is the widest that Form allows
	On Domain
	C  float64 // the shift c >= 0 of LogFourier, else 0
}

var (
	_ Validator = Custom{}
	_ Law       = Custom{}
	_ Shifter   = Custom{}
)

// At returns Exact(x, z).
func (k Custom) At(x, z []float64) float64 {
	sameLength(x, z)
	if k.Exact == nil {
		return math.NaN()
	}
	return k.Exact(x, z)
}

// Domain is On. If On is the zero value, it is [0, ∞)^d for Laplace, (-c, ∞)^d for LogFourier, and ℝ^d for Fourier.
func (k Custom) Domain() Domain {
	switch {
	case k.On != Domain{}:
		return k.On
	case k.Form == Laplace:
		return domain.NonNegative()
	case k.Form == LogFourier:
		return domain.Above(k.C)
	default:
		return Domain{}
	}
}

// Validate returns an error that wraps ErrParam for an unknown Form, a nil function, a C that is negative, not finite
// or given without LogFourier, and an On that is larger than Form allows.
func (k Custom) Validate() error {
	switch {
	case k.Form != Fourier && k.Form != Laplace && k.Form != LogFourier:
		return fmt.Errorf("spectral: Custom: Form = %v; say Fourier, Laplace or LogFourier: %w", k.Form, ErrParam)
	case k.Exact == nil:
		return fmt.Errorf("spectral: Custom: Exact is nil; give the kernel function k(x, z): %w", ErrParam)
	case k.Frequency == nil:
		return fmt.Errorf("spectral: Custom: Frequency is nil; give the function that draws a frequency: %w", ErrParam)
	case k.Form != LogFourier && k.C != 0:
		return fmt.Errorf("spectral: Custom: C = %v is the shift of LogFourier, and Form is %v: %w",
			k.C, k.Form, ErrParam)
	case k.Form == Laplace && !k.Domain().IsNonNegative():
		return fmt.Errorf("spectral: Custom: On = %v; a Laplace transform needs x >= 0: %w", k.On, ErrParam)
	case k.Form == LogFourier && k.Domain().Contains(-k.C):
		return fmt.Errorf("spectral: Custom: On = %v contains -C = %v, where ln(x+c) is infinite: %w",
			k.On, -k.C, ErrParam)
	default:
		return validShift("Custom", k.C)
	}
}

// Transform is Form.
func (k Custom) Transform() Transform { return k.Form }

// Shift is C.
func (k Custom) Shift() float64 { return k.C }

// Draw calls Frequency.
func (k Custom) Draw(dst []float64, rng *rand.Rand) {
	needsSource(rng)
	if k.Frequency == nil {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	k.Frequency(dst, rng)
}
