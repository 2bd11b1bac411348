package spectral

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// testKernel is a line of the batteries' list: a new kernel is one line here and gets every battery.
type testKernel struct {
	name   string
	kernel Random
	unit   float64 // the scale of x on which the kernel varies
}

var testKernels = []testKernel{
	{"gaussian", Gaussian{Sigma: 1.7}, 1.7},
	{"laplacian", Laplacian{Sigma: 2.3}, 2.3},
	{"cauchy", Cauchy{Sigma: 1.7}, 1.7},
	{"matern-0.3", Matern{Nu: 0.3, Ell: 1.3}, 1.3},
	{"matern-0.5", Matern{Nu: 0.5, Ell: 1.3}, 1.3},
	{"matern-1", Matern{Nu: 1, Ell: 0.7}, 0.7},
	{"matern-1.5", Matern{Nu: 1.5, Ell: 1.3}, 1.3},
	{"matern-4.2", Matern{Nu: 4.2, Ell: 3}, 3},
	{"rational-quadratic-0.7", RationalQuadratic{Alpha: 0.7, Ell: 1.3}, 1.3},
	{"rational-quadratic-4", RationalQuadratic{Alpha: 4, Ell: 0.7}, 0.7},
	{"spectral-mixture", SpectralMixture{Means: []float64{0, 2.1, -5}, Sigmas: []float64{.8, 3, 2}, Weights: []float64{1, 4, 2}}, 1.2},
	{"exp-semigroup", ExpSemigroup{Beta: 0.4}, 1},
	{"reciprocal-semigroup", ReciprocalSemigroup{Lambda: 1.9}, 1.9},
	{"skewed-chi2", SkewedChi2{C: 0.3}, 1},
	{"skewed-chi2-scale-invariant", SkewedChi2{}, 1},
	{"skewed-intersection", SkewedIntersection{C: 0.3}, 1},
	{"softmax", Softmax{Sigma: 2.1}, .7},
	{"arc-cosine-0", ArcCosine{Order: 0}, 1},
	{"arc-cosine-1", ArcCosine{Order: 1}, 1},
	{"ntk", NeuralTangent{}, 1},
	{"custom", customGaussian, 1.1},
	{"norms", withLaw{Gaussian{1.2}, Law{Transform: Fourier, NormQuantile: Gaussian{1.2}.Law().NormQuantile}}, 1.2},
}

// customGaussian is Gaussian{1.1} as a user would write it.
var customGaussian = Custom{
	Exact: Gaussian{1.1}.At,
	Of: Law{Transform: Fourier, Draw: func(dst []float64, rng *rand.Rand) {
		for i := range dst {
			dst[i] = rng.NormFloat64() / 1.1
		}
	}},
}

// withLaw is a Gaussian of another law.
type withLaw struct {
	Gaussian
	law Law
}

func (k withLaw) Law() Law { return k.law }

func testRand(name string) *rand.Rand { return rand.New(Stream(1, name)) }

// point draws a row inside the domain of k, away from its border.
func (tk testKernel) point(d int, rng *rand.Rand) []float64 {
	x := make([]float64, d)
	for i := range x {
		x[i] = tk.unit * (0.1 + rng.Float64())
		if (tk.kernel.Domain() == Domain{}) && rng.Uint64()&1 == 0 {
			x[i] = -x[i]
		}
	}
	return x
}

// unbounded says whether k(x, x) grows with x.
func (tk testKernel) unbounded() bool {
	transform := tk.kernel.Law().Transform
	return transform == Positive || transform == ReLU || transform == Tangent
}

