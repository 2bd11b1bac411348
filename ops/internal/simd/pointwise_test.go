package simd

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestPointwise: every instruction set gives the bits of plain Go, at every length, and stays inside.
func TestPointwise(t *testing.T) { eachType(t, testPointwise[float32], testPointwise[float64]) }

func testPointwise[T Float](t *testing.T) {
	for n := range 132 {
		a, b, c, d := guarded(t, random[T](n, 1)), guarded(t, random[T](n, 2)), guarded(t, random[T](n, 3)),
			guarded(t, random[T](n, 4))
		square, sum, triples := guarded(t, squares(a, 0)), guarded(t, a), filled[T](t, 3*n)
		product, twice, pair, root := filled[T](t, n), filled[T](t, n), filled[T](t, n), filled[T](t, n)
		vecProduct(product, a, b, -1)
		vecMultiple(twice, a, -1.5)
		vecAdd(sum, b)
		vecPairGrad(pair, a, b, c, d)
		vecSqrt(root, square)
		vecTriples(triples, a, b, c)
		for i, v := range a {
			got := []T{product[i], twice[i], sum[i], pair[i], root[i], triples[3*i], triples[3*i+1], triples[3*i+2]}
			want := []T{-(v * b[i]), -1.5 * v, v + b[i], T(d[i]*v) - T(c[i]*b[i]), T(math.Sqrt(float64(v * v))), v, b[i], c[i]}
			if !slices.Equal(got, want) {
				t.Fatalf("n = %d: element %d: %v, want %v", n, i, got, want)
			}
		}
	}
}

// TestAdam: every instruction set gives the bits of the formula, at every length, and stays inside.
func TestAdam(t *testing.T) { eachType(t, testAdam[float32], testAdam[float64]) }

func testAdam[T Float](t *testing.T) {
	o := AdamStep{Scale: .5, Rate: .25, Correction: 4, Beta1: .9, Beta2: .999, Eps: 1e-8}
	for n := range 70 {
		w, g, s := guarded(t, random[T](n, 1)), guarded(t, random[T](n, 2)), guarded(t, random[T](n, 3))
		m, v := guarded(t, random[T](n, 4)), guarded(t, squares(random[T](n, 5), 0))
		was, first, second := slices.Clone(w), slices.Clone(m), slices.Clone(v)
		Adam(w, g, m, v, s, o)
		for i := range w {
			grad := .5 * g[i]
			wantM := T(first[i]*T(o.Beta1)) + T(grad*T(1-o.Beta1))
			wantV := T(second[i]*T(o.Beta2)) + T(T(grad*grad)*T(1-o.Beta2))
			want := was[i] - T(T(wantM*s[i])*.25)/(T(math.Sqrt(float64(4*wantV)))+T(o.Eps))
			if m[i] != wantM || v[i] != wantV || w[i] != want {
				t.Fatalf("n = %d: element %d: %v, %v, %v, want %v, %v, %v", n, i, w[i], m[i], v[i], want, wantM, wantV)
			}
		}
	}
}

// TestWithin: one element outside is found wherever it stands, and none where there is none.
func TestWithin(t *testing.T) { eachType(t, testWithin[float32], testWithin[float64]) }

func testWithin[T Float](t *testing.T) {
	nan, inf, tiny := T(math.NaN()), T(math.Inf(1)), T(1e-45)
	if sizeof[T]() == 8 {
		v := math.SmallestNonzeroFloat64
		tiny = T(v)
	}
	for _, c := range []struct {
		low, v T
		want   bool
	}{
		{-inf, 0, true}, {-inf, Largest[T](), true}, {-inf, -Largest[T](), true}, {-inf, inf, false},
		{-inf, -inf, false}, {-inf, nan, false},
		{0, 0, true}, {0, T(math.Copysign(0, -1)), true}, {0, tiny, true}, {0, -tiny, false}, {0, nan, false},
		{0, inf, false},
		{-.5, -.5, true}, {-.5, -.50001, false},
	} {
		for _, n := range []int{1, 2, 7, 31, 64, 129} {
			x := guarded(t, squares(random[T](n, 1), 0))
			for i, was := range x {
				if x[i] = c.v; Within(x, c.low) != c.want {
					t.Fatalf("%v at %d of %d, from %v: want %v", c.v, i, n, c.low, c.want)
				}
				x[i] = was
			}
		}
	}
	if !Within[T](nil, 0) {
		t.Error("an empty slice is not within")
	}
	long := make([]T, 100_003) // over several goroutines
	if long[77_777] = nan; Within(long, 0) {
		t.Error(fmt.Sprint("NaN is missed in a long slice of ", sizeof[T](), " bytes"))
	}
}

// TestUnits: the features and the gradient of projections by their formulas, of every kind of unit, at 0 and next to it,
// and the first row that is not finite.
func TestUnits(t *testing.T) { eachType(t, testUnits[float32], testUnits[float64]) }

func testUnits[T Float](t *testing.T) {
	const n, scale = 67, .75
	for _, c := range []struct {
		cols          int
		steps, gated  bool
		value, within func(p, gate T) T // the feature of a projection, and its derivative
	}{
		{7, false, false, func(p, _ T) T { return max(p, 0) * scale }, func(_, gate T) T { return gate * scale }},
		{7, true, false, func(_, gate T) T { return gate * scale }, nil},
		{10, false, true, func(p, gate T) T { return p * gate * scale }, func(_, gate T) T { return gate * scale }},
	} {
		p, g, dp := random[T](n*c.cols, 1), random[T](n*c.cols, 2), filled[T](t, n*c.cols)
		copy(p[c.cols:], []T{0, T(math.Copysign(0, -1)), 1e-30, -1e-30})
		z, width := guarded(t, p), c.cols
		if c.gated {
			width /= 2
		}
		if bad := Units(z, n, c.cols, c.steps, c.gated, scale); bad != -1 {
			t.Errorf("%+v: row %d is bad", c, bad)
		}
		UnitsGrad(dp, z, g, n, c.cols, c.gated, scale)
		for i, v := range p {
			gate := T(0)
			if p[i/c.cols*c.cols+i%c.cols%width] > 0 {
				gate = 1
			}
			if want := c.value(v, gate); z[i] != want {
				t.Fatalf("%+v: feature %d of %v is %v, want %v", c, i, v, z[i], want)
			}
			if c.within != nil && dp[i] != g[i]*c.within(v, gate) {
				t.Fatalf("%+v: gradient %d at %v is %v, want %v", c, i, v, dp[i], g[i]*c.within(v, gate))
			}
		}
		for _, row := range []int{50, 33} {
			p[row*c.cols+c.cols-1] = T(math.Inf(-1))
			if bad := Units(slices.Clone(p), n, c.cols, c.steps, c.gated, scale); bad != row {
				t.Errorf("%+v: row %d is bad, want %d", c, bad, row)
			}
		}
	}
}
