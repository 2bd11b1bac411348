package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
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

// Damp scales features z of unit length to the length √k(x, x) of a semigroup kernel k, row by row:
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
// or not finite, a cell of z outside Attr.Domain.
func Damp(x, s, z *G.Node, f Exponent, a Attr) (*G.Node, error) {
	if err := f.check(a.who("Damp")); err != nil {
		return nil, err
	}
	if z != nil && z.Op() != nil && !hasGradient(z) {
		a.takes(Z, dataBehind(z))
	}
	return apply(dampOp(f, a), x, s, z)
}

// DampInto replaces z [n, m] by Damp(x, s, z), for dense or sparse rows x, without a graph. z must be contiguous and
// have the element type of x.
func DampInto(x Matrix, s, z *tensor.Dense, f Exponent, a Attr) error {
	who := a.who("Damp")
	if err := f.check(who); err != nil {
		return err
	}
	x, err := matrix(x)
	if err != nil {
		return fmt.Errorf("%s: x: %w", who, err)
	}
	ts, err := sameType(who, x.Dtype(), []string{"s", "z"}, s, z)
	if err != nil {
		return err
	}
	if err := dampFits(who, x.Shape(), ts[0].Shape(), z.Shape()); err != nil {
		return err
	}
	if !IsContiguous(z) {
		return fmt.Errorf("%s: z is not contiguous: %w", who, ErrShape)
	}
	if err := CheckRows(domain.NonNegative(), who, x); err != nil {
		return err
	}
	if err := checkScales(who, ts[0]); err != nil {
		return err
	}
	typed(x.Dtype(), damp[float32], damp[float64])(x, ts[0], z, f)
	return nil
}

// dampFits compares the shapes of x, s and z.
func dampFits(who string, x, s, z tensor.Shape) error {
	if len(x) != 2 || len(z) != 2 || x[0] != z[0] {
		return fmt.Errorf("%s: x has shape %v and z %v, want as many rows: %w", who, x, z, ErrShape)
	}
	if k := s.TotalSize(); k != 1 && k != x[1] {
		return lengthError(who, "s", k, x[1])
	}
	return nil
}

// checkScales checks that all scales are finite and not negative.
func checkScales(who string, s *tensor.Dense) error {
	for j, v := range Float64s(s) {
		if !(v >= 0) || math.IsInf(v, 1) {
			return &domain.CellError{Who: who, Matrix: "scale",
				Col: j, Value: v, Reason: "is not a finite number from 0 on",
				Remedy: "set it anew, or tune it with a lower learning rate"}
		}
	}
	return nil
}

func damp[T domain.Float](x Matrix, s, z *tensor.Dense, f Exponent) {
	n, m := z.Shape()[0], z.Shape()[1]
	cells, scales, out := cellsOf[T](x), data[T](s), data[T](z)
	twice := make([]T, len(scales))
	for j, v := range scales {
		twice[j] = 2 * v
	}
	sum := simd.SumRoots[T]
	if f == Log1p {
		sum = simd.SumLogs[T]
	}
	simd.Share(n, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			e := sum(cells.row(i, twice))
			if math.IsInf(e, 1) { // 2sx overflows in T, and f of it need not
				e = 0
				cells.each(i, func(j int, v T) { e += f.at(2 * float64(scales[j%len(scales)]) * float64(v)) })
			}
			simd.ScaleRow(out[i*m:i*m+m], math.Exp(-e/2))
		}
	})
}

// cells holds the numbers of dense or sparse rows. Cells that are not stored are 0 and add nothing to the sums.
type cells[T domain.Float] struct {
	dense  []T
	d      int
	sparse *sparse[T]
}

func cellsOf[T domain.Float](x Matrix) cells[T] {
	if s, ok := x.(*CSR); ok {
		return cells[T]{sparse: sparseOf[T](s)}
	}
	return cells[T]{dense: data[T](x.(*tensor.Dense)), d: x.Shape()[1]}
}

// row returns the stored cells of row i and the entries of s for their columns.
func (c cells[T]) row(i int, s []T) (v, scales []T) {
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
func (c cells[T]) each(i int, f func(j int, v T)) {
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

func dampOp(f Exponent, a Attr) *op {
	return &op{kind: "Damp", params: f, in: []Inputs{X, S, Z}, ranks: "2122", attr: a, sparse: true,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if err := dampFits(a.who("Damp"), in[0], in[1], in[2]); err != nil {
				return nil, err
			}
			return in[2].Clone(), nil
		},
		forward: func(x Matrix, in []*tensor.Dense) (Matrix, error) {
			x, err := plain(x)
			if err != nil {
				return nil, err
			}
			z, err := Copy(nil, in[2], a)
			if err != nil {
				return nil, err
			}
			return z, DampInto(x, in[1], z, f, a)
		},
		backward: func(t *tracer) {
			x, s := t.in[0], t.in[1]
			t.gradient(X, exponentGrad(f, 0), x, s, t.out, t.grad)
			t.gradient(S, exponentGrad(f, length(s)), x, s, t.out, t.grad)
			t.gradient(Z, dampOp(f, Attr{Frozen: X | S | Z}), x, s, t.grad)
		}}
}

// plain returns x, as a dense matrix if it is sparse with missing cells that are not zeros.
func plain(x Matrix) (Matrix, error) {
	if s, ok := x.(*CSR); ok && !s.of.zeroBased() {
		return s.Dense(nil)
	}
	return x, nil
}

// exponentGrad is the gradient of Damp for s with the given number of entries, or for x if entries is 0, from x, s, the
// output y and the gradient g.
func exponentGrad(f Exponent, entries int) *op {
	o := &op{kind: "exponentGrad", params: [2]int{int(f), entries}, ranks: "21221", sparse: entries > 0}
	if entries == 0 {
		o.ranks = "21222"
	}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if x, y, g := in[0], in[2], in[3]; !y.Eq(g) || x[0] != y[0] {
			return nil, misfit(o.kind, in)
		}
		if entries == 0 {
			return in[0].Clone(), nil
		}
		return tensor.Shape{entries}, nil
	}
	o.fill = func(out *tensor.Dense, x Matrix, in []*tensor.Dense) error {
		x, err := plain(x)
		if err == nil {
			typed(out.Dtype(), exponentGradient[float32], exponentGradient[float64])(f, entries, out, x, in)
		}
		return err
	}
	return o
}

func exponentGradient[T domain.Float](f Exponent, entries int, out *tensor.Dense, x Matrix, in []*tensor.Dense) {
	n, d, m := x.Shape()[0], x.Shape()[1], in[2].Shape()[1]
	cells, s, y, g, dst := cellsOf[T](x), data[T](in[1]), data[T](in[2]), data[T](in[3]), data[T](out)
	sums := make([]float64, entries)
	for i := range n {
		t := 0.0
		for j := i * m; j < i*m+m; j++ {
			t -= float64(g[j]) * float64(y[j])
		}
		if entries == 0 && f == Log1p { // which has a slope at 0
			for j := range d {
				scale := float64(s[j%len(s)])
				dst[i*d+j] = T(t * scale * f.slope(2*scale*float64(cells.dense[i*d+j])))
			}
			continue
		}
		cells.each(i, func(j int, v T) {
			scale := float64(s[j%len(s)])
			slope := f.slope(2 * scale * float64(v))
			if entries == 0 {
				dst[i*d+j] = T(t * scale * slope)
			} else {
				sums[j%len(sums)] += t * float64(v) * slope
			}
		})
	}
	for j, sum := range sums {
		dst[j] = T(sum)
	}
}
