package onnx

import (
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// laplace is exp(-xW)/√m, or with a scale exp(-½ Σ f(2 s_i x_i)) exp(-xW)/‖exp(-xW)‖₂.
func (g *graph) laplace(x value, p params, d int, k spectral.Kernel) value {
	w, m := p.frequencies(d)
	negative := mapped(w, func(v float64) float64 { return -v })
	exponents := g.op("MatMul", x, g.weights("minus_W", negative, d, m))
	if p.values["scale"] == nil {
		return g.times(g.op("Exp", exponents), 1/math.Sqrt(float64(m)))
	}
	// Subtracting the largest exponent keeps the length above 0.
	z := g.op("Exp", g.op("Sub", exponents, g.largest(exponents)))
	z = g.op("Div", z, g.op("Sqrt", g.sumColumns(g.square(z), 1)))
	return g.op("Mul", z, g.damping(x, p.scales(d), k))
}

// scales are the scale of each column divided by its bandwidth.
func (p params) scales(d int) []float64 {
	s, scale := p.bandwidths(d), p.get("scale")
	for i := range s {
		s[i] *= scale[i%len(scale)]
	}
	return s
}

// positive is exp(xW - ½‖s∘x‖²)/√m.
func (g *graph) positive(x value, p params, d int) value {
	w, m := p.frequencies(d)
	lengths := g.sumColumns(g.square(g.op("Mul", x, g.row("scale", p.scales(d)))), 1)
	exponents := g.op("Sub", g.op("MatMul", x, g.weights("W", w, d, m)), g.times(lengths, .5))
	return g.times(g.op("Exp", exponents), 1/math.Sqrt(float64(m)))
}

// damping is exp(-½ Σ f(2 s_i x_i)), the length √k(x, x), of a semigroup kernel.
func (g *graph) damping(x value, s []float64, k spectral.Kernel) value {
	u := g.op("Mul", x, g.row("twice_scale", mapped(s, func(v float64) float64 { return 2 * v })))
	switch k.(type) {
	case spectral.ExpSemigroup:
		u = g.op("Sqrt", u)
	case spectral.ReciprocalSemigroup:
		u = g.op("Log", g.op("Add", u, g.scalar(1)))
	default:
		fail(domain.ErrParam, "the length √k(x, x) of %T is not known", k)
	}
	return g.op("Exp", g.times(g.sumColumns(u, 1), -.5))
}

// levy are the Fourier features of a map Ψ of x times a scale, with the length √k(x, x).
func (g *graph) levy(x value, p params, l *layers.LevyLayer) value {
	scaled, psi := g.op("Mul", x, g.row("scale", p.get("scale"))), value("")
	if inner, ok := l.Metric().(*layers.HomogeneousLayer); ok {
		psi = g.homogeneous(scaled, p, inner)
	} else {
		psi = g.logWaves(scaled, l.Dims(), l.Metric().Features())
	}
	return g.op("Mul", g.fourier(psi, p, l.Metric().Features()), g.damping(x, p.scales(l.Dims()), l.Kernel()))
}

// logWaves are a_j (cos(ω_j u) - 1) and a_j sin(ω_j u) with u = ln(1 + 2x) for each coordinate.
func (g *graph) logWaves(x value, d, features int) value {
	omega, a, err := spectral.LogWaves(features / d / 2)
	if err != nil {
		return fail(err, "the waves of a logarithm")
	}
	n := len(omega)
	u := g.op("Log", g.op("Add", g.times(x, 2), g.scalar(1)))
	angles := g.op("Mul", g.unsqueeze(u, 2), g.weights("omega", omega, 1, 1, n))
	// cos t - 1 = -2 sin²(t/2), which keeps the digits of a small t.
	waves := g.concat(2, g.times(g.square(g.op("Sin", g.times(angles, .5))), -2), g.op("Sin", angles))
	return g.reshape(g.interleave(waves, a), features)
}

// interleave takes two lists of n numbers side by side, [N, d, 2n], multiplies each by n weights and puts them in
// alternating order.
func (g *graph) interleave(x value, weights []float64) value {
	n := len(weights)
	order := make([]int, 0, 2*n)
	for j := range n {
		order = append(order, j, n+j)
	}
	x = g.op("Mul", x, g.weights("amplitudes", slices.Repeat(weights, 2), 1, 1, 2*n))
	return g.opWith("Gather", []attribute{{name: "axis", one: 2}}, x, g.ints("order", order...))
}
