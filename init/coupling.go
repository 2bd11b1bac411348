package spectral

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Coupling says how the frequencies of the two signs of a Split are drawn together. Under every coupling each single
// frequency has its own law, so the features are unbiased. The couplings differ in the variance of the estimate, which
// Coupling.Variance predicts.
type Coupling int

const (
	// SharedCoupled uses the same directions, a stack of Haar blocks, for both signs. The norms of a column are F₊⁻¹(u)
	// and F₋⁻¹(u) for the same uniform u. The positive correlation of cos(r₊ v·δ) and cos(r₋ v·δ) makes their
	// difference more exact, and one product with x serves both signs. The norms of neighbouring columns are coupled as
	// in Coupled: u for one, 1-u for the next.
	//
	// It is the default, and has the least error of the three for close rows. For other rows in few dimensions it has
	// more than Independent: for exp(-r²/2) - exp(-r²/200) at r = 4 up to 1.75 times as much for d = 1, 1.44 for d = 2,
	// 1.17 for d = 3 and 1.03 for d = 8.
	SharedCoupled Coupling = iota
	// Joint draws the directions of both signs together: the GORF of Luo et al. (2021), algorithm 1. For m frequencies
	// a sign they are the columns of the first d rows of a Haar-distributed orthogonal matrix of max(d, 2m) rows,
	// normalised, the first m for the plus sign. For 2m <= d all are orthogonal; otherwise the cosine c of any two has
	// the density
	//
	//	f(c) ∝ (1-c²)^((d-3)/2) ₂F₁(d/2, d/2; (2m+d-1)/2; 1-c²),
	//
	// nearer to 0 than for independent directions and closer to them for larger m. Their negative correlation makes the
	// difference less exact where both parts of the kernel fall together: up to 1.3 times the error of Independent for
	// one frequency a sign (exp(-r²/2) - exp(-r²/8), d = 2, r = 2), 1.07 times for two, 1.03 for four.
	Joint
	// Independent draws independent frequencies: the GRFF of Luo et al. (2021).
	Independent
)

func (c Coupling) String() string { return domain.Word(c, "shared-coupled", "joint", "iid") }

// MarshalText returns the name.
func (c Coupling) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets c by its name. The error for an unknown name wraps ErrParam.
func (c *Coupling) UnmarshalText(name []byte) error {
	return domain.ParseWord(c, "spectral: coupling", string(name))
}

// Couplings returns all couplings, the default first.
func Couplings() []Coupling { return []Coupling{SharedCoupled, Joint, Independent} }

// check returns an error that wraps ErrParam unless c is one of Couplings.
func (c Coupling) check() error {
	return require(c >= SharedCoupled && c <= Independent, "%v is no coupling; there are %v", c, Couplings())
}

// Shares reports whether both signs use the same directions.
func (c Coupling) Shares() bool { return c == SharedCoupled }

// valid checks that the masses are finite and not both 0, and that each part has a law of norms in ℝ^d.
func (p *Split) valid(d int) error {
	if p == nil {
		return invalid("the split is nil; SignedLaw.Split makes one")
	}
	plus, minus := p.Masses()
	if mass := plus + minus; !(mass > 0) || math.IsInf(mass, 1) {
		return invalid("the split of %T has the masses %v and %v, want finite numbers, not both 0", p.Of, plus, minus)
	}
	for _, c := range p.Parts {
		if err := validate(c.Of); err != nil {
			return fmt.Errorf("spectral: the split of %T: %w", p.Of, err)
		}
		quantile := c.Of.Law().NormQuantile
		if quantile == nil {
			return invalid("the split of %T has a part of %T, which has no NormQuantile", p.Of, c.Of)
		}
		if r := quantile(d, .5); r-r != 0 {
			return invalid("the split of %T has a part %T of norm %v in %d dimensions; Split makes one for them",
				p.Of, c.Of, r, d)
		}
	}
	return nil
}

