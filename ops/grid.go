package ops

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Grid holds the V points of the unit cube [0, 1]^l at which densities are given: a density is a row of V numbers,
// whose mean approximates the integral. The points are the midpoints of the cells of a regular grid (NewGrid), with the
// last axis fastest, or any points (NewPoints). The midpoint rule is exact for the low cosines and Fourier functions,
// which are orthonormal on the grid, and density estimates take far less time on a grid.
type Grid struct {
	points []int     // of each axis; of scattered points V alone
	at     []float64 // [V, l], scattered points; nil for a grid
	axes   int       // of scattered points
}

// The limits of a grid.
const (
	// The limits of a grid.
	maxAxes  = 3
	maxCells = 1 << 22
)

// NewGrid returns the grid with the given number of cells on each axis. Errors wrap ErrParam: fewer than one or more
// than three axes, an axis without cells, more than 2^22 cells.
func NewGrid(points ...int) (Grid, error) {
	if len(points) < 1 || len(points) > maxAxes {
		return Grid{}, fmt.Errorf("ops: Grid: %d dimensions, want 1 to %d: in more a grid has too many points, and "+
			"a set of samples says too little about a density; "+
			"embed each coordinate by itself (Bags.Axis) and join the features: %w", len(points), maxAxes, ErrParam)
	}
	cells := 1
	for j, g := range points {
		if g < 1 || g > maxCells || cells*g > maxCells {
			return Grid{}, fmt.Errorf("ops: Grid: %v points, of which axis %d has %d; want at least 1 on each and "+
				"%d in all at most: %w", points, j, g, maxCells, ErrParam)
		}
		cells *= g
	}
	return Grid{points: slices.Clone(points)}, nil
}

// NewPoints returns the points of the rows of x [V, l], float64, in the unit cube. Independent uniform points give
// Monte-Carlo integrals with an error of the order V^(-1/2), as in Sutherland et al. (2016), equation (10); points of a
// low-discrepancy sequence do better. It copies x. Errors: another shape, no points, more than 2^22 points or three
// columns (ErrShape); another element type (ErrDtype); points outside the cube (ErrDomain).
func NewPoints(x *tensor.Dense) (Grid, error) {
	const who = "ops: NewPoints"
	if x == nil || x.Dims() != 2 || x.Shape()[0] < 1 || x.Shape()[1] < 1 || x.Shape()[1] > maxAxes ||
		x.Shape()[0] > maxCells {
		return Grid{}, fmt.Errorf("%s: want points [V, l], 1 to %d in 1 to %d dimensions: %w",
			who, maxCells, maxAxes, ErrShape)
	}
	if x.Dtype() != tensor.Float64 {
		return Grid{}, fmt.Errorf("%s: the points are %v, want float64: %w", who, x.Dtype(), ErrDtype)
	}
	x, err := contiguous(x)
	if err != nil {
		return Grid{}, fmt.Errorf("%s: %w", who, err)
	}
	if err := CheckRows(domain.UnitCube(), who, x); err != nil {
		return Grid{}, err
	}
	return Grid{[]int{x.Shape()[0]}, slices.Clone(x.Float64s()), x.Shape()[1]}, nil
}

// Axes returns l.
func (g Grid) Axes() int {
	if g.at != nil {
		return g.axes
	}
	return len(g.points)
}

// Points returns the number of points on each axis, or [V] for NewPoints.
func (g Grid) Points() []int { return slices.Clone(g.points) }

// Len returns V, the number of points, and 0 for the zero Grid.
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

// String returns the number of points on each axis, or for NewPoints V and a digest of the coordinates. Grids with the
// same string have the same points.
func (g Grid) String() string {
	if g.at == nil {
		return fmt.Sprint(g.points)
	}
	var b []byte
	for _, t := range g.at {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(t))
	}
	return fmt.Sprintf("%d points in %d dimensions, %x", g.Len(), g.axes, sha256.Sum256(b))
}

// At returns the coordinates of point v. It panics if there is no such point.
func (g Grid) At(v int) []float64 {
	if v < 0 || v >= g.Len() {
		panic(fmt.Sprintf("ops: Grid: point %d of %d", v, g.Len()))
	}
	if g.at != nil {
		return slices.Clone(g.at[v*g.axes : (v+1)*g.axes])
	}
	t := make([]float64, len(g.points))
	for j := len(t) - 1; j >= 0; j-- {
		t[j] = (float64(v%g.points[j]) + .5) / float64(g.points[j])
		v /= g.points[j]
	}
	return t
}

// HistogramInto writes the histograms of bags on the cells of the grid, as densities, to dst [n, V], allocated if nil:
// the share of the samples in a cell times V. A sample on a boundary counts for the upper cell, and 1 for the last. It
// is cheaper than KDE, but has no gradient for the samples, and its error falls more slowly. Errors: bags of another
// dimension than the grid (ErrShape), points of NewPoints, which have no cells (ErrParam), samples outside the cube
// (ErrDomain).
func HistogramInto(dst *tensor.Dense, b *Bags, g Grid, a Attr) (*tensor.Dense, error) {
	if g.at != nil {
		return nil, fmt.Errorf("%s: the points are no grid and have no cells; use KDE, or NewGrid: %w",
			a.who("Histogram"), ErrParam)
	}
	dst, err := densities("Histogram", dst, b, g, a)
	if err != nil {
		return nil, err
	}
	typed(b.Dtype(), histogram[float32], histogram[float64])(dst, b, g)
	return dst, nil
}

// densities checks bags for a grid and returns dst, allocated if nil.
func densities(op string, dst *tensor.Dense, b *Bags, g Grid, a Attr) (*tensor.Dense, error) {
	if err := given(a.who(op), "the batch of bags", b); err != nil {
		return nil, err
	}
	if b.Axes() != g.Axes() {
		return nil, fmt.Errorf("%s: the bags have %d dimensions and the grid %d: %w",
			a.who(op), b.Axes(), g.Axes(), ErrShape)
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
