package linear

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// checkFinite names the first feature or target that is NaN or infinite.
func checkFinite(who string, z *tensor.Dense, y *mat.Dense, row func(i int) int) error {
	var i, j int
	var v float64
	if z.Dtype() == tensor.Float32 {
		i, j, v = given.NotFinite(z.Float32s(), z.Shape()[0], z.Shape()[1], z.Shape()[1])
	} else {
		i, j, v = given.NotFinite(z.Float64s(), z.Shape()[0], z.Shape()[1], z.Shape()[1])
	}
	if i >= 0 {
		return fmt.Errorf("train: %s: row %d has the feature z[%d,%d] = %v, which is not a finite number; drop the row, or scale the data so that the map does not overflow: %w", who, row(i), row(i), j, v, domain.ErrDomain)
	}
	return given.CheckTargets(who, y, row)
}
