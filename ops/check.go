package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// CheckRows finds the first cell of x, a contiguous matrix or sparse rows, float32 or float64, outside a domain; who
// names the finder. Of sparse rows it looks at the entries, and at the first cell that is not stored where 0 is
// outside; of bags at the samples, and the error names the bag and the sample in it.
func CheckRows(d Domain, who string, x Matrix) error {
	if domain.IsNil(x) {
		return fmt.Errorf("%s: the rows are nil: %w", who, ErrShape)
	}
	if b, ok := x.(*Bags); ok {
		return b.InBag(CheckRows(d, who, b.x))
	}
	if s, ok := x.(*CSR); ok {
		return typed(s.Dtype(), checkCSR[float32], checkCSR[float64])(d, who, s)
	}
	m, err := matrix(x)
	if err != nil {
		return fmt.Errorf("%s: %w", who, err)
	}
	t, dense := m.(*tensor.Dense)
	if !dense || t.Dims() != 2 {
		return fmt.Errorf("%s: the rows have shape %v, want a matrix: %w", who, x.Shape(), ErrShape)
	}
	return typed(t.Dtype(), checkRows[float32], checkRows[float64])(d, who, t)
}

func checkRows[T domain.Float](d Domain, who string, x *tensor.Dense) error {
	v, n, cols := data[T](x), x.Shape()[0], x.Shape()[1]
	if within(d, v) {
		return nil
	}
	return domain.CheckRows(d, who, v, n, cols, cols)
}

// within says that all cells are in a domain of cells; it is false as well where that takes a look at the rows.
func within[T domain.Float](d Domain, v []T) bool {
	low, open, ok := d.Low()
	l := T(low)
	if float64(l) < low || open && float64(l) == low {
		l = above(l)
	}
	return ok && l <= 0 && simd.Within(v, l)
}

// above is the next number of the type.
func above[T domain.Float](v T) T {
	if f, ok := any(v).(float32); ok {
		return T(math.Nextafter32(f, float32(math.Inf(1))))
	}
	return T(math.Nextafter(float64(v), math.Inf(1)))
}

// CheckFrequencies finds the first entry of the contiguous matrix W, float32 or float64, that no kernel draws: one that
// is not finite or, for d = NonNegative, negative.
func CheckFrequencies(d Domain, who string, w *tensor.Dense) error {
	w, err := matrixOf(who, "W", "[d, m]", w)
	if err != nil {
		return err
	}
	return typed(w.Dtype(), checkFrequencies[float32], checkFrequencies[float64])(d, who, w)
}

func checkFrequencies[T domain.Float](d Domain, who string, w *tensor.Dense) error {
	v := data[T](w)
	if within(d, v) {
		return nil
	}
	return domain.CheckFrequencies(d, who, v, w.Shape()[1])
}

// The remedies for numbers that a user did not give.
const (
	fitAnew  = "fit the map anew"
	drawAnew = "draw the map anew"
	setAnew  = "set the frequencies anew, or tune them with a lower learning rate"
)

// checkFinite finds the first of some numbers, rows of cols, that is not finite; an error gives them a name.
func checkFinite[T domain.Float](who, name, remedy string, v []T, cols int) error {
	for i, f := range v {
		if f-f != 0 {
			return &domain.CellError{Who: who, Matrix: name, Row: i / cols, Col: i % cols, Value: float64(f),
				Reason: "is not finite", Remedy: remedy}
		}
	}
	return nil
}
