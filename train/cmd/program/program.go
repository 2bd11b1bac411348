// Package program is what the programs of this repository share: exit statuses, signals, checks of the files that they
// write, progress, and the time and memory of a run. It is no part of the library.
package program

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

func exit(name string, err error) (status int) {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", name, Shown(strings.Join(strings.Fields(err.Error()), " ")))
	var usage *UsageError
	switch n := signalled.Load(); {
	case errors.As(err, &usage):
		return 2
	case n > 0:
		return 128 + int(n)
	}
	return 1
}

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
