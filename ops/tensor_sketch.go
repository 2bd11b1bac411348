package ops

import (
	"fmt"
	"math"
	"math/cmplx"
	"sync"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gonum.org/v1/gonum/dsp/fourier"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Sketch holds the polynomial and the number of columns of TensorSketch.
type Sketch struct {
	Columns       int     // m, the number of buckets, at least 1
	Slope, Offset float64 // of (Slope x·x' + Offset)^p, both finite and >= 0
}

func (s Sketch) check(who string) error {
	if s.Columns < 1 || !(s.Slope >= 0 && s.Offset >= 0) || math.IsInf(s.Slope, 1) || math.IsInf(s.Offset, 1) {
		return fmt.Errorf("%s: a sketch of %d columns of (%v x·x' + %v)^p, want at least 1 column and finite "+
			"numbers that are not negative: %w", who, s.Columns, s.Slope, s.Offset, ErrParam)
	}
	return nil
}

// TensorSketch is the tensor sketch of x, the circular convolution of p count sketches C_j of x̂ = [√Slope x, √Offset],
//
//	z(x) = FFT⁻¹(FFT(C_1(x̂)) ∘ ... ∘ FFT(C_p(x̂))),   C_j(x̂)_b = Σ_i [buckets_ji = b] signs_ji x̂_i.
//
// Its inner products are unbiased for (x̂·x̂')^p = (Slope x·x' + Offset)^p. x is [n, d] and z is [n, m]; buckets, whole
// numbers from 0 to m-1, and signs, ±1, are [p, d+1]. Pham and Pagh (2013), algorithm 1. A row costs p d operations and
// p+1 transforms of length m, which are fastest for an m without large prime factors. Everything is computed in float64
// and rounded once.
//
// Backward: dx_i = √Slope Σ_j signs_ji (dC_j)_{buckets_ji}, where dC_j is the circular correlation of g with the
// convolution of the other sketches: FFT⁻¹(FFT(g) ∘ conj Π_{k≠j} FFT(C_k)). Buckets and signs have no gradient.
//
// Errors while building: shapes and s. Errors while running (ErrDomain): a cell of x outside Attr.Domain, an invalid
// bucket or sign, a row whose features overflow.
func TensorSketch(x, buckets, signs *G.Node, s Sketch, a Attr) (*G.Node, error) {
	if err := s.check(a.who("TensorSketch")); err != nil {
		return nil, err
	}
	o := &op{kind: "TensorSketch", params: s, in: []Inputs{X, 0, 0}, ranks: "2222", attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) { return s.shape(o.who(), in) }
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		f, err := PackSketches(in[1], in[2], s, a)
		if err != nil {
			return nil, err
		}
		return TensorSketchInto(nil, x, f, a)
	}
	o.backward = func(t *tracer) { t.gradient(X, sketchGrad(s, a), t.in[0], t.in[1], t.in[2], t.grad) }
	return apply(o, x, buckets, signs)
}

// Sketches holds the buckets and signs of TensorSketch, prepared for TensorSketchInto. It is immutable and safe for
// concurrent use.
type Sketches struct {
	Sketch
	dt      tensor.Dtype
	p, d    int
	buckets []int32   // [p, d+1]
	weights []float64 // [p, d+1], signs times √Slope, in the last column times √Offset
	work    sync.Pool // of *sketcher
}

