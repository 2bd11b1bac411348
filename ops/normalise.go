package ops

import (
	"cmp"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// Norm is a norm of a row.
type Norm int

const (
	L1 Norm = 1 // Σ |x|
	L2 Norm = 2 // √(Σ x²)
)

var normNames = []string{L1: "l1", L2: "l2"}

func (n Norm) String() string { return domain.Word(n, normNames...) }

// Check returns an error that wraps ErrParam unless n is L1 or L2. who starts the message.
func (n Norm) Check(who string) error { return checkWord(who, n, normNames) }

// Of writes row/‖row‖ to dst, allocated if nil, and returns it. dst may be row. A row of zeros stays 0. It panics if
// dst has another length.
func (n Norm) Of(dst, row []float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(row))
	}
	if len(dst) != len(row) {
		panic(fmt.Sprintf("ops: Norm.Of: dst has %d numbers and the row %d", len(dst), len(row)))
	}
	normaliseRow(dst, row, n)
	return dst
}

// measured returns the norm of a row as the product top·length, so that it does not overflow; both are 1 for a row of
// zeros.
func measured[T domain.Float](n Norm, row []T) (top, length float64) {
	for _, v := range row {
		top = math.Max(top, math.Abs(float64(v)))
	}
	if top == 0 {
		return 1, 1
	}
	for _, v := range row {
		r := math.Abs(float64(v)) / top
		if n == L2 {
			r *= r
		}
		length += r
	}
	if n == L2 {
		length = math.Sqrt(length)
	}
	return top, length
}

// Normalise divides each row of x [n, d] by its norm, z = x/‖x‖. A row of zeros stays 0.
//
// Backward, from x and the output z: dx = (g - z (g·z))/‖x‖ for L2 and dx = (g - sign(x) (g·z))/‖x‖ for L1, with
// sign(0) = 0; dx = 0 for a row of zeros. Errors while building: shapes, an unknown norm. Errors while running: a cell
// of x outside Attr.Domain (ErrDomain). The dst of Into may be x.
func Normalise(n Norm, a Attr) Op {
	return normalise.with(n, a, n.Check)
}

var normalise = decl{kind: "Normalise", sig: parse("nd->nd"), names: []string{"x"}, in: []Inputs{X}, sparse: spread,
	forward: kernel{normaliseForward[float32], normaliseForward[float64]}, reads: []int{0, theOutput},
	backward: kernel{normaliseBackward[float32], normaliseBackward[float64]}}

func normaliseForward[T domain.Float](c *call) error {
	dst, x, d := result[T](c), cells[T](c, 0), c.at('d')
	for ; len(x) > 0; x, dst = x[d:], dst[d:] {
		normaliseRow(dst, x[:d], c.params.(Norm))
	}
	return nil
}

func normaliseRow[T domain.Float](dst, row []T, n Norm) {
	top, length := measured(n, row)
	for j, v := range row {
		dst[j] = T(float64(v) / top / length)
	}
}

func normaliseBackward[T domain.Float](c *call) error {
	dx, x, z, g := gradientFor[T](c, 0), cells[T](c, 0), outputOf[T](c), gradientOf[T](c)
	d, n := c.at('d'), paramsOf[Norm](c)
	clear(dx)
	for i := 0; i < len(x); i += d {
		top, length := measured(n, x[i:i+d])
		along, zero := 0.0, true
		for j := i; j < i+d; j++ {
			along += float64(g[j]) * float64(z[j])
			zero = zero && x[j] == 0
		}
		for j := i; j < i+d && !zero; j++ {
			normal := float64(z[j])
			if n == L1 {
				normal = float64(cmp.Compare(x[j], 0)) // its sign
			}
			dx[j] = T((float64(g[j]) - normal*along) / top / length)
		}
	}
	return nil
}
