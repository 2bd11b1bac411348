package spectral

import (
	"math"
	"math/big"
	"testing"

	"gorgonia.org/tensor"
)

// The references of this file are in numbers of 320 bits, whose exponents have no end: far more than what a - 2b + c
// loses of two rows that differ in their last bit, and than what a power of the smallest number leaves of float64.

const bigBits = 320

func newBig(v float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(v) }

func bigOf(op func(z, a, b *big.Float) *big.Float, a, b *big.Float) *big.Float {
	return op(new(big.Float).SetPrec(bigBits), a, b)
}

func bigAdd(a, b *big.Float) *big.Float { return bigOf((*big.Float).Add, a, b) }
func bigSub(a, b *big.Float) *big.Float { return bigOf((*big.Float).Sub, a, b) }
func bigMul(a, b *big.Float) *big.Float { return bigOf((*big.Float).Mul, a, b) }
func bigQuo(a, b *big.Float) *big.Float { return bigOf((*big.Float).Quo, a, b) }

// atanhTimes2 is ln((1+y)/(1-y)) by its series.
func atanhTimes2(y *big.Float) *big.Float {
	sum, power, square := newBig(0), y, bigMul(y, y)
	for n := 1.0; power.Sign() != 0 && (sum.Sign() == 0 || power.MantExp(nil) > sum.MantExp(nil)-bigBits); n += 2 {
		sum, power = bigAdd(sum, bigQuo(power, newBig(n))), bigMul(power, square)
	}
	return bigMul(newBig(2), sum)
}

var bigLn2 = atanhTimes2(bigQuo(newBig(1), newBig(3)))

// bigLn is ln x, x > 0.
func bigLn(x *big.Float) *big.Float {
	m := new(big.Float).SetPrec(bigBits)
	e := x.MantExp(m) // x = m 2^e, ½ <= m < 1
	const roots = 10
	for range roots {
		m.Sqrt(m)
	}
	ln := atanhTimes2(bigQuo(bigSub(m, newBig(1)), bigAdd(m, newBig(1))))
	return bigAdd(ln.SetMantExp(ln, roots), bigMul(newBig(float64(e)), bigLn2))
}

// bigExp is e^x.
func bigExp(x *big.Float) *big.Float {
	quotient, _ := bigQuo(x, bigLn2).Float64()
	k := math.Round(quotient)
	const halvings = 20
	r := bigSub(x, bigMul(newBig(k), bigLn2))
	r.SetMantExp(r, -halvings)
	sum, term := newBig(1), newBig(1)
	for n := 1.0; n < 24; n++ {
		term = bigQuo(bigMul(term, r), newBig(n))
		sum = bigAdd(sum, term)
	}
	for range halvings {
		sum = bigMul(sum, sum)
	}
	return sum.SetMantExp(sum, int(k))
}

// bigPair is a pair of numbers above 0 with what the kernels are made of: the logarithms of a, b, (a+b)/a and (a+b)/b.
type bigPair struct{ a, b, lnA, lnB, overA, overB *big.Float }

func newBigPair(a, b float64, ln map[float64]*big.Float) bigPair {
	for _, v := range []float64{a, b} {
		if ln[v] == nil {
			ln[v] = bigLn(newBig(v))
		}
	}
	p := bigPair{a: newBig(a), b: newBig(b), lnA: ln[a], lnB: ln[b]}
	r := bigQuo(newBig(math.Min(a, b)), newBig(math.Max(a, b)))
	over := atanhTimes2(bigQuo(r, bigAdd(newBig(2), r))) // ln((a+b)/max(a, b)), of which a + b itself may leave nothing
	p.overA, p.overB = bigAdd(over, bigSub(p.lnB, p.lnA)), over
	if a > b {
		p.overA, p.overB = over, bigAdd(over, bigSub(p.lnA, p.lnB))
	}
	return p
}

