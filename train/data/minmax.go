package data

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// MinMax maps each column to [0, 1] by the range that it was fitted to:
//
//	x_j ← (x_j - min_j) / (max_j - min_j)
//
// Values outside the range are not clipped, so that those below it become negative; Cube clips them. A column that was
// constant in the training rows becomes 0 for all rows. If a difference overflows float64, halves are used.
type MinMax struct {
	Min, Max []float64 // of each column; nil before Fit
}

var _ step = (*MinMax)(nil)

// Name returns "minmax".
func (s *MinMax) Name() string { return "minmax" }

// Fit learns the range of each column.
func (s *MinMax) Fit(x ops.Matrix) error { return fitOne(s, x) }

// Apply returns the scaled rows; x stays as it is.
func (s *MinMax) Apply(x ops.Matrix) (ops.Matrix, error) { return applied(s, x) }

// ApplyInPlace scales x itself.
func (s *MinMax) ApplyInPlace(x ops.Matrix) error { return applyOne(s, x) }

// State returns min and max.
func (s *MinMax) State() map[string]*tensor.Dense {
	if s.Min == nil {
		return map[string]*tensor.Dense{}
	}
	return map[string]*tensor.Dense{"min": vector(s.Min), "max": vector(s.Max)}
}

// SetState sets min and max, with min <= max.
func (s *MinMax) SetState(state map[string]*tensor.Dense) error {
	v, err := vectors(s, state, "min", "max")
	if err != nil {
		return err
	}
	for j, low := range v[0] {
		if low > v[1][j] {
			return fmt.Errorf("%s: state has min %v above max %v in column %d: %w", who(s), low, v[1][j], j, domain.ErrParam)
		}
	}
	s.Min, s.Max = v[0], v[1]
	return nil
}

func (s *MinMax) fitted() int { return len(s.Min) }

func (s *MinMax) learns() bool { return true }

func (s *MinMax) learn(rows iter.Seq[[]float64], _ int) { s.widen(extremes(rows)) }

// widen extends the range by the range of more rows.
func (s *MinMax) widen(low, high []float64) {
	if s.Min == nil {
		s.Min, s.Max = low, high
		return
	}
	for j := range low {
		s.Min[j], s.Max[j] = min(s.Min[j], low[j]), max(s.Max[j], high[j])
	}
}

// extremes returns the least and the largest value of each column of at least one row.
func extremes(rows iter.Seq[[]float64]) (low, high []float64) {
	for row := range rows {
		if low == nil {
			low, high = slices.Clone(row), slices.Clone(row)
			continue
		}
		low, high := low[:len(row)], high[:len(row)]
		for j, v := range row {
			if !(v > low[j] && v < high[j]) {
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
		}
	}
	return low, high
}

func (s *MinMax) scale(row []float64) {
	for j, v := range row {
		row[j] = s.cell(j, v)
	}
}

func (s *MinMax) cell(j int, v float64) float64 {
	low, high := s.Min[j], s.Max[j]
	if low == high {
		return 0
	}
	part, whole := v-low, high-low
	if math.IsInf(part, 0) || math.IsInf(whole, 0) {
		part, whole = v/2-low/2, high/2-low/2
	}
	return part / whole
}

func (s *MinMax) learnSparse(rows iter.Seq2[[]int32, []float64], n, d int) {
	s.widen(extremesSparse(rows, n, d))
}

// extremesSparse is extremes for the entries of n rows; a column that some row does not store has a 0.
func extremesSparse(rows iter.Seq2[[]int32, []float64], n, d int) (low, high []float64) {
	low, high = make([]float64, d), make([]float64, d)
	seen := make([]int, d)
	for cols, values := range rows {
		for t, j := range cols {
			if seen[j] == 0 {
				low[j], high[j] = values[t], values[t]
			}
			low[j], high[j] = min(low[j], values[t]), max(high[j], values[t])
			seen[j]++
		}
	}
	for j, k := range seen {
		if k < n {
			low[j], high[j] = min(low[j], 0), max(high[j], 0)
		}
	}
	return low, high
}

func (s *MinMax) moved() int {
	for j := range s.Min {
		if s.cell(j, 0) != 0 {
			return j
		}
	}
	return -1
}

func (s *MinMax) scaleSparse(cols []int32, values []float64) {
	for t, j := range cols {
		values[t] = s.cell(int(j), values[t])
	}
}
