package report

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// wantErr checks the sentinel and that the message names what it should.
func wantErr(t *testing.T, err, sentinel error, parts ...string) {
	t.Helper()
	if !errors.Is(err, sentinel) {
		t.Fatalf("error %v, want one that wraps %v", err, sentinel)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not name %q", err, p)
		}
	}
}

// failure is an error with the sentinel that it wraps and what it says.
type failure struct {
	err, sentinel error
	parts         []string
}

func wantFailures(t *testing.T, cases map[string]failure) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { wantErr(t, c.err, c.sentinel, c.parts...) })
	}
}

// failed is the error of a call that must return nothing beside it.
func failed[T any](v T, err error) error {
	if err != nil && !reflect.ValueOf(&v).Elem().IsZero() {
		panic(fmt.Sprintf("%v beside the error %v", v, err))
	}
	return err
}

func must[T any](v T, err error) T {
	mustDo(err)
	return v
}

func mustDo(err error) {
	if err != nil {
		panic(err)
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tol)
	}
}

func randomDense(rows, cols int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(rows, cols, nil)
	m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
	return m
}

// centredNorm is ‖HAH‖_F by products with the projections H = I - 11ᵀ/n.
func centredNorm(a mat.Matrix) float64 {
	projection := func(n int) *mat.Dense {
		h := mat.NewDense(n, n, slices.Repeat([]float64{-1 / float64(n)}, n*n))
		for i := range n {
			h.Set(i, i, 1-1/float64(n))
		}
		return h
	}
	rows, cols := a.Dims()
	var both mat.Dense
	both.Product(projection(rows), a, projection(cols))
	if norm := mat.Norm(&both, 2); norm > 1e-13 {
		return norm
	}
	return 0 // rounding
}

func TestCompareDirect(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {11, 13}} {
		k, a := randomDense(size[0], size[1], 2), randomDense(size[0], size[1], 3)
		var d mat.Dense
		d.Sub(a, k)
		n := float64(size[0] * size[1])
		got := must(Compare(k, a))
		near(t, "RelativeFrobenius", got.RelativeFrobenius, mat.Norm(&d, 2)/mat.Norm(k, 2), 1e-12)
		near(t, "CentredFrobenius", got.CentredFrobenius, centredNorm(&d)/max(centredNorm(k), 1e-300), 1e-12)
		near(t, "RMS", got.RMS, mat.Norm(&d, 2)/math.Sqrt(n), 1e-12)
		near(t, "Max", got.Max, max(mat.Max(&d), -mat.Min(&d)), 1e-12)
		near(t, "MeanSigned", got.MeanSigned, mat.Sum(&d)/n, 1e-12)
		if got.Rows != size[0] {
			t.Errorf("Rows = %d, want %d", got.Rows, size[0])
		}
	}
}

// TestCompareScales: a power of two changes no bit but the exponent's, whatever the scale.
func TestCompareScales(t *testing.T) {
	k, a := randomDense(11, 13, 2), randomDense(11, 13, 3)
	want := must(Compare(k, a))
	for _, exp := range []int{-1000, -700, 700, 1020} {
		s := math.Ldexp(1, exp)
		var ks, as mat.Dense
		ks.Scale(s, k)
		as.Scale(s, a)
		got := must(Compare(&ks, &as))
		for _, v := range [][3]float64{{got.RelativeFrobenius, want.RelativeFrobenius, 1}, {got.Max, want.Max, s}, {got.RMS, want.RMS, s}, {got.MeanSigned, want.MeanSigned, s}} {
			if math.Abs(v[0]/v[2]-v[1]) > 1e-14 {
				t.Errorf("scale 2^%d: %v, want %v times the scale", exp, v[0], v[1])
			}
		}
	}
	tiny := mat.NewDense(1, 1, []float64{5e-324})
	got, err := Compare(tiny, mat.NewDense(1, 1, []float64{1e-323}))
	if err != nil || got.RelativeFrobenius != 1 || got.Max != 5e-324 || got.MeanSigned != 5e-324 {
		t.Errorf("smallest numbers: %+v, %v", got, err)
	}
	if got, err := Compare(k, k); err != nil || got != (GramError{Rows: 11}) {
		t.Errorf("equal matrices: %+v, %v", got, err)
	}
}

func TestCompareErrors(t *testing.T) {
	one := func(v float64) *mat.Dense { return mat.NewDense(2, 3, []float64{1, 1, 1, 1, v, 1}) }
	huge := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	of := func(exact, approx *mat.Dense) error { return failed(Compare(exact, approx)) }
	wantFailures(t, map[string]failure{
		"nil":        {of(nil, one(1)), ErrShape, []string{"Compare", "exact has no rows"}},
		"no rows":    {of(one(1), &mat.Dense{}), ErrShape, []string{"approx has no rows"}},
		"shapes":     {of(one(1), mat.NewDense(3, 2, nil)), ErrShape, []string{"exact is 2×3", "approx is 3×2"}},
		"NaN":        {of(one(math.NaN()), one(1)), ErrDomain, []string{"exact[1,1] = NaN"}},
		"infinite":   {of(one(1), one(math.Inf(-1))), ErrDomain, []string{"approx[1,1] = -Inf"}},
		"zeros":      {of(mat.NewDense(2, 3, nil), one(1)), ErrDomain, []string{"2×3 matrix is zero everywhere", "relative"}},
		"difference": {of(huge(1e308), huge(-1e308)), ErrDomain, []string{"beyond float64", "scale"}},
		"centred":    {of(one(1+1e-10), one(1e300)), ErrDomain, []string{"beyond float64"}},
		"quotient":   {of(huge(1e-300), huge(1e300)), ErrDomain, []string{"beyond float64"}},
	})
}

