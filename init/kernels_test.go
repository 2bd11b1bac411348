package spectral

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestValues: kernels in closed form, where they have an end, in very many dimensions, and at known angles.
func TestValues(t *testing.T) {
	const n = 100003
	many, more := slices.Repeat([]float64{1e-8}, n), slices.Repeat([]float64{3e-8}, n)
	one := func(v float64) []float64 { return []float64{v} }
	at := func(theta float64) []float64 { return []float64{math.Cos(theta), math.Sin(theta)} }
	for _, c := range []struct {
		k         Kernel
		x, z      []float64
		want, tol float64
	}{
		// A wide mixture falls slowly, also where squares overflow; a narrow one is a Gaussian.
		{RationalQuadratic{.01, 1}, one(1e200), one(0), math.Exp(-.01 * (400*math.Ln10 - math.Log(.02))), 1e-13},
		{RationalQuadratic{1, 1}, one(1e-8), one(0), 1 - 5e-17, 1e-13},
		{RationalQuadratic{1e300, 1}, one(1.5), one(0), math.Exp(-1.125), 1e-13},
		{RationalQuadratic{1e-300, 1}, one(1), one(0), 1, 1e-13},
		{RationalQuadratic{2, 1}, one(1e300), one(0), 0, 1e-13},

		{Softmax{2}, one(0), one(7), 1, 1e-12}, {Softmax{2}, one(2), one(2), math.E, 1e-12},
		{Softmax{2}, one(2), one(-2), 1 / math.E, 1e-12}, {Softmax{2}, one(3), one(4), math.Exp(3), 1e-12},
		{Softmax{2}, one(1e200), one(1e200), math.Inf(1), 0}, {Softmax{2}, one(1e200), one(-1e200), 0, 0},

		{ReciprocalSemigroup{1}, many, more, math.Exp(-n * math.Log1p(4e-8)), 1e-11},
		{ReciprocalSemigroup{1e-8}, many, more, 0, 1e-11},                        // 5^-100003
		{ReciprocalSemigroup{1e305}, one(1.5e308), one(1e308), 1 / 2501., 1e-14}, // where x + z overflows
		{ExpSemigroup{0.01}, many, more, math.Exp(-n * 0.01 * 2e-4), 1e-11},
		{SkewedChi2{1}, many, more, math.Exp(-n * 2e-8 * 2e-8 / 8), 1e-11},
		{SkewedIntersection{1}, many, more, math.Exp(-n * (math.Log1p(3e-8) - math.Log1p(1e-8)) / 2), 1e-11},
		// No factor overflows for far rows, and 1-k keeps its digits for near ones.
		{SkewedIntersection{1}, one(1e-12), one(0), math.Exp(-5e-13), 1e-15},
		{SkewedChi2{}, one(1e308), one(1e308), 1, 1e-12},
		{SkewedChi2{.25}, one(-.25 + 0x1p-50), one(.75), 2 * 0x1p-25 / (1 + 0x1p-50), 1e-12},

		{Stationary{Chi2{}}, []float64{1, -2}, []float64{3, -2}, 1/math.Cosh(1) + 1, 1e-14},
		// A σ whose square underflows or overflows.
		{Exponentiated{Chi2{}, 1e-170}, one(.3), one(.3), 1, 0}, {Exponentiated{Chi2{}, 1e170}, one(.3), one(.3), 1, 0},
		{Exponentiated{Chi2{}, 1e-170}, one(.3), one(.3 + 1e-9), 0, 0},
		{Exponentiated{Chi2{}, 1e170}, one(.3), one(.3 + 1e-9), 1, 0},

		{ArcCosine{Order: 0}, at(0), at(0), 1, 2e-14}, {ArcCosine{Order: 0}, at(0), at(math.Pi / 2), .5, 2e-14},
		{ArcCosine{Order: 1}, at(0), at(0), 1, 2e-14}, {ArcCosine{Order: 1}, at(0), at(math.Pi / 2), 1 / math.Pi, 2e-14},
		{NeuralTangent{}, at(0), at(0), 2, 2e-14}, {NeuralTangent{}, at(0), at(math.Pi / 2), 1 / math.Pi, 2e-14},
		{SpherePolynomial{A: 2, P: 3}, at(0), at(math.Pi / 2), .125, 2e-14},
		{SpherePolynomial{A: 1, P: 3}, at(0), at(math.Pi), -27, 2e-14},
		{SpherePolynomial{A: 3, P: 1}, at(0), at(math.Pi / 3), 8. / 9, 2e-14},
	} {
		wantNear(t, c.k.At(c.x, c.z), c.want, c.tol, "%T%+v of %.3v ... and %.3v ...", c.k, c.k, c.x[0], c.z[0])
		if !c.k.Domain().Contains(c.x[0]) || !c.k.Domain().Contains(c.z[len(c.z)-1]) {
			t.Errorf("%T%+v: the domain %v does not contain the rows", c.k, c.k, c.k.Domain())
		}
	}
	for _, k := range []Kernel{ArcCosine{Order: 0}, ArcCosine{Order: 1}, NeuralTangent{}} {
		if v := k.At(at(0), at(math.Pi)); math.Abs(v) > 1e-14 {
			t.Errorf("%T%+v of opposite rows: %v", k, k, v)
		}
	}
	// The series near opposite points.
	for _, phi := range []float64{.09999, .10001} {
		wantNear(t, arcCosine(1, phi), (math.Sin(phi)-phi*math.Cos(phi))/math.Pi, 1e-12, "the series at %v", phi)
	}
}

