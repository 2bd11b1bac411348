package report

import (
	"errors"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestExpectationOfBags: the stated expectation is of rows; sets of samples have none, which is an error and no panic.
func TestExpectationOfBags(t *testing.T) {
	bags, err := ops.NewBags(tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float64{1, 2, 3, 4})), []int{0, 2, 4})
	if err != nil {
		t.Fatal(err)
	}
	one := func(x, z []float64) float64 { return 1 }
	if _, err := expectationGram("test", one, bags); !errors.Is(err, ErrDtype) {
		t.Errorf("the error is %v", err)
	}
}
