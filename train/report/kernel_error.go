package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// GramError measures how far an approximate kernel matrix A is from the exact one K, over all r×c entries:
//
//	RelativeFrobenius = ‖A - K‖_F / ‖K‖_F
//	CentredFrobenius  = ‖H(A - K)H‖_F / ‖HKH‖_F
//	Max               = max |A_ij - K_ij|
//	RMS               = sqrt(Σ (A_ij - K_ij)² / rc)
//	MeanSigned        = Σ (A_ij - K_ij) / rc
//
// H subtracts the mean of each column, or of each row. CentredFrobenius matters for a linear model with a bias, which
// does not change if a constant is added to a kernel. It is 0 if HKH is 0.
type GramError struct {
	RelativeFrobenius float64 `json:"relative_frobenius"`
	CentredFrobenius  float64 `json:"centred_frobenius"`
	Max               float64 `json:"max"`
	RMS               float64 `json:"rms"`
	MeanSigned        float64 `json:"mean_signed"`
	Rows              int     `json:"rows"`
}

// Compare measures approx against exact, two matrices of the same shape. Values from 1e-308 to 1e308 neither overflow
// nor underflow.
//
// Errors: ErrShape for matrices of different shapes or without rows; ErrDomain for a value that is not finite, for an
// exact matrix of zeros, which has no relative error, and for a difference beyond the range of float64.
func Compare(exact, approx *mat.Dense) (GramError, error) {
	const who = "Compare"
	rows, cols, err := sameDims(who, exact, approx)
	if err != nil {
		return GramError{}, err
	}
	topK, err := maxAbs(who, "exact", exact)
	if err != nil {
		return GramError{}, err
	}
	topA, err := maxAbs(who, "approx", approx)
	if err != nil {
		return GramError{}, err
	}
	if topK == 0 {
		return GramError{}, fmt.Errorf("report: %s: the exact %d×%d matrix is zero everywhere, so no error is relative to it; check the kernel's scale: %w", who, rows, cols, ErrDomain)
	}

	// Differences in units of 1/f, then in units of the largest of them, so that no square leaves the range of float64.
	f := downscale(max(topK, topA))
	top := 0.0
	for i := range rows {
		a := approx.RawRowView(i)
		for j, v := range exact.RawRowView(i) {
			top = max(top, math.Abs(a[j]*f-v*f))
		}
	}
	e := GramError{Rows: rows}
	if top == 0 {
		return e, nil
	}
	g, h := downscale(top), downscale(topK)
	var sum, squares, squaresK float64
	for i := range rows {
		a := approx.RawRowView(i)
		var s, q, k float64 // a sum a row, then the sum of these: less rounding than one long sum
		for j, v := range exact.RawRowView(i) {
			d := (a[j]*f - v*f) * g
			s += d
			q += d * d
			k += (v * h) * (v * h)
		}
		sum, squares, squaresK = sum+s, squares+q, squaresK+k
	}
	n := float64(rows) * float64(cols)
	e.Max = top / f
	e.RMS = math.Sqrt(squares/n) / g / f
	e.MeanSigned = sum / n / g / f
	e.RelativeFrobenius = math.Sqrt(squares/squaresK) / g * (h / f)
	e.CentredFrobenius = centredFrobenius(exact, approx, f, g, h)
	for _, v := range []float64{e.Max, e.RMS, e.MeanSigned, e.RelativeFrobenius} {
		if !finite(v) {
			return GramError{}, fmt.Errorf("report: %s: |exact| goes up to %v and |approx| to %v, their difference is beyond float64; scale the matrices: %w", who, topK, topA, ErrDomain)
		}
	}
	return e, nil
}

// centredFrobenius is ‖H(A - K)H‖/‖HKH‖, from differences in units of 1/f and 1/g and exact values in units of 1/h.
func centredFrobenius(exact, approx *mat.Dense, f, g, h float64) float64 {
	off := centredSquare(exact, func(i, j int) float64 { return (approx.At(i, j)*f - exact.At(i, j)*f) * g })
	own := centredSquare(exact, func(i, j int) float64 { return exact.At(i, j) * h })
	if own == 0 {
		return 0
	}
	return math.Sqrt(off/own) / g * (h / f)
}

// centredSquare is Σ (v_ij - row mean - column mean + mean)² for entries up to about one, and 0 if that is rounding
// error.
func centredSquare(shape *mat.Dense, v func(i, j int) float64) float64 {
	rows, cols := shape.Dims()
	byRow, byCol, mean := make([]float64, rows), make([]float64, cols), 0.0
	for i := range rows {
		for j := range cols {
			byRow[i] += v(i, j) / float64(cols)
			byCol[j] += v(i, j) / float64(rows)
		}
		mean += byRow[i] / float64(rows)
	}
	sum := 0.0
	for i := range rows {
		s := 0.0
		for j := range cols {
			d := v(i, j) - byRow[i] - byCol[j] + mean
			s += d * d
		}
		sum += s
	}
	if sum <= 1e-28*float64(rows)*float64(cols) {
		return 0
	}
	return sum
}

// pairMean is the mean of A_ij - K_ij over the pairs i < j of two n×n matrices of finite values, n >= 2.
func pairMean(exact, approx *mat.Dense, f float64) float64 {
	n, _ := exact.Dims()
	sum := 0.0
	for i := range n {
		a, k := approx.RawRowView(i), exact.RawRowView(i)
		s := 0.0
		for j := i + 1; j < n; j++ {
			s += a[j]*f - k[j]*f
		}
		sum += s
	}
	return sum / (float64(n) * float64(n-1) / 2) / f
}
