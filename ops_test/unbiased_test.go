package ops_test

import (
	"fmt"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// Draws of the Monte-Carlo battery: 8192 frequencies in all, so that four standard errors are at most 0.031 for a variance
// of 1/2, half of what a wrong bandwidth or norm changes at a distance of one length scale.
const (
	draws       = 64
	frequencies = 128
)

// TestUnbiased: the mean of z(x)·z(x') over seeds is the kernel within four standard errors, and the variance of the term of a
// frequency is that of the formula. The standard error is that of the formula; the frequencies of an orthogonal draw depend on
// each other, and theirs is the one over seeds, as is that of a structured draw, which may be off by the bias that it states. For an
// exponentiated kernel the mean is that of the Gaussian on what the homogeneous map makes of the rows; that map draws nothing, and
// alone is off by SupError at most. For spherical random features it is that of the density that was fitted, and the kernel to the
// bias that this states.
func TestUnbiased(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		// On other rows what is fitted is no estimate, and exact on those, which package layers tests.
		if v.form == fitted {
			return
		}
		for _, d := range []int{1, 2, 9} {
			d = v.dims(d)
			x, names := pairRows(d)
			x = v.inside(x)
			estimates := make([][]float64, len(names))
			terms := make([][]float64, len(names))
			for seed := range uint64(draws) {
				if seed > 1 && !v.entry.Sampled() {
					break // every seed gives the same
				}
				l := v.build(t, d, v.frequencies(), 1000*uint64(d)+seed)
				z := transform(t, l, x)
				for i := range names {
					first, other := row(z, len(names), 0), row(z, len(names), i)
					estimates[i] = append(estimates[i], dot(withSigns(l, first), other))
					terms[i] = append(terms[i], v.terms(first, other)...)
				}
			}
			on := v.randomRows(t, x).Float64s()
			for i, name := range names {
				where := fmt.Sprintf("%s, %d dimensions, %s", v.name, d, name)
				if v.way() == "normalised" {
					v.checkNormalised(t, where, row(on, len(names), 0), row(on, len(names), i), estimates[i])
					continue
				}
				v.checkPair(t, where, row(on, len(names), 0), row(on, len(names), i), estimates[i], terms[i],
					v.length(row(x.Float64s(), len(names), 0))*v.length(row(x.Float64s(), len(names), i)))
			}
		}
	})
}

// pairRows are a base row and rows at several distances from it, along the axes and along the diagonal.
func pairRows(d int) (x *tensor.Dense, names []string) {
	const base = .1
	var cells []float64
	add := func(name string, r float64, direction func(i int) float64) {
		names = append(names, fmt.Sprintf("distance %v on %s", r, name))
		for i := range d {
			cells = append(cells, base+r*direction(i))
		}
	}
	diagonal := func(int) float64 { return 1 / math.Sqrt(float64(d)) }
	add("any axis", 0, diagonal)
	for _, r := range []float64{.3, 1, 2.5} {
		add("the diagonal", r, diagonal)
		for _, axis := range []int{0, d - 1} {
			add(fmt.Sprint("axis ", axis), r, func(i int) float64 {
				if i == axis {
					return 1
				}
				return 0
			})
		}
	}
	return matrix(tensor.Float64, len(names), d, cells...), names
}

// frequencies is how many a draw has: fewer of two signs, of which package spectral tests each coupling.
func (v variant) frequencies() int {
	if v.form == signed {
		return frequencies / 4
	}
	return frequencies
}

// withSigns are features times the signature of their layer.
func withSigns(l layers.Layer, z []float64) []float64 {
	sign := layers.SignatureOf(l)
	if sign == nil {
		return z
	}
	out := make([]float64, len(z))
	for i, c := range z {
		out[i] = sign[i] * c
	}
	return out
}

// row is row i of n.
func row(z []float64, n, i int) []float64 {
	cols := len(z) / n
	return z[i*cols : (i+1)*cols]
}

// terms is what each frequency says about k(x, x'): their mean is z·z'.
func (v variant) terms(z, z2 []float64) []float64 {
	m := len(z)
	switch v.form {
	case pair, tangent:
		m /= 2
	case copied, series, signed, fitted, discrete:
		return nil
	}
	out := make([]float64, m)
	for j := range out {
		for at := j; at < len(z); at += m {
			out[j] += float64(m) * z[at] * z2[at]
		}
	}
	return out
}

// variance is that of a term by the formula, 0 for a map that draws nothing.
func (v variant) variance(t *testing.T, x, z []float64) float64 {
	t.Helper()
	k := v.random(len(x))
	if k == nil {
		return 0
	}
	f := spectral.PairVariance
	if v.form == phase {
		f = spectral.PhaseVariance
	}
	s2, err := f(k, x, z)
	if err != nil {
		t.Fatal(err)
	}
	return s2
}

