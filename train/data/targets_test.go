package data_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
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
		if _, err := data.OneVersusRest(c.labels, c.classes); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of %d: %v", c.labels, c.classes, err)
		}
	}
}

func ExampleOneVersusRest() {
	y, err := data.OneVersusRest([]int{2, 0}, 3)
	fmt.Println(y.RawMatrix().Data, err)
	// Output: [-1 -1 1 1 -1 -1] <nil>
}
