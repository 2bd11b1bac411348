package spectral

import (
	"math"
	"slices"
	"testing"

	"gorgonia.org/tensor"
)

func TestBandwidthsByHand(t *testing.T) {
	// mean 3, deviations -3 -2 -1 1 2 3, population variance 28/6, mean absolute deviation 2
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{0, 1, 2, 4, 5, 6}))
	for _, in := range []*tensor.Dense{x, toFloat32(x)} {
		if s, err := SqrtDVar(in); err != nil || !near(s, math.Sqrt(7), 1e-15) {
			t.Errorf("SqrtDVar %v, %v", s, err)
		}
		if s, err := DMeanAbsDev(in); err != nil || !near(s, 6, 1e-15) {
			t.Errorf("DMeanAbsDev %v, %v", s, err)
		}
		if s, err := MedianDistance(in, 10, 1); err != nil || !near(s, math.Sqrt(48), 1e-15) {
			t.Errorf("MedianDistance %v, %v", s, err)
		}
	}
}

func TestBandwidthsScaleWithTheData(t *testing.T) {
	base := dense("bandwidth", 23, 5)
	one, _ := SqrtDVar(base)
	two, _ := DMeanAbsDev(base)
	three, _ := MedianDistance(base, 100, 1)
	for _, s := range []float64{1e-300, 1e-160, 3, 1e160, 1e300} {
		x := base.Clone().(*tensor.Dense)
		for i := range x.Float64s() {
			x.Float64s()[i] *= s
		}
		for _, c := range []struct {
			f    func() (float64, error)
			want float64
		}{
			{func() (float64, error) { return SqrtDVar(x) }, one},
			{func() (float64, error) { return DMeanAbsDev(x) }, two},
			{func() (float64, error) { return MedianDistance(x, 100, 1) }, three},
		} {
			if got, err := c.f(); err != nil || !near(got/s, c.want, 1e-13) {
				t.Errorf("scale %v: %v, %v, want %v", s, got/s, err, c.want)
			}
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
	if want := (dist[914] + dist[915]) / 2; !near(all, want, 1e-15) {
		t.Errorf("median %v, want %v", all, want)
	}
}
