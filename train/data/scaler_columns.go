package data

import (
	"fmt"
	"math"
	"slices"
)

// ranges is minmax, and with clip cube. If a difference overflows float64, halves are used.
type ranges struct {
	clip      bool
	low, high []float64 // of each column
}

func (s *ranges) vectors() []stateVector {
	return []stateVector{{name: "min", at: &s.low}, {name: "max", at: &s.high}}
}
func (s *ranges) centres() bool { return false }
func (s *ranges) finish()       {}

func (s *ranges) flaw(int) string {
	for j, low := range s.low {
		if low > s.high[j] {
			return fmt.Sprintf("min %v above max %v in column %d", low, s.high[j], j)
		}
	}
	return ""
}

func (s *ranges) learn(rows entries, n, d int) { s.low, s.high = extremes(s.low, s.high, rows, n, d) }

// extremes widens the range of each column, nil for none, by n rows.
func extremes(low, high []float64, rows entries, n, d int) (_, _ []float64) {
	if low == nil {
		low, high = slices.Repeat([]float64{math.Inf(1)}, d), slices.Repeat([]float64{math.Inf(-1)}, d)
	}
	stored, sparse := make([]int, d), false
	for cols, row := range rows {
		if sparse = cols != nil; !sparse {
			low, high := low[:len(row)], high[:len(row)]
			for j, v := range row {
				if !(v > low[j] && v < high[j]) {
					low[j], high[j] = min(low[j], v), max(high[j], v)
				}
			}
		}
		for t, j := range cols {
			low[j], high[j] = min(low[j], row[t]), max(high[j], row[t])
			stored[j]++
		}
	}
	for j, k := range stored {
		if sparse && k < n {
			low[j], high[j] = min(low[j], 0), max(high[j], 0)
		}
	}
	return low, high
}

func (s *ranges) scale(cols []int32, row []float64) {
	for t, v := range row {
		j := columnOf(cols, t)
		row[t] = 0
		if s.low[j] < s.high[j] {
			row[t] = share(v, s.low[j], s.high[j])
		}
		if s.clip {
			row[t] = min(1, max(0, row[t]))
		}
	}
}

// share is (v - low) / (high - low).
func share(v, low, high float64) float64 {
	part, whole := v-low, high-low
	if math.IsInf(part, 0) || math.IsInf(whole, 0) {
		part, whole = v/2-low/2, high/2-low/2
	}
	return part / whole
}

// shifted is (v - mean) / scale.
func shifted(v, mean, scale float64) float64 {
	e := v - mean
	if e-e != 0 { // the difference overflows
		return (v/2 - mean/2) / scale * 2
	}
	return e / scale
}

// moments is standard and auto. The moments are computed by the corrected two-pass algorithm (Chan, Golub and LeVeque
// 1983, equation 1.7) on columns divided by a power of two, so that no square overflows or underflows. Those of blocks
// are joined by their equation 2.1.
type moments struct {
	auto        bool
	mean, width []float64 // of each column; the width is above 0

	rows      float64 // learned from
	deviation []float64
	low, high []float64
	real      []bool // columns with a value other than 0 and 1
}

func (s *moments) vectors() []stateVector {
	return []stateVector{{name: "mean", at: &s.mean}, {name: "scale", at: &s.width, width: true}}
}
func (s *moments) centres() bool   { return true }
func (s *moments) flaw(int) string { return "" }

// learn learns from dense rows: centred columns have no sparse ones.
func (s *moments) learn(rows entries, size, d int) {
	low, high := extremes(nil, nil, rows, 0, d)
	unit := make([]float64, d) // powers of two that bring each column into [-1, 1]
	for j := range unit {
		_, exp := math.Frexp(max(math.Abs(low[j]), math.Abs(high[j])))
		unit[j] = math.Ldexp(1, min(-exp, 1023)) // at most 2^1074 would be due; 2^1023 does for subnormals
	}
	n, mean := float64(size), make([]float64, d)
	for _, row := range rows {
		mean, unit := mean[:len(row)], unit[:len(row)]
		for j, v := range row {
			mean[j] += v * unit[j]
		}
	}
	for j := range mean {
		mean[j] /= n
	}
	sum, square := make([]float64, d), make([]float64, d)
	for _, row := range rows {
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
	if !s.auto {
		return
	}
	if s.real == nil {
		s.real = make([]bool, d)
	}
	for _, row := range rows {
		for j, v := range row {
			s.real[j] = s.real[j] || v != 0 && v != 1
		}
	}
}

// join adds the moments and the range of n more rows.
func (s *moments) join(n float64, mean, deviation, low, high []float64) {
	if s.rows == 0 {
		s.rows, s.mean, s.deviation, s.low, s.high = n, mean, deviation, low, high
		return
	}
	all := s.rows + n
	a, b := s.rows/all, n/all
	for j := range mean {
		s.low[j], s.high[j] = min(s.low[j], low[j]), max(s.high[j], high[j])
		// σ² = a σa² + b σb² + a b (μb - μa)², as lengths, so that no square overflows; the difference of means is taken
		// of halves.
		half := mean[j]/2 - s.mean[j]/2
		within := math.Hypot(math.Sqrt(a)*s.deviation[j], math.Sqrt(b)*deviation[j])
		s.deviation[j] = math.Hypot(within, 2*math.Sqrt(a*b)*half)
		s.mean[j] = min(max(s.mean[j]+b*half+b*half, s.low[j]), s.high[j])
	}
	s.rows = all
}

func (s *moments) finish() {
	s.width = make([]float64, len(s.mean))
	for j, v := range s.deviation {
		s.width[j] = max(v, math.SmallestNonzeroFloat64)
		if s.low[j] == s.high[j] { // rounding must not make a constant column look otherwise
			s.mean[j], s.width[j] = s.low[j], 1
		}
		if s.auto && !s.real[j] {
			s.mean[j], s.width[j] = 0, 1
		}
	}
}

func (s *moments) scale(cols []int32, row []float64) {
	for t, v := range row {
		j := columnOf(cols, t)
		row[t] = shifted(v, s.mean[j], s.width[j])
	}
}
