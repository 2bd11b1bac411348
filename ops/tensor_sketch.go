package ops

import (
	"fmt"
	"math"
	"math/cmplx"
	"sync"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	fft "gonum.org/v1/gonum/dsp/fourier"
)

// sketch holds the polynomial and the number of columns of TensorSketch.
type sketch struct {
	columns       int
	slope, offset float64
}

func (s sketch) check(who string) error {
	if s.columns < 1 || !(s.slope >= 0 && s.offset >= 0) || math.IsInf(s.slope, 1) || math.IsInf(s.offset, 1) {
		return fmt.Errorf("%s: a sketch of %d columns of (%v x·x' + %v)^p, want at least 1 column and finite "+
			"numbers that are not negative: %w", who, s.columns, s.slope, s.offset, ErrParam)
	}
	return nil
}

// TensorSketch is the tensor sketch of m columns, of x, buckets and signs: the circular convolution of p count sketches
// C_j of x̂ = [√slope x, √offset],
//
//	z(x) = FFT⁻¹(FFT(C_1(x̂)) ∘ ... ∘ FFT(C_p(x̂))),   C_j(x̂)_b = Σ_i [buckets_ji = b] signs_ji x̂_i.
//
// Its inner products are unbiased for (x̂·x̂')^p = (slope x·x' + offset)^p. slope and offset are finite and not
// negative. x is [n, d] and z is [n, m]; buckets, whole numbers from 0 to m-1, and signs, ±1, are [p, d+1]. Pham and
// Pagh (2013), algorithm 1. A row costs p d operations and p+1 transforms of length m, which are fastest for an m
// without large prime factors. Everything is computed in float64 and rounded once.
//
// Backward: dx_i = √slope Σ_j signs_ji (dC_j)_{buckets_ji}, where dC_j is the circular correlation of g with the
// convolution of the other sketches: FFT⁻¹(FFT(g) ∘ conj Π_{k≠j} FFT(C_k)). Buckets and signs have no gradient.
//
// Pack takes buckets and signs. Errors while building: shapes, m, slope and offset. Errors while running (ErrDomain): a
// cell of x outside Attr.Domain, an invalid bucket or sign, a row whose features overflow.
func TensorSketch(m int, slope, offset float64, a Attr) Op {
	s := sketch{m, slope, offset}
	return tensorSketch.with(s, a, s.check)
}

var tensorSketch = decl{kind: "TensorSketch", sig: parse("nd,p(d+1),p(d+1)->nm"), in: []Inputs{X},
	names: []string{"x", "the buckets", "the signs"}, sparse: native, check: atLeastOne('d', 'p'), pack: packSketches,
	bind:    func(o *Op, v *sizes) { v.set('m', o.params.(sketch).columns) },
	forward: kernel{sketchForward[float32], sketchForward[float64]}, reads: []int{0, 1, 2},
	backward: kernel{sketchBackward[float32], sketchBackward[float64]}}

// sketches are the buckets and signs of TensorSketch, packed.
type sketches struct {
	sketch
	p, d    int
	buckets []int32   // [p, d+1]
	weights []float64 // [p, d+1], signs times √slope, in the last column times √offset
	work    sync.Pool // of *sketcher
}

var packSketches = &packer{from: 1, n: 2, pack: func(c *call, _ bool) (any, error) {
	p, d, s, bucket, sign := c.at('p'), c.at('d'), paramsOf[sketch](c), Float64s(c.in[1]), Float64s(c.in[2])
	if err := checkWhole(c.who(), "buckets", bucket, d+1, s.columns-1); err != nil {
		return nil, err
	}
	if err := checkEach(c.who(), "signs", "is neither 1 nor -1", redraw, sign, d+1, isSign); err != nil {
		return nil, err
	}
	f := &sketches{sketch: s, p: p, d: d, buckets: make([]int32, len(sign)), weights: make([]float64, len(sign))}
	for i, b := range bucket {
		root := math.Sqrt(s.slope)
		if i%(d+1) == d {
			root = math.Sqrt(s.offset)
		}
		f.buckets[i], f.weights[i] = int32(b), root*sign[i]
	}
	f.work.New = func() any { return newSketcher(f) }
	return f, nil
}}

