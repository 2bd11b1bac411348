package ops_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// bagSetup is what the batteries have to be told of a map of sets.
type bagSetup struct {
	sets  []layers.Values
	naive func(v layers.Values, x, z [][]float64) float64 // -2 times the logarithm of the kernel, by its plain formula
	scale string                                          // the parameter that is the bandwidth of that
}

// bagSetups is the one list of the maps of sets: a new one is one line here.
var bagSetups = map[string]bagSetup{
	"hdd-js":        {[]layers.Values{{"sigma": .4, "bandwidth": "0.2", "points": 16.}, {"sigma": .4, "bandwidth": "0.3", "points": 12., "basis": "fourier", "functions": 5., "rule": "gauss", "lambdas": 3.}}, naiveDensities(naiveJS), "sigma"},
	"hdd-hellinger": {[]layers.Values{{"sigma": .4, "bandwidth": "0.2", "points": 16., "phase": true}}, naiveDensities(naiveHellingerDistance), "sigma"},
	"hdd-tv":        {[]layers.Values{{"sigma": .8, "bandwidth": "0.2", "points": 16.}, {"sigma": .8, "bandwidth": "0.2", "points": 16., "lambdas": 5.}}, naiveDensities(func(p, q float64) float64 { return math.Abs(p - q) }), "sigma"},
	"l2-density":    {[]layers.Values{{"sigma": .8, "bandwidth": "0.2", "points": 16.}}, naiveDensities(func(p, q float64) float64 { return (p - q) * (p - q) }), "sigma"},
	"mean-map": {[]layers.Values{{"sigma": .3, "tau": .3, "inner": 64.}, {"kernel": "laplacian", "sigma": .9, "tau": .3, "inner": 64.}, {"kernel": "linear", "tau": .2},
		{"kernel": "chi2", "tau": .2}, {"sigma": .3, "tau": .3, "landmarks": 20.}}, naiveMMD, "tau"},
}

func naiveJS(p, q float64) (sum float64) {
	for _, v := range []float64{p, q} {
		if v > 0 {
			sum += v / 2 * math.Log(2*v/(p+q))
		}
	}
	return sum
}

func naiveHellingerDistance(p, q float64) float64 {
	return (p + q - 2*math.Sqrt(p*q)) / 2
}

// naiveDensities is the mean of a distance of density estimates over the points of a grid; in more than three dimensions over those of each
// direction, and their sum.
func naiveDensities(distance func(p, q float64) float64) func(v layers.Values, x, z [][]float64) float64 {
	bump := func(t, x, h float64) (sum float64) {
		for k := -3.; k <= 3; k++ {
			for _, image := range []float64{x + 2*k, 2*k - x} {
				sum += math.Exp(-(t-image)*(t-image)/(2*h*h)) / (h * math.Sqrt(2*math.Pi))
			}
		}
		return sum
	}
	return func(v layers.Values, x, z [][]float64) float64 {
		var h float64
		if _, err := fmt.Sscan(v.Word("bandwidth"), &h); err != nil {
			panic(err)
		}
		l, points := len(x[0]), int(v.Number("points"))
		widths := []float64{h, h, h}
		if l > 3 {
			u := directions(l)
			l, widths, x, z = len(u), nil, onto(u, x), onto(u, z)
			for _, u := range u {
				square := 0.
				for _, v := range u {
					square += v * v * h * h
				}
				widths = append(widths, math.Max(math.Sqrt(square), .5/float64(points)))
			}
		}
		density := func(set [][]float64, t []float64, axes []int) (p float64) {
			for _, s := range set {
				k := 1.
				for i, j := range axes {
					k *= bump(t[i], s[j], widths[j])
				}
				p += k / float64(len(set))
			}
			return p
		}
		mean := func(axes []int) (sum float64) {
			cells := int(math.Pow(float64(points), float64(len(axes))) + .5)
			t := make([]float64, len(axes))
			for c := range cells {
				for i, rest := 0, c; i < len(axes); i, rest = i+1, rest/points {
					t[i] = (float64(rest%points) + .5) / float64(points)
				}
				sum += distance(density(x, t, axes), density(z, t, axes)) / float64(cells)
			}
			return sum
		}
		if l <= 3 {
			return mean([]int{0, 1, 2}[:l])
		}
		sum := 0.
		for j := range widths {
			sum += mean([]int{j})
		}
		return sum
	}
}

