package dense_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/ops/dense"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// positive is a positive definite matrix with eigenvalues from n/4 up, and 7 above the diagonal of the slice.
func positive(n int, rng *rand.Rand) (a []float64, full *mat.SymDense) {
	h := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			h.Set(i, j, rng.NormFloat64())
		}
	}
	full = mat.NewSymDense(n, nil)
	full.SymOuterK(1, h)
	a = make([]float64, n*n)
	for i := range n {
		full.SetSym(i, i, full.At(i, i)+float64(n)/4)
		for j := range n {
			if a[i*n+j] = 7; j <= i {
				a[i*n+j] = full.At(i, j)
			}
		}
	}
	return a, full
}

// TestCholesky: L of gonum, on both sides of a leaf and of two; L Lᵀ x = b; the upper triangle stays as it is.
func TestCholesky(t *testing.T) {
	for _, n := range []int{1, 2, 3, 63, 64, 65, 127, 129, 200, 331} {
		a, full := positive(n, rand.New(rand.NewPCG(uint64(n), 1)))
		const shift = 1.5
		l, ok := dense.Cholesky(context.Background(), a, n, shift)
		if !ok {
			t.Fatalf("n = %d: no factor", n)
		}
		shifted := mat.NewSymDense(n, nil)
		shifted.CopySym(full)
		for i := range n {
			shifted.SetSym(i, i, full.At(i, i)+shift)
		}
		var want mat.Cholesky
		want.Factorize(shifted)
		var lw mat.TriDense
		want.LTo(&lw)
		for i := range n {
			for j := range n {
				if j > i && a[i*n+j] != 7 {
					t.Fatalf("n = %d: above the diagonal stands %v", n, a[i*n+j])
				}
				if j <= i && math.Abs(a[i*n+j]-lw.At(i, j)) > 1e-13*float64(n) {
					t.Fatalf("n = %d: L[%d,%d] = %v, gonum's %v", n, i, j, a[i*n+j], lw.At(i, j))
				}
			}
		}
		b := mat.NewDense(n, 2, nil)
		for i := range n {
			b.SetRow(i, []float64{math.Sin(float64(i)), 1})
		}
		x := mat.DenseCopyOf(b)
		lapack64.Potrs(l, x.RawMatrix())
		var back mat.Dense
		back.Mul(shifted, x)
		if back.Sub(&back, b); mat.Norm(&back, 2) > 1e-13*float64(n) {
			t.Errorf("n = %d: the residual is %g", n, mat.Norm(&back, 2))
		}
	}
}

// TestCholeskyNot: a matrix that is not positive definite to working precision, or not of numbers, has no factor; an empty one has.
func TestCholeskyNot(t *testing.T) {
	for _, n := range []int{2, 65, 140} {
		for name, change := range map[string]func(a []float64){
			"indefinite":   func(a []float64) { a[n*n-1] = -1 },
			"NaN":          func(a []float64) { a[(n-1)*n] = math.NaN() },
			"infinite":     func(a []float64) { a[n*n-1] = math.Inf(1) },
			"repeated row": func(a []float64) { copy(a[(n-1)*n:], a[(n-2)*n:(n-1)*n-1]); a[n*n-1] = a[(n-2)*n+n-2] },
		} {
			a, _ := positive(n, rand.New(rand.NewPCG(1, 1)))
			change(a)
			if name == "repeated row" {
				a[n*n-2] = a[n*n-1]
			}
			if _, ok := dense.Cholesky(context.Background(), a, n, 0); ok {
				t.Errorf("%s, n = %d: was factored", name, n)
			}
		}
	}
	if _, ok := dense.Cholesky(context.Background(), nil, 0, 1); !ok {
		t.Error("an empty matrix has a factor")
	}
}

// TestMirror: one triangle is copied to the other, across tiles.
func TestMirror(t *testing.T) {
	for _, n := range []int{0, 1, 2, 64, 65, 130} {
		for _, from := range []blas.Uplo{blas.Lower, blas.Upper} {
			a := make([]float64, n*n)
			for i := range a {
				a[i] = float64(i)
			}
			dense.Mirror(a, n, from)
			for i := range n {
				for j := range n {
					want := float64(max(i, j)*n + min(i, j))
					if from == blas.Upper {
						want = float64(min(i, j)*n + max(i, j))
					}
					if a[i*n+j] != want {
						t.Fatalf("n = %d, %c: [%d,%d] = %v, want %v", n, from, i, j, a[i*n+j], want)
					}
				}
			}
		}
	}
}

func BenchmarkDense(b *testing.B) {
	for _, n := range []int{512, 1024} {
		g, _ := positive(n, rand.New(rand.NewPCG(1, 1)))
		work := make([]float64, n*n)
		sym := blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: work}
		for name, f := range map[string]func(){
			"cholesky":       func() { dense.Cholesky(context.Background(), work, n, 1) },
			"cholesky-gonum": func() { lapack64.Potrf(sym) },
			"reduce":         func() { dense.Reduce(context.Background(), work, n) },
			"eigen":          func() { dense.Eigen(work, n) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					copy(work, g)
					f()
				}
			})
		}
	}
}

// looked is a context that ends at a number of looks at it; 0: never.
type looked struct {
	context.Context
	looks, after int
}

func (c *looked) Err() error {
	if c.looks++; c.after > 0 && c.looks >= c.after {
		return context.Canceled
	}
	return nil
}

// TestContextIsLookedAt: the functions of n³ operations look at their context at least once in 32 rows of the matrix,
// and stop at once when it has ended: only their callers in the recursion look again.
func TestContextIsLookedAt(t *testing.T) {
	const n, most = 512, 40
	matrix := func() []float64 {
		a := make([]float64, n*n)
		for i := range n {
			for j := range i {
				a[i*n+j] = 1 / float64(1+i+j)
			}
			a[i*n+i] = n
		}
		return a
	}
	reduced := dense.Reduce(context.Background(), matrix(), n)
	for name, f := range map[string]func(ctx context.Context) bool{
		"Cholesky": func(ctx context.Context) bool { _, ok := dense.Cholesky(ctx, matrix(), n, 1); return ok },
		"Reduce":   func(ctx context.Context) bool { return dense.Reduce(ctx, matrix(), n) != nil },
		"Rotate":   func(ctx context.Context) bool { reduced.Rotate(ctx, matrix(), n, false); return true },
	} {
		whole := &looked{Context: context.Background()}
		if !f(whole) || whole.looks < 4 {
			t.Errorf("%s: %d looks, or not ok", name, whole.looks)
		}
		for _, after := range []int{1, whole.looks / 2, whole.looks - 1} {
			ctx := &looked{Context: context.Background(), after: after}
			ok := f(ctx)
			if name == "Cholesky" && ok || ctx.looks > after+most {
				t.Errorf("%s: ended at look %d of %d: %d looks, ok = %v", name, after, whole.looks, ctx.looks, ok)
			}
		}
	}
}
