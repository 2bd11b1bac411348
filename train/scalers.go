package train

import (
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
)

// ScalersFor is data.ParseScalers for the rows of a map, with two exceptions:
//
//   - If numbers may be too small for the map (layers.Spec.BoundedBelow), cube takes the place of minmax, and "auto" is
//     cube. On the rows that they are fitted to, cube and minmax are the same. Later rows below the fitted range would
//     be negative under minmax; cube moves them to 0, and those above to 1, so that the model predicts for them as
//     well.
//   - If the map takes rows of length 1 (layers.Spec.UnitRows), "auto" is "auto,l2".
//
// Errors: domain.ErrParam for an unknown scaler, and the errors of the spec.
func ScalersFor(spec layers.Spec, list string) (*data.Scaler, error) {
	c, err := data.ParseScalers(list)
	if err != nil {
		return nil, err
	}
	bounded, err := spec.BoundedBelow()
	if err == nil && bounded {
		return c.Clipped(), nil
	}
	if unit, unitErr := spec.UnitRows(); err == nil && unitErr == nil && unit && list == "auto" {
		return data.ParseScalers("auto,l2")
	}
	return c, err
}
