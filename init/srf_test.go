package spectral

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// TestSphericalLaw: the density is one, its quantile is the inverse of its distribution function, At is its kernel by
// quadrature, the error that it states is the error of At against the polynomial and no larger than when it was first
// fitted, and the descent from the first guess has brought it down.
func TestSphericalLaw(t *testing.T) {
	for _, c := range []struct {
		k    SRF
		d    int
		most float64
	}{{SRF{2, 10}, 1, .0035}, {SRF{2, 10}, 16, .004}, {SRF{2, 20}, 3, .0015}, {SRF{2, 1}, 8, .2}, {SRF{3, 1}, 2, .02},
		{SRF{3, 1}, 16, .035}, {SRF{3, 1}, 256, .04}, {SRF{4, 10}, 16, .003}, {SRF{4, 10}, 40, .01},
		{SRF{math.Sqrt2, 2}, 3, .75}} {
		k, d := c.k, c.d
		split := must(k.Split(d, 1, Independent))
		l := split.Parts[0].Of.(*sphericalLaw)
		if again, err := k.Split(d, 2, Joint); err != nil || again.Parts[0].Of != l {
			t.Errorf("%+v, d = %d: fitted twice, %v", k, d, err)
		}
		below := 0.
		for i, c := range l.cells {
			if c.low < 0 || c.high < 0 || c.low+c.high == 0 || c.below != below {
				t.Fatalf("%+v, d = %d: cell %d is %+v, %v below", k, d, i, c, below)
			}
			below += c.width * (c.low + c.high) / 2
		}
		checkQuantile(t, l.radialDensity, "%+v, d = %d", k, d)
		here, there, worst := make([]float64, d), make([]float64, d), 0.
		for i := range 101 {
			here[0] = float64(i) / 50
			at := l.At(here, there)
			if want := l.radialDensity.At(here, there); i%30 == 3 && math.Abs(at-want) > 1e-8 {
				t.Errorf("%+v, d = %d: At(%v) = %v, by quadrature %v", k, d, here[0], at, want)
			}
			worst = max(worst, math.Abs(at-k.At(here, there)))
		}
		if worst > split.Error+1e-8 || worst < split.Error/2 || split.Error > c.most {
			t.Errorf("%+v, d = %d: the error is %v, %v is stated, at most %v", k, d, worst, split.Error, c.most)
		}
		if f := newSphericalFit(k, d); l.loss(k) > f.loss(f.start, nil)/2 && k.A > 2 {
			t.Errorf("%+v, d = %d: the loss is %v, of the first guess %v", k, d, l.loss(k), f.loss(f.start, nil))
		}
		for _, p := range []float64{.01, .5, .99} {
			if r := k.Law().NormQuantile(d, p); r != l.quantile(p) {
				t.Errorf("%+v, d = %d: the law of the kernel has F⁻¹(%v) = %v, the density %v", k, d, p, r, l.quantile(p))
			}
		}
	}
}

// loss is ∫₀² (k - At)².
func (l *sphericalLaw) loss(k SRF) (sum float64) {
	for i := range 401 {
		r, w := float64(i)/200, 1./200
		if i%400 == 0 {
			w /= 2
		}
		e := l.table.at(r) - k.polynomial().at(r)
		sum += w * e * e
	}
	return sum
}

// TestSphericalGradient: the gradient of the loss agrees with central differences, where components are cut off too.
func TestSphericalGradient(t *testing.T) {
	for _, d := range []int{1, 5, 40} {
		f := newSphericalFit(SRF{2, 10}, d)
		theta := slices.Clone(f.start)
		theta[sphericalComponents+1] = -.9 // cuts off a part of the density
		grad := make([]float64, len(theta))
		f.loss(theta, grad)
		differences := fd.Gradient(nil, func(theta []float64) float64 { return f.loss(theta, nil) }, theta,
			&fd.Settings{Formula: fd.Central, Step: 1e-6})
		for i, want := range differences { // the border of what is cut off moves
			if math.Abs(grad[i]-want) > 1e-4*(math.Abs(want)+1e-3) {
				t.Errorf("d = %d: dJ/dθ[%d] = %v, by differences %v", d, i, grad[i], want)
			}
		}
	}
}

// TestSphericalRounding: a descent from a first guess that is a few roundings off comes to the same density, as on a
// machine that rounds differently.
func TestSphericalRounding(t *testing.T) {
	for _, k := range []SRF{{2, 10}, {3, 1}, {4, 10}} {
		for _, d := range []int{3, 32} {
			f, off := newSphericalFit(k, d), newSphericalFit(k, d)
			for i := range off.start {
				off.start[i] *= 1 + 1e-14*float64(i%3-1)
			}
			a, b := f.solve(), off.solve()
			for _, p := range []float64{.01, .3, .9} {
				if x, y := a.quantile(p), b.quantile(p); math.Abs(x-y) > 1e-11*x {
					t.Errorf("%+v, d = %d: F⁻¹(%v) = %v, from another guess %v", k, d, p, x, y)
				}
			}
		}
	}
}

// TestEvenTable: cubics are exact, and other functions are off in the fourth order.
func TestEvenTable(t *testing.T) {
	square := newEvenTable(.25, 2, func(x float64) float64 { return 1 - 3*x*x })
	cos := newEvenTable(.01, 20, math.Cos)
	for i := range 201 {
		x := float64(i) / 100
		if got, want := square.at(x), 1-3*x*x; math.Abs(got-want) > 1e-13 {
			t.Errorf("at %v: %v, want %v", x, got, want)
		}
		if got, want := cos.at(10*x), math.Cos(10*x); math.Abs(got-want) > 3e-10 {
			t.Errorf("cos %v: %v, want %v", 10*x, got, want)
		}
	}
}