// Counts returns the numbers of frequencies of each sign for m frequencies a sign: m and m, or 2m and 0 where one sign
// has no mass.
func (p *Split) Counts(m int) (plus, minus int) {
	switch plus, minus := p.Masses(); {
	case minus == 0:
		return 2 * m, 0
	case plus == 0:
		return 0, 2 * m
	}
	return m, m
}

// Frequencies draws m frequencies of each sign of a split in ℝ^d under a seed, or 2m of one sign where the other has no
// mass; each is norm · direction. It uses the stream "W" of the seed. directions is [d, q], with unit vectors as
// columns, first for m₊, then for m₋; where the coupling shares directions, q is the number of frequencies of one sign,
// and the columns serve both. norms are those of m₊, then of m₋, as many as Counts says.
//
// Each column draws a component of its mixture. Independent draws it independently. The other couplings stratify:
// ⌊m·share⌋ or ⌈m·share⌉ of the m columns have a component, in random order, and a column that serves both signs has
// the same place in the order of the components of each.
//
// Errors wrap ErrParam: an unknown coupling, d or m below 1, a split without mass or laws, a norm that is not finite.
func (c Coupling) Frequencies(p *Split, d, m int, seed uint64) (directions, norms *tensor.Dense, err error) {
	if err := cmp.Or(c.check(), checkCounts(d, m)); err != nil {
		return nil, nil, err
	}
	if err := p.valid(d); err != nil {
		return nil, nil, err
	}
	src := Stream(seed, "W")
	ofDirections, ofNorms, strata := rand.New(subStream(src)), rand.New(subStream(src)), rand.New(subStream(src))
	plus, minus := p.Counts(m)
	r, err := c.norms(p, d, plus, minus, ofNorms, strata)
	if err != nil {
		return nil, nil, err
	}
	u := c.directions(d, plus, minus, ofDirections)
	return tensor.New(tensor.WithShape(d, len(u)/d), tensor.WithBacking(u)),
		tensor.New(tensor.WithShape(plus+minus), tensor.WithBacking(r)), nil
}

// directions returns unit vectors as the columns of a matrix with d rows.
func (c Coupling) directions(d, plus, minus int, rng *rand.Rand) []float64 {
	m := plus + minus
	if c.Shares() {
		m = max(plus, minus)
	}
	w := make([]float64, d*m)
	switch c {
	case Independent:
		fillColumns(w, d, m, func(col []float64) { direction(col, rng) })
	case Joint:
		truncatedColumns(w, d, m, rng)
	default:
		orthogonalBlocks(w, d, m, rng, func(int) float64 { return 1 })
	}
	return w
}

// norms returns the norms of m₊, then of m₋.
func (c Coupling) norms(p *Split, d, plus, minus int, norms, strata *rand.Rand) ([]float64, error) {
	out := make([]float64, 0, plus+minus)
	var v, u []float64
	sides := p.sides()
	for k, n := range []int{plus, minus} {
		side := sides[k]
		if v == nil || !c.Shares() || len(v) != n {
			v, u = c.strata(n, strata), c.uniforms(n, norms)
		}
		quantiles := make([]func(d int, p float64) float64, len(side.parts))
		for i, part := range side.parts {
			quantiles[i] = part.Law().NormQuantile
		}
		for j := range n {
			i := pick(side.shares, v[j])
			r := quantiles[i](d, u[j])
			if r-r != 0 {
				return nil, invalid("%T of %T drew the norm %v, which is not finite", side.parts[i], p.Of, r)
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// strata returns n uniform numbers that choose the components: (π(j) + V)/n with a random permutation π and one uniform
// V, or independent ones for Independent.
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

// uniforms returns the arguments u of the quantile functions of the norms.
func (c Coupling) uniforms(n int, rng *rand.Rand) []float64 {
	u := make([]float64, n)
	for j := range u {
		if u[j] = openUniform(rng); c == SharedCoupled && j%2 == 1 {
			u[j] = 1 - u[j-1]
		}
	}
	return u
}
