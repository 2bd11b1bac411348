package train

import (
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
)

// ScalersFor is data.ParseScalers for the rows of a map. Where numbers may be too small for the map
// (layers.Spec.BoundedBelow) cube takes the place of minmax. On the rows that it is fitted to it is the same. Later
// rows below their range, which minmax makes negative, it moves to 0, and those above to 1, so that the model predicts
// for them as well. Errors: domain.ErrParam for another scaler, and what is wrong with the spec.
func ScalersFor(spec layers.Spec, list string) (*data.Chain, error) {
	c, err := data.ParseScalers(list)
	if err != nil {
		return nil, err
	}
	bounded, err := spec.BoundedBelow()
	if err != nil || !bounded {
		return c, err
	}
	return c.Clipped(), nil
}
