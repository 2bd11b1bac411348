package layers_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	gonum "gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// mixtures are n densities on [0, 1]^l at the points of a grid: each the mean of two products of truncated normal laws
// with standard deviations of .1 to .3 about random means.
func mixtures(n int, g ops.Grid, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := g.Len()
	p := make([]float64, n*v)
	points := make([][]float64, v)
	for k := range points {
		points[k] = g.At(k)
	}
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	for i := range n {
		for range 2 {
			height := .5
			mean, sd := make([]float64, g.Axes()), make([]float64, g.Axes())
			for j := range mean {
				mean[j], sd[j] = rng.Float64(), .1+.2*rng.Float64()
				height /= sd[j] * math.Sqrt(2*math.Pi) * (cdf((1-mean[j])/sd[j]) - cdf(-mean[j]/sd[j]))
			}
			for k, t := range points {
				e := 0.0
				for j, u := range t {
					e += (u - mean[j]) * (u - mean[j]) / (sd[j] * sd[j])
				}
				p[i*v+k] += height * math.Exp(-e/2)
			}
		}
	}
	return dense(v, p...)
}

// pairs are ρ² of all pairs of rows.
func pairs(x *tensor.Dense, rho func(p, q []float64) float64) (out []float64) {
	n, d := x.Shape()[0], x.Shape()[1]
	for i := range n {
		for j := range i {
			out = append(out, rho(x.Float64s()[i*d:i*d+d], x.Float64s()[j*d:j*d+d]))
		}
	}
	return out
}

func squaredDistance(a, b []float64) float64 {
	d := gonum.Distance(a, b, 2)
	return d * d
}

var hddDistances = []struct {
	name string
	d    spectral.DensityDistance
}{{"JS", spectral.JensenShannonDivergence}, {"TV", spectral.TotalVariation},
	{"Hellinger", spectral.SquaredHellinger}}

// withLambdas returns a density kernel with frequencies λ, for a distance that has more than one.
func withLambdas(d spectral.DensityDistance, m int, rule spectral.LambdaRule, of layers.Density) layers.Density {
	if of.Distance = d; d != spectral.SquaredHellinger {
		of.Lambdas, of.Rule = m, rule
	}
	return of
}

// TestHDDParseval: with a whole basis a squared distance of embeddings is the sum over points and frequencies that it
// stands for, in one, two and three dimensions.
func TestHDDParseval(t *testing.T) {
	for _, c := range []struct {
		points []int
		of     layers.Density
	}{
		{[]int{11}, layers.Density{Functions: 11}},
		{[]int{11}, layers.Density{Basis: layers.FourierBasis, Functions: 11}},
		{[]int{7, 7}, layers.Density{Functions: 7, Box: true}},
		{[]int{5, 5, 5}, layers.Density{Basis: layers.FourierBasis, Functions: 5, Box: true}},
	} {
		c.of.Sigma, c.of.Points = 1, c.points
		for _, d := range hddDistances {
			for _, rule := range []spectral.LambdaRule{spectral.QuantileLambdas, spectral.GaussLambdas,
				spectral.DrawnLambdas} {
				l := must(layers.NewHDDLayer(withLambdas(d.d, 3, rule, c.of), len(c.points), 2, layers.WithSeed(2)))
				x := mixtures(5, l.Grid(), 3)
				x.Float64s()[2] = 0
				lambda, weight, err := d.d.Lambdas(3, rule, 2)
				if err != nil {
					t.Fatal(err)
				}
				want := pairs(x, func(p, q []float64) (sum float64) {
					for j, w := range weight {
						for v, a := range p {
							cross := 0.0
							if b := q[v]; a > 0 && b > 0 {
								cross = 2 * math.Sqrt(a*b) * math.Cos(lambda[j]*math.Log(a/b))
							}
							sum += w * (a + q[v] - cross) / float64(len(p))
						}
					}
					return sum
				})
				near(t, l, pairs(must(l.Embed(nil, x)), squaredDistance), want, 1e-12)
			}
		}
	}
}

