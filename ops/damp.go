package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
)

// Exponent is the function f of a semigroup kernel k(x, z) = exp(-Σ_j f(s_j (x_j + z_j))).
type Exponent int

const (
	Root   Exponent = iota // f(u) = √u: the exponential-semigroup kernel, s = β²
	Log1p                  // f(u) = ln(1 + u): the reciprocal-semigroup kernel, s = 1/λ
	square                 // f(u) = u²/4, of Positive alone
)

func (f Exponent) check(who string) error { return checkWord(who, f, []string{"Root", "Log1p"}) }

// at is f(u).
func (f Exponent) at(u float64) float64 {
	switch f {
	case Root:
		return math.Sqrt(u)
	case square:
		return u * u / 4
	}
	return math.Log1p(u)
}

// slope is f'(u), and 0 at u = 0 for the root, where it is infinite.
func (f Exponent) slope(u float64) float64 {
	switch {
	case f == Log1p:
		return 1 / (1 + u)
	case f == square:
		return u / 2
	case u == 0:
		return 0
	default:
		return .5 / math.Sqrt(u)
	}
}

// Damp scales, of x, s and z, features z of unit length to the length √k(x, x) of a semigroup kernel k, row by row:
//
//	y = exp(-E(x)) z,   E(x) = ½ Σ_j f(2 s_j x_j) = -½ ln k(x, x).
//
// x is [n, d] and may be sparse; s is [1], or [d] with an entry for each column; z and y are [n, m]. E is computed in
// float64 for either element type.
//
// Backward, from the output alone: with t = -Σ g·y of a row, dx = t s f'(2sx), ds = Σ t x f'(2sx), over everything or
// over each column, and dz = exp(-E) g. At x = 0 the derivative of the root is infinite; dx is defined as 0 there, as
// in Homogeneous. z is frozen if no input of its op has a gradient.
//
// Errors while building: shapes and f. Errors while running (ErrDomain): a cell of x or an entry of s that is negative
// or not finite, a cell of z outside Attr.Domain. The dst of Into may be
// z, and then z is not checked.
func Damp(f Exponent, a Attr) Op {
	return damp.with(f, a, f.check)
}

var damp = decl{kind: "Damp", sig: parse("nd,1|d,nm->nm"), names: []string{"x", "s", "z"}, in: []Inputs{X, S, Z},
	on: nonNegative, sparse: native, prepare: checkScales, forward: kernel{dampForward[float32], dampForward[float64]},
	reads: []int{0, 1, theOutput}, backward: kernel{dampBackward[float32], dampBackward[float64]},
	node: func(o Op, in []*G.Node) (*G.Node, error) {
		if len(in) > 2 && in[2] != nil && in[2].Op() != nil && !hasGradient(in[2]) {
			o.attr.Frozen |= Z
		}
		return o.apply(in...)
	}}

func dampForward[T domain.Float](c *call) error {
	z, out := cells[T](c, 2), result[T](c)
	if &out[0] != &z[0] {
		if err := CheckRows(c.attr.Domain, c.who(), c.in[2]); err != nil {
			return err
		}
		copy(out, z)
	}
	dampRows(c, out)
	return nil
}

// dampRows multiplies rows of out by exp(-E) in place.
func dampRows[T domain.Float](c *call, out []T) {
	m := c.at('m')
	exponents(c, paramsOf[Exponent](c), cells[T](c, 1), func(i int, e float64) {
		simd.ScaleRow(out[i*m:i*m+m], math.Exp(-e))
	})
}

// exponents calls each with E of every row, from several goroutines. Cells that are not stored are 0 and add nothing.
func exponents[T domain.Float](c *call, f Exponent, scales []T, each func(i int, e float64)) {
	row, twice := rowsIn[T](c), make([]T, len(scales))
	for j, v := range scales {
		twice[j] = 2 * v
	}
	sum := simd.SumRoots[T]
	if f == Log1p {
		sum = simd.SumLogs[T]
	}
	simd.Share(c.at('n'), 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, v := row(i)
			e := math.Inf(1)
			if f != square { // whose terms T may not hold to enough digits
				e = sum(v, gathered(twice, cols))
			}
			if math.IsInf(e, 1) { // 2sx overflows in T, and f of it need not
				e = 0
				for t, v := range v {
					e += f.at(2 * float64(scales[columnOf(cols, t)%len(scales)]) * float64(v))
				}
			}
			each(i, e/2)
		}
	})
}

func dampBackward[T domain.Float](c *call) error {
	dx, ds, dz := gradientFor[T](c, 0), gradientFor[T](c, 1), gradientFor[T](c, 2)
	if dz != nil {
		copy(dz, gradientOf[T](c))
		dampRows(c, dz)
	}
	clear(dx)
	exponentGradients(c, paramsOf[Exponent](c), cells[T](c, 1), dx, ds)
	return nil
}

// exponentGradients adds to dx and writes to ds, where they have memory, the gradients of rows y with a factor exp(-E)
// for x and s in E.
func exponentGradients[T domain.Float](c *call, f Exponent, s, dx, ds []T) {
	d, m, row, y, g := c.at('d'), c.at('m'), rowsIn[T](c), outputOf[T](c), gradientOf[T](c)
	sums := make([]float64, len(ds))
	for i := range c.at('n') {
		if dx == nil && ds == nil {
			break
		}
		t := 0.0 // -Σ g·y of the row
		for j := i * m; j < i*m+m; j++ {
			t -= float64(g[j]) * float64(y[j])
		}
		cols, values := row(i)
		for k, v := range values {
			j := columnOf(cols, k)
			scale := float64(s[j%len(s)])
			slope := f.slope(2 * scale * float64(v))
			if ds != nil {
				sums[j%len(sums)] += t * float64(v) * slope
			}
			if dx != nil && (v != 0 || f == Log1p) { // which has a slope at 0
				dx[i*d+j] += T(t * scale * slope)
			}
		}
	}
	recast(ds, sums)
}
