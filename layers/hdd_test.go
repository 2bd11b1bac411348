package layers_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
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
	return tensor.New(tensor.WithShape(n, v), tensor.WithBacking(p))
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

func squaredDistance(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}

// hddError is the error of embedded distances, the largest and the root mean square, in parts of the largest exact one.
func hddError(l *layers.HDDLayer, x *tensor.Dense, exact []float64) (worst, rms float64) {
	got := pairs(must(l.Embed(nil, x)), squaredDistance)
	largest := 0.0
	for i, want := range exact {
		largest = math.Max(largest, want)
		worst = math.Max(worst, math.Abs(got[i]-want))
		rms += (got[i] - want) * (got[i] - want) / float64(len(exact))
	}
	return worst / largest, math.Sqrt(rms) / largest
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
				for i, got := range pairs(must(l.Embed(nil, x)), squaredDistance) {
					if !(math.Abs(got-want[i]) <= 1e-12) {
						t.Errorf("%v: pair %d is at %v, want %v", l, i, got, want[i])
					}
				}
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

// TestHDDIsTheComposition: a FourierLayer of the same seed on the embedding makes the same features, so their inner
// products are about the kernel of ρ². Bags come in by their density estimates. A graph has the features of Transform.
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
					tensor.New(tensor.WithShape(axes), tensor.WithBacking(repeat(.15, axes)))))
				a := must(l.Embed(nil, p))
				rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .4}, a.Shape()[1], 26, opts...))
				want := floats(must(rff.Transform(nil, a)))
				if off := maxDiff(floats(must(l.Transform(nil, p))), want); off != 0 {
					t.Errorf("%v differs by %v from the composition", l, off)
				}
				if off := maxDiff(floats(must(l.TransformBags(nil, b))), want); off > 1e-12 {
					t.Errorf("%v: bags differ by %v", l, off)
				}
				g := G.NewGraph()
				x := input(g, b.Samples())
				if off := maxDiff(run(t, l.FwdBags(x, b.Offsets()).Node()), want); off > 1e-12 {
					t.Errorf("%v: bags in a graph differ by %v", l, off)
				}
				if off := maxDiff(run(t, l.Fwd(input(G.NewGraph(), p)).Node()), want); off > 1e-12 {
					t.Errorf("%v: densities in a graph differ by %v", l, off)
				}
			}
		}
	}
}

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
	return must(ops.NewBags(tensor.New(tensor.WithShape(offsets[n], axes), tensor.WithBacking(x)), offsets))
}

