package spectral

import "math"

// The relative errors and the flatness among which a mixture is chosen, in the order in which they are tried.
var (
	tolerances = []float64{.2, .1, .07, .05, .03, .02, .015, .01, .007, .005, .003, .002, .001, 5e-4, 2e-4, 1e-4}
	flatness   = []float64{.05, 2}
)

// chosen caches choices.
var chosen cache[choiceKey, *mixture]

type choiceKey struct {
	k    profile
	d, m int
	c    Coupling
}

// chooseMixture returns the mixture of least risk from the cache, or finds it.
func chooseMixture(k profile, d, m int, c Coupling) (*mixture, error) {
	return chosen.get(choiceKey{k, d, m, c}, func() (*mixture, error) {
		return leastRisk(k, newQuickVariance(c, d, m))
	})
}

// leastRisk returns the mixture with the least bias² + variance, both as means over the sphere. A closer mixture has
// more variance, so the search ends where the variance alone exceeds the least risk.
func leastRisk(k profile, q *quickVariance) (best *mixture, last error) {
	least := math.Inf(1)
	for _, flat := range flatness {
		for _, eps := range tolerances {
			f, err := fitMixture(k, eps, flat)
			if err != nil {
				last = err
				break // and closer ones still less
			}
			variance := q.mean(f.split(k))
			if risk := f.bias(k) + variance; risk < least {
				best, least = f, risk
			}
			if variance >= least {
				break
			}
		}
	}
	if best != nil {
		return best, nil
	}
	return nil, last
}

// sphereWeight is the weight of a distance in these means. Rows without negative numbers are at most √2 apart, rows of
// random direction about √2, and few data have many rows at opposite points.
func sphereWeight(r float64) float64 { return 1.5 * (1 - r*r/4) }

// bias is the mean of (At - k)².
func (f *mixture) bias(k profile) float64 {
	const n = 200
	sum := 0.
	for i := range n {
		r := 2 * (float64(i) + .5) / n
		off := f.at(r) - k.at(r)
		sum += sphereWeight(r) * off * off / n
	}
	return sum
}

// quickVariance is Coupling.Variance at a few distances, to about one per cent, with fewer nodes and harmonics.
type quickVariance struct {
	*signedVariance
	norms nodes // of N(0, I)
}

var quickDistances = []float64{.2, .6, 1, 1.4, 1.8}

func newQuickVariance(c Coupling, d, m int) *quickVariance {
	normal := Gaussian{Sigma: 1}.Law().NormQuantile
	return &quickVariance{newSignedVariance(c, d, m, 12, .2),
		nodesUpTo(14, func(u float64) float64 { return normal(d, u) }, 1)}
}

// mean is the mean variance of a split into Gaussians.
func (q *quickVariance) mean(p *Split) float64 {
	sum := 0.
	for _, r := range quickDistances {
		sum += sphereWeight(r) * q.of(p, r, q.nodes) / float64(len(quickDistances))
	}
	return sum
}

// nodes are the nodes for a Gaussian or for the constant.
func (q *quickVariance) nodes(of Random) nodes {
	g, ok := of.(Gaussian)
	n := nodes{make([]float64, len(q.norms.values)), q.norms.weights}
	for i, r := range q.norms.values {
		if ok {
			n.values[i] = r / g.Sigma
		}
	}
	return n
}
