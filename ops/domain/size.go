package domain

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// CheckSize is nil where a matrix or another array of such a shape, of numbers of size bytes each, fits the memory that
// this process may have (see Memory), and else an error that wraps ErrParam. Whoever allocates by numbers that a caller
// gave asks first. Where the system does not tell its memory, 2^40 bytes is the limit. who is the start of the message.
func CheckSize(who string, size int, shape ...int) error {
	bytes := float64(size)
	for _, n := range shape {
		if n < 0 {
			return fmt.Errorf("%s: %d numbers, want at least 0: %w", who, n, ErrParam)
		}
		bytes *= float64(n)
	}
	if bytes < 1<<28 {
		return nil
	}
	limit := float64(Memory())
	if limit == 0 {
		limit = 1 << 40
	}
	if bytes <= min(limit, math.MaxInt) {
		return nil
	}
	product := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", " x "), "[]")
	return fmt.Errorf("%s: %s numbers of %d bytes do not fit the memory of %.3g GB: %w",
		who, product, size, limit/(1<<30), ErrParam)
}

// IsNil says whether an interface holds nothing, or a nil pointer, function, map or slice.
func IsNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice:
		return r.IsNil()
	}
	return false
}
