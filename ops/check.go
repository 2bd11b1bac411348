package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// CheckRows returns an error that wraps ErrDomain for the first cell of x outside a domain. x is a contiguous matrix,
// CSR or Bags of float32 or float64; who starts the message. Where 0 is outside the domain, a cell that a CSR does not
// store is an error too. For Bags the error names the bag and the sample in it.
func CheckRows(d Domain, who string, x Matrix) error {
	if b, ok := x.(*Bags); ok && b != nil {
		return b.InBag(CheckRows(d, who, b.x))
	}
	x, err := matrixOf(who, x)
	if err != nil {
		return err
	}
	if s, ok := x.(*CSR); ok {
		return typed(s.Dtype(), checkCSR[float32], checkCSR[float64])(d, who, s)
	}
	return typed(x.Dtype(), checkRows[float32], checkRows[float64])(d, who, x.(*tensor.Dense))
}

func checkRows[T domain.Float](d Domain, who string, x *tensor.Dense) error {
	v, n, cols := data[T](x), x.Shape()[0], x.Shape()[1]
	if within(d, v) {
		return nil
	}
	return domain.CheckRows(d, who, v, n, cols, cols)
}

// within reports whether a check of the cells alone shows that all are in the domain. It is false for a domain of whole
// rows.
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

// checkW returns an error for the first entry of W that is not finite or, for d = NonNegative, negative.
func checkW(d Domain, who string, w *tensor.Dense) error {
	return typed(w.Dtype(), checkFrequencies[float32], checkFrequencies[float64])(d, who, w)
}

func checkFrequencies[T domain.Float](d Domain, who string, w *tensor.Dense) error {
	v := data[T](w)
	if within(d, v) {
		return nil
	}
	return domain.CheckFrequencies(d, who, v, w.Shape()[1])
}

const (
	// The remedies for bad values that are not the user's input.
	refit            = "fit the map again"
	redraw           = "draw the map again"
	resetFrequencies = "set the frequencies again, or tune them with a lower learning rate"
)

// checkFinite returns an error for the first of the numbers v, in rows of cols, that is not finite. name is their name
// in the message.
func checkFinite[T domain.Float](who, name, remedy string, v []T, cols int) error {
	if within(domain.Reals(), v) {
		return nil
	}
	for i, f := range v {
		if f-f != 0 {
			return &domain.CellError{Who: who, Matrix: name, Row: i / cols, Col: i % cols, Value: float64(f),
				Reason: "is not finite", Remedy: remedy}
		}
	}
	return nil
}
