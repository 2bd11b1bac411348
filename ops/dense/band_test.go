package dense

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// TestBand: Q B Qᵀ is the matrix, Q is orthogonal, and solutions, quadratic forms and determinants agree with the
// matrix, around the sizes of a band, a panel and a turn, for a band and for a tridiagonal matrix.
func TestBand(t *testing.T) {
	for _, n := range []int{1, 2, 3, bandWidth - 1, bandWidth, bandWidth + 1, bandWidth + 2, 2*bandWidth + 1, 101, turnRows + bandWidth + 3} {
		for _, width := range []int{1, bandWidth} {
			rng := rand.New(rand.NewPCG(uint64(n), 3))
			h := make([]float64, n*n)
			for i := range h {
				h[i] = rng.NormFloat64()
			}
			a := make([]float64, n*n)
			addSquare(1, general(n, n, n, h), general(n, n, n, a))
			full := append([]float64{}, a...)
			Mirror(full, n, blas.Lower)
			q := reduce(context.Background(), a, n, width)
			turn := make([]float64, n*n)
			for i := range n {
				turn[i*n+i] = 1
			}
			q.Rotate(context.Background(), turn, n, false)
			band := mat.NewDense(n, n, nil)
			for i := range n {
				for j := max(i-width, 0); j <= i; j++ {
					v := q.b[i*(width+1)+j-i+width]
					band.Set(i, j, v)
					band.Set(j, i, v)
				}
			}
			qm, want := mat.NewDense(n, n, turn), mat.NewDense(n, n, full)
			var got, eye mat.Dense
			got.Product(qm, band, qm.T())
			got.Sub(&got, want)
			if e := mat.Norm(&got, 2) / mat.Norm(want, 2); e > 1e-14*float64(n) {
				t.Errorf("n = %d, width %d: Q B Qᵀ is off by %.2g", n, width, e)
			}
			eye.Mul(qm, qm.T())
			for i := range n {
				eye.Set(i, i, eye.At(i, i)-1)
			}
			if e := mat.Norm(&eye, 2); e > 1e-14*float64(n) {
				t.Errorf("n = %d, width %d: Q is off from orthogonal by %.2g", n, width, e)
			}
			p := append([]float64{}, h[:n]...)
			q.Rotate(context.Background(), p, 1, false)
			f, ok := q.Shift(0.5)
			quadratic := make([]float64, 1)
			f.Quadratics(quadratic, p)
			f.Solve(p)
			q.Rotate(context.Background(), p, 1, true)
			for i := range n {
				want.Set(i, i, want.At(i, i)+0.5)
			}
			back, dot := mat.NewVecDense(n, nil), 0.0
			back.MulVec(want, mat.NewVecDense(n, p))
			for i, v := range p {
				dot += v * h[i]
				if e := math.Abs(back.AtVec(i) - h[i]); !ok || e > 1e-10 {
					t.Errorf("n = %d, width %d: the solution's residual %d is %.2g", n, width, i, e)
				}
			}
			if math.Abs(dot-quadratic[0]) > 1e-10*math.Abs(dot) {
				t.Errorf("n = %d, width %d: quadratic form %v, want %v", n, width, quadratic, dot)
			}
			if det, _ := mat.LogDet(want); math.Abs(f.LogDet()-det) > 1e-12*float64(n)*(1+math.Abs(det)) {
				t.Errorf("n = %d, width %d: ln of the determinant %v, want %v", n, width, f.LogDet(), det)
			}
			if _, ok := q.Shift(-1e6); ok {
				t.Errorf("n = %d, width %d: an indefinite matrix was factored", n, width)
			}
		}
	}
}
