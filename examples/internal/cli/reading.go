package cli

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bochner-go/bochner/train/data"
)

// ReadingFlags are the flags that say how CSV is read.
type ReadingFlags struct{ header, delimiter string }

// Register adds the flags to a set.
func (r *ReadingFlags) Register(fs *flag.FlagSet) {
	fs.StringVar(&r.header, "header", "auto", "whether the first line of CSV names the columns: auto, yes, no")
	fs.StringVar(&r.delimiter, "delimiter", "auto", "what separates the fields of CSV: auto, tab, or a `character`")
}

// Options are the flags as a reader takes them. What it tells is printed on stderr, each note once.
func (r *ReadingFlags) Options() (o data.Options, err error) {
	if o.Header, err = data.ParseHeader(r.header); err != nil {
		return o, Usage("-header %s: want auto, yes or no", r.header)
	}
	switch d, size := utf8.DecodeRuneInString(r.delimiter); {
	case r.delimiter == "auto":
	case r.delimiter == "tab" || r.delimiter == `\t`:
		o.Delimiter = '\t'
	case size == len(r.delimiter) && !strings.ContainsRune("\"\r\n", d) && d != utf8.RuneError:
		o.Delimiter = d
	default:
		return o, Usage("-delimiter %s: want auto, tab, or one character", r.delimiter)
	}
	o.Tell = notes()
	return o, nil
}

// notes is a function that prints each note once on stderr, and may be called from several goroutines.
func notes() func(note string) {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(note string) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[note] {
			seen[note] = true
			fmt.Fprintln(os.Stderr, "note:", Shown(InFlags(note)))
		}
	}
}
