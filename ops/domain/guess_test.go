package domain

import "testing"

func TestGuess(t *testing.T) {
	names := []string{"gaussian", "srf", "label", "größe"}
	for name, want := range map[string]string{"gausian": "gaussian", "Gaussian": "gaussian", "lable": "label", "grösse": "größe",
		"rbf": "", "": "", "l": "", "labels of rows": ""} {
		if want != "" {
			want = ` (did you mean "` + want + `"?)`
		}
		if got := Guess(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
