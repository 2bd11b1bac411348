package domain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

// TestWords: names are read as they are written; a number without a name has its type, and an unknown name changes
// nothing.
func TestWords(t *testing.T) {
	n := domain.SignNegative
	err := domain.ParseWord(&n, "test: negative", "Split")
	want := `test: negative "Split" is unknown, want error, sign or split`
	if !errors.Is(err, domain.ErrParam) || !strings.HasPrefix(err.Error(), want) || n != domain.SignNegative {
		t.Errorf("%v, and the value is %v", err, n)
	}
	if err := domain.ParseWord(&n, "", "split"); err != nil || n != domain.SplitNegative {
		t.Errorf("split is read as %v, %v", n, err)
	}
	if a, b := domain.Negative(-1).String(), domain.Negative(3).String(); a != "Negative(-1)" || b != "Negative(3)" {
		t.Error(a, b)
	}
	if none, one := domain.Or(nil), domain.Or([]string{"a"}); none != "" || one != "a" {
		t.Error(none, one)
	}
}
