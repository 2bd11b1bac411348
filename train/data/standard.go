package data

import (
	"fmt"
	"iter"
	"math"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Standard centres each column and divides it by its population standard deviation (by n, not n - 1):
//
//	x_j ← (x_j - mean_j) / scale_j,   scale_j = √(Σ_i (x_ij - mean_j)² / n)
//
// A constant column is centred and divided by 1. The moments are computed by the corrected two-pass algorithm (Chan,
// Golub and LeVeque 1983, equation 1.7) on columns divided by a power of two, so that no square overflows or
// underflows. The moments of the blocks of a stream are joined by their equation 2.1.
type Standard struct {
	Mean, Scale []float64 // of each column; nil before Fit

	rows      float64 // the number of rows learned from; 0 after SetState
	deviation []float64
	low, high []float64
}

var _ step = (*Standard)(nil)

// Name returns "standard".
func (s *Standard) Name() string { return "standard" }

// Fit learns the mean and the standard deviation of each column.
func (s *Standard) Fit(x ops.Matrix) error { return fitOne(s, x) }

// Apply returns the scaled rows; x stays as it is.
func (s *Standard) Apply(x ops.Matrix) (ops.Matrix, error) { return applied(s, x) }

// ApplyInPlace scales x itself.
func (s *Standard) ApplyInPlace(x ops.Matrix) error { return applyOne(s, x) }

// State returns mean and scale.
func (s *Standard) State() map[string]*tensor.Dense {
	if s.Mean == nil {
		return map[string]*tensor.Dense{}
	}
	return map[string]*tensor.Dense{"mean": vector(s.Mean), "scale": vector(s.Scale)}
}

// SetState sets mean and scale; scale is above 0.
func (s *Standard) SetState(state map[string]*tensor.Dense) error {
	v, err := vectors(s, state, "mean", "scale")
	if err != nil {
		return err
	}
	for j, scale := range v[1] {
		if scale <= 0 {
			return fmt.Errorf("%s: state has the scale %v in column %d, want above 0: %w", who(s), scale, j, domain.ErrParam)
		}
	}
	*s = Standard{Mean: v[0], Scale: v[1]}
	return nil
}

func (s *Standard) fitted() int { return len(s.Mean) }

func (s *Standard) learn(rows iter.Seq[[]float64], d int) {
	low, high := extremes(rows)
	unit := make([]float64, d) // powers of two that bring each column into [-1, 1]
	for j := range unit {
		_, exp := math.Frexp(max(math.Abs(low[j]), math.Abs(high[j])))
		unit[j] = math.Ldexp(1, min(-exp, 1023)) // at most 2^1074 would be due; 2^1023 does for subnormals
	}
	n := 0.0
	mean := make([]float64, d)
	for row := range rows {
		mean, unit := mean[:len(row)], unit[:len(row)]
		for j, v := range row {
			mean[j] += v * unit[j]
		}
		n++
	}
	for j := range mean {
		mean[j] /= n
	}
	sum, square := make([]float64, d), make([]float64, d)
	for row := range rows {
		mean, unit, sum, square := mean[:len(row)], unit[:len(row)], sum[:len(row)], square[:len(row)]
		for j, v := range row {
			e := v*unit[j] - mean[j]
			sum[j] += e
			square[j] += e * e
		}
	}
	deviation := make([]float64, d)
	for j := range deviation {
		// The deviations would sum to 0 without rounding; their sum corrects both moments.
		variance := max((square[j]-sum[j]*sum[j]/n)/n, 0)
		mean[j] = min(max((mean[j]+sum[j]/n)/unit[j], low[j]), high[j])
		deviation[j] = math.Sqrt(variance) / unit[j]
	}
	s.join(n, mean, deviation, low, high)
}

// join adds the moments and the range of n more rows.
func (s *Standard) join(n float64, mean, deviation, low, high []float64) {
	d := len(mean)
	if s.rows == 0 {
		s.deviation, s.low, s.high = deviation, low, high
		s.Mean, s.Scale = mean, make([]float64, d)
	}
	all := s.rows + n
	for j := range d {
		if s.rows > 0 {
			a, b := s.rows/all, n/all
			s.low[j], s.high[j] = min(s.low[j], low[j]), max(s.high[j], high[j])
			// σ² = a σa² + b σb² + a b (μb - μa)², as lengths, so that no square overflows; the difference of means is
			// taken of halves.
			half := mean[j]/2 - s.Mean[j]/2
			s.deviation[j] = math.Hypot(math.Hypot(math.Sqrt(a)*s.deviation[j], math.Sqrt(b)*deviation[j]), 2*math.Sqrt(a*b)*half)
			s.Mean[j] = min(max(s.Mean[j]+b*half+b*half, s.low[j]), s.high[j])
		}
		s.Scale[j] = max(s.deviation[j], math.SmallestNonzeroFloat64)
		if s.low[j] == s.high[j] { // rounding must not make a constant column look otherwise
			s.Mean[j], s.Scale[j] = s.low[j], 1
		}
	}
	s.rows = all
}

func (s *Standard) learns() bool { return true }

func (s *Standard) scale(row []float64) {
	mean, scale := s.Mean[:len(row)], s.Scale[:len(row)]
	for j, v := range row {
		e := v - mean[j]
		if e-e != 0 { // the difference overflows
			row[j] = (v/2 - mean[j]/2) / scale[j] * 2
			continue
		}
		row[j] = e / scale[j]
	}
}

// learnSparse leaves the scaler as it is: it moves zeros whatever it learns.
func (s *Standard) learnSparse(iter.Seq2[[]int32, []float64], int, int) {}

// moved is the first column: all are centred.
func (s *Standard) moved() int { return 0 }

// scaleSparse has nothing to do: zeros move, so no sparse row comes here.
func (s *Standard) scaleSparse([]int32, []float64) {}
