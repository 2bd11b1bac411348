package layers

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestSymmetricEigen: A v = λ v with orthonormal v and falling λ, to 1e-13 of ‖A‖, for sizes on both sides of a strip, repeated
// eigenvalues and matrices that fall apart, and the eigenvalues of gonum.
func TestSymmetricEigen(t *testing.T) {
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
			values, vectors, err := symmetricEigen(mat.DenseCopyOf(a).RawMatrix().Data, n)
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