func sketchForward[T domain.Float](c *call) error {
	f, dst, row, m := c.w.of.(*sketches), result[T](c), rowsIn[T](c), c.at('m')
	simd.Share(c.at('n'), 4, func(lo, hi int) {
		w := f.work.Get().(*sketcher)
		defer f.work.Put(w)
		for i := lo; i < hi; i++ {
			columns, values := row(i)
			transformed(w, columns, values)
			recast(dst[i*m:(i+1)*m], w.features())
		}
	})
	return finiteFeatures(dst, 0, m, c.who())
}

// sketcher is the memory of one goroutine.
type sketcher struct {
	*sketches
	fft     *fft.FFT
	count   []float64    // [m], a count sketch
	spectra []complex128 // of the p sketches, [p, m/2+1]
	product []complex128 // [m/2+1]
}

func newSketcher(f *sketches) *sketcher {
	half := f.columns/2 + 1
	return &sketcher{sketches: f, fft: fft.NewFFT(f.columns), count: make([]float64, f.columns),
		spectra: make([]complex128, f.p*half), product: make([]complex128, half)}
}

// transformed sketches a row and transforms the sketches.
func transformed[T domain.Float](w *sketcher, columns []int32, values []T) {
	half := len(w.product)
	for j := range w.p {
		buckets, weights := w.buckets[j*(w.d+1):(j+1)*(w.d+1)], w.weights[j*(w.d+1):(j+1)*(w.d+1)]
		clear(w.count)
		w.count[buckets[w.d]] = weights[w.d]
		for t, v := range values {
			i := columnOf(columns, t)
			w.count[buckets[i]] += weights[i] * float64(v)
		}
		w.fft.Coefficients(w.spectra[j*half:(j+1)*half], w.count)
	}
}

// features computes the convolution of the sketches, in the memory of the sketch.
func (w *sketcher) features() []float64 {
	half := len(w.product)
	copy(w.product, w.spectra)
	for j := 1; j < w.p; j++ {
		for b, v := range w.spectra[j*half : (j+1)*half] {
			w.product[b] *= v
		}
	}
	return w.back(w.count)
}

// back is the inverse transform of the product.
func (w *sketcher) back(dst []float64) []float64 {
	w.fft.Sequence(dst, w.product)
	for b := range dst {
		dst[b] /= float64(w.columns)
	}
	return dst
}

func sketchBackward[T domain.Float](c *call) error {
	f, dst, g, row := c.w.of.(*sketches), gradientFor[T](c, 0), gradientOf[T](c), rowsIn[T](c)
	d, m := c.at('d'), c.at('m')
	simd.Share(c.at('n'), 4, func(lo, hi int) {
		w := f.work.Get().(*sketcher)
		defer f.work.Put(w)
		dx, spectrum := make([]float64, d), make([]complex128, len(w.product))
		for i := lo; i < hi; i++ {
			columns, values := row(i)
			transformed(w, columns, values)
			recast(w.count, g[i*m:(i+1)*m])
			w.fft.Coefficients(spectrum, w.count)
			w.gradient(dx, spectrum)
			recast(dst[i*d:(i+1)*d], dx)
		}
	})
	return nil
}

// gradient computes dx of a row with transformed sketches from the spectrum of g.
func (w *sketcher) gradient(dx []float64, g []complex128) {
	clear(dx)
	half := len(w.product)
	for j := range w.p {
		copy(w.product, g)
		for k := range w.p {
			if k == j {
				continue
			}
			for b, v := range w.spectra[k*half : (k+1)*half] {
				w.product[b] *= cmplx.Conj(v)
			}
		}
		dc := w.back(w.count)
		for i := range dx {
			at := j*(w.d+1) + i
			dx[i] += w.weights[at] * dc[w.buckets[at]]
		}
	}
}
