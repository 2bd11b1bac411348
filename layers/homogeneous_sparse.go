package layers

import (
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// MapCSR maps sparse rows to sparse rows: a cell of 0 gives zeros. Errors: the stationary form, in which it does not
// (ErrParam).
func (l *HomogeneousLayer) MapCSR(x *ops.CSR) (*ops.CSR, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	return ops.Homogeneous(l.op, ops.Attr{Layer: l.who()}).Sparse(x, l.angle(), l.param("root_kappa"))
}

// KeepsZeros is true, except for the stationary form.
func (l *HomogeneousLayer) KeepsZeros() bool { return !l.op.Stationary }

// TransformCSR is Transform for sparse rows.
func (l *HomogeneousLayer) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	if l.op.Stationary {
		return transformBlocks(l, dst, x)
	}
	z, err := l.MapCSR(x)
	if err != nil {
		return nil, err
	}
	return ops.Copy(dst, z, ops.Attr{Layer: l.who()})
}
