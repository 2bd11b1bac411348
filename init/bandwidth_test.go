package spectral

import (
	"math"
	"slices"
	"testing"

	"gorgonia.org/tensor"
)

// bandwidths are the functions that estimate one from data.
var bandwidths = map[string]func(x *tensor.Dense) (float64, error){"SqrtDVar": SqrtDVar, "DMeanAbsDev": DMeanAbsDev,
	"MedianDistance": func(x *tensor.Dense) (float64, error) { return MedianDistance(x, 10, 1) }}

func TestBandwidthsByHand(t *testing.T) {
	// mean 3, deviations -3 -2 -1 1 2 3, population variance 28/6, mean absolute deviation 2
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{0, 1, 2, 4, 5, 6}))
	for name, want := range map[string]float64{"SqrtDVar": math.Sqrt(7), "DMeanAbsDev": 6,
		"MedianDistance": math.Sqrt(48)} {
		for _, in := range []*tensor.Dense{x, toFloat32(x)} {
			wantNear(t, must(bandwidths[name](in)), want, 1e-15, "%s of %v", name, in.Dtype())
		}
	}
}

func TestBandwidthsScaleWithTheData(t *testing.T) {
	base := dense("bandwidth", 23, 5)
	for _, s := range []float64{1e-300, 1e-160, 3, 1e160, 1e300} {
		x := base.Clone().(*tensor.Dense)
		for i := range x.Float64s() {
			x.Float64s()[i] *= s
		}
		for name, f := range bandwidths {
			wantNear(t, must(f(x))/s, must(f(base)), 1e-13, "%s at the scale %v", name, s)
		}
	}
}

func TestMedianDistanceSample(t *testing.T) {
	x := dense("median", 61, 3)
	all := must(MedianDistance(x, 61*60/2, 1))
	some, _ := MedianDistance(x, 901, 1)
	again, _ := MedianDistance(x, 901, 1)
	other, _ := MedianDistance(x, 901, 2)
	// the density at the median is about 1.5, so the error is 1/(2·1.5·√901) = 0.011
	if some != again || some == other || math.Abs(some-all) > 4*0.011 {
		t.Errorf("all pairs %v, sampled %v, again %v, other seed %v", all, some, again, other)
	}
	var dist []float64
	for i := range 61 {
		for j := range i {
			dist = append(dist, distance(x.Float64s()[i*3:i*3+3], x.Float64s()[j*3:j*3+3]))
		}
	}
	slices.Sort(dist)
	wantNear(t, all, (dist[914]+dist[915])/2, 1e-15, "the median of all pairs")
}
