// Package domain says which numbers an input may hold, and names the first cell that holds another.
//
// It is the only package that spectral (in the folder init) and ops share: a kernel states its domain and an op checks
// it, but neither imports the other. Both alias its names, so errors.Is(err, ops.ErrDomain) and errors.Is(err,
// spectral.ErrDomain) are equivalent.
package domain

import (
	"errors"
	"fmt"
	"math"
)

// The sentinels of the whole library. Every error about an input wraps one of them.
var (
	// ErrDomain marks a value outside a kernel's domain, including NaN and the infinities.
	ErrDomain = errors.New("value outside the domain")
	// ErrShape marks an input whose shape does not fit.
	ErrShape = errors.New("shape does not fit")
	// ErrDtype marks an element type that is not supported or differs from the rest of the computation.
	ErrDtype = errors.New("element type does not fit")
	// ErrParam marks a parameter, an option or an argument that is missing, unknown or out of range.
	ErrParam = errors.New("invalid parameter")
)

// Float is the element type of every input: float32 or float64.
type Float interface{ float32 | float64 }

type kind uint8

const (
	reals kind = iota
	nonNegative
	histograms
	above
	unitSphere
	unitCube
)

// rules are the kinds of domains. The numbers of above are those of a bound of 0.
var rules = [...]struct {
	low, high      float64 // high is inside
	open           bool    // low is outside
	rows           bool    // the cells have a further condition
	text           string  // the condition as a formula
	reason, remedy string  // of a cell outside
}{
	reals:       {math.Inf(-1), math.Inf(1), false, false, "x finite", "", ""},
	nonNegative: {0, math.Inf(1), false, false, "x >= 0", "is negative", shift + " or scale " + scaled + ": " + cube},
	histograms: {0, math.Inf(1), false, false, "x >= 0", "is negative", shift + " scale " + scaled +
		": " + cube + "; or extend the kernel by negative=sign or negative=split (--params)"},
	above:      {0, math.Inf(1), true, false, "x > %v", "is not above -c = %v", "shift the data or raise C (--params c=NUMBER)"},
	unitSphere: {math.Inf(-1), math.Inf(1), false, true, "| ||x|| - 1 | <= %v", "", ""},
	unitCube: {0, 1, false, true, "0 <= x <= 1", "is outside the unit cube", "scale the samples to [0, 1] by the range " +
		"of all of them, and clip what is beyond that range later: " + cube},
}

const (
	shift  = "the kernel is defined for histograms, x >= 0: shift the data,"
	scaled = "them by the range of the training rows and clip what is beyond it"
	cube   = "the scaler cube (--scale cube)"
)

// Domain is the set of rows on which a kernel is defined. The zero value is ℝ^d. Domains are comparable with ==.
type Domain struct {
	kind  kind
	bound float64
}

// Reals is ℝ^d: every finite number.
func Reals() Domain { return Domain{} }

// NonNegative is [0, ∞)^d, the domain of the semigroup kernels and of histograms.
func NonNegative() Domain { return Domain{kind: nonNegative} }

// Histograms is [0, ∞)^d like NonNegative, for kernels that the user can extend to negative numbers. The error for a
// negative cell recommends that.
func Histograms() Domain { return Domain{kind: histograms} }

// Above is (-c, ∞)^d, the skewed multiplicative group of Li, Ionescu and Sminchisescu (2010), section 3.1.
func Above(c float64) Domain { return Domain{kind: above, bound: c} }

// UnitSphere is {x : | ‖x‖₂ - 1 | <= tol}. Contains is true for every finite cell; CheckRows checks the norms too.
func UnitSphere(tol float64) Domain { return Domain{kind: unitSphere, bound: tol} }

// UnitCube is [0, 1]^d, the domain of samples for density estimation.
func UnitCube() Domain { return Domain{kind: unitCube} }

// IsNonNegative reports whether d is NonNegative or Histograms.
func (d Domain) IsNonNegative() bool { return d.kind == nonNegative || d.kind == histograms }

// Contains reports whether a single coordinate may be v. It is false for NaN and the infinities in every domain.
func (d Domain) Contains(v float64) bool {
	low, open, _ := d.Low()
	return v-v == 0 && v >= low && v <= rules[d.kind].high && !(open && v == low)
}

// Low returns the lower end of the cells, -Inf for none; open says that the end itself is outside. ok is false if the
// domain has a further condition.
func (d Domain) Low() (low float64, open, ok bool) {
	r := &rules[d.kind]
	if low = r.low; d.kind == above {
		low = -d.bound
	}
	return low, r.open, !r.rows
}

// String returns the condition as a formula.
func (d Domain) String() string {
	switch text := rules[d.kind].text; d.kind {
	case above:
		return fmt.Sprintf(text, 0-d.bound)
	case unitSphere:
		return fmt.Sprintf(text, d.bound)
	default:
		return text
	}
}

