package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Nystrom is, of x, L and P, z(x) = k(x, L) P, the kernel values of x [n, d] with the landmarks L [m, d], times a
// projection P [m, D]. With P = U Λ^{-1/2} from the eigenvectors and eigenvalues of k(L, L) its inner products are k(x,
// L) k(L, L)⁻¹ k(L, x'), exact where x or x' is a landmark. Williams and Seeger (2001); Vedaldi and Zisserman (2012),
// equation (16).
//
// It computes in float64 for either element type, because P amplifies the rounding of k by the inverse roots of small
// eigenvalues. A row takes m·d operations for a kernel with a Profile, or m calls of At for another Kernel, and m·D for
// P.
//
// Backward: dx = Σ_j (g Pᵀ)_j ∂k(x, l_j)/∂x, by products for a kernel with a Profile, and else by m calls of Gradient a
// row. A derivative that is not finite, as at an empty bin of a histogram, counts as 0. L and P have no
// gradient.
//
// Pack takes L and P. Errors while building: shapes or a nil kernel (ErrShape); a kernel with
// neither Gradient nor Profile while X is not frozen (ErrParam). Errors while running (ErrDomain): a cell of x or
// L outside the domain of the kernel, features that are not finite.
func Nystrom(k Kernel, a Attr) Op {
	return nystrom.with(k, a, func(who string) error { return given(who, "the kernel", k) })
}

var nystrom = decl{kind: "Nystrom", sig: parse("nd,md,mD->nD"), names: []string{"x", "the landmarks", "the projection"},
	in: []Inputs{X}, on: ofKernel, sparse: spread, check: atLeastOne('m', 'd', 'D'), pack: packLandmarks,
	forward: kernel{nystromForward[float32], nystromForward[float64]}, node: nystromNode, reads: []int{0, 1, 2},
	backward: kernel{nystromBackward[float32], nystromBackward[float64]}}

func ofKernel(o *Op) Domain { return o.params.(Kernel).Domain() }

func nystromNode(o Op, in []*G.Node) (*G.Node, error) {
	_, gradient := o.params.(gradientKernel)
	_, radial := o.params.(radialKernel)
	if o.attr.Frozen&X == 0 && !gradient && !radial {
		return nil, fmt.Errorf("%s: %T has no method Gradient, and a gradient for x is wanted; give it one, or "+
			"freeze x: %w", o.who(), o.params, ErrParam)
	}
	return o.apply(in...)
}

// nystromCells is about the number of kernel values in memory at a time, 4 MiB.
const nystromCells = 1 << 19

// blockOf returns how many rows of x to work on at a time, where each makes m numbers.
func blockOf(c *call, m int) int {
	if c.in[0] != nil {
		m = max(m, c.at('d'))
	}
	return min(c.at('n'), max(32, nystromCells/max(m, 1)))
}

// rowsOf calls f with blocks of at most size rows of x, dense or sparse, in float64.
func rowsOf[T domain.Float](c *call, size int, f func(from, rows int, x simd.Rows[float64]) error) error {
	n, d := c.at('n'), c.at('d')
	var buffer []float64
	for from := 0; from < n; from += size {
		rows, x := min(size, n-from), simd.Rows[float64]{}
		if s, ok := c.x.(*CSR); ok {
			part, err := s.Slice(from, from+rows).As(tensor.Float64, c.who())
			if err != nil {
				return err
			}
			x.Sparse = sparseOf[float64](part)
		} else {
			buffer = slices.Grow(buffer[:0], rows*d)[:rows*d]
			recast(buffer, cells[T](c, 0)[from*d:(from+rows)*d])
			x.Dense = buffer
		}
		if err := f(from, rows, x); err != nil {
			return err
		}
	}
	return nil
}

func nystromForward[T domain.Float](c *call) error {
	l, dst := c.w.of.(*landmarkSet), result[T](c)
	size := blockOf(c, l.m)
	k, centred, z := make([]float64, size*l.m), make([]float64, size*l.d), make([]float64, size*l.cols)
	return rowsOf[T](c, size, func(from, rows int, x simd.Rows[float64]) error {
		l.values(k, nil, centred, x.Dense, rows)
		simd.Affine(z, l.projection, simd.Rows[float64]{Dense: k}, nil, rows)
		out := dst[from*l.cols : (from+rows)*l.cols]
		recast(out, z[:len(out)])
		return finiteFeatures(out, from, l.cols, c.who())
	})
}

