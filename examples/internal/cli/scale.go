package cli

import (
	"errors"
	"fmt"

	"github.com/bochner-go/bochner/train/data"
)

// Scale fits a scaler to the rows of a set and applies it to them. Sparse rows stay sparse where the scaler keeps zeros, and become dense
// where it does not.
func Scale(set *data.Set, scaler *data.Chain) error {
	err := scaler.Fit(set.X)
	if errors.Is(err, data.ErrZeros) {
		what := fmt.Sprintf("the scaler %q makes the rows dense: %d rows of %d columns", scaler.Name(), set.Rows(), set.Dims())
		if err := Afford(what, 8*float64(set.Rows())*float64(set.Dims()), "scale by l1 or l2"); err != nil {
			return err
		}
		if set.X, err = set.Dense(); err == nil {
			err = scaler.Fit(set.X)
		}
	}
	if err != nil {
		return err
	}
	return scaler.ApplyInPlace(set.X)
}
