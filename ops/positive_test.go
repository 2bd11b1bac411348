package ops_test

import (
	"math"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestPositiveRange: features are numbers wherever they are in the range of the type, though exp(xW) need not be, and 0
// below it.
func TestPositiveRange(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, c := range []struct{ p, length float64 }{{100, 30}, {100, 60}, {-100, 1}, {87, 0}, {800, 780}, {1, 1e6}} {
			z := must(ops.Positive(ops.Attr{}).Into(nil, matrix(dt, 1, 2, c.p, math.Sqrt(2*c.length)),
				matrix(dt, 2, 1, 1, 0), entries(dt, 0, 1)))
			want := math.Exp(c.p - c.length)
			if got := all(z)[0]; !(math.Abs(got-want) <= 2e-4*want+1e-45) {
				t.Errorf("%v, exp(%v - %v): %v, want %v", dt, c.p, c.length, got, want)
			}
		}
	}
}

// TestPositiveOfManyRows: of more sparse rows than are multiplied at once, each has its own length.
func TestPositiveOfManyRows(t *testing.T) {
	const n = 1<<15 + 3
	x, w, s := uniform(tensor.Float64, n, 1, 1), matrix(tensor.Float64, 1, 2, 1, -1), entries(tensor.Float64, 2)
	z := all(must(ops.Positive(ops.Attr{}).Into(nil, csr(x), w, s)))
	for i, v := range all(must(ops.Positive(ops.Attr{}).Into(nil, x, w, s))) {
		if z[i] != v {
			t.Fatalf("row %d of %d: %v of sparse rows, %v of dense ones", i/2, n, z[i], v)
		}
	}
}
