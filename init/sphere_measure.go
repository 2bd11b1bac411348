package spectral

import (
	"math"
	"slices"
	"sort"
)

// radialDensity is the part of one sign of the radial density of SpherePolynomial with a = 2. It consists of cells
// between the zeros of the Bessel function, each with its exact mass; within a cell the density is taken as linear. The
// kernel of this distribution has an error of 3e-7, and of up to 7e-6 in 1 and 2 dimensions, where tails are long.
type radialDensity struct {
	d     int
	cells []cell
	mass  float64
}

// cell is the part of the density between r and r+width.
type cell struct {
	r, width  float64
	low, high float64 // the density at both ends
	below     float64 // the mass of the cells before it
}

// measureReach is how far the tail is followed, and measureTail the mass that may be left out.
const (
	measureReach = 1e5
	measureTail  = 1e-8
)

// measures caches the two parts by d and p; they are nil where the tail is too heavy.
var measures cache[[2]*radialDensity]

// sphereMeasure returns the two parts of the measure of (1 - r²/4)^p, cut off at r = 2, in ℝ^d, or nil where the tail
// is too heavy.
func sphereMeasure(d, p int) (plus, minus *radialDensity) {
	pair, _ := measures.get([2]int{d, p}, func() (pair [2]*radialDensity, _ error) {
		if end := measureEnd(d, p); end <= measureReach {
			pair = newRadialDensities(d, p, end)
		}
		return pair, nil
	})
	return pair[0], pair[1]
}

// measureEnd returns the norm beyond which the tail is small enough. |J_ν(2r)| is on average (2/π)/√(πr), so the tail
// is C r^(-g)/g with g = p - (d-1)/2.
func measureEnd(d, p int) float64 {
	h, g := float64(d)/2, float64(p)-float64(d-1)/2
	if g <= 0 {
		return math.Inf(1)
	}
	logC := math.Log(4/math.Pow(math.Pi, 1.5)) + lnGamma(float64(p)+1) - lnGamma(h)
	nu := h + float64(p)
	return max(math.Exp((logC-math.Log(g*measureTail))/g), nu*nu/4, nu+10)
}

// newRadialDensities finds the sign changes of f and cuts the intervals between them into cells.
func newRadialDensities(d, p int, end float64) [2]*radialDensity {
	const step = math.Pi / 16 // an arch is π/2 wide, the first one wider
	f := sphereDensity(d, p)
	sides := [2]*radialDensity{{d: d}, {d: d}} // plus and minus
	for from, at, side := 0., step, 0; at < end; at += step {
		if v := f(at); v < 0 != (side == 1) && v != 0 {
			negative := f(at-step) < 0
			zero := bisect(func(r float64) bool { return f(r) < 0 == negative }, at-step, at)
			sides[side].add(f, from, zero, end)
			from, side = zero, 1-side
		}
	}
	return sides
}

// sphereDensity is f, from Ω of d+2p+2 dimensions: J_ν(2r) = Ω_(2ν+2)(2r) r^ν/Γ(ν+1).
func sphereDensity(d, p int) func(r float64) float64 {
	h := float64(d) / 2
	constant := math.Ln2 + lnGamma(float64(p)+1) - lnGamma(h) - lnGamma(h+float64(p)+1)
	return func(r float64) float64 {
		if r == 0 && d > 1 {
			return 0
		}
		return math.Exp(constant+float64(d-1)*math.Log(max(r, math.SmallestNonzeroFloat64))) * sphereMean(d+2*p+2, 2*r)
	}
}

// add cuts |f| between two zeros into cells, into fewer ones far out.
func (a *radialDensity) add(f func(float64) float64, from, to, end float64) {
	width := math.Pi / 64
	if from > 100+end/100 {
		width = math.Pi / 12
	}
	n := int(math.Ceil((to - from) / width))
	width = (to - from) / float64(n)
	low := 0.
	if from == 0 {
		low = f(0)
	}
	for i := range n {
		r := from + float64(i)*width
		high := 0. // at a zero
		if i < n-1 {
			high = math.Abs(f(r + width))
		}
		a.cells = append(a.cells, cell{r, width, low, high, a.mass})
		const node, inner, outer = 0.7745966692414834, 4. / 9, 5. / 18 // three-point Gauss-Legendre
		mid, half := r+width/2, width/2*node
		a.mass += width * (inner*math.Abs(f(mid)) + outer*(math.Abs(f(mid-half))+math.Abs(f(mid+half))))
		low = high
	}
}

// quantile is the quantile function of the density |f|/mass, and NaN for a p without a quantile.
func (a *radialDensity) quantile(p float64) float64 {
	if !(p >= 0 && p < 1) || len(a.cells) == 0 {
		return math.NaN()
	}
	target := p * a.mass
	i := sort.Search(len(a.cells), func(i int) bool { return a.cells[i].below > target }) - 1
	c := a.cells[i]
	q := (target - c.below) / a.massOf(i) * (c.low + c.high)
	// (high - low) t² + 2 low t = q
	root := c.low + math.Sqrt(c.low*c.low+(c.high-c.low)*q)
	if root == 0 {
		return c.r
	}
	return c.r + c.width*min(1, q/root)
}

// massOf is the mass of a cell.
func (a *radialDensity) massOf(i int) float64 {
	if i+1 < len(a.cells) {
		return a.cells[i+1].below - a.cells[i].below
	}
	return a.mass - a.cells[i].below
}

// At is the positive definite kernel of this part alone, by quadrature.
func (a *radialDensity) At(x, z []float64) float64 {
	delta := distance(x, z)
	return a.mean(func(r float64) float64 { return sphereMean(a.d, delta*r) })
}

// mean is the mean of a function of the norm.
func (a *radialDensity) mean(f func(r float64) float64) float64 {
	sum := 0.
	for i, c := range slices.Backward(a.cells) {
		of := func(t float64) float64 { return f(c.r + t*c.width) }
		// Simpson's rule
		sum += a.massOf(i) / a.mass * (c.low*of(0) + 2*(c.low+c.high)*of(.5) +
			c.high*of(1)) / (3 * (c.low + c.high))
	}
	return sum
}

func (a *radialDensity) Domain() Domain { return Domain{} }

// Law has a uniform direction and the norm of the density in the dimension of the measure. In another dimension the
// norm is NaN, which a Coupling refuses.
func (a *radialDensity) Law() Law {
	return Law{Transform: Fourier, NormQuantile: func(d int, p float64) float64 {
		if d != a.d {
			return math.NaN()
		}
		return a.quantile(p)
	}}
}
