package train_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
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

func TestBalancedWeights(t *testing.T) {
	got, err := train.BalancedWeights([]int{1, 2, 5})
	if err != nil || !slices.EqualFunc(got, []float64{8. / 3, 8. / 6, 8. / 15}, func(a, b float64) bool {
		return math.Abs(a-b) < 1e-15
	}) {
		t.Error(got, err)
	}
	_, none := train.BalancedWeights(nil)
	_, empty := train.BalancedWeights([]int{1, 0})
	if !errors.Is(none, domain.ErrShape) || !errors.Is(empty, domain.ErrDomain) ||
		!strings.Contains(empty.Error(), "class 1 has 0 rows") {
		t.Error(none, empty)
	}
}
