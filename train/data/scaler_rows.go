package data

import "math"

// norm divides each row by its norm; nil leaves it as it is.
type norm struct{ of func(row []float64) float64 }

func (norm) vectors() []stateVector  { return nil }
func (norm) centres() bool           { return false }
func (norm) flaw(int) string         { return "" }
func (norm) learn(entries, int, int) {}
func (norm) finish()                 {}

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

// scale: between the bounds neither the sum of l1 nor the sum of l2 overflows, and what underflows is negligible.
// Outside of them the row is first divided by its largest absolute value.
func (s norm) scale(_ []int32, row []float64) {
	if s.of == nil {
		return
	}
	n := s.of(row)
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
		n = s.of(row)
	}
	for j := range row {
		row[j] /= n
	}
}
