package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Maclaurin is the map of random Maclaurin features, products of projections,
//
//	z_i(x) = s_i/√m Π_{j < N_i} x·W_{·,jm+i},   i = 0 to m-1.
//
// x is [n, d], W [d, p·m], z [n, m]; the degrees N, whole numbers from 0 to p, and the scales s are [m]. With random
// signs W and s_i = √(a_N/P(N)) the inner products are unbiased for Σ_n a_n (x·x')^n. Kar and Karnick (2012), algorithm
// 1. Columns of W that no product uses are ignored. Everything is computed in float64 and rounded once.
//
// Backward: dx = dP·Wᵀ, where dP is g_i s_i/√m times the product of the other projections of the feature, which are
// computed again. The other inputs have no gradient.
//
// Errors while building: shapes. Errors while running (ErrDomain): a cell of x outside Attr.Domain, a number in W or
// the scales that is not finite, an invalid degree, a row whose products overflow.
func Maclaurin(x, w, degrees, scales *G.Node, a Attr) (*G.Node, error) {
	o := &op{kind: "Maclaurin", in: []Inputs{X, 0, 0, 0}, ranks: "22112", attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) { return maclaurinShape(o.who(), in) }
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		f, err := PackProducts(in[1], in[2], in[3], a)
		if err != nil {
			return nil, err
		}
		return MaclaurinInto(nil, x, f, a)
	}
	o.backward = func(t *tracer) { t.gradient(X, maclaurinGrad(a), append(slices.Clone(t.in), t.grad)...) }
	return apply(o, x, w, degrees, scales)
}

// Products holds W, degrees and scales of Maclaurin, prepared for MaclaurinInto. It is immutable and safe for
// concurrent use.
type Products struct {
	dt      tensor.Dtype
	w       *simd.Weights[float64] // the columns of W that products use, feature after feature
	d, cols int
	first   []int     // [m+1], where the columns of each feature begin
	scales  []float64 // [m], s/√m
}

// PackProducts prepares W [d, p·m], degrees [m] and scales [m], of the same element type. Errors: shapes, different
// element types (ErrDtype), and ErrDomain as for Maclaurin.
func PackProducts(w, degrees, scales *tensor.Dense, a Attr) (*Products, error) {
	who := a.who("Maclaurin")
	ts, err := sameType(who, typeOf(w), []string{"W", "the degrees", "the scales"}, w, degrees, scales)
	if err != nil {
		return nil, err
	}
	if err := checkProducts(who, ts[0].Shape(), ts[1].Shape(), ts[2].Shape()); err != nil {
		return nil, err
	}
	if err := CheckFrequencies(domain.Reals(), who, ts[0]); err != nil {
		return nil, err
	}
	cells, d, m := Float64s(ts[0]), ts[0].Shape()[0], ts[2].Shape()[0]
	f := &Products{dt: w.Dtype(), d: d, first: make([]int, m+1), scales: make([]float64, m)}
	n, s, most := Float64s(ts[1]), Float64s(ts[2]), len(cells)/d/m
	if err := checkFinite(who, "scales", drawAnew, s, m); err != nil {
		return nil, err
	}
	for i := range m {
		if !(n[i] >= 0 && n[i] <= float64(most)) || n[i] != math.Trunc(n[i]) {
			return nil, &domain.CellError{Who: who, Matrix: "degrees", Col: i, Value: n[i],
				Reason: fmt.Sprintf("is no whole number from 0 to %d", most), Remedy: drawAnew}
		}
		f.first[i+1], f.scales[i] = f.first[i]+int(n[i]), s[i]/math.Sqrt(float64(m))
	}
	f.cols = f.first[m]
	used := make([]float64, d*f.cols)
	for l := range d {
		for i := range m {
			for j := range f.first[i+1] - f.first[i] {
				used[l*f.cols+f.first[i]+j] = cells[l*most*m+j*m+i]
			}
		}
	}
	f.w = simd.Pack(used, d, f.cols)
	return f, nil
}

// checkProducts checks the shapes W [d, p·m], degrees [m] and scales [m].
func checkProducts(who string, w, degrees, scales tensor.Shape) error {
	if w.Dims() == 2 && degrees.Dims() == 1 && scales.Dims() == 1 && w[0] > 0 && degrees[0] > 0 &&
		degrees[0] == scales[0] && w[1] > 0 && w[1]%scales[0] == 0 {
		return nil
	}
	return fmt.Errorf("%s: W is %v, the degrees %v and the scales %v; want [d, p·m], [m] and [m]: %w",
		who, w, degrees, scales, ErrShape)
}

// Dims returns d and the number of features m, and 0 and 0 for nil.
func (f *Products) Dims() (d, m int) {
	if f == nil {
		return 0, 0
	}
	return f.d, len(f.scales)
}

// Dtype returns the element type of the rows of input.
func (f *Products) Dtype() tensor.Dtype { return f.dt }

