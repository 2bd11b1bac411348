package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

// The mixtures of the Gram matrices, whose parameters the paper's text has lost: five components of equal weight with
// means uniform on the unit square and standard deviations uniform on an interval, each truncated to the square.
const (
	gramComponents = 5
	narrow, wide   = .05, .15
	fine           = 128 // points of an axis for integrals of the true densities, and for the estimates that entropies are of
	cvSets         = 4   // that the bandwidth is cross-validated on
)

// spherical is a component.
type spherical struct{ x, y, sd float64 }

func drawSpherical(rng *rand.Rand) (m [gramComponents]spherical) {
	for i := range m {
		m[i] = spherical{rng.Float64(), rng.Float64(), narrow + (wide-narrow)*rng.Float64()}
	}
	return m
}

// truncated is the density of a truncated normal law on [0, 1].
func truncated(t, mean, sd float64) float64 {
	law := distuv.Normal{Mu: mean, Sigma: sd}
	return law.Prob(t) / (law.CDF(1) - law.CDF(0))
}

// densityOf are the values of a mixture at the points of a grid.
func densityOf(m [gramComponents]spherical, g ops.Grid) []float64 {
	n := g.Points()[0]
	out := make([]float64, n*n)
	for _, c := range m {
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			t := (float64(i) + .5) / float64(n)
			x[i], y[i] = truncated(t, c.x, c.sd), truncated(t, c.y, c.sd)
		}
		for i, p := range x {
			for j, q := range y {
				out[i*n+j] += p * q / gramComponents
			}
		}
	}
	return out
}

// gramSets draws mixtures, their densities at the points of a grid and samples of each.
func gramSets(n, samples int, seed uint64, g ops.Grid) (truth *tensor.Dense, sets *ops.Bags) {
	rng := rand.New(spectral.Stream(seed, "mixtures of five"))
	x, p, offsets := make([]float64, 0, 2*n*samples), make([]float64, 0, n*g.Len()), []int{0}
	for range n {
		m := drawSpherical(rng)
		p = append(p, densityOf(m, g)...)
		for range samples {
			c := m[rng.IntN(len(m))]
			x = append(x, inUnit(rng, c.x, c.sd), inUnit(rng, c.y, c.sd))
		}
		offsets = append(offsets, len(x)/2)
	}
	sets = try.Get(ops.NewBags(tensor.New(tensor.WithShape(n*samples, 2), tensor.WithBacking(x)), offsets))
	return tensor.New(tensor.WithShape(n, g.Len()), tensor.WithBacking(p)), sets
}

// inUnit draws from a normal law until it is in [0, 1].
func inUnit(rng *rand.Rand, mean, sd float64) float64 {
	for {
		if v := mean + sd*rng.NormFloat64(); v >= 0 && v <= 1 {
			return v
		}
	}
}

// gram estimates the kernel matrix of the Jensen-Shannon divergence in three ways, and prints the squared correlations
// with the true one over pairs: figure 2 and table 2.
func (o *options) gram(context.Context) {
	g := try.Get(ops.NewGrid(fine, fine))
	n, samples := o.sets[0], o.samples[0]
	truth, sets := gramSets(n, samples, o.Seed, g)
	h := try.Get(ops.CrossValidatedBandwidth(sets.Slice(0, min(cvSets, sets.Len())), nil))
	js := spectral.JensenShannonDivergence
	exact := pairs(n, func(i, j int) float64 {
		return js.At(rowOf(truth, i), rowOf(truth, j))
	})
	sigma := math.Sqrt(stat.Mean(exact, nil)) / 2
	entropies := entropyDivergences(sets, h, g)
	of := o.density(js, h, 2)
	of.Sigma = sigma
	l := try.Get(layers.NewHDDLayer(of, 2, o.columns, layers.WithSampler(o.samplerFor(0)), layers.WithSeed(o.Seed)))
	p := try.Get(try.Get(layers.NewBagLayer(l)).Rows(sets))
	a, z := try.Get(l.Embed(nil, p)), try.Get(l.Transform(nil, p))
	coefficients := pairs(n, func(i, j int) float64 { return math.Pow(floats.Distance(rowOf(a, i), rowOf(a, j), 2), 2) })
	estimates := []struct {
		name   string
		paper  float64
		kernel []float64 // of pairs
	}{
		{"entropies", .9812, gaussianOf(entropies, sigma)},
		{"coefficients", .9735, gaussianOf(coefficients, sigma)},
		{"random features", .9662, pairs(n, func(i, j int) float64 { return floats.Dot(rowOf(z, i), rowOf(z, j)) })},
	}
	kernel := gaussianOf(exact, sigma)
	fmt.Printf("%d mixtures of %d normal laws with standard deviations of %v to %v on the unit square, %d samples of each, bandwidths %.3f and %.3f, σ %.3f\n\n",
		n, gramComponents, narrow, wide, samples, h[0], h[1], sigma)
	fmt.Print(frame.TableHead("estimate of the kernel", "squared correlation", "the paper", "rms error", "largest error"))
	for _, e := range estimates {
		r2 := math.Pow(stat.Correlation(e.kernel, kernel, nil), 2)
		rms, most := errorOf(e.kernel, kernel)
		fmt.Printf("| %s | %.4f | %.4f | %.4f | %.4f |\n", e.name, r2, e.paper, rms, most)
		title := report.WithTitle(fmt.Sprintf("Kernel of Jensen-Shannon by %s", e.name))
		o.Add(try.Get(report.ExactVsApprox(symmetric(kernel, n), symmetric(e.kernel, n), title)))
	}
	// Hoeffding's inequality for the mean of cosines, which are half of the features.
	const probability = .05
	bound := math.Sqrt(4 * math.Log(2/probability) / float64(l.Features()))
	rms, most := errorOf(estimates[2].kernel, estimates[1].kernel)
	fmt.Printf("\nThe paper's bound for the error of %d random features alone is %.4f for a pair, with a probability of %v. "+
		"Beside the kernel of the coefficients it is %.4f rms and at most %.4f.\n", l.Features(), bound, 1-probability, rms, most)
}

