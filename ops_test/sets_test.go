package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// bagSetup is what the batteries have to be told of a map of sets.
type bagSetup struct {
	sets  string                                          // of parameters, as in setups
	naive func(v layers.Values, x, z [][]float64) float64 // -2 times the logarithm of the kernel, by its plain formula
	scale string                                          // the parameter that is the bandwidth of that
}

// bagSetups is the one list of the maps of sets: a new one is one line here.
var bagSetups = map[string]bagSetup{
	"hdd-js": {"sigma=.4,bandwidth=0.2,points=16;" +
		"sigma=.4,bandwidth=0.3,points=12,basis=fourier,functions=5,rule=gauss,lambdas=3",
		naiveDensities(naiveJS), "sigma"},
	"hdd-hellinger": {"sigma=.4,bandwidth=0.2,points=16,phase=true", naiveDensities(naiveHellingerDistance), "sigma"},
	"hdd-tv": {"sigma=.8,bandwidth=0.2,points=16;sigma=.8,bandwidth=0.2,points=16,lambdas=5",
		naiveDensities(func(p, q float64) float64 { return math.Abs(p - q) }), "sigma"},
	"l2-density": {"sigma=.8,bandwidth=0.2,points=16",
		naiveDensities(func(p, q float64) float64 { return (p - q) * (p - q) }), "sigma"},
	"mean-map": {"sigma=.3,tau=.3,inner=64;kernel=laplacian,sigma=.9,tau=.3,inner=64;kernel=linear,tau=.2;" +
		"kernel=chi2,tau=.2;sigma=.3,tau=.3,landmarks=20", naiveMMD, "tau"},
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

// naiveDensities is the mean of a distance of density estimates over the points of a grid; in more than three
// dimensions over those of each direction, and their sum.
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
	of, err := layers.NewHDDLayer(layers.Density{Sigma: 1}, l, 2)
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
	mean := func(x, z [][]float64) (sum float64) {
		for _, a := range x {
			for _, b := range z {
				sum += naiveNamed(v, a, b) / float64(len(x)*len(z))
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
		for _, values := range setsOf(t, e.Name, s.sets) {
			for _, axes := range []int{1, 2, 4} {
				spec := layers.Spec{Map: e.Name, Params: values, Dims: axes, Features: 32, Seed: 1}
				all = append(all, bagVariant{s, fmt.Sprintf("%s(%v), %d dimensions", e.Name, values, axes), spec})
			}
		}
	}
	return all
}

// TestSets runs the contract of package maptest over every map of sets. Over draws of the last map the inner products
// are those of the Gaussian kernel of what the rows of the map are embedded as.
func TestSets(t *testing.T) {
	for _, v := range bagVariants(t) {
		scale, params := v.spec.Params.Number(v.scale), complete(must(layers.Lookup(v.spec.Map)), v.spec.Params)
		m := maptest.Map{
			Spec: v.spec,
			SetKernel: func(x, z [][]float64) float64 {
				return math.Exp(-v.naive(params, x, z) / (2 * scale * scale))
			},
			Outside: []float64{-1e-9, 1.001},
			Remedy:  "the scaler cube",
		}
		if v.spec.Map == "mean-map" { // whose embedding is drawn too
			m.Outside = nil
		} else if !v.spec.Params.Bool("phase") {
			m.Mean = v.embedded
		}
		t.Run(v.name, func(t *testing.T) { maptest.Run(t, m) })
	}
}

// embedded is the Gaussian kernel of two rows as the map embeds them.
func (v bagVariant) embedded(layer layers.Layer, x ops.Matrix, i, j int) (mean, bias float64) {
	l := layer.(*layers.BagLayer)
	rows := must(l.Rows(x.(*ops.Bags)))
	n, far := rows.Shape()[0], 0.
	if v.spec.Map == "hdd-tv" && v.spec.Params["lambdas"] == nil { // frequencies on the densities themselves
		points := float64(rows.Shape()[1])
		if v.spec.Dims > 3 {
			points /= float64(len(directions(v.spec.Dims))) // a density for each direction
		}
		far = math.Sqrt(floats.Distance(row(ops.Float64s(rows), n, i), row(ops.Float64s(rows), n, j), 1) / points)
	} else {
		a := must(l.OfRows().(interface {
			Embed(dst, x *tensor.Dense) (*tensor.Dense, error)
		}).Embed(nil, rows))
		far = floats.Distance(row(ops.Float64s(a), n, i), row(ops.Float64s(a), n, j), 2)
	}
	far /= v.spec.Params.Number("sigma")
	return math.Exp(-far * far / 2), 0
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
	b := must(ops.NewBags(matrix(dt, offsets[n], v.spec.Dims, x...), offsets))
	return b
}

func (v bagVariant) build(t testing.TB, edits ...func(*layers.Spec)) *layers.BagLayer {
	t.Helper()
	s := v.spec
	for _, edit := range edits {
		edit(&s)
	}
	l := must(s.Fit(v.bags(t, 20, tensor.Float64)))
	return l.(*layers.BagLayer)
}
