package layers

import (
	"fmt"
	"slices"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// DensityLayer is a map of densities that can also estimate the densities of sets of samples: HDDLayer and
// L2DensityLayer.
type DensityLayer interface {
	Layer
	// Axes returns l, the number of coordinates of a sample.
	Axes() int
	// Densities writes the estimates of the densities of bags to dst [n, Dims], allocated if nil: the input of
	// Transform.
	Densities(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error)
	// FwdBags adds the map of bags to the graph of their samples x [N, l]: bag i has the rows offsets[i] to
	// offsets[i+1].
	FwdBags(x G.Input, offsets []int) G.Result
	// TransformBags writes the features of bags to dst [n, Features], allocated if nil.
	TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error)
}

// densityLayer is the common part of the maps of densities: a grid, an embedding by coefficients on a basis, and
// Fourier features of the Gaussian kernel on the embedding.
type densityLayer struct {
	*base
	embedding // nil for frequencies on the values
	sigma     float64
	axes      int
	grid      ops.Grid        // of all axes, or in more than three dimensions of each direction
	slicing   *slicing        // in more than three dimensions
	h         []*tensor.Dense // the bandwidths as the estimates take them, memory of the parameter
	options   hddOptions
	basis     *tensor.Dense // Φ
	width     int           // columns of the embedding A
	outer     *randomMap

	scratch sync.Pool // *tensor.Dense, A of a block of rows
}

// embedding computes the A of a density layer, in a graph and without one.
type embedding interface {
	embedNode(p *G.Node, a ops.Attr) (*G.Node, error)
	embed(dst, x *tensor.Dense, a ops.Attr) (*tensor.Dense, error)
}

