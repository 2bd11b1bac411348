package ops

import (
	"errors"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Tables says how Table reads its tables.
type Tables struct {
	Points int // P, the number of knots of a column, at least 2
	Width  int // w, the number of output columns for each column of x, at least 1
	// Power is the exponent p > 0 of u = sign(x)|x|^p. The knots are values of u, and the numbers are linear in u
	// between them. For functions that rise like a root it is less than 1.
	Power float64
	// Rise makes the numbers outside the knots proportional to u and equal to the tabulated ones at the nearest knot.
	// They are 0 where that knot is 0 or has the other sign. Without Rise they are constant outside.
	Rise bool
}

func (s Tables) check(who string) error {
	if s.Points < 2 || s.Width < 1 || !(s.Power > 0) || math.IsInf(s.Power, 1) {
		return fmt.Errorf("%s: tables of %d points and %d numbers in x^%v, want at least 2 points, 1 number and a "+
			"finite power above 0: %w", who, s.Points, s.Width, s.Power, ErrParam)
	}
	return nil
}

// fits compares the shapes of x, the knots and the tables.
func (s Tables) fits(who string, x, knots, tables tensor.Shape) error {
	if x.Dims() != 2 {
		return fmt.Errorf("%s: x has shape %v, want [n, d]: %w", who, x, ErrShape)
	}
	if want := (tensor.Shape{x[1], s.Points}); !knots.Eq(want) {
		return fmt.Errorf("%s: the knots have shape %v, want %v: %w", who, knots, want, ErrShape)
	}
	if want := (tensor.Shape{x[1], s.Points * s.Width}); !tables.Eq(want) {
		return fmt.Errorf("%s: the tables have shape %v, want %v: %w", who, tables, want, ErrShape)
	}
	return nil
}

// u returns sign(v)|v|^p and its derivative, 0 where that is infinite.
func (s Tables) u(v float64) (u, du float64) {
	size := math.Abs(v)
	switch s.Power {
	case 1:
		return v, 1
	case .5:
		u = math.Sqrt(size)
	default:
		u = math.Pow(size, s.Power)
	}
	if u == 0 {
		return 0, 0
	}
	return math.Copysign(u, v), s.Power * u / size
}

// Table maps each coordinate of x [n, d] to w numbers from a table of its column. With u = sign(x)|x|^p they are linear
// in u between the P knots of the column; outside they are constant or, with Rise, proportional to u. The knots [d, P]
// are values of u in rising order, with repeats allowed. The tables [d, P·w] have the w numbers of a knot side by side.
// The result is [n, d·w]. It computes in float64 for either element type.
//
// Backward: dx = Σ g·(T_{a+1} - T_a) (du/dx)/(u_{a+1} - u_a) between the knots a and a+1. Outside it is Σ g·T (du/dx)/u
// of the nearest knot, or 0 where the numbers are constant. At a knot the interval above counts. For p < 1 the slope at
// x = 0 is infinite; dx is defined as 0 there, as in Homogeneous. Knots and tables have no gradient.
//
// For sparse rows the result is sparse if 0 has the numbers 0 in all columns. Errors while building: shapes and s.
// Errors while running (ErrDomain): a cell outside Attr.Domain, a knot or number that is not finite, a knot below the
// one before.
func Table(x, knots, tables *G.Node, s Tables, a Attr) (*G.Node, error) {
	if err := s.check(a.who("Table")); err != nil {
		return nil, err
	}
	o := &op{kind: "Table", params: s, in: []Inputs{X, 0, 0}, ranks: "2222", attr: a, sparse: true}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		if err := s.fits(o.who(), in[0], in[1], in[2]); err != nil {
			return nil, err
		}
		return tensor.Shape{in[0][0], in[0][1] * s.Width}, nil
	}
	o.forward = func(x Matrix, in []*tensor.Dense) (Matrix, error) {
		if rows, ok := x.(*CSR); ok {
			z, err := TableCSR(rows, in[1], in[2], s, a)
			if !errors.Is(err, errZeros) {
				return z, err
			}
		}
		dense, err := spread(x)
		if err != nil {
			return nil, err
		}
		return TableInto(nil, dense, in[1], in[2], s, a)
	}
	o.backward = func(t *tracer) { t.gradient(X, tableGrad(s), t.in[0], t.in[1], t.in[2], t.grad) }
	return apply(o, x, knots, tables)
}

