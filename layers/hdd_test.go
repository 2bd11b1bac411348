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
// stands for, in one, two and three dimensions, and over the points of each direction in four.
func TestHDDParseval(t *testing.T) {
	for _, c := range []struct {
		axes, points int
		of           layers.Density
	}{
		{1, 11, layers.Density{}},
		{1, 11, layers.Density{Basis: layers.FourierBasis}},
		{2, 7, layers.Density{Box: true}},
		{3, 5, layers.Density{Basis: layers.FourierBasis, Box: true}},
		{4, 5, layers.Density{}},
	} {
		c.of.Sigma, c.of.Functions, c.of.Points = 1, c.points, slices.Repeat([]int{c.points}, min(c.axes, 3))
		if c.axes > 3 {
			c.of.Points = c.of.Points[:1]
		}
		for _, d := range hddDistances {
			for _, rule := range []spectral.LambdaRule{spectral.QuantileLambdas, spectral.GaussLambdas,
				spectral.DrawnLambdas} {
				l := must(layers.NewHDDLayer(withLambdas(d.d, 3, rule, c.of), c.axes, 2, layers.WithSeed(2)))
				x := rows(tensor.Float64, 5, l.Dims(), 3)
				x.Float64s()[2] = 0
				lambda, weight, err := d.d.Lambdas(3, rule, 2)
				must(lambda, err)
				want := pairs(x, func(p, q []float64) (sum float64) {
					for j, w := range weight {
						for v, a := range p {
							cross := 0.0
							if b := q[v]; a > 0 && b > 0 {
								cross = 2 * math.Sqrt(a*b) * math.Cos(lambda[j]*math.Log(a/b))
							}
							sum += w * (a + q[v] - cross) / float64(l.Grid().Len())
						}
					}
					return sum
				})
				near(t, l, pairs(must(l.Embed(nil, x)), squaredDistance), want, 1e-12)
			}
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

// TestHDDDirections: in more than three dimensions the densities are of directions, the axes first, each of an ℓ1
// length of 1 and with the bandwidth of a projection. So corners of the cube are projected into the unit interval. The kernel
// is in ops_test.TestSets.
func TestHDDDirections(t *testing.T) {
	const axes = 100
	h := make([]float64, axes)
	for j := range h {
		h[j] = .1 + .002*float64(j)
	}
	for dt, tol := range map[tensor.Dtype]float64{tensor.Float32: 1e-7, tensor.Float64: 1e-12} {
		l := must(layers.NewHDDLayer(layers.Density{Sigma: .5, Bandwidth: h}, axes, 6, layers.WithDtype(dt)))
		u, widths := floats(values(l)["directions"]), floats(values(l)["kde_bandwidth"])
		r := len(widths)
		near(t, "the bandwidths of the axes", widths[:axes], h, tol)
		for k, width := range widths {
			length, square := 0., 0.
			for j := range axes {
				length += math.Abs(u[j*r+k])
				square += math.Pow(u[j*r+k]*h[j], 2)
			}
			if !(length <= 1 && length > .999) || !(math.Abs(width-math.Sqrt(square)) <= tol) {
				t.Errorf("direction %d has the length %v and the bandwidth %v, want at most 1 and %v", k, length, width,
					math.Sqrt(square))
			}
		}
		at := -1
		// the corner where the projection on the i-th direction from the last is largest
		x := mapped(rows(dt, axes, axes, 1), func(float64) float64 {
			at++
			if u[(at%axes+1)*r-1-at/axes] > 0 {
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
		for i, s := range []spectral.Sampler{spectral.IID{}, spectral.Orthogonal{}, spectral.Structured{}} {
			axes := 1 + i
			// spectral.Structured wants 16 columns or more.
			opts := []layers.Option{layers.WithSeed(3), layers.WithSampler(s)}
			l := must(layers.NewHDDLayer(withLambdas(d.d, 5, spectral.GaussLambdas, layers.Density{Sigma: .4,
				Points: []int{17}, Bandwidth: []float64{.15}, Functions: []int{16, 6, 4}[i]}), axes, 26, opts...))
			b := uniformBags(axes, 41, 3)
			p := must(ofSets(l).Rows(b))
			a := must(l.Embed(nil, p))
			want := features(must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .4}, a.Shape()[1], 26, opts...)), a)
			near(t, l, features(l, p), want, 0)
			near(t, l, floats(must(ofSets(l).TransformBags(nil, b))), want, 1e-12)
			near(t, l, inGraph(t, l, p), want, 1e-12)
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
	for name, d := range map[string]spectral.DensityDistance{"hdd-js": spectral.JensenShannonDivergence,
		"hdd-tv": spectral.TotalVariation} {
		expected, _, err := d.Lambdas(5, spectral.GaussLambdas, 0)
		must(expected, err)
		s := layers.Spec{Map: name, Dims: 1, Features: 4, Params: layers.Values{"sigma": .5, "bandwidth": "0.1",
			"lambdas": 5.}}
		unnamed := must(s.Build())
		must(s, s.FillDefaults(must(ops.BagsOfRows(dense(1, .1, .3, .6, .9)))))
		if s.Params["rule"] != "gauss" {
			t.Errorf("%s: the defaults are %v", name, s.Params)
		}
		for what, l := range map[string]layers.Layer{"layer": must(layers.NewHDDLayer(layers.Density{Distance: d, Sigma: .5,
			Lambdas: 5}, 1, 4)), "unnamed": unnamed, "filled spec": must(s.Build())} {
			near(t, name+", "+what, floats(values(l)["lambda"]), expected, 0)
		}
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