// MaclaurinInto writes Maclaurin(x, W, N, s), of dense or sparse rows, to dst [n, m], allocated if nil, without a
// graph.
func MaclaurinInto(dst *tensor.Dense, x Matrix, f *Products, a Attr) (*tensor.Dense, error) {
	const op = "Maclaurin"
	_, m := f.Dims()
	dst, x, err := input(op, a, dst, x, f, m)
	if err != nil {
		return nil, err
	}
	return dst, typed(dst.Dtype(), maclaurin[float32], maclaurin[float64])(dst, x, f, a.who(op))
}

func maclaurin[T domain.Float](to *tensor.Dense, x Matrix, f *Products, who string) error {
	dst, m := data[T](to), len(f.scales)
	return f.project(x, func(from, rows int, p []float64) error {
		simd.Share(rows, 16, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row := p[i*f.cols : (i+1)*f.cols]
				for k := range m {
					dst[(from+i)*m+k] = T(f.product(row, k))
				}
			}
		})
		return finiteFeatures(dst[from*m:(from+rows)*m], from, m, who)
	})
}

// product is feature i of a row with the projections p.
func (f *Products) product(p []float64, i int) float64 {
	v := f.scales[i]
	for _, u := range p[f.first[i]:f.first[i+1]] {
		v *= u
	}
	return v
}

// project calls each with the projections of the rows of x on the columns in use, [rows, cols], in blocks.
func (f *Products) project(x Matrix, each func(from, rows int, p []float64) error) error {
	var p []float64
	block := func(from, rows int, product func(p []float64)) error {
		if p == nil { // the first block is the largest
			p = make([]float64, rows*f.cols)
		}
		if f.cols > 0 { // else all features are constant
			product(p[:rows*f.cols])
		}
		return each(from, rows, p)
	}
	dense := func(from, rows int, x []float64) error {
		return block(from, rows, func(p []float64) { f.w.Affine(p, x, nil, rows) })
	}
	switch v := x.(type) {
	case *CSR:
		s := float64CSR(v)
		size := max(32, nystromCells/max(f.cols, 1))
		bias := background[float64](&CSR{s}, &Weights{of: f.w}, nil)
		for from := 0; from < s.Rows; from += size {
			rows := min(size, s.Rows-from)
			if err := block(from, rows, func(p []float64) {
				f.w.AffineCSR(p, s.part(from, from+rows).CSR,
					bias)
			}); err != nil {
				return err
			}
		}
		return nil
	case *tensor.Dense:
		return typed(v.Dtype(), rowsOf[float32], rowsOf[float64])(v, f.cols, dense)
	}
	return nil
}

// float64CSR returns sparse rows in float64; it copies the values of float32 rows.
func float64CSR(x *CSR) *sparse[float64] {
	if s, ok := x.of.(*sparse[float64]); ok {
		return s
	}
	return converted[float64](sparseOf[float32](x))
}

func maclaurinShape(who string, in []tensor.Shape) (tensor.Shape, error) {
	x, w, degrees, scales := in[0], in[1], in[2], in[3]
	if err := checkProducts(who, w, degrees, scales); err != nil {
		return nil, err
	}
	if x[1] != w[0] {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, x, w[0], ErrShape)
	}
	return tensor.Shape{x[0], scales[0]}, nil
}

// maclaurinGrad is the gradient of Maclaurin for x, from x, W, N, s and the gradient g of z. It computes the
// projections again.
func maclaurinGrad(a Attr) *op {
	o := &op{kind: "gradient of Maclaurin", ranks: "221122"}
	o.shape = likeX(o.kind, func(in []tensor.Shape) (tensor.Shape, error) { return maclaurinShape(o.who(), in) })
	o.fill = func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		f, err := PackProducts(in[1], in[2], in[3], a)
		if err != nil {
			return err
		}
		return typed(dx.Dtype(), maclaurinGradient[float32], maclaurinGradient[float64])(dx, in[0], in[4], f)
	}
	return o
}

func maclaurinGradient[T domain.Float](to, x, gradient *tensor.Dense, f *Products) error {
	dst, g, d, m := data[T](to), data[T](gradient), f.d, len(f.scales)
	var dp, dx []float64
	return f.project(x, func(from, rows int, p []float64) error {
		if dp == nil { // the first block is the largest
			dp, dx = make([]float64, rows*f.cols), make([]float64, rows*d)
		}
		simd.Share(rows, 16, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				f.others(dp[i*f.cols:(i+1)*f.cols], p[i*f.cols:(i+1)*f.cols])
				for k := range m {
					for j := f.first[k]; j < f.first[k+1]; j++ {
						dp[i*f.cols+j] *= f.scales[k] * float64(g[(from+i)*m+k])
					}
				}
			}
		})
		if f.cols > 0 {
			f.w.GradX(dx, dp, rows)
		}
		recast(dst[from*d:(from+rows)*d], dx[:rows*d])
		return nil
	})
}

// others writes for each projection the product of the other ones of its feature. It does not divide, since a
// projection may be 0.
func (f *Products) others(dst, p []float64) {
	for i := range f.scales {
		lo, hi := f.first[i], f.first[i+1]
		before := 1.
		for j := lo; j < hi; j++ {
			dst[j] = before
			before *= p[j]
		}
		after := 1.
		for j := hi - 1; j >= lo; j-- {
			dst[j] *= after
			after *= p[j]
		}
	}
}