// directions are those of a map of densities in l > 3 dimensions, which has them as a parameter.
func directions(l int) (all [][]float64) {
	of, err := layers.NewL2DensityLayer(1, l, 2)
	if err != nil {
		panic(err)
	}
	for _, p := range of.Params() {
		if p.Name != "directions" {
			continue
		}
		r := p.Value.Shape()[1]
		all = make([][]float64, r)
		for k, v := range p.Value.Float64s() {
			all[k%r] = append(all[k%r], v)
		}
	}
	return all
}

// onto are the projections of samples on directions, from the centre of the cube.
func onto(u, samples [][]float64) [][]float64 {
	all := make([][]float64, len(samples))
	for i, x := range samples {
		for _, u := range u {
			t := .5
			for j, v := range u {
				t += v * (x[j] - .5)
			}
			all[i] = append(all[i], t)
		}
	}
	return all
}

// naiveMMD is the squared maximum mean discrepancy.
func naiveMMD(v layers.Values, x, z [][]float64) float64 {
	k := func(a, b []float64) float64 {
		if v["kernel"] == nil {
			return naiveGaussian(v, a, b)
		}
		return setups[v.Word("kernel")].naive(v, a, b)
	}
	mean := func(x, z [][]float64) (sum float64) {
		for _, a := range x {
			for _, b := range z {
				sum += k(a, b) / float64(len(x)*len(z))
			}
		}
		return sum
	}
	return mean(x, x) + mean(z, z) - 2*mean(x, z)
}

// bagVariant is a map of sets with parameters, in so many dimensions.
type bagVariant struct {
	bagSetup
	name string
	spec layers.Spec
}

// bagVariants are every map of sets, in one, two and four dimensions.
func bagVariants(t *testing.T) (all []bagVariant) {
	t.Helper()
	for _, e := range layers.Entries() {
		if !e.Bags {
			continue
		}
		s, ok := bagSetups[e.Name]
		if !ok {
			t.Fatalf("the batteries know nothing of the map %q of sets: add it to bagSetups", e.Name)
		}
		for _, values := range s.sets {
			for _, axes := range []int{1, 2, 4} {
				spec := layers.Spec{Map: e.Name, Params: values, Dims: axes, Features: 32, Seed: 1}
				all = append(all, bagVariant{s, fmt.Sprintf("%s(%v), %d dimensions", e.Name, values, axes), spec})
			}
		}
	}
	return all
}

// forEachBagMap runs a battery for every map of sets.
func forEachBagMap(t *testing.T, battery func(t *testing.T, v bagVariant)) {
	for _, v := range bagVariants(t) {
		t.Run(v.name, func(t *testing.T) { battery(t, v) })
	}
}

// bags are sets of 1 to 8 samples in the cube, each about a point of its own.
func (v bagVariant) bags(t testing.TB, n int, dt tensor.Dtype) *ops.Bags {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	var x []float64
	offsets := []int{0}
	for i := range n {
		centre := .2 + .6*rng.Float64()
		for range 1 + i%8 {
			for range v.spec.Dims {
				x = append(x, math.Min(1, math.Max(0, centre+.1*rng.NormFloat64())))
			}
		}
		offsets = append(offsets, offsets[i]+1+i%8)
	}
	b, err := ops.NewBags(matrix(dt, offsets[n], v.spec.Dims, x...), offsets)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (v bagVariant) build(t testing.TB, edits ...func(*layers.Spec)) *layers.BagLayer {
	t.Helper()
	s := v.spec
	for _, edit := range edits {
		edit(&s)
	}
	l, err := s.Fit(v.bags(t, 20, tensor.Float64))
	if err != nil {
		t.Fatal(err)
	}
	return l.(*layers.BagLayer)
}

func bagFeatures(t testing.TB, l layers.Map, b *ops.Bags) []float64 {
	t.Helper()
	z, err := layers.Transform(l, nil, b)
	if err != nil {
		t.Fatal(err)
	}
	return floats(z)
}

// TestBagKernels: the exact kernel is the plain formula, of sets and of rows, which are sets of one sample.
func TestBagKernels(t *testing.T) {
	forEachBagMap(t, func(t *testing.T, v bagVariant) {
		k, err := v.spec.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		const n = 4
		b := v.bags(t, n, tensor.Float64)
		g, err := k.(layers.BagKernel).GramBags(b)
		if err != nil {
			t.Fatal(err)
		}
		sets := make([][][]float64, n)
		for i := range n {
			for s := range b.Size(i) {
				sets[i] = append(sets[i], row(floats(b.Bag(i)), b.Size(i), s))
			}
		}
		scale := v.spec.Params.Number(v.scale)
		for i := range n {
			for j := range n {
				want := math.Exp(-v.naive(v.spec.Params, sets[i], sets[j]) / (2 * scale * scale))
				if !(math.Abs(g.At(i, j)-want) <= 1e-12) {
					t.Errorf("k[%d,%d] = %v, want %v", i, j, g.At(i, j), want)
				}
			}
			one, other := sets[i][0], sets[0][0]
			want := math.Exp(-v.naive(v.spec.Params, [][]float64{one}, [][]float64{other}) / (2 * scale * scale))
			if got := k.At(one, other); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("k of two samples is %v, want %v", got, want)
			}
		}
	})
}

