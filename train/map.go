package train

import "gorgonia.org/tensor"

// Map is a feature map without a graph: what ridge and the reports need of a layer.
type Map interface {
	// Transform maps x [n, d] to features [n, D]; a nil dst is allocated. It is safe for concurrent use.
	Transform(dst, x *tensor.Dense) (*tensor.Dense, error)
	Dims() int     // d
	Features() int // D
}
