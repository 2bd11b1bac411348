package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
)

// Exponent is the function f of a semigroup kernel k(x, z) = exp(-Σ_j f(s_j (x_j + z_j))).
type Exponent int

const (
	Root  Exponent = iota // f(u) = √u: the exponential-semigroup kernel, s = β²
	Log1p                 // f(u) = ln(1 + u): the reciprocal-semigroup kernel, s = 1/λ
)

func (f Exponent) check(who string) error {
	if f != Root && f != Log1p {
		return fmt.Errorf("%s: Exponent(%d), want Root or Log1p: %w", who, f, ErrParam)
	}
	return nil
}

// at is f(u).
func (f Exponent) at(u float64) float64 {
	if f == Root {
		return math.Sqrt(u)
	}
	return math.Log1p(u)
}

// slope is f'(u), and 0 at u = 0 for the root, where it is infinite.
func (f Exponent) slope(u float64) float64 {
	switch {
	case f == Log1p:
		return 1 / (1 + u)
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
	o := Op{decl: &damp, attr: a, params: f}
	o.err = f.check(o.who())
	return o
}

var (
	damp      = dampDecl("Damp")
	dampGradZ = dampDecl("gradient of Damp for z")
	// exponentGradX and exponentGradS are the gradients for x and s, from x, s, the output y and the gradient g.
	exponentGradX = decl{kind: "exponentGradX", sig: parse("nd,1|d,nm,nm->nd"), unchecked: true, adds: true,
		forward: kernel{exponentBackX[float32], exponentBackX[float64]}}
	exponentGradS = decl{kind: "exponentGradS", sig: parse("nd,k,nm,nm->k"), unchecked: true, sparse: native,
		forward: kernel{exponentBackS[float32], exponentBackS[float64]}}
)

func dampDecl(kind string) decl {
	return decl{kind: kind, sig: parse("nd,1|d,nm->nm"), names: []string{"x", "s", "z"},
		on: nonNegative, sparse: native, forward: kernel{dampForward[float32], dampForward[float64]}}
}

func init() {
	damp.in = []Inputs{X, S, Z}
	damp.prepare = checkScales
	damp.node = func(o Op, in []*G.Node) (*G.Node, error) {
		if len(in) > 2 && in[2] != nil && in[2].Op() != nil && !hasGradient(in[2]) {
			o.attr.takes(Z, dataBehind(in[2]))
		}
		return o.apply(in...)
	}
	damp.backward = func(t *tracer) {
		x, s := t.in[0], t.in[1]
		t.gradient(X, with(&exponentGradX, t.params), x, s, t.out, t.grad)
		t.gradient(S, with(&exponentGradS, t.params), x, s, t.out, t.grad)
		t.gradient(Z, with(&dampGradZ, t.params), x, s, t.grad)
	}
}

func dampForward[T domain.Float](c *call) error {
	f, m, rows, scales, z, out := c.params.(Exponent), c.at('m'), storedIn[T](c), cells[T](c, 1), cells[T](c, 2), result[T](c)
	twice := make([]T, len(scales))
	for j, v := range scales {
		twice[j] = 2 * v
	}
	sum := simd.SumRoots[T]
	if f == Log1p {
		sum = simd.SumLogs[T]
	}
	if len(z) > 0 && &out[0] != &z[0] {
		if err := CheckRows(c.attr.Domain, c.who(), c.in[2]); err != nil {
			return err
		}
		copy(out, z)
	}
	simd.Share(c.at('n'), 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			e := sum(rows.row(i, twice))
			if math.IsInf(e, 1) { // 2sx overflows in T, and f of it need not
				e = 0
				rows.each(i, func(j int, v T) { e += f.at(2 * float64(scales[j%len(scales)]) * float64(v)) })
			}
			simd.ScaleRow(out[i*m:i*m+m], math.Exp(-e/2))
		}
	})
	return nil
}

// stored holds the numbers of dense or sparse rows. Cells that are not stored are 0 and add nothing to the sums.
type stored[T domain.Float] struct {
	dense  []T
	d      int
	sparse *sparse[T]
}

func storedIn[T domain.Float](c *call) stored[T] {
	if s, ok := c.x.(*CSR); ok {
		return stored[T]{sparse: sparseOf[T](s)}
	}
	return stored[T]{dense: cells[T](c, 0), d: c.at('d')}
}

// row returns the stored cells of row i and the entries of s for their columns.
func (c stored[T]) row(i int, s []T) (v, scales []T) {
	if c.sparse == nil {
		return c.dense[i*c.d : i*c.d+c.d], s
	}
	lo, hi := c.sparse.Ptr[i], c.sparse.Ptr[i+1]
	if len(s) > 1 {
		own := make([]T, hi-lo)
		for t, j := range c.sparse.Col[lo:hi] {
			own[t] = s[j]
		}
		s = own
	}
	return c.sparse.Val[lo:hi], s
}

// each calls f for the non-zero cells of row i.
func (c stored[T]) each(i int, f func(j int, v T)) {
	if s := c.sparse; s != nil {
		for t := s.Ptr[i]; t < s.Ptr[i+1]; t++ {
			f(int(s.Col[t]), s.Val[t])
		}
		return
	}
	for j, v := range c.dense[i*c.d : i*c.d+c.d] {
		if v != 0 {
			f(j, v)
		}
	}
}

// along is t = -Σ g·y of row i.
func along[T domain.Float](c *call, i int) (t float64) {
	y, g, m := cells[T](c, 2), cells[T](c, 3), c.at('m')
	for j := i * m; j < i*m+m; j++ {
		t -= float64(g[j]) * float64(y[j])
	}
	return t
}

func exponentBackX[T domain.Float](c *call) error {
	f, s, d, dx := c.params.(Exponent), cells[T](c, 1), c.at('d'), result[T](c)
	for i := range c.at('n') {
		t := along[T](c, i)
		for j, v := range cells[T](c, 0)[i*d : i*d+d] {
			scale := float64(s[j%len(s)])
			if slope := f.slope(2 * scale * float64(v)); v != 0 || f == Log1p { // which has a slope at 0
				dx[i*d+j] = T(t * scale * slope)
			}
		}
	}
	return nil
}

func exponentBackS[T domain.Float](c *call) error {
	f, s, rows, sums := c.params.(Exponent), cells[T](c, 1), storedIn[T](c), make([]float64, c.at('k'))
	for i := range c.at('n') {
		t := along[T](c, i)
		rows.each(i, func(j int, v T) {
			sums[j%len(sums)] += t * float64(v) * f.slope(2*float64(s[j%len(s)])*float64(v))
		})
	}
	recast(result[T](c), sums)
	return nil
}
