package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two test binaries wrote this: the second runs a block of m/a that the first does not.
const profile = `mode: set
m/a/x.go:1.1,2.2 6 1
m/a/x.go:3.1,4.2 3 0
m/a/y.go:1.1,2.2 1 0
m/a/b/z.go:1.1,2.2 4 1
m/ab/z.go:1.1,2.2 4 0
m/a/x.go:1.1,2.2 6 0
m/a/x.go:3.1,4.2 3 1
`

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "profile")
	if err := os.WriteFile(file, []byte(profile), 0o666); err != nil {
		t.Fatal(err)
	}
	const table = `statements  covered  package
        10   90.0 %  m/a
         4  100.0 %  m/a/b
         4    0.0 %  m/ab
`
	for _, c := range []struct {
		least float64
		named []string
		want  []string // parts of the error; none if it must pass
	}{
		{90, []string{"m/a"}, nil},
		{90, []string{"m/a/b"}, nil},
		{90, nil, nil},
		{90.1, []string{"m/a"}, []string{"m/a has 90.0 %"}},
		{100, []string{"m/a", "m/ab"}, []string{"m/a has 90.0 %", "m/ab has 0.0 %"}},
		{50, []string{"m/c"}, []string{"m/c is not in the profile"}},
		{50, []string{"m"}, []string{"m is not in the profile", "m/ab has 0.0 %"}},
	} {
		var out strings.Builder
		err := run(&out, file, c.least, c.named)
		if out.String() != table {
			t.Errorf("%v: got\n%s\nwant\n%s", c, out.String(), table)
		}
		if (err != nil) != (c.want != nil) {
			t.Errorf("%v: %v", c, err)
		}
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: got %v, want %q", c, err, want)
			}
		}
	}
}

func TestRunErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if err := run(&strings.Builder{}, missing, 90, nil); err == nil || !strings.Contains(err.Error(), "-profile") {
		t.Errorf("a missing profile: %v", err)
	}
	for _, least := range []float64{-1, 101} {
		if err := run(&strings.Builder{}, missing, least, nil); err == nil || !strings.Contains(err.Error(), "-least") {
			t.Errorf("-least %v: %v", least, err)
		}
	}
}
