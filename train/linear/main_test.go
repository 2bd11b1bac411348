package linear

import (
	"errors"
	"strings"
	"testing"
)

// must returns v, and panics with an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// refused wants an error of a kind that says what it should.
func refused(t *testing.T, name string, err, is error, says ...string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Errorf("%s: %v, want %v", name, err, is)
		return
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, want %q", name, err, text)
		}
	}
}

// ok ends the test with the first error there is.
func ok(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
