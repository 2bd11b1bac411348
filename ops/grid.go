package ops

import (
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Grid are the V midpoints of the cells of a regular grid on the unit cube [0, 1]^l, the points at which densities are given: rows of V
// numbers, the last axis fastest, whose mean is about the integral. The midpoint rule is exact for the low cosines and Fourier functions,
// which are orthonormal on it.
type Grid struct{ points []int }

// The limits of a grid.
const (
	maxAxes  = 3
	maxCells = 1 << 22
)

// NewGrid is the grid with the given number of cells on each axis. Errors (ErrParam): no axis, more than three, an axis without a cell, more
// than 2^22 cells.
func NewGrid(points ...int) (Grid, error) {
	if len(points) < 1 || len(points) > maxAxes {
		return Grid{}, fmt.Errorf("ops: Grid: %d dimensions, want 1 to %d: in more a grid has too many points, and a set of samples says too little about a density; "+
			"embed each coordinate by itself (Bags.Axis) and join the features: %w", len(points), maxAxes, ErrParam)
	}
	cells := 1
	for j, g := range points {
		if g < 1 || g > maxCells || cells*g > maxCells {
			return Grid{}, fmt.Errorf("ops: Grid: %v points, of which axis %d has %d; want at least 1 on each and %d in all at most: %w", points, j, g, maxCells, ErrParam)
		}
		cells *= g
	}
	return Grid{slices.Clone(points)}, nil
}

// Axes is l.
func (g Grid) Axes() int { return len(g.points) }

// Points is the number of points on each axis.
func (g Grid) Points() []int { return slices.Clone(g.points) }

// Len is V, the number of points, 0 for the zero Grid.
func (g Grid) Len() int {
	if len(g.points) == 0 {
		return 0
	}
	v := 1
	for _, p := range g.points {
		v *= p
	}
	return v
}

// At are the coordinates of point v.
func (g Grid) At(v int) []float64 {
	t := make([]float64, len(g.points))
	for j := len(t) - 1; j >= 0; j-- {
		t[j] = (float64(v%g.points[j]) + .5) / float64(g.points[j])
		v /= g.points[j]
	}
	return t
}

// HistogramInto writes the densities of bags by their histograms on the cells of the grid to dst [n, V], allocated if nil: the share of the
// samples in a cell times V. A sample on a boundary counts for the cell above it, and 1 for the last. It is the cheap estimate of a density; it
// has no gradient for the samples, and its error falls slower than that of KDE. Errors: bags of another dimension than the grid (ErrShape),
// samples outside the cube (ErrDomain).
func HistogramInto(dst *tensor.Dense, b *Bags, g Grid, a Attr) (*tensor.Dense, error) {
	dst, err := densities("Histogram", dst, b, g, a)
	if err != nil {
		return nil, err
	}
	if b.Dtype() == tensor.Float32 {
		histogram[float32](dst, b, g)
	} else {
		histogram[float64](dst, b, g)
	}
	return dst, nil
}

// densities checks bags for a grid and finds a place for their densities.
func densities(op string, dst *tensor.Dense, b *Bags, g Grid, a Attr) (*tensor.Dense, error) {
	if b.Axes() != g.Axes() {
		return nil, fmt.Errorf("%s: the bags have %d dimensions and the grid %d: %w", a.who(op), b.Axes(), g.Axes(), ErrShape)
	}
	if err := CheckRows(domain.UnitCube(), a.who(op), b); err != nil {
		return nil, err
	}
	return output(a.who(op), dst, b.Dtype(), b.Len(), g.Len())
}

func histogram[T domain.Float](dst *tensor.Dense, b *Bags, g Grid) {
	out, x, cells := data[T](dst), data[T](b.x), g.Len()
	clear(out)
	for i := range b.Len() {
		row, part := out[i*cells:(i+1)*cells], float64(cells)/float64(b.Size(i))
		counts := make([]int, cells)
		for s := b.offsets[i]; s < b.offsets[i+1]; s++ {
			v := 0
			for j, p := range g.points {
				v = v*p + min(int(float64(x[s*len(g.points)+j])*float64(p)), p-1)
			}
			counts[v]++
		}
		for v, c := range counts {
			row[v] = T(float64(c) * part)
		}
	}
}
