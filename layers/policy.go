package layers

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
)

// Policy says which parameters of a layer a solver changes: Frozen, none; Bandwidth, one scale; BandwidthEach, one scale
// for each input column; All, the frequencies too.
type Policy int

const (
	// Frozen keeps every parameter. It is the default of a layer, and its text is none.
	Frozen Policy = iota
	// Bandwidth tunes one positive scale for all dimensions:
	//
	//   - Fourier, Laplace, positive, exponentiated, density and mean maps, GORFLayer: the bandwidth, by its logarithm;
	//   - skewed maps: the shift c, through a softplus;
	//   - HomogeneousLayer: the base frequency L, by its logarithm;
	//   - LevyLayer: the scale s, by its logarithm.
	Bandwidth
	// BandwidthEach tunes one such scale for each input column, or for each column of the embedding that the
	// frequencies multiply (exponentiated, density and mean maps).
	BandwidthEach
	// All tunes, depending on the layer:
	//
	//   - Fourier, density and mean maps: the frequencies W, and b in the phase form; HDDLayer: also the λ;
	//   - skewed maps: W, b and c;
	//   - PositiveLayer: W; the lengths keep the σ that the map was drawn with;
	//   - RandomLaplaceLayer: the logarithm of W, so that W stays positive;
	//   - HomogeneousLayer: the logarithm of L, and the roots of the samples of the spectrum;
	//   - ExponentiatedLayer: W, b and the parameters of its homogeneous map;
	//   - LevyLayer: s, W and the parameters of its homogeneous map, if it has one;
	//   - GORFLayer: the directions, the norms and the masses of the two signs;
	//   - Dense: W and b.
	All
)

func (p Policy) String() string {
	return domain.Word(p, "none", "bandwidth", "bandwidth-each", "all")
}

// word is the policy in the text of a layer.
func (p Policy) word() string {
	if p == Frozen {
		return "frozen"
	}
	return p.String()
}

// addBandwidth adds the logarithm of a tuned bandwidth, one for all columns or one for each.
func (b *base) addBandwidth() {
	if b.policy == Bandwidth || b.policy == BandwidthEach {
		b.add("log_bandwidth", true, make([]float64, b.scales()))
	}
}

// checkNoBandwidth returns an error for a policy other than Frozen and All. what is the layer in words.
func (b *base) checkNoBandwidth(what string) error {
	if b.policy == Frozen || b.policy == All {
		return nil
	}
	return fmt.Errorf("%s: policy %v: %s has no bandwidth; use Frozen or All: %w", b.who(), b.policy, what, ErrParam)
}

// ParsePolicy is the inverse of String. The empty string is Frozen. Errors: any other text (ErrParam).
func ParsePolicy(s string) (p Policy, err error) {
	if s != "" {
		err = domain.ParseWord(&p, "layers: policy", s)
	}
	return p, err
}
