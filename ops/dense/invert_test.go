package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestInvertLower: L⁻¹ L is the identity, around the sizes where the way of computing changes, whatever stood above the diagonal.
func TestInvertLower(t *testing.T) {
	for _, n := range []int{0, 1, 2, smallTriangle, smallTriangle + 1, 71, 131, 2*trianglePanel + 7} {
		rng := rand.New(rand.NewPCG(uint64(n), 5))
		l, a := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range n {
				a[i*n+j] = rng.NormFloat64()
				if i == j {
					a[i*n+j] = math.Sqrt(float64(n)) * (1 + rng.Float64())
				}
				if j <= i {
					l[i*n+j] = a[i*n+j]
				}
			}
		}
		InvertLower(a, n)
		if n == 0 {
			continue
		}
		var eye mat.Dense
		eye.Mul(mat.NewDense(n, n, a), mat.NewDense(n, n, l))
		for i := range n {
			eye.Set(i, i, eye.At(i, i)-1)
		}
		if e := mat.Norm(&eye, 2); e > 1e-12*float64(n) {
			t.Errorf("n = %d: L⁻¹ L is off from the identity by %.2g", n, e)
		}
	}
}

func ExampleInvertLower() {
	l := []float64{2, 0, 1, 4}
	InvertLower(l, 2)
	fmt.Println(l)
	// Output: [0.5 0 -0.125 0.25]
}
