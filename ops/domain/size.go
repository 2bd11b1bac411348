package domain

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// CheckSize returns nil if an array of this shape, of numbers of size bytes each, fits into the memory of this process
// (see Memory), and else an error that wraps ErrParam. Functions call it before they allocate by sizes from a caller.
// Where the system does not tell its memory the limit is 2^40 bytes. who starts the message.
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

// IsNil reports whether an interface is nil or holds a nil pointer, function, map or slice.
func IsNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice:
		return r.IsNil()
	}
	return false
}
