package ops

import (
	"fmt"
	"math"
	"strings"

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
	err := checkEach(who, "W", "is not finite", resetFrequencies, v, w.Shape()[1], d.Contains)
	if cell, ok := err.(*domain.CellError); ok && finite(cell.Value) {
		cell.Reason = "is negative"
	}
	return err
}

const (
	// The remedies for bad values that are not the user's input.
	refit            = "fit the map again"
	redraw           = "draw the map again"
	reset            = "set it again, or tune it with a lower learning rate"
	resetFrequencies = "set the frequencies again, or tune them with a lower learning rate"
)

// checkEach returns an error with a reason and a remedy for the first of the numbers v, in rows of cols, that ok
// refuses. name is their name in the message.
func checkEach[T domain.Float](who, name, reason, remedy string, v []T, cols int, ok func(v float64) bool) error {
	for i, f := range v {
		if !ok(float64(f)) {
			return &domain.CellError{Who: who, Matrix: name, Row: i / cols, Col: i % cols, Value: float64(f),
				Reason: reason, Remedy: remedy}
		}
	}
	return nil
}

func finite(v float64) bool { return v-v == 0 }

// checkFinite returns an error for the first of the numbers v, in rows of cols, that is not finite. name is their name
// in the message.
func checkFinite[T domain.Float](who, name, remedy string, v []T, cols int) error {
	if within(domain.Reals(), v) {
		return nil
	}
	return checkEach(who, name, "is not finite", remedy, v, cols, finite)
}

// checkWhole returns an error for the first of the numbers v, in rows of cols, that is no whole number from 0 to most.
func checkWhole(who, name string, v []float64, cols, most int) error {
	return checkEach(who, name, fmt.Sprintf("is no whole number from 0 to %d", most), redraw, v, cols,
		func(v float64) bool { return v >= 0 && v <= float64(most) && v == math.Trunc(v) })
}

// checkWord returns an error that wraps ErrParam unless v has a name.
func checkWord[E ~int](who string, v E, names []string) error {
	if v < 0 || int(v) >= len(names) || names[v] == "" {
		all := strings.TrimPrefix(strings.Join(names, ", "), ", ")
		return fmt.Errorf("%s: %s is none of %s: %w", who, domain.Word(v, names...), all, ErrParam)
	}
	return nil
}

func isSign(v float64) bool { return v == 1 || v == -1 }

// checkFeatures returns an error for the first cell of x with a feature that is not finite. each is the number of
// features of a cell. The reason has a verb for a number of their type.
func checkFeatures[T domain.Float](c *call, each int, reason, remedy string) error {
	for i, z := range result[T](c) {
		if z-z != 0 {
			cell, d := i/each, c.at('d')
			return &domain.CellError{Who: c.who(), Row: cell / d, Col: cell % d, Value: float64(cells[T](c, 0)[cell]),
				Reason: fmt.Sprintf(reason, z), Remedy: remedy}
		}
	}
	return nil
}