// term is the expectation's integrand: what one frequency says about k(x, z). For a Tangent kernel it is w, then v.
func term(k Random, w, x, z []float64) float64 {
	dot, law := 0.0, k.Law()
	switch first := w[:len(x)]; law.Transform {
	case Step:
		return 2 * step(floats.Dot(first, x)) * step(floats.Dot(first, z))
	case ReLU:
		return 2 * max(0, floats.Dot(first, x)) * max(0, floats.Dot(first, z))
	case Tangent:
		p, q, v := floats.Dot(first, x), floats.Dot(first, z), w[len(x):]
		return 2*max(0, p)*max(0, q) + 2*step(p)*step(q)*floats.Dot(v, x)*floats.Dot(v, z)
	}
	for i, v := range w {
		switch law.Transform {
		case Fourier:
			dot += v * (x[i] - z[i])
		case Laplace:
			dot += v * (x[i] + z[i])
		case Positive:
			dot += v*(x[i]+z[i]) - law.Scale*law.Scale*(x[i]*x[i]+z[i]*z[i])/2
		case LogFourier:
			c := law.Shift
			dot += v * (math.Log(x[i]+c) - math.Log(z[i]+c))
		}
	}
	switch law.Transform {
	case Laplace:
		return math.Exp(-dot)
	case Positive:
		return math.Exp(dot)
	}
	return math.Cos(dot)
}

func step(t float64) float64 {
	if t > 0 {
		return 1
	}
	return 0
}

// column is column j of the row-major [d, m] matrix w.
func column(w []float64, d, m, j int) []float64 {
	col := make([]float64, d)
	for i := range col {
		col[i] = w[i*m+j]
	}
	return col
}

// meanStdErr is the mean of a sample and its standard error.
func meanStdErr(v []float64) (mean, se float64) {
	mean, std := stat.MeanStdDev(v, nil)
	return mean, stat.StdErr(std, float64(len(v)))
}

// wantMean checks that the mean of a sample is within 4 standard errors, and some slack, of a number. The text says
// which.
func wantMean(t *testing.T, sample []float64, want, slack float64, text string, args ...any) {
	t.Helper()
	if mean, se := meanStdErr(sample); !(math.Abs(mean-want) <= 4*se+slack) {
		t.Errorf("%s: mean %.6g ± %.2g, want %.6g", fmt.Sprintf(text, args...), mean, se, want)
	}
}

// wantLaw sorts a sample and checks it by the Kolmogorov-Smirnov statistic √n sup |F_n - F|, F given by its quantiles at
// 999 points. It is above 2.2 once in 16000 times, as often as a normal variable is 4 standard errors off.
func wantLaw(t *testing.T, sample []float64, quantile func(p float64) float64, text string, args ...any) {
	t.Helper()
	slices.Sort(sample)
	n, worst := float64(len(sample)), 0.0
	for i := 1; i < 1000; i++ {
		p := float64(i) / 1000
		below, _ := slices.BinarySearch(sample, quantile(p))
		worst = max(worst, math.Abs(float64(below)/n-p))
	}
	if ks := worst * math.Sqrt(n); ks > 2.2 {
		t.Errorf("%s: Kolmogorov-Smirnov %.2f", fmt.Sprintf(text, args...), ks)
	}
}

// near says whether got is want within a relative tolerance.
func near(got, want, tol float64) bool {
	return got == want || math.Abs(got-want) <= tol*math.Abs(want)
}

// wantNear checks that a number is as near to another as near says. The text says which.
func wantNear(t *testing.T, got, want, tol float64, text string, args ...any) {
	t.Helper()
	if !near(got, want, tol) {
		t.Errorf("%s: %.17g, want %.17g", fmt.Sprintf(text, args...), got, want)
	}
}

// wantErr checks that err wraps target and that its message names the place.
func wantErr(t *testing.T, err, target error, parts ...string) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error %v does not wrap %q", err, target)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

// must returns v; an error ends the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// must2 is must for two values.
func must2[A, B any](a A, b B, err error) (A, B) {
	must(a, err)
	return a, b
}

// sample is m frequencies of k in d dimensions, [d, m].
func sample(s Sampler, d, m int, k Random, src rand.Source) []float64 {
	w := make([]float64, d*m)
	if err := s.Sample(w, d, m, k, src); err != nil {
		panic(err)
	}
	return w
}
