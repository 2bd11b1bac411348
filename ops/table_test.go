package ops_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// two columns: knots 0, 1, 2, 2 (the last repeated) with the numbers (0, 0), (3, 5), (4, 1) in u, and -1, 0, 1, 3 with
// (2, 1), (0, 0), (-1, 0), (5, 7).
var (
	tableKnots   = rowsOf(4, 0, 1, 2, 2, -1, 0, 1, 3)
	tableNumbers = rowsOf(8, 0, 0, 3, 5, 4, 1, 4, 1, 2, 1, 0, 0, -1, 0, 5, 7)
)

// TestTable: the numbers and derivatives between the knots, at them, and outside, in u = x and u = √x, constant and
// rising.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		s     ops.Tables
		x     [2]float64
		z, dx [2]float64 // of the first number of each column
	}{
		{ops.Tables{Power: 1}, [2]float64{0, 0}, [2]float64{0, 0}, [2]float64{3, -1}},
		{ops.Tables{Power: 1}, [2]float64{.5, -.25}, [2]float64{1.5, .5}, [2]float64{3, -2}},
		// a knot takes the slope of the interval above
		{ops.Tables{Power: 1}, [2]float64{1, 1}, [2]float64{3, -1}, [2]float64{1, 3}},
		{ops.Tables{Power: 1}, [2]float64{2, 3}, [2]float64{4, 5}, [2]float64{0, 0}},
		{ops.Tables{Power: 1}, [2]float64{-1, -7}, [2]float64{0, 2}, [2]float64{0, 0}},
		{ops.Tables{Power: 1, Rise: true}, [2]float64{2, 3}, [2]float64{4, 5}, [2]float64{2, 5. / 3}},
		{ops.Tables{Power: 1, Rise: true}, [2]float64{7, -7}, [2]float64{14, 14}, [2]float64{2, -2}},
		{ops.Tables{Power: 1, Rise: true}, [2]float64{-1, 0}, [2]float64{0, 0}, [2]float64{0, -1}},
		// a slope without bound counts as 0
		{ops.Tables{Power: .5}, [2]float64{0, 0}, [2]float64{0, 0}, [2]float64{0, 0}},
		{ops.Tables{Power: .5}, [2]float64{.25, -.25}, [2]float64{1.5, 1}, [2]float64{3, -2}},
		{ops.Tables{Power: .5, Rise: true}, [2]float64{16, -16}, [2]float64{8, 8}, [2]float64{2. / 8, -2. / 8}},
		{ops.Tables{Power: 2, Rise: true}, [2]float64{.5, 0}, [2]float64{.75, 0}, [2]float64{3, 0}},
		{ops.Tables{Power: .75}, [2]float64{math.Pow(1.5, 4./3), 0}, [2]float64{3.5, 0},
			[2]float64{.75 * math.Pow(1.5, -1./3), 0}},
	} {
		c.s.Points, c.s.Width = 4, 2
		x := rowsOf(2, c.x[:]...)
		z, err := ops.TableInto(nil, x, tableKnots, tableNumbers, c.s, ops.Attr{})
		if err != nil {
			t.Fatal(err)
		}
		dx := tableGradient(t, x, c.s)
		for j := range 2 {
			if got := z.Float64s()[2*j]; math.Abs(got-c.z[j]) > 1e-12 {
				t.Errorf("%+v at %v: %v, want %v", c.s, c.x[j], got, c.z[j])
			}
			if math.Abs(dx[j]-c.dx[j]) > 1e-12 {
				t.Errorf("%+v at %v: derivative %v, want %v", c.s, c.x[j], dx[j], c.dx[j])
			}
		}
	}
}

