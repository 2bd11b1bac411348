package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/floats"
)

// How the expectation-maximisation algorithm goes.
const (
	emSteps  = 200  // at most
	emGain   = 1e-5 // of the mean log likelihood, below which it ends
	emRidge  = 1e-5 // added to the variances, in the unit square
	emStarts = 2    // of which the more likely counts
)

// gaussians is a mixture of normal laws on the plane with weights, as fitted.
type gaussians []struct {
	weight float64
	normal
}

// byCriteria are the numbers of components, 1 to 10, that Akaike's and the Bayesian information criterion choose for
// each set, among mixtures of normal laws with full covariances that expectation-maximisation fits to it: 6k - 1
// parameters. Akaike (1973); Schwarz (1978).
func byCriteria(b *ops.Bags, seed uint64) (aic, bic []float64) {
	aic, bic = make([]float64, b.Len()), make([]float64, b.Len())
	eachSet(b.Len(), func(i int) {
		x := rowsOfSet(b, i)
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		leastA, leastB := math.Inf(1), math.Inf(1)
		for k := 1; k <= maxComponents && 6*k <= len(x); k++ {
			likelihood := math.Inf(-1)
			for range emStarts {
				likelihood = math.Max(likelihood, fitMixture(x, k, rng))
			}
			p := float64(6*k - 1)
			if a := 2*p - 2*likelihood; a < leastA {
				leastA, aic[i] = a, float64(k)
			}
			if c := p*math.Log(float64(len(x))) - 2*likelihood; c < leastB {
				leastB, bic[i] = c, float64(k)
			}
		}
	})
	return aic, bic
}

// fitMixture fits k components to x and returns the log likelihood. Their means begin at samples that are far from each
// other, as in k-means++.
func fitMixture(x [][]float64, k int, rng *rand.Rand) float64 {
	g := startOf(x, k, rng)
	share := make([]float64, len(x)*k)
	last := math.Inf(-1)
	for range emSteps {
		likelihood := g.expect(x, share)
		g.maximise(x, share)
		if likelihood-last < emGain*float64(len(x)) {
			return likelihood
		}
		last = likelihood
	}
	return last
}

func startOf(x [][]float64, k int, rng *rand.Rand) gaussians {
	all, g, shrink := make(gaussians, 1), make(gaussians, k), 1/math.Sqrt(float64(k))
	distance := slices.Repeat([]float64{1}, len(x)) // at first all samples are alike
	all.maximise(x, distance)
	for c := range g {
		s := x[pick(distance, rng)]
		g[c].weight, g[c].normal = 1/float64(k), normal{s[0], s[1], shrink * all[0].a, shrink * all[0].b, shrink * all[0].c}
		for i, v := range x {
			d := (v[0]-s[0])*(v[0]-s[0]) + (v[1]-s[1])*(v[1]-s[1])
			if c == 0 || d < distance[i] {
				distance[i] = d
			}
		}
	}
	return g
}

// pick draws an index in proportion to weights.
func pick(weights []float64, rng *rand.Rand) int {
	at := floats.Sum(weights) * rng.Float64()
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// expect writes the share of each component in each sample and returns the log likelihood.
func (g gaussians) expect(x [][]float64, share []float64) (likelihood float64) {
	k := len(g)
	for i, v := range x {
		row := share[i*k : (i+1)*k]
		for c, law := range g {
			row[c] = math.Log(law.weight) + law.logDensity(v[0], v[1])
		}
		all := floats.LogSumExp(row)
		for c := range row {
			row[c] = math.Exp(row[c] - all)
		}
		likelihood += all
	}
	return likelihood
}

// logDensity is the law's log density at a point, without truncation.
func (n normal) logDensity(x, y float64) float64 {
	u := (x - n.x) / n.a
	v := (y - n.y - n.b*u) / n.c
	return -.5*(u*u+v*v) - math.Log(2*math.Pi*n.a*n.c)
}

// maximise fits each law to the samples, weighted by their shares.
func (g gaussians) maximise(x [][]float64, share []float64) {
	k := len(g)
	for c := range g {
		w, mx, my, xx, xy, yy := 1e-300, 0., 0., 0., 0., 0.
		for i, v := range x {
			s := share[i*k+c]
			w, mx, my = w+s, mx+s*v[0], my+s*v[1]
		}
		mx, my = mx/w, my/w
		for i, v := range x {
			s, dx, dy := share[i*k+c]/w, v[0]-mx, v[1]-my
			xx, xy, yy = xx+s*dx*dx, xy+s*dx*dy, yy+s*dy*dy
		}
		g[c].weight, g[c].normal = w/float64(len(x)), newNormal(mx, my, xx+emRidge, xy, yy+emRidge)
	}
}
