package cli

import (
	"fmt"
	"os"
	"sync"
)

// Notes is a function that prints each note once on stderr, and may be called from several goroutines.
func Notes() func(note string) {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(note string) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[note] {
			seen[note] = true
			fmt.Fprintln(os.Stderr, "note:", note)
		}
	}
}
