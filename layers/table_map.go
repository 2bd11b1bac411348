package layers

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// tableMap is the common part of maps that read a fitted table for each column. Its parameters are knots [d, P] and
// table [d, P·w].
type tableMap struct {
	zeroMapper
	op ops.Tables
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
	table := func(a ops.Attr) ops.Op { return ops.Table(op, a) }
	return &tableMap{zeroMapper{sparseMapper{newSingle(b, on, false, table)}}, op}, nil
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
