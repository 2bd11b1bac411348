package linear

import (
	"errors"
	"strings"
	"testing"

	"gorgonia.org/tensor"
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

// refusal is an error, its kind and what it should say.
type refusal struct {
	name    string
	err, is error
	says    string
}

// refuse wants the errors of a table.
func refuse(t *testing.T, table ...refusal) {
	t.Helper()
	for _, r := range table {
		refused(t, r.name, r.err, r.is, r.says)
	}
}

// second is the error of a call.
func second(_ any, err error) error { return err }

// ok ends the test with the first error there is.
func ok(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// twoSigns is a map that hands columns on, those from plus on with the sign -1.
type twoSigns struct{ d, plus int }

func (m twoSigns) Dims() int { return m.d }

func (m twoSigns) Features() int { return m.d }

func (m twoSigns) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if dst == nil {
		return x.Clone().(*tensor.Dense), nil
	}
	copy(dst.Float64s(), x.Float64s())
	return dst, nil
}

func (m twoSigns) Signature() []float64 {
	s := make([]float64, m.d)
	for j := range s {
		if s[j] = 1; j >= m.plus {
			s[j] = -1
		}
	}
	return s
}
