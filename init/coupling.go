package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gorgonia.org/tensor"
)

// Coupling says how the frequencies of the two signs of a Split are drawn together. Each frequency has its own law in
// every one of them, so that the features are unbiased; they differ in the variance of the difference, which Variance
// predicts.
type Coupling int

const (
	// SharedCoupled is Shared with the norms of neighbours coupled as in Coupled, u for one column and 1-u for the
	// next: it has the least error of the five for close rows and is the default, and in few dimensions more than
	// Independent for others, for exp(-r²/2) - exp(-r²/200) up to 1.75 times as much at r = 4 for d = 1, 1.44 for d =
	// 2, 1.17 for d = 3 and 1.03 for d = 8. With fewer frequencies than dimensions a head learns more from those that
	// do not share: it sees x along as many directions as there are frequencies of one sign here, and along twice as
	// many there.
	SharedCoupled Coupling = iota
	// Shared is one stack of Haar blocks whose directions serve both signs, with norms F₊⁻¹(u) and F₋⁻¹(u) of one
	// uniform u a column. The estimate is a difference, so that the positive correlation of cos(r₊ v·δ) and cos(r₋ v·δ)
	// makes it better, and one product with x serves both signs.
	Shared
	// Separate is Haar blocks for each sign, independent of each other.
	Separate
	// Joint is one stack of Haar blocks whose columns are dealt out to the two signs in turn, so that they are
	// orthogonal to each other: GORF in the words of Luo et al. (2021), section III-B, with up to 1.3 times the error
	// of Independent where the two parts of the kernel fall together, because their negative correlation makes the
	// difference worse (exp(-r²/2) - exp(-r²/8), d = 2, r = 2).
	Joint
	// Independent is the paper's GRFF, independent frequencies, and what the others are compared with.
	Independent
)

var couplingNames = []string{"shared-coupled", "shared", "separate", "joint", "iid"}

func (c Coupling) String() string {
	if c < SharedCoupled || c > Independent {
		return fmt.Sprintf("Coupling(%d)", int(c))
	}
	return couplingNames[c]
}

// Couplings are all couplings, the default first.
func Couplings() []Coupling {
	return []Coupling{SharedCoupled, Shared, Separate, Joint, Independent}
}

// ParseCoupling is the inverse of String.
func ParseCoupling(s string) (Coupling, error) {
	for _, c := range Couplings() {
		if c.String() == s {
			return c, nil
		}
	}
	return 0, fmt.Errorf("spectral: coupling = %q: want one of %s: %w", s, strings.Join(couplingNames, ", "), ErrParam)
}

func noCoupling(c Coupling) error {
	return fmt.Errorf("spectral: %v is no coupling; there are %s: %w", c, strings.Join(couplingNames, ", "), ErrParam)
}

// Shares says whether the directions serve both signs.
func (c Coupling) Shares() bool { return c == Shared || c == SharedCoupled }

// SignedFrequencies are the frequencies of both signs, w = norm · direction.
type SignedFrequencies struct {
	// Directions is [d, q], unit vectors as columns: first for m₊, then for m₋, or, with as many columns as there
	// are frequencies of one sign, for both signs together.
	Directions *tensor.Dense
	Norms      *tensor.Dense // [plus + minus], m₊ first
	Plus       int           // frequencies of m₊; the others are of m₋
}

// valid wants finite masses that are not both 0, and laws for what has one.
func (p *Split) valid() error {
	if p == nil {
		return fmt.Errorf("spectral: the split is nil; SignedLaw.Split makes one: %w", ErrParam)
	}
	if p.Mass() == 0 {
		return fmt.Errorf("spectral: the split of %T has no mass: %w", p.Of, ErrParam)
	}
	for _, s := range []Side{p.Plus, p.Minus} {
		if !(s.Mass >= 0) || math.IsInf(s.Mass, 1) {
			return fmt.Errorf("spectral: the split of %T has a part of the mass %v, want a finite number that is "+
				"not negative: %w", p.Of, s.Mass, ErrParam)
		}
		if s.Mass > 0 && len(s.Parts) == 0 {
			return fmt.Errorf("spectral: the split of %T has a part of the mass %v without a law: %w",
				p.Of, s.Mass, ErrParam)
		}
		for _, c := range s.Parts {
			if err := validate(c.Law); err != nil {
				return fmt.Errorf("spectral: the split of %T: %w", p.Of, err)
			}
		}
	}
	return nil
}

// Counts are how many frequencies of each sign there are to be when there are to be m of each: 2m and none where one of
// the signs has no mass.
func (p *Split) Counts(m int) (plus, minus int) {
	switch {
	case p.Minus.Mass == 0:
		return 2 * m, 0
	case p.Plus.Mass == 0:
		return 0, 2 * m
	}
	return m, m
}

