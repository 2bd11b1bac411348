package linear

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
)

// checkFinite names the first feature or target that is NaN or infinite.
func checkFinite(who string, z ops.Matrix, y *mat.Dense, row func(i int) int) error {
	if i, j, v := notFinite(z); i >= 0 {
		return fmt.Errorf("train: %s: row %d has the feature z[%d,%d] = %v, which is not a finite number; drop the row, or scale the data so that the map does not overflow: %w", who, row(i), row(i), j, v, domain.ErrDomain)
	}
	return given.CheckTargets(who, y, row)
}
