// Package flags reads the flags of the programs in examples.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/train/cmd/program"
)

// Parse reads the arguments into the flag set. A wrong flag is a program.UsageError; -h prints the flags and returns
// flag.ErrHelp.
func Parse(fs *flag.FlagSet, synopsis string, args []string) error {
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Println(strings.TrimSpace(synopsis) + "\n\nFlags:")
		fs.SetOutput(os.Stdout)
		fs.PrintDefaults()
		return err
	}
	if err != nil {
		return program.Usage("%v; -h lists the flags", err)
	}
	if fs.NArg() > 0 {
		return program.Usage("unexpected argument %q; -h lists the flags", fs.Arg(0))
	}
	return nil
}

// List are the parts of a list that commas separate.
func List(list string) []string {
	parts := strings.Split(list, ",")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}

// Given returns the names of the flags that the user set.
func Given(fs *flag.FlagSet) map[string]bool {
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	return given
}

// Usage ends a run of package try because of a wrong flag.
func Usage(format string, args ...any) { try.Do(program.Usage(format, args...)) }