// tableGradient is the derivative of the first number of each column.
func tableGradient(t *testing.T, x *tensor.Dense, s ops.Tables) []float64 {
	t.Helper()
	g := G.NewGraph()
	node := func(name string, v *tensor.Dense) *G.Node {
		return G.NewMatrix(g, v.Dtype(), G.WithShape(v.Shape()...), G.WithName(name), G.WithValue(v))
	}
	in := node("x", x)
	z, err := ops.Table(in, node("knots", tableKnots), node("table", tableNumbers), s, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	grads, err := G.Backpropagate(G.Nodes{z}, G.Nodes{node("g", rowsOf(4, 1, 0, 1, 0))}, G.Nodes{in})
	if err != nil {
		t.Fatal(err)
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	return grads[0].Value().(*tensor.Dense).Float64s()
}

// TestTableCSR: sparse rows give the numbers that are not 0, of a part of the rows too; where a zero has numbers there
// is an error, and a graph makes the rows dense.
func TestTableCSR(t *testing.T) {
	s := ops.Tables{Points: 4, Width: 2, Power: 1}
	x := rowsOf(2, 0, 0, .5, 0, 0, 1, 0, -3)
	csr, err := ops.CSROf(x)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ops.TableInto(nil, x, tableKnots, tableNumbers, s, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	z, err := ops.TableCSR(csr, tableKnots, tableNumbers, s, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	if dense, err := z.Dense(nil); err != nil || z.Stored() != 5 || !slices.Equal(dense.Float64s(), want.Float64s()) {
		t.Errorf("%v, %v; want %v", z, err, want)
	}
	if z, err = ops.TableCSR(csr.Slice(1, 3), tableKnots, tableNumbers, s, ops.Attr{}); err != nil || z.Stored() != 3 {
		t.Errorf("a part: %v, %v", z, err)
	}
	filled := tableNumbers.Clone().(*tensor.Dense)
	filled.Float64s()[1] = .5 // the second number of a 0 in the first column
	if _, err := ops.TableCSR(csr, tableKnots, filled, s, ops.Attr{}); !errors.Is(err, ops.ErrParam) ||
		!strings.Contains(err.Error(), "make them dense") {
		t.Errorf("numbers of a zero: %v", err)
	}
	g := G.NewGraph()
	in := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("x"), G.WithValue(csr))
	knots := G.NewMatrix(g, G.Float64, G.WithShape(2, 4), G.WithName("knots"), G.WithValue(tableKnots))
	table := G.NewMatrix(g, G.Float64, G.WithShape(2, 8), G.WithName("table"), G.WithValue(filled))
	out, err := ops.Table(in, knots, table, s, ops.Attr{Frozen: ops.X})
	if err != nil {
		t.Fatal(err)
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	if got := out.Value().(*tensor.Dense).Float64s()[1]; got != .5 {
		t.Errorf("the number of a zero is %v", got)
	}
}

// TestTableErrors: what does not fit together.
func TestTableErrors(t *testing.T) {
	good, x := ops.Tables{Points: 4, Width: 2, Power: 1}, rowsOf(2, .5, 1)
	bad := func(m *tensor.Dense, at int, v float64) *tensor.Dense {
		c := m.Clone().(*tensor.Dense)
		c.Float64s()[at] = v
		return c
	}
	into := func(dst, x, knots, table *tensor.Dense, s ops.Tables) error {
		_, err := ops.TableInto(dst, x, knots, table, s, ops.Attr{Layer: "probe"})
		return err
	}
	with := func(f func(s *ops.Tables)) ops.Tables { s := good; f(&s); return s }
	for says, c := range map[string]struct{ err, is error }{
		"tables of 1 points": {into(nil, x, tableKnots, tableNumbers, with(func(s *ops.Tables) {
			s.Points = 1
		})), ops.ErrParam},
		"and 0 numbers": {into(nil, x, tableKnots, tableNumbers, with(func(s *ops.Tables) {
			s.Width = 0
		})), ops.ErrParam},
		"in x^NaN": {into(nil, x, tableKnots, tableNumbers, with(func(s *ops.Tables) {
			s.Power = math.NaN()
		})), ops.ErrParam},
		"the knots have shape":  {into(nil, x, rowsOf(2, 0, 1, 2, 3), tableNumbers, good), ops.ErrShape},
		"the tables have shape": {into(nil, x, tableKnots, tableKnots, good), ops.ErrShape},
		"dst has shape (1, 2)":  {into(x, x, tableKnots, tableNumbers, good), ops.ErrShape},
		"the knots float64": {into(nil, waves(tensor.Float32, 1, 2, 0), tableKnots, tableNumbers, good),
			ops.ErrDtype},
		"x[0,1] = NaN":            {into(nil, rowsOf(2, 0, math.NaN()), tableKnots, tableNumbers, good), ops.ErrDomain},
		"knots[1,2] = -3 is not":  {into(nil, x, bad(tableKnots, 6, -3), tableNumbers, good), ops.ErrDomain},
		"table[1,3] = +Inf is no": {into(nil, x, tableKnots, bad(tableNumbers, 11, math.Inf(1)), good), ops.ErrDomain},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), says) ||
			!strings.HasPrefix(c.err.Error(), "probe") {
			t.Errorf("%v, want %v with %q", c.err, c.is, says)
		}
	}
}
