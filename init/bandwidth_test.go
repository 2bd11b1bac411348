package spectral

import (
	"math"
	"slices"
	"testing"

	"gorgonia.org/tensor"
)

func TestMedianDistanceByHand(t *testing.T) {
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{0, 1, 2, 4, 5, 6}))
	for _, in := range []*tensor.Dense{x, toFloat32(x)} {
		wantNear(t, must(MedianDistance(in, 10, 1)), math.Sqrt(48), 1e-15, "MedianDistance of %v", in.Dtype())
	}
}

func TestMedianDistanceScalesWithTheData(t *testing.T) {
	base := dense("bandwidth", 23, 5)
	for _, s := range []float64{1e-300, 1e-160, 3, 1e160, 1e300} {
		x := base.Clone().(*tensor.Dense)
		for i := range x.Float64s() {
			x.Float64s()[i] *= s
		}
		wantNear(t, must(MedianDistance(x, 10, 1))/s, must(MedianDistance(base, 10, 1)), 1e-13, "at the scale %v", s)
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