func TestGradientAtKinks(t *testing.T) {
	x, z := []float64{1, 2}, []float64{1, 1}
	for _, k := range []Gradienter{Laplacian{1}, SkewedIntersection{0.5}} {
		if g := k.Gradient(nil, x, z); g[0] != 0 || !(g[1] < 0) {
			t.Errorf("%T: %v", k, g)
		}
	}
	for _, nu := range []float64{0.01, 0.3, 0.5, 0.7, 1, 1.5, 1000} {
		if g := (Matern{nu, 2}).Gradient(nil, x, x); g[0] != 0 || g[1] != 0 {
			t.Errorf("Matern, nu = %v: %v", nu, g)
		}
	}
	g := ExpSemigroup{1}.Gradient(nil, []float64{0, 1}, []float64{0, 1e300})
	if !math.IsInf(g[0], -1) || g[1] != 0 {
		t.Errorf("ExpSemigroup at 0: %v", g)
	}
	// where a factor is 0
	if g := (Softmax{2}).Gradient(nil, []float64{1e200, 1}, []float64{1e200, 0}); !math.IsInf(g[0], 1) || g[1] != 0 {
		t.Errorf("Softmax: %v", g)
	}
}

// TestNames: the names of a constant are read back, others are errors that list the names, and a value without a name
// has a text.
func TestNames(t *testing.T) {
	checkNames(t, "shared-coupled, joint or iid", Couplings()...)
	checkNames(t, "uniform or rectangular", Uniform, Rectangular)
	checkNames(t, "gauss, quantile or drawn", GaussLambdas, QuantileLambdas, DrawnLambdas)
	for _, s := range Samplers() {
		if got, err := SamplerByName(s.String()); got != s {
			t.Errorf("%v is read as %v, %v", s, got, err)
		}
	}
	if s := fmt.Sprint(Fourier, Laplace, LogFourier, Step, ReLU, Tangent, Additive, Positive, Transform(9)); s !=
		"Fourier Laplace LogFourier Step ReLU Tangent Additive Positive Transform(9)" {
		t.Error(s)
	}
}

func checkNames[T comparable, P interface {
	*T
	UnmarshalText(name []byte) error
}](t *testing.T, all string, values ...T) {
	for _, v := range values {
		var got T
		if err := P(&got).UnmarshalText(fmt.Append(nil, v)); got != v || err != nil {
			t.Errorf("%v is read as %v, %v", v, got, err)
		}
	}
	wantErr(t, P(new(T)).UnmarshalText([]byte("both")), ErrParam, `"both"`, all)
}

// TestUnitsOfLengths: the kernels are homogeneous in each row, of degree 0 or 1, also where squares would overflow.
func TestUnitsOfLengths(t *testing.T) {
	x, z := []float64{.4, -1.1, .2}, []float64{2, .3, .5}
	for _, k := range []Kernel{ArcCosine{Order: 0}, ArcCosine{Order: 1}, NeuralTangent{}} {
		wantNear(t, k.At(x, make([]float64, len(x))), 0, 0, "%T%+v of a row of zeros", k, k)
		for _, c := range []float64{1e-200, 3, 1e200} {
			want, scaled := k.At(x, z), make([]float64, len(x))
			if k != (ArcCosine{Order: 0}) {
				want *= c
			}
			for i, v := range x {
				scaled[i] = c * v
			}
			wantNear(t, k.At(scaled, z), want, 1e-14, "%T%+v of %v·x", k, k, c)
		}
	}
	const tiny = 1e-200 // whose square is 0
	wantNear(t, ArcCosine{Order: 0}.At([]float64{tiny, 0}, []float64{0, tiny}), .5, 1e-14, "short rows at a right angle")
}
