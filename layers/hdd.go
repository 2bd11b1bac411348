package layers

import (
	"fmt"
	"math"
	"slices"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// HDDLayer is the random feature map of the kernel exp(-ρ²(p, q)/2σ²) of densities on the unit cube [0, 1]^l, l = 1, 2, 3, where ρ² is a
// homogeneous density distance: the Jensen-Shannon divergence, the squared Hellinger distance or the total variation. It is Fourier features
// of the Gaussian kernel,
//
//	z(p) = [cos(A(p)W) | sin(A(p)W)] / √m   (default)      z(p) = √(2/m) cos(A(p)W + b)   (WithPhase)
//
// on the embedding A (Embed) whose squared distances are about ρ²: the coefficients of √p cos(λ_j ln p) and √p sin(λ_j ln p), j = 1 to M, on an
// orthonormal basis (WithLambdas, WithBasis). Sutherland, Oliva, Póczos and Schneider (2016), equations (4) to (8).
//
// Input [n, V], each row the values of a density at the V points of a grid (Grid, WithPoints), not negative, whose mean is the integral; a
// histogram of V cells times V is one. Output [n, features]. Sets of samples come in by FwdBags and TransformBags, which estimate their
// densities (Densities); BagLayer is this layer as a map of them.
//
// In l > 3 dimensions a density cannot be had on a grid, and the layer is of the densities of the l coordinates, each by itself: input
// [n, lV], V points for the first coordinate, V for the second and so on. ρ² is the sum of those of the coordinates, and the embeddings of
// all are joined before W, as in the paper's experiment on scenes.
//
// Bandwidth and BandwidthEach tune σ, one or one for each coefficient; All tunes W, b and the λ_j. The derivative for p at 0 is defined as 0.
//
// What A loses is, besides chance in W, of two kinds: few λ_j, and few basis functions, which make distances smaller. The error of ρ² by
// Embed in per cent of the largest ρ² among 15 pairs of densities, the largest and (rms), for mixtures of two truncated normals with standard
// deviations of .1 to .3; the first line of each l has the defaults (ExampleHDDLayer_Embed prints this and more):
//
//	l  points  M                      JS           TV    Hellinger
//	1     128   5             2.7 (1.5)    9.1 (4.5)    0.1 (0.0)
//	1      16   5             2.7 (1.5)    9.2 (4.5)    0.2 (0.1)
//	1     128   2             6.6 (3.5)   14.8 (9.4)    0.1 (0.0)
//	1     128  20             0.6 (0.4)    7.7 (6.3)    0.1 (0.0)
//	1     128   5  gauss      0.8 (0.5)   10.8 (6.0)    0.1 (0.0)
//	1     128   5  drawn      9.1 (4.7)  47.0 (27.6)    0.1 (0.0)
//	2      48   5             1.9 (1.2)    9.8 (7.3)    0.0 (0.0)
//	2      48  20  16 functions  0.4 (0.2)    8.0 (6.3)    0.0 (0.0)
//	3      20   5             1.0 (0.5)  12.9 (11.6)    0.2 (0.1)
//	3      20  20  16 functions  0.2 (0.1)    8.0 (7.3)    0.2 (0.1)
//
// Five frequencies do for Jensen-Shannon, the better by spectral.GaussLambdas; the total variation has kinks where densities cross, and wants
// more functions. Sixteen points for ten functions lose nothing here.
type HDDLayer struct {
	*base
	distance spectral.DensityDistance
	sigma    float64
	axes     int
	grid     ops.Grid        // of all axes, or in more than three dimensions of each
	h        []*tensor.Dense // the bandwidths as the estimates take them, memory of the parameter
	options  hddOptions
	basis    *tensor.Dense // Φ
	width    int           // columns of A
	even     bool          // λ = 0
	outer    *randomMap
	grad     bool

	scratch sync.Pool // *tensor.Dense, A of a block of rows
}

var _ Layer = (*HDDLayer)(nil)

// NewHDDLayer draws the map of exp(-ρ²/2σ²) for densities on so many axes and the given number of output columns. Errors: a distance out of
// range, fewer than one axis, options that do not fit each other (ErrParam), and those of NewFourierLayer for the Gaussian kernel.
func NewHDDLayer(d spectral.DensityDistance, sigma float64, axes, features int, opts ...Option) (*HDDLayer, error) {
	const kind = "HDDLayer"
	o := newOptions(opts)
	b, err := newBase(kind, "hdd", 1, features, o)
	if err != nil {
		return nil, err
	}
	o.name = b.name
	fail := func(err error) (*HDDLayer, error) { return nil, fmt.Errorf("%s: %w", b.who(), err) }
	l := &HDDLayer{base: b, distance: d, sigma: sigma, axes: axes, options: o.hdd, grad: o.inputGrad}
	if l.grid, err = o.hdd.grid(axes); err != nil {
		return fail(err)
	}
	b.dims = l.parts() * l.grid.Len()
	if err := o.hdd.check(l.grid); err != nil {
		return fail(err)
	}
	h, err := o.hdd.widths(axes)
	if err != nil {
		return fail(err)
	}
	lambda, root, err := d.Lambdas(o.hdd.lambdas, o.hdd.rule, o.seed)
	if err != nil {
		return fail(err)
	}
	for j, w := range root {
		root[j] = math.Sqrt(w)
	}
	l.even = len(lambda) == 1 && lambda[0] == 0
	phi, cols := o.hdd.matrix(l.grid)
	l.basis = newTensor(b.dt, phi, l.grid.Len(), cols)
	if l.width = 2 * len(lambda) * cols; l.even {
		l.width = cols
	}
	l.width *= l.parts()
	if l.outer, err = newRandomMap(kind, "", spectral.Gaussian{Sigma: sigma}, l.width, features, o); err != nil {
		return nil, err
	}
	m := len(lambda)
	b.params = append([]Param{{"lambda", newTensor(b.dt, lambda, m), o.policy == All && !l.even}, {"root_weight", newTensor(b.dt, root, m), false},
		{"kde_bandwidth", newTensor(b.dt, h, axes), false}}, l.outer.Params()...)
	l.h = bandwidthsOf(l.param("kde_bandwidth"), l.parts())
	b.changed = l.outer.changed
	return l, nil
}

// Grid are the points at which densities are given: in more than three dimensions those of each coordinate.
func (l *HDDLayer) Grid() ops.Grid { return l.grid }

// parts is how many densities an input row is.
func (l *HDDLayer) parts() int { return l.axes / l.grid.Axes() }

// Distance is ρ².
func (l *HDDLayer) Distance() spectral.DensityDistance { return l.distance }

// Kernel is the exact kernel of the values of densities that the map approximates, with the σ that it was drawn for.
func (l *HDDLayer) Kernel() spectral.Kernel { return l.distance.Kernel(l.sigma, l.grid.Len()) }

// Policy says what is tuned.
func (l *HDDLayer) Policy() Policy { return l.outer.policy }

func (l *HDDLayer) String() string {
	return fmt.Sprintf("%s %q: %d -> %d -> %d, σ %v of %v·%T, %v points, %d %v functions an axis, %d λ, sampler %v, seed %d, %v, %v", l.kind, l.name, l.dims, l.width,
		l.features, l.sigma, l.distance.Scale, l.distance.Of, l.grid.Points(), l.options.functions, l.options.basis, l.param("lambda").Shape().TotalSize(),
		l.outer.sampler, l.outer.seed, l.dt, l.outer.policy)
}

// Fwd adds the map of densities x [n, V] to the graph of x.
func (l *HDDLayer) Fwd(x G.Input) G.Result {
	n, err := l.input(x)
	if err != nil {
		return G.Err(err)
	}
	return G.LiftResult(l.fwd(n, wantsGrad(n, l.grad)))
}

// fwd adds the map of densities p; grad says whether a gradient for them can be of use.
func (l *HDDLayer) fwd(p *G.Node, grad bool) (*G.Node, error) {
	var nodes [3]*G.Node
	for i, param := range []Param{l.params[0], l.params[1], {Name: "basis", Value: l.basis}} {
		var err error
		if nodes[i], err = l.node(p.Graph(), param); err != nil {
			return nil, err
		}
	}
	a := ops.Attr{Layer: l.who()}
	if !grad {
		a.Frozen |= ops.First
	}
	if l.outer.policy != All || l.even {
		a.Frozen |= ops.Second
	}
	n, err := ops.HDD(p, nodes[0], nodes[1], nodes[2], l.even, a)
	if err != nil {
		return nil, err
	}
	return l.outer.fwd(n)
}

// FwdBags adds the map of bags to the graph of their samples x [N, l], bag after bag: bag i has the rows offsets[i] to offsets[i+1]. Their
// densities are ops.KDE of them, with the bandwidth of WithKDEBandwidth. The gradient for the samples goes through the estimate, so a network
// may make them. Errors besides those of Fwd: no bandwidth (ErrParam), offsets that do not fit (ErrShape), and those of ops.KDE.
func (l *HDDLayer) FwdBags(x G.Input, offsets []int) G.Result {
	n, err := l.inputOf(x, l.axes)
	if err != nil {
		return G.Err(err)
	}
	e, err := l.estimate()
	if err != nil {
		return G.Err(err)
	}
	h := make([]*G.Node, len(l.h)) // which a graph of densities has no use for, and the LispMachine accepts no node without one
	for j, t := range l.h {
		if h[j], err = l.node(n.Graph(), Param{Name: fmt.Sprintf("kde_bandwidth_%d", j), Value: t}); err != nil {
			return G.Err(err)
		}
	}
	a := ops.Attr{Layer: l.who(), Frozen: ops.Second}
	grad := wantsGrad(n, l.grad)
	if !grad {
		a.Frozen |= ops.First
	}
	p, err := e.fwd(n, h, offsets, a)
	if err != nil {
		return G.Err(err)
	}
	return G.LiftResult(l.fwd(p, grad))
}

// estimate is that of the densities of bags.
func (l *HDDLayer) estimate() (estimate, error) {
	if slices.Contains(float64s(l.param("kde_bandwidth")), 0) {
		return estimate{}, fmt.Errorf("%s: bags want a bandwidth: find one by ops.ScottBandwidth or ops.CrossValidatedBandwidth and give it by WithKDEBandwidth: %w", l.who(), ErrParam)
	}
	return estimate{l.grid, l.h, l.axes}, nil
}

// Embed writes the embedding A of the densities x [n, V] to dst [n, K], allocated if nil: K columns whose squared distances are about ρ².
func (l *HDDLayer) Embed(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	return ops.HDDInto(dst, x, l.param("lambda"), l.param("root_weight"), l.basis, l.even, ops.Attr{Layer: l.who()})
}

func (l *HDDLayer) fits(x *tensor.Dense) error {
	if x.Dims() != 2 || x.Shape()[1] != l.dims {
		return fmt.Errorf("%s: x has shape %v, want [n, %d], densities at %v points: %w", l.who(), x.Shape(), l.dims, l.grid.Points(), ErrShape)
	}
	return nil
}

// Transform writes the features of the densities x [n, V] to dst.
func (l *HDDLayer) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	return inTwoSteps(l.who(), &l.scratch, dst, x, l.width, l.features, l.Embed, l.outer.Transform)
}

// Densities writes the estimates of the densities of bags of samples in [0, 1]^l to dst [n, V], in more than three dimensions [n, lV], allocated
// if nil: what Transform takes. Errors as of FwdBags.
func (l *HDDLayer) Densities(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	e, err := l.estimate()
	if err != nil {
		return nil, err
	}
	if b.Dtype() != l.dt {
		return nil, fmt.Errorf("%s: the bags are %v, the layer is %v: %w", l.who(), b.Dtype(), l.dt, ErrDtype)
	}
	return e.into(dst, b, ops.Attr{Layer: l.who()})
}

// TransformBags writes the features of bags of samples in [0, 1]^l to dst [n, features], allocated if nil. Errors as of FwdBags.
func (l *HDDLayer) TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	return bagsInTwoSteps(l.base, dst, b, l.dims, l.Densities, l.Transform)
}
