package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// gradientSet are the parameters of an op whose result is a vector of gradients.
type gradientSet struct {
	of     any // the parameters of the op
	wanted [4]bool
}

// gradientsOf applies an op whose result is a vector: the gradients for the named inputs that are wanted, one
// after another. It then takes the vector apart. These gradients share most of their work, and a Gorgonia op has one
// result.
func (t *tracer) gradientsOf(d *decl, names []Inputs, in ...handle) {
	set, sum := gradientSet{of: t.params}, 0
	for i, name := range names {
		if set.wanted[i] = t.wanted(name); set.wanted[i] {
			sum++
		}
	}
	if sum == 0 {
		return
	}
	wants := set.wanted
	if d.whole {
		for i := range names {
			set.wanted[i] = true
		}
	}
	all, at := t.run(with(d, set), in...), 0
	for i, name := range names {
		if !set.wanted[i] {
			continue
		}
		shape := shapeOf(t.in[t.position(name)])
		if wants[i] {
			t.gradient(name, partOf(at, shape), all)
		}
		at += shape.TotalSize()
	}
}

// sumParts is the length of the vector of gradients.
func (c *call) sumParts() (sum int) {
	for i, p := range c.parts {
		if c.params.(gradientSet).wanted[i] {
			sum += c.sizes.shape(nil, p).TotalSize()
		}
	}
	return sum
}

// cut returns the memory of each gradient in the result, nil for those that are not wanted.
func cut[T domain.Float](c *call) [][]T {
	all, parts := result[T](c), make([][]T, len(c.parts))
	for i, p := range c.parts {
		if size := c.sizes.shape(nil, p).TotalSize(); size > 0 && c.params.(gradientSet).wanted[i] {
			parts[i], all = all[:size:size], all[size:]
		}
	}
	return parts
}

// part is where one gradient lies in the vector of all of them.
type part struct {
	from int
	rank int
	size [2]int
}

// partOf takes one gradient out of the vector of all of them, without a copy. This is safe, because the parts do not
// overlap and nothing else reads the vector.
func partOf(from int, shape tensor.Shape) Op {
	p := part{from: from, rank: shape.Dims()}
	copy(p.size[:], shape)
	return with([]*decl{nil, &vectorPart, &matrixPart}[p.rank], p)
}

var vectorPart, matrixPart = partDecl("s->a"), partDecl("s->ab")

func partDecl(text string) decl {
	return decl{kind: "part from the gradients", sig: parse(text), unchecked: true,
		bind: func(o *Op, v *sizes) {
			p := o.params.(part)
			v.set('a', p.size[0])
			v.set('b', p.size[1])
		},
		value: func(c *call) (Matrix, error) {
			from := c.params.(part).from
			if to := from + c.size.TotalSize(); to > c.at('s') {
				return nil, fmt.Errorf("ops: the part from %d of a vector of %d: %w", from, c.at('s'), ErrShape)
			}
			return typed(c.x.Dtype(), cellRange[float32], cellRange[float64])(c.in[0], from, from+c.size.TotalSize(),
				c.size.Clone()), nil
		}}
}

// cellRange returns the cells [from, to) of a contiguous tensor, over its memory.
func cellRange[T domain.Float](t *tensor.Dense, from, to int, shape []int) *tensor.Dense {
	if from == to { // a tensor without cells has no backing
		return tensor.New(tensor.WithShape(shape...), tensor.Of(t.Dtype()))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data[T](t)[from:to:to]))
}

// The gradients for x, W and b of the maps of xW or xW + b, each by one op. It works block by block of rows: dP, the
// gradient of the projection, is computed in cache from a third input (see below) and the gradient of the output, used
// for the products dx = dP·Wᵀ and dW = xᵀ·dP and the sums db, and never stored.
var (
	pairGradients  = rowGradients("Fourier", "nd,dm,n(2m),n(2m)->s")     // from the output z
	expGradients   = rowGradients("Laplace", "nd,dm,nm,nm->s")           // from the output z
	phaseGradients = rowGradients("Phase", "nd,dm,m,nm->s")              // from b: the projection is computed again
	cosGradients   = rowGradients("Phase with xW + b", "nd,dm,nm,nm->s") // from the projection
)

func rowGradients(kind, text string) decl {
	return decl{kind: "gradients of " + kind, sig: parse(text), unchecked: true, sparse: native,
		parts: patterns("nd|dm|m"), forward: kernel{fillGradients[float32], fillGradients[float64]}}
}

func fillGradients[T domain.Float](c *call) error {
	parts := cut[T](c)
	to := simd.Gradients[T]{DX: parts[0], DW: parts[1], DB: parts[2]}
	n, d, m, from, g := c.at('n'), c.at('d'), c.at('m'), cells[T](c, 2), cells[T](c, 3)
	if s, ok := c.x.(*CSR); ok {
		return sparseGradients(c, to, sparseOf[T](s))
	}
	x, w := cells[T](c, 0), simd.Borrow(cells[T](c, 1), d, m)
	if c.kind == "gradients of Phase" {
		w.PhaseBackward(to, x, from, g, n, phaseScale(m))
		return nil
	}
	w.Backward(to, x, n, slopesOf(c, from, g, m))
	return nil
}

