package layers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// hddPoints are the default numbers of points on an axis, for one to three axes.
var hddPoints = [...]int{128, 48, 20}

// gridAxes returns the number of axes of a grid for so many coordinates. If a grid cannot have so many, it is the grid
// of one coordinate.
func gridAxes(axes int) int {
	if axes > len(hddPoints) {
		return 1
	}
	return axes
}

// maxRandomDirections bounds the cost in many dimensions, where as many as there are axes would double it.
const maxRandomDirections = 32

// densityCount returns how many densities stand for the joint density of so many coordinates.
func densityCount(axes int) int {
	if axes <= len(hddPoints) {
		return 1
	}
	return axes + min(axes, maxRandomDirections, math.MaxInt-axes)
}

// grid returns the grid for so many axes.
func (d Density) grid(axes int) (ops.Grid, error) {
	if d.At != nil {
		g, err := ops.NewPoints(d.At)
		if err == nil && (g.Axes() != axes || d.Points != nil) {
			err = fmt.Errorf("scattered points in %d dimensions for %d, or Points as well: %w", g.Axes(), axes,
				ErrParam)
		}
		return g, err
	}
	points := d.Points
	axes = gridAxes(axes)
	if points == nil && axes >= 1 {
		points = hddPoints[axes-1 : axes]
	}
	if len(points) == 1 && axes > 1 {
		points = slices.Repeat(points, axes)
	}
	g, err := ops.NewGrid(points...)
	if err == nil && g.Axes() != axes {
		err = fmt.Errorf("points on %d axes for %d: %w", g.Axes(), axes, ErrParam)
	}
	return g, err
}

// widths returns one bandwidth for each axis, 0 if none was given.
func (d Density) widths(axes int) ([]float64, error) {
	for _, h := range d.Bandwidth {
		if !(h >= 0) || math.IsInf(h, 1) {
			return nil, fmt.Errorf("the field Bandwidth is %v, which is none; ops.ScottBandwidth finds one: %w", h,
				ErrParam)
		}
	}
	switch h := d.Bandwidth; len(h) {
	case 0:
		return make([]float64, axes), nil
	case 1:
		return slices.Repeat(h, axes), nil
	case axes:
		return append([]float64(nil), h...), nil
	default:
		return nil, fmt.Errorf("%d bandwidths for %d axes, want one or one for each: %w", len(h), axes, ErrParam)
	}
}

// estimate is the kernel density estimate of sets of samples with l coordinates at the points of a grid. For l > 3 it
// estimates the densities of projections, see HDDLayer, and puts them side by side.
type estimate struct {
	grid ops.Grid
	axes int
	h    []*tensor.Dense // the bandwidths of each density

	bandwidth         *tensor.Dense // the same in one
	directions, shift *tensor.Dense // [l, R] and [R], ½ (1 - Σ_j u_jr): t = xU + shift; nil for a joint density
}

// estimate returns the estimate for samples of so many coordinates.
func (d Density) estimate(axes int, dt tensor.Dtype) (e estimate, err error) {
	e.axes = axes
	if e.grid, err = d.grid(axes); err != nil {
		return e, err
	}
	n := densityCount(axes)
	if n > 1 {
		if err := domain.CheckSize("directions", 8, axes, n); err != nil {
			return e, err
		}
	}
	h, err := d.widths(axes)
	if err != nil {
		return e, err
	}
	if n > 1 {
		var u, shift []float64
		u, shift, h = directionsOf(h, .5/float64(e.grid.Len()), n)
		e.directions, e.shift = newTensor(dt, u, axes, n), newTensor(dt, shift, n)
	}
	each := len(h) / n
	e.bandwidth = newTensor(dt, h, len(h))
	for j := range n {
		e.h = append(e.h, ops.Rows(e.bandwidth, j*each, (j+1)*each))
	}
	return e, nil
}

// directionsOf returns r directions for l coordinates, their shifts, and the bandwidths of the projections for those of
// the coordinates. If K is the product of Gaussian kernels of widths h_j, then the projection of the joint estimate on
// u is an estimate of width √(Σ u_j² h_j²). Of a random direction it is at least low.
func directionsOf(h []float64, low float64, r int) (u, shift, widths []float64) {
	l, rng := len(h), rand.New(spectral.Stream(0, "directions of slices"))
	u, shift, widths = make([]float64, l*r), make([]float64, r), make([]float64, r)
	for k := range r {
		if k < l {
			u[k*r+k], widths[k] = 1, h[k]
			continue
		}
		length := 0.
		for j := range l {
			u[j*r+k] = rng.NormFloat64()
			length += math.Abs(u[j*r+k])
		}
		length *= 1 + 1e-5 // so that no rounding puts t outside [0, 1]
		sum, square := 0., 0.
		for j := range l {
			u[j*r+k] /= length
			sum += u[j*r+k]
			square += math.Pow(u[j*r+k]*h[j], 2)
		}
		shift[k], widths[k] = (1-sum)/2, math.Max(math.Sqrt(square), low)
	}
	return u, shift, widths
}

// params returns the bandwidths and the directions as parameters, which nothing tunes.
func (e estimate) params() []Param {
	p := []Param{{"kde_bandwidth", e.bandwidth, false}}
	if e.directions != nil {
		p = append(p, Param{"directions", e.directions, false}, Param{"shift", e.shift, false})
	}
	return p
}

// run returns the densities of the bags of x [N, axes], in a graph or without one. The samples are in the cube, or come
// from a node, and l names the constants.
func (e estimate) run(f *flow, l *base, dst *tensor.Dense, x value, offsets []int) value {
	x, a := f.begin(l, x, ops.Attr{Layer: l.who(), Frozen: ops.H})
	kde := ops.KDE(offsets, e.grid, a)
	density := func(j int, dst *tensor.Dense, x value) value {
		// A graph of densities has no use for these nodes, and the LispMachine accepts no node without a use.
		return f.do(kde, dst, x, f.constant(l, Param{Name: fmt.Sprintf("kde_bandwidth_%d", j), Value: e.h[j]}))
	}
	if e.directions == nil {
		return density(0, dst, x)
	}
	of, projected := a, a
	of.Frozen &= ops.X
	projected.Frozen, projected.Domain = of.Frozen|ops.W|ops.B, domain.UnitCube()
	constants := e.params()
	t := f.do(ops.Affine(projected), nil, x, f.constant(l, constants[1]), f.constant(l, constants[2]))
	parts := make([]value, len(e.h))
	for j := range parts {
		var own *tensor.Dense // has as many rows as there are bags, and so is no memory between steps
		if f.graph == nil {
			own = tensor.New(tensor.WithShape(len(offsets)-1, e.grid.Len()), tensor.Of(x.rows.Dtype()))
		}
		if parts[j] = density(j, own, f.do(ops.Columns(j, j+1, 1, of), nil, t)); f.err != nil {
			f.err = fmt.Errorf("direction %d: %w", j, f.err)
			return value{}
		}
	}
	ones := slices.Repeat([]float64{1}, len(parts))
	return f.do(ops.Concat(ones, ops.Attr{Layer: a.Layer}), dst, parts[0], parts[1:]...)
}
