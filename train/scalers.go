package train

import (
	"cmp"

	"github.com/bochner-go/bochner/train/data"
)

// NewScaler returns the scalers of r.Scale before they have learnt, as data.ParseScalers reads them, for the rows of
// the map r.Spec, with two exceptions:
//
//   - If numbers may be too small for the map (layers.Spec.BoundedBelow), cube takes the place of minmax, and "auto" is
//     cube. On the rows that they are fitted to, cube and minmax are the same. Later rows below the fitted range would
//     be negative under minmax; cube moves them to 0, and those above to 1, so that the model predicts for them as
//     well.
//   - If the map takes rows of length 1 (layers.Spec.UnitRows), "auto" is "auto,l2".
//
// Errors: domain.ErrParam for an unknown scaler, and the errors of the spec.
func (r Recipe) NewScaler() (*data.Scaler, error) {
	scale := cmp.Or(r.Scale, "none")
	c, err := data.ParseScalers(scale)
	if err != nil {
		return nil, err
	}
	bounded, err := r.Spec.BoundedBelow()
	if err == nil && bounded {
		return c.Clipped(), nil
	}
	if unit, unitErr := r.Spec.UnitRows(); err == nil && unitErr == nil && unit && scale == "auto" {
		return data.ParseScalers("auto,l2")
	}
	return c, err
}
