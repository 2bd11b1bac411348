package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

func TestOneVersusRestErrors(t *testing.T) {
	for _, c := range []struct {
		labels  []int
		classes int
		is      error
		want    string
	}{
		{nil, 3, domain.ErrShape, "no labels"},
		{[]int{0}, 1, domain.ErrParam, "classes = 1"},
		{[]int{0, 2, 3}, 3, domain.ErrDomain, "row 2 has the label 3, which is not in 0..2"},
		{[]int{0, -1}, 3, domain.ErrDomain, "row 1 has the label -1"},
	} {
		if _, err := OneVersusRest(c.labels, c.classes); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of %d: %v", c.labels, c.classes, err)
		}
	}
}

func TestArgMax(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	got := ArgMax(mat.NewDense(6, 3, []float64{1, 3, 2, 5, 5, 4, nan, -1, -2, nan, nan, nan, -inf, -inf, -inf, 0, inf, nan}))
	if want := []int{1, 0, 1, -1, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := ArgMax(&mat.Dense{}); len(got) != 0 {
		t.Errorf("no rows: %v", got)
	}
}

func ExampleOneVersusRest() {
	y, err := OneVersusRest([]int{2, 0}, 3)
	fmt.Println(y.RawMatrix().Data, ArgMax(y), err)
	// Output: [-1 -1 1 1 -1 -1] [2 0] <nil>
}