// value is k_γ(a, b) and slope its derivative by a, from k and its elasticity; of the two terms of the slope one may
// be below 0.
func (p bigPair) value(name string, gamma float64) (value, slope *big.Float) {
	both := bigAdd(p.lnA, p.lnB)
	var k, e *big.Float
	switch name {
	case "hellinger":
		k, e = bigExp(bigMul(newBig(.5), both)), newBig(.5)
	case "chi2":
		sum := bigAdd(p.a, p.b)
		k, e = bigQuo(bigMul(newBig(2), bigMul(p.a, p.b)), sum), bigQuo(p.b, sum)
	case "intersection":
		k, e = p.a, newBig(.5*float64(1+p.b.Cmp(p.a)))
		if p.b.Cmp(p.a) < 0 {
			k = p.b
		}
	case "homogeneous-gaussian":
		apart := bigQuo(bigSub(p.lnB, p.lnA), newBig(1.3))
		k = bigExp(bigSub(bigQuo(both, newBig(2)), bigQuo(bigMul(apart, apart), newBig(2))))
		e = bigAdd(newBig(.5), bigQuo(apart, newBig(1.3)))
	case "jensen-shannon":
		own := bigMul(p.a, p.overA)
		all := bigAdd(own, bigMul(p.b, p.overB))
		k, e = bigQuo(all, bigMul(newBig(2), bigLn2)), bigQuo(own, all)
	}
	half := bigQuo(bigSub(newBig(gamma), newBig(1)), newBig(2))
	value = bigMul(k, bigExp(bigMul(half, both)))
	return value, bigQuo(bigMul(bigAdd(e, half), value), p.a)
}

// metric is D².
func (p bigPair) metric(value *big.Float, gamma float64) *big.Float {
	if p.a.Cmp(p.b) == 0 {
		return newBig(0)
	}
	sum := bigAdd(bigExp(bigMul(newBig(gamma), p.lnA)), bigExp(bigMul(newBig(gamma), p.lnB)))
	return bigSub(sum, bigMul(newBig(2), value))
}

// wantBig compares to 1e-12, and to some units of the smallest number of all. What is above 1e307 may overflow.
func wantBig(t *testing.T, got float64, want *big.Float, what string, args ...any) {
	t.Helper()
	w, _ := want.Float64()
	if w = math.Min(math.Max(w, -1e307), 1e307); math.Abs(w) == 1e307 {
		got = math.Min(math.Max(got, -1e307), 1e307)
	}
	if !near(got, w, 1e-12) && !(math.Abs(got-w) <= 4*math.SmallestNonzeroFloat64) {
		t.Errorf("%v is %v, want %v; "+what, append([]any{args[0], got, w}, args[1:]...)...)
	}
}

// TestHomogeneousCorners: value, gradient and squared metric of numbers as small, as close and as far apart as float64
// has them, against numbers of 320 bits, by At, by Gram and under the exponential. Beyond a ratio of 2^2044 the
// signature has few digits.
func TestHomogeneousCorners(t *testing.T) {
	values := []float64{5e-324, 1e-323, 3e-310, 1e-300, 1e-20, .3, math.Nextafter(.3, 1), .3 + 1e-9, .301, .9, 1e20,
		1e290}
	ln := map[float64]*big.Float{}
	var pairs []bigPair
	for _, a := range values {
		for _, b := range values {
			pairs = append(pairs, newBigPair(a, b, ln))
		}
	}
	column := tensor.New(tensor.WithShape(len(values), 1), tensor.WithBacking(values))
	for _, c := range homogeneousKernels {
		for _, gamma := range []float64{1, .1, .5, 2, 3} {
			k := c.of(gamma, RejectNegative)
			exponentiated := Exponentiated{k, 1e-3}
			gram := must(Gram(k, column, nil))
			ofMetric := must(Gram(exponentiated, column, nil))
			for i, a := range values {
				for j, b := range values {
					x, z, p := []float64{a}, []float64{b}, pairs[i*len(values)+j]
					value, slope := p.value(c.name, gamma)
					d2 := p.metric(value, gamma)
					const where = "%s of degree %v at (%v, %v)"
					wantBig(t, k.At(x, z), value, where, "At", c.name, gamma, a, b)
					wantBig(t, gram.At(i, j), value, where, "Gram", c.name, gamma, a, b)
					got := k.(Gradienter).Gradient(nil, x, z)[0]
					if v, _ := slope.Float64(); !(math.Abs(got-v) <= 1e-12*k.At(x, z)/a) {
						wantBig(t, got, slope, where, "Gradient", c.name, gamma, a, b)
					}
					wantBig(t, SquaredMetric(k, x, z), d2, where, "SquaredMetric", c.name, gamma, a, b)
					exponent := bigMul(d2, newBig(-.5/1e-6))
					if v, _ := exponent.Float64(); v > -700 {
						want := bigExp(exponent)
						wantBig(t, exponentiated.At(x, z), want, where, "exponentiated At", c.name, gamma, a, b)
						wantBig(t, ofMetric.At(i, j), want, where, "exponentiated Gram", c.name, gamma, a, b)
					}
				}
			}
		}
	}
}

