package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Constant returns the number v as a node of element type dt. Its name contains the type: Gorgonia merges constants of
// the same name, and would name this one by its value alone.
func Constant(v float64, dt tensor.Dtype) *G.Node {
	name := G.WithName(fmt.Sprintf("%v %v", dt, v))
	if dt == tensor.Float32 {
		return G.NewConstant(float32(v), name)
	}
	return G.NewConstant(v, name)
}
