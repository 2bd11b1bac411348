package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gorgonia.org/tensor"
)

// Polynomial is a kernel that is a polynomial of the inner product on its domain,
//
//	k(x, z) = Σ_n a_n (x·z)^n,   n = 0 to p.
type Polynomial interface {
	Kernel
	// Maclaurin returns the coefficients a_0 to a_p, at least one of them not 0.
	Maclaurin() []float64
}

// Degrees says how the degree of a random Maclaurin feature is drawn.
type Degrees int

const (
	// Geometric draws the degree n with a probability proportional to 2^-(n+1) for every kernel, up to the degree of
	// the polynomial. It is the default of Kar and Karnick (2012), algorithm 1.
	Geometric Degrees = iota
	// Proportional draws the degree n with a probability proportional to |a_n|, so every feature has the same weight.
	// For kernels with large coefficients at high degrees the variance is orders of magnitude smaller.
	Proportional
)

func (g Degrees) String() string {
	switch g {
	case Geometric:
		return "geometric"
	case Proportional:
		return "proportional"
	default:
		return fmt.Sprintf("Degrees(%d)", int(g))
	}
}

// ParseDegrees is the inverse of String. The error for an unknown name wraps ErrParam.
func ParseDegrees(s string) (Degrees, error) {
	for g := Geometric; g <= Proportional; g++ {
		if g.String() == s {
			return g, nil
		}
	}
	return 0, fmt.Errorf("spectral: %q is no way to draw degrees; there are geometric and proportional: %w",
		s, ErrParam)
}

// law returns the probabilities of the degrees.
func (g Degrees) law(a []float64) ([]float64, error) {
	if _, err := ParseDegrees(g.String()); err != nil {
		return nil, err
	}
	p, sum := make([]float64, len(a)), 0.
	for n, v := range a {
		if p[n] = math.Exp2(-float64(n + 1)); g == Proportional {
			p[n] = math.Abs(v)
		}
		sum += p[n]
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil, fmt.Errorf("spectral: the coefficients of the powers of x·z sum to %v; want a finite number "+
			"above 0: %w", sum, ErrParam)
	}
	for n := range p {
		p[n] /= sum
	}
	return p, nil
}

// Products holds the random Maclaurin features of a Polynomial. Feature i is the product of Degrees[i] inner products
// of x with random signs,
//
//	z_i(x) = Scales[i]/√m Π_{j < Degrees[i]} (W_{·,jm+i}·x),   Scales[i] = √(|a_N|/P(N)), N = Degrees[i],
//
// so that E z_i(x) z_i(z) = E (|a_N|/P(N)) (x·z)^N. This is k(x, z)/m for coefficients a_n >= 0. Where some are
// negative, the feature needs the sign of a_N in addition.
type Products struct {
	W       *tensor.Dense // [d, p·m], ±1, and 0 in columns that no product uses
	Degrees []int         // [m]
	Scales  []float64     // [m]
}

// DrawProducts draws m features of k in ℝ^d under a seed: the degrees from the stream "degrees", the signs from the
// stream "W". Errors wrap ErrParam: an invalid kernel, unknown degrees, d or m below 1, coefficients that are all 0 or
// not finite.
func DrawProducts(k Polynomial, degrees Degrees, d, m int, seed uint64) (*Products, error) {
	if err := validate(k); err != nil {
		return nil, err
	}
	if err := checkCounts(d, m); err != nil {
		return nil, err
	}
	a := k.Maclaurin()
	p, err := degrees.law(a)
	if err != nil {
		return nil, err
	}
	most := max(1, len(a)-1)
	f := &Products{Degrees: make([]int, m), Scales: make([]float64, m)}
	cells, cols := make([]float64, d*most*m), most*m
	rng, signs := rand.New(Stream(seed, "degrees")), rand.New(Stream(seed, "W"))
	for i := range m {
		n := pick(p, rng.Float64())
		f.Degrees[i], f.Scales[i] = n, math.Sqrt(math.Abs(a[n])/p[n])
		for j := range n {
			for l := range d {
				cells[l*cols+j*m+i] = randomSign(signs)
			}
		}
	}
	f.W = tensor.New(tensor.WithShape(d, cols), tensor.WithBacking(cells))
	return f, nil
}

// pick returns the index whose part of the distribution p contains u, in [0, 1). It never returns an index of
// probability 0.
func pick(p []float64, u float64) int {
	last := 0
	for n, v := range p {
		if v == 0 {
			continue
		}
		if last = n; u < v {
			break
		}
		u -= v
	}
	return last
}

func randomSign(rng *rand.Rand) float64 {
	if rng.Uint64()>>63 == 0 {
		return -1
	}
	return 1
}
