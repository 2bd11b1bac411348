package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
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

// Table maps each coordinate of x [n, d], the first of x, knots and tables, to w numbers from a table of its column.
// With u = sign(x)|x|^p they are linear in u between the P knots of the column; outside they are constant or, with
// Rise, proportional to u. The knots [d, P] are values of u in rising order, with repeats allowed. The tables [d, P·w]
// have the w numbers of a knot side by side. The result is [n, d·w]. It computes in float64 for either element type.
//
// Backward: dx = Σ g·(T_{a+1} - T_a) (du/dx)/(u_{a+1} - u_a) between the knots a and a+1. Outside it is Σ g·T (du/dx)/u
// of the nearest knot, or 0 where the numbers are constant. At a knot the interval above counts. For p < 1 the slope at
// x = 0 is infinite; dx is defined as 0 there, as in Homogeneous. Knots and tables have no gradient.
//
// For sparse rows the result is sparse if 0 has the numbers 0 in all columns. Errors while building: shapes and s.
// Errors while running (ErrDomain): a cell outside Attr.Domain, a knot or number that is not finite, a knot below the
// one before.
func Table(s Tables, a Attr) Op {
	return table.with(s, a, s.check)
}

var table = decl{kind: "Table", sig: parse("nd,dP,d(PW)->n(dW)"), names: []string{"x", "the knots", "the tables"},
	in: []Inputs{X}, prepare: readTables,
	bind: func(o *Op, v *sizes) {
		s := o.params.(Tables)
		v.set('P', s.Points)
		v.set('W', s.Width)
	},
	forward: kernel{tableForward[float32], tableForward[float64]},
	stays:   byCoordinate,
	zeros: func(c *call) bool {
		return (&tableReader{c.params.(Tables), Float64s(c.in[1]), Float64s(c.in[2]), nil}).keepsZeros(c.at('d'))
	},
	reads: []int{0, 1, 2}, backward: kernel{tableBackward[float32], tableBackward[float64]}}

// tableReader holds the knots and the tables in float64.
type tableReader struct {
	Tables
	knots, numbers []float64
	zeros          []float64 // [w]
}

// readTables checks the knots and the tables, and leaves the reader in c.state.
func readTables(c *call) error {
	s := paramsOf[Tables](c)
	r := &tableReader{s, Float64s(c.in[1]), Float64s(c.in[2]), make([]float64, s.Width)}
	c.state = r
	for i, v := range r.knots {
		if v-v != 0 || i%s.Points > 0 && v < r.knots[i-1] {
			return &domain.CellError{Who: c.who(), Matrix: "knots", Row: i / s.Points, Col: i % s.Points, Value: v,
				Reason: "is not finite, or below the one before", Remedy: refit}
		}
	}
	return checkFinite(c.who(), "table", refit, r.numbers, s.Points*s.Width)
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

func tableForward[T domain.Float](c *call) error {
	r, dst, x, d := c.state.(*tableReader), result[T](c), cells[T](c, 0), c.at('d')
	simd.Share(c.at('n'), 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range x[i*d : (i+1)*d] {
				low, high, t, _ := r.column(columnOf(c.column, j), float64(v))
				to := dst[(i*d+j)*r.Width : (i*d+j+1)*r.Width]
				for k, a := range low {
					to[k] = T(a + t*(high[k]-a))
				}
			}
		}
	})
	return nil
}

func tableBackward[T domain.Float](c *call) error {
	if err := readTables(c); err != nil {
		return err
	}
	r, dx, x, g, d := c.state.(*tableReader), gradientFor[T](c, 0), cells[T](c, 0), gradientOf[T](c), c.at('d')
	simd.Share(c.at('n'), 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range x[i*d : (i+1)*d] {
				low, high, _, slope := r.column(j, float64(v))
				sum := 0.0
				for k, c := range g[(i*d+j)*r.Width : (i*d+j+1)*r.Width] {
					sum += float64(c) * (high[k] - low[k])
				}
				dx[i*d+j] = T(slope * sum)
			}
		}
	})
	return nil
}

// keepsZeros reports whether 0 has the numbers 0 in all of d columns.
func (r *tableReader) keepsZeros(d int) bool {
	r.zeros = make([]float64, r.Width)
	for j := range d {
		low, high, t, _ := r.column(j, 0)
		for k, v := range low {
			if v+t*(high[k]-v) != 0 {
				return false
			}
		}
	}
	return true
}
