package layers_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// sparseHistograms are ℓ1-normalised rows of which a third is 0 and the rest spans some orders of magnitude.
func sparseHistograms(n, d int) *tensor.Dense {
	rng := rand.New(rand.NewPCG(1, 1))
	x := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64))
	for i := range n {
		row, sum := x.Float64s()[i*d:i*d+d], 0.0
		for j := range row {
			if rng.Float64() < .65 {
				row[j] = math.Pow(rng.ExpFloat64(), 2)
				sum += row[j]
			}
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return x
}

// TestHomogeneousKernelError: the largest and the RMS error of the kernel of 200 sparse histograms of dimension 64 are
// those that are known of the map, and the period with the least sup error has the smaller largest error.
func TestHomogeneousKernelError(t *testing.T) {
	x := sparseHistograms(200, 64)
	for _, c := range []struct {
		k        spectral.Homogeneous
		order    int
		w        spectral.Window
		max, rms float64
	}{
		{spectral.Chi2{}, 1, spectral.Uniform, .042, .021},
		{spectral.Chi2{}, 1, spectral.Rectangular, .027, .0080},
		{spectral.Chi2{}, 3, spectral.Uniform, .0062, .0027},
		{spectral.Chi2{}, 3, spectral.Rectangular, .0057, .0011},
		{spectral.Intersection{}, 1, spectral.Uniform, .158, .041},
		{spectral.Intersection{}, 1, spectral.Rectangular, .145, .029},
	} {
		exact := must(spectral.Gram(c.k, x, nil))
		of := func(more ...layers.Option) report.GramError {
			l := must(layers.NewHomogeneousLayer(c.k, 64, append(more, layers.WithOrder(c.order),
				layers.WithWindow(c.w))...))
			h := l.Harmonics()
			e := must(report.Compare(exact, must(report.ApproxGram(l, x))))
			if bound := h.ErrorBound(); !(e.Max <= bound) {
				t.Errorf("%T, order %d, %v: error %v above the bound %v of Lemma 3", c.k, c.order, c.w, e.Max, bound)
			}
			return e
		}
		fitted, best := of(), of(layers.WithOptimalPeriod())
		if math.Abs(fitted.Max-c.max) > .25*c.max || math.Abs(fitted.RMS-c.rms) > .25*c.rms {
			t.Errorf("%T, order %d, %v: max %.4f and rms %.4f, known are %v and %v", c.k, c.order, c.w, fitted.Max,
				fitted.RMS, c.max, c.rms)
		}
		if !(best.Max < fitted.Max) {
			t.Errorf("%T, order %d, %v: max %.4f with the optimal period, %.4f with the fitted one", c.k, c.order, c.w,
				best.Max, fitted.Max)
		}
	}
}

// TestHomogeneousOfVLFeat: whole outputs of VLFeat 0.9.21 with its automatic period, within the error of its table.
func TestHomogeneousOfVLFeat(t *testing.T) {
	chi2 := must(layers.NewHomogeneousLayer(spectral.Chi2{}, 1, layers.WithOrder(2)))
	js := must(layers.NewHomogeneousLayer(spectral.JensenShannon{Gamma: .5, Negative: spectral.SignNegative}, 1,
		layers.WithWindow(spectral.Uniform)))
	for _, c := range []struct {
		l    *layers.HomogeneousLayer
		x    float64
		want []float64
	}{
		{chi2, .003, []float64{0.04148416, -0.0279754, 0.01950897, 0.003056757, -0.008299453}},
		{chi2, .2, []float64{0.3387136, 0.1411825, -0.2400246, -0.03508715, -0.06311197}},
		{chi2, 1.7, []float64{0.9875194, 0.7647039, 0.2727332, 0.1630215, 0.1332311}},
		{chi2, 55, []float64{5.616966, -3.926386, 2.430829, 0.5338939, -1.071921}},
		{js, .003, []float64{0.1891238, -0.1167084, -0.06556859}},
		{js, -.2, []float64{-0.540412, -0.2853984, 0.2546896}},
		{js, 55, []float64{2.200694, -0.3751149, 1.51187}},
	} {
		got := floats(must(c.l.Transform(nil, tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{c.x})))))
		for i, w := range c.want {
			if len(got) != len(c.want) || !(math.Abs(got[i]-w) <= 5e-4*math.Abs(c.want[0])) {
				t.Errorf("%v at %v: %v, VLFeat's %v", c.l, c.x, got, c.want)
				break
			}
		}
	}
}

