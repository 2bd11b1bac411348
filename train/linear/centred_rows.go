package linear

import (
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// centredRows are the features of a block less their means, and scratch for their product.
type centredRows struct {
	d     int
	zc, t []float64
}

// centre copies features less their means into zc.
func (c *centredRows) centre(z *tensor.Dense, mean []float64) []float64 {
	n := z.Shape()[0]
	c.d = len(mean)
	c.zc = slices.Grow(c.zc[:0], n*c.d)[:n*c.d]
	if z.Dtype() == tensor.Float32 {
		subtract(c.zc, z.Float32s(), mean)
	} else {
		subtract(c.zc, z.Float64s(), mean)
	}
	return c.zc
}

// subtract puts the rows of x less mean into dst.
func subtract[T domain.Float](dst []float64, x []T, mean []float64) {
	d := len(mean)
	const piece = 16 // rows
	given.InParallel((len(x)/d+piece-1)/piece, func(task int) {
		for at := task * piece * d; at < min(len(x), (task+1)*piece*d); at += d {
			for j, m := range mean {
				dst[at+j] = float64(x[at+j]) - m
			}
		}
	})
}

// addGram adds Zcᵀ C Zc v to out, both [D, k], for the weights C of the rows; nil: all are 1.
func (c *centredRows) addGram(out, v []float64, k int, weight []float64) {
	n := len(c.zc) / c.d
	if k == 0 {
		return
	}
	c.t = slices.Grow(c.t[:0], n*k)[:n*k]
	clear(c.t)
	gemm(false, n, k, c.d, 1, c.zc, c.d, v, k, c.t, k)
	for i, w := range weight {
		floats.Scale(w, c.t[i*k:(i+1)*k])
	}
	gemm(true, c.d, k, n, 1, c.zc, c.d, c.t, k, out, k)
}
