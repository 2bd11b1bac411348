package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
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
// Póczos, Schneider and Xing (2014), Fast distribution to real regression. This distance is not an
// information-theoretic one: it weighs a relative difference more where the densities are high, so a peak dominates it.
//
// Input [n, V]: each row holds the values of a density, not negative, at the V points of a grid (Grid). The
// mean of a row is the integral of the density, so a histogram of V cells, times V, is such a row. Output [n,
// features]. NewBagLayer makes a map of sets of samples of this layer, which estimates their densities.
//
// A grid cannot hold a density in l > 3 dimensions. The layer then takes the densities of R one-dimensional
// projections, the slices
//
//	t_r = ½ + Σ_j u_jr (x_j - ½),   Σ_j |u_jr| <= 1,   r = 1 to R.
//
// The first l directions u_r are the axes, so that the first l densities are the marginals, and as many more are
// random, at most 32. Input [n, RV]: the V points of the first direction, then of the second, and so on. The squared
// distance is the sum Σ_r ρ²(p_r, q_r) over the directions, whose embeddings are joined before W, as the
// coordinates' are in the paper's experiment on scenes. Equal distributions have the distance 0. As R grows, only they
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
// variation Lambdas: 5 (ExampleHDDLayer_Embed prints it):
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
	composed // A, or nothing, then the random map
	of       Density
	sets     estimate // of their densities
}

// NewHDDLayer draws the map of a kernel for densities on so many axes and the given number of output columns. Errors: a
// distance out of range, fewer than one axis, fields that contradict each other or exceed the grid (ErrParam), and the
// errors of NewFourierLayer for the Gaussian kernel.
func NewHDDLayer(of Density, axes, features int, opts ...Option) (*HDDLayer, error) {
	b, o, err := begin("HDDLayer", 1, features, opts, fourierOptions)
	if err != nil {
		return nil, err
	}
	o.name = b.name
	l := &HDDLayer{of: of.filled()}
	l.composed = composed{sparseMapper: newSparseMapper(b, ops.Domain{})}
	if err = of.unused(); err == nil {
		l.sets, err = l.of.estimate(axes, b.dt)
	}
	if err == nil {
		err = l.of.fits(l.sets.grid, len(l.sets.h))
	}
	var k spectral.Random
	if err == nil {
		b.dims = len(l.sets.h) * l.sets.grid.Len()
		b.columns = fmt.Sprintf("densities at %v points", l.sets.grid.Points())
		k, err = l.embed(o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	l.params = l.sets.params()
	if err := l.compose(k, o); err != nil {
		return nil, err
	}
	if l.inner == nil {
		l.outer.on = l.of.Distance.Of.Domain()
	}
	l.drawn("W", o, func(o options) (Layer, error) { return NewHDDLayer(of, axes, features, withAll(o)) })
	l.outer.origin = l.origin
	return l, nil
}

// embed makes the embedding, if the map has one, and returns the kernel of the random map.
func (l *HDDLayer) embed(o options) (spectral.Random, error) {
	gaussian, even := spectral.Gaussian{Sigma: l.of.Sigma}, false
	if l.of.direct() {
		if err := l.of.Distance.Validate(); err != nil {
			return nil, err
		}
		law, _ := l.of.Distance.Kernel(l.of.Sigma, l.sets.grid.Len()).Laplacian()
		return law, gaussian.Validate()
	}
	b, err := newBase(l.kind, l.dims, 1, o)
	if err != nil {
		return nil, err
	}
	phi, cols := l.of.matrix(l.sets.grid)
	b.columns, b.features = l.columns, len(l.sets.h)*cols
	op := ops.Coefficients
	if !l.of.l2() {
		lambda, root, err := l.of.Distance.Lambdas(l.of.Lambdas, l.of.Rule, o.sourceSeed())
		if err != nil {
			return nil, err
		}
		for j, w := range root {
			root[j] = math.Sqrt(w)
		}
		m := len(lambda)
		b.what = fmt.Sprintf(", %d λ", m)
		even = m == 1 && lambda[0] == 0
		tuned := o.policy == All && !even
		b.add("lambda", tuned, lambda)
		b.add("root_weight", false, root)
		if b.features *= m; !even {
			b.features *= 2
		}
		op = func(a ops.Attr) ops.Op {
			if !tuned {
				a.Frozen |= ops.Lambda
			}
			return ops.HDD(even, a)
		}
	}
	b.add("basis", false, phi, l.sets.grid.Len(), cols)
	l.inner = embedding{newSingle(b, ops.Domain{}, false, op)}
	return gaussian, nil
}

// embedding is the map A of densities. Its last parameter, the basis, follows from the fields of a Density.
type embedding struct{ *mapper }

func (a embedding) peek() []Param { return a.mapper.peek()[:len(a.params)-1] }

// Kernel returns the exact kernel, of the values of two densities, for the σ that the map was drawn with.
func (l *HDDLayer) Kernel() spectral.Kernel { return l.of.onRows(l.sets.grid.Len()) }

// Density returns the kernel of densities and its embedding, with which the map was drawn.
func (l *HDDLayer) Density() Density { return l.of }

// Grid returns the points at which densities are given. With more than three coordinates, these are the points of each
// direction.
func (l *HDDLayer) Grid() ops.Grid { return l.sets.grid }

func (l *HDDLayer) String() string {
	distance := "L2"
	if !l.of.l2() {
		distance = fmt.Sprintf("%v·%T", l.of.Distance.Scale, l.of.Distance.Of)
	}
	if l.inner != nil {
		distance += l.inner.about()
	}
	return l.drawnText(fmt.Sprintf("σ %.6g of %s, %d x %v points, %d %v functions an axis", l.of.Sigma,
		distance, len(l.sets.h), l.sets.grid.Points(), l.of.Functions, l.of.Basis))
}

// Embed writes the embedding A of the densities x [n, Dims] to dst [n, K], allocated if nil. The squared distance of
// two rows of A approximates ρ². Errors as for Transform; a layer without an embedding, see HDDLayer (ErrParam).
func (l *HDDLayer) Embed(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if l.inner == nil {
		return nil, fmt.Errorf("%s: its frequencies act on values of densities, and it has no embedding; "+
			"build it with Lambdas: %w", l.who(), ErrParam)
	}
	l.use()
	return l.inner.Transform(dst, x)
}

// TransformCSR is Transform for sparse rows.
func (l *HDDLayer) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return transformBlocks(l, dst, x)
}
