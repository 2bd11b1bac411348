package domain

import (
	"fmt"
	"reflect"
	"strings"
)

// Word is the String of a type whose constants count up from 0 and have these names: the name of v, or for another
// number the type with it, as "Window(7)". An empty name is none.
func Word[E ~int](v E, names ...string) string {
	if v < 0 || int(v) >= len(names) || names[v] == "" {
		return fmt.Sprintf("%s(%d)", reflect.TypeFor[E]().Name(), int(v))
	}
	return names[v]
}

// ParseWord sets a constant of a type whose String is Word by its name. For an unknown name it leaves the value as it
// is and returns an error that wraps ErrParam, starts with what the value is, and has the names.
func ParseWord[E interface {
	~int
	fmt.Stringer
}](to *E, what, name string) error {
	var names []string
	for v := E(0); v.String() != Word(v); v++ {
		if names = append(names, v.String()); v.String() == name {
			*to = v
			return nil
		}
	}
	return fmt.Errorf("%s %q is unknown, want %s: %w", what, name, Or(names), ErrParam)
}

// Or joins alternatives, as in "a, b or c".
func Or(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
