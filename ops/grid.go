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