// TestHDDAccuracy: in one dimension, with 200 frequencies and 200 functions, squared distances are exact to 1.5 % for
// JS, 4 % for TV and .1 % for Hellinger, each of itself.
func TestHDDAccuracy(t *testing.T) {
	g := must(ops.NewGrid(20000))
	fine := mixtures(8, g, 5)
	for i, tol := range []float64{.015, .04, .001} {
		d := hddDistances[i]
		l := must(layers.NewHDDLayer(withLambdas(d.d, 200, spectral.QuantileLambdas, layers.Density{Sigma: 1,
			Points: []int{1000}, Functions: 200}), 1, 2))
		got, worst := pairs(must(l.Embed(nil, mixtures(8, l.Grid(), 5))), squaredDistance), 0.0
		for k, want := range pairs(fine, d.d.At) {
			worst = math.Max(worst, math.Abs(got[k]/want-1))
		}
		t.Logf("%s: %.3f %% at most", d.name, 100*worst)
		if !(worst <= tol) {
			t.Errorf("%s: off by %.3f %%", d.name, 100*worst)
		}
	}
}

// ofSets is the map of sets of a map of densities.
func ofSets(l *layers.HDDLayer) *layers.BagLayer { return must(layers.NewBagLayer(l)) }

// uniformBags are n bags of up to most+1 samples.
func uniformBags(axes, n, most int) *ops.Bags {
	rng := rand.New(rand.NewPCG(8, 0))
	offsets := []int{0}
	for i := range n {
		offsets = append(offsets, offsets[i]+1+rng.IntN(most+1))
	}
	x := make([]float64, offsets[n]*axes)
	for i := range x {
		x[i] = rng.Float64()
	}
	return must(ops.NewBags(dense(axes, x...), offsets))
}

// TestHDDSlices: in more than three dimensions the embeddings of the directions stand one after another, the axes
// first. Corners of the cube are projected into the unit interval. The kernel is in ops_test.TestSets.
func TestHDDSlices(t *testing.T) {
	const axes = 5
	h := []float64{.1, .2, .3, .4, .5}
	for _, d := range hddDistances {
		build := func(axes int, h ...float64) *layers.HDDLayer {
			return must(layers.NewHDDLayer(withLambdas(d.d, 5, spectral.GaussLambdas,
				layers.Density{Sigma: .5, Points: []int{16}, Bandwidth: h}), axes, 6))
		}
		l := build(axes, h...)
		params := values(l)
		r, widths := params["shift"].Shape().TotalSize(), floats(params["kde_bandwidth"])
		if r != 2*axes || !slices.Equal(widths[:axes], h) {
			t.Fatalf("%s: %d directions, bandwidths %v", d.name, r, widths)
		}
		bags := uniformBags(axes, 4, 2)
		p := must(ofSets(l).Rows(bags))
		a, v := must(l.Embed(nil, p)), l.Grid().Len()
		for k := range r {
			x, length, square := bags.Samples().Float64s(), 0., 0.
			projected := zeros(len(x)/axes, 1)
			for j := range axes {
				u := params["directions"].Float64s()[j*r+k]
				length += math.Abs(u)
				square += u * u * h[j] * h[j]
				for i := range projected.Float64s() {
					projected.Float64s()[i] += u*(x[i*axes+j]-.5) + .5/axes
				}
			}
			if !(length <= 1 && length > .999) || !(math.Abs(widths[k]-math.Sqrt(square)) <= 1e-12) {
				t.Errorf("%s: direction %d has the length %v and the bandwidth %v, want at most 1 and %v", d.name, k,
					length, widths[k], math.Sqrt(square))
			}
			one := build(1, widths[k])
			q := must(ofSets(one).Rows(must(bags.With(projected))))
			part := must(one.Embed(nil, q))
			w := part.Shape()[1]
			for i := range 4 {
				of := func(all *tensor.Dense, row, w int) []float64 { return all.Float64s()[row*w : (row+1)*w] }
				near(t, "density", of(p, i*r+k, v), of(q, i, v), 1e-10)
				near(t, "embedding", of(a, i*r+k, w), of(part, i, w), 1e-10)
			}
		}
	}
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		const most = 100
		l := must(layers.NewHDDLayer(layers.Density{Sigma: .5, Bandwidth: []float64{.2}}, most, 6, layers.WithDtype(dt)))
		u, at := floats(values(l)["directions"]), -1
		// the corner where the projection on the i-th direction from the last is largest
		x := mapped(tensor.New(tensor.WithShape(most, most), tensor.Of(dt)), func(float64) float64 {
			at++
			if u[(at%most+1)*len(u)/most-1-at/most] > 0 {
				return 1
			}
			return 0
		})
		must(ofSets(l).Rows(must(ops.BagsOfRows(x))))
	}
}

