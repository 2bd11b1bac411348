package ops

import (
	"fmt"
	"strings"
)

// wordOf is the name of a constant of a type whose constants count up; a value without a constant has none.
func wordOf[E ~int](v E, names []string) string {
	if v < 0 || int(v) >= len(names) || names[v] == "" {
		return strings.TrimPrefix(fmt.Sprintf("%T(%d)", v, int(v)), "ops.")
	}
	return names[v]
}

// checkWord returns an error that wraps ErrParam unless v has a name.
func checkWord[E ~int](who string, v E, names []string) error {
	if v < 0 || int(v) >= len(names) || names[v] == "" {
		all := strings.TrimPrefix(strings.Join(names, ", "), ", ")
		return fmt.Errorf("%s: %v is none of %s: %w", who, wordOf(v, names), all, ErrParam)
	}
	return nil
}
