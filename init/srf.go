package spectral

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// SRF is the kernel of SpherePolynomial for spherical random features: Fourier features of a positive density that
// approximates it, its Law. On the sphere no positive density has exactly this kernel, so the features are biased, by at
// most the Error of the Split for any number of features. SpherePolynomial uses a signed density and has no such bias.
// Pennington, Yu and Kumar (2015), Spherical random features for polynomial kernels.
type SRF struct {
	// a >= √2; below, |k| > k(x, x) at opposite points, which no positive density has
	A float64 `param:"a" default:"2" doc:"scale a"`
	// p >= 1, the degree; the range of the tag also serves maps that draw p factors a feature
	P int `param:"p" range:"[1,64]" default:"10" doc:"degree p"`
}

// At returns (1 - ‖x-z‖²/a²)^p, the kernel to approximate. The expectation of the estimate is the At of the Split.
func (k SRF) At(x, z []float64) float64 { return k.polynomial().At(x, z) }

func (k SRF) polynomial() SpherePolynomial { return SpherePolynomial{A: k.A, P: k.P} }

// Domain is the unit sphere.
func (k SRF) Domain() Domain { return k.polynomial().Domain() }

// Validate returns an error that wraps ErrParam unless a >= √2, p >= 1 and √p/a <= 100.
func (k SRF) Validate() error {
	sharp := math.Sqrt(float64(k.P)) / k.A
	return cmp.Or(k.polynomial().Validate(),
		require(sharp <= mostSharp, "SRF: √P/A = %v, want at most %v: the kernel is too sharp for the grid of its "+
			"density; raise A, or lower P", sharp, mostSharp),
		require(k.A >= leastPositiveA, "SRF: A = %v is below √2, where |k| > k(x, x) for opposite points, and no "+
			"positive density comes near; raise A, or use SpherePolynomial", k.A))
}

// mostSharp is the largest √P/A of SRF. The length of the grid of the density and the time of a fit are proportional to
// it.
const mostSharp = 100

// leastPositiveA is √2, less some rounding.
const leastPositiveA = math.Sqrt2 - 1e-15

// sphericalLaw is the positive density of SRF in ℝ^d, and a table of its kernel.
type sphericalLaw struct {
	*radialDensity
	off   float64 // the largest |At - k| on the sphere, measured at 401 distances
	table evenTable
}

// At returns E cos(w·(x - z)) of the density, which is the expectation of the estimate. Up to the diameter of the
// sphere it interpolates in a table, with an error of about 1e-8.
func (l *sphericalLaw) At(x, z []float64) float64 {
	if r := distance(x, z); r < 2 {
		return l.table.at(r)
	}
	return l.radialDensity.At(x, z)
}

// sphericalLaws caches the laws by kernel and dimension; a fit takes a fraction of a second.
var sphericalLaws cache[*sphericalLaw]

// law returns the density in ℝ^d.
func (k SRF) law(d int) (*sphericalLaw, error) {
	return sphericalLaws.get([2]any{k, d}, func() (*sphericalLaw, error) { return k.newLaw(d) })
}

// Law has a uniform direction and the norm of the density of Split, which is NaN where there is none. Its kernel is the At
// of the Split, which is close to the At of k.
func (k SRF) Law() Law {
	return Law{Transform: Fourier, NormQuantile: func(d int, p float64) float64 {
		l, err := k.law(d)
		if err != nil {
			return math.NaN()
		}
		return l.quantile(p)
	}}
}

// Split has one part, of weight 1: the positive density in ℝ^d with a uniform direction and a norm r of the density
//
//	f(r) ∝ max(0, Σ_i c_i A_i(r)),   A_i(r) = (r/2s_i)^(d-1) exp(-(r/2s_i)²)/(s_i Γ(d/2)),   i = 1 to 10.
//
// L-BFGS minimises ∫₀² (k - At)² over s and c. Some c may be negative; a negative sum counts as 0. The density is
// linear between the points of a grid. Pennington, Yu and Kumar (2015), algorithm 1. The split is the same for every m
// and coupling, and comes from a cache the second time. Errors wrap ErrParam: an invalid kernel, d or m below 1, an
// unknown coupling, no density found.
func (k SRF) Split(d, m int, c Coupling) (*Split, error) {
	if err := cmp.Or(validate(k), checkCounts(d, m), c.check()); err != nil {
		return nil, err
	}
	l, err := k.law(d)
	if err != nil {
		return nil, err
	}
	return &Split{Of: k, On: k.Domain(), Parts: []Component{{1, l}}, Error: l.off}, nil
}

