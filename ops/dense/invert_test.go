package dense_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/ops/dense"
	"gonum.org/v1/gonum/mat"
)

// TestInvertLower: L⁻¹ L = I on both sides of a leaf and of two; the upper triangles are not read and stay 0.
func TestInvertLower(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 31, 33, 64, 100, 131} {
		a, _ := positive(n, rand.New(rand.NewPCG(uint64(n), 2)))
		if _, ok := dense.Cholesky(a, n, 0); !ok {
			t.Fatalf("n = %d: no factor", n)
		}
		inv := make([]float64, n*n)
		dense.InvertLower(a, inv, n)
		l := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				if j <= i {
					l.Set(i, j, a[i*n+j])
				} else if inv[i*n+j] != 0 || a[i*n+j] != 7 {
					t.Fatalf("n = %d: above the diagonal stand %v and %v", n, inv[i*n+j], a[i*n+j])
				}
			}
		}
		var unit mat.Dense
		unit.Mul(mat.NewDense(n, n, inv), l)
		for i := range n {
			unit.Set(i, i, unit.At(i, i)-1)
		}
		if e := mat.Norm(&unit, math.Inf(1)); e > 1e-13*float64(n) {
			t.Errorf("n = %d: L⁻¹ L is %g from the identity", n, e)
		}
	}
}