// TestBagFeatures: over draws of the last map the inner products are, within four standard errors, the Gaussian kernel of what the rows of the map
// are embedded as; the order of the samples means nothing; a part of the sets has its part of the features, to the bit.
func TestBagFeatures(t *testing.T) {
	const n, draws = 5, 60
	forEachBagMap(t, func(t *testing.T, v bagVariant) {
		b := v.bags(t, n, tensor.Float64)
		l := v.build(t)
		z := bagFeatures(t, l, b)
		d := l.Features()
		if part := bagFeatures(t, l, b.Slice(1, 3)); !slices.Equal(part, z[d:3*d]) {
			t.Errorf("%v: a part of the sets gives other features", l)
		}
		x := floats(b.Samples().Clone().(*tensor.Dense))
		last := x[b.Offsets()[n-1]*v.spec.Dims:]
		for i := range v.spec.Dims { // the last set's first sample goes last
			last = append(last[1:len(last):len(last)], last[0])
			_ = i
		}
		copy(x[b.Offsets()[n-1]*v.spec.Dims:], last)
		turned, err := b.With(matrix(tensor.Float64, b.Samples().Shape()[0], v.spec.Dims, x...))
		if err != nil {
			t.Fatal(err)
		}
		if far := largestDifference(bagFeatures(t, l, turned), z); far > 1e-9 {
			t.Errorf("%v: another order of samples moves features by %v", l, far)
		}
		if v.spec.Params.Bool("phase") || v.spec.Map == "mean-map" {
			return // whose embedding is drawn too
		}
		e := l.OfRows().(interface {
			Embed(dst, x *tensor.Dense) (*tensor.Dense, error)
		})
		rows, err := l.Rows(b)
		if err != nil {
			t.Fatal(err)
		}
		sigma, far := v.spec.Params.Number("sigma"), 0.
		if v.spec.Map == "hdd-tv" && v.spec.Params["lambdas"] == nil { // frequencies on the densities themselves
			points := float64(rows.Shape()[1])
			if v.spec.Dims > 3 {
				points /= float64(len(directions(v.spec.Dims))) // a density for each direction
			}
			far = math.Sqrt(distance(1, row(floats(rows), n, 0), row(floats(rows), n, 3))/points) / sigma
		} else {
			a, err := e.Embed(nil, rows)
			if err != nil {
				t.Fatal(err)
			}
			far = distance(2, row(floats(a), n, 0), row(floats(a), n, 3)) / sigma
		}
		var estimates []float64
		for seed := range uint64(draws) {
			z := bagFeatures(t, v.build(t, func(s *layers.Spec) { s.Seed = seed + 2 }), b)
			estimates = append(estimates, dot(row(z, n, 0), row(z, n, 3)))
		}
		mean, spread := meanAndSpread(estimates)
		if want := math.Exp(-far * far / 2); !(math.Abs(mean-want) <= 4*spread/math.Sqrt(draws)+1e-12) {
			t.Errorf("%v: mean %v, want %v, spread %v", l, mean, want, spread)
		}
	})
}