// TestStationaryForm: on any numbers whose differences stay within half a period, the map has the kernel Σ 𝒦(z - x).
func TestStationaryForm(t *testing.T) {
	l := must(layers.NewHomogeneousLayer(spectral.Chi2{}, 3, layers.WithOrder(12), layers.WithPeriod(30),
		layers.WithStationary()))
	x := rows(tensor.Float64, 31, 3, 4)
	for i, v := range x.Float64s() {
		x.Float64s()[i] = 10*v - 5
	}
	x.Float64s()[4] = 0
	k := l.Kernel()
	if k != (spectral.Stationary{Of: spectral.Chi2{}}) || l.Features() != 75 {
		t.Fatalf("%v has the kernel %v and %d columns", l, k, l.Features())
	}
	e := must(report.Compare(must(spectral.Gram(k, x, nil)), must(report.ApproxGram(l, x))))
	if h := l.Harmonics(); e.Max > 3*stationaryError(h)+1e-12 {
		t.Errorf("error %v, of a coordinate at most %v", e.Max, stationaryError(h))
	}
	split := must(layers.NewHomogeneousLayer(spectral.Chi2{Gamma: 2, Negative: spectral.SplitNegative}, 3,
		layers.WithOrder(12), layers.WithPeriod(30), layers.WithStationary()))
	if d := maxDiff(floats(must(l.Transform(nil, x))), floats(must(split.Transform(nil, x)))); d != 0 {
		t.Errorf("the degree and the extension of the kernel change the stationary form by %v", d)
	}
}

// stationaryError is the largest |𝒦 - 𝒦̂| up to a distance of 10.
func stationaryError(h *spectral.Harmonics) (worst float64) {
	for d := 0.0; d <= 10; d += .001 {
		worst = math.Max(worst, math.Abs(spectral.Chi2{}.Signature(d)-h.Signature(d)))
	}
	return worst
}

// TestHomogeneousTuning: a step of a solver changes what the policy names and nothing else, and the samples stay
// non-negative even where a root changes its sign.
func TestHomogeneousTuning(t *testing.T) {
	x := sparseHistograms(7, 5)
	for _, p := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.BandwidthEach, layers.All} {
		l := must(layers.NewHomogeneousLayer(spectral.Intersection{}, 5, layers.Tune(p), layers.WithOrder(2)))
		before := map[string][]float64{}
		for _, q := range l.Params() {
			before[q.Name] = append([]float64(nil), q.Value.Float64s()...)
		}
		g := G.NewGraph()
		z := l.Fwd(input(g, x))
		if z.Err() != nil {
			t.Fatal(z.Err())
		}
		if p != layers.Frozen {
			c := rows(tensor.Float64, 7, 25, 9)
			weights := G.NewMatrix(g, G.Float64, G.WithShape(7, 25), G.WithName("c"), G.WithValue(c))
			must(G.Grad(G.Must(G.Sum(G.Must(G.HadamardProd(z.Node(), weights)))), l.Model()...))
			m := G.NewTapeMachine(g, G.BindDualValues(l.Model()...))
			if err := m.RunAll(); err != nil {
				t.Fatal(err)
			}
			if err := G.NewVanillaSolver(G.WithLearnRate(1)).Step(G.NodesToValueGrads(l.Model())); err != nil {
				t.Fatal(err)
			}
			m.Close()
		}
		want := map[layers.Policy]string{layers.Frozen: "", layers.Bandwidth: "log_L", layers.BandwidthEach: "log_L",
			layers.All: "log_L root_kappa"}[p]
		for _, q := range l.Params() {
			for i, v := range q.Value.Float64s() {
				if tuned := strings.Contains(want, q.Name) && (q.Name != "L"); tuned != (v != before[q.Name][i]) ||
					tuned != q.Tuned {
					t.Errorf("%v: %s[%d] was %v and is %v", p, q.Name, i, before[q.Name][i], v)
				}
			}
		}
		approx := must(report.ApproxGram(l, x))
		for i := range 7 {
			if approx.At(i, i) < 0 {
				t.Errorf("%v: k(x, x) = %v", p, approx.At(i, i))
			}
		}
	}
}
