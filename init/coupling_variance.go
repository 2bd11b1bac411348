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
//	Ω_d(δ √(a² + b²))                         orthogonal: two columns of a block of one sign or, in Joint, of both signs
//	½ Ω_d(δ(a + b)) + ½ Ω_d(δ|a - b|)         the same: the two signs of a column in SharedCoupled
//
// The norms a and b are independent, except in SharedCoupled, where the two norms of a column have the same u, and
// those of two neighbours u and 1-u. The stratification of the components counts as well. For Joint this is theorem
// 6 of Luo et al. (2021). A quadrature computes it, to 1e-10 of m₊² + m₋² for normal laws and 1e-6 for the measure of
// SpherePolynomial.
//
// Errors: rows of different lengths (ErrShape); an unknown coupling, m below 1, rows without columns, a split without
// mass or laws (ErrParam).
func (c Coupling) Variance(p *Split, x, z []float64, m int) (float64, error) {
	if err := cmp.Or(checkLengths(x, z), checkCounts(len(x), m), c.check(), p.valid()); err != nil {
		return 0, err
	}
	d := len(x)
	fine := func(of Random) nodes {
		quantile := of.Law().NormQuantile
		return newNodes(func(u float64) float64 { return quantile(d, u) }, .3)
	}
	v := newSignedVariance(c, p, d, m, fine, func(t float64) float64 { return sphereMean(d, t) })
	return v.variance(distance(x, z)), nil
}

// signedVariance is the variance of a coupling in ℝ^d, by a quadrature of the norms.
type signedVariance struct {
	c      Coupling
	d      int
	sphere func(t float64) float64 // Ω_d
	sides  [2]side                 // plus, minus
	n      [2]int
	nodes  [2][]nodes // of each side and component

	// At one distance.
	delta float64
	mean  [2][]float64   // of the cosine
	omega [2][][]float64 // Ω at each node
	cross map[crossKey]float64
}

func newSignedVariance(
	c Coupling, p *Split, d, m int, nodesOf func(Random) nodes, sphere func(t float64) float64,
) *signedVariance {
	v := &signedVariance{c: c, d: d, sphere: sphere, sides: p.sides()}
	v.n[0], v.n[1] = p.Counts(m)
	for a, side := range v.sides {
		for _, part := range side.parts {
			v.nodes[a] = append(v.nodes[a], nodesOf(part.Of))
		}
	}
	return v
}

// crossKey names two components and the relation of their columns.
type crossKey struct {
	a, i, b, j int
	of         relation
}

type relation int

const (
	orthogonalColumns relation = iota // independent norms, orthogonal directions
	sameColumn                        // the same u, the same direction
	coupledColumns                    // u and 1-u, orthogonal directions
	coupledApart                      // u and 1-u, independent directions
	independentColumns
)

func (v *signedVariance) at(t float64) float64 {
	if v.delta == 0 || t == 0 {
		return 1
	}
	return v.sphere(v.delta * t)
}

// variance adds up the covariances at a distance.
func (v *signedVariance) variance(delta float64) float64 {
	v.delta, v.cross = delta, map[crossKey]float64{}
	for a := range v.sides {
		v.omega[a], v.mean[a] = nil, nil
		for _, n := range v.nodes[a] {
			omega, mean := n.apply(v.at), 0.
			for i, w := range n.weights {
				mean += w * omega[i]
			}
			v.omega[a], v.mean[a] = append(v.omega[a], omega), append(v.mean[a], mean)
		}
	}
	return max(0, v.sum())
}

func (v *signedVariance) sum() float64 {
	if v.c.Shares() && v.n[0] > 0 && v.n[1] > 0 {
		return v.group([]int{0, 1}, v.n[0])
	}
	sum := 0.
	for a := range v.sides {
		if v.n[a] > 0 {
			sum += v.group([]int{a}, v.n[a])
		}
	}
	if v.c == Joint && v.n[0] > 0 && v.n[1] > 0 {
		sum -= 2 * v.acrossSigns()
	}
	return sum
}

