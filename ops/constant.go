package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Constant is the number v as a node of element type dt. Gorgonia merges constants of one name, whatever their types,
// and names them by their value alone; here the type is part of the name.
func Constant(v float64, dt tensor.Dtype) *G.Node {
	name := G.WithName(fmt.Sprintf("%v %v", dt, v))
	if dt == tensor.Float32 {
		return G.NewConstant(float32(v), name)
	}
	return G.NewConstant(v, name)
}
