package linear

import "testing"

// must returns v, and panics with an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
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
