package sgd

import (
	"math"

	"github.com/bochner-go/bochner/train/fits"
)

// Cost estimates the cost of Fit. It is 0 for options that Fit refuses.
func (o FitOptions) Cost(p fits.Problem) fits.Cost {
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	cells := p.Cells()
	width := cells / max(1, n) // of a row
	if err := o.fill(false); err != nil {
		return fits.Cost{} // of options that Fit refuses
	}
	var c fits.Cost
	c.Hold(8*p.Number()*d*k, "the %d x %d weights, their gradients and moments", p.Features, p.Outputs)
	if !p.Streamed && p.Bytes() <= float64(o.CacheBytes) {
		c.Hold(p.Bytes(), "the %d x %d features", p.Rows, p.Features)
	}
	c.Hold(4*p.Number()*float64(o.Batch)*width, "batches of %d rows", o.Batch)
	c.Operations = float64(o.Epochs) * (6*cells*k + math.Ceil(n/float64(o.Batch))*12*d*k)
	return c
}
