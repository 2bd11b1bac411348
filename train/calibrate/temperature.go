package calibrate

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// fitTemperature minimises the mean cross-entropy over β = 1/T >= 0,
//
//	L(β) = (1/n) Σᵢ [ log Σ_c exp(β s_ic) - β Σ_c t_ic s_ic ],
//	L'   = (1/n) Σᵢ [ E_p s - E_t s ],    L'' = (1/n) Σᵢ Var_p s,
//
// by Newton steps between bounds; L is convex. The target t is (n+1)/(n+2) for the class of a row, and the other
// classes share the rest. That keeps β finite even if all rows are classified correctly.
func fitTemperature(scores *mat.Dense, labels []int) (float64, error) {
	n, k := scores.Dims()
	below := mat.NewDense(n, k, nil) // how far a score is below the largest of its row
	wanted, size := 0.0, 0.0         // the mean of E_t s; of the spreads of rows
	rest := leftover(n)
	for i, l := range labels {
		row, b := scores.RawRowView(i), below.RawRowView(i)
		most, least, mean := row[top(row)], 0.0, 0.0
		for j, v := range row {
			b[j] = v - most
			least = min(least, b[j])
			t := rest / float64(k-1)
			if j == l {
				t = 1 - rest
			}
			mean += t * b[j]
		}
		size -= least / float64(n)
		wanted += mean / float64(n)
	}
	switch {
	case size == 0:
		return 0, nil
	case !(size > 1e-290 && size < 1e290):
		return 0, fmt.Errorf("train: Calibration: the scores of a row differ by %v; scale them: %w", size, domain.ErrDomain)
	}
	slope := func(beta float64) (first, second float64) {
		for i := range n {
			sum, mean, square := 0.0, 0.0, 0.0
			for _, v := range below.RawRowView(i) {
				if w := math.Exp(beta * v); w > 0 {
					v /= size
					sum += w
					mean += w * v
					square += w * v * v
				}
			}
			mean /= sum
			first += mean
			second += max(square/sum-mean*mean, 0)
		}
		return first/float64(n) - wanted/size, second / float64(n) * size
	}
	if first, _ := slope(0); first >= 0 {
		return 0, nil // the scores are no better than none
	}
	lo, hi := 0.0, 1/size
	for range 400 {
		if first, _ := slope(hi); first >= 0 {
			break
		}
		lo, hi = hi, 2*hi
	}
	beta := lo + (hi-lo)/2
	for range 200 {
		first, second := slope(beta)
		if first < 0 {
			lo = beta
		} else {
			hi = beta
		}
		next := beta - first/second
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-beta) <= 1e-15*beta {
			return next, nil
		}
		beta = next
	}
	return beta, nil
}
