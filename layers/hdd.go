package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
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
// ln p), j = 1 to M, on an orthonormal basis (WithLambdas, WithBasis). Sutherland, Oliva, Póczos and Schneider (2016),
// equations (4) to (8).
//
// Input [n, V]: each row holds the values of a density, not negative, at the V points of a grid (Grid, WithPoints). The
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
// The kernel of the total variation is the Laplacian kernel of the values. Without WithLambdas its map has Cauchy
// frequencies on the values themselves: it is unbiased, W has Dims rows, and there is no embedding.
//
// Bandwidth tunes σ, BandwidthEach one σ for each coefficient or value, All W, b and the λ_j. The derivative for p at 0
// is defined as 0.
//
// With finitely many λ_j and basis functions the embedding is not exact. The table shows the error of ρ² by Embed in
// per cent of the largest ρ² among 15 pairs of densities, the maximum and (rms). The densities are mixtures of two
// truncated normals with standard deviations of .1 to .3. The first line of each l has the defaults, and for the total
// variation WithLambdas(5, spectral.GaussLambdas) (ExampleHDDLayer_Embed prints this and more):
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
	*densityLayer
	distance spectral.DensityDistance
	even     bool // λ = 0
}

var _ DensityLayer = (*HDDLayer)(nil)

// NewHDDLayer draws the map of exp(-ρ²/2σ²) for densities on so many axes and the given number of output columns.
// Errors: a distance out of range, fewer than one axis, options that contradict each other or exceed the grid,
// WithLambdas for the Hellinger distance (ErrParam), and the errors of NewFourierLayer for the Gaussian kernel.
func NewHDDLayer(d spectral.DensityDistance, sigma float64, axes, features int, opts ...Option) (*HDDLayer, error) {
	o, err := newOptions("NewHDDLayer", opts)
	if err != nil {
		return nil, err
	}
	return newHDDLayer(d, sigma, axes, features, o)
}

func newHDDLayer(d spectral.DensityDistance, sigma float64, axes, features int, o options) (*HDDLayer, error) {
	_, l1 := d.Kernel(1, 1).Laplacian()
	o.hdd.direct = l1 && !o.hdd.embeds
	core, err := newDensityLayer("HDDLayer", "hdd", axes, features, &o)
	if err != nil {
		return nil, err
	}
	core.drawn("W", o, func(o options) (peeker, error) { return newHDDLayer(d, sigma, axes, features, o) })
	l := &HDDLayer{densityLayer: core, distance: d}
	if o.hdd.direct {
		return l, l.drawDirect(sigma, o)
	}
	core.embedding = l
	lambda, root, err := d.Lambdas(o.hdd.lambdas, o.hdd.rule, o.sourceSeed())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.who(), err)
	}
	if pointMass(d.Of) {
		if err := o.unheeded(l.who(), pointMassHeeds, "WithLambdas"); err != nil {
			return nil, err
		}
	}
	for j, w := range root {
		root[j] = math.Sqrt(w)
	}
	m, each := len(lambda), 2*len(lambda)
	if l.even = m == 1 && lambda[0] == 0; l.even {
		each = 1
	}
	params := []Param{{"lambda", newTensor(l.dt, lambda, m), o.policy == All && !l.even},
		{"root_weight", newTensor(l.dt, root, m), false}}
	if err := core.draw(sigma, each, params, o); err != nil {
		return nil, err
	}
	return l, nil
}

// drawDirect makes the parameters of a map with frequencies on the values of densities.
func (l *HDDLayer) drawDirect(sigma float64, o options) error {
	if err := o.unheeded(l.who(), "without WithLambdas the map of this distance has frequencies on the values of "+
		"densities, and no basis", "WithBasis", "WithBoxBasis"); err != nil {
		return err
	}
	for _, k := range []spectral.Validator{l.distance, spectral.Gaussian{Sigma: sigma}} {
		if err := k.Validate(); err != nil {
			return fmt.Errorf("%s: %w", l.who(), err)
		}
	}
	law, _ := l.distance.Kernel(sigma, l.grid.Len()).Laplacian()
	l.width = l.dims
	if err := l.drawOn(law, sigma, nil, o); err != nil {
		return err
	}
	l.outer.on = l.distance.Of.Domain()
	return nil
}

// Distance returns ρ².
func (l *HDDLayer) Distance() spectral.DensityDistance { return l.distance }

// Kernel returns the exact kernel, of the values of two densities, for the σ that the map was drawn with.
func (l *HDDLayer) Kernel() spectral.Kernel { return l.distance.Kernel(l.sigma, l.grid.Len()) }

func (l *HDDLayer) String() string {
	if l.embedding == nil {
		return l.text(fmt.Sprintf("%v·%T", l.distance.Scale, l.distance.Of))
	}
	return l.text(fmt.Sprintf("%v·%T, %d λ", l.distance.Scale, l.distance.Of, l.param("lambda").Shape().TotalSize()))
}

func (l *HDDLayer) embedNode(p *G.Node, a ops.Attr) (*G.Node, error) {
	var nodes [3]*G.Node
	for i, param := range []Param{l.params[0], l.params[1], {Name: "basis", Value: l.basis}} {
		var err error
		if nodes[i], err = l.node(p.Graph(), param); err != nil {
			return nil, err
		}
	}
	if l.outer.policy != All || l.even {
		a.Frozen |= ops.Lambda
	}
	return ops.HDD(l.even, a).Node(p, nodes[0], nodes[1], nodes[2])
}

func (l *HDDLayer) embed(dst, x *tensor.Dense, a ops.Attr) (*tensor.Dense, error) {
	return ops.HDD(l.even, a).Into(dst, x, l.param("lambda"), l.param("root_weight"), l.basis)
}
