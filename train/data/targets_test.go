package data

import (
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

func TestOneVersusRestErrors(t *testing.T) {
	fails(t, failed(OneVersusRest(nil, 3)), domain.ErrShape, "no labels")
	fails(t, failed(OneVersusRest([]int{0}, 1)), domain.ErrParam, "classes = 1")
	fails(t, failed(OneVersusRest([]int{0, 2, 3}, 3)), domain.ErrDomain, "row 2 has the label 3, which is not in 0..2")
	fails(t, failed(OneVersusRest([]int{0, -1}, 3)), domain.ErrDomain, "row 1 has the label -1")
}

func TestBalancedWeights(t *testing.T) {
	near(t, "weights", must(BalancedWeights([]int{1, 2, 5})), []float64{8. / 3, 8. / 6, 8. / 15}, 1e-15)
	fails(t, failed(BalancedWeights(nil)), domain.ErrShape)
	fails(t, failed(BalancedWeights([]int{1, 0})), domain.ErrDomain, "class 1 has 0 rows")
}
