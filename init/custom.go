package spectral

import (
	"cmp"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// Custom is a kernel given by functions. Any law that can be sampled has a random feature map. Yang et al. (2014),
// algorithm 1.
//
// The fields must agree: Exact(x, z) is the expectation that the transform of Of states. Several goroutines may call
// Exact at once.
type Custom struct {
	Exact func(x, z []float64) float64 // k(x, z)
	Of    Law                          // of the transforms Fourier, Laplace or LogFourier
	// where Exact is defined; the zero value is the widest that the transform allows
	On Domain
}

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
	case k.Of.Transform == Laplace:
		return domain.NonNegative()
	case k.Of.Transform == LogFourier:
		return domain.Above(k.Of.Shift)
	default:
		return Domain{}
	}
}

// Validate returns an error that wraps ErrParam for another transform, a law without functions, no Exact, a Shift that
// is negative, not finite or given without LogFourier, and an On that is larger than the transform allows.
func (k Custom) Validate() error {
	t, c := k.Of.Transform, k.Of.Shift
	return cmp.Or(
		require(t == Fourier || t == Laplace || t == LogFourier,
			"Custom: Transform = %v; say Fourier, Laplace or LogFourier", t),
		require(k.Exact != nil, "Custom: Exact is nil; give the kernel function k(x, z)"),
		require(k.Of.drawable(), "Custom: the law has no function; give Draw, Quantile or NormQuantile"),
		require(t == LogFourier || c == 0, "Custom: Shift = %v belongs to LogFourier, and Transform is %v", c, t),
		require(t != Laplace || k.Domain().IsNonNegative(), "Custom: On = %v; a Laplace transform needs x >= 0", k.On),
		require(t != LogFourier || !k.Domain().Contains(-c),
			"Custom: On = %v contains -Shift = %v, where ln(x+c) is infinite", k.On, -c),
		validShift("Custom", c))
}

// Law is Of.
func (k Custom) Law() Law { return k.Of }