// errorOf returns the root mean square and the largest difference.
func errorOf(estimate, exact []float64) (rms, most float64) {
	return floats.Distance(estimate, exact, 2) / math.Sqrt(float64(len(exact))), floats.Distance(estimate, exact, math.Inf(1))
}

// pairs are f of all i < j.
func pairs(n int, f func(i, j int) float64) []float64 {
	out := make([]float64, n*(n-1)/2)
	eachSet(n, func(j int) {
		for i := range j {
			out[j*(j-1)/2+i] = f(i, j)
		}
	})
	return out
}

// gaussianOf is exp(-d/2σ²) of squared distances.
func gaussianOf(d []float64, sigma float64) []float64 {
	return frame.Each(d, func(v float64) float64 { return math.Exp(-v / (2 * sigma * sigma)) })
}

func rowOf(x *tensor.Dense, i int) []float64 {
	d := x.Shape()[1]
	return x.Float64s()[i*d : (i+1)*d]
}

// entropyDivergences are H((p+q)/2) - H(p)/2 - H(q)/2 of pairs of sets, where the entropy of a density is the mean of
// -ln p over samples of it: the densities are estimated from the first half of each set, at the points of a grid, and
// the entropies are means over the second, at which an estimate is interpolated.
func entropyDivergences(sets *ops.Bags, h []float64, g ops.Grid) []float64 {
	n := sets.Len()
	first, second := halves(sets)
	width := tensor.New(tensor.WithShape(2), tensor.WithBacking(h))
	p := try.Get(ops.KDE(first.Offsets(), g, ops.Attr{Layer: "entropies"}).Into(nil, first.Samples(), width))
	at := func(i, j int) []float64 { // density i at the samples of set j
		return frame.Each(rowsOfSet(second, j), func(x []float64) float64 {
			return interpolate(rowOf(p, i), g.Points()[0], x[0], x[1])
		})
	}
	own := make([][]float64, n)
	eachSet(n, func(i int) { own[i] = at(i, i) })
	return pairs(n, func(i, j int) (d float64) {
		for _, of := range [2][2]int{{i, j}, {j, i}} { // means over the samples of either law of ln p/q, p its density and q the mean of both
			density := own[of[0]]
			for s, v := range at(of[1], of[0]) {
				d += .5 * (math.Log(density[s]) - math.Log(.5*(density[s]+v))) / float64(len(density))
			}
		}
		return d
	})
}

// halves are the first and the second half of each set.
func halves(b *ops.Bags) (first, second *ops.Bags) {
	offsets, even, odd := []int{0}, []int{}, []int{}
	for i := range b.Len() {
		offsets = append(offsets, b.Offsets()[i]+b.Size(i)/2, b.Offsets()[i+1])
		even, odd = append(even, 2*i), append(odd, 2*i+1)
	}
	all := try.Get(ops.NewBags(b.Samples(), offsets))
	return all.Take(even), all.Take(odd)
}

// interpolate is the bilinear interpolation at (x, y) of values at n times n midpoints, constant beyond the outermost.
func interpolate(p []float64, n int, x, y float64) float64 {
	cell := func(t float64) (int, float64) {
		u := math.Min(math.Max(t*float64(n)-.5, 0), float64(n-1))
		i := min(int(u), n-2)
		return i, u - float64(i)
	}
	i, u := cell(x)
	j, v := cell(y)
	return (1-u)*((1-v)*p[i*n+j]+v*p[i*n+j+1]) + u*((1-v)*p[(i+1)*n+j]+v*p[(i+1)*n+j+1])
}
