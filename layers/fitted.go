package layers

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// sampleColumns are the columns of the sample that a layer of a kind is fitted on.
func sampleColumns(kind string, o options, sample *tensor.Dense) (int, error) {
	switch {
	case sample == nil:
		return 0, fmt.Errorf("layers: %s %q: the sample is nil; give rows [N, d] to fit on: %w", kind, o.name, ErrParam)
	case sample.Dims() != 2:
		return 0, fmt.Errorf("layers: %s %q: the sample has shape %v, want rows [N, d] to fit on: %w", kind, o.name,
			sample.Shape(), ErrShape)
	}
	return sample.Shape()[1], nil
}

// fittingRows returns a contiguous copy of the rows that a layer is fitted on, in its element type. It checks the cells
// before and after it rounds them.
func fittingRows(b *base, on ops.Domain, sample *tensor.Dense) (*tensor.Dense, error) {
	if sample == nil || sample.Dims() != 2 || sample.Shape()[0] == 0 || sample.Shape()[1] != b.dims {
		shape := "none"
		if sample != nil {
			shape = fmt.Sprint(sample.Shape())
		}
		return nil, fmt.Errorf("%s: the sample has shape %s, want rows [N, %d] to fit on: %w", b.who(), shape, b.dims,
			ErrShape)
	}
	rows, err := ops.Copy(nil, sample, ops.Attr{Layer: b.who(), Domain: on})
	if err != nil || rows.Dtype() == b.dt {
		return rows, err
	}
	rows = newTensor(b.dt, ops.Float64s(rows), rows.Shape().Clone()...)
	return rows, ops.CheckRows(on, b.who(), rows)
}
