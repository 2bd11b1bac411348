package data_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
)

func TestBalancedWeights(t *testing.T) {
	got, err := data.BalancedWeights([]int{1, 2, 5})
	if err != nil || !slices.EqualFunc(got, []float64{8. / 3, 8. / 6, 8. / 15}, func(a, b float64) bool {
		return math.Abs(a-b) < 1e-15
	}) {
		t.Error(got, err)
	}
	_, none := data.BalancedWeights(nil)
	_, empty := data.BalancedWeights([]int{1, 0})
	if !errors.Is(none, domain.ErrShape) || !errors.Is(empty, domain.ErrDomain) ||
		!strings.Contains(empty.Error(), "class 1 has 0 rows") {
		t.Error(none, empty)
	}
}
