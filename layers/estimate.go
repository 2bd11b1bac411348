package layers

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// hddPoints are the default numbers of points on an axis, for one to three axes.
var hddPoints = [...]int{128, 48, 20}

// grid returns the grid for so many axes. If a grid cannot have so many, it is the grid of one coordinate.
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
	if axes > len(hddPoints) {
		axes = 1
	}
	if points == nil && axes >= 1 && axes <= len(hddPoints) {
		points = []int{hddPoints[axes-1]}
	}
	switch {
	case len(points) == 1 && axes > 1:
		points = repeat(points[0], axes)
	case points == nil: // which NewGrid explains
		points = repeat(1, max(0, axes))
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
			return nil, fmt.Errorf("the field Bandwidth is %v, which is none; ops.ScottBandwidth finds one: %w", h, ErrParam)
		}
	}
	switch h := d.Bandwidth; len(h) {
	case 0:
		return make([]float64, axes), nil
	case 1:
		return repeat(h[0], axes), nil
	case axes:
		return append([]float64(nil), h...), nil
	default:
		return nil, fmt.Errorf("%d bandwidths for %d axes, want one or one for each: %w", len(h), axes, ErrParam)
	}
}

// estimate is the kernel density estimate of sets of samples at the points of a grid. If the grid has one axis and the
// samples have more, it estimates the density of each slice and puts the densities side by side.
type estimate struct {
	grid    ops.Grid
	h       []*tensor.Dense // the bandwidths of each density
	axes    int
	slicing *slicing // nil for a joint density
}

// bandwidthsOf cuts the bandwidths of all axes into one tensor for each grid. The tensors share the memory of h.
func bandwidthsOf(h *tensor.Dense, grids int) []*tensor.Dense {
	out := make([]*tensor.Dense, grids)
	each := h.Shape().TotalSize() / grids
	for j := range out {
		out[j] = ops.Rows(h, j*each, (j+1)*each)
	}
	return out
}

// into writes the densities of bags to dst, allocated if nil.
func (e estimate) into(dst *tensor.Dense, b *ops.Bags, a ops.Attr) (*tensor.Dense, error) {
	if b == nil {
		return nil, noBags(a.Layer)
	}
	if b.Axes() != e.axes {
		return nil, fmt.Errorf("%s: the samples have %d coordinates, want %d: %w", a.Layer, b.Axes(), e.axes, ErrShape)
	}
	if len(e.h) == 1 {
		return e.of(dst, b, e.h[0], a)
	}
	if err := ops.CheckRows(domain.UnitCube(), a.Layer, b); err != nil {
		return nil, err
	}
	t, err := e.slicing.project(b, a)
	if err != nil {
		return nil, err
	}
	v := e.grid.Len()
	if dst == nil {
		dst = tensor.New(tensor.WithShape(b.Len(), len(e.h)*v), tensor.Of(b.Dtype()))
	}
	var p *tensor.Dense
	for j, h := range e.h {
		if p, err = e.of(p, t.Axis(j), h, a); err != nil {
			return nil, fmt.Errorf("direction %d: %w", j, err)
		}
		if err := ops.ColumnsInto(dst, j*v, p, 0, v, 1); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// of writes the densities of bags on the grid.
func (e estimate) of(dst *tensor.Dense, b *ops.Bags, h *tensor.Dense, a ops.Attr) (*tensor.Dense, error) {
	return ops.KDE(b.Offsets(), e.grid, a).Into(dst, b.Samples(), h)
}

// fwd adds the densities of the bags of x [N, axes] to its graph. h are the nodes of the bandwidths, and u those of the
// directions and the shift of the slicing.
func (e estimate) fwd(x *G.Node, h, u []*G.Node, offsets []int, a ops.Attr) (*G.Node, error) {
	if len(h) == 1 {
		return ops.KDE(offsets, e.grid, a).Node(x, h[0])
	}
	of, projected := a, a
	of.Frozen &= ops.X
	projected.Frozen, projected.Domain = of.Frozen|ops.W|ops.B, domain.UnitCube()
	x, err := ops.Affine(projected).Node(x, u[0], u[1])
	if err != nil {
		return nil, err
	}
	parts := make([]*G.Node, len(h))
	for j := range parts {
		column, err := ops.Columns(j, j+1, 1, of).Node(x)
		if err != nil {
			return nil, err
		}
		if parts[j], err = ops.KDE(offsets, e.grid, a).Node(column, h[j]); err != nil {
			return nil, fmt.Errorf("direction %d: %w", j, err)
		}
	}
	return ops.Concat(repeat(1., len(parts)), ops.Attr{Layer: a.Layer}).Node(parts...)
}

// bagsInTwoSteps computes the features of bags, some bags at a time: first makes rows of so many columns of the bags,
// and second makes features of the rows.
func bagsInTwoSteps(l *base, dst *tensor.Dense, b *ops.Bags, cols int,
	first func(*tensor.Dense, *ops.Bags) (*tensor.Dense, error),
	second func(dst, x *tensor.Dense) (*tensor.Dense, error)) (*tensor.Dense, error) {
	if b == nil {
		return nil, noBags(l.who())
	}
	if dst == nil {
		dst = tensor.New(tensor.WithShape(b.Len(), l.features), tensor.Of(l.dt))
	}
	if dst.Dtype() != l.dt {
		return nil, fmt.Errorf("%s: dst is %v, the layer is %v: %w", l.who(), dst.Dtype(), l.dt, ErrDtype)
	}
	if !dst.Shape().Eq(tensor.Shape{b.Len(), l.features}) || !ops.IsContiguous(dst) {
		return nil, fmt.Errorf("%s: dst is %v, want a contiguous %v (%d, %d): %w", l.who(), dst.Shape(), l.dt, b.Len(),
			l.features, ErrShape)
	}
	size := max(1, psiCells/cols)
	for lo := 0; lo < b.Len(); lo += size {
		hi := min(lo+size, b.Len())
		x, err := first(nil, b.Slice(lo, hi))
		if err == nil {
			_, err = second(ops.Rows(dst, lo, hi), x)
		}
		if err != nil {
			return nil, domain.InBlock(lo, err)
		}
	}
	return dst, nil
}
