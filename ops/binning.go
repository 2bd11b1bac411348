package ops

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Binning is random binning into b cells, of x, rates, offsets and a. Each of R grids has one feature that is not 0,
//
//	z_(gb + ⌊t/2⌋)(x) = (1 - 2 (t mod 2))/√R,   t = ⌊2b h/2²⁴⌋,   h = (a_g0 + Σ_j a_gj (c_gj mod 2¹³)) mod 2²⁴,
//
// with the cells c_gj = ⌊x_j rates_gj - offsets_gj⌋ of the grid. So a hash gives each cell a column and a sign. b is a
// power of 2 and at most 2048. x is [n, d] and z is [n, R·b]; rates and offsets are [R, d]; a, whole numbers below 2²⁴,
// is [R, d+1]. The cells are computed in float64 for either element type. A row costs R·d operations. Rahimi and Recht
// (2007), algorithm 2.
//
// Backward: z is constant within a cell, and dx is 0. The other inputs have no gradient.
//
// Sparse rows have sparse features. Pack takes rates, offsets and a. Errors while building: shapes and b. Errors while
// running (ErrDomain): a cell of x outside Attr.Domain, a rate or an offset that is not finite, an a that is no such
// number.
func Binning(b int, a Attr) Op {
	return binning.with(bins(b), a, bins(b).check)
}

// bins is the b of Binning.
type bins int

func (b bins) check(who string) error {
	if b < 1 || b > 1<<11 || b&(b-1) != 0 {
		return fmt.Errorf("%s: %d bins, want a power of 2 from 1 to 2048: %w", who, b, ErrParam)
	}
	return nil
}

var binning = decl{kind: "Binning", sig: parse("nd,Rd,Rd,R(d+1)->n(Rb)"), in: []Inputs{X},
	names: []string{"x", "the rates", "the offsets", "the hash"}, sparse: native, check: atLeastOne('d', 'R'),
	bind:    func(o *Op, v *sizes) { v.set('b', int(o.params.(bins))) },
	pack:    packGrids,
	forward: kernel{binForward[float32], binForward[float64]},
	stays:   typedCSR{binSparse[float32], binSparse[float64]},
	reads:   []int{0}, unpacked: true, backward: kernel{binBackward[float32], binBackward[float64]}}

const (
	hashBits = 24 // of a hash
	cellBits = 13 // of the number of a cell
	farthest = 1 << 52
)

// grids are the packed inputs of Binning.
type grids struct {
	d, n, shift    int       // n grids; t is the hash without its last shift bits
	rates, offsets []float64 // [n, d]
	a, zero        []uint32  // [n, d], with the cells of 0
	hash           []uint32  // of a row of zeros, [n]
}

var packGrids = &packer{from: 1, n: 3, pack: func(c *call, _ bool) (any, error) {
	d, n := c.at('d'), c.at('R')
	g := &grids{d: d, n: n, rates: Float64s(c.in[1]), offsets: Float64s(c.in[2]), a: make([]uint32, n*d),
		zero: make([]uint32, n*d), hash: make([]uint32, n), shift: hashBits - bits.Len(uint(c.params.(bins)))}
	if err := checkFinite(c.who(), "rates", redraw, g.rates, d); err != nil {
		return nil, err
	}
	if err := checkFinite(c.who(), "offsets", redraw, g.offsets, d); err != nil {
		return nil, err
	}
	hash := Float64s(c.in[3])
	if err := checkWhole(c.who(), "hash", hash, d+1, 1<<hashBits-1); err != nil {
		return nil, err
	}
	for i, v := range hash {
		at := i / (d + 1)
		if i%(d+1) == 0 {
			g.hash[at] = uint32(v)
			continue
		}
		j := i - at - 1
		g.a[j], g.zero[j] = uint32(v), g.cell(j, 0)
		g.hash[at] += g.a[j] * g.zero[j]
	}
	return g, nil
}}

// cell is c mod 2¹³ of a number v of a column of a grid.
func (g *grids) cell(at int, v float64) uint32 {
	v = min(max(v*g.rates[at], -farthest), farthest)
	return uint32(int64(math.Floor(v-g.offsets[at]))) & (1<<cellBits - 1)
}

// place returns the column, within its grid, and the sign of a row.
func place[T domain.Float](g *grids, grid int, columns []int32, values []T) (column int, sign T) {
	h, at := g.hash[grid], grid*g.d
	for t, v := range values {
		i := at + columnOf(columns, t)
		h += g.a[i] * (g.cell(i, float64(v)) - g.zero[i])
	}
	p := int(h&(1<<hashBits-1)) >> g.shift
	return p >> 1, T(1 - 2*(p&1))
}

func binForward[T domain.Float](c *call) error {
	z, err := binSparse[T](c)
	if err == nil {
		spreadOut[T](z, c.out)
	}
	return err
}

func binSparse[T domain.Float](c *call) (*CSR, error) {
	if c.w == nil {
		var err error
		if c.w, err = c.packed(false); err != nil {
			return nil, err
		}
	}
	g, row, n, b := c.w.of.(*grids), rowsIn[T](c), c.at('n'), int(c.params.(bins))
	z := &simd.CSR[T]{Rows: n, Cols: g.n * b, Ptr: make([]int, n+1), Col: make([]int32, n*g.n), Val: make([]T, n*g.n)}
	one := T(1 / math.Sqrt(float64(g.n)))
	simd.Share(n, 4, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			columns, values := row(i)
			for k := range g.n {
				column, sign := place(g, k, columns, values)
				z.Col[i*g.n+k], z.Val[i*g.n+k] = int32(k*b+column), sign*one
			}
			z.Ptr[i+1] = (i + 1) * g.n
		}
	})
	return csrOf(z), nil
}

func binBackward[T domain.Float](c *call) error {
	clear(gradientFor[T](c, 0))
	return nil
}
