package dense

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// TestTridiagonal: Q T Qᵀ is the matrix, Q is orthogonal, and solves agree with the definition, around the panel size.
func TestTridiagonal(t *testing.T) {
	for _, n := range []int{1, 2, 3, panelRows, panelRows + 1, panelRows + 2, 101} {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		h := make([]float64, n*n)
		for i := range h {
			h[i] = rng.NormFloat64()
		}
		a := make([]float64, n*n)
		addSquare(1, general(n, n, n, h), general(n, n, n, a))
		full := append([]float64{}, a...)
		Mirror(full, n, blas.Lower)
		q := Reduce(context.Background(), a, n)
		turn := make([]float64, n*n)
		for i := range n {
			turn[i*n+i] = 1
		}
		q.Rotate(context.Background(), turn, n, false)
		tri := mat.NewDense(n, n, nil)
		for i := range n {
			tri.Set(i, i, q.d[i])
			if i > 0 {
				tri.Set(i, i-1, q.e[i-1])
				tri.Set(i-1, i, q.e[i-1])
			}
		}
		qm, want := mat.NewDense(n, n, turn), mat.NewDense(n, n, full)
		var got, eye mat.Dense
		got.Product(qm, tri, qm.T())
		got.Sub(&got, want)
		if e := mat.Norm(&got, 2) / mat.Norm(want, 2); e > 1e-13*float64(n) {
			t.Errorf("n = %d: Q T Qᵀ is off by %.2g", n, e)
		}
		eye.Mul(qm, qm.T())
		for i := range n {
			eye.Set(i, i, eye.At(i, i)-1)
		}
		if e := mat.Norm(&eye, 2); e > 1e-13*float64(n) {
			t.Errorf("n = %d: Q is off from orthogonal by %.2g", n, e)
		}
		p := append([]float64{}, h[:n]...)
		q.Rotate(context.Background(), p, 1, false)
		f, ok := q.Shift(0.5)
		quadratic := f.Quadratic(p)
		f.Solve(p)
		q.Rotate(context.Background(), p, 1, true)
		back := make([]float64, n) // (A + I/2) p
		symmetricTimes(full, n, p, back)
		dot := 0.0
		for i, v := range p {
			dot += v * h[i]
			if e := math.Abs(back[i] + 0.5*v - h[i]); !ok || e > 1e-10 {
				t.Errorf("n = %d: the solution's residual %d is %.2g", n, i, e)
			}
		}
		if math.Abs(dot-quadratic) > 1e-10*math.Abs(dot) {
			t.Errorf("n = %d: quadratic form %v, want %v", n, quadratic, dot)
		}
		if _, ok := q.Shift(-1e6); ok {
			t.Errorf("n = %d: an indefinite matrix was factored", n)
		}
	}
}
