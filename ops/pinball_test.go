package ops_test

import (
	"testing"

	"github.com/bochner-go/bochner/ops"
)

func init() {
	of := func(a ops.Attr) ops.Op { return ops.Pinball(.9, a) }
	families = append(families, family{"Pinball", of, [][]int{{5, 7}}, -.5, onlyX, plain})
}

// TestPinballErrors: a quantile is between 0 and 1.
func TestPinballErrors(t *testing.T) {
	for _, q := range []float64{0, 1, -1} {
		_, err := ops.Pinball(q, ops.Attr{Layer: "here"}).Into(nil, rowsOf(1, 1))
		wantErr(t, err, ops.ErrParam, "here: quantile")
	}
}

// The quantile .9: a prediction that is too low costs nine times as much as one that is too high.
func ExamplePinball() {
	show(ops.Pinball(.9, ops.Attr{}).Into(nil, tensorOf([]float64{-1, 0, 1}, 1, 3)))
	// Output: [0.900 0.000 0.100]
}
