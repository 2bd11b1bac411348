package layers

import (
	"fmt"
	"math"

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
	embeds    bool // WithLambdas was given
	direct    bool // the frequencies are those of the values, without an embedding
	rule      spectral.LambdaRule
	bandwidth []float64 // nil: none
}

var hddDefaults = hddOptions{basis: CosineBasis, functions: 10, lambdas: 5, rule: spectral.GaussLambdas}

// hddPoints are the default numbers of points on an axis, for one to three axes.
var hddPoints = [...]int{128, 48, 20}

// WithPoints sets the number of points of the grid of a density embedding, one number for all axes or one for each. The
// default is 128 on one axis, 48 on each of two and 20 on each of three. With more than three axes each direction has
// a grid of its own (HDDLayer): give one number for all, by default 128.
func WithPoints(points ...int) Option {
	return option("WithPoints", func(o *options) { o.hdd.points = points })
}

// WithScatteredPoints replaces the grid of a density embedding, of at most three axes, by the rows of x [V, l]
// (ops.NewPoints). With uniform points, as in the paper, integrals have an error of the order V^(-1/2); a grid is more
// accurate and much faster. An error (ErrParam) together with WithPoints.
func WithScatteredPoints(x *tensor.Dense) Option {
	return option("WithScatteredPoints", func(o *options) { o.hdd.at = x })
}

// WithBasis sets the basis of a density embedding and the number of its functions on each axis. The default is 10
// functions of CosineBasis.
func WithBasis(b Basis, functions int) Option {
	return option("WithBasis", func(o *options) { o.hdd.basis, o.hdd.functions = b, functions })
}

// WithBoxBasis takes all functions^l products of the functions of l axes into the basis of a density embedding. The
// default is the products whose degrees sum to at most the degree of the last function on an axis, about
// functions^l/l!. The two are the same for l = 1 and for l > 3, where each direction has a basis of its own.
func WithBoxBasis() Option { return option("WithBoxBasis", func(o *options) { o.hdd.box = true }) }

// WithLambdas sets the number M of frequencies λ of an HDDLayer and the rule that chooses them. The default is 5 by
// spectral.GaussLambdas, except for the total variation, which by default has no λ. For the Hellinger distance, which
// has the only frequency 0, the option is an error (ErrParam).
func WithLambdas(m int, rule spectral.LambdaRule) Option {
	return option("WithLambdas", func(o *options) {
		o.hdd.lambdas, o.hdd.rule, o.hdd.embeds = m, rule, true
	})
}

// WithKDEBandwidth sets the bandwidth of the density estimate of bags, in the unit of the samples: one number for all
// axes or one for each, as ops.ScottBandwidth or ops.CrossValidatedBandwidth finds on the training bags. With more than
// three axes, where densities are one-dimensional, find them for each axis by itself (ops.Bags.Axis). There is no
// default: a layer without it, or with 0, takes densities only, not bags. Whether the points of the grid can show it is
// checked when bags come, see ops.KDE.
func WithKDEBandwidth(h ...float64) Option {
	return option("WithKDEBandwidth", func(o *options) { o.hdd.bandwidth = h })
}

// grid returns the grid for so many axes. If a grid cannot have so many, it is the grid of one coordinate.
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

// widths returns one bandwidth for each axis, 0 if none was given.
func (o hddOptions) widths(axes int) ([]float64, error) {
	for _, h := range o.bandwidth {
		if !(h >= 0) || math.IsInf(h, 1) {
			return nil, fmt.Errorf("WithKDEBandwidth: %v is no bandwidth; ops.ScottBandwidth finds one: %w", h, ErrParam)
		}
	}
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