// fixed is a map that returns fixed features.
type fixed struct {
	dims, features int
	out            *tensor.Dense
	err            error
}

func (m fixed) Transform(_, _ *tensor.Dense) (*tensor.Dense, error) { return m.out, m.err }
func (m fixed) Dims() int                                           { return m.dims }
func (m fixed) Features() int                                       { return m.features }

func dense[T float32 | float64](rows, cols int, data []T) *tensor.Dense {
	return tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(data))
}

func toFloat32(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// withSigns are features whose inner products take signs.
type withSigns struct {
	fixed
	signature []float64
}

func (m withSigns) Signature() []float64 { return m.signature }

// TestApproxGram: Z Zᵀ, or Z Σ Zᵀ with signs, and symmetric, of either element type, in one and several tiles and column
// blocks, complete and not.
func TestApproxGram(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 7}, {5, 1}, {11, 13}, {263, 523}, {256, 512}, {263, 1031}} {
		n, d := size[0], size[1]
		x, drawn, signature := dense(n, 2, make([]float64, 2*n)), randomDense(n, d, 5).RawMatrix().Data, make([]float64, d)
		for j := range signature {
			signature[j] = float64(1 - 2*(j*j%3))
		}
		for _, features := range []*tensor.Dense{dense(n, d, drawn), dense(n, d, toFloat32(drawn))} {
			z := mat.NewDense(n, d, ops.Float64s(features))
			of := fixed{2, d, features, nil}
			for name, c := range map[string]struct {
				m    Map
				sign func(_, j int, v float64) float64
			}{
				"Z Zᵀ":   {of, func(_, _ int, v float64) float64 { return v }},
				"Z Σ Zᵀ": {withSigns{of, signature}, func(_, j int, v float64) float64 { return v * signature[j] }},
			} {
				got := must(ApproxGram(c.m, x))
				var signed, want mat.Dense
				signed.Apply(c.sign, z)
				want.Mul(&signed, z.T())
				// d products of the order of 1, rounded at most d times: far below 1e-12 d.
				if !mat.EqualApprox(got, &want, 1e-13*float64(d)) || !mat.Equal(got, got.T()) {
					t.Errorf("%d×%d %v: not %s, or not symmetric", n, d, features.Dtype(), name)
				}
			}
		}
	}
}

// TestApproxGramView: rows of a view have the matrix of their copy.
func TestApproxGramView(t *testing.T) {
	x := dense(4, 3, []float64{1, 2, 9, 3, 4, 9, 5, 6, 9, 9, 9, 9})
	view := must(x.Slice(tensor.S(0, 3), tensor.S(0, 2))).(*tensor.Dense)
	m := must(layers.NewIdentity(2))
	want := must(ApproxGram(m, dense(3, 2, []float64{1, 2, 3, 4, 5, 6})))
	if got := must(ApproxGram(m, view)); !mat.Equal(got, want) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}

func TestApproxGramErrors(t *testing.T) {
	x := dense(3, 2, make([]float64, 6))
	features := func(v float64) *tensor.Dense {
		return dense(3, 5, []float64{0, 1, 2, 3, 4, 5, 6, v, 8, 9, 1, 1, 1, 1, 1})
	}
	own := errors.New("own error")
	of := func(dims, columns int, z *tensor.Dense, x *tensor.Dense) error {
		return failed(ApproxGram(fixed{dims, columns, z, nil}, x))
	}
	wantFailures(t, map[string]failure{
		"nil map":       {failed(ApproxGram(nil, x)), ErrParam, []string{"ApproxGram", "map is nil"}},
		"nil x":         {of(2, 5, features(0), nil), ErrParam, []string{"x is nil"}},
		"vector":        {of(2, 5, features(0), tensor.New(tensor.WithShape(3), tensor.Of(tensor.Float64))), ErrShape, []string{"must be a matrix", "(3)"}},
		"no rows":       {of(2, 5, features(0), tensor.New(tensor.WithShape(0, 2), tensor.Of(tensor.Float64))), ErrShape, []string{"shape (0, 2)", "at least one row"}},
		"int x":         {of(2, 5, features(0), tensor.New(tensor.WithShape(3, 2), tensor.Of(tensor.Int))), ErrDtype, []string{"x are int"}},
		"dims":          {of(3, 5, features(0), x), ErrShape, []string{"x has 2 columns", "wants 3"}},
		"too many rows": {of(1, 1, nil, dense(16385, 1, make([]float64, 16385))), ErrShape, []string{"16385 rows", "at most 16384"}},
		"own error":     {failed(ApproxGram(fixed{2, 5, nil, own}, x)), own, []string{"ApproxGram"}},
		"nil features":  {of(2, 5, nil, x), ErrParam, []string{"features is nil"}},
		"features":      {of(2, 7, features(0), x), ErrShape, []string{"[3, 5]", "7 features", "[3, 7]"}},
		"NaN":           {of(2, 5, features(math.NaN()), x), ErrDomain, []string{"features[1,2] = NaN"}},
		"overflow":      {of(2, 5, features(1e200), x), ErrDomain, []string{"rows 1 and 1", "+Inf", "scale the features"}},
	})
}