// finiteFeatures returns an error unless the features [rows, cols] are finite. from is the number of their first row.
func finiteFeatures[T domain.Float](z []T, from, cols int, who string) error {
	if simd.Within(z, -simd.Largest[T]()) {
		return nil
	}
	for i, v := range z {
		if v-v != 0 {
			return fmt.Errorf("%s: the features of row %d are not finite in %T; scale the data: %w",
				who, from+i/cols, v, ErrDomain)
		}
	}
	return nil
}

func nystromBackward[T domain.Float](c *call) error {
	l, dst, g := c.w.of.(*landmarkSet), gradientFor[T](c, 0), gradientOf[T](c)
	size := blockOf(c, max(l.m, l.cols))
	dk, grad, dx := make([]float64, size*l.m), make([]float64, size*l.cols), make([]float64, size*l.d)
	var k, slope, centred []float64
	if l.radial != nil {
		k, slope, centred = make([]float64, size*l.m), make([]float64, size*l.m), make([]float64, size*l.d)
	}
	return rowsOf[T](c, size, func(from, rows int, x simd.Rows[float64]) error {
		recast(grad, g[from*l.cols:(from+rows)*l.cols])
		l.projection.GradX(dk, grad, rows)
		if l.radial != nil {
			l.values(k, slope, centred, x.Dense, rows)
			l.radialGradient(dx, dk, slope, centred, rows)
		} else {
			l.gradient(dx, dk, x.Dense, rows)
		}
		recast(dst[from*l.d:(from+rows)*l.d], dx[:rows*l.d])
		return nil
	})
}

// radialGradient is Σ_j dk_j k'(s_j) 2(x - l_j), with k' the slope, which it overwrites: a product with the landmarks and
// a multiple of x.
func (l *landmarkSet) radialGradient(dx, dk, slope, centred []float64, n int) {
	for i, v := range slope[:n*l.m] {
		slope[i] = 2 * v * dk[i]
	}
	simd.Affine(dx, l.centred, simd.Rows[float64]{Dense: slope}, nil, n)
	for i := range n {
		sum := 0.0
		for _, v := range slope[i*l.m : (i+1)*l.m] {
			sum += v
		}
		for c := range l.d {
			dx[i*l.d+c] = sum*centred[i*l.d+c] - dx[i*l.d+c]
		}
	}
}

// gradient is Σ_j dk_j ∂k(x, l_j)/∂x.
func (l *landmarkSet) gradient(dx, dk, x []float64, n int) {
	k := l.kernel.(gradientKernel)
	simd.Share(n, 1, func(lo, hi int) {
		dst := make([]float64, l.d)
		for i := lo; i < hi; i++ {
			row := dx[i*l.d : (i+1)*l.d]
			clear(row)
			for j := range l.m {
				for c, v := range k.Gradient(dst, x[i*l.d:(i+1)*l.d], l.rows[j*l.d:(j+1)*l.d]) {
					if v-v == 0 {
						row[c] += dk[i*l.m+j] * v
					}
				}
			}
		}
	})
}

// Kernel is a kernel function for Nystrom, such as a kernel of package spectral. Several goroutines call it at once.
// Nystrom looks for two more methods. The gradient of x needs one of them.
//
//	Gradient(dst, x, z []float64) []float64  // writes ∂k(x, z)/∂x to dst and returns it
//	Profile(k, slope, s []float64)           // of a kernel that is a function of s = ‖x - z‖²
//
// Profile writes k to k for every s and, where slope is not nil, dk/ds to slope; k may be s. With it values for many
// rows take one matrix product.
type Kernel interface {
	// At returns k(x, z) for two rows.
	At(x, z []float64) float64
	// Domain is the set of rows for which At is defined.
	Domain() Domain
}

type gradientKernel interface {
	Gradient(dst, x, z []float64) []float64
}

type radialKernel interface{ Profile(k, slope, s []float64) }

