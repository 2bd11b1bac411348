package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// TensorSketchLayer is the tensor sketch of the polynomial kernel of the sphere, k(x, z) = (2/a² x·z + 1 - 2/a²)^p,
//
//	z(x) = FFT⁻¹(FFT(C_1(x̂)) ∘ ... ∘ FFT(C_p(x̂))),   x̂ = [√(2/a²) x, √(1 - 2/a²)],
//
// with p count sketches C_j, each with as many buckets as there are features. z(x)·z(z) is unbiased for k(x, z). a must
// be at least √2, because x̂ has the root of 1 - 2/a². Input [n, d], rows of unit length; output [n, features]. It is
// fastest if features has no large prime factors.
//
// Nothing is tuned; the derivative for x is exact. Parameters: buckets and signs, [p, d+1]. Pham and Pagh (2013), Fast
// and scalable polynomial kernels via explicit feature maps, algorithm 1.
type TensorSketchLayer struct {
	sparseMapper
	kernel spectral.SpherePolynomial
}

// mostBuckets is the number of buckets up to which float32 holds every bucket's number.
const mostBuckets = 1 << 24

// NewTensorSketchLayer draws the map of k for d dimensions and the given number of output columns. Errors (ErrParam):
// parameters out of range, a < √2, features < 1 or beyond 2²⁴.
func NewTensorSketchLayer(k spectral.SpherePolynomial, d, features int, opts ...Option) (*TensorSketchLayer, error) {
	b, o, err := begin("TensorSketchLayer", d, features, opts, drawnOptions, k)
	if err != nil {
		return nil, err
	}
	slope, offset := k.Affine()
	if offset < 0 && offset > -1e-15 { // by rounding
		offset = 0
	}
	if offset < 0 {
		return nil, fmt.Errorf("%s: a = %v is below √2, where the offset 1 - 2/a² of the polynomial is negative; "+
			"raise a, or use a RandomMaclaurinLayer (random-maclaurin), whose columns have signs: %w",
			b.who(), k.A, ErrParam)
	}
	if features > mostBuckets {
		return nil, fmt.Errorf("%s: %d features, want at most %d: %w", b.who(), features, mostBuckets, ErrParam)
	}
	b.of = productForm{spectral.SRF{A: k.A, P: k.P}, sketchName}
	l := &TensorSketchLayer{sparseMapper{newSingle(b, k.Domain(), true, func(a ops.Attr) ops.Op {
		return ops.TensorSketch(features, slope, offset, a)
	})}, k}
	l.drawn("buckets", o, func(o options) (Layer, error) { return NewTensorSketchLayer(k, d, features, withAll(o)) })
	buckets, signs, err := spectral.DrawCountSketches(k.P, d+1, features, o.sourceSeed())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	l.add("buckets", false, buckets.Float64s(), k.P, d+1)
	l.add("signs", false, signs.Float64s(), k.P, d+1)
	return l, nil
}

// Kernel returns the kernel of the features.
func (l *TensorSketchLayer) Kernel() spectral.Kernel { return l.kernel }

func (l *TensorSketchLayer) String() string {
	return l.text(fmt.Sprintf("%s, seed %d, %v", kernelText(l.kernel), l.seed, l.dt))
}