// TestBagMapsRoundTrip: a spec survives JSON, the parameters of a map make it again, sets in float32 have nearly the features of those in float64,
// and rows are sets of one sample, with a graph and without.
func TestBagMapsRoundTrip(t *testing.T) {
	forEachBagMap(t, func(t *testing.T, v bagVariant) {
		b := v.bags(t, 5, tensor.Float64)
		l := v.build(t)
		z := bagFeatures(t, l, b)
		text, err := json.Marshal(v.spec)
		if err != nil {
			t.Fatal(err)
		}
		var read layers.Spec
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		again, err := read.Restore(values(l))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(bagFeatures(t, again, b), z) {
			t.Errorf("%v: restored, it has other features", l)
		}
		if v.spec.Params.Number("landmarks") == 0 { // whose eigenvectors are others for rounded samples
			b32 := v.bags(t, 5, tensor.Float32)
			single := bagFeatures(t, v.build(t, func(s *layers.Spec) { s.Dtype = "float32" }), b32)
			if far := largestDifference(single, z); !(far < 2e-4) {
				t.Errorf("%v: features in float32 differ by %v", l, far)
			}
		}
		x := matrix(tensor.Float64, 3, v.spec.Dims, .1, .9, .4, .3, .6, 0, 1)
		ones, err := ops.BagsOfRows(x)
		if err != nil {
			t.Fatal(err)
		}
		want := bagFeatures(t, l, ones)
		if !slices.Equal(transform(t, l, x), want) {
			t.Errorf("%v: rows are not sets of one sample", l)
		}
		g := G.NewGraph()
		in := G.NewMatrix(g, tensor.Float64, G.WithShape(x.Shape()...), G.WithName("x"), G.WithValue(x))
		if far := largestDifference(run(t, l.Fwd(in)), want); far > 1e-12 {
			t.Errorf("%v: the graph differs by %v", l, far)
		}
		wantErr(t, second(l.Transform(nil, matrix(tensor.Float64, 2, v.spec.Dims, math.NaN()))), layers.ErrDomain, "x[0,0] = NaN")
		bad := v.bags(t, 5, tensor.Float64)
		bad.Samples().Float64s()[bad.Offsets()[2]*v.spec.Dims] = math.Inf(1)
		wantErr(t, second(layers.Transform(l, nil, bad)), layers.ErrDomain, "bag 2: x[0,0] = +Inf")
		wantErr(t, second(layers.Transform(l, nil, v.bags(t, 5, tensor.Float32))), layers.ErrDtype, "float32", "float64")
	})
}

func second[A any](_ A, err error) error { return err }

// TestBagGradients: gradients for samples, through the estimate or the mean, and for what is tuned agree with central differences on both machines.
func TestBagGradients(t *testing.T) {
	forEachBagMap(t, func(t *testing.T, v bagVariant) {
		for _, policy := range []layers.Policy{layers.Bandwidth, layers.BandwidthEach, layers.All} {
			l := v.build(t, func(s *layers.Spec) { s.Tune, s.Features = policy.String(), 4 })
			b := v.bags(t, 3, tensor.Float64)
			c := matrix(tensor.Float64, 3, 4, .7, -.3, 1.1, -1.9, .2)
			cost := func() float64 { return dot(bagFeatures(t, l, b), floats(c)) }
			for _, lisp := range []bool{false, true} {
				g := G.NewGraph()
				x := G.NewMatrix(g, tensor.Float64, G.WithShape(b.Samples().Shape()...), G.WithName("x"), G.WithValue(b.Samples()))
				through, err := ops.Columns(0, v.spec.Dims, 1, ops.Attr{}).Node(x)
				if err != nil {
					t.Fatal(err)
				}
				z := l.FwdBags(through, b.Offsets())
				if z.Err() != nil {
					t.Fatal(z.Err())
				}
				weights := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 4), G.WithName("c"), G.WithValue(c))
				sum := G.Must(G.Sum(G.Must(G.HadamardProd(z.Node(), weights))))
				nodes := append(G.Nodes{x}, l.ModelIn(g)...)
				if len(nodes) < 2 {
					t.Fatalf("%v: nothing is tuned", l)
				}
				var m G.VM
				if lisp {
					m = G.NewLispMachine(g)
				} else {
					if _, err := G.Grad(sum, nodes...); err != nil {
						t.Fatal(err)
					}
					m = G.NewTapeMachine(g, G.BindDualValues(nodes...))
				}
				if err := m.RunAll(); err != nil {
					t.Fatal(err)
				}
				for k, n := range nodes {
					grad, err := n.Grad()
					if err != nil {
						t.Fatal(err)
					}
					value, got := n.Value().(*tensor.Dense).Float64s(), floats(grad.(*tensor.Dense))
					for i := 0; i < len(value); i += max(1, len(value)/7) {
						if k == 0 && (v.spec.Params["kernel"] == "chi2" || value[i] < .01 || value[i] > .99) {
							continue // powers, which have a battery of their own, and steps out of the cube
						}
						old, h, want := value[i], 1e-4, 0.
						for step, c := range [5]float64{1, -8, 0, 8, -1} {
							value[i] = old + float64(step-2)*h
							want += c * cost() / (12 * h)
						}
						value[i] = old
						if !(math.Abs(got[i]-want) <= 1e-6*(1+math.Abs(want))) {
							t.Errorf("%v, lisp=%v: d/d %s[%d] is %v, by differences %v", policy, lisp, n.Name(), i, got[i], want)
						}
					}
				}
				m.Close()
			}
		}
	})
}
