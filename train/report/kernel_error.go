package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
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
	topK, err := maxAbs(who, "exact", exact.RawMatrix())
	if err != nil {
		return GramError{}, err
	}
	topA, err := maxAbs(who, "approx", approx.RawMatrix())
	if err != nil {
		return GramError{}, err
	}
	if topK == 0 {
		return GramError{}, fmt.Errorf("report: %s: the exact %d×%d matrix is zero everywhere, so no error is relative to it; check the kernel's scale: %w", who, rows, cols, ErrDomain)
	}

	f := downscale(max(topK, topA)) // the differences do not overflow
	row := make([]float64, cols)
	own := sumsOf(rows, cols, func(i int) []float64 { return floats.ScaleTo(row, f, exact.RawRowView(i)) })
	off := sumsOf(rows, cols, func(i int) []float64 {
		a := approx.RawRowView(i)
		for j, v := range exact.RawRowView(i) {
			row[j] = a[j]*f - v*f
		}
		return row
	})
	e := GramError{Rows: rows}
	if off.largest == 0 {
		return e, nil
	}
	n := float64(rows) * float64(cols)
	e.Max = off.largest / f
	e.RMS = off.norm / math.Sqrt(n) / f
	e.MeanSigned = off.sum / n / f
	e.RelativeFrobenius = off.norm / own.norm
	if own.centred > 0 {
		e.CentredFrobenius = off.centred / own.centred
	}
	for _, v := range []float64{e.Max, e.RMS, e.MeanSigned, e.RelativeFrobenius, e.CentredFrobenius} {
		if !finite(v) {
			return GramError{}, fmt.Errorf("report: %s: |exact| goes up to %v and |approx| to %v, their difference is beyond float64; scale the matrices: %w", who, topK, topA, ErrDomain)
		}
	}
	return e, nil
}

// sums are over all entries v of a matrix.
type sums struct {
	sum, largest float64 // Σ v and max |v|
	norm         float64 // √Σ v²
	centred      float64 // the norm of v - row mean - column mean + mean, and 0 if that is rounding error
}

// sumsOf sums the rows of a matrix, which it may overwrite, by row: that rounds less than one long sum.
func sumsOf(rows, cols int, row func(i int) []float64) (s sums) {
	byRow, byCol := make([]float64, rows), make([]float64, cols)
	for i := range rows {
		v := row(i)
		byRow[i] = floats.Sum(v)
		floats.Add(byCol, v)
		s.sum += byRow[i]
		s.largest = max(s.largest, floats.Norm(v, math.Inf(1)))
		s.norm = math.Hypot(s.norm, floats.Norm(v, 2))
	}
	floats.Scale(1/float64(rows), byCol)
	mean := floats.Sum(byCol) / float64(cols)
	for i := range rows {
		v := row(i)
		floats.Sub(v, byCol)
		floats.AddConst(mean-byRow[i]/float64(cols), v)
		s.centred = math.Hypot(s.centred, floats.Norm(v, 2))
	}
	if s.centred <= 1e-14*s.largest*math.Sqrt(float64(rows)*float64(cols)) {
		s.centred = 0
	}
	return s
}

// sameDims returns the size of two matrices, which must be the same and not 0.
func sameDims(who string, exact, approx *mat.Dense) (rows, cols int, err error) {
	for i, m := range []*mat.Dense{exact, approx} {
		if m == nil || m.IsEmpty() {
			what := []string{"exact", "approx"}[i]
			return 0, 0, fmt.Errorf("report: %s: %s has no rows: %w", who, what, ErrShape)
		}
	}
	rows, cols = exact.Dims()
	if r, c := approx.Dims(); r != rows || c != cols {
		return 0, 0, fmt.Errorf("report: %s: exact is %d×%d and approx is %d×%d: %w", who, rows, cols, r, c, ErrShape)
	}
	return rows, cols, nil
}

// maxAbs is the largest magnitude of rows, all of whose values must be finite.
func maxAbs(who, what string, m blas64.General) (top float64, err error) {
	for i := range m.Rows {
		for j, v := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
			if !finite(v) {
				return 0, fmt.Errorf("report: %s: %s[%d,%d] = %v is not a finite number: %w", who, what, i, j, v, ErrDomain)
			}
			top = max(top, math.Abs(v))
		}
	}
	return top, nil
}

// finite is false for NaN and the infinities.
func finite(v float64) bool { return v-v == 0 }

// downscale is a power of two f with |v|·f <= 1 for every |v| <= top. Squares and sums of scaled values neither
// overflow nor underflow where it matters, and the scaling rounds nothing that matters.
func downscale(top float64) float64 {
	_, exp := math.Frexp(top)
	return math.Ldexp(1, -max(exp, -1000))
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