func repeat[V any](v V, n int) []V {
	s := make([]V, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// TestHDDSlices: in more than three dimensions the embeddings of the directions stand one after another, the axes
// first. The squared distances and the kernel are of the sum. Corners of the cube are projected into the unit interval.
func TestHDDSlices(t *testing.T) {
	const axes = 5
	h := []float64{.1, .2, .3, .4, .5}
	for _, d := range hddDistances {
		build := func(axes int, h ...float64) *layers.HDDLayer {
			return must(layers.NewHDDLayer(withLambdas(d.d, 5, spectral.GaussLambdas,
				layers.Density{Sigma: .5, Points: []int{16}, Bandwidth: h}), axes, 6))
		}
		l := build(axes, h...)
		params := map[string][]float64{}
		for _, p := range l.Params() {
			params[p.Name] = floats(p.Value)
		}
		r, widths := len(params["shift"]), params["kde_bandwidth"]
		if r != 2*axes || !slices.Equal(widths[:axes], h) {
			t.Fatalf("%s: %d directions, bandwidths %v", d.name, r, widths)
		}
		bags := uniformBags(axes, 4, 2)
		p := must(l.Densities(nil, bags))
		a, v := must(l.Embed(nil, p)), l.Grid().Len()
		sums := make([]float64, 6)
		for k := range r {
			x, length, square := bags.Samples().Float64s(), 0., 0.
			projected := tensor.New(tensor.WithShape(len(x)/axes, 1), tensor.Of(tensor.Float64))
			for j := range axes {
				u := params["directions"][j*r+k]
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
			q := must(one.Densities(nil, must(bags.With(projected))))
			part := must(one.Embed(nil, q))
			w := part.Shape()[1]
			for i := range 4 {
				for c := range v {
					if !(math.Abs(p.Float64s()[(i*r+k)*v+c]-q.Float64s()[i*v+c]) <= 1e-10) {
						t.Fatalf("%s: density %d of bag %d differs at %d", d.name, k, i, c)
					}
				}
				for c := range w {
					if !(math.Abs(a.Float64s()[(i*r+k)*w+c]-part.Float64s()[i*w+c]) <= 1e-10) {
						t.Fatalf("%s: direction %d of bag %d differs at coefficient %d", d.name, k, i, c)
					}
				}
			}
			for i, rho := range pairs(q, d.d.At) {
				sums[i] += rho
			}
		}
		for i, k := range pairs(p, l.Kernel().At) {
			if want := math.Exp(-sums[i] / (2 * .25)); !(math.Abs(k-want) <= 1e-9) {
				t.Errorf("%s: the kernel of pair %d is %v, want %v", d.name, i, k, want)
			}
		}
	}
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		const most = 100
		l := must(layers.NewHDDLayer(layers.Density{Sigma: .5, Bandwidth: []float64{.2}}, most, 6, layers.WithDtype(dt)))
		x := tensor.New(tensor.WithShape(most, most), tensor.Of(dt))
		u := floats(l.Params()[1].Value) // kde_bandwidth, directions
		for i := range most {            // the corner where the projection on the i-th direction from the last is largest
			for j := range most {
				if on := u[(j+1)*len(u)/most-1-i] > 0; on && dt == tensor.Float32 {
					x.Float32s()[i*most+j] = 1
				} else if on {
					x.Float64s()[i*most+j] = 1
				}
			}
		}
		if _, err := l.Densities(nil, must(ops.BagsOfRows(x))); err != nil {
			t.Errorf("%v: corners: %v", dt, err)
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
		x := tensor.New(tensor.WithShape(grid.Grid().Len(), axes), tensor.WithBacking(at))
		scattered.At = x
		l := must(layers.NewHDDLayer(scattered, axes, 8, layers.WithSeed(2)))
		b := uniformBags(axes, 3, 5)
		got, want := must(l.TransformBags(nil, b)), must(grid.TransformBags(nil, b))
		for i, v := range want.Float64s() {
			if math.Abs(got.Float64s()[i]-v) > 1e-12 {
				t.Errorf("%d axes: feature %d is %v, on the grid %v", axes, i, got.Float64s()[i], v)
			}
		}
		if _, err := layers.NewHDDLayer(scattered, axes%3+1, 8); !errors.Is(err, layers.ErrParam) {
			t.Errorf("points of %d axes for another number of them: %v", axes, err)
		}
		scattered.Points = []int{9}
		if _, err := layers.NewHDDLayer(scattered, axes, 8); !errors.Is(err, layers.ErrParam) {
			t.Errorf("points and a grid: %v", err)
		}
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
		d := maxDiff(floats(must(l.Transform(nil, x))), floats(must(laplacian.Transform(nil, x))))
		if !(d <= 1e-12) {
			t.Errorf("%v differs by %v from %v", l, d, laplacian)
		}
		x.Float64s()[7] = -.5
		if _, err := l.Transform(nil, x); !errors.Is(err, layers.ErrDomain) {
			t.Errorf("a negative density gives %v", err)
		}
		if _, err := l.Embed(nil, x); !errors.Is(err, layers.ErrParam) {
			t.Errorf("an embedding that %v has not: %v", l, err)
		}
	}
	for _, of := range []layers.Density{{Functions: 4}, {Basis: layers.FourierBasis}, {Box: true}} {
		of.Distance, of.Sigma = spectral.TotalVariation, .4
		if _, err := layers.NewHDDLayer(of, 1, 12); !errors.Is(err, layers.ErrParam) {
			t.Errorf("a basis without an embedding: %v", err)
		}
	}
	if _, err := layers.ParseValues("hdd-tv", "functions=4"); !errors.Is(err, layers.ErrParam) {
		t.Errorf("functions without an embedding: %v", err)
	}
}

// TestHDDEdges: no bags and no densities, one bag of one sample, a sample on a face, a constant coordinate, zeros of a
// histogram, and an empty density, whose embedding is 0.
func TestHDDEdges(t *testing.T) {
	for _, d := range hddDistances {
		l := must(layers.NewHDDLayer(withLambdas(d.d, 5, spectral.GaussLambdas, layers.Density{Sigma: .5,
			Points: []int{8}, Functions: 8, Bandwidth: []float64{.1, .2}}), 2, 6))
		for _, x := range [][]float64{nil, {.5, .5}, {0, 1}, {.1, 0, .6, 0, .9, 0}} {
			b := tensor.New(tensor.WithShape(len(x)/2, 2), tensor.Of(tensor.Float64))
			offsets := []int{0}
			if x != nil {
				b, offsets = tensor.New(tensor.WithShape(len(x)/2, 2), tensor.WithBacking(x)), []int{0, len(x) / 2}
			}
			bags := must(ops.NewBags(b, offsets))
			z := must(l.TransformBags(nil, bags))
			if !z.Shape().Eq(tensor.Shape{bags.Len(), 6}) {
				t.Errorf("%s: %v makes features %v", d.name, x, z.Shape())
			}
			if x == nil {
				continue
			}
			sum := 0.0 // cos² + sin² of each frequency
			for _, v := range z.Float64s() {
				sum += v * v
			}
			a := must(l.Embed(nil, must(ops.KDE(offsets, l.Grid(), ops.Attr{}).Into(nil, b,
				tensor.New(tensor.WithShape(b.Shape()[1]), tensor.WithBacking(repeat(.1, b.Shape()[1])))))))
			// By Bessel's inequality the norm is below Z times the mass.
			norm := squaredDistance(a.Float64s(), make([]float64, len(a.Float64s())))
			if !(math.Abs(sum-1) < 1e-12) || !(norm > 0 && norm <= d.d.Mass()*(1+1e-12)) {
				t.Errorf("%s: %v has features of squared norm %v, and its histogram's embedding %v", d.name, x, sum,
					norm)
			}
		}
		for _, v := range must(l.Embed(nil, tensor.New(tensor.WithShape(1, 64),
			tensor.Of(tensor.Float64)))).Float64s() {
			if v != 0 {
				t.Errorf("%s: the embedding of 0 has %v", d.name, v)
			}
		}
	}
}

func TestHDDErrors(t *testing.T) {
	js := spectral.JensenShannonDivergence
	layer := func(of layers.Density, axes, features int) (*layers.HDDLayer, error) {
		if of.Distance == (spectral.DensityDistance{}) {
			of.Distance = js
		}
		return layers.NewHDDLayer(of, axes, features, layers.WithName("sets"))
	}
	build := func(of layers.Density, axes, features int) error {
		of.Sigma = .5
		_, err := layer(of, axes, features)
		return err
	}
	l := must(layer(layers.Density{Sigma: .5, Bandwidth: []float64{.1}}, 1, 6))
	none := must(layer(layers.Density{Sigma: .5}, 1, 6))
	narrow := must(layer(layers.Density{Sigma: .5, Bandwidth: []float64{.001}}, 1, 6))
	_, sigma := layer(layers.Density{}, 1, 6)
	bags := func(v ...float64) *ops.Bags {
		return must(ops.NewBags(tensor.New(tensor.WithShape(len(v), 1), tensor.WithBacking(v)), []int{0, len(v)}))
	}
	transform := func(l *layers.HDDLayer, b *ops.Bags) error { _, err := l.TransformBags(nil, b); return err }
	density := rows(tensor.Float64, 2, 128, 1)
	density.Float64s()[131] = -1
	node := func(n, d int, dt tensor.Dtype) *G.Node { return input(G.NewGraph(), rows(dt, n, d, 1)) }
	_, negative := l.Transform(nil, density)
	_, shape := l.Transform(nil, rows(tensor.Float64, 2, 127, 1))
	_, embed := l.Embed(nil, rows(tensor.Float64, 2, 127, 1))
	_, dst := l.TransformBags(rows(tensor.Float64, 2, 6, 1), bags(.5))
	for i, c := range []struct {
		err, is error
		says    string
	}{
		{build(layers.Density{Points: []int{8, 8}}, 4, 6), layers.ErrParam, "points on 2 axes for 1"},
		{build(layers.Density{}, 0, 6), layers.ErrParam, "0 dimensions"},
		{build(layers.Density{Points: []int{8, 8, 8}}, 2, 6), layers.ErrParam, "points on 3 axes for 2"},
		{build(layers.Density{Points: []int{8}}, 1, 6), layers.ErrParam,
			"10 functions of the cosine basis on axis 0, want 1 to 8"},
		{build(layers.Density{Basis: layers.FourierBasis, Functions: 128}, 1, 6), layers.ErrParam, "want 1 to 127"},
		{build(layers.Density{Basis: 7, Functions: 3}, 1, 6), layers.ErrParam, "Basis(7)"},
		{build(layers.Density{Points: []int{100}, Functions: 40}, 3, 6), layers.ErrParam, "ask for fewer points"},
		{build(layers.Density{Lambdas: -1}, 1, 6), layers.ErrParam, "-1 frequencies"},
		{build(layers.Density{Lambdas: 3, Rule: 7}, 1, 6), layers.ErrParam, "LambdaRule(7)"},
		{build(layers.Density{Distance: spectral.SquaredHellinger, Lambdas: 1}, 1, 6), layers.ErrParam,
			"the one frequency 0"},
		{build(layers.Density{Bandwidth: []float64{1, 2}}, 1, 6), layers.ErrParam, "2 bandwidths for 1 axes"},
		{build(layers.Density{Bandwidth: []float64{-1}}, 1, 6), layers.ErrParam, "Bandwidth: -1 is no bandwidth"},
		{sigma, layers.ErrParam, "Sigma = 0"},
		{build(layers.Density{}, 1, 5), layers.ErrParam, "5 features is odd"},
		{build(layers.Density{Distance: spectral.DensityDistance{Scale: 1}}, 1, 6), layers.ErrParam, "no kernel"},
		{transform(none, bags(.5)), layers.ErrParam, "ops.ScottBandwidth"},
		{none.FwdBags(node(2, 1, tensor.Float64), []int{0, 2}).Err(), layers.ErrParam, "Bandwidth"},
		{transform(narrow, bags(.5)), layers.ErrParam, "the bandwidth of axis 0 is 0.001"},
		{transform(l, bags(.5, 1.5)), layers.ErrDomain, "x[1,0] = 1.5 is outside the unit cube"},
		{transform(l, uniformBags(2, 1, 1)), layers.ErrShape, "the samples have 2 coordinates, want 1"},
		{transform(l, must(ops.NewBags(rows(tensor.Float32, 2, 1, 1), []int{0, 2}))), layers.ErrDtype, "float32"},
		{l.FwdBags(node(2, 1, tensor.Float64), []int{0, 1, 1, 2}).Err(), layers.ErrShape, "bag 1 is empty"},
		{l.FwdBags(node(2, 2, tensor.Float64), []int{0, 2}).Err(), layers.ErrShape, "want [n, 1]"},
		{l.Fwd(node(2, 128, tensor.Float32)).Err(), layers.ErrDtype, "Float32"},
		{l.Fwd(node(2, 127, tensor.Float64)).Err(), layers.ErrShape, "want [n, 128]"},
		{negative, layers.ErrDomain, "x[1,3] = -1 is negative"},
		{shape, layers.ErrShape, "densities at [128] points"},
		{embed, layers.ErrShape, "densities at [128] points"},
		{dst, layers.ErrShape, "want a contiguous float64 (1, 6)"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) ||
			!strings.Contains(c.err.Error(), `HDDLayer "sets"`) {
			t.Errorf("%d: %v, want %q", i, c.err, c.says)
		}
	}
	if s := l.String(); !strings.Contains(s, `HDDLayer "sets": 128 -> 100 -> 6, σ 0.5`) ||
		l.Policy() != layers.Frozen || l.Density().Distance != js || l.Kernel() != js.Kernel(.5, 128) {
		t.Error(s)
	}
}
