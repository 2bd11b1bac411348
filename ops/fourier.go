package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
)

// Fourier is random Fourier features of x, W and [b]. Without b it is the pair form,
//
//	z(x) = [cos(xW) | sin(xW)] / √m.
//
// Its inner products are unbiased for E cos(w·(x - x')) and exact for x = x'. x is [n, d], W [d, m], z [n, 2m]: the m
// cosines, then the m sines. Rahimi and Recht (2007), algorithm 1, in the form for which Sutherland and Schneider
// (2015) show the lower variance. With b [m] it is the phase form,
//
//	z(x) = √(2/m) cos(xW + b),   b ~ U[0, 2π),
//
// with half the columns, z [n, m], for the same frequencies and a higher variance. Li et al. (2010), equation (5).
//
// Backward of the pair form, from the output alone: dP = g_sin·z_cos - g_cos·z_sin, dx = dP·Wᵀ, dW = xᵀ·dP. Of the
// phase form: dP = -√(2/m) sin(P)·g with P = xW + b, and db = the column sums of dP. The output does not determine
// sin(P). For at most 128 columns of x the backward computes P again, in blocks of rows; for more, P is a node of the
// graph, which takes as much memory as z.
//
// Pack takes W. Errors while building: shapes. Errors while running: a cell of x outside Attr.Domain, a W or a row
// whose projection xW is not finite (ErrDomain).
func Fourier(a Attr) Op { return Op{decl: &fourier, attr: a} }

var fourier = decl{kind: "Fourier", sig: parse("nd,dm,m?->n(2m)|nm"), names: []string{"x", "W", "b"},
	in: []Inputs{X, W, B}, circular: true, sparse: native, pack: packFrequencies,
	forward: kernel{fourierForward[float32], fourierForward[float64]}, node: phaseNode,
	reads: []int{0, 1, 2, theOutput}, backward: kernel{fourierBackward[float32], fourierBackward[float64]}}

// fourierForward is the map by a packed or a structured W, whose last input is b.
func fourierForward[T domain.Float](c *call) error {
	return circle(c, inputRows[T](c), lastInput[T](c))
}

// circle writes the pair form of the projections xW + b, or the phase form where the last input, the phases, is given.
func circle[T domain.Float](c *call, x simd.Rows[T], b []T) error {
	n, m, w := c.at('n'), c.at('m'), c.w.of.(simd.Operator[T])
	if c.shapes[len(c.shapes)-1] != nil {
		return c.notFinite(simd.Phase(result[T](c), w, x, b, n, phaseScale(m)))
	}
	return c.notFinite(simd.Pair(result[T](c), 2*m, w, x, b, n, pairScale(m)))
}

func fourierBackward[T domain.Float](c *call) error {
	n, m, to, b, g := c.at('n'), c.at('m'), gradientsXWB[T](c), cells[T](c, 2), gradientOf[T](c)
	if b == nil {
		return ofSlopes(c, packedW[T](c.w), to, simd.PairSlopes(outputOf[T](c), g, m))
	}
	if _, ok := c.x.(*CSR); ok {
		p := scratch[T](c, n*m)
		simd.Affine(p, packedW[T](c.w), inputRows[T](c), b, n)
		return ofSlopes(c, packedW[T](c.w), to, simd.CosSlopes(p, g, m, phaseScale(m)))
	}
	packedW[T](c.w).PhaseBackward(to, cells[T](c, 0), b, g, n, phaseScale(m))
	return nil
}

func pairScale(m int) float64  { return 1 / math.Sqrt(float64(m)) }
func phaseScale(m int) float64 { return math.Sqrt(2 / float64(m)) }

// notFinite is the error for a row whose projection is not finite: a cell of x or of W that is not, or an overflow.
func (c *call) notFinite(row int) error {
	if row < 0 {
		return nil
	}
	if err := CheckRows(c.domain(), c.who(), c.x); err != nil {
		return err
	}
	if w := c.in[c.pack.from]; w != nil && c.pack.n == 1 {
		if err := checkW(domain.Reals(), c.who(), w); err != nil {
			return err
		}
	}
	return c.overflow(row)
}

func (c *call) overflow(row int) error {
	if row < 0 {
		return nil
	}
	return fmt.Errorf("%s: the projection of row %d on the frequencies is not finite in %v; scale the data, or look "+
		"for NaN in the frequencies: %w", c.who(), row, c.x.Dtype(), ErrDomain)
}

// projectAgain is the largest number of columns of x for which a product is faster than writing and reading its result.
const projectAgain = 128

