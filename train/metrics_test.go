package train_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/train"
	"gonum.org/v1/gonum/mat"
)

func TestArgMax(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	got := train.ArgMax(mat.NewDense(6, 3, []float64{1, 3, 2, 5, 5, 4, nan, -1, -2, nan, nan, nan, -inf, -inf, -inf,
		0, inf, nan}))
	if want := []int{1, 0, 1, -1, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := train.ArgMax(&mat.Dense{}); len(got) != 0 {
		t.Errorf("no rows: %v", got)
	}
}
