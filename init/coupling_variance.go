package spectral

import (
	"cmp"
	"math"
	"sort"
)

// Variance returns the variance of the estimate of k(x, z) from m frequencies of each sign. With T_j = m₊ cos(r₊ v₊·δ)
// - m₋ cos(r₋ v₋·δ) for column j it is
//
//	(1/m²) Σ_j Σ_l Cov(T_j, T_l).
//
// Let Ω_d(t) be the mean of cos(t v) over a coordinate v of the unit sphere, and δ = ‖x - z‖. The mean of cos(a v·δ)
// cos(b w·δ) over the directions v and w of two columns is
//
//	Ω_d(aδ) Ω_d(bδ)                           independent
//	E_c Ω_d(δ √(a² + b² + 2abc))              with the cosine c of each other: c = 0 in a block of SharedCoupled; for c
//	                                          of Joint see there
//	½ Ω_d(δ(a + b)) + ½ Ω_d(δ|a - b|)         the same: the two signs of a column in SharedCoupled
//
// The norms a and b are independent, except in SharedCoupled, where the two norms of a column have the same u, and
// those of two neighbours u and 1-u. The stratification of the components counts as well. For Joint this is theorem
// 6 of Luo et al. (2021), which takes c as 0. A quadrature computes it, to 1e-10 of m₊² + m₋² for normal laws and 1e-6
// for the measure of SpherePolynomial.
//
// Errors: rows of different lengths (ErrShape); an unknown coupling, m below 1, rows without columns, a split without
// mass or laws, or for another dimension (ErrParam).
func (c Coupling) Variance(p *Split, x, z []float64, m int) (float64, error) {
	d := len(x)
	if err := cmp.Or(checkLengths(x, z), checkCounts(d, m), c.check()); err != nil {
		return 0, err
	}
	if err := p.valid(d); err != nil {
		return 0, err
	}
	return newSignedVariance(c, d, m, 50, .1, func(of Random) nodes {
		quantile := of.Law().NormQuantile
		return newNodes(func(u float64) float64 { return quantile(d, u) }, .3)
	}).of(p, distance(x, z)), nil
}

// signedVariance is the variance of a coupling of m frequencies of each sign in ℝ^d, by a quadrature of the norms.
type signedVariance struct {
	zonal
	c         Coupling
	m         int
	norms     func(of Random) nodes
	truncated covariance // of two columns of Joint
}

func newSignedVariance(c Coupling, d, m, harmonics int, step float64, norms func(of Random) nodes) *signedVariance {
	v := &signedVariance{zonal: newZonal(d, harmonics), c: c, m: m, norms: norms}
	if c == Joint {
		v.truncated = independentNorms(v.zonal.truncated(2*m, step))
	}
	return v
}

// of is the variance for a split at a distance.
func (v *signedVariance) of(p *Split, delta float64) float64 {
	var sides []side
	for a, s := range p.sides() {
		if s.mass == 0 {
			continue
		}
		s.mass *= float64(1 - 2*a)
		for _, part := range s.parts {
			s.of = append(s.of, v.cosines(v.norms(part), delta))
		}
		sides = append(sides, s)
	}
	n := 2 * v.m / len(sides)
	if len(sides) == 1 || v.c.Shares() {
		return max(0, v.group(n, sides...))
	}
	sum := v.group(n, sides[0]) + v.group(n, sides[1])
	if v.c == Joint {
		for i, a := range sides[0].of {
			for j, b := range sides[1].of {
				share := sides[0].shares[i] * sides[1].shares[j]
				sum += 2 * share * sides[0].mass * sides[1].mass * v.truncated(a, b)
			}
		}
	}
	return max(0, sum)
}

// group is the variance of the mean over n columns of Σ mass·cos, for sides that share their columns.
func (v *signedVariance) group(n int, sides ...side) float64 {
	strata := newStrata(sides)
	of := map[[2]*cosines]float64{}
	sum := func(s, t stratum, f covariance) float64 {
		sum := 0.
		for i, a := range s.of {
			for j, b := range t.of {
				value, known := of[[2]*cosines{a, b}]
				if !known {
					value = f(a, b)
					of[[2]*cosines{a, b}], of[[2]*cosines{b, a}] = value, value // it is the same both ways
				}
				sum += sides[i].mass * sides[j].mass * value
			}
		}
		return sum
	}
	k, total := 0., 0.
	for _, s := range strata {
		k += s.share * s.mean
		total += s.share * sum(s, s, sameColumn)
	}
	total = float64(n) * (total - k*k)
	if v.c != Independent {
		together := pairProbabilities(strata, n)
		relations := []pairs{{n * (n - 1), v.truncated}}
		if v.c.Shares() {
			relations = v.blockPairs(n, true)
		}
		for _, p := range relations {
			clear(of)
			for i, s := range strata {
				for j, t := range strata {
					if p.count > 0 && together[i][j] > 0 {
						total += float64(p.count) * together[i][j] * sum(s, t, p.of)
					}
				}
			}
		}
		for i, s := range strata {
			for j, t := range strata {
				total += float64(n*(n-1)) * together[i][j] * (s.mean*t.mean - k*k)
			}
		}
	}
	return total / float64(n) / float64(n)
}

// stratum is a part of [0, 1) in which every v chooses the same component of each side.
type stratum struct {
	share, mean float64 // mean is E T
	of          []*cosines
}

// newStrata cuts [0, 1) where the component of a side changes.
func newStrata(sides []side) (out []stratum) {
	cuts := []float64{1}
	for _, side := range sides {
		sum := 0.
		for _, share := range side.shares {
			sum += share
			cuts = append(cuts, min(sum, 1))
		}
	}
	sort.Float64s(cuts)
	from := 0.
	for _, cut := range cuts {
		if cut-from < 1e-15 {
			continue
		}
		s := stratum{share: cut - from}
		for _, side := range sides {
			c := side.of[pick(side.shares, (from+cut)/2)]
			s.of, s.mean = append(s.of, c), s.mean+side.mass*c.mean
		}
		out, from = append(out, s), cut
	}
	return out
}

// pairProbabilities returns the probabilities of the strata of two of n columns, whose v are (j + V)/n in random order:
// E(N_i N_j - N_i [i = j])/(n(n-1)), where N_i is the number of columns in stratum i. The counts change at the V for
// which n·cut - V is a whole number.
func pairProbabilities(strata []stratum, n int) [][]float64 {
	ends := []float64{0}
	changes := []float64{0, 1}
	for _, s := range strata {
		end := ends[len(ends)-1] + s.share*float64(n)
		ends = append(ends, end)
		changes = append(changes, end-math.Floor(end))
	}
	ends[len(ends)-1] = float64(n)
	sort.Float64s(changes)
	out := make([][]float64, len(strata))
	for i := range out {
		out[i] = make([]float64, len(strata))
	}
	count := make([]float64, len(strata))
	for k := 1; k < len(changes) && n > 1; k++ {
		width, start := changes[k]-changes[k-1], (changes[k]+changes[k-1])/2
		for i := range count {
			count[i] = math.Ceil(ends[i+1]-start) - math.Ceil(ends[i]-start)
		}
		for i, a := range count {
			for j, b := range count {
				if i == j {
					b--
				}
				out[i][j] += width * a * b / float64(n) / float64(n-1)
			}
		}
	}
	return out
}