// Violation returns the error, a *CellError, for x[row,col] = v, a value that the domain does not contain. who names
// the layer or file that found it.
func (d Domain) Violation(who string, row, col int, v float64) error {
	e := &CellError{Who: who, Row: row, Col: col, Value: v, Reason: rules[d.kind].reason, Remedy: rules[d.kind].remedy}
	switch {
	case v-v != 0:
		e.Reason, e.Remedy = "is not a finite number", "drop the row or fill the value in"
	case d.kind == above:
		e.Reason = fmt.Sprintf(e.Reason, 0-d.bound)
	case e.Reason == "":
		e.Reason, e.Remedy = "is outside the domain "+d.String(), "scale the data"
	}
	return e
}

// CellError names one bad cell. It wraps ErrDomain.
type CellError struct {
	Who      string  // the layer or file, e.g. `layers: SkewedChi2 "hist"`
	Matrix   string  // "x", or "W" for a frequency; empty is x
	Row, Col int     // from 0
	Column   string  // the name of the column; "" if it is not known
	OfBag    bool    // whether x are the samples of a bag; Row then counts them
	Bag      int     // the bag, from 0, if OfBag
	Value    float64 // the value of the cell
	Scaled   bool    // whether Value is what a scaler made of the cell
	Reason   string  // what is wrong with it
	Remedy   string  // what to do about it
}

func (e *CellError) Error() string {
	name := e.Matrix
	if name == "" {
		name = "x"
	}
	if e.OfBag {
		name = fmt.Sprintf("bag %d: %s", e.Bag, name)
	}
	who, value := e.Who, fmt.Sprint(e.Value)
	if e.Column != "" {
		who += fmt.Sprintf(": column %q", e.Column)
	}
	if e.Scaled {
		value += " (scaled)"
	}
	return fmt.Sprintf("%s: %s[%d,%d] = %s %s; %s", who, name, e.Row, e.Col, value, e.Reason, e.Remedy)
}

// OfInput reports whether the cell is one of x, whose rows a caller may number differently, rather than of a parameter.
func (e *CellError) OfInput() bool { return e.Matrix == "" || e.Matrix == "x" }

// Unwrap makes errors.Is(err, ErrDomain) true.
func (e *CellError) Unwrap() error { return ErrDomain }

// InputCell returns a copy of the *CellError in err if it is about a cell of the input, and otherwise nil.
func InputCell(err error) *CellError {
	var cell *CellError
	if !errors.As(err, &cell) || cell == nil || !cell.OfInput() {
		return nil
	}
	own := *cell
	return &own
}

// InColumns adds the name of the column to an error about a cell of input whose columns have these names.
func InColumns(names []string, err error) error {
	cell := InputCell(err)
	if cell == nil || cell.Col < 0 || cell.Col >= len(names) {
		return err
	}
	cell.Column = names[cell.Col]
	return cell
}

// CheckRows checks rows x cols numbers, with rows ld apart. It returns the Violation of the first cell, in row-major
// order, that d does not contain, a *RowError for a norm that UnitSphere does not allow, or nil. Sizes that do not fit
// x are ErrShape.
func CheckRows[T Float](d Domain, who string, x []T, rows, cols, ld int) error {
	if rows == 0 || cols == 0 {
		return nil
	}
	if rows < 0 || cols < 0 || ld < cols || len(x) < cols || (len(x)-cols)/ld < rows-1 {
		return fmt.Errorf("%s: %d numbers are no %d rows of %d columns, %d apart: %w",
			who, len(x), rows, cols, ld, ErrShape)
	}
	low, open, _ := d.Low()
	high := rules[d.kind].high
	for i := range rows {
		row := x[i*ld : i*ld+cols]
		for j, v := range row {
			if f := float64(v); f-f != 0 || f < low || (open && f == low) || f > high {
				return d.Violation(who, i, j, f)
			}
		}
		if d.kind == unitSphere {
			sum := 0.0
			for _, v := range row {
				sum += float64(v) * float64(v)
			}
			if norm := math.Sqrt(sum); math.Abs(norm-1) > d.bound {
				return &RowError{Who: who, Row: i, Norm: norm}
			}
		}
	}
	return nil
}

// RowError names a row that is not on the unit sphere. It wraps ErrDomain.
type RowError struct {
	Who  string
	Row  int
	Norm float64
}

func (e *RowError) Error() string {
	return fmt.Sprintf("%s: row %d has norm %v, not 1; scale the rows to unit l2 norm (--scale l2)",
		e.Who, e.Row, e.Norm)
}

// Unwrap makes errors.Is(err, ErrDomain) true.
func (e *RowError) Unwrap() error { return ErrDomain }

// InBlock turns an error about the rows of a block that starts at row at into one about all rows: a cell or a row of
// the input that it names is counted from the start.
func InBlock(at int, err error) error {
	if err == nil {
		return nil
	}
	switch e := err.(type) {
	case *CellError:
		moved := *e
		switch {
		case e.OfBag:
			moved.Bag += at
		case e.OfInput():
			moved.Row += at
		}
		return &moved
	case *RowError:
		moved := *e
		moved.Row += at
		return &moved
	}
	if at == 0 {
		return err
	}
	return fmt.Errorf("in the block of rows that starts at row %d: %w", at, err)
}
