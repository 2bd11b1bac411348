package layers

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// tableMap is the common part of maps that read a fitted table for each column. Its parameters are knots [d, P] and
// table [d, P·w].
type tableMap struct {
	*base
	op ops.Tables
	on ops.Domain
}

// newTableMap makes the parameters, all zero.
func newTableMap(kind, auto string, dims int, op ops.Tables, on ops.Domain, o options) (*tableMap, error) {
	b, err := newBase(kind, auto, dims, 1, o)
	if err != nil {
		return nil, err
	}
	b.features = dims * op.Width
	for _, name := range []string{"knots", "table"} {
		b.params = append(b.params, Param{name, tensor.New(tensor.WithShape(tableState(dims, op)[name]...),
			tensor.Of(o.dt)), false})
	}
	return &tableMap{base: b, op: op, on: on}, nil
}

// tableState returns the shapes of the parameters.
func tableState(dims int, op ops.Tables) map[string]tensor.Shape {
	return map[string]tensor.Shape{"knots": {dims, op.Points}, "table": {dims, op.Points * op.Width}}
}

// set rounds fitted numbers into the parameters.
func (l *tableMap) set(knots, table []float64) error {
	for i, v := range [][]float64{knots, table} {
		p := l.params[i].Value
		if err := ops.Assign(p, newTensor(l.dt, v, p.Shape().Clone()...)); err != nil {
			return fmt.Errorf("%s: %w", l.who(), err)
		}
	}
	return nil
}

func (l *tableMap) attr() ops.Attr { return ops.Attr{Layer: l.who(), Domain: l.on} }

// Fwd adds the map to the graph of x.
func (l *tableMap) Fwd(x G.Input) G.Result { return l.lift(x, l.fwd) }

func (l *tableMap) fwd(x *G.Node) (*G.Node, error) {
	x, p, a, err := l.begin(x, l.attr())
	if err != nil {
		return nil, err
	}
	return ops.Table(x, p["knots"], p["table"], l.op, a)
}

// Transform writes the features of the rows of x to dst.
func (l *tableMap) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	return ops.TableInto(dst, x, l.param("knots"), l.param("table"), l.op, l.attr())
}

// MapCSR maps sparse rows to sparse rows: a stored cell gives its numbers that are not 0, a cell that is not stored
// none.
func (l *tableMap) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	return ops.TableCSR(x, l.param("knots"), l.param("table"), l.op, l.attr())
}

// TransformCSR is Transform for sparse rows.
func (l *tableMap) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	z, err := l.MapCSR(x)
	if err != nil {
		return nil, err
	}
	return ops.Copy(dst, z, ops.Attr{Layer: l.who()})
}

// KeepsZeros is true.
func (l *tableMap) KeepsZeros() bool { return true }
