package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// newBase checks the options and sizes that all layers have, and names the layer.
func newBase(kind, auto string, dims, features int, o options) (*base, error) {
	b := &base{kind: kind, name: o.name, dims: dims, features: features, dt: o.dt, grad: o.inputGrad}
	if b.name == "" {
		b.name = autoName(auto)
	}
	b.watch = &watch{of: b}
	b.prefix = fmt.Sprintf("layers: %s %q", kind, b.name)
	if o.dt != tensor.Float32 && o.dt != tensor.Float64 {
		return nil, fmt.Errorf("%s: element type %v, want float32 or float64: %w", b.who(), o.dt, ErrDtype)
	}
	if dims < 1 {
		return nil, fmt.Errorf("%s: %d input dimensions, want at least 1: %w", b.who(), dims, ErrParam)
	}
	if features < 1 {
		return nil, fmt.Errorf("%s: %d features, want at least 1: %w", b.who(), features, ErrParam)
	}
	if err := domain.CheckSize(b.who()+": rows", int(o.dt.Size()), dims); err != nil {
		return nil, err
	}
	return b, domain.CheckSize(b.who()+": rows of features", int(o.dt.Size()), features)
}

// checkSize returns an error for a parameter too large for memory. Parameters are made in float64.
func (b *base) checkSize(shape ...int) error { return domain.CheckSize(b.who(), 8, shape...) }

// newTensor makes a tensor of the layer's element type from numbers in float64, rounded once.
func newTensor(dt tensor.Dtype, v []float64, shape ...int) *tensor.Dense {
	if dt == tensor.Float64 {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	f := make([]float32, len(v))
	for i, x := range v {
		f[i] = float32(x)
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(f))
}

// checkColumns returns an error unless x is a matrix of so many columns.
func checkColumns(who string, x ops.Matrix, cols int) error {
	if domain.IsNil(x) {
		return fmt.Errorf("%s: x is nil, want [n, %d]: %w", who, cols, ErrShape)
	}
	if x.Dims() != 2 || x.Shape()[1] != cols {
		return fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, x.Shape(), cols, ErrShape)
	}
	return nil
}

// fits returns an error unless x has the layer's width and element type.
func (b *base) fits(x ops.Matrix) error {
	if err := checkColumns(b.who(), x, b.dims); err != nil {
		return err
	}
	if x.Dtype() != b.dt {
		return fmt.Errorf("%s: x is %v, the layer is %v: %w", b.who(), x.Dtype(), b.dt, ErrDtype)
	}
	return nil
}

// noBags returns the error for nil bags.
func noBags(who string) error { return fmt.Errorf("%s: the bags are nil: %w", who, ErrShape) }

// checkKernel returns an error for a kernel that is nil or has parameters out of range.
func checkKernel(who string, k spectral.Kernel) error {
	if domain.IsNil(k) {
		return fmt.Errorf("%s: no kernel: %w", who, ErrParam)
	}
	if v, ok := k.(spectral.Validator); ok {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("%s: %w", who, err)
		}
	}
	return nil
}
