package trial

import (
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// PairsFor are rows with the targets that the head's loss takes, of which a head that classifies has probabilities.
func PairsFor(head layers.Head, x ops.Matrix, targets *tensor.Dense) data.Pairs {
	if targets == nil {
		return data.Pairs{X: x}
	}
	n, k := targets.Shape()[0], targets.Shape()[1]
	y := mat.NewDense(n, k, nil)
	for i := range n * k {
		v := given.Cell(targets, i)
		if head != nil && head.Classifies() {
			v = 2*v - 1
		}
		y.Set(i/k, i%k, v)
	}
	return data.Pairs{X: x, Y: y}
}

// Read are rows that are read: pairs as any other type hands them out.
type Read struct{ data.Pairs }