// TestHDDIsTheComposition: a FourierLayer of the same seed on the embedding makes the same features, so their inner
// products are about the kernel of ρ². Bags come in by their density estimates.
func TestHDDIsTheComposition(t *testing.T) {
	for _, d := range hddDistances {
		for _, s := range []spectral.Sampler{spectral.IID{}, spectral.Orthogonal{}, spectral.Structured{}} {
			for axes := 1; axes <= 3; axes++ {
				// spectral.Structured wants 16 columns or more.
				opts := []layers.Option{layers.WithSeed(3), layers.WithSampler(s)}
				l := must(layers.NewHDDLayer(withLambdas(d.d, 5, spectral.GaussLambdas, layers.Density{Sigma: .4,
					Points: []int{17}, Bandwidth: []float64{.15}, Functions: []int{16, 6, 4}[axes-1]}), axes, 26, opts...))
				b := uniformBags(axes, 41, 3)
				p := must(ops.KDE(b.Offsets(), l.Grid(), ops.Attr{}).Into(nil, b.Samples(),
					tensor.New(tensor.WithShape(axes), tensor.WithBacking(slices.Repeat([]float64{.15}, axes)))))
				a := must(l.Embed(nil, p))
				want := features(must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .4}, a.Shape()[1], 26, opts...)), a)
				near(t, l, features(l, p), want, 0)
				near(t, l, floats(must(ofSets(l).TransformBags(nil, b))), want, 1e-12)
				near(t, l, inGraph(t, l, p), want, 1e-12)
			}
		}
	}
}

// TestHDDScatteredPoints: the midpoints of a grid, given as points, are the grid; points of another dimension, and
// points with a grid, are errors.
func TestHDDScatteredPoints(t *testing.T) {
	of := layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: .5, Functions: 4, Bandwidth: []float64{.2}}
	for axes, p := range []int{13, 7, 5} {
		axes++
		onGrid, scattered := of, of
		onGrid.Points = []int{p}
		grid := must(layers.NewHDDLayer(onGrid, axes, 8, layers.WithSeed(2)))
		var at []float64
		for v := range grid.Grid().Len() {
			at = append(at, grid.Grid().At(v)...)
		}
		scattered.At = dense(axes, at...)
		l := must(layers.NewHDDLayer(scattered, axes, 8, layers.WithSeed(2)))
		b := uniformBags(axes, 3, 5)
		near(t, axes, floats(must(ofSets(l).TransformBags(nil, b))), floats(must(ofSets(grid).TransformBags(nil, b))), 1e-12)
		_, err := layers.NewHDDLayer(scattered, axes%3+1, 8)
		wantErr(t, "points of another number of axes", err, layers.ErrParam)
		scattered.Points = []int{9}
		_, err = layers.NewHDDLayer(scattered, axes, 8)
		wantErr(t, "points and a grid", err, layers.ErrParam)
	}
}

// TestTotalVariationIsLaplacian: without lambdas hdd-tv has the features of a Laplacian kernel of the densities, which
// have no bias, in one and in four dimensions.
func TestTotalVariationIsLaplacian(t *testing.T) {
	for _, axes := range []int{1, 4} {
		l := must(layers.NewHDDLayer(layers.Density{Distance: spectral.TotalVariation, Sigma: .4, Points: []int{8}},
			axes, 12, layers.WithSeed(3)))
		laplacian := must(layers.NewFourierLayer(spectral.Laplacian{Sigma: 2 * .4 * .4 * 8}, l.Dims(), 12,
			layers.WithSeed(3)))
		x := rows(tensor.Float64, 5, l.Dims(), 1)
		near(t, l, features(l, x), features(laplacian, x), 1e-12)
		x.Float64s()[7] = -.5
		_, err := l.Transform(nil, x)
		wantErr(t, "a negative density", err, layers.ErrDomain)
		_, err = l.Embed(nil, x)
		wantErr(t, "an embedding that it has not", err, layers.ErrParam)
	}
}

