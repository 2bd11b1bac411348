package train

import (
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
)

// ScalersFor is data.ParseScalers for the rows of a map. Where numbers may be too small for the map
// (layers.Spec.BoundedBelow) cube takes the place of minmax. On the rows that it is fitted to it is the same. Later
// rows below their range, which minmax makes negative, it moves to 0, and those above to 1, so that the model predicts
// for them as well. "auto" is cube for such a map, "auto,l2" for one of rows of length 1 (layers.Spec.UnitRows), and
// data.Auto for others. Errors: domain.ErrParam for another scaler, and what is wrong with the spec.
func ScalersFor(spec layers.Spec, list string) (*data.Chain, error) {
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