// newLaw fits the density in ℝ^d.
func (k SRF) newLaw(d int) (*sphericalLaw, error) {
	fit := newSphericalFit(k, d)
	density := fit.solve()
	if density == nil {
		return nil, invalid("%T%+v: no positive density found in %d dimensions", k, k, d)
	}
	const steps = 400
	l := &sphericalLaw{radialDensity: density}
	l.table = newEvenTable(2./steps, 2, func(r float64) float64 {
		return density.mean(func(w float64) float64 { return fit.omega.at(w * r) })
	})
	for i := range steps + 1 {
		r := 2 * float64(i) / steps
		l.off = max(l.off, math.Abs(l.table.at(r)-k.polynomial().at(r)))
	}
	return l, nil
}

// evenTable holds an even function at equal steps from -step on, and interpolates with the cubic through four points.
type evenTable struct {
	step float64
	v    []float64
}

// newEvenTable tabulates f up to one step beyond end.
func newEvenTable(step, end float64, f func(float64) float64) evenTable {
	t := evenTable{step: step}
	for i := -1; float64(i-2)*step < end; i++ {
		t.v = append(t.v, f(math.Abs(float64(i)*step)))
	}
	return t
}

// at interpolates, for 0 <= x <= end.
func (t evenTable) at(x float64) float64 {
	i := min(int(x/t.step), len(t.v)-4)
	u, y := x/t.step-float64(i), t.v[i:i+4]
	return -u*(u-1)*(u-2)/6*y[0] + (u+1)*(u-1)*(u-2)/2*y[1] - (u+1)*u*(u-2)/2*y[2] + (u+1)*u*(u-1)/6*y[3]
}

// sphericalFit is the least-squares problem of SRF, on a grid of norms r and a grid of distances z:
//
//	J(s, c) = ∫₀² (k(z) - K(z))² dz,   K(z) = ∫ q(r) Ω_d(rz) dr / ∫ q(r) dr,   q = max(0, Σ_i c_i A_i).
type sphericalFit struct {
	d       int
	unit    float64     // ln Γ(d/2)
	norms   []float64   // r, from 0 on
	logs    []float64   // ln r/2
	weights []float64   // of the trapezoidal rule
	k       []float64   // the kernel at the distances
	steps   []float64   // of the trapezoidal rule for the distances
	omega   evenTable   // Ω_d
	waves   [][]float64 // Ω_d(rz), [distances][norms]
	start   []float64   // ln s_i, then c_i
	parts   [][]float64 // A_i at the norms, of the last density
}

const (
	sphericalComponents = 10
	sphericalDistances  = 101
	sphericalNorms      = 800
	sphericalRounds     = 7
	sphericalSteps      = 16 // of a round
)

func newSphericalFit(k SRF, d int) *sphericalFit {
	f := &sphericalFit{d: d, unit: lnGamma(float64(d) / 2), norms: []float64{0}}
	scale := math.Sqrt(float64(k.P)) / k.A // of the Gaussian that has the curvature of k at 0
	reach := 2 * scale * math.Sqrt2 * (math.Sqrt(float64(d)) + 4)
	for i := range sphericalNorms {
		f.norms = append(f.norms, reach*math.Pow(1e-3, 1-float64(i+1)/sphericalNorms))
	}
	f.logs = apply(f.norms, func(r float64) float64 { return math.Log(r / 2) })
	f.weights = trapezoid(f.norms)
	// to about 1e-9
	f.omega = newEvenTable(.01*math.Sqrt(float64(d)), 2*reach, func(t float64) float64 { return sphereMean(d, t) })
	distances := make([]float64, sphericalDistances)
	for i := range distances {
		z := 2 * float64(i) / (sphericalDistances - 1)
		distances[i] = z
		f.waves = append(f.waves, apply(f.norms, func(r float64) float64 { return f.omega.at(r * z) }))
	}
	f.k, f.steps = apply(distances, k.polynomial().at), trapezoid(distances)
	f.start = make([]float64, 2*sphericalComponents)
	for i := range sphericalComponents {
		f.start[i] = math.Log(scale) + math.Log(1.2) - float64(i)/2.5
		f.start[sphericalComponents+i] = math.Pow(.5, float64(i))
		f.parts = append(f.parts, make([]float64, len(f.norms)))
	}
	return f
}