// TableInto writes Table(x, knots, tables) to dst [n, d·w], allocated if nil, without a graph. See TableCSR for sparse
// rows.
func TableInto(dst, x, knots, tables *tensor.Dense, s Tables, a Attr) (*tensor.Dense, error) {
	who := a.who("Table")
	if err := s.check(who); err != nil {
		return nil, err
	}
	ts, err := sameType(who, typeOf(x), []string{"x", "the knots", "the tables"}, x, knots, tables)
	if err != nil {
		return nil, err
	}
	if err := s.fits(who, ts[0].Shape(), ts[1].Shape(), ts[2].Shape()); err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), ts[0].Shape()[0], ts[0].Shape()[1]*s.Width); err != nil {
		return nil, err
	}
	if err := CheckRows(a.Domain, who, ts[0]); err != nil {
		return nil, err
	}
	r, err := newTableReader(who, ts[1], ts[2], s)
	if err != nil {
		return nil, err
	}
	typed(dst.Dtype(), readTables[float32], readTables[float64])(r, dst, ts[0])
	return dst, nil
}

// tableReader holds the knots and the tables in float64.
type tableReader struct {
	Tables
	knots, numbers []float64
	zeros          []float64 // [w]
}

func newTableReader(who string, knots, tables *tensor.Dense, s Tables) (*tableReader, error) {
	r := &tableReader{s, Float64s(knots), Float64s(tables), make([]float64, s.Width)}
	for i, v := range r.knots {
		if v-v != 0 || i%s.Points > 0 && v < r.knots[i-1] {
			return r, &domain.CellError{Who: who, Matrix: "knots", Row: i / s.Points, Col: i % s.Points, Value: v,
				Reason: "is not finite, or below the one before", Remedy: fitAnew}
		}
	}
	return r, checkFinite(who, "table", fitAnew, r.numbers, s.Points*s.Width)
}

// column returns the place of v in the table of column j: the numbers are low + t (high - low), and slope is dt/dv.
func (r *tableReader) column(j int, v float64) (low, high []float64, t, slope float64) {
	knots, last := r.knots[j*r.Points:(j+1)*r.Points], r.Points-1
	u, du := r.u(v)
	numbers := func(a int) []float64 { return r.numbers[(j*r.Points+a)*r.Width:][:r.Width] }
	switch {
	case !(u >= knots[0]):
		return r.outside(numbers(0), knots[0], u, du)
	case u >= knots[last]:
		return r.outside(numbers(last), knots[last], u, du)
	}
	a := 0
	for n := last; n > 1; { // knots[a] <= u < knots[a+n], halved without a branch to mispredict
		half := n / 2
		m := a + half
		if u >= knots[m] {
			a = m
		}
		n -= half
	}
	width := knots[a+1] - knots[a]
	return numbers(a), numbers(a + 1), (u - knots[a]) / width, du / width
}

// outside is column for u beyond the knot at end.
func (r *tableReader) outside(numbers []float64, end, u, du float64) (low, high []float64, t, slope float64) {
	if !r.Rise {
		return numbers, numbers, 0, 0
	}
	if end == 0 || u/end < 0 {
		return r.zeros, r.zeros, 0, 0
	}
	return r.zeros, numbers, u / end, du / end
}

func readTables[T domain.Float](r *tableReader, out, rows *tensor.Dense) {
	dst, x, w, n, d := data[T](out), data[T](rows), r.Width, rows.Shape()[0], rows.Shape()[1]
	simd.Share(n, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range x[i*d : (i+1)*d] {
				low, high, t, _ := r.column(j, float64(v))
				to := dst[(i*d+j)*w : (i*d+j+1)*w]
				for k, a := range low {
					to[k] = T(a + t*(high[k]-a))
				}
			}
		}
	})
}

