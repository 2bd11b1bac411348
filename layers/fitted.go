package layers

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// newFitted applies the options of the constructor of a layer that is fitted on a sample. fit makes the layer, for as
// many columns as the sample has.
func newFitted[F, L any](of F, sample *tensor.Dense, opts []Option, applicable []string,
	fit func(of F, dims int, o options) (*L, error)) (*L, error) {
	kind := reflect.TypeFor[L]().Name()
	o, err := newOptions("New"+kind, opts, applicable)
	switch {
	case err != nil:
		return nil, err
	case sample == nil:
		return nil, fmt.Errorf("layers: %s %q: the sample is nil; give rows [N, d] to fit on: %w", kind, o.name,
			ErrParam)
	case sample.Dims() != 2:
		return nil, fmt.Errorf("layers: %s %q: the sample has shape %v, want rows [N, d] to fit on: %w", kind, o.name,
			sample.Shape(), ErrShape)
	}
	o.sample = sample
	return fit(of, sample.Shape()[1], o)
}

// fittingRows returns a contiguous copy of the rows that a layer is fitted on, in its element type. It checks the cells
// before and after it rounds them.
func fittingRows(b *base, on ops.Domain, sample *tensor.Dense) (*tensor.Dense, error) {
	if sample.Shape()[0] == 0 {
		return nil, fmt.Errorf("%s: the sample has shape %v, want rows [N, %d] to fit on: %w", b.who(), sample.Shape(),
			b.dims, ErrShape)
	}
	rows, err := ops.Copy(nil, sample, ops.Attr{Layer: b.who(), Domain: on})
	if err != nil || rows.Dtype() == b.dt {
		return rows, err
	}
	rows = newTensor(b.dt, ops.Float64s(rows), rows.Shape().Clone()...)
	return rows, ops.CheckRows(on, b.who(), rows)
}

// tableMap is the common part of maps that read a fitted table for each column. Its parameters are knots [d, P] and
// table [d, P·w].
type tableMap struct {
	csrMapper
	op ops.Tables
}

// newTableMap makes the parameters, all zero.
func newTableMap(b *base, op ops.Tables, on ops.Domain) *tableMap {
	b.features = b.dims * op.Width
	for _, p := range []struct {
		name    string
		columns int
	}{{"knots", op.Points}, {"table", op.Points * op.Width}} {
		b.params = append(b.params, Param{p.name, tensor.New(tensor.WithShape(b.dims, p.columns), tensor.Of(b.dt)), false})
	}
	table := func(a ops.Attr) ops.Op { return ops.Table(op, a) }
	return &tableMap{csrMapper{sparseMapper{newSingle(b, on, false, table)}}, op}
}

// tableSize returns the Size of the tables.
func tableSize(dims int, op ops.Tables) float64 {
	return float64(dims) * float64(op.Points*(1+op.Width))
}

// fit computes the parameters from a sample, and rounds them. column computes the knots and the table of a column from
// its values. It may run for several columns at a time.
func (l *tableMap) fit(sample *tensor.Dense, column func(knots, table, values []float64) error) error {
	sample, err := fittingRows(l.base, l.on, sample)
	if err != nil {
		return err
	}
	rows, n, p, w := ops.Float64s(sample), sample.Shape()[0], l.op.Points, l.op.Points*l.op.Width
	knots, table, errs := make([]float64, l.dims*p), make([]float64, l.dims*w), make([]error, l.dims)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(l.dims, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for j := int(next.Add(1)) - 1; j < l.dims; j = int(next.Add(1)) - 1 {
				values := make([]float64, n)
				for i := range values {
					values[i] = rows[i*l.dims+j]
				}
				errs[j] = column(knots[j*p:(j+1)*p], table[j*w:(j+1)*w], values)
			}
		})
	}
	wg.Wait()
	for j, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: column %d: %w", l.who(), j, err)
		}
	}
	for i, v := range [][]float64{knots, table} {
		p := l.params[i].Value
		l.params[i].Value = newTensor(l.dt, v, p.Shape().Clone()...)
	}
	return nil
}