// trapezoid are the weights of the trapezoidal rule.
func trapezoid(x []float64) []float64 {
	w := make([]float64, len(x))
	for i := 1; i < len(x); i++ {
		w[i-1] += (x[i] - x[i-1]) / 2
		w[i] += (x[i] - x[i-1]) / 2
	}
	return w
}

// component writes A_i at the norms, for ln s.
func (f *sphericalFit) component(dst []float64, logS float64) {
	s := math.Exp(logS)
	for j, r := range f.norms {
		x, power := r/2/s, 0.
		if f.d > 1 {
			power = float64(f.d-1) * (f.logs[j] - logS)
		}
		dst[j] = math.Exp(power - x*x - f.unit - logS)
	}
}

// density returns Σ_i c_i A_i at the norms, before it is cut off at 0, and its integral after the cut.
func (f *sphericalFit) density(theta []float64) (q []float64, mass float64) {
	q = make([]float64, len(f.norms))
	for i, part := range f.parts {
		f.component(part, theta[i])
		floats.AddScaled(q, theta[sphericalComponents+i], part)
	}
	for j, v := range q {
		mass += f.weights[j] * max(0, v)
	}
	return q, mass
}

// loss is J and, where grad is not nil, its gradient.
func (f *sphericalFit) loss(theta, grad []float64) float64 {
	q, mass := f.density(theta)
	if !(mass > 0) || math.IsInf(mass, 1) {
		return math.Inf(1)
	}
	p, b := make([]float64, len(q)), make([]float64, len(q))
	for j, v := range q {
		p[j] = f.weights[j] * max(0, v) / mass
	}
	// dJ/dq_j = weight_j (b_j - Σ b p)/mass with b = Ωᵀ dJ/dK
	sum := 0.
	for i, k := range f.k {
		off := floats.Dot(f.waves[i], p) - k
		sum += f.steps[i] * off * off
		floats.AddScaled(b, 2*f.steps[i]*off, f.waves[i])
	}
	if grad == nil {
		return sum
	}
	mean, scale := floats.Dot(b, p), apply(theta[:sphericalComponents], math.Exp)
	clear(grad)
	for j, r := range f.norms {
		if q[j] <= 0 {
			continue
		}
		g := f.weights[j] * (b[j] - mean) / mass
		for i := range sphericalComponents {
			a := f.parts[i][j]
			if a == 0 {
				continue
			}
			x := r / 2 / scale[i]
			grad[sphericalComponents+i] += g * a
			grad[i] += g * theta[sphericalComponents+i] * a * (2*x*x - float64(f.d)) // dA/d ln s
		}
	}
	return sum
}

// solve returns the density of least loss, or nil if there is none. The descent runs in rounds, each from the rounded
// result of the round before, so that machines with different rounding find the same density. A round whose rounded
// result has no smaller loss is the last and does not count: of a density that nearly cancels, rounding may leave
// nothing.
func (f *sphericalFit) solve() *radialDensity {
	problem := optimize.Problem{
		Func: func(theta []float64) float64 { return f.loss(theta, nil) },
		Grad: func(grad, theta []float64) { f.loss(theta, grad) },
	}
	theta, least := f.start, f.loss(f.start, nil)
	for range sphericalRounds {
		// A line search that finds nothing less ends the round, with an error and what was found until then.
		r, _ := optimize.Minimize(problem, theta, &optimize.Settings{MajorIterations: sphericalSteps,
			GradientThreshold: 1e-10, Concurrent: 1}, &optimize.LBFGS{Store: 20})
		if r == nil || !(r.F < least) {
			break
		}
		for i, v := range r.X {
			fraction, exponent := math.Frexp(v)
			r.X[i] = math.Ldexp(math.Round(fraction*(1<<16)), exponent-16)
		}
		loss := f.loss(r.X, nil)
		if !(loss < least) {
			break
		}
		theta, least = r.X, loss
	}
	q, mass := f.density(theta)
	if !(mass > 0) {
		return nil
	}
	a := &radialDensity{d: f.d}
	for j := 1; j < len(q); j++ {
		c := cell{r: f.norms[j-1], width: f.norms[j] - f.norms[j-1], low: max(0, q[j-1]), high: max(0, q[j]),
			below: a.mass}
		if c.low+c.high > 0 {
			a.cells = append(a.cells, c)
			a.mass += c.width * (c.low + c.high) / 2
		}
	}
	return a
}
