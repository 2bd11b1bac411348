package data

import (
	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Cube scales bags to the unit cube by the range of each coordinate over all samples that it was fitted to, which it remembers. A coordinate
// that was constant there becomes 0 for every sample: all densities agree in it, and no distance hears of it.
type Cube struct {
	Range MinMax // fitted, or set by hand; its State is that of the cube
	// Clip moves later samples beyond the range to the face of the cube. Without it they are an error.
	Clip bool
}

// Fit takes the range of the samples. Errors as of Scaler.
func (c *Cube) Fit(b *ops.Bags) error { return c.Range.Fit(b.Samples()) }

// Apply returns the scaled bags, as a copy. Errors are those of Scaler; besides, a sample outside the cube without Clip wraps
// domain.ErrDomain and is named by its row of Samples.
func (c *Cube) Apply(b *ops.Bags) (*ops.Bags, error) {
	x := b.Samples().Clone().(*tensor.Dense)
	if err := c.Range.Apply(x); err != nil {
		return nil, err
	}
	if c.Clip {
		if x.Dtype() == tensor.Float32 {
			clip(x.Float32s())
		} else {
			clip(x.Float64s())
		}
	}
	if err := ops.CheckRows(domain.UnitCube(), "data: Cube", x); err != nil {
		return nil, err
	}
	return ops.NewBags(x, b.Offsets())
}

// clip moves numbers to [0, 1].
func clip[T domain.Float](v []T) {
	for i, u := range v {
		v[i] = min(1, max(0, u))
	}
}
