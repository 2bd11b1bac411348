package cli

import (
	"errors"
	"fmt"

	"github.com/bochner-go/bochner/train/data"
)

// spreadLimit is how many cells of sparse rows are made dense for a scaler that does not keep zeros: 4 GiB.
const spreadLimit = 1 << 29

// Scale fits a scaler to the rows of a set and applies it to them. Sparse rows stay sparse where the scaler keeps zeros, and become dense
// where it does not.
func Scale(set *data.Set, scaler *data.Chain) error {
	err := scaler.Fit(set.X)
	if errors.Is(err, data.ErrZeros) {
		if float64(set.Rows())*float64(set.Dims()) > spreadLimit {
			return fmt.Errorf("the scaler %q makes the rows dense, and %d rows of %d columns are too large for that; scale by l1 or l2: %w", scaler.Name(), set.Rows(), set.Dims(), err)
		}
		if set.X, err = set.Dense(); err == nil {
			err = scaler.Fit(set.X)
		}
	}
	if err != nil {
		return err
	}
	return scaler.Apply(set.X)
}