// Frequencies draws m frequencies of each sign of a split in ℝ^d under a seed; where one sign has no mass, 2m of the
// other. The component of a mixture that a column has is drawn by Independent, and by the others stratified: of m
// columns ⌊m·share⌋ or ⌈m·share⌉ have the component, in random order, and in a shared coupling components of a like
// place among the columns of their sign go together.
//
// Streams of the seed are "W" for directions, norms and components together. Errors: a coupling that is none, counts
// below 1 (ErrParam), a law that draws a norm that is not finite.
func (c Coupling) Frequencies(p *Split, d, m int, seed uint64) (*SignedFrequencies, error) {
	if c < SharedCoupled || c > Independent {
		return nil, noCoupling(c)
	}
	if err := checkCounts(d, m); err != nil {
		return nil, err
	}
	if err := p.valid(); err != nil {
		return nil, err
	}
	src := Stream(seed, "W")
	directions, norms, strata := rand.New(subStream(src)), rand.New(subStream(src)), rand.New(subStream(src))
	plus, minus := p.Counts(m)
	r, err := c.norms(p, d, plus, minus, norms, strata)
	if err != nil {
		return nil, err
	}
	u := c.directions(d, plus, minus, directions)
	return &SignedFrequencies{
		Directions: tensor.New(tensor.WithShape(d, len(u)/d), tensor.WithBacking(u)),
		Norms:      tensor.New(tensor.WithShape(plus+minus), tensor.WithBacking(r)),
		Plus:       plus,
	}, nil
}

// directions are unit vectors as columns [d, ·].
func (c Coupling) directions(d, plus, minus int, rng *rand.Rand) []float64 {
	one := func(int) float64 { return 1 }
	m := plus + minus
	if c.Shares() {
		m = max(plus, minus)
	}
	w := make([]float64, d*m)
	switch c {
	case Independent:
		col := make([]float64, d)
		for j := range m {
			direction(col, rng)
			for i, v := range col {
				w[i*m+j] = v
			}
		}
	case Separate:
		for at, n := range []int{plus, minus} {
			part := make([]float64, d*n)
			if n > 0 {
				orthogonalBlocks(part, d, n, rng, one)
			}
			for i := range d {
				copy(w[i*m+at*plus:], part[i*n:(i+1)*n])
			}
		}
	case Joint:
		dealt := make([]float64, d*m)
		orthogonalBlocks(dealt, d, m, rng, one)
		for j := range m {
			to := j
			if minus > 0 && plus > 0 { // plus = minus
				to = j/2 + j%2*plus
			}
			for i := range d {
				w[i*m+to] = dealt[i*m+j]
			}
		}
	default:
		orthogonalBlocks(w, d, m, rng, one)
	}
	return w
}

// norms are the norms of m₊, then of m₋.
func (c Coupling) norms(p *Split, d, plus, minus int, norms, strata *rand.Rand) ([]float64, error) {
	out := make([]float64, 0, plus+minus)
	var v, u []float64
	for k, n := range []int{plus, minus} {
		side := []Side{p.Plus, p.Minus}[k]
		if v == nil || !c.Shares() || len(v) != n {
			v, u = c.strata(n, strata), c.uniforms(n, norms)
		}
		for j := range n {
			law := side.component(v[j])
			r := law.NormQuantile(d, u[j])
			if r-r != 0 {
				return nil, fmt.Errorf("spectral: %T of %T drew the norm %v, which is not finite: %w",
					law, p.Of, r, ErrParam)
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// strata are uniform numbers that choose the components: (π(j) + V)/n for a random permutation π and one V, or
// independent ones.
func (c Coupling) strata(n int, rng *rand.Rand) []float64 {
	v := make([]float64, n)
	if c == Independent {
		for j := range v {
			v[j] = rng.Float64()
		}
		return v
	}
	start := rng.Float64()
	for j, k := range rng.Perm(n) {
		v[j] = (float64(k) + start) / float64(n)
	}
	return v
}

// uniforms are the u of the norms' quantiles.
func (c Coupling) uniforms(n int, rng *rand.Rand) []float64 {
	u := make([]float64, n)
	for j := range u {
		if u[j] = openUniform(rng); c == SharedCoupled && j%2 == 1 {
			u[j] = 1 - u[j-1]
		}
	}
	return u
}

// component is the one whose share of [0, 1) holds v.
func (s Side) component(v float64) RadialLaw {
	for _, c := range s.Parts[:len(s.Parts)-1] {
		if v -= c.Share; v < 0 {
			return c.Law
		}
	}
	return s.Parts[len(s.Parts)-1].Law
}
