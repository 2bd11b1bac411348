package onnx

import (
	"cmp"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
)

// nystrom is k(x, landmarks)·projection, in float64, since the projection divides by the roots of small eigenvalues.
func (g *graph) nystrom(x value, p params, l *layers.NystromLayer) value {
	landmarks, projection := p.get("landmarks"), p.get("projection")
	m, d := l.Landmarks(), l.Dims()
	return g.double(x, func(x value) value {
		k := g.kernel(rowsOf{x, landmarks, m, d}, l.Kernel())
		return g.op("MatMul", k, g.weights("projection", projection, m, l.Features()))
	})
}

// rowsOf are the two sides of a kernel matrix: rows x [N, d], and landmarks [m, d] in the file.
type rowsOf struct {
	x         value
	landmarks []float64
	m, d      int
}

// paired adds an operator of each row and each landmark: [N, m, d].
func (g *graph) paired(kind string, r rowsOf) value {
	return g.op(kind, g.unsqueeze(r.x, 1), g.weights("landmarks", r.landmarks, 1, r.m, r.d))
}

// sum sums pairs over their columns: [N, m].
func (g *graph) sum(x value) value { return g.sumColumns(x, 0) }

// kernel is the matrix k(x, landmarks) [N, m].
func (g *graph) kernel(r rowsOf, k spectral.Kernel) value {
	difference := func() value { return g.paired("Sub", r) }
	switch k := k.(type) {
	case spectral.Linear:
		return g.dot(r, 1)
	case spectral.Softmax:
		return g.op("Exp", g.dot(r, 1/(k.Sigma*k.Sigma)))
	case spectral.Gaussian:
		return g.op("Exp", g.times(g.squaredDistance(r), -1/(2*k.Sigma*k.Sigma)))
	case spectral.AdditiveGaussian:
		return g.sum(g.op("Exp", g.times(g.square(difference()), -1/(2*k.Sigma*k.Sigma))))
	case spectral.Laplacian:
		return g.op("Exp", g.times(g.sum(g.op("Abs", difference())), -1/k.Sigma))
	case spectral.Cauchy:
		u := g.op("Add", g.square(g.times(difference(), 1/k.Sigma)), g.scalar(1))
		return g.op("Exp", g.op("Neg", g.sum(g.op("Log", u))))
	case spectral.RationalQuadratic:
		u := g.op("Add", g.times(g.squaredDistance(r), 1/(2*k.Alpha)/k.Ell/k.Ell), g.scalar(1))
		return g.op("Exp", g.times(g.op("Log", u), -k.Alpha))
	case spectral.Matern:
		return g.matern(g.op("Sqrt", g.sum(g.square(difference()))), k)
	case spectral.ExpSemigroup:
		return g.op("Exp", g.times(g.sum(g.op("Sqrt", g.paired("Add", r))), -k.Beta))
	case spectral.ReciprocalSemigroup:
		u := g.op("Add", g.times(g.paired("Add", r), 1/k.Lambda), g.scalar(1))
		return g.op("Exp", g.op("Neg", g.sum(g.op("Log", u))))
	case spectral.SkewedChi2:
		return g.skewed(r, k.C, spectral.Chi2{})
	case spectral.SkewedIntersection:
		return g.skewed(r, k.C, spectral.Intersection{})
	case spectral.Exponentiated:
		// D² = k(x, x) + k(y, y) - 2 k(x, y), never below 0.
		own := make([]float64, r.m)
		for j := range own {
			row := r.landmarks[j*r.d : (j+1)*r.d]
			own[j] = k.Of.At(row, row)
		}
		powers := g.power(g.magnitude(r.x, k.Of), k.Of.Degree())
		mine := g.times(g.sumColumns(powers, 1), k.Of.Signature(0)) // 𝒦(0) Σ |x|^γ
		d2 := g.op("Sub", g.op("Add", mine, g.row("landmarks_own", own)), g.times(g.additive(r, k.Of), 2))
		return g.op("Exp", g.times(g.op("Max", d2, g.scalar(0)), -1/(2*k.Sigma*k.Sigma)))
	case spectral.Homogeneous:
		return g.additive(r, k)
	}
	return fail(domain.ErrParam, "the kernel %T of a Nyström map has no form in standard operators; use another map", k)
}

// dot returns a factor times the inner products x·y. The factor is in the landmarks: ONNX Runtime fuses a
// product with a factor after it, which it rounds to float32.
func (g *graph) dot(r rowsOf, factor float64) value {
	transposed := make([]float64, 0, len(r.landmarks))
	for i := range r.d {
		for j := range r.m {
			transposed = append(transposed, factor*r.landmarks[j*r.d+i])
		}
	}
	return g.op("MatMul", r.x, g.weights("landmarks", transposed, r.d, r.m))
}