// checkNormalised compares the estimates with the kernel and the bias that spectral.NormalisedVariance predicts, half of which the next order may
// be besides, and their variance with the prediction.
func (v variant) checkNormalised(t *testing.T, where string, x, z, estimates []float64) {
	t.Helper()
	variance, bias, err := spectral.NormalisedVariance(v.kernel.(spectral.Semigroup), x, z, frequencies)
	if err != nil {
		t.Fatal(err)
	}
	mean, spread := meanAndSpread(estimates)
	want := v.naive(v.values, x, z)
	if v.sampler != "iid" { // whose bias is less
		if !(math.Abs(mean-want) <= 4*spread/math.Sqrt(draws)+1.5*math.Abs(bias)+1e-12) {
			t.Errorf("%s: mean %v, kernel %v, bias of iid %.2g, standard error %.2g", where, mean, want, bias, spread/math.Sqrt(draws))
		}
		return
	}
	if !(math.Abs(mean-want-bias) <= 4*spread/math.Sqrt(draws)+math.Abs(bias)/2+1e-12) {
		t.Errorf("%s: mean %v, kernel %v and bias %.2g, standard error %.2g", where, mean, want, bias, spread/math.Sqrt(draws))
	}
	if band := 4*math.Sqrt(2./(draws-1)) + .25; !(math.Abs(spread*spread-variance) <= band*variance+1e-17) {
		t.Errorf("%s: variance %v, predicted %v", where, spread*spread, variance)
	}
}

// checkPair compares the estimates of k(x, z), one a seed, and their terms, one a frequency, with the kernel and the formula, where the features
// of the two rows have the lengths whose product is given.
func (v variant) checkPair(t *testing.T, where string, x, z, estimates, terms []float64, lengths float64) {
	t.Helper()
	want, s2 := v.naive(v.values, x, z), v.variance(t, x, z)*lengths*lengths
	if k := v.random(len(x)); k != v.kernel && k != nil {
		want = k.At(x, z) * lengths // the exponential of a metric that the homogeneous map makes, or the kernel of a density that is near
	}
	mean, spread := meanAndSpread(estimates)
	se := math.Sqrt(s2 / float64(draws*frequencies))
	if v.sampler != "iid" && v.entry.Sampled() {
		se = spread / math.Sqrt(draws)
	}
	if !(math.Abs(mean-want) <= 4*se+v.bias(x, z)+1e-12) {
		t.Errorf("%s: mean %v, kernel %v, standard error %.2g", where, mean, want, se)
	}
	if v.sampler != "iid" {
		return
	}
	// About the known mean: E(t-k)² is the variance, and its standard error is √((E(t-k)⁴ - variance²)/N).
	second, fourth, n := 0.0, 0.0, float64(len(terms))
	for _, term := range terms {
		u := (term - want) * (term - want)
		second, fourth = second+u/n, fourth+u*u/n
	}
	if band := 4*math.Sqrt(math.Max(0, fourth-second*second)/n) + 1e-12; !(math.Abs(second-s2) <= band) {
		t.Errorf("%s: variance of a term %v, by the formula %v, band %.2g", where, second, s2, band)
	}
}

// bias bounds the bias that spectral.Structured states for a row of d cells: its table along an axis, and a quarter more for other
// distances. In package spectral the expectation itself is tested.
func (v variant) bias(x, z []float64) float64 {
	d := len(x)
	switch {
	case v.form == series:
		return v.seriesBias(x, z)
	case v.form == signed:
		return v.splitError(d)
	case v.sampler != "structured":
		return 0
	}
	return 1.25 * map[int]float64{16: .0048, 32: .0008, 64: .0002}[spectral.PaddedDims(d)]
}

// seriesBias is what the harmonics of a homogeneous map are off, SupError·Σ max(x, z)^γ at most.
func (v variant) seriesBias(x, z []float64) float64 {
	l, err := v.spec(len(x), 1, 1).Build()
	if err != nil {
		return math.NaN()
	}
	k := v.kernel.(spectral.Homogeneous)
	sum := 0.0
	for i := range x {
		sum += math.Pow(math.Max(math.Abs(x[i]), math.Abs(z[i])), k.Degree())
	}
	return sum * spectral.SupError(k, l.(*layers.HomogeneousLayer).Harmonics())
}

// splitError is what a combination of Gaussians is off the kernel, as it states. In package spectral its own kernel is tested.
func (v variant) splitError(d int) float64 {
	p, err := v.kernel.(spectral.SignedLaw).Split(d, v.frequencies(), spectral.SharedCoupled)
	if err != nil {
		return math.NaN()
	}
	return p.Error
}

// meanAndSpread are the mean and the standard deviation of a sample.
func meanAndSpread(v []float64) (mean, spread float64) {
	for _, u := range v {
		mean += u / float64(len(v))
	}
	for _, u := range v {
		spread += (u - mean) * (u - mean)
	}
	return mean, math.Sqrt(spread / float64(len(v)-1))
}
