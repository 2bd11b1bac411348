package program

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// Delimiter reads what separates the fields of CSV: auto, which is 0, tab, or a character. flagName is for the error,
// a UsageError.
func Delimiter(flagName, text string) (rune, error) {
	switch d, size := utf8.DecodeRuneInString(text); {
	case text == "auto":
		return 0, nil
	case text == "tab" || text == `\t`:
		return '\t', nil
	case size == len(text) && !strings.ContainsRune("\"\r\n", d) && d != utf8.RuneError:
		return d, nil
	}
	return 0, Usage("%s %s: want auto, tab, or one character", flagName, text)
}

// TellOnce returns a function that prints each note once on stderr, after a prefix. Several goroutines may call it.
func TellOnce(prefix string) func(note string) {
	var seen sync.Map
	return func(note string) {
		if _, twice := seen.LoadOrStore(note, true); !twice {
			fmt.Fprintln(os.Stderr, prefix, Shown(note))
		}
	}
}
