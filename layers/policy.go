package layers

import "fmt"

// Policy says which spectral parameters of a map a solver changes.
type Policy int

const (
	// Frozen leaves the map as it was drawn. It is the default.
	Frozen Policy = iota
	// Bandwidth tunes one scale for all dimensions: the bandwidth of a Fourier or Laplace map, log-parametrised; the c
	// of a skewed map, through a softplus; the base frequency of a homogeneous map, log-parametrised. All stay
	// positive.
	Bandwidth
	// BandwidthEach tunes one scale a dimension.
	BandwidthEach
	// All tunes the frequencies themselves, the phases of the phase form, and the c of a skewed map. The frequencies of
	// a Laplace map are parametrised by their logarithm and stay positive. Of a homogeneous map it tunes the base
	// frequency and the samples of the spectrum, which are squares of parameters; of an exponentiated one these and W;
	// of a density embedding the λ and W; of a map of two signs the directions, the norms and the masses.
	All
)

func (p Policy) String() string {
	switch p {
	case Frozen:
		return "frozen"
	case Bandwidth:
		return "bandwidth"
	case BandwidthEach:
		return "bandwidth-each"
	case All:
		return "all"
	default:
		return fmt.Sprintf("Policy(%d)", int(p))
	}
}

// ParsePolicy is the inverse of String; the empty string is Frozen.
func ParsePolicy(s string) (Policy, error) {
	if s == "" {
		return Frozen, nil
	}
	for p := Frozen; p <= All; p++ {
		if p.String() == s {
			return p, nil
		}
	}
	return 0, fmt.Errorf("layers: %q is no policy; there are frozen, bandwidth, bandwidth-each and all: %w", s,
		ErrParam)
}
