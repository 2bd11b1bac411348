package layers_test

import (
	"fmt"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
	"gorgonia.org/tensor"
)

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
		what := fmt.Sprintf("%T, order %d, %v", c.k, c.order, c.w)
		exact := must(spectral.Gram(c.k, x, nil))
		of := func(more ...layers.Option) report.GramError {
			l := must(layers.NewHomogeneousLayer(c.k, 64, append(more, layers.WithOrder(c.order),
				layers.WithWindow(c.w))...))
			e := must(report.Compare(exact, must(report.ApproxGram(l, x))))
			if bound := l.Harmonics().ErrorBound(); !(e.Max <= bound) {
				t.Errorf("%s: error %v above the bound %v of Lemma 3", what, e.Max, bound)
			}
			return e
		}
		fitted, best := of(), of(layers.WithOptimalPeriod())
		if math.Abs(fitted.Max-c.max) > .25*c.max || math.Abs(fitted.RMS-c.rms) > .25*c.rms {
			t.Errorf("%s: max %.4f and rms %.4f, known are %v and %v", what, fitted.Max, fitted.RMS, c.max, c.rms)
		}
		if !(best.Max < fitted.Max) {
			t.Errorf("%s: max %.4f with the optimal period, %.4f with the fitted one", what, best.Max, fitted.Max)
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
		near(t, fmt.Sprint(c.l, " at ", c.x), features(c.l, dense(1, c.x)), c.want, 5e-4*math.Abs(c.want[0]))
	}
}

// TestStationaryForm: on any numbers whose differences stay within half a period, the map has the kernel Σ 𝒦(z - x).
func TestStationaryForm(t *testing.T) {
	of := func(k spectral.Homogeneous) *layers.HomogeneousLayer {
		return must(layers.NewHomogeneousLayer(k, 3, layers.WithOrder(12), layers.WithPeriod(30),
			layers.WithStationary()))
	}
	l := of(spectral.Chi2{})
	x := mapped(rows(tensor.Float64, 31, 3, 4), func(v float64) float64 { return 10*v - 5 })
	x.Float64s()[4] = 0
	k := l.Kernel()
	if k != (spectral.Stationary{Of: spectral.Chi2{}}) || l.Features() != 75 {
		t.Fatalf("%v has the kernel %v and %d columns", l, k, l.Features())
	}
	worst := 0. // |𝒦 - 𝒦̂| up to a distance of 10
	for d := 0.0; d <= 10; d += .001 {
		worst = math.Max(worst, math.Abs(spectral.Chi2{}.Signature(d)-l.Harmonics().Signature(d)))
	}
	if e := gramError(k, l, x).Max; e > 3*worst+1e-12 {
		t.Errorf("error %v, of a coordinate at most %v", e, worst)
	}
	split := of(spectral.Chi2{Gamma: 2, Negative: spectral.SplitNegative})
	near(t, "another degree and extension", features(split, x), features(l, x), 0)
}

// TestHomogeneousSamplesStayPositive: where a solver changes the sign of a root, its square is the sample as before, so
// that k(x, x) is no negative number.
func TestHomogeneousSamplesStayPositive(t *testing.T) {
	x := sparseHistograms(7, 5)
	l := must(layers.NewHomogeneousLayer(spectral.Intersection{}, 5, layers.Tune(layers.All), layers.WithOrder(2)))
	before := must(report.ApproxGram(l, x))
	turned := values(l)
	turned["root_kappa"] = mapped(turned["root_kappa"], func(v float64) float64 { return -v })
	must(l, l.SetParams(turned))
	if e := must(report.Compare(before, must(report.ApproxGram(l, x)))); e.Max > 1e-15 || !(before.At(0, 0) > 0) {
		t.Errorf("roots of another sign move the kernel by %v of %v", e.Max, before.At(0, 0))
	}
}
