package onnx

import (
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
)

// table maps each coordinate to w numbers from the table of its column. They are linear in u = sign(x)|x|^p between the
// knots [d, k]. Beyond the knots they are constant or, with rise, in proportion to u.
func (g *graph) table(x value, p params, d int, power float64, rise bool) value {
	knots, numbers := p.get("knots"), p.get("table")
	if len(knots)%d != 0 || len(knots) == 0 || len(numbers)%len(knots) != 0 {
		fail(domain.ErrShape, "%v: %d knots and %d numbers for %d columns", p.of, len(knots), len(numbers), d)
	}
	k, w := len(knots)/d, len(numbers)/len(knots)
	u := x
	if power != 1 {
		u = g.op("Mul", g.power(g.op("Abs", x), power), g.op("Sign", x))
	}
	inside := g.between(u, knots, d)
	z := g.interpolate(inside, knots, numbers, d, k, w)
	if rise {
		zero := g.zero(inside)
		beyond := g.op("Max", g.op("Div", u, g.op("Where", zero, g.scalar(1), inside)), g.scalar(0))
		beyond = g.op("Where", zero, g.scalar(0), beyond)
		factor := g.op("Where", g.op("Equal", u, inside), g.scalar(1), beyond)
		z = g.op("Mul", z, g.unsqueeze(factor, 2))
	}
	return g.reshape(z, d*w)
}

// between clips u [N, d] to the first and the last of the knots [d, k] of its column.
func (g *graph) between(u value, knots []float64, d int) value {
	k, first, last := len(knots)/d, make([]float64, d), make([]float64, d)
	for j := range d {
		first[j], last[j] = knots[j*k], knots[(j+1)*k-1]
	}
	return g.op("Min", g.op("Max", u, g.row("first", first)), g.row("last", last))
}

// interpolate maps u [N, d] to w numbers [N, d, w]. u is within the knots [d, k] of its column, and numbers are [d, k,
// w].
func (g *graph) interpolate(u value, knots, numbers []float64, d, k, w int) value {
	own := g.rounded(knots)
	// For each interval its first numbers and the differences to the next; the last knot starts an interval of width 0.
	ways, inverse := make([]float64, 0, 2*len(numbers)), make([]float64, len(knots))
	for i := range knots {
		at := numbers[i*w : (i+1)*w]
		ways = append(ways, at...)
		ways = append(ways, make([]float64, w)...)
		if i%k < k-1 && own[i+1] > own[i] {
			inverse[i] = 1 / (own[i+1] - own[i])
			floats.SubTo(ways[len(ways)-w:], numbers[(i+1)*w:(i+2)*w], at)
		}
	}
	before := make([]int, d) // the last index before each column
	for j := range before {
		before[j] = j*k - 1
	}
	passed := g.op("GreaterOrEqual", g.unsqueeze(u, 2), g.weights("knots", knots, 1, d, k))
	count := g.opWith("ReduceSum", []attribute{{name: "keepdims", one: 0}}, g.cast(passed, elemInt64), g.ints("axes", 2))
	at := g.op("Add", count, g.ints("before", before...))
	low := g.op("Gather", g.weights("flat_knots", knots, len(knots)), at)
	share := g.op("Mul", g.op("Sub", u, low), g.op("Gather", g.weights("inverse", inverse, len(inverse)), at))
	both := g.op("Gather", g.weights("numbers", ways, len(knots), 2*w), at) // [N, d, 2w]
	start, way := g.slice(both, 2, 0, w), g.slice(both, 2, w, 2*w)
	return g.op("Add", start, g.op("Mul", way, g.unsqueeze(share, 2)))
}
