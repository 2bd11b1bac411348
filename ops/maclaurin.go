package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Maclaurin is the map of random Maclaurin features, products of projections,
//
//	z_i(x) = s_i/√m Π_{j < N_i} x·W_{·,jm+i},   i = 0 to m-1.
//
// x is [n, d], W [d, p·m], the degrees N [m], whole numbers from 0 to p, the scales s [m], z [n, m]. With random signs W and
// s_i = √(a_N/P(N)) the inner products are unbiased for Σ_n a_n (x·x')^n. Kar and Karnick (2012), algorithm 1. What of W no product has is
// not read. Everything is computed in float64 and rounded once.
//
// Backward: dx = dP·Wᵀ, where dP is g_i s_i/√m times the product of the other projections of the feature, which are computed again. The
// other inputs have none.
//
// Errors while building: shapes. Errors while running (ErrDomain): a cell of x outside Attr.Domain, a number in W or the scales that is
// not finite, one that is no degree, and a row whose products overflow.
func Maclaurin(x, w, degrees, scales *G.Node, a Attr) (*G.Node, error) {
	a.Frozen |= Second | Third | Fourth
	return apply(maclaurinOp{base{kind: "Maclaurin", ranks: "22112", attr: a}}, x, w, degrees, scales)
}

// Products are W, degrees and scales of Maclaurin, prepared for MaclaurinInto. They are immutable and safe for concurrent use.
type Products struct {
	dt      tensor.Dtype
	w       *simd.Weights[float64] // the columns of W in use, those of a feature side by side
	d, cols int
	first   []int     // [m+1], where the columns of each feature begin
	scales  []float64 // [m], s/√m
}

// PackProducts prepares W [d, p·m], degrees [m] and scales [m], of one element type. Errors: ErrShape, ErrDtype, and ErrDomain as for
// Maclaurin.
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
	cells, d, m := float64s(ts[0]), ts[0].Shape()[0], ts[2].Shape()[0]
	f := &Products{dt: w.Dtype(), d: d, first: make([]int, m+1), scales: make([]float64, m)}
	n, s, most := float64s(ts[1]), float64s(ts[2]), len(cells)/d/m
	for i := range m {
		if !(n[i] >= 0 && n[i] <= float64(most)) || n[i] != math.Trunc(n[i]) {
			return nil, &domain.CellError{Who: who, Matrix: "degrees", Col: i, Value: n[i], Reason: fmt.Sprintf("is no whole number from 0 to %d", most), Remedy: "draw the map anew"}
		}
		if s[i]-s[i] != 0 {
			return nil, &domain.CellError{Who: who, Matrix: "scales", Col: i, Value: s[i], Reason: "is not finite", Remedy: "draw the map anew"}
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

// checkProducts wants W [d, p·m], degrees [m] and scales [m].
func checkProducts(who string, w, degrees, scales tensor.Shape) error {
	if w.Dims() == 2 && degrees.Dims() == 1 && scales.Dims() == 1 && w[0] > 0 && degrees[0] > 0 && degrees[0] == scales[0] && w[1] > 0 && w[1]%scales[0] == 0 {
		return nil
	}
	return fmt.Errorf("%s: W is %v, the degrees %v and the scales %v; want [d, p·m], [m] and [m]: %w", who, w, degrees, scales, ErrShape)
}

// Dims returns d and the number of features m, 0 and 0 of nil products.
func (f *Products) Dims() (d, m int) {
	if f == nil {
		return 0, 0
	}
	return f.d, len(f.scales)
}

// Dtype is the element type of the rows that they are for.
func (f *Products) Dtype() tensor.Dtype { return f.dt }

// MaclaurinInto writes Maclaurin(x, W, N, s), of dense or sparse rows, to dst [n, m], allocated if nil, without a graph.
func MaclaurinInto(dst *tensor.Dense, x Matrix, f *Products, a Attr) (*tensor.Dense, error) {
	const op = "Maclaurin"
	_, m := f.Dims()
	dst, x, err := input(op, a, dst, x, f, m)
	if err != nil {
		return nil, err
	}
	if dst.Dtype() == tensor.Float32 {
		return dst, maclaurin(data[float32](dst), x, f, a.who(op))
	}
	return dst, maclaurin(data[float64](dst), x, f, a.who(op))
}

func maclaurin[T domain.Float](dst []T, x Matrix, f *Products, who string) error {
	_, m := f.Dims()
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

// project yields the projections of the rows of x on the columns in use, [rows, cols], in blocks.
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
		bias := background(wrap(s), &Weights{f64: f.w}, f.w, nil)
		for from := 0; from < s.Rows; from += size {
			rows := min(size, s.Rows-from)
			if err := block(from, rows, func(p []float64) { f.w.AffineCSR(p, s.slice(from, from+rows).CSR, bias) }); err != nil {
				return err
			}
		}
		return nil
	case *tensor.Dense:
		if v.Dtype() == tensor.Float32 {
			return rowsOf(data[float32](v), v.Shape()[0], f.d, f.cols, dense)
		}
		return rowsOf(data[float64](v), v.Shape()[0], f.d, f.cols, dense)
	}
	return nil
}

// float64CSR are sparse rows in float64, a copy of the values where they are float32.
func float64CSR(x *CSR) *sparse[float64] {
	if x.f64 != nil {
		return x.f64
	}
	return converted[float64](x.f32)
}

// maclaurinOp is the map.
type maclaurinOp struct{ base }

var _ backwarder = maclaurinOp{}

func (o maclaurinOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return o.shape(ss[0], ss[1], ss[2], ss[3])
}

func (o maclaurinOp) shape(x, w, degrees, scales tensor.Shape) (tensor.Shape, error) {
	who := o.attr.who("Maclaurin")
	if err := checkProducts(who, w, degrees, scales); err != nil {
		return nil, err
	}
	if x[1] != w[0] {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, x, w[0], ErrShape)
	}
	return tensor.Shape{x[0], scales[0]}, nil
}

// prepared are the rows and the products among the values of an op whose first four inputs are x, W, N and s.
func (o maclaurinOp) prepared(in []G.Value) (x Matrix, f *Products, rest []*tensor.Dense, err error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, nil, nil, err
	}
	f, err = PackProducts(ts[1], ts[2], ts[3], o.attr)
	return x, f, ts[4:], err
}

func (o maclaurinOp) Do(in ...G.Value) (G.Value, error) {
	x, f, _, err := o.prepared(in)
	if err != nil {
		return nil, err
	}
	return result(MaclaurinInto(nil, x, f, o.attr))
}

func (o maclaurinOp) backward(t *tracer, in []any, _, grad any) []any {
	grads := make([]any, 4)
	if o.wants(0) {
		op := o
		op.kind, op.ranks = "gradient of "+o.kind, "221122"
		grads[0] = t.apply(maclaurinGrad{op}, in[0], in[1], in[2], in[3], grad)
	}
	return grads
}
