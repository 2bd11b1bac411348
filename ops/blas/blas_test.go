package blas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/ops/blas"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func random[T float32 | float64](n int, seed uint64) []T {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := make([]T, n)
	for i := range v {
		v[i] = T(rng.NormFloat64())
	}
	return v
}

// near compares with gonum: two orders of summation of k products.
func near[T float32 | float64](t *testing.T, got, want []T, k int, eps float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= 16*eps*float64(k+4)*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("cell %d is %v, gonum's %v", i, got[i], want[i])
		}
	}
}

var transposes = []gblas.Transpose{gblas.NoTrans, gblas.Trans, gblas.ConjTrans}

func TestGemm(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 2}, {17, 31, 67}, {130, 65, 33}, {1, 300, 40}} {
		for _, tA := range transposes {
			for _, tB := range transposes {
				t.Run(fmt.Sprint(s, tA, tB), func(t *testing.T) {
					m, n, k := s[0], s[1], s[2]
					lda, ldb, ldc := max(m, k)+3, max(n, k)+1, n+2
					rows := max(m, n, k)
					a, b, c := random[float64](rows*lda, 1), random[float64](rows*ldb, 2), random[float64](rows*ldc, 3)
					want := append([]float64(nil), c...)
					blas.Implementation{}.Dgemm(tA, tB, m, n, k, 1.5, a, lda, b, ldb, -.5, c, ldc)
					gonum.Implementation{}.Dgemm(tA, tB, m, n, k, 1.5, a, lda, b, ldb, -.5, want, ldc)
					near(t, c, want, k, 2.2e-16)
					a32, b32, c32 := random[float32](rows*lda, 1), random[float32](rows*ldb, 2),
						random[float32](rows*ldc, 3)
					want32 := append([]float32(nil), c32...)
					blas.Implementation{}.Sgemm(tA, tB, m, n, k, 1.5, a32, lda, b32, ldb, -.5, c32, ldc)
					gonum.Implementation{}.Sgemm(tA, tB, m, n, k, 1.5, a32, lda, b32, ldb, -.5, want32, ldc)
					near(t, c32, want32, k, 1.2e-7)
				})
			}
		}
	}
}

// TestSyrk: both triangles, both forms; the other triangle and what lies beside the rows is left alone.
func TestSyrk(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {5, 3}, {64, 9}, {65, 70}, {200, 31}, {257, 5}} {
		for _, uplo := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
			for _, trans := range transposes {
				t.Run(fmt.Sprint(s, uplo, trans), func(t *testing.T) {
					n, k := s[0], s[1]
					lda, ldc := max(n, k)+3, n+2
					a, c := random[float64](max(n, k)*lda, 1), random[float64](n*ldc, 2)
					want := append([]float64(nil), c...)
					blas.Implementation{}.Dsyrk(uplo, trans, n, k, 2, a, lda, .5, c, ldc)
					gonum.Implementation{}.Dsyrk(uplo, trans, n, k, 2, a, lda, .5, want, ldc)
					near(t, c, want, k, 2.2e-16)
					a32, c32 := random[float32](max(n, k)*lda, 1), random[float32](n*ldc, 2)
					want32 := append([]float32(nil), c32...)
					blas.Implementation{}.Ssyrk(uplo, trans, n, k, 2, a32, lda, .5, c32, ldc)
					gonum.Implementation{}.Ssyrk(uplo, trans, n, k, 2, a32, lda, .5, want32, ldc)
					near(t, c32, want32, k, 1.2e-7)
				})
			}
		}
	}
}

// TestInvalid: arguments that gonum panics for are panics here.
func TestInvalid(t *testing.T) {
	for name, f := range map[string]func(){
		"transpose": func() {
			blas.Implementation{}.Dgemm('x', gblas.NoTrans, 64, 64, 64, 1, make([]float64, 4096), 64,
				make([]float64, 4096), 64, 0, make([]float64, 4096), 64)
		},
		"short a": func() {
			blas.Implementation{}.Dgemm(gblas.NoTrans, gblas.NoTrans, 64, 64, 64, 1, make([]float64, 4000), 64,
				make([]float64, 4096), 64, 0, make([]float64, 4096), 64)
		},
		"short float32": func() { blas.DsyrkFloat32(4, 4, make([]float32, 15), 4, make([]float64, 16), 4) },
		"short float64": func() { blas.DsyrkFloat32(4, 4, make([]float32, 16), 4, make([]float64, 15), 4) },
		"negative":      func() { blas.DsyrkFloat32(-1, 4, nil, 4, nil, 4) },
		"uplo": func() {
			blas.Implementation{}.Dsyrk('x', gblas.NoTrans, 64, 64, 1, make([]float64, 4096), 64, 0,
				make([]float64, 4096), 64)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// TestUse: what is built on BLAS gives with ours what it gives with gonum's.
func TestUse(t *testing.T) {
	z := mat.NewDense(150, 90, random[float64](150*90, 1))
	solve := func() *mat.Dense {
		var g mat.SymDense
		g.SymOuterK(1, z.T())
		var ch mat.Cholesky
		if !ch.Factorize(&g) {
			t.Fatal("not positive definite")
		}
		var x mat.Dense
		if err := ch.SolveTo(&x, mat.NewDense(90, 3, random[float64](270, 2))); err != nil {
			t.Fatal(err)
		}
		return &x
	}
	before := blas64.Implementation()
	want := solve()
	blas.Use()
	defer blas64.Use(before)
	if got := solve(); !mat.EqualApprox(got, want, 1e-11) {
		t.Error("a Cholesky solution differs")
	}
}

// TestPeak: there is one for float32 and float64 where there are kernels, and only there.
func TestPeak(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64, tensor.Int} {
		want := dt != tensor.Int && blas.ISA() != "generic"
		if p := blas.Peak(dt); (p > 0) != want || math.IsInf(p, 0) {
			t.Errorf("the peak for %v under %s is %v GFLOP/s", dt, blas.ISA(), p)
		}
	}
}
