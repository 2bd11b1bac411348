package layers

import (
	"fmt"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// RandomMaclaurinLayer is the map of random Maclaurin features of a kernel k(x, z) = Σ_n a_n (x·z)^n, a polynomial of
// the inner product,
//
//	z_i(x) = √(|a_N|/P(N)) Π_{j=1..N} w_ij·x / √D,   i = 1 to D.
//
// The degree N is drawn with the probability P(n) in proportion to 2^-(n+1), and the entries of the vectors w_ij are
// random signs.
// z(x)·z(z) is unbiased for k(x, z) if no a_n is negative. If some are, as for spectral.SpherePolynomial with a < √2,
// each column has the sign of its a_N, see SignatureOf. Kernels of a high degree have a large variance; the layer is a
// baseline for GORFLayer. Input [n, d], on the kernel's domain; output [n, D], D = features.
//
// Nothing is tuned; the derivative for x is exact. Parameters: W [d, p·D], with a column for each of the p factors that
// a feature can have, zeros if it has fewer, degrees [D] and scales [D]. Kar and Karnick (2012), Random feature maps
// for dot product kernels, algorithm 1.
type RandomMaclaurinLayer struct {
	sparseMapper
	kernel spectral.Polynomial
}

// NewRandomMaclaurinLayer draws the map of k for d dimensions and the given number of output columns. Errors
// (ErrParam): parameters out of range, features < 1, a scale beyond float32.
func NewRandomMaclaurinLayer(k spectral.Polynomial, d, features int, opts ...Option) (*RandomMaclaurinLayer, error) {
	b, o, err := begin("RandomMaclaurinLayer", d, features, opts, drawnOptions, k)
	if err != nil {
		return nil, err
	}
	if k, ok := k.(spectral.SpherePolynomial); ok {
		b.of = productForm{spectral.SRF{A: k.A, P: k.P}, maclaurinName}
	}
	l := &RandomMaclaurinLayer{sparseMapper{newSingle(b, k.Domain(), true, ops.Maclaurin)}, k}
	l.drawn("W", o, func(o options) (Layer, error) { return NewRandomMaclaurinLayer(k, d, features, withAll(o)) })
	w, drawn, scales, err := spectral.DrawProducts(k, d, features, o.sourceSeed())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	degrees := make([]float64, features)
	for i, n := range drawn {
		degrees[i] = float64(n)
	}
	if err := l.checkFloat32(scales, func(i int) string { return fmt.Sprint("the scale of feature ", i) }); err != nil {
		return nil, err
	}
	l.add("W", false, w.Float64s(), w.Shape()...)
	l.add("degrees", false, degrees)
	l.add("scales", false, scales)
	return l, nil
}

// Kernel returns the kernel of the features.
func (l *RandomMaclaurinLayer) Kernel() spectral.Kernel { return l.kernel }

// Signature returns the sign of each column, +1 or -1: the sign of the coefficient a_N of its degree.
func (l *RandomMaclaurinLayer) Signature() []float64 {
	a, signs := l.kernel.Maclaurin(), slices.Repeat([]float64{1}, l.features)
	for i, n := range ops.Float64s(l.param("degrees")) {
		if n >= 0 && n < float64(len(a)) && a[int(n)] < 0 { // else the parameters are none, which a Transform tells
			signs[i] = -1
		}
	}
	return signs
}

func (l *RandomMaclaurinLayer) String() string {
	return l.text(fmt.Sprintf("%s, seed %d, %v", kernelText(l.kernel), l.seed, l.dt))
}

// productForm is the form of maps that draw random signs: products of projections, or sketches of them. They are maps
// of other papers of the polynomial kernel of the sphere, for comparison.
type productForm struct {
	Kernel spectral.SRF `param:",inline"` // with the range of p
	name   string
}

func (f productForm) plan(s Spec) (plan, error) {
	k := spectral.SpherePolynomial{A: f.Kernel.A, P: f.Kernel.P}
	size := float64(k.P) * float64(s.Dims) * float64(s.Features)
	if f.name == sketchName {
		size = float64(k.P) * 2 * float64(s.Dims+1)
	}
	return plan{kernel: k, size: size, build: func(o options) (Layer, error) {
		if f.name == sketchName {
			return NewTensorSketchLayer(k, s.Dims, s.Features, withAll(o))
		}
		return NewRandomMaclaurinLayer(k, s.Dims, s.Features, withAll(o))
	}}, nil
}

// The names of the maps of productForm.
const (
	maclaurinName = "random-maclaurin"
	sketchName    = "tensor-sketch"
)
