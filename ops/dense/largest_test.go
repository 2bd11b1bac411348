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

// TestLargest: the largest eigenvalue of gonum, and a vector that is its: of drawn matrices, of rank one, with two equal
// values, and zero.
func TestLargest(t *testing.T) {
	check := func(name string, a []float64, n int, want float64) {
		t.Helper()
		full := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				full.SetSym(i, j, a[i*n+j])
			}
		}
		value, vector, err := dense.Largest(a, n)
		if err != nil {
			t.Fatal(err)
		}
		var residual mat.VecDense
		v := mat.NewVecDense(n, vector)
		residual.MulVec(full, v)
		residual.AddScaledVec(&residual, -value, v)
		if math.Abs(value-want) > 1e-12*want || mat.Norm(&residual, 2) > 1e-10*want || math.Abs(mat.Norm(v, 2)-1) > 1e-14 {
			t.Errorf("%s, n = %d: %v, want %v; the residual is %g", name, n, value, want, mat.Norm(&residual, 2))
		}
	}
	for _, n := range []int{1, 2, 3, 5, 33, 200, 331} {
		a, full := positive(n, rand.New(rand.NewPCG(uint64(n), 3)))
		var e mat.EigenSym
		e.Factorize(full, false)
		check("drawn", a, n, e.Values(nil)[n-1])
		one, twice := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			twice[i*n+i] = 1
			if i < 2 {
				twice[i*n+i] = 3
			}
			for j := range n {
				one[i*n+j] = 2
			}
		}
		check("rank one", one, n, 2*float64(n))
		check("twice", twice, n, 3)
		check("zero", make([]float64, n*n), n, 0)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.MaxFloat64} {
		if _, _, err := dense.Largest([]float64{1, 0, bad, bad}, 2); !errors.Is(err, domain.ErrDomain) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
