package dense

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

const (
	// mostLanczos is the largest number of steps of Largest.
	mostLanczos = 256
	// lanczosTolerance is the residual at which it stops, relative to the eigenvalue. The relative error of the
	// eigenvalue is about its square.
	lanczosTolerance = 1e-11
)

// Largest returns the largest eigenvalue of the positive semidefinite matrix a [n, n] and an eigenvector of length 1.
// It reads the lower triangle of a and overwrites the other. The error for entries that are not finite or overflow
// wraps domain.ErrDomain. It panics if a is too short.
//
// It is the Lanczos iteration with full reorthogonalisation (Golub and Van Loan, section 10.3), from a vector that
// depends on n alone. It ends when the residual ‖Av - θv‖ is at most 1e-11 θ, or after 256 steps; θ is then a lower
// bound whose error is of second order in the residual. A step takes 2n² operations. Power iteration takes hundreds of
// steps where the next eigenvalue is within one per cent, as for a random matrix.
func Largest(a []float64, n int) (value float64, vector []float64, err error) {
	check("Largest", len(a), n, n)
	if n == 0 {
		return 0, nil, nil
	}
	Mirror(a, n, blas.Lower)
	rng := rand.New(rand.NewPCG(uint64(n), 0x9e3779b97f4a7c15))
	q := make([]float64, n)
	for i := range q {
		q[i] = rng.NormFloat64()
	}
	floats.Scale(1/floats.Norm(q, 2), q)
	var basis [][]float64
	var alpha, beta []float64
	look := 4 // after how many steps the residual is computed next
	for {
		basis = append(basis, q)
		next := make([]float64, n)
		symmetricTimes(a, n, q, next)
		alpha = append(alpha, floats.Dot(q, next))
		for range 2 { // once is not enough (Parlett, 1998, section 6.9)
			for _, b := range basis {
				floats.AddScaled(next, -floats.Dot(b, next), b)
			}
		}
		left, m := floats.Norm(next, 2), len(basis)
		if left-left != 0 || alpha[m-1]-alpha[m-1] != 0 {
			return 0, nil, fmt.Errorf("dense: Largest: entries are not finite, or their sums overflow: %w", domain.ErrDomain)
		}
		last := m == min(n, mostLanczos) || left <= 1e-15*alpha[0]
		if last || m == look {
			look += max(4, m/5)
			theta, s, err := ritz(alpha, beta)
			if err != nil {
				return 0, nil, err
			}
			if last || left*math.Abs(s[m-1]) <= lanczosTolerance*theta {
				v := make([]float64, n)
				for i, b := range basis {
					floats.AddScaled(v, s[i], b)
				}
				floats.Scale(1/floats.Norm(v, 2), v)
				return max(theta, 0), v, nil
			}
		}
		floats.Scale(1/left, next)
		beta, q = append(beta, left), next
	}
}

// ritz returns the largest eigenvalue of the tridiagonal matrix with the diagonal alpha and beta next to it, and its
// eigenvector.
func ritz(alpha, beta []float64) (float64, []float64, error) {
	m := len(alpha)
	t := make([]float64, m*m)
	for i, v := range alpha {
		t[i*m+i] = v
		if i > 0 {
			t[i*m+i-1] = beta[i-1]
		}
	}
	values, vectors, err := Eigen(t, m)
	if err != nil {
		return 0, nil, err
	}
	return values[0], vectors[:m], nil
}