// slopesOf are the gradients of the projections from the third input and the gradient of the output.
func slopesOf[T domain.Float](c *call, from, g []T, m int) simd.Slopes[T] {
	switch c.kind {
	case "gradients of Fourier":
		return simd.PairSlopes(from, g, m)
	case "gradients of Laplace":
		return simd.ExpSlopes(from, g, m)
	}
	return simd.CosSlopes(from, g, m, phaseScale(m))
}

// sparseGradients is fillGradients for sparse rows. It stores dP, because dW takes one pass over all rows. There is no
// gradient for x.
func sparseGradients[T domain.Float](c *call, to simd.Gradients[T], x *sparse[T]) error {
	n, d, m, from, g := c.at('n'), c.at('d'), c.at('m'), cells[T](c, 2), cells[T](c, 3)
	p := make([]T, n*m)
	if c.kind == "gradients of Phase" {
		w := &Weights{of: simd.Borrow(cells[T](c, 1), d, m)}
		simd.Affine(p, packedW[T](w), inputRows[T](c), background(x, w, from), n)
		from = p
	}
	slopesOf(c, from, g, m).Write(p, n, m)
	if to.DW != nil {
		simd.GradWCSR(to.DW, x.CSR, x.columnBase(), p, m)
	}
	if to.DB != nil {
		simd.ColSum(to.DB, p, n)
	}
	return nil
}

// The products of a backward, dX = dP·Wᵀ and dW = xᵀ·dP, and its sums. Unlike Gorgonia's Mul they need no transposes as
// nodes.
var (
	gradX = decl{kind: "gradX", sig: parse("nm,dm->nd"), unchecked: true,
		forward: kernel{timesTransposed[float32], timesTransposed[float64]}}
	gradW = decl{kind: "gradW", sig: parse("nd,nm->dm"), unchecked: true, sparse: native,
		forward: kernel{transposedTimes[float32], transposedTimes[float64]}}
	// sum is the sum of a matrix over each column, or over everything, for the parameter that is its second input.
	sum = decl{kind: "sum", sig: parse("nd,k->k"), unchecked: true, adds: true,
		forward: kernel{sumOver[float32], sumOver[float64]}}
)

func timesTransposed[T domain.Float](c *call) error {
	simd.Borrow(cells[T](c, 1), c.at('d'), c.at('m')).GradX(result[T](c), cells[T](c, 0), c.at('n'))
	return nil
}

func transposedTimes[T domain.Float](c *call) error {
	if s, ok := c.x.(*CSR); ok {
		x := sparseOf[T](s)
		simd.GradWCSR(result[T](c), x.CSR, x.columnBase(), cells[T](c, 1), c.at('m'))
		return nil
	}
	simd.GradW(result[T](c), cells[T](c, 0), cells[T](c, 1), c.at('n'), c.at('d'), c.at('m'))
	return nil
}

func sumOver[T domain.Float](c *call) error {
	rows := c.at('n')
	if len(result[T](c)) == 1 {
		rows *= c.at('d')
	}
	simd.ColSum(result[T](c), cells[T](c, 0), rows)
	return nil
}

// The gradients for a projection P [n, m] from a matrix that the forward left and the gradient of the output.
var (
	// pairGrad is dP = g_sin·z_cos - g_cos·z_sin from the output z [n, 2m].
	pairGrad = pointwise("pairGrad", "n(2m),n(2m)->nm", pairGradOf[float32], pairGradOf[float64])
	// cosGrad is dP = -√(2/m) sin(P)·g from P.
	cosGrad = pointwise("cosGrad", "nm,nm->nm", cosineGrad[float32], cosineGrad[float64])
	// unitRowsGrad is dP = (g·z) z² - g z of rows z and g.
	unitRowsGrad = pointwise("unitRowsGrad", "nm,nm->nm", simd.UnitRowsGrad[float32], simd.UnitRowsGrad[float64])
)

func pairGradOf[T domain.Float](dp, z, g []T, n, m int) { simd.PairSlopes(z, g, m).Write(dp, n, m) }

func cosineGrad[T domain.Float](dp, p, g []T, n, m int) {
	simd.CosSlopes(p, g, m, phaseScale(m)).Write(dp, n, m)
}

func pointwise(kind, text string, f32 func(dp, a, g []float32, n, m int), f64 func(dp, a, g []float64, n, m int)) decl {
	return decl{kind: kind, sig: parse(text), unchecked: true, adds: true, forward: kernel{
		func(c *call) error {
			f32(result[float32](c), cells[float32](c, 0), cells[float32](c, 1), c.at('n'), c.at('m'))
			return nil
		},
		func(c *call) error {
			f64(result[float64](c), cells[float64](c, 0), cells[float64](c, 1), c.at('n'), c.at('m'))
			return nil
		}}}
}
