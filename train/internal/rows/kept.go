package rows

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Kept are the rows that a fit goes through again and again: their features are kept, or mapped again each time.
type Kept struct {
	*Source
	Blocks []ops.Matrix // of the features, after the first pass; nil if they are not kept
	Keeps  bool
}

// Keep reads the targets, and decides whether the features are kept: if they take at most bytes.
func Keep(src *Source, bytes int64) (*Kept, error) {
	if _, err := src.Targets(); err != nil {
		return nil, err
	}
	size := fits.Problem{Rows: src.N, Features: src.Features, Stored: src.Stored(), Single: src.dtype == tensor.Float32}
	return &Kept{Source: src, Keeps: size.Bytes() <= float64(bytes)}, nil
}

// Each calls f with each block and the number of its first row.
func (r *Kept) Each(f func(at int, z ops.Matrix) error) error {
	at := 0
	for _, z := range r.Blocks {
		if err := r.Cancelled(); err != nil {
			return err
		}
		if err := f(at, z); err != nil {
			return err
		}
		at += z.Shape()[0]
	}
	if r.Blocks != nil {
		return nil
	}
	var kept []ops.Matrix
	err := r.EachMatrix(func(rows Names, z ops.Matrix, _ *mat.Dense) error {
		if err := CheckFinite(r.Who, z, rows); err != nil {
			return err
		}
		if err := f(at, z); err != nil {
			return err
		}
		if at += z.Shape()[0]; r.Keeps {
			kept = append(kept, z)
			r.dst, r.gather = nil, nil // the block is ours now
		}
		return nil
	})
	if err == nil && r.Keeps {
		r.Blocks = kept
	}
	return err
}

// CheckFinite names the first feature that is NaN or infinite.
func CheckFinite(who string, z ops.Matrix, rows Names) error {
	if i, j, v := NotFinite(z); i >= 0 {
		return fmt.Errorf("train: %s: row %d has the feature z[%d,%d] = %v, which is not a finite number; drop the row, or "+
			"scale the data so that the map does not overflow: %w", who, rows.At(i), rows.At(i), j, v, domain.ErrDomain)
	}
	return nil
}

// NotFinite is the place of the first feature that is NaN or infinite, or -1.
func NotFinite(z ops.Matrix) (i, j int, v float64) {
	return given.CellOf(ops.CheckRows(domain.Reals(), "", z))
}
