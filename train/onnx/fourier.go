package onnx

import (
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// random are the features of the transform of a kernel.
func (g *graph) random(x value, p params, l *layers.RandomLayer) value {
	d := l.Dims()
	switch t := l.Kernel().Law().Transform; t {
	case spectral.LogFourier:
		x = g.op("Log", g.op("Add", x, g.row("c", p.get("c"))))
	case spectral.Laplace:
		return g.laplace(x, p, d, l.Kernel())
	case spectral.Additive:
		waves, k := g.columnWaves(x, p, d)
		return g.rowsFirst(g.times(waves, 1/math.Sqrt(float64(k))), l.Features())
	case spectral.Positive:
		return g.positive(x, p, d)
	case spectral.Step, spectral.ReLU, spectral.Tangent:
		return g.units(x, p, d, t)
	}
	return g.fourier(x, p, d)
}

// fourier is [cos P | sin P]/√m, or √(2/m) cos(P + b), for P = xW and d columns of x.
func (g *graph) fourier(x value, p params, d int) value {
	w, m := p.frequencies(d)
	angles := g.op("MatMul", x, g.weights("W", w, d, m))
	if b := p.values["b"]; b != nil {
		z := g.cos(g.op("Add", angles, g.row("b", b)))
		return g.times(z, math.Sqrt(2/float64(m)))
	}
	return g.times(g.waves(1, angles), 1/math.Sqrt(float64(m)))
}

// waves are the cosines and the sines of angles, side by side along an axis.
func (g *graph) waves(axis int64, angles value) value {
	return g.concat(axis, g.cos(angles), g.op("Sin", angles))
}

// columnWaves are cosines and sines [d, N, 2k] of the k frequencies of each column.
func (g *graph) columnWaves(x value, p params, d int) (waves value, k int) {
	w, k := p.frequencies(d)
	angles := g.op("Mul", g.unsqueeze(g.transpose(x, 1, 0), 2), g.weights("W", w, d, 1, k))
	return g.waves(2, angles), k
}

// periodic are the functions of each column, before their activation.
func (g *graph) periodic(x value, p params, d int) value {
	waves, k := g.columnWaves(x, p, d)
	e := p.columns("A")
	h := g.op("MatMul", waves, g.weights("A", p.get("A"), d, 2*k, e))
	return g.rowsFirst(g.op("Add", h, g.weights("b", p.get("b"), d, 1, e)), d*e)
}

// rowsFirst puts numbers [d, N, m] of each column side by side.
func (g *graph) rowsFirst(x value, features int) value {
	return g.reshape(g.transpose(x, 1, 0, 2), features)
}

// frequencies are W [d, m] divided by the bandwidths. Structured ones become a matrix.
func (p params) frequencies(d int) (w []float64, m int) {
	if p.values["signs"] != nil {
		w, m = p.structured(d)
	} else {
		w, m = slices.Clone(p.get("W")), p.columns("W")
	}
	if len(w) != d*m {
		fail(domain.ErrShape, "%v: the frequencies have %d numbers, and there are %d columns", p.of, len(w), d)
	}
	for i, s := range p.bandwidths(d) {
		for j := range m {
			w[i*m+j] *= s
		}
	}
	return w, m
}

// structured is W [d, m] for signs [3·blocks, q] and norms [m]. Each block is Wᵀ = q^(-3/2) diag(norms) H D₃ H D₂ H D₁,
// as in ops.StructuredFourier.
func (p params) structured(d int) (w []float64, m int) {
	signs, norms, q := p.get("signs"), p.get("norms"), p.columns("signs")
	m = len(norms)
	if len(signs) < 3*m || q < d || q&(q-1) != 0 {
		fail(domain.ErrShape, "%v: %d signs in rows of %d, for %d norms of %d columns", p.of, len(signs), q, m, d)
	}
	w = make([]float64, d*m)
	column, unit := make([]float64, q), math.Pow(float64(q), -1.5)
	for from := 0; from < m; from += q {
		of := signs[3*from:]
		for i := range d {
			clear(column)
			column[i] = 1
			for k := range 3 {
				for j := range column {
					column[j] *= of[k*q+j]
				}
				hadamard(column)
			}
			for j := range min(q, m-from) {
				w[i*m+from+j] = column[j] * norms[from+j] * unit
			}
		}
	}
	return w, m
}

// hadamard is the Walsh-Hadamard transform of 2^k numbers, without a factor.
func hadamard(v []float64) {
	for h := 1; h < len(v); h *= 2 {
		for i := 0; i < len(v); i += 2 * h {
			for j := i; j < i+h; j++ {
				v[j], v[j+h] = v[j]+v[j+h], v[j]-v[j+h]
			}
		}
	}
}

// signed is [ρ₁ cos P₁ | ρ₁ sin P₁ | ρ₂ cos P₂ | ρ₂ sin P₂]/√m with P_b = (xU_b)∘norms_b, of one sign or two.
func (g *graph) signed(x value, p params, d int) value {
	u, norms, roots, q := p.get("U"), p.get("norms"), p.get("roots"), p.columns("U")
	scale := p.bandwidths(d)
	if len(u) != d*q || len(norms)%q != 0 || len(roots) == 0 || len(norms)%len(roots) != 0 {
		fail(domain.ErrShape, "%v: %d directions, %d norms and %d roots do not belong together", p.of, q, len(norms),
			len(roots))
	}
	m := len(norms) / len(roots)
	var all []value
	for b, root := range roots {
		w := make([]float64, 0, d*m)
		for i := range d {
			for j := range m {
				k := b*m + j
				w = append(w, u[i*q+k%q]*scale[i]*norms[k])
			}
		}
		angles := g.op("MatMul", x, g.weights("U", w, d, m))
		all = append(all, g.times(g.waves(1, angles), root/math.Sqrt(float64(m))))
	}
	return g.concat(1, all...)
}

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