// PackSketches prepares buckets and signs [p, d+1], of the same element type. Errors: shapes (ErrShape), different
// element types (ErrDtype), s (ErrParam), and ErrDomain as for TensorSketch.
func PackSketches(buckets, signs *tensor.Dense, s Sketch, a Attr) (*Sketches, error) {
	who := a.who("TensorSketch")
	if err := s.check(who); err != nil {
		return nil, err
	}
	ts, err := sameType(who, typeOf(buckets), []string{"the buckets", "the signs"}, buckets, signs)
	if err != nil {
		return nil, err
	}
	shape := ts[0].Shape()
	if err := checkSketches(who, shape, ts[1].Shape()); err != nil {
		return nil, err
	}
	f := &Sketches{Sketch: s, dt: buckets.Dtype(), p: shape[0], d: shape[1] - 1,
		buckets: make([]int32, shape[0]*shape[1]), weights: make([]float64, shape[0]*shape[1])}
	sign := Float64s(ts[1])
	for i, b := range Float64s(ts[0]) {
		bad := &domain.CellError{Who: who, Row: i / shape[1], Col: i % shape[1], Remedy: drawAnew}
		if !(b >= 0 && b < float64(s.Columns)) || b != math.Trunc(b) {
			bad.Matrix, bad.Value, bad.Reason = "buckets", b, fmt.Sprintf("is no whole number from 0 to %d",
				s.Columns-1)
			return nil, bad
		}
		if sign[i] != 1 && sign[i] != -1 {
			bad.Matrix, bad.Value, bad.Reason = "signs", sign[i], "is neither 1 nor -1"
			return nil, bad
		}
		root := math.Sqrt(s.Slope)
		if i%shape[1] == f.d {
			root = math.Sqrt(s.Offset)
		}
		f.buckets[i], f.weights[i] = int32(b), root*sign[i]
	}
	f.work.New = func() any { return newSketcher(f) }
	return f, nil
}

// checkSketches checks that buckets and signs are both [p, d+1].
func checkSketches(who string, buckets, signs tensor.Shape) error {
	if buckets.Dims() == 2 && buckets.Eq(signs) && buckets[0] > 0 && buckets[1] > 1 {
		return nil
	}
	return fmt.Errorf("%s: the buckets are %v and the signs %v; want [p, d+1] both: %w", who, buckets, signs, ErrShape)
}

// Dims returns d and the number of features m, and 0 and 0 for nil.
func (f *Sketches) Dims() (d, m int) {
	if f == nil {
		return 0, 0
	}
	return f.d, f.Columns
}

// Dtype returns the element type of the rows of input.
func (f *Sketches) Dtype() tensor.Dtype { return f.dt }

// TensorSketchInto writes TensorSketch(x, buckets, signs), of dense or sparse rows, to dst [n, m], allocated if nil,
// without a graph.
func TensorSketchInto(dst *tensor.Dense, x Matrix, f *Sketches, a Attr) (*tensor.Dense, error) {
	const op = "TensorSketch"
	_, m := f.Dims()
	dst, x, err := input(op, a, dst, x, f, m)
	if err != nil {
		return nil, err
	}
	return dst, typed(dst.Dtype(), tensorSketch[float32], tensorSketch[float64])(dst, x, f, a.who(op))
}

func tensorSketch[T domain.Float](to *tensor.Dense, x Matrix, f *Sketches, who string) error {
	dst, n, m := data[T](to), x.Shape()[0], f.Columns
	row := rowsIn[T](x)
	simd.Share(n, 4, func(lo, hi int) {
		w := f.work.Get().(*sketcher)
		defer f.work.Put(w)
		for i := lo; i < hi; i++ {
			columns, values := row(i)
			transformed(w, columns, values)
			recast(dst[i*m:(i+1)*m], w.features())
		}
	})
	return finiteFeatures(dst, 0, m, who)
}

// rowsIn returns a function for the columns and values of a row. For a dense row, and for a sparse row with a base, the
// columns are nil and the values are of all columns.
func rowsIn[T domain.Float](x Matrix) func(i int) (columns []int32, values []T) {
	s, ok := x.(*CSR)
	if ok && sparseOf[T](s).base == nil {
		v := sparseOf[T](s)
		return func(i int) ([]int32, []T) { return v.Col[v.Ptr[i]:v.Ptr[i+1]], v.Val[v.Ptr[i]:v.Ptr[i+1]] }
	}
	d := x.Shape()[1]
	var cells []T
	if ok {
		cells = make([]T, x.Shape()[0]*d)
		sparseOf[T](s).dense(cells, d)
	} else {
		cells = data[T](x.(*tensor.Dense))
	}
	return func(i int) ([]int32, []T) { return nil, cells[i*d : (i+1)*d] }
}

