package onnx

import (
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// maclaurin is s_i/√m Π_j (xW)_(jm+i), 0 <= j < degrees_i. It multiplies as many matrix products as the largest degree;
// a column without a factor has 1 there.
func (g *graph) maclaurin(x value, p params, d int) value {
	w, degrees, scales := p.get("W"), p.get("degrees"), p.get("scales")
	m, columns := len(degrees), len(w)/d
	if m == 0 || len(w) == 0 || len(scales) != m || len(w)%(d*m) != 0 || slices.Max(degrees) > float64(columns/m) {
		fail(domain.ErrShape, "%v: %d numbers of W, %d degrees and %d scales do not belong together", p.of, len(w), m,
			len(scales))
	}
	z := value("")
	for j := range max(1, int(slices.Max(degrees))) {
		factors, rest := make([]float64, d*m), make([]float64, m)
		for i, n := range degrees {
			if float64(j) >= n {
				rest[i] = 1
				continue
			}
			for r := range d {
				factors[r*m+i] = w[r*columns+j*m+i]
			}
		}
		of := g.op("Gemm", x, g.weights("W", factors, d, m), g.weights("unused", rest, m))
		if z == "" {
			z = of
		} else {
			z = g.op("Mul", z, of)
		}
	}
	return g.op("Mul", z, g.row("scales", mapped(scales, func(s float64) float64 { return s / math.Sqrt(float64(m)) })))
}

// mostSketch is the largest number of columns of a tensor sketch, whose transforms are matrices here.
const mostSketch = 4096

// sketch is the circular convolution of p count sketches of [√(2/a²) x | √(1 - 2/a²)] in m columns. The discrete
// Fourier transforms of the sketches are matrices C_j = S_j F, and another matrix transforms their product back. The
// first m/2+1 of the m frequencies determine the others.
func (g *graph) sketch(x value, p params, l *layers.TensorSketchLayer) value {
	buckets, signs, d, m := p.get("buckets"), p.get("signs"), l.Dims(), l.Features()
	if len(buckets) != len(signs) || len(buckets)%(d+1) != 0 || len(buckets) == 0 {
		fail(domain.ErrShape, "%v: %d buckets and %d signs for %d columns", p.of, len(buckets), len(signs), d)
	}
	if m > mostSketch {
		fail(domain.ErrParam,
			"%v: the transform of %d columns would be a matrix of %d numbers; at most %d columns are exported", p.of, m,
			m*(m+2), mostSketch)
	}
	k, ok := l.Kernel().(spectral.SpherePolynomial)
	if !ok {
		return fail(domain.ErrParam, "%v: the kernel %T is no polynomial of the sphere", p.of, l.Kernel())
	}
	slope, offset := k.Affine()
	slope, offset = math.Sqrt(slope), math.Sqrt(max(offset, 0))
	half := m/2 + 1
	// wave appends size times exp(-2πi bf/m), real and imaginary part.
	wave := func(to *[2][]float64, size float64, b, f int) {
		sin, cos := math.Sincos(2 * math.Pi * float64(b*f%m) / float64(m))
		to[0], to[1] = append(to[0], size*cos), append(to[1], -size*sin)
	}
	// The convolution in float64: the product of many transforms loses digits.
	return g.double(x, func(x value) value {
		var re, im value
		for j := range len(buckets) / (d + 1) {
			var c, rest [2][]float64
			for i := range d + 1 {
				b, s := int(buckets[j*(d+1)+i]), signs[j*(d+1)+i]
				if b < 0 || b >= m {
					return fail(domain.ErrDomain, "%v: %v is no bucket", p.of, buckets[j*(d+1)+i])
				}
				to, size := &c, s*slope
				if i == d {
					to, size = &rest, s*offset
				}
				for f := range half {
					wave(to, size, b, f)
				}
			}
			a := g.op("Add", g.op("MatMul", x, g.weights("C_re", c[0], d, half)), g.row("C_re_rest", rest[0]))
			b := g.op("Add", g.op("MatMul", x, g.weights("C_im", c[1], d, half)), g.row("C_im_rest", rest[1]))
			if re == "" {
				re, im = a, b
				continue
			}
			re, im = g.op("Sub", g.op("Mul", re, a), g.op("Mul", im, b)), g.op("Add", g.op("Mul", re, b), g.op("Mul", im, a))
		}
		var back [2][]float64
		for f := range half {
			weight := 2 / float64(m)
			if f == 0 || 2*f == m {
				weight = 1 / float64(m)
			}
			for b := range m {
				wave(&back, weight, b, f)
			}
		}
		re = g.op("MatMul", re, g.weights("back_re", back[0], half, m))
		return g.op("Add", re, g.op("MatMul", im, g.weights("back_im", back[1], half, m)))
	})
}
