package dense_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// TestEigen: A v = λ v with orthonormal v and falling λ, to 1e-13 of ‖A‖, for sizes on both sides of a strip, repeated
// eigenvalues and matrices that fall apart, and the eigenvalues of gonum.
func TestEigen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{1, 2, 3, 7, 67, 131} {
		random := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				random.SetSym(i, j, rng.NormFloat64())
			}
		}
		identity, low := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
		for i := range n {
			identity.SetSym(i, i, 3)
		}
		low.SymRankOne(identity, 2, mat.NewVecDense(n, random.RawSymmetric().Data[:n]))
		for name, a := range map[string]mat.Symmetric{"random": random, "a multiple of 1": identity, "1 and a dyad": low, "zero": mat.NewSymDense(n, nil)} {
			values, vectors, err := dense.Eigen(mat.DenseCopyOf(a).RawMatrix().Data, n)
			if err != nil {
				t.Fatal(err)
			}
			v, scale := mat.NewDense(n, n, vectors), 1+mat.Norm(a, 2)
			var av, vv mat.Dense
			av.Mul(v, a)
			vv.Mul(v, v.T())
			var want mat.EigenSym
			want.Factorize(a, false)
			for i := range n {
				if i > 0 && values[i] > values[i-1] || math.Abs(values[i]-want.Values(nil)[n-1-i]) > 1e-13*scale*float64(n) {
					t.Errorf("%s, n = %d: eigenvalue %d is %v, gonum's %v", name, n, i, values[i], want.Values(nil)[n-1-i])
				}
				for j := range n {
					one := 0.
					if i == j {
						one = 1
					}
					if math.Abs(av.At(i, j)-values[i]*v.At(i, j)) > 1e-13*scale*float64(n) || math.Abs(vv.At(i, j)-one) > 1e-13*float64(n) {
						t.Fatalf("%s, n = %d: vector %d is none", name, n, i)
					}
				}
			}
		}
	}
}

// TestEigenScale: a factor of the matrix is a factor of its eigenvalues, from the least numbers to the largest.
func TestEigenScale(t *testing.T) {
	a := []float64{2, 0, 0, 1, 2, 0, 0, 1, 2} // 2 + √2 cos(kπ/4)·√2, k = 1, 2, 3
	for _, scale := range []float64{1e-300, 1e-12, 1, 1e12, 1e300} {
		scaled := make([]float64, len(a))
		for i, v := range a {
			scaled[i] = scale * v
		}
		values, _, err := dense.Eigen(scaled, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{2 + math.Sqrt2, 2, 2 - math.Sqrt2} {
			if math.Abs(values[i]/scale-want) > 1e-14 {
				t.Errorf("times %g: eigenvalue %d is %v, want %v", scale, i, values[i]/scale, want)
			}
		}
	}
}

// TestEigenNotFinite: an entry that is no number is an error.
func TestEigenNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for at := range 9 {
			a := []float64{1, 0, 0, 2, 3, 0, 4, 5, 6}
			a[at] = v
			if i, j := at/3, at%3; i < j {
				continue // above the diagonal
			}
			if _, _, err := dense.Eigen(a, 3); !errors.Is(err, domain.ErrDomain) {
				t.Errorf("%v at %d: %v", v, at, err)
			}
		}
	}
	if _, _, err := dense.Eigen([]float64{math.NaN()}, 1); !errors.Is(err, domain.ErrDomain) {
		t.Errorf("a NaN alone: %v", err)
	}
	if values, vectors, err := dense.Eigen(nil, 0); len(values) != 0 || len(vectors) != 0 || err != nil {
		t.Errorf("an empty matrix has %v, %v, %v", values, vectors, err)
	}
}