// sketcher is the memory of one goroutine.
type sketcher struct {
	*Sketches
	fft     *fourier.FFT
	sketch  []float64    // [m]
	spectra []complex128 // of the p sketches, [p, m/2+1]
	product []complex128 // [m/2+1]
}

func newSketcher(f *Sketches) *sketcher {
	half := f.Columns/2 + 1
	return &sketcher{Sketches: f, fft: fourier.NewFFT(f.Columns), sketch: make([]float64, f.Columns),
		spectra: make([]complex128, f.p*half), product: make([]complex128, half)}
}

// transformed sketches a row and transforms the sketches.
func transformed[T domain.Float](w *sketcher, columns []int32, values []T) {
	half := len(w.product)
	for j := range w.p {
		buckets, weights := w.buckets[j*(w.d+1):(j+1)*(w.d+1)], w.weights[j*(w.d+1):(j+1)*(w.d+1)]
		clear(w.sketch)
		w.sketch[buckets[w.d]] = weights[w.d]
		for t, v := range values {
			i := t
			if columns != nil {
				i = int(columns[t])
			}
			w.sketch[buckets[i]] += weights[i] * float64(v)
		}
		w.fft.Coefficients(w.spectra[j*half:(j+1)*half], w.sketch)
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
	return w.back(w.sketch)
}

// back is the inverse transform of the product.
func (w *sketcher) back(dst []float64) []float64 {
	w.fft.Sequence(dst, w.product)
	for b := range dst {
		dst[b] /= float64(w.Columns)
	}
	return dst
}

func (s Sketch) shape(who string, in []tensor.Shape) (tensor.Shape, error) {
	x, buckets, signs := in[0], in[1], in[2]
	if err := checkSketches(who, buckets, signs); err != nil {
		return nil, err
	}
	if x[1] != buckets[1]-1 {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, x, buckets[1]-1, ErrShape)
	}
	return tensor.Shape{x[0], s.Columns}, nil
}

// sketchGrad is the gradient of TensorSketch for x, from x, the buckets, the signs and the gradient g of z. It computes
// the sketches again.
func sketchGrad(s Sketch, a Attr) *op {
	o := &op{kind: "gradient of TensorSketch", params: s, ranks: "22222"}
	o.shape = likeX(o.kind, func(in []tensor.Shape) (tensor.Shape, error) { return s.shape(o.who(), in) })
	o.fill = func(dx *tensor.Dense, x Matrix, in []*tensor.Dense) error {
		f, err := PackSketches(in[1], in[2], s, a)
		if err == nil {
			typed(dx.Dtype(), sketchGradient[float32], sketchGradient[float64])(dx, x, in[3], f)
		}
		return err
	}
	return o
}

func sketchGradient[T domain.Float](to *tensor.Dense, x Matrix, gradient *tensor.Dense, f *Sketches) {
	dst, g := data[T](to), data[T](gradient)
	n, d, m := x.Shape()[0], f.d, f.Columns
	row := rowsIn[T](x)
	simd.Share(n, 4, func(lo, hi int) {
		w := f.work.Get().(*sketcher)
		defer f.work.Put(w)
		dx, spectrum := make([]float64, d), make([]complex128, len(w.product))
		for i := lo; i < hi; i++ {
			columns, values := row(i)
			transformed(w, columns, values)
			recast(w.sketch, g[i*m:(i+1)*m])
			w.fft.Coefficients(spectrum, w.sketch)
			w.gradient(dx, spectrum)
			recast(dst[i*d:(i+1)*d], dx)
		}
	})
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
		dc := w.back(w.sketch)
		for i := range dx {
			at := j*(w.d+1) + i
			dx[i] += w.weights[at] * dc[w.buckets[at]]
		}
	}
}
