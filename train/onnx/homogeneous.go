package onnx

import (
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// homogeneous maps each coordinate v to the numbers r₀ |v|^(γ/2), √2 r_j |v|^(γ/2) cos(f_j L ln|v|) and √2 r_j
// |v|^(γ/2) sin(f_j L ln|v|). The parameters p belong to l or to a map around it.
func (g *graph) homogeneous(x value, p params, l *layers.HomogeneousLayer) value {
	roots, base, f := p.get("root_kappa"), p.get("L"), l.Harmonics().F[1:]
	d, n := l.Dims(), len(f)
	if len(roots) != n+1 || len(base) != 1 && len(base) != d {
		fail(domain.ErrShape, "%v: %d roots and %d base frequencies for %d harmonics of %d columns", l, len(roots),
			len(base), n, d)
	}
	return g.within("psi", func() value {
		v := g.unsqueeze(x, 2) // [N, d, 1]
		k, ok := l.Kernel().(spectral.Homogeneous)
		if !ok { // spectral.Stationary
			one := g.op("Add", g.times(v, 0), g.scalar(1))
			return g.reshape(g.series(v, one, base, roots, f), l.Features())
		}
		size, log := g.magnitude(v, k), value("")
		if n > 0 { // a map of order 0 needs none
			log = g.logarithm(v, size)
		}
		factor := g.power(size, k.Degree()/2)
		switch k.Extension() {
		case spectral.SplitNegative:
			none, positive := g.scalar(0), g.op("Greater", v, g.scalar(0))
			above, below := g.op("Where", positive, factor, none), g.op("Where", positive, none, factor)
			return g.reshape(g.concat(2, g.series(log, above, base, roots, f), g.series(log, below, base, roots, f)),
				l.Features())
		case spectral.SignNegative:
			factor = g.op("Mul", factor, g.op("Sign", v))
		}
		return g.reshape(g.series(log, factor, base, roots, f), l.Features())
	})
}

// series maps u [N, d, 1] to the numbers of homogeneous, each times a factor [N, d, 1]: [N, d, 2n+1].
func (g *graph) series(u, factor value, base, roots []float64, f []int) value {
	n := len(f)
	first := g.times(factor, roots[0])
	if n == 0 {
		return first
	}
	frequencies := make([]float64, 0, len(base)*n)
	for _, b := range base {
		for _, h := range f {
			frequencies = append(frequencies, float64(h)*b)
		}
	}
	weights := mapped(roots[1:], func(r float64) float64 { return math.Sqrt2 * r })
	angles := g.op("Mul", u, g.weights("frequencies", frequencies, 1, len(base), n))
	return g.concat(2, first, g.op("Mul", g.interleave(g.waves(2, angles), weights), factor))
}

// magnitude is |x|, and x itself where the kernel takes no negative numbers.
func (g *graph) magnitude(x value, k spectral.Homogeneous) value {
	if k.Extension() == spectral.RejectNegative {
		return x
	}
	return g.op("Abs", x)
}

// logarithm is the logarithm of the magnitude of x, and 0 where x is 0.
func (g *graph) logarithm(x, magnitude value) value {
	return g.op("Log", g.op("Where", g.zero(x), g.scalar(1), magnitude))
}

// power is x^p for x >= 0.
func (g *graph) power(x value, p float64) value {
	switch p {
	case 1:
		return x
	case .5:
		return g.op("Sqrt", x)
	}
	return g.op("Pow", x, g.scalar(p))
}
