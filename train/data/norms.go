package data

import (
	"iter"
	"math"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
)

// None leaves the rows as they are. It only checks that they are finite.
type None struct{}

// L1 divides each row by its l1 norm, x / Σ|x_j|, so that a histogram sums to 1. A row of zeros stays as it is. L1
// learns nothing.
type L1 struct{}

// L2 divides each row by its Euclidean norm, x / √Σx_j². A row of zeros stays as it is. L2 learns nothing.
type L2 struct{}

var (
	_ step = None{}
	_ step = L1{}
	_ step = L2{}
)

// Name returns "none".
func (None) Name() string { return "none" }

// Name returns "l1".
func (L1) Name() string { return "l1" }

// Name returns "l2".
func (L2) Name() string { return "l2" }

// Fit only checks x.
func (s None) Fit(x ops.Matrix) error { return fitOne(s, x) }

// Fit only checks x.
func (s L1) Fit(x ops.Matrix) error { return fitOne(s, x) }

// Fit only checks x.
func (s L2) Fit(x ops.Matrix) error { return fitOne(s, x) }

// Apply returns a copy of x.
func (s None) Apply(x ops.Matrix) (ops.Matrix, error) { return applied(s, x) }

// Apply returns the scaled rows, of any width; x stays as it is.
func (s L1) Apply(x ops.Matrix) (ops.Matrix, error) { return applied(s, x) }

// Apply returns the scaled rows, of any width; x stays as it is.
func (s L2) Apply(x ops.Matrix) (ops.Matrix, error) { return applied(s, x) }

// ApplyInPlace only checks x.
func (s None) ApplyInPlace(x ops.Matrix) error { return applyOne(s, x) }

// ApplyInPlace scales x itself, of any width.
func (s L1) ApplyInPlace(x ops.Matrix) error { return applyOne(s, x) }

// ApplyInPlace scales x itself, of any width.
func (s L2) ApplyInPlace(x ops.Matrix) error { return applyOne(s, x) }

// State returns an empty map.
func (None) State() map[string]*tensor.Dense { return map[string]*tensor.Dense{} }

// State returns an empty map.
func (L1) State() map[string]*tensor.Dense { return map[string]*tensor.Dense{} }

// State returns an empty map.
func (L2) State() map[string]*tensor.Dense { return map[string]*tensor.Dense{} }

// SetState accepts an empty state only.
func (s None) SetState(state map[string]*tensor.Dense) error { return noState(s, state) }

// SetState accepts an empty state only.
func (s L1) SetState(state map[string]*tensor.Dense) error { return noState(s, state) }

// SetState accepts an empty state only.
func (s L2) SetState(state map[string]*tensor.Dense) error { return noState(s, state) }

func (None) fitted() int { return anyWidth }
func (L1) fitted() int   { return anyWidth }
func (L2) fitted() int   { return anyWidth }

func (None) learns() bool { return false }
func (L1) learns() bool   { return false }
func (L2) learns() bool   { return false }

func (None) learn(iter.Seq[[]float64], int) {}
func (L1) learn(iter.Seq[[]float64], int)   {}
func (L2) learn(iter.Seq[[]float64], int)   {}

func (None) learnSparse(iter.Seq2[[]int32, []float64], int, int) {}
func (L1) learnSparse(iter.Seq2[[]int32, []float64], int, int)   {}
func (L2) learnSparse(iter.Seq2[[]int32, []float64], int, int)   {}

func (None) moved() int { return -1 }
func (L1) moved() int   { return -1 }
func (L2) moved() int   { return -1 }

func (None) scaleSparse([]int32, []float64)          {}
func (s L1) scaleSparse(_ []int32, values []float64) { s.scale(values) }
func (s L2) scaleSparse(_ []int32, values []float64) { s.scale(values) }

func (None) scale([]float64) {}

func (L1) scale(row []float64) { divide(row, l1) }
func (L2) scale(row []float64) { divide(row, l2) }

func l1(row []float64) float64 {
	sum := 0.0
	for _, v := range row {
		sum += math.Abs(v)
	}
	return sum
}

func l2(row []float64) float64 {
	sum := 0.0
	for _, v := range row {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// divide divides a row by its norm. Between the bounds neither the sum of l1 nor the sum of l2 overflows, and what
// underflows is negligible. Outside them the row is first divided by its largest absolute value.
func divide(row []float64, norm func([]float64) float64) {
	n := norm(row)
	if !(n > 1e-140 && n < 1e150) {
		largest := 0.0
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
		if largest == 0 {
			return
		}
		for j := range row {
			row[j] /= largest
		}
		n = norm(row)
	}
	for j := range row {
		row[j] /= n
	}
}