// squaredDistance is ‖x‖² + ‖y‖² - 2x·y, centred at the mean of the landmarks, and at least 0.
func (g *graph) squaredDistance(r rowsOf) value {
	mean := make([]float64, r.d)
	for i, v := range r.landmarks {
		mean[i%r.d] += v / float64(r.m)
	}
	about := r
	about.x, about.landmarks = g.op("Sub", r.x, g.row("centre", mean)), make([]float64, len(r.landmarks))
	norms := make([]float64, r.m)
	for i, v := range r.landmarks {
		about.landmarks[i] = v - mean[i%r.d]
		norms[i/r.d] += about.landmarks[i] * about.landmarks[i]
	}
	mine := g.sumColumns(g.square(about.x), 1)
	d2 := g.op("Sub", g.op("Add", mine, g.row("norms", norms)), g.dot(about, 2))
	return g.op("Max", d2, g.scalar(0))
}

// matern is the kernel for distances r. With ν = ½, 3/2 and 5/2 it needs no Bessel function.
func (g *graph) matern(r value, k spectral.Matern) value {
	s := g.times(r, math.Sqrt(2*k.Nu)/k.Ell)
	decay := g.op("Exp", g.op("Neg", s))
	switch k.Nu {
	case .5:
		return decay
	case 1.5:
		return g.op("Mul", decay, g.op("Add", s, g.scalar(1)))
	case 2.5:
		return g.op("Mul", decay, g.op("Add", g.op("Add", s, g.times(g.square(s), 1./3)), g.scalar(1)))
	}
	return fail(domain.ErrParam,
		"the Matérn kernel of ν = %v has a Bessel function, which ONNX lacks; use ν = 0.5, 1.5 or 2.5", k.Nu)
}

// skewed is Π 𝒦(ln(x + c) - ln(y + c)).
func (g *graph) skewed(r rowsOf, c float64, of spectral.Homogeneous) value {
	logs := mapped(r.landmarks, func(v float64) float64 { return math.Log(v + c) })
	a := g.unsqueeze(g.op("Log", g.op("Add", r.x, g.scalar(c))), 1)
	u := g.op("Abs", g.op("Sub", a, g.weights("landmark_logs", logs, 1, r.m, r.d)))
	if _, ok := of.(spectral.Intersection); ok {
		return g.op("Exp", g.times(g.sum(u), -.5))
	}
	return g.op("Exp", g.sum(g.op("Log", g.signature(u, of))))
}

// signature is 𝒦(u) for u >= 0.
func (g *graph) signature(u value, k spectral.Homogeneous) value {
	onePlus := func() value { return g.op("Add", g.op("Exp", g.op("Neg", u)), g.scalar(1)) } // 1 + exp(-u)
	switch k := k.(type) {
	case spectral.Chi2: // sech(u/2) = 2 exp(-u/2)/(1 + exp(-u))
		return g.op("Div", g.times(g.op("Exp", g.times(u, -.5)), 2), onePlus())
	case spectral.Intersection:
		return g.op("Exp", g.times(u, -.5))
	case spectral.JensenShannon: // (exp(u/2) log₂(1 + exp(-u)) + exp(-u/2) log₂(1 + exp(u)))/2
		u = g.op("Min", u, g.scalar(1400)) // exp(u/2) overflows beyond it
		tail := g.op("Log", onePlus())
		up, down := g.op("Exp", g.times(u, .5)), g.op("Exp", g.times(u, -.5))
		both := g.op("Add", g.op("Mul", up, tail), g.op("Mul", down, g.op("Add", u, tail)))
		return g.times(both, .5/math.Ln2)
	case spectral.Hellinger:
		return g.op("Exp", g.times(u, 0))
	case spectral.HomogeneousGaussian:
		return g.op("Exp", g.times(g.square(g.times(u, 1/cmp.Or(k.Sigma, 1))), -.5))
	}
	return fail(domain.ErrParam, "the signature of %T has no form in standard operators; use another map", k)
}

// additive is Σ (xy)^(γ/2) 𝒦(ln y - ln x) over pairs of numbers of one sign. By its extension the kernel subtracts or
// ignores pairs of opposite signs.
func (g *graph) additive(r rowsOf, k spectral.Homogeneous) value {
	n := len(r.landmarks)
	sizes, logs, signs := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, v := range r.landmarks {
		if v == 0 {
			continue
		}
		size := math.Abs(v)
		sizes[i], logs[i], signs[i] = math.Pow(size, k.Degree()/2), math.Log(size), math.Copysign(1, v)
	}
	x := g.unsqueeze(r.x, 1)
	size := g.magnitude(x, k)
	log := g.logarithm(x, size)
	factor := g.op("Mul", g.power(size, k.Degree()/2), g.weights("landmark_powers", sizes, 1, r.m, r.d))
	difference := g.op("Sub", log, g.weights("landmark_logs", logs, 1, r.m, r.d))
	terms := g.op("Mul", factor, g.signature(g.op("Abs", difference), k))
	if k.Extension() != spectral.RejectNegative {
		both := g.op("Mul", g.op("Sign", x), g.weights("landmark_signs", signs, 1, r.m, r.d))
		if k.Extension() == spectral.SplitNegative {
			both = g.op("Max", both, g.scalar(0))
		}
		terms = g.op("Mul", terms, both)
	}
	return g.sum(terms)
}
