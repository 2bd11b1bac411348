package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// hddOptions are the options of a density embedding.
type hddOptions struct {
	points    []int         // nil: hddPoints
	at        *tensor.Dense // scattered points; nil: a grid
	basis     Basis
	functions int
	box       bool
	lambdas   int
	rule      spectral.LambdaRule
	bandwidth []float64 // nil: none
}

var hddDefaults = hddOptions{basis: CosineBasis, functions: 10, lambdas: 5, rule: spectral.GaussLambdas}

// hddPoints are the points on an axis by default, for one to three axes.
var hddPoints = [...]int{128, 48, 20}

// WithPoints sets the points of the grid of a density embedding on each axis, one number for all or one for each. The
// default is 128 in one dimension, 48 an axis in two, 20 in three; in more dimensions, where each coordinate has a
// grid, one number for all, by default 128.
func WithPoints(points ...int) Option {
	return option("WithPoints", func(o *options) { o.hdd.points = points })
}

// WithScatteredPoints takes the rows of x [V, l] for the points of a density embedding in place of a grid
// (ops.NewPoints), for up to three dimensions: such as uniform ones, as in the paper, for which integrals err as
// V^(-1/2). Grids are better and far faster.
func WithScatteredPoints(x *tensor.Dense) Option {
	return option("WithScatteredPoints", func(o *options) { o.hdd.at = x })
}

// WithBasis sets the basis of a density embedding and its functions on each axis. The default is CosineBasis with 10.
func WithBasis(b Basis, functions int) Option {
	return option("WithBasis", func(o *options) { o.hdd.basis, o.hdd.functions = b, functions })
}

// WithBoxBasis takes all products of the functions of the axes into the basis of a density embedding: functions^l. By
// default these are the products whose degrees sum to no more than the degree of the last function on an axis, about
// functions^l/l! (l = 1: all of them).
func WithBoxBasis() Option { return option("WithBoxBasis", func(o *options) { o.hdd.box = true }) }

// WithLambdas sets the number M of frequencies λ of a density embedding and their rule. The default is 5 by
// spectral.GaussLambdas. The Hellinger distance has one frequency, 0, and the option is an error (ErrParam).
func WithLambdas(m int, rule spectral.LambdaRule) Option {
	return option("WithLambdas", func(o *options) { o.hdd.lambdas, o.hdd.rule = m, rule })
}

// WithKDEBandwidth sets the bandwidth of the density estimate of bags, one number for all axes or one for each: what
// ops.ScottBandwidth or ops.CrossValidatedBandwidth found for the training bags. There is no default.
func WithKDEBandwidth(h ...float64) Option {
	return option("WithKDEBandwidth", func(o *options) { o.hdd.bandwidth = h })
}

// grid is the grid for so many axes. For more axes than a grid can have, it is the grid of each coordinate.
func (o hddOptions) grid(axes int) (ops.Grid, error) {
	if o.at != nil {
		g, err := ops.NewPoints(o.at)
		if err == nil && (g.Axes() != axes || o.points != nil) {
			err = fmt.Errorf("scattered points in %d dimensions for %d, or WithPoints as well: %w", g.Axes(), axes,
				ErrParam)
		}
		return g, err
	}
	points := o.points
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

// widths are the bandwidths of so many axes, 0 where there is none.
func (o hddOptions) widths(axes int) ([]float64, error) {
	switch h := o.bandwidth; len(h) {
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
