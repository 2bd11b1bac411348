package layers

import (
	"fmt"

	"gorgonia.org/tensor"
)

// newBase checks what all layers have in common and names the layer.
func newBase(kind, auto string, dims, features int, o options) (*base, error) {
	b := &base{kind: kind, name: o.name, dims: dims, features: features, dt: o.dt, grad: o.inputGrad}
	if b.name == "" {
		b.name = autoName(auto)
	}
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
	return b, nil
}

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