// group is the variance of the mean over n columns of Σ_a ε_a m_a cos, for sides a that share their columns.
func (v *signedVariance) group(sides []int, n int) float64 {
	strata := v.strata(sides)
	value := make([]float64, len(strata)) // E T of a stratum
	k, own := 0., 0.
	for i, s := range strata {
		second := 0.
		for _, a := range sides {
			value[i] += v.weight(a) * v.mean[a][s.component[a]]
			for _, b := range sides {
				second += v.weight(a) * v.weight(b) * v.get(crossKey{a, s.component[a], b, s.component[b], sameColumn})
			}
		}
		k += s.share * value[i]
		own += s.share * second
	}
	total := float64(n) * (own - k*k)
	if v.c == Independent {
		return total / float64(n) / float64(n)
	}
	together := pairProbabilities(strata, n)
	pair := func(of relation) float64 { // the covariance of two columns at random, with such directions and norms
		sum := 0.
		for i, s := range strata {
			for j, t := range strata {
				if together[i][j] == 0 {
					continue
				}
				excess := value[i]*value[j] - k*k
				for _, a := range sides {
					for _, b := range sides {
						excess += v.weight(a) * v.weight(b) * v.get(crossKey{a, s.component[a], b, t.component[b], of})
					}
				}
				sum += together[i][j] * excess
			}
		}
		return sum
	}
	inBlock, coupled, apart := 2*v.pairs(n, sides[0]), 0, 0
	if v.c == SharedCoupled {
		coupled, apart = coupledPairs(v.d, n)
		coupled, apart = 2*coupled, 2*apart
	}
	elsewhere := n*(n-1) - inBlock - apart
	for _, t := range []struct {
		count int
		of    relation
	}{{inBlock - coupled, orthogonalColumns}, {coupled, coupledColumns}, {apart, coupledApart},
		{elsewhere, independentColumns}} {
		if t.count > 0 {
			total += float64(t.count) * pair(t.of)
		}
	}
	return total / float64(n) / float64(n)
}

// weight is ε m.
func (v *signedVariance) weight(a int) float64 {
	return v.sides[a].mass * float64(1-2*a)
}

// pairs counts the pairs of the n columns of side a that lie in the same block of directions.
func (v *signedVariance) pairs(n, a int) int {
	if v.c != Joint || v.n[0] == 0 || v.n[1] == 0 {
		return pairsInBlocks(v.d, n)
	}
	sum := 0
	v.dealt(func(block [2]int) { sum += block[a] * (block[a] - 1) / 2 })
	return sum
}

// dealt calls f for each block of Joint with the numbers of its columns of each sign.
func (v *signedVariance) dealt(f func(block [2]int)) {
	m := v.n[0] + v.n[1]
	for first := 0; first < m; first += v.d {
		last := min(first+v.d, m)
		even := (last+1)/2 - (first+1)/2
		f([2]int{even, last - first - even})
	}
}

// acrossSigns is the covariance of the two means of Joint.
func (v *signedVariance) acrossSigns() float64 {
	pairs, sum := 0, 0.
	v.dealt(func(block [2]int) { pairs += block[0] * block[1] })
	for i, s := range v.sides[0].parts {
		for j, t := range v.sides[1].parts {
			sum += s.Weight * t.Weight * v.get(crossKey{0, i, 1, j, orthogonalColumns})
		}
	}
	return v.sides[0].mass * v.sides[1].mass * sum * float64(pairs) / float64(v.n[0]) / float64(v.n[1])
}

// get is the mean of the product of two cosines; for relations other than sameColumn it is less the product of their
// means.
func (v *signedVariance) get(k crossKey) float64 {
	if k.of == independentColumns {
		return 0
	}
	if k.b < k.a || k.b == k.a && k.j < k.i { // it is the same both ways
		k.a, k.i, k.b, k.j = k.b, k.j, k.a, k.i
	}
	if known, ok := v.cross[k]; ok {
		return known
	}
	a, b := v.nodes[k.a][k.i], v.nodes[k.b][k.j]
	fa, fb, last, sum := v.omega[k.a][k.i], v.omega[k.b][k.j], len(b.values)-1, 0.
	for i, w := range a.weights {
		r := a.values[i]
		switch k.of {
		case sameColumn:
			sum += w / 2 * (v.at(r+b.values[i]) + v.at(math.Abs(r-b.values[i])))
		case coupledColumns:
			sum += w * (v.at(math.Hypot(r, b.values[last-i])) - v.mean[k.a][k.i]*v.mean[k.b][k.j])
		case coupledApart:
			sum += w * (fa[i] - v.mean[k.a][k.i]) * (fb[last-i] - v.mean[k.b][k.j])
		case orthogonalColumns:
			if w < 1e-10 {
				continue
			}
			row := 0.
			for j, s := range b.values {
				if b.weights[j] > 1e-10 {
					row += b.weights[j] * (v.at(math.Hypot(r, s)) - fa[i]*fb[j])
				}
			}
			sum += w * row
		}
	}
	v.cross[k] = sum
	return sum
}

// stratum is a part of [0, 1) in which every v chooses the same component of each side.
type stratum struct {
	share     float64
	component [2]int
}

// strata cuts [0, 1) where the component of a side changes.
func (v *signedVariance) strata(sides []int) (out []stratum) {
	cuts := []float64{1}
	for _, a := range sides {
		sum := 0.
		for _, c := range v.sides[a].parts {
			sum += c.Weight
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
		for _, a := range sides {
			s.component[a] = v.sides[a].component((from + cut) / 2)
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