// phaseNode makes P a node of its own for the phase form of many columns.
func phaseNode(o Op, in []*G.Node) (*G.Node, error) {
	if len(in) < 3 || in[0] == nil || in[2] == nil || in[0].Dims() != 2 || in[0].Shape()[1] <= projectAgain ||
		o.attr.Frozen&(X|W|B) == X|W|B {
		return o.apply(in...)
	}
	auxiliary := o.attr
	auxiliary.Frozen = X | W | B // P has no gradient: it is there to be read
	p, err := Affine(auxiliary).apply(in...)
	if err != nil {
		return nil, err
	}
	return Op{decl: &phaseOf, attr: o.attr}.apply(append(in[:3:3], p)...)
}

// phaseOf is the phase form from x, W, b and P.
var phaseOf = decl{kind: "Phase with xW + b", sig: parse("nd,dm,m,nm->nm"), names: []string{"x", "W", "b", "xW + b"},
	in: []Inputs{X, W, B}, unchecked: true, sparse: native, pack: packW, forward: kernel{cosine[float32], cosine[float64]},
	reads: []int{0, 1, 3}, backward: kernel{phaseBackward[float32], phaseBackward[float64]}}

func phaseBackward[T domain.Float](c *call) error {
	m := c.at('m')
	slopes := simd.CosSlopes(cells[T](c, 3), gradientOf[T](c), m, phaseScale(m))
	return ofSlopes(c, packedW[T](c.w), gradientsXWB[T](c), slopes)
}

// cosineOf is the phase form of a projection P [n, m] that is a node of its own, and the only input. A structured W
// cannot compute P again for less.
var cosineOf = decl{kind: "Phase", sig: parse("nm->nm"), names: []string{"xW + b"}, in: []Inputs{X}, unchecked: true,
	forward: kernel{cosine[float32], cosine[float64]},
	reads:   []int{0}, backward: kernel{cosineBackward[float32], cosineBackward[float64]}}

// cosine is √(2/m) cos(P) of the last input.
func cosine[T domain.Float](c *call) error {
	n, m := c.at('n'), c.at('m')
	return c.overflow(simd.Cos(result[T](c), lastInput[T](c), n, m, phaseScale(m)))
}

func cosineBackward[T domain.Float](c *call) error {
	n, m := c.at('n'), c.at('m')
	simd.CosSlopes(cells[T](c, 0), gradientOf[T](c), m, phaseScale(m)).Write(gradientFor[T](c, 0), n, m)
	return nil
}

// nodeOfCosine is the phase form of an op whose projection is a node of its own.
func nodeOfCosine(projection *decl) func(o Op, in []*G.Node) (*G.Node, error) {
	return func(o Op, in []*G.Node) (*G.Node, error) {
		last := len(o.sig.in) - 1
		if len(in) <= last || in[last] == nil {
			return o.apply(in...)
		}
		p, err := Op{decl: projection, attr: o.attr}.apply(in...)
		if err != nil {
			return nil, err
		}
		own := Attr{Layer: o.attr.Layer}
		if !hasGradient(p) {
			own.Frozen = X
		}
		return Op{decl: &cosineOf, attr: own}.apply(p)
	}
}

// Affine is xW + b of x [n, d], W [d, k] and b [k].
//
// Backward: dx = g·Wᵀ, dW = xᵀ·g, db = the column sums of g. Pack takes W. Errors while building: shapes. Errors while
// running: a cell of x outside Attr.Domain (ErrDomain). W and b, which a solver changes at each step, are not checked:
// of numbers that are not finite the results are not.
func Affine(a Attr) Op { return Op{decl: &affine, attr: a} }

var affine = decl{kind: "Affine", sig: parse("nd,dm,m->nm"), names: []string{"x", "W", "b"}, in: []Inputs{X, W, B},
	sparse: native, pack: packW, forward: kernel{affineForward[float32], affineForward[float64]},
	reads: []int{0, 1}, backward: kernel{affineBackward[float32], affineBackward[float64]}}

func affineBackward[T domain.Float](c *call) error {
	return ofProduct(c, packedW[T](c.w), gradientsXWB[T](c), gradientOf[T](c))
}

// affineForward is xW + b by a packed or a structured W, whose last input is b.
func affineForward[T domain.Float](c *call) error {
	return affineOf(c, inputRows[T](c), lastInput[T](c))
}

// affineOf writes xW + b; a nil b is 0.
func affineOf[T domain.Float](c *call, x simd.Rows[T], b []T) error {
	simd.Affine(result[T](c), c.w.of.(simd.Operator[T]), x, b, c.at('n'))
	return nil
}