// tableGrad is the gradient of Table for x, from x, the knots, the tables and the gradient g of z.
func tableGrad(s Tables) *op {
	o := &op{kind: "gradient of Table", params: s, ranks: "22222"}
	o.shape = func(in []tensor.Shape) (tensor.Shape, error) {
		x, g := in[0], in[3]
		if err := s.fits(o.who(), x, in[1], in[2]); err != nil {
			return nil, err
		}
		if want := (tensor.Shape{x[0], x[1] * s.Width}); !g.Eq(want) {
			return nil, gradientError(o.kind, g, want)
		}
		return x.Clone(), nil
	}
	o.fill = func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
		r, err := newTableReader(o.who(), in[1], in[2], s)
		if err == nil {
			typed(dx.Dtype(), tableGradient[float32], tableGradient[float64])(r, dx, in[0], in[3])
		}
		return err
	}
	return o
}

func tableGradient[T domain.Float](r *tableReader, out, rows, grad *tensor.Dense) {
	dx, x, g, w := data[T](out), data[T](rows), data[T](grad), r.Width
	n, d := rows.Shape()[0], rows.Shape()[1]
	simd.Share(n, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range x[i*d : (i+1)*d] {
				low, high, _, slope := r.column(j, float64(v))
				sum := 0.0
				for k, c := range g[(i*d+j)*w : (i*d+j+1)*w] {
					sum += float64(c) * (high[k] - low[k])
				}
				dx[i*d+j] = T(slope * sum)
			}
		}
	})
}

// errZeros marks tables that map 0 to other numbers than 0, so that the features are not sparse.
var errZeros = errors.New("the numbers of a zero are not zeros")

// TableCSR is Table of sparse rows x [n, d], as sparse rows [n, d·w]. It stores the numbers of each entry that are not
// 0. Errors are as for TableInto, and ErrParam for tables that map 0 to other numbers in some column and for an x that
// LogShiftCSR returned; make those dense.
func TableCSR(x *CSR, knots, tables *tensor.Dense, s Tables, a Attr) (*CSR, error) {
	who := a.who("Table")
	if err := s.check(who); err != nil {
		return nil, err
	}
	if err := given(who, "x", x); err != nil {
		return nil, err
	}
	ts, err := sameType(who, x.Dtype(), []string{"the knots", "the tables"}, knots, tables)
	if err != nil {
		return nil, err
	}
	if err := s.fits(who, x.Shape(), ts[0].Shape(), ts[1].Shape()); err != nil {
		return nil, err
	}
	if x.Cols() > maxColumns/s.Width {
		return nil, fmt.Errorf("%s: %d columns make more than %d: %w", who, x.Cols(), maxColumns, ErrShape)
	}
	if err := CheckRows(a.Domain, who, x); err != nil {
		return nil, err
	}
	r, err := newTableReader(who, ts[0], ts[1], s)
	if err != nil {
		return nil, err
	}
	if err := r.keepsZeros(who, x); err != nil {
		return nil, err
	}
	return typed(x.Dtype(), tableSparse[float32], tableSparse[float64])(r, x), nil
}

// keepsZeros returns an error unless missing cells are zeros and have the numbers 0.
func (r *tableReader) keepsZeros(who string, x *CSR) error {
	bad := !x.of.zeroBased()
	for j := 0; j < x.Cols() && !bad; j++ {
		low, high, t, _ := r.column(j, 0)
		for k, v := range low {
			bad = bad || v+t*(high[k]-v) != 0
		}
	}
	if bad {
		return fmt.Errorf("%s: of these sparse rows the map is not sparse; make them dense: %w: %w",
			who, errZeros, ErrParam)
	}
	return nil
}

func tableSparse[T domain.Float](r *tableReader, rows *CSR) *CSR {
	x, w := sparseOf[T](rows), r.Width
	out := x.empty(x.Rows, x.Cols*w, (x.Ptr[x.Rows]-x.Ptr[0])*min(w, 3))
	for i := range x.Rows {
		for e := x.Ptr[i]; e < x.Ptr[i+1]; e++ {
			j := int(x.Col[e])
			low, high, t, _ := r.column(j, float64(x.Val[e]))
			for k, a := range low {
				if v := T(a + t*(high[k]-a)); v != 0 {
					out.Col, out.Val = append(out.Col, int32(j*w+k)), append(out.Val, v)
				}
			}
		}
		out.Ptr[i+1] = len(out.Val)
	}
	return &CSR{out}
}
