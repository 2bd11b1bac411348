package layers

import (
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// L2DensityLayer is the random feature map of the kernel exp(-‖p - q‖²/2σ²) of densities on the unit cube, with ‖p -
// q‖² = ∫ (p - q)². It makes Fourier features of the Gaussian kernel on the embedding A (Embed): the coefficients of p
// on an orthonormal basis (WithBasis), whose squared distances belong to the projections on the basis. Input,
// output, options and policies as of HDDLayer, without frequencies λ. Oliva, Neiswanger, Póczos, Schneider and Xing
// (2014), Fast distribution to real regression.
//
// The distance is not an information-theoretic one: it weighs a relative difference more where the densities are high,
// so a peak dominates the distance.
type L2DensityLayer struct{ *densityLayer }

var _ DensityLayer = (*L2DensityLayer)(nil)

// NewL2DensityLayer draws the map of exp(-‖p - q‖²/2σ²) for densities on so many axes and the given number of output
// columns. Errors as for NewHDDLayer.
func NewL2DensityLayer(sigma float64, axes, features int, opts ...Option) (*L2DensityLayer, error) {
	o, err := newOptions("NewL2DensityLayer", opts)
	if err != nil {
		return nil, err
	}
	return newL2DensityLayer(sigma, axes, features, o)
}

func newL2DensityLayer(sigma float64, axes, features int, o options) (*L2DensityLayer, error) {
	core, err := newDensityLayer("L2DensityLayer", "l2density", axes, features, &o)
	if err != nil {
		return nil, err
	}
	core.drawn("W", o, func(o options) (peeker, error) { return newL2DensityLayer(sigma, axes, features, o) })
	l := &L2DensityLayer{core}
	core.embedding = l
	if err := core.draw(sigma, 1, nil, o); err != nil {
		return nil, err
	}
	return l, nil
}

// Kernel returns the exact kernel, of the values of two densities, for the σ that the map was drawn with.
func (l *L2DensityLayer) Kernel() spectral.Kernel { return l2Kernel(l.sigma, l.grid.Len()) }

// l2Kernel returns exp(-‖p - q‖²/2σ²) for the values of densities at so many points: ‖p - q‖² is the mean of their
// squared differences.
func l2Kernel(sigma float64, points int) spectral.Gaussian {
	return spectral.Gaussian{Sigma: sigma * math.Sqrt(float64(points))}
}

func (l *L2DensityLayer) String() string { return l.text("L2") }

func (l *L2DensityLayer) embedNode(p *G.Node, a ops.Attr) (*G.Node, error) {
	basis, err := l.node(p.Graph(), Param{Name: "basis", Value: l.basis})
	if err != nil {
		return nil, err
	}
	return ops.Coefficients(a).Node(p, basis)
}

func (l *L2DensityLayer) embed(dst, x *tensor.Dense, a ops.Attr) (*tensor.Dense, error) {
	return ops.Coefficients(a).Into(dst, x, l.basis)
}
