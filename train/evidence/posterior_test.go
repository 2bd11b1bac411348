package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

func normal(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// posteriorOf is one on random features that are not centred, and centred targets.
func posteriorOf(n, d, k int) (*posterior, []float64) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	y := normal(rng, n*k)
	centre(y, n, k)
	p := newPosterior(n, d, k, y)
	z := normal(rng, n*d)
	for i := range z {
		z[i] = z[i]/math.Sqrt(float64(d)) + .3
	}
	copy(p.z, z)
	return p, z
}

var sizes = [][3]int{{13, 5, 1}, {60, 41, 3}, {11, 11, 2}, {17, 40, 3}, {12, 11, 1}}

// TestMarginal: the loss equals the n x n Gaussian process with a flat prior on its mean, Rasmussen and Williams (2006), (2.45) for one constant,
// at the best amplitude; and a little away from the best amplitude the density is less.
func TestMarginal(t *testing.T) {
	for _, size := range sizes {
		n, d, k := size[0], size[1], size[2]
		for _, rho := range []float64{1e-3, .7} {
			p, z := posteriorOf(n, d, k)
			if !p.features() || !p.solve(rho) {
				t.Fatal("no loss")
			}
			direct := func(by float64) float64 {
				sum := 0.
				for j := range k {
					sum += negativeLog(n, d, z, column(p.y, n, k, j), rho, by*p.q[j]/float64(n-1))
				}
				return sum / float64(n*k)
			}
			want := direct(1)
			if got := p.marginal(); !scalar.EqualWithinAbsOrRel(got, want, 1e-10, 1e-10) {
				t.Errorf("%v, ρ = %v: the loss is %.15g, directly %.15g", size, rho, got, want)
			}
			if direct(.9) <= want || direct(1.1) <= want {
				t.Errorf("%v, ρ = %v: the amplitude is not the best", size, rho)
			}
		}
	}
}

func column(y []float64, n, k, j int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = y[i*k+j]
	}
	return out
}

// negativeLog is -ln ∫ N(y; b 1, a²(ZZᵀ + ρI)) db, but for the constant ½ ln n of the unit of b.
func negativeLog(n, d int, z, y []float64, rho, a2 float64) float64 {
	features := mat.NewDense(n, d, z)
	var c mat.SymDense
	c.SymOuterK(a2, features)
	for i := range n {
		c.SetSym(i, i, c.At(i, i)+a2*rho)
	}
	var f mat.Cholesky
	f.Factorize(&c)
	ones := mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	var cy, c1 mat.VecDense
	_ = f.SolveVecTo(&cy, mat.NewVecDense(n, y))
	_ = f.SolveVecTo(&c1, ones)
	s := mat.Dot(ones, &c1)
	fit := mat.Dot(mat.NewVecDense(n, y), &cy) - math.Pow(mat.Dot(ones, &cy), 2)/s
	return .5 * (fit + f.LogDet() + math.Log(s/float64(n)) + float64(n-1)*math.Log(2*math.Pi))
}

// TestGradientOfFeatures: the gradients with respect to Z and ln ρ are those of central differences.
func TestGradientOfFeatures(t *testing.T) {
	for _, size := range sizes {
		const rho = .3
		p, z := posteriorOf(size[0], size[1], size[2])
		value := func(rho float64) float64 {
			copy(p.z, z)
			p.features()
			p.solve(rho)
			return p.marginal()
		}
		value(rho)
		lnRho := p.marginalGradient()
		grad := append([]float64(nil), p.grad...)
		const h = 1e-5
		if want := (value(rho*math.Exp(h)) - value(rho*math.Exp(-h))) / (2 * h); math.Abs(lnRho-want) > 1e-8*(1+math.Abs(want)) {
			t.Errorf("%v: the derivative with respect to ln ρ is %v, by differences %v", size, lnRho, want)
		}
		for i := 0; i < len(z); i += 7 {
			was := z[i]
			z[i] = was + h
			up := value(rho)
			z[i] = was - h
			down := value(rho)
			z[i] = was
			if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-9+1e-7*math.Abs(want) {
				t.Errorf("%v: the derivative with respect to z[%d] is %v, by differences %v", size, i, grad[i], want)
			}
		}
	}
}
