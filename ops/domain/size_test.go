package domain_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

// TestCheckSize: what cannot be held is an error that says how much it is, also where the product is no int.
func TestCheckSize(t *testing.T) {
	for _, shape := range [][]int{{1 << 30, 1 << 15}, {1 << 30, 1 << 30}, {math.MaxInt / 8, 1 << 30, 1 << 30}, {math.MaxInt},
		{math.MaxInt, 4}, {-1}, {3, -2, -2}} {
		if err := domain.CheckSize("who", 8, shape...); !errors.Is(err, domain.ErrParam) ||
			!strings.HasPrefix(err.Error(), "who: ") {
			t.Errorf("%v: %v", shape, err)
		}
	}
	for _, shape := range [][]int{nil, {0}, {math.MaxInt >> 13, 0}, {1000, 1000}} {
		if err := domain.CheckSize("who", 8, shape...); err != nil {
			t.Error(err)
		}
	}
	err := fmt.Sprint(domain.CheckSize("layers: NewFourierLayer", 8, 1<<30, 1<<30))
	want := "layers: NewFourierLayer: 1073741824 x 1073741824 numbers of 8 bytes do not fit the memory of"
	if !strings.HasPrefix(err, want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestIsNil: an interface that holds a nil pointer is nil as well.
func TestIsNil(t *testing.T) {
	var e *domain.CellError
	for _, v := range []any{nil, e, (func())(nil), []int(nil), map[string]int(nil)} {
		if !domain.IsNil(v) {
			t.Errorf("%T is not nil", v)
		}
	}
	for _, v := range []any{0, "", domain.Reals(), &domain.CellError{}, []int{}} {
		if domain.IsNil(v) {
			t.Errorf("%T is nil", v)
		}
	}
}