// newDensityLayer checks the grid and the basis, and makes the layer without its parameters.
func newDensityLayer(kind, auto string, axes, features int, o *options) (*densityLayer, error) {
	b, err := newBase(kind, auto, 1, features, *o)
	if err != nil {
		return nil, err
	}
	o.name = b.name
	l := &densityLayer{base: b, axes: axes, options: o.hdd}
	if l.grid, err = o.hdd.grid(axes); err == nil && axes > l.grid.Axes() {
		err = domain.CheckSize("directions", 8, axes, densityCount(axes, l.grid))
	}
	if err == nil {
		err = o.hdd.check(l.grid, l.parts())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	b.dims = l.parts() * l.grid.Len()
	return l, nil
}

// draw makes the parameters of the embedding, the bandwidth of the estimate and the parameters of the random map. each
// is the number of coefficients that a density has for every function of the basis.
func (l *densityLayer) draw(sigma float64, each int, params []Param, o options) error {
	phi, cols := o.hdd.matrix(l.grid)
	l.basis = newTensor(l.dt, phi, l.grid.Len(), cols)
	l.width = l.parts() * each * cols
	return l.drawOn(spectral.Gaussian{Sigma: sigma}, sigma, params, o)
}

// drawOn is draw for frequencies of k on so many columns as the layer has of its embedding, or of values.
func (l *densityLayer) drawOn(k spectral.Random, sigma float64, params []Param, o options) error {
	h, err := o.hdd.widths(l.axes)
	if err != nil {
		return fmt.Errorf("%s: %w", l.who(), err)
	}
	l.sigma = sigma
	if l.outer, err = newRandomMap(l.kind, "", k, l.width, l.features, o); err != nil {
		return err
	}
	if l.parts() > 1 {
		l.slicing, h = newSlicing(h, .5/float64(l.grid.Len()), l.parts(), l.dt)
	}
	bandwidth := newTensor(l.dt, h, len(h))
	l.params = append(append(params, Param{"kde_bandwidth", bandwidth, false}), l.slicing.params()...)
	l.params = append(l.params, l.outer.params...)
	l.h = bandwidthsOf(bandwidth, l.parts())
	l.changed, l.outer.origin, l.watch = l.outer.changed, l.origin, l.outer.watch
	return nil
}

// Axes returns l, the number of coordinates of a sample.
func (l *densityLayer) Axes() int { return l.axes }

// Grid returns the points at which densities are given. With more than three coordinates, these are the points of each
// direction.
func (l *densityLayer) Grid() ops.Grid { return l.grid }

// parts returns how many densities an input row holds.
func (l *densityLayer) parts() int { return densityCount(l.axes, l.grid) }

// Policy returns the tuning policy.
func (l *densityLayer) Policy() Policy { return l.outer.policy }

// text describes a layer of the given distance.
func (l *densityLayer) text(distance string) string {
	return fmt.Sprintf("%s %q: %d -> %d -> %d, σ %.6g of %s, %d x %v points, %d %v functions an axis, sampler %v, "+
		"seed %d, %v, %v", l.kind, l.name, l.dims, l.width,
		l.features, l.sigma, distance, l.parts(), l.grid.Points(), l.options.functions, l.options.basis,
		l.outer.sampler, l.outer.seed, l.dt, l.outer.policy)
}

// Fwd adds the map of densities x [n, Dims] to the graph of x.
func (l *densityLayer) Fwd(x G.Input) G.Result {
	return l.lift(x, l.fwd)
}

// fwd adds the map of the densities p.
func (l *densityLayer) fwd(p *G.Node) (*G.Node, error) {
	if l.embedding == nil {
		return l.outer.fwd(p)
	}
	p, a, err := data(p, l.grad, ops.Attr{Layer: l.who()})
	if err != nil {
		return nil, err
	}
	n, err := l.embedNode(p, a)
	if err != nil {
		return nil, err
	}
	return l.outer.fwd(n)
}

// FwdBags adds the map of bags to the graph of their samples x [N, l], bag after bag: bag i has the rows offsets[i] to
// offsets[i+1], exclusive. ops.KDE estimates the densities, with the bandwidth of WithKDEBandwidth. The gradient for
// the samples goes through the estimate, so a network may compute them. Errors: as for Fwd and ops.KDE, and no
// bandwidth (ErrParam), offsets that do not fit x (ErrShape).
func (l *densityLayer) FwdBags(x G.Input, offsets []int) G.Result {
	n, err := l.inputOf(x, l.axes)
	if err != nil {
		return G.Err(err)
	}
	e, err := l.estimate()
	if err != nil {
		return G.Err(err)
	}
	// A graph of densities has no use for these nodes, and the LispMachine accepts no node without a use.
	h := make([]*G.Node, len(l.h))
	for j, t := range l.h {
		if h[j], err = l.node(n.Graph(), Param{Name: fmt.Sprintf("kde_bandwidth_%d", j), Value: t}); err != nil {
			return G.Err(err)
		}
	}
	var u []*G.Node
	for _, param := range l.slicing.params() {
		d, err := l.node(n.Graph(), param)
		if err != nil {
			return G.Err(err)
		}
		u = append(u, d)
	}
	n, a, err := data(n, l.grad, ops.Attr{Layer: l.who(), Frozen: ops.H})
	if err != nil {
		return G.Err(err)
	}
	p, err := e.fwd(n, h, u, offsets, a)
	if err != nil {
		return G.Err(err)
	}
	return G.LiftResult(l.fwd(p))
}

// estimate returns the density estimate for bags.
func (l *densityLayer) estimate() (estimate, error) {
	if slices.Contains(ops.Float64s(l.param("kde_bandwidth")), 0) {
		return estimate{}, fmt.Errorf("%s: bags want a bandwidth: find one by ops.ScottBandwidth or "+
			"ops.CrossValidatedBandwidth and give it by WithKDEBandwidth: %w", l.who(), ErrParam)
	}
	return estimate{l.grid, l.h, l.axes, l.slicing}, nil
}

// Embed writes the embedding A of the densities x [n, Dims] to dst [n, K], allocated if nil. The squared distance of
// two rows of A approximates ρ². Errors as for Transform; a layer without an embedding, see HDDLayer (ErrParam).
func (l *densityLayer) Embed(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	if l.embedding == nil {
		return nil, fmt.Errorf("%s: its frequencies are those of the values of densities, and it has no embedding; "+
			"build it with WithLambdas: %w", l.who(), ErrParam)
	}
	l.use()
	return l.embed(dst, x, ops.Attr{Layer: l.who()})
}

func (l *densityLayer) fits(x *tensor.Dense) error {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return fmt.Errorf("%w; x are densities at %v points", err, l.grid.Points())
	}
	return nil
}

// Transform writes the features of the densities x [n, Dims] to dst.
func (l *densityLayer) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	if l.embedding == nil {
		return l.outer.Transform(dst, x)
	}
	return inTwoSteps(l.who(), &l.scratch, dst, x, blockRows(l.width), l.features, l.Embed, l.outer.Transform)
}

// Densities writes the estimates of the densities of bags of samples in [0, 1]^l to dst [n, Dims], allocated if nil:
// the input of Transform. Errors: no bandwidth (ErrParam), nil bags or another number of coordinates (ErrShape),
// another element type (ErrDtype), samples outside the cube (ErrDomain).
func (l *densityLayer) Densities(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	e, err := l.estimate()
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, noBags(l.who())
	}
	if b.Dtype() != l.dt {
		return nil, fmt.Errorf("%s: the bags are %v, the layer is %v: %w", l.who(), b.Dtype(), l.dt, ErrDtype)
	}
	return e.into(dst, b, ops.Attr{Layer: l.who()})
}

// TransformBags writes the features of bags of samples in [0, 1]^l to dst [n, features], allocated if nil. Errors as
// for Densities.
func (l *densityLayer) TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	return bagsInTwoSteps(l.base, dst, b, l.dims, l.Densities, l.Transform)
}
