package onnx

import (
	"math"

	spectral "github.com/bochner-go/bochner/init"
)

// units is √(2/m) s(xW), √(2/m) r(xW), or √(2/m) [r(xA) | s(xA)∘(xV)] for W = [A | V], as in ops.Units.
func (g *graph) units(x value, p params, d int, t spectral.Transform) value {
	w, m := p.frequencies(d)
	if t == spectral.Tangent {
		m /= 2
	}
	scale := math.Sqrt(2 / float64(m))
	project := func(name string, from int) value {
		part := make([]float64, 0, d*m)
		for row := w; len(row) > 0; row = row[len(w)/d:] {
			part = append(part, row[from:from+m]...)
		}
		return g.op("MatMul", x, g.weights(name, part, d, m))
	}
	first := project("W", 0)
	active := func(v value) value { return g.op("Where", g.op("Greater", first, g.scalar(0)), v, g.scalar(0)) }
	switch t {
	case spectral.Step:
		return active(g.scalar(scale))
	case spectral.ReLU:
		return g.times(g.op("Relu", first), scale)
	}
	return g.times(g.concat(1, g.op("Relu", first), active(project("V", m))), scale)
}
