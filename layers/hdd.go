package layers

import (
	"fmt"
	"math"
	"slices"
	"sync"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// HDDLayer is the random feature map of the kernel exp(-ρ²(p, q)/2σ²) of densities on the unit cube [0, 1]^l. ρ² is a
// spectral.DensityDistance, such as the Jensen-Shannon divergence, the squared Hellinger distance or the total
// variation. The features are Fourier features of the Gaussian kernel,
//
//	z(p) = [cos(A(p)W) | sin(A(p)W)] / √m   (default)      z(p) = √(2/m) cos(A(p)W + b)   (WithPhase)
//
// on an embedding A (Embed) whose squared distances approximate ρ²: the coefficients of √p cos(λ_j ln p) and √p sin(λ_j
// ln p), j = 1 to M, on an orthonormal basis. Sutherland, Oliva, Póczos and Schneider (2016), equations (4) to (8).
//
// With the zero distance, ∫ (p - q)², A holds the coefficients of p itself, and there are no λ_j. Oliva, Neiswanger,
// Póczos, Schneider and Xing (2014), Fast distribution to real regression. This distance is not an information-theoretic
// one: it weighs a relative difference more where the densities are high, so a peak dominates it.
//
// Input [n, V]: each row holds the values of a density, not negative, at the V points of a grid (Grid). The
// mean of a row is the integral of the density, so a histogram of V cells, times V, is such a row. Output [n,
// features]. FwdBags and TransformBags take sets of samples and estimate their densities (Densities). NewBagLayer makes
// a map of sets of this layer.
//
// A grid cannot hold a density in l > 3 dimensions. The layer then takes the densities of R one-dimensional
// projections, the slices
//
//	t_r = ½ + Σ_j u_jr (x_j - ½),   Σ_j |u_jr| <= 1,   r = 1 to R.
//
// The first l directions u_r are the axes, so that the first l densities are the marginals, and as many more are
// random, at most 32. Input [n, RV]: the V points of the first direction, then of the second, and so on. The squared
// distance is the sum Σ_r ρ²(p_r, q_r) over the directions, whose embeddings are joined before W, as those of the
// coordinates are in the paper's experiment on scenes. Equal distributions have the distance 0. As R grows, only they
// have it, since a distribution is determined by its projections on all directions (Cramér and Wold 1936); with
// finitely many directions some differences are not seen. The directions depend on l alone, so that the distance is the
// same for every seed. Bandwidths are given for coordinates; that of slice r is √(Σ_j u_jr² h_j²), as if the joint
// estimate were projected, and at least 1/2V for a random direction.
//
// The kernel of the total variation is the Laplacian kernel of the values. Without Lambdas its map has Cauchy
// frequencies on the values themselves: it is unbiased, W has Dims rows, and there is no embedding.
//
// Bandwidth tunes σ, BandwidthEach one σ for each coefficient or value, All W, b and the λ_j. The derivative for p at 0
// is defined as 0.
//
// With finitely many λ_j and basis functions the embedding is not exact. The table shows the error of ρ² by Embed in
// per cent of the largest ρ² among 15 pairs of densities, the maximum and (rms). The densities are mixtures of two
// truncated normals with standard deviations of .1 to .3. The first line of each l has the defaults, and for the total
// variation Lambdas: 5 (ExampleHDDLayer_Embed prints this and more):
//
//	l  points  M                      JS           TV    Hellinger
//	1     128   5             0.8 (0.5)   10.8 (6.0)    0.1 (0.0)
//	1      16   5             0.8 (0.5)    8.9 (4.9)    0.2 (0.1)
//	1     128   2             4.2 (2.3)   14.8 (8.3)    0.1 (0.0)
//	1     128  20             0.1 (0.1)    7.9 (6.1)    0.1 (0.0)
//	1     128   5  quantile   2.7 (1.5)    9.1 (4.5)    0.1 (0.0)
//	1     128   5  drawn      9.1 (4.7)  47.0 (27.6)    0.1 (0.0)
//	2      48   5             0.5 (0.3)  14.7 (11.2)    0.0 (0.0)
//	2      48   5  quantile   1.9 (1.2)    9.8 (7.3)    0.0 (0.0)
//	2      48  20  16 functions  0.0 (0.0)    7.8 (6.4)    0.0 (0.0)
//	3      20   5             0.2 (0.1)  14.9 (12.9)    0.2 (0.1)
//	3      20   5  quantile   1.0 (0.5)  12.9 (11.6)    0.2 (0.1)
//	3      20  20  16 functions  0.2 (0.1)    7.9 (7.3)    0.2 (0.1)
//
// Five frequencies by spectral.GaussLambdas are enough for Jensen-Shannon. The total variation has kinks where
// densities cross, and needs more functions; with ten of them the lower frequencies of spectral.QuantileLambdas give a
// smaller error.
type HDDLayer struct {
	*base
	of      Density
	axes    int
	grid    ops.Grid        // of all axes, or in more than three dimensions of each direction
	slicing *slicing        // in more than three dimensions
	h       []*tensor.Dense // the bandwidths as the estimates take them, memory of the parameter
	basis   *tensor.Dense   // Φ; nil for frequencies on the values, which have no embedding
	even    bool            // λ = 0
	width   int             // columns of the embedding A
	outer   *randomMap

	scratch sync.Pool // *tensor.Dense, A of a block of rows
}

var _ Layer = (*HDDLayer)(nil)

// NewHDDLayer draws the map of a kernel for densities on so many axes and the given number of output columns. Errors: a
// distance out of range, fewer than one axis, fields that contradict each other or exceed the grid (ErrParam), and the
// errors of NewFourierLayer for the Gaussian kernel.
func NewHDDLayer(of Density, axes, features int, opts ...Option) (*HDDLayer, error) {
	o, err := newOptions("NewHDDLayer", opts, fourierOptions)
	if err != nil {
		return nil, err
	}
	return newHDDLayer(of, axes, features, o)
}

func newHDDLayer(given Density, axes, features int, o options) (*HDDLayer, error) {
	b, err := newBase("HDDLayer", "hdd", 1, features, o)
	if err != nil {
		return nil, err
	}
	o.name = b.name
	if err := given.unused(); err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	of := given.filled()
	l := &HDDLayer{base: b, of: of, axes: axes}
	l.drawn("W", o, func(o options) (peeker, error) { return newHDDLayer(given, axes, features, o) })
	if l.grid, err = of.grid(axes); err == nil && axes > l.grid.Axes() {
		err = domain.CheckSize("directions", 8, axes, densityCount(axes, l.grid))
	}
	if err == nil {
		err = of.fits(l.grid, l.parts())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	b.dims = l.parts() * l.grid.Len()
	if of.direct() {
		return l, l.drawDirect(o)
	}
	phi, cols := of.matrix(l.grid)
	l.basis = newTensor(l.dt, phi, l.grid.Len(), cols)
	params, each, err := l.lambdas(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	l.width = l.parts() * each * cols
	return l, l.draw(spectral.Gaussian{Sigma: of.Sigma}, params, o)
}

// lambdas returns the parameters of the embedding, and the number of coefficients that a density has for every function
// of the basis.
func (l *HDDLayer) lambdas(o options) (params []Param, each int, err error) {
	if l.of.l2() {
		return nil, 1, nil
	}
	lambda, root, err := l.of.Distance.Lambdas(l.of.Lambdas, l.of.Rule, o.sourceSeed())
	if err != nil {
		return nil, 0, err
	}
	for j, w := range root {
		root[j] = math.Sqrt(w)
	}
	m := len(lambda)
	each = 2 * m
	if l.even = m == 1 && lambda[0] == 0; l.even {
		each = 1
	}
	return []Param{{"lambda", newTensor(l.dt, lambda, m), o.policy == All && !l.even},
		{"root_weight", newTensor(l.dt, root, m), false}}, each, nil
}

// drawDirect makes the parameters of a map with frequencies on the values of densities.
func (l *HDDLayer) drawDirect(o options) error {
	for _, k := range []spectral.Validator{l.of.Distance, spectral.Gaussian{Sigma: l.of.Sigma}} {
		if err := k.Validate(); err != nil {
			return fmt.Errorf("%s: %w", l.who(), err)
		}
	}
	law, _ := l.of.Distance.Kernel(l.of.Sigma, l.grid.Len()).Laplacian()
	l.width = l.dims
	if err := l.draw(law, nil, o); err != nil {
		return err
	}
	l.outer.on = l.of.Distance.Of.Domain()
	return nil
}

// draw makes the bandwidth of the estimate and the parameters of the random map, after those of the embedding.
func (l *HDDLayer) draw(k spectral.Random, params []Param, o options) error {
	h, err := l.of.widths(l.axes)
	if err != nil {
		return fmt.Errorf("%s: %w", l.who(), err)
	}
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

// Kernel returns the exact kernel, of the values of two densities, for the σ that the map was drawn with.
func (l *HDDLayer) Kernel() spectral.Kernel { return l.of.onRows(l.grid.Len()) }

// Density returns the kernel of densities and its embedding, with which the map was drawn.
func (l *HDDLayer) Density() Density { return l.of }

// Axes returns l, the number of coordinates of a sample.
func (l *HDDLayer) Axes() int { return l.axes }

// Grid returns the points at which densities are given. With more than three coordinates, these are the points of each
// direction.
func (l *HDDLayer) Grid() ops.Grid { return l.grid }

// parts returns how many densities an input row holds.
func (l *HDDLayer) parts() int { return densityCount(l.axes, l.grid) }

// Policy returns the tuning policy.
func (l *HDDLayer) Policy() Policy { return l.outer.policy }

func (l *HDDLayer) String() string {
	distance := "L2"
	if !l.of.l2() {
		distance = fmt.Sprintf("%v·%T", l.of.Distance.Scale, l.of.Distance.Of)
		if !l.of.direct() {
			distance += fmt.Sprintf(", %d λ", l.param("lambda").Shape().TotalSize())
		}
	}
	return fmt.Sprintf("%s %q: %d -> %d -> %d, σ %.6g of %s, %d x %v points, %d %v functions an axis, sampler %v, "+
		"seed %d, %v, %v", l.kind, l.name, l.dims, l.width,
		l.features, l.of.Sigma, distance, l.parts(), l.grid.Points(), l.of.Functions, l.of.Basis,
		l.outer.sampler, l.outer.seed, l.dt, l.outer.policy)
}

// Fwd adds the map of densities x [n, Dims] to the graph of x.
func (l *HDDLayer) Fwd(x G.Input) G.Result {
	return l.lift(x, l.fwd)
}

// fwd adds the map of the densities p.
func (l *HDDLayer) fwd(p *G.Node) (*G.Node, error) {
	if l.basis == nil {
		return l.outer.fwd(p)
	}
	p, a, err := data(p, l.grad, ops.Attr{Layer: l.who()})
	if err != nil {
		return nil, err
	}
	in := []*G.Node{p}
	for _, param := range l.embedding() {
		n, err := l.node(p.Graph(), param)
		if err != nil {
			return nil, err
		}
		in = append(in, n)
	}
	if l.outer.policy != All || l.even {
		a.Frozen |= ops.Lambda
	}
	n, err := l.op(a).Node(in...)
	if err != nil {
		return nil, err
	}
	return l.outer.fwd(n)
}

// embedding returns the inputs of op besides the densities.
func (l *HDDLayer) embedding() (in []Param) {
	if !l.of.l2() {
		in = l.params[:2]
	}
	return append(in[:len(in):len(in)], Param{Name: "basis", Value: l.basis})
}

// op is the embedding A.
func (l *HDDLayer) op(a ops.Attr) ops.Op {
	if l.of.l2() {
		return ops.Coefficients(a)
	}
	return ops.HDD(l.even, a)
}

// FwdBags adds the map of bags to the graph of their samples x [N, l], bag after bag: bag i has the rows offsets[i] to
// offsets[i+1], exclusive. ops.KDE estimates the densities, with the Bandwidth of the Density. The gradient for
// the samples goes through the estimate, so a network may compute them. Errors: as for Fwd and ops.KDE, and no
// bandwidth (ErrParam), offsets that do not fit x (ErrShape).
func (l *HDDLayer) FwdBags(x G.Input, offsets []int) G.Result {
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
func (l *HDDLayer) estimate() (estimate, error) {
	if slices.Contains(ops.Float64s(l.param("kde_bandwidth")), 0) {
		return estimate{}, fmt.Errorf("%s: bags want a bandwidth: find one by ops.ScottBandwidth or "+
			"ops.CrossValidatedBandwidth and give it as the Bandwidth of the Density: %w", l.who(), ErrParam)
	}
	return estimate{l.grid, l.h, l.axes, l.slicing}, nil
}

// Embed writes the embedding A of the densities x [n, Dims] to dst [n, K], allocated if nil. The squared distance of
// two rows of A approximates ρ². Errors as for Transform; a layer without an embedding, see HDDLayer (ErrParam).
func (l *HDDLayer) Embed(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	if l.basis == nil {
		return nil, fmt.Errorf("%s: its frequencies are those of the values of densities, and it has no embedding; "+
			"build it with Lambdas: %w", l.who(), ErrParam)
	}
	l.use()
	var in []ops.Matrix
	for _, param := range l.embedding() {
		in = append(in, param.Value)
	}
	return l.op(ops.Attr{Layer: l.who()}).Into(dst, x, in...)
}

func (l *HDDLayer) fits(x *tensor.Dense) error {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return fmt.Errorf("%w; x are densities at %v points", err, l.grid.Points())
	}
	return nil
}

// Transform writes the features of the densities x [n, Dims] to dst.
func (l *HDDLayer) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := l.fits(x); err != nil {
		return nil, err
	}
	if l.basis == nil {
		return l.outer.Transform(dst, x)
	}
	return inTwoSteps(l.who(), &l.scratch, dst, x, blockRows(l.width), l.features, l.Embed, l.outer.Transform)
}

// Densities writes the estimates of the densities of bags of samples in [0, 1]^l to dst [n, Dims], allocated if nil:
// the input of Transform. Errors: no bandwidth (ErrParam), nil bags or another number of coordinates (ErrShape),
// another element type (ErrDtype), samples outside the cube (ErrDomain).
func (l *HDDLayer) Densities(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
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
func (l *HDDLayer) TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	return bagsInTwoSteps(l.base, dst, b, l.dims, l.Densities, l.Transform)
}
