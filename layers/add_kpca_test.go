package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestAddKPCAIsExactOnItsSample: with a knot for each value and a component for each knot the features have the
// kernel's own matrix on the sample, whatever the kernel, its degree and its extension.
func TestAddKPCAIsExactOnItsSample(t *testing.T) {
	const n, d = 23, 3
	positive := histograms(tensor.Float64, n, d, 1)
	signed := mapped(positive, func(v float64) float64 { return v - .3 })
	for _, c := range []struct {
		k spectral.Homogeneous
		x *tensor.Dense
	}{
		{spectral.Chi2{}, positive}, {spectral.Intersection{}, positive}, {spectral.Hellinger{}, positive},
		{spectral.JensenShannon{Gamma: 2.3}, positive},
		{spectral.Chi2{Negative: spectral.SignNegative}, signed},
		{spectral.Intersection{Gamma: .5, Negative: spectral.SplitNegative}, signed},
	} {
		l := must(layers.NewAddKPCALayer(layers.AddKPCA{Kernel: c.k, Components: n + 1, Points: n + 1}, c.x))
		if e := gramError(c.k, l, c.x).Max; e > 1e-12 {
			t.Errorf("%T: error %v", c.k, e)
		}
	}
}

// TestAddKPCAAgainstHomogeneous: errors on 200 sparse l1 histograms of 64 bins, of the map of order n and of AddKPCA
// with as many columns, fitted on 200 others and on the same rows. On its own sample AddKPCA has the least error there
// can be; on others it is as good.
func TestAddKPCAAgainstHomogeneous(t *testing.T) {
	all := sparseHistograms(400, 64).Float64s()
	sample, x := dense(64, all[:200*64]...), dense(64, all[200*64:]...)
	t.Log("root mean square error of the kernel matrix:")
	t.Log("kernel          columns  homogeneous  add-kpca, other rows  add-kpca, same rows")
	for _, k := range []spectral.Homogeneous{spectral.Chi2{}, spectral.JensenShannon{}, spectral.Intersection{}} {
		exact := map[*tensor.Dense]*mat.Dense{x: must(spectral.Gram(k, x, nil)), sample: must(spectral.Gram(k, sample, nil))}
		rms := func(l layers.Map, rows *tensor.Dense) float64 {
			return must(report.Compare(exact[rows], must(report.ApproxGram(l, rows)))).RMS
		}
		for order := 1; order <= 3; order++ {
			w := 2*order + 1
			h := rms(must(layers.NewHomogeneousLayer(k, 64, layers.WithOrder(order))), x)
			l := must(layers.NewAddKPCALayer(layers.AddKPCA{Kernel: k, Components: w}, sample))
			other, same := rms(l, x), rms(l, sample)
			t.Logf("%-15s %7d %12.5f %21.5f %20.5f", strings.TrimPrefix(fmt.Sprintf("%T", k), "spectral."), w, h, other,
				same)
			if !(same < h/1.5 && other < 1.1*h) {
				t.Errorf("%T, %d columns: errors %v and %v, of the homogeneous map %v", k, w, other, same, h)
			}
		}
	}
}

// TestAddKPCATables: quantiles where there are more values than knots, with 0 and both ends; the last value beyond the
// ends; columns that are constant or 0.
func TestAddKPCATables(t *testing.T) {
	const n = 500
	rng := rand.New(rand.NewPCG(1, 0))
	cells := make([]float64, 0, 3*n)
	for range n {
		cells = append(cells, rng.ExpFloat64(), .25, 0)
	}
	x := dense(3, cells...)
	k := spectral.Chi2{}
	l := must(layers.NewAddKPCALayer(layers.AddKPCA{Kernel: k, Components: 5, Points: 17}, x))
	knots := l.Params()[0].Value.Float64s()
	const p = 17 + 16
	if first := knots[:p]; !slices.IsSorted(first) || first[0] != 0 || len(slices.Compact(slices.Clone(first))) < p-1 {
		t.Errorf("knots %v", first)
	}
	largest := 0.0
	for i := range n {
		largest = math.Max(largest, cells[3*i])
	}
	if math.Abs(knots[p-1]-2*math.Sqrt(largest)) > 1e-14 || math.Abs(knots[2*p-1]-1) > 1e-15 ||
		!slices.Contains(knots[p:2*p], .5) || knots[3*p-1] != 0 {
		t.Errorf("the ends are %v, %v, %v of values up to %v", knots[p-1], knots[p:2*p], knots[2*p:], largest)
	}
	if e := gramError(k, l, x).RelativeFrobenius; e > 1e-2 {
		t.Errorf("17 points: error %v", e)
	}
	z := must(l.Transform(nil, matrix([]float64{0, 0, 0}, []float64{1e6, 2, 7}, []float64{4e6, 8, 7},
		[]float64{0, .25, 7}))).Float64s()
	for j := range 15 {
		if zero := j >= 10 || j > 5; z[j] != 0 || math.Abs(2*z[15+j]-z[30+j]) > 1e-12*math.Abs(z[30+j]) ||
			zero != (z[15+j] == 0) {
			t.Errorf("feature %d of 0 is %v, beyond the end it is %v and of four times as much %v", j, z[j], z[15+j],
				z[30+j])
		}
	}
	if c := z[50]; math.Abs(c*c-.25) > 1e-15 { // k(.25, .25) of the constant column
		t.Errorf("a constant column has the feature %v", c)
	}
}

// TestAddKPCAKeepsTheEnds: of values of both signs, most of them positive, the least keeps its knot next to 0, and its
// features.
func TestAddKPCAKeepsTheEnds(t *testing.T) {
	cells := []float64{-5}
	for i := range 99 {
		cells = append(cells, float64(i+1)/50)
	}
	x := dense(1, cells...)
	for _, points := range []int{2, 3, 8} {
		l := must(layers.NewAddKPCALayer(layers.AddKPCA{Kernel: spectral.Chi2{Negative: spectral.SignNegative},
			Components: 2, Points: points}, x))
		z := must(l.Transform(nil, matrix([]float64{-5}))).Float64s()
		if got := z[0]*z[0] + z[1]*z[1]; !(math.Abs(got-5) < .5) { // k(x, x) = |x|
			t.Errorf("%d points: the features of -5 have the squared length %v, want about 5", points, got)
		}
	}
}
