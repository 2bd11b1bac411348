package spectral

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
)

// Window is the function by which a signature is multiplied before it is made periodic.
type Window int

const (
	// Uniform is no window: κ̂_j = Lκ(jL). Every κ̂_j is non-negative.
	Uniform Window = iota
	// Rectangular cuts the signature off at ±Λ/2: κ̂_j = (1/Λ) ∫ 𝒦(λ) cos(jLλ) dλ over one period, clipped at 0. Copies
	// of the signature do not overlap, and the approximation is usually the closer one.
	Rectangular
)

func (w Window) String() string {
	switch w {
	case Uniform:
		return "uniform"
	case Rectangular:
		return "rectangular"
	default:
		return fmt.Sprintf("Window(%d)", int(w))
	}
}

// ParseWindow is the inverse of String.
func ParseWindow(s string) (Window, error) {
	for w := Uniform; w <= Rectangular; w++ {
		if w.String() == s {
			return w, nil
		}
	}
	return 0, fmt.Errorf("spectral: window = %q: want uniform or rectangular: %w", s, ErrParam)
}

// MaxOrder is the largest order of Harmonics.
const MaxOrder = 100

// Harmonics are the numbers of a homogeneous kernel map of order n: the harmonics f_j of the base frequency L = 2π/Λ
// and the samples κ̂_j of the spectrum, j = 0 to n, such that
//
//	𝒦(λ) ≈ 𝒦̂(λ) = κ̂_0 + 2 Σ_j κ̂_j cos(f_j L λ),   |λ| <= Λ/2,
//
// from which the features of a coordinate are √(x^γ κ̂_0), √(2x^γ κ̂_j) cos(f_j L ln x) and √(2x^γ κ̂_j) sin(f_j L ln
// x). Vedaldi and Zisserman (2012), equations (17) to (20). Λ is the dynamic range of the data that the map can tell
// apart: a ratio y/x of e^{Λ/2}.
type Harmonics struct {
	Period float64   // Λ
	F      []int     // f_0 = 0 < f_1 < ... < f_n
	Kappa  []float64 // κ̂_j >= 0
}

// Order is n, and -1 for harmonics that NewHarmonics did not make.
func (h *Harmonics) Order() int { return len(h.F) - 1 }

// whole says whether the harmonics have a period and a sample each.
func (h *Harmonics) whole() bool {
	return h != nil && len(h.F) > 0 && len(h.F) == len(h.Kappa) && h.Period > 0 && !math.IsInf(h.Period, 1)
}

// Base is L = 2π/Λ.
func (h *Harmonics) Base() float64 { return 2 * math.Pi / h.Period }

// Signature is 𝒦̂(λ), and NaN for harmonics without a period or of which F and Kappa differ in length.
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

// NewHarmonics computes the harmonics of order n for a window and a period Λ > 0 (FittedPeriod and OptimalPeriod choose
// one). A harmonic whose sample is negative, which the rectangular window can make, is passed over for the next; from
// harmonic 3j - 1 on slot j takes what comes, clipped at 0. That is VLFeat's rule. A spectrum that is a point mass at 0
// (Hellinger) gives κ̂_0 = 1 and has no other harmonics: its order is 0.
//
// Errors wrap ErrParam: n below 0 or above MaxOrder, n > 0 for a point mass, a period that is no finite number above 0.
func NewHarmonics(k Homogeneous, n int, w Window, period float64) (*Harmonics, error) {
	if err := checkHarmonics(k, n, w); err != nil {
		return nil, err
	}
	if err := positive("Harmonics", "period", period); err != nil {
		return nil, err
	}
	return newHarmonics(k, n, w, period), nil
}

// checkHarmonics wants a valid kernel, an order that it can have, and a window.
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
	h := &Harmonics{Period: period, F: make([]int, n+1), Kappa: make([]float64, n+1)}
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

// sampleSpectrum is κ̂_j before it is clipped. VLFeat has the rectangular window by a Riemann sum over a convolution of
// spectra, cut at 200/Λ; here the signature itself is integrated, which is smooth on [0, Λ/2].
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

// legendre are the nodes and weights of Gauss and Legendre on [-1, 1], enough for a panel of four waves of a signature
// that falls by e^{-4}.
var legendre = sync.OnceValues(func() (x, w []float64) {
	x, w = make([]float64, 48), make([]float64, 48)
	quad.Legendre{}.FixedLocations(x, w, -1, 1)
	return x, w
})