// TestHDDEdges: no bags and no densities, one bag of one sample, a sample on a face, a constant coordinate, zeros of a
// histogram, and an empty density, whose embedding is 0.
func TestHDDEdges(t *testing.T) {
	for _, d := range hddDistances {
		l := must(layers.NewHDDLayer(withLambdas(d.d, 5, spectral.GaussLambdas, layers.Density{Sigma: .5,
			Points: []int{8}, Functions: 8, Bandwidth: []float64{.1, .2}}), 2, 6))
		if z := must(ofSets(l).TransformBags(nil, must(ops.NewBags(dense(2), []int{0})))); !z.Shape().Eq(tensor.Shape{0, 6}) {
			t.Errorf("%s: no bags make features %v", d.name, z.Shape())
		}
		for _, x := range [][]float64{{.5, .5}, {0, 1}, {.1, 0, .6, 0, .9, 0}} {
			bags := must(ops.NewBags(dense(2, x...), []int{0, len(x) / 2}))
			z, a := must(ofSets(l).TransformBags(nil, bags)), must(l.Embed(nil, must(ofSets(l).Rows(bags))))
			// cos² + sin² of each frequency; and by Bessel's inequality the norm is below Z times the mass.
			sum, norm := inner(z, 0, 0), inner(a, 0, 0)
			if !(math.Abs(sum-1) < 1e-12) || !(norm > 0 && norm <= d.d.Mass()*(1+1e-12)) {
				t.Errorf("%s: %v has features of squared norm %v, and its histogram's embedding %v", d.name, x, sum,
					norm)
			}
		}
		if a := must(l.Embed(nil, zeros(1, 64))); inner(a, 0, 0) != 0 {
			t.Errorf("%s: the embedding of 0 is %v", d.name, a)
		}
	}
	l := must(layers.NewHDDLayer(layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: .5}, 1, 6,
		layers.WithName("sets")))
	if s := l.String(); !strings.Contains(s, `HDDLayer "sets": 128 -> 100 -> 6, σ 0.5`) ||
		l.Policy() != layers.Frozen || l.Kernel() != l.Density().Distance.Kernel(.5, 128) {
		t.Error(s)
	}
}

// TestRuleOfSpecs: GaussLambdas gives the frequencies λ by default, in a layer, in a spec that does not name the rule
// and in one that FillDefaults completes.
func TestRuleOfSpecs(t *testing.T) {
	js, tv := spectral.JensenShannonDivergence, spectral.TotalVariation
	want := func(what string, l layers.Layer, d spectral.DensityDistance) {
		t.Helper()
		expected, _, err := d.Lambdas(5, spectral.GaussLambdas, 0)
		near(t, what, floats(values(l)["lambda"]), must(expected, err), 0)
	}
	want("layer", must(layers.NewHDDLayer(layers.Density{Distance: js, Sigma: .5}, 1, 4)), js)
	for name, d := range map[string]spectral.DensityDistance{"hdd-js": js, "hdd-tv": tv} {
		s := layers.Spec{Map: name, Dims: 1, Features: 4, Params: layers.Values{"sigma": .5, "bandwidth": "0.1",
			"lambdas": 5.}}
		want(name+", unnamed", must(s.Build()), d)
		must(s, s.FillDefaults(must(ops.BagsOfRows(dense(1, .1, .3, .6, .9)))))
		if s.Params["rule"] != "gauss" {
			t.Errorf("%s: the defaults are %v", name, s.Params)
		}
		want(name+", filled spec", must(s.Build()), d)
	}
}

// TestMeanKernelExtremeTau: a τ whose square underflows leaves k(x, x) = 1.
func TestMeanKernelExtremeTau(t *testing.T) {
	l := must(layers.NewMeanMapLayer(must(layers.NewHomogeneousLayer(spectral.Chi2{}, 1)), 1e-170, 2))
	k := l.Kernel().(layers.BagKernel)
	if v := k.At([]float64{.3}, []float64{.3}); v != 1 {
		t.Errorf("k(x, x) = %v", v)
	}
	if g := must(k.GramBags(must(ops.BagsOfRows(dense(1, .25, .75))))); g.At(0, 0) != 1 || g.At(0, 1) != 0 {
		t.Errorf("%v", g)
	}
}
