package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Kronecker is the row-wise Kronecker product, also called face-splitting product, of the parts x₀, x₁, ..., one for
// each scale w:
//
//	z_(j₀, j₁, ...) = w₀x₀_j₀ · w₁x₁_j₁ · ...,   the last index running fastest.
//
// The parts are matrices [n, m_p] and z is [n, Π m_p]. The inner products of rows of the parts multiply, so this is the
// feature map of a product of kernels. Backward: the gradient for a part is that of z, multiplied by the other parts and
// summed over their indices. Sparse parts are made dense; Sparse, of sparse parts alone, keeps them. Errors while
// building: shapes, more than 2³¹ - 1 columns (ErrShape).
func Kronecker(scales []float64, a Attr) Op {
	o := ofParts(kronecker, scales, a)
	for p := range scales {
		o.reads = append(o.reads, p)
	}
	return o
}

var kronecker = decl{kind: "Kronecker", sig: concat.sig, unchecked: true, sparse: spread, parts: true,
	forward: kernel{kroneckerForward[float32], kroneckerForward[float64]}, zeros: concat.zeros,
	stays:    typedCSR{kroneckerCSR[float32], kroneckerCSR[float64]},
	backward: kernel{kroneckerBackward[float32], kroneckerBackward[float64]},
	check: func(c *call) error {
		all := 1
		for _, s := range c.shapes {
			if s[1] > 0 && all > maxColumns/s[1] {
				return fmt.Errorf("%s: the product of the parts %v has more than %d columns; give fewer or narrower "+
					"parts: %w", c.who(), c.shapes, maxColumns, ErrShape)
			}
			all *= s[1]
		}
		c.set('s', all)
		return nil
	}}

// kroneckerRows is how many rows a goroutine takes at a time.
const kroneckerRows = 8

// crossed writes x₀ ⊗ x₁ ⊗ ... of row i of the first so many parts, times the scales of all, to the beginning of to,
// and returns it.
func crossed[T domain.Float](c *call, to []T, i, parts int) []T {
	size := 1
	to[0] = partsScale[T](c)
	for p := range parts {
		x, m := cells[T](c, p), c.shapes[p][1]
		for a := size - 1; a >= 0; a-- { // the last first: those of the parts before are at the beginning
			simd.Multiply(to[a*m:(a+1)*m], x[i*m:(i+1)*m], to[a:a+1])
		}
		size *= m
	}
	return to[:size]
}

// partsScale is the product of the scales.
func partsScale[T domain.Float](c *call) T {
	scale := 1.
	for _, w := range paramsOf[[]float64](c) {
		scale *= w
	}
	return T(scale)
}

func kroneckerForward[T domain.Float](c *call) error {
	z, all := result[T](c), c.at('s')
	simd.Share(c.at('n'), kroneckerRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			crossed(c, z[i*all:(i+1)*all], i, len(c.shapes))
		}
	})
	return nil
}

func kroneckerCSR[T domain.Float](c *call) (*CSR, error) {
	out := empty[T](c.at('n'), c.at('s'), 0)
	for i := range out.Rows {
		col, val := []int32{0}, []T{partsScale[T](c)}
		for _, p := range c.parts {
			s, cols, vals := sparseOf[T](p), []int32(nil), []T(nil)
			for a, v := range val {
				for t := s.Ptr[i]; t < s.Ptr[i+1]; t++ {
					cols, vals = append(cols, col[a]*int32(s.Cols)+s.Col[t]), append(vals, v*s.Val[t])
				}
			}
			col, val = cols, vals
		}
		out.Col, out.Val = append(out.Col, col...), append(out.Val, val...)
		out.Ptr[i+1] = len(out.Col)
	}
	return csrOf(out), nil
}

// kroneckerBackward goes from the last part x to the first. With c the product of the parts before, dx_b is Σ_a g_ab
// c_a, and their gradient is Σ_b g_ab x_b.
func kroneckerBackward[T domain.Float](c *call) error {
	grad, shapes := gradientOf[T](c), c.params.(gradients).shapes
	if len(grad) == 0 {
		return nil
	}
	all, last := len(grad)/c.at('n'), shapes[len(shapes)-1][1]
	simd.Share(c.at('n'), kroneckerRows, func(lo, hi int) {
		before, rest := make([]T, all/last), make([]T, all/last)
		for i := lo; i < hi; i++ {
			g := grad[i*all : (i+1)*all]
			for p := len(shapes) - 1; p >= 0; p-- {
				m, dx := shapes[p][1], gradientFor[T](c, p)
				x := cells[T](c, p)[i*m : (i+1)*m]
				if dx != nil {
					dx = dx[i*m : (i+1)*m]
					clear(dx)
				}
				for a, v := range crossed(c, before, i, p) {
					part, sum := g[a*m:(a+1)*m], T(0)
					for b, u := range part[:len(x)] {
						sum += T(u * x[b])
					}
					for b := range dx {
						dx[b] += T(v * part[b])
					}
					rest[a] = sum
				}
				g = rest
			}
		}
	})
	return nil
}