// TestSkewedCorners: the kernels that are functions of ln((x+c)/(z+c)), and their gradients, for c = 0 and a c that is
// nothing beside x; no factor overflows for far rows, and 1-k keeps its digits for near ones.
func TestSkewedCorners(t *testing.T) {
	if (SkewedChi2{}).Domain().Contains(0) || (SkewedIntersection{C: .03}).Domain().Contains(-.03) {
		t.Error("-c is in the domain")
	}
	values := []float64{5e-324, 1e-323, 3e-310, 1e-300, 1e-20, .3, math.Nextafter(.3, 1), .9, 1e290}
	for _, c := range []float64{0, 5e-324} {
		for _, a := range values {
			for _, b := range values {
				x, z := bigAdd(newBig(a), newBig(c)), bigAdd(newBig(b), newBig(c))
				root := new(big.Float).SetPrec(bigBits).Sqrt(bigMul(x, z))
				sum := bigAdd(x, z)
				chi2 := bigQuo(bigMul(newBig(2), root), sum)
				low := bigQuo(root, x)
				if x.Cmp(z) < 0 {
					low = bigQuo(root, z)
				}
				const where = "c = %v at (%v, %v)"
				first, second := []float64{a}, []float64{b}
				wantBig(t, SkewedChi2{c}.At(first, second), chi2, where, "SkewedChi2", c, a, b)
				wantBig(t, SkewedIntersection{c}.At(first, second), low, where, "SkewedIntersection", c, a, b)
				twice := bigMul(newBig(2), x)
				slope := bigQuo(bigMul(chi2, bigQuo(bigSub(z, x), sum)), twice)
				wantBig(t, SkewedChi2{c}.Gradient(nil, first, second)[0], slope, where, "the gradient of SkewedChi2",
					c, a, b)
				slope = bigQuo(bigMul(low, newBig(float64(z.Cmp(x)))), twice)
				wantBig(t, SkewedIntersection{c}.Gradient(nil, first, second)[0], slope,
					where, "the gradient of SkewedIntersection", c, a, b)
			}
		}
	}
}

// TestLevyCorners: Levy, √x + √z - √(x+z), and its metric, 2√(x+z) - √(2x) - √(2z), of close numbers and of the
// smallest and largest.
func TestLevyCorners(t *testing.T) {
	root := func(v *big.Float) *big.Float { return new(big.Float).SetPrec(bigBits).Sqrt(v) }
	values := []float64{0, 5e-324, 1e-323, 1e-300, .3, math.Nextafter(.3, 1), .3 + 1e-9, 1, 1e300}
	for _, a := range values {
		for _, b := range values {
			x, z := newBig(a), newBig(b)
			both := bigMul(root(newBig(2)), bigAdd(root(x), root(z)))
			want := bigSub(bigMul(newBig(2), root(bigAdd(x, z))), both)
			if a == b {
				want = newBig(0)
			}
			first, second := []float64{a}, []float64{b}
			value := newBig(0)
			if a > 0 && b > 0 { // (√x + √z)² - (x+z) = 2√(xz)
				sum := bigAdd(bigAdd(root(x), root(z)), root(bigAdd(x, z)))
				value = bigQuo(bigMul(newBig(2), root(bigMul(x, z))), sum)
			}
			wantBig(t, Levy{}.At(first, second), value, "at (%v, %v)", "Levy", a, b)
			wantBig(t, SquaredMetric(Levy{}, first, second), want, "at (%v, %v)", "the metric of Levy", a, b)
			wantBig(t, ExpSemigroup{Beta: 1}.Metric(first, second), want, "at (%v, %v)", "Metric", a, b)
		}
	}
}
