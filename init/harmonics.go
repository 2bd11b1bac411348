package spectral

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
)

// Window is the function that multiplies a signature before it is made periodic.
type Window int

const (
	// Uniform multiplies by 1: κ̂_j = Lκ(jL). Every κ̂_j is non-negative.
	Uniform Window = iota
	// Rectangular cuts the signature off at ±Λ/2: κ̂_j = (1/Λ) ∫ 𝒦(λ) cos(jLλ) dλ over one period, clipped at 0. Copies
	// of the signature do not overlap, and the approximation is usually closer.
	Rectangular
)

func (w Window) String() string { return nameOf(w, "uniform", "rectangular") }

// MarshalText returns the name.
func (w Window) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText sets w by its name. The error for an unknown name wraps ErrParam.
func (w *Window) UnmarshalText(name []byte) error { return setByName(w, "window", name, Rectangular) }

// Harmonics holds the numbers of a homogeneous kernel map of order n: the harmonics f_j of the base frequency L = 2π/Λ
// and the samples κ̂_j of the spectrum, j = 0 to n, such that
//
//	𝒦(λ) ≈ 𝒦̂(λ) = κ̂_0 + 2 Σ_j κ̂_j cos(f_j L λ),   |λ| <= Λ/2.
//
// The features of a coordinate x are √(x^γ κ̂_0), √(2x^γ κ̂_j) cos(f_j L ln x) and √(2x^γ κ̂_j) sin(f_j L ln x). They
// approximate the kernel for ratios y/x from e^{-Λ/2} to e^{Λ/2}. Vedaldi and Zisserman (2012), equations (17) to (20).
type Harmonics struct {
	Of     Homogeneous
	Period float64   // Λ
	F      []int     // f_0 = 0 < f_1 < ... < f_n
	Kappa  []float64 // κ̂_j >= 0
}

// Order is n, and -1 for the zero value.
func (h *Harmonics) Order() int { return len(h.F) - 1 }

// whole reports whether the harmonics have a period and as many samples as frequencies.
func (h *Harmonics) whole() bool {
	return h != nil && len(h.F) > 0 && len(h.F) == len(h.Kappa) && h.Period > 0 && !math.IsInf(h.Period, 1)
}

// Base is L = 2π/Λ.
func (h *Harmonics) Base() float64 { return 2 * math.Pi / h.Period }

// Signature is 𝒦̂(λ). It is NaN for harmonics without a period, or where F and Kappa differ in length.
func (h *Harmonics) Signature(lambda float64) float64 {
	if !h.whole() {
		return math.NaN()
	}
	sum := h.Kappa[0]
	for j := 1; j < len(h.F); j++ {
		sum += 2 * h.Kappa[j] * math.Cos(float64(h.F[j])*h.Base()*lambda)
	}
	return sum
}

// NewHarmonics computes the harmonics of order n for a window and a period Λ > 0, which FittedPeriod and OptimalPeriod
// choose. A spectrum that is a point mass at 0 (Hellinger) has order 0 only, with κ̂_0 = 1.
//
// The rectangular window can make negative samples. Slot j then takes the next harmonic with a positive sample, and
// from harmonic 3j - 1 on any harmonic, clipped at 0. This is VLFeat's rule.
//
// Errors wrap ErrParam: an invalid kernel or window, n below 0 or above MaxOrder, n > 0 for a point mass, a period that
// is not finite and positive.
func NewHarmonics(k Homogeneous, n int, w Window, period float64) (*Harmonics, error) {
	if err := cmp.Or(checkHarmonics(k, n, w), positive("Harmonics", "period", period)); err != nil {
		return nil, err
	}
	return newHarmonics(k, n, w, period), nil
}

// checkHarmonics checks the kernel, the order and the window.
func checkHarmonics(k Homogeneous, n int, w Window) error {
	if err := validate(k); err != nil {
		return err
	}
	if n < 0 || n > MaxOrder {
		return fmt.Errorf("spectral: Harmonics: order %d, want 0 to %d: %w", n, MaxOrder, ErrParam)
	}
	if pointMass(k) && n > 0 {
		return fmt.Errorf("spectral: Harmonics: order %d for %T, whose spectrum is a point mass at 0: its map is "+
			"exact at order 0: %w", n, k, ErrParam)
	}
	if w != Uniform && w != Rectangular {
		return fmt.Errorf("spectral: Harmonics: %v, want Uniform or Rectangular: %w", w, ErrParam)
	}
	return nil
}

func pointMass(k Homogeneous) bool { return math.IsInf(k.Spectrum(0), 1) }

func newHarmonics(k Homogeneous, n int, w Window, period float64) *Harmonics {
	h := &Harmonics{Of: k, Period: period, F: make([]int, n+1), Kappa: make([]float64, n+1)}
	if pointMass(k) {
		h.Kappa[0] = k.Signature(0)
		return h
	}
	for i, j := 0, 0; i <= n; {
		v := sampleSpectrum(k, j, w, period)
		h.F[i], h.Kappa[i] = j, math.Max(0, v)
		if j++; v > 0 || j >= 3*i {
			i++
		}
	}
	return h
}

// sampleSpectrum is κ̂_j before it is clipped. For the rectangular window it integrates the signature, which is smooth
// on [0, Λ/2]; VLFeat sums over a convolution of spectra instead.
func sampleSpectrum(k Homogeneous, j int, w Window, period float64) float64 {
	base := 2 * math.Pi / period
	if w == Uniform {
		return base * k.Spectrum(float64(j)*base)
	}
	omega := float64(j) * base
	end := math.Min(period/2, 1500) // every signature of a kernel with a density is 0 in float64 beyond
	panels := math.Ceil(math.Max(end/8, omega*end/(8*math.Pi)))
	x, weight := legendre()
	sum, half := 0.0, end/panels/2
	for p := range int(panels) {
		middle := (2*float64(p) + 1) * half
		for i, u := range x {
			l := middle + half*u
			sum += weight[i] * half * k.Signature(l) * math.Cos(omega*l)
		}
	}
	return 2 / period * sum
}

// legendre holds the nodes and weights of a Gauss-Legendre rule on [-1, 1] that is exact enough for a panel of four
// waves of a signature that falls by e^{-4}.
var legendre = sync.OnceValues(func() (x, w []float64) {
	x, w = make([]float64, 48), make([]float64, 48)
	quad.Legendre{}.FixedLocations(x, w, -1, 1)
	return x, w
})
