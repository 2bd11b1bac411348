package ops

import (
	"errors"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

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

	// For a kernel with a Profile. Distances are computed relative to the mean of the landmarks, so that an offset of all rows
	// costs no digits.
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
			cell.Matrix, cell.Remedy = "landmarks", fitAnew
		}
		return nil, err
	}
	l := &landmarkSet{kernel: k, m: c.at('m'), d: c.at('d'), cols: c.at('D'), rows: Float64s(c.in[1])}
	if keep {
		l.rows = slices.Clone(l.rows)
	}
	p := Float64s(c.in[2])
	if err := checkFinite(c.who(), "projection", fitAnew, p, l.cols); err != nil {
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

// kernelBlock is memory for the kernel values of some rows and for the backward.
type kernelBlock struct {
	k, slope []float64 // [n, m]; slope nil where it is not wanted
	centred  []float64 // x - centre, [n, d]; radial kernels
}

func (l *landmarkSet) newBlock(n int, slope bool) *kernelBlock {
	b := &kernelBlock{k: make([]float64, n*l.m)}
	if slope {
		b.slope = make([]float64, n*l.m)
	}
	if l.radial != nil {
		b.centred = make([]float64, n*l.d)
	}
	return b
}

// values writes k(x_i, l_j) for n rows x, and dk/ds where there is room for it.
func (l *landmarkSet) values(b *kernelBlock, x []float64, n int) {
	if l.radial == nil {
		simd.Share(n, 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				for j := range l.m {
					b.k[i*l.m+j] = l.kernel.At(x[i*l.d:(i+1)*l.d], l.rows[j*l.d:(j+1)*l.d])
				}
			}
		})
		return
	}
	for i := range n {
		for c, v := range x[i*l.d : (i+1)*l.d] {
			b.centred[i*l.d+c] = v - l.centre[c]
		}
	}
	simd.Affine(b.k, l.across, simd.Rows[float64]{Dense: b.centred}, nil, n)
	simd.Share(n, 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			l.squaredDistances(b.k[i*l.m:(i+1)*l.m], b.centred[i*l.d:(i+1)*l.d], x[i*l.d:(i+1)*l.d])
			var slope []float64
			if b.slope != nil {
				slope = b.slope[i*l.m : (i+1)*l.m]
			}
			l.radial.Profile(b.k[i*l.m:(i+1)*l.m], slope, b.k[i*l.m:(i+1)*l.m])
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