// landmarkSet holds the landmarks l_j of Nystrom and the projection P of the kernel values, packed.
type landmarkSet struct {
	kernel     Kernel
	m, d, cols int
	rows       []float64              // [m, d]
	projection *simd.Weights[float64] // P [m, D]

	// For a kernel with a Profile. Distances are computed relative to the mean of the landmarks, so that an offset of
	// all rows costs no digits.
	radial  radialKernel
	centre  []float64              // [d]
	squares []float64              // ‖l_j - centre‖²
	across  *simd.Weights[float64] // the centred landmarks as columns, [d, m]
	centred *simd.Weights[float64] // and as rows, [m, d]
}

// packLandmarks packs the landmarks and the projection.
var packLandmarks = &packer{from: 1, n: 2, pack: func(c *call, keep bool) (any, error) {
	k := paramsOf[Kernel](c)
	if err := CheckRows(k.Domain(), c.who(), c.in[1]); err != nil {
		var cell *domain.CellError
		if errors.As(err, &cell) {
			cell.Matrix, cell.Remedy = "landmarks", refit
		}
		return nil, err
	}
	l := &landmarkSet{kernel: k, m: c.at('m'), d: c.at('d'), cols: c.at('D'), rows: Float64s(c.in[1])}
	if keep {
		l.rows = slices.Clone(l.rows)
	}
	p := Float64s(c.in[2])
	if err := checkFinite(c.who(), "projection", refit, p, l.cols); err != nil {
		return nil, err
	}
	l.projection = simd.Pack(p, l.m, l.cols)
	if l.radial, _ = k.(radialKernel); l.radial != nil {
		l.centreRows()
	}
	return l, nil
}}

func (l *landmarkSet) centreRows() {
	l.centre, l.squares = make([]float64, l.d), make([]float64, l.m)
	for j := range l.m {
		for c, v := range l.rows[j*l.d : (j+1)*l.d] {
			l.centre[c] += v / float64(l.m)
		}
	}
	rows, cols := make([]float64, l.m*l.d), make([]float64, l.m*l.d)
	for j := range l.m {
		for c, v := range l.rows[j*l.d : (j+1)*l.d] {
			v -= l.centre[c]
			rows[j*l.d+c], cols[c*l.m+j] = v, v
			l.squares[j] += v * v
		}
	}
	l.across, l.centred = simd.Pack(cols, l.d, l.m), simd.Pack(rows, l.m, l.d)
}

// values writes k(x_i, l_j) to k [n, m] for n rows x. Of a radial kernel it also writes dk/ds to slope, unless that is nil,
// and x - centre to centred [n, d].
func (l *landmarkSet) values(k, slope, centred, x []float64, n int) {
	if l.radial == nil {
		simd.Share(n, 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				for j := range l.m {
					k[i*l.m+j] = l.kernel.At(x[i*l.d:(i+1)*l.d], l.rows[j*l.d:(j+1)*l.d])
				}
			}
		})
		return
	}
	for i := range n {
		for c, v := range x[i*l.d : (i+1)*l.d] {
			centred[i*l.d+c] = v - l.centre[c]
		}
	}
	simd.Affine(k, l.across, simd.Rows[float64]{Dense: centred}, nil, n)
	simd.Share(n, 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			l.squaredDistances(k[i*l.m:(i+1)*l.m], centred[i*l.d:(i+1)*l.d], x[i*l.d:(i+1)*l.d])
			var own []float64
			if slope != nil {
				own = slope[i*l.m : (i+1)*l.m]
			}
			l.radial.Profile(k[i*l.m:(i+1)*l.m], own, k[i*l.m:(i+1)*l.m])
		}
	})
}

// cancelled is the share of ‖x‖² + ‖l‖² below which ‖x‖² + ‖l‖² - 2x·l loses too many digits of ‖x - l‖². Above it 12
// are left.
const cancelled = 1e-4

// squaredDistances turns the products x·l in s into squared distances. It computes those that lost their digits, or
// overflowed, from the rows.
func (l *landmarkSet) squaredDistances(s, centred, x []float64) {
	square := 0.0
	for _, v := range centred {
		square += v * v
	}
	for j, p := range s {
		sum := square + l.squares[j]
		if s[j] = sum - 2*p; s[j] > cancelled*sum && s[j] <= sum+sum {
			continue
		}
		s[j] = 0
		for c, v := range l.rows[j*l.d : (j+1)*l.d] {
			t := x[c] - v
			s[j] += t * t
		}
	}
}
