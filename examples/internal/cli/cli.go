// Package cli is what the example programs share: the flags that describe a feature map, errors with their exit status,
// made data, pictures and tables, progress on a terminal and elsewhere, and the time and memory of a run.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train/wholefile"
)

// UsageError is a wrong flag: exit status 2.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usage makes a UsageError.
func Usage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Parse reads the arguments into the flag set. A wrong flag is a UsageError; -h prints the flags and returns
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
		return Usage("%v; -h lists the flags", err)
	}
	if fs.NArg() > 0 {
		return Usage("unexpected argument %q; -h lists the flags", fs.Arg(0))
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

// Main runs a program until it ends or is interrupted, and exits: 0, 2 for a wrong flag, 1 for bad data or a failure,
// also to write to stdout, 128 + n if it failed after signal n, all but the first with one line on stderr. A second
// interrupt ends it at once.
func Main(name string, run func(ctx context.Context, args []string) error) {
	blas.Use() // before anything is computed
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if n, ok := (<-signals).(syscall.Signal); ok {
			signalled.Store(int32(n))
		}
		signal.Stop(signals)
		cancel()
	}()
	printed := watchStdout()
	err := run(ctx, os.Args[1:])
	if failed := printed(); err == nil {
		err = failed
	}
	signal.Stop(signals)
	os.Exit(exit(name, err))
}

// signalled is the number of the signal that interrupted Main.
var signalled atomic.Int32

// watchStdout passes on what is printed to os.Stdout until the returned function is called, which returns the first
// error: fmt.Print and its like leave it to their callers.
func watchStdout() (done func() error) {
	r, w, err := os.Pipe()
	if err != nil { // the system has none
		return func() error { return nil }
	}
	to, failed := os.Stdout, make(chan error, 1)
	os.Stdout = w
	go func() {
		_, err := io.Copy(to, r)
		if err != nil {
			_, _ = io.Copy(io.Discard, r) // so that no print waits
		}
		failed <- err
	}()
	return func() error {
		os.Stdout = to
		_ = w.Close() // what was printed is in the pipe
		return <-failed
	}
}

// grace is how long a program may go on after an interrupt.
const grace = 1500 * time.Millisecond

// EndSoon ends the process if it is still there a moment after ctx has ended, whatever it does then: waiting for a named
// pipe, say, which looks at no context. Files in progress are aborted. stop takes that back for an interrupt that has
// not come yet.
func EndSoon(ctx context.Context, name string) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		time.Sleep(grace)
		wholefile.AbortAll()
		os.Exit(exit(name, fmt.Errorf("interrupted: %w", ctx.Err())))
	})
}

func exit(name string, err error) int {
	var usage *UsageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, oneLine(err))
		return 2
	default:
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, InFlags(oneLine(err)))
		if n := signalled.Load(); n > 0 {
			return 128 + int(n)
		}
		return 1
	}
}

func oneLine(err error) string { return Shown(strings.Join(strings.Fields(err.Error()), " ")) }

// Shown is a text with what a terminal may obey, or does not show, escaped as in Go.
func Shown(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// InFlags is a text of the library with the flags where it says what they do.
func InFlags(text string) string { return inFlags.Replace(text) }

var inFlags = strings.NewReplacer(
	"the scaler cube", "-scale cube",
	"(Options.DropUnlabelled)", "(-drop-unlabelled)",
	" (Options.Dims)", "", " (Options.MaxCells)", "",
	"say that there is no header", "say -header no",
	"if it names the columns, say so", "if it names the columns, say -header yes",
	"if line 1 is a header, say so", "if line 1 is a header, say -header yes",
	"or declare it a category", "or say -categorical",
	"declare it a category if that is meant", "say -categorical if it is a category",
	"choose what takes the place of missing values", "say -missing indicator or fill",
	"if these are targets, read them as regression", "-task regression?",
	"read it as classification", "say -task classification")
