package notes

import (
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Pairs are the kernel and its approximation by the features, k(x, z) and z(x)·z(z), of pairs of rows.
type Pairs [][2]float64

// maxPairs is how many are kept, 20 kB of text.
const maxPairs = 1000

// PairsOf takes entries of two symmetric kernel matrices on and above the diagonal, evenly spaced, at six digits.
func PairsOf(exact, approx *mat.Dense) Pairs {
	n, _ := exact.Dims()
	step := (n*(n+1)/2 + maxPairs - 1) / maxPairs
	var p Pairs
	at := 0
	for i := range n {
		for j := i; j < n; j++ {
			if at%step == 0 {
				p = append(p, [2]float64{sixDigits(exact.At(i, j)), sixDigits(approx.At(i, j))})
			}
			at++
		}
	}
	return p
}

func sixDigits(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // the largest number is 1.797693...e308, rounded down
	return r
}

// Matrices are the pairs as two matrices of one row.
func (p Pairs) Matrices() (exact, approx *mat.Dense) {
	exact, approx = mat.NewDense(1, len(p), nil), mat.NewDense(1, len(p), nil)
	for j, v := range p {
		exact.Set(0, j, v[0])
		approx.Set(0, j, v[1])
	}
	return exact, approx
}
