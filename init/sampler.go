package spectral

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// suits returns nil if ok, and else an error that says which sampler does not fit which kernel, why, and what fits
// instead.
func suits(ok bool, s Sampler, k Kernel, reason string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("spectral: sampler %v %w %T: %s", s, ErrSampler, k, fmt.Sprintf(reason, args...))
}

// Sampler draws frequencies from the law of a kernel.
type Sampler interface {
	// Sample fills w, row-major [d, m], with one frequency a column. It returns an error that wraps ErrSampler when the
	// kernel's law lacks what the sampler needs. Other errors: an invalid kernel or a nil src (ErrParam), d or m below
	// 1 or a w that is not [d, m] (ErrShape).
	Sample(w []float64, d, m int, k Random, src rand.Source) error
	// String is the sampler's name in specs and flags.
	String() string
}

// radial returns an error if a sampler that needs a uniform direction does not fit k.
func radial(s Sampler, k Random) error {
	return suits(k.Law().NormQuantile != nil, s, k,
		"its frequencies are not known to have a uniform direction (no NormQuantile); use iid, spectral.IID{}")
}

// Stream returns the random stream with the given name under a seed. Streams of different names or seeds are
// independent, and the same pair gives the same numbers on every machine.
func Stream(seed uint64, name string) rand.Source {
	b := binary.LittleEndian.AppendUint64(nil, seed)
	return rand.NewChaCha8(sha256.Sum256(append(b, name...)))
}

// Frequencies draws m frequencies of k in ℝ^d under a seed, as a float64 tensor [d, m], one frequency a column. For a
// Tangent kernel the first half of the columns are the w, the second half the v.
//
// It uses the stream "W" of the seed, see Stream. The same seed gives the same bits for IID. Samplers with a QR
// factorisation give the same numbers to rounding.
//
// Errors: an invalid kernel, a nil sampler, d or m below 1, an odd m for a Tangent kernel, a frequency that is not
// finite (ErrParam); the errors of Sampler.Sample.
func Frequencies(k Random, s Sampler, d, m int, seed uint64) (*tensor.Dense, error) {
	if err := cmp.Or(validate(k), checkCounts(d, m),
		require(!domain.IsNil(s), "the sampler is nil; give one, as spectral.IID{}")); err != nil {
		return nil, err
	}
	w := make([]float64, d*m)
	rows, cols := d, m
	if k.Law().Transform == Tangent { // a w and its v are one frequency in 2d dimensions
		if rows, cols = 2*d, m/2; m%2 != 0 {
			return nil, invalid("%d frequencies of %T are no pairs of a w and a v; ask for %d", m, k, m+1)
		}
	}
	if err := s.Sample(w, rows, cols, k, Stream(seed, "W")); err != nil {
		return nil, err
	}
	if cols < m {
		w = sideBySide(w, d, cols)
	}
	for i, v := range w {
		if v-v != 0 {
			return nil, invalid("%T drew the frequency w[%d,%d] = %v, which is not finite", k, i/m, i%m, v)
		}
	}
	return tensor.New(tensor.WithShape(d, m), tensor.WithBacking(w)), nil
}

// sideBySide returns the two halves [d, m] of w [2d, m] as one matrix [d, 2m].
func sideBySide(w []float64, d, m int) []float64 {
	out := make([]float64, 0, len(w))
	for i := range d {
		out = append(out, w[i*m:(i+1)*m]...)
		out = append(out, w[(d+i)*m:(d+i+1)*m]...)
	}
	return out
}

// checkCounts checks d and m before a draw allocates memory.
func checkCounts(d, m int) error {
	return cmp.Or(
		require(d >= 1 && m >= 1, "cannot draw %d frequencies in %d dimensions, both must be at least 1", m, d),
		domain.CheckSize(fmt.Sprintf("spectral: %d frequencies in %d dimensions", m, d), 8, d, m))
}

// checkSample checks the arguments of Sample: a valid kernel, positive d and m, a w of this size, and a source.
func checkSample(s Sampler, w []float64, d, m int, k Random, src rand.Source) error {
	if err := validate(k); err != nil {
		return err
	}
	if d < 1 || m < 1 || len(w)%d != 0 || len(w)/d != m {
		return fmt.Errorf("spectral: sampler %v: w has %d numbers, want %d frequencies in %d dimensions, both at "+
			"least 1: %w", s, len(w), m, d, ErrShape)
	}
	return require(!domain.IsNil(src),
		"sampler %v: the source of random numbers is nil; give one, as spectral.Stream(1, \"W\")", s)
}

// openUniform draws from the multiples of 2⁻⁵³ in the open interval (0, 1), because quantiles are infinite at its ends.
// u and 1-u have the same law.
func openUniform(rng *rand.Rand) float64 {
	for {
		if u := rng.Float64(); u > 0 {
			return u
		}
	}
}

// inStratum draws from the kth of n equal parts of (0, 1).
func inStratum(k, n float64, rng *rand.Rand) float64 {
	return min((k+openUniform(rng))/n, 1-0x1p-53) // the last may round to 1
}

// direction fills dst with a point drawn uniformly from the unit sphere, for one dimension ±1.
func direction(dst []float64, rng *rand.Rand) {
	sum := 0.0
	for sum == 0 {
		for i := range dst {
			dst[i] = rng.NormFloat64()
			sum += dst[i] * dst[i]
		}
	}
	norm := math.Sqrt(sum)
	for i := range dst {
		dst[i] /= norm
	}
}
