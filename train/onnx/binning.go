package onnx

import (
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// binning is ±1/√R in the column that a hash gives the cell of each of R grids, and 0 in the others, see ops.Binning.
// All whole numbers are below 2⁵³, and exact in float64.
func (g *graph) binning(x value, p params, l *layers.BinningLayer) value {
	rates, offsets, hash, d, n := p.get("rates"), p.get("offsets"), p.get("hash"), l.Dims(), l.Grids()
	if len(rates) != n*d || len(offsets) != n*d || len(hash) != n*(d+1) {
		fail(domain.ErrShape, "%v: %d rates, %d offsets and %d numbers of the hash for %d grids of %d columns", p.of,
			len(rates), len(offsets), len(hash), n, d)
	}
	bins := l.Features() / n
	first, a, columns := make([]float64, n), make([]float64, 0, n*d), make([]float64, bins)
	for i := range n {
		first[i] = hash[i*(d+1)]
		a = append(a, hash[i*(d+1)+1:(i+1)*(d+1)]...)
	}
	for b := range columns {
		columns[b] = float64(b)
	}
	return g.double(x, func(x value) value {
		modulo := func(v value, m float64) value {
			return g.op("Sub", v, g.times(g.op("Floor", g.times(v, 1/m)), m))
		}
		v := g.op("Mul", g.unsqueeze(x, 1), g.weights("rates", rates, n, d)) // [N, R, d]
		v = g.op("Min", g.op("Max", v, g.scalar(-1<<52)), g.scalar(1<<52))
		cells := modulo(g.op("Floor", g.op("Sub", v, g.weights("offsets", offsets, n, d))), 1<<13)
		h := g.opWith("ReduceSum", []attribute{{name: "keepdims", one: 0}}, g.op("Mul", cells, g.weights("hash", a, n, d)),
			g.ints("axes", 2))
		h = modulo(g.op("Add", h, g.row("first", first)), 1<<24)
		t := g.op("Floor", g.times(h, float64(2*bins)/(1<<24)))
		column := g.op("Floor", g.times(t, .5))
		sign := g.op("Sub", g.scalar(1), g.times(g.op("Sub", t, g.times(column, 2)), 2))
		there := g.op("Equal", g.unsqueeze(column, 2), g.weights("columns", columns, bins)) // [N, R, bins]
		z := g.op("Where", there, g.unsqueeze(g.times(sign, 1/math.Sqrt(float64(n))), 2), g.scalar(0))
		return g.reshape(z, n*bins)
	})
}
