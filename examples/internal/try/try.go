// Package try ends a run at its first error, as package must does, and hands the error on to whoever began the run.
package try

import "fmt"

// failure is the error by which Do and Get end a run.
type failure struct{ error }

// Do ends a run with an error, if there is one.
func Do(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Get returns v, or ends the run with the error.
func Get[T any](v T, err error) T {
	Do(err)
	return v
}

// Catch runs f, in this goroutine alone, and returns the error that ended it.
func Catch(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// In runs f, whose error it begins with what f is about.
func In(what string, f func()) {
	if err := Catch(f); err != nil {
		Fail("%s: %w", what, err)
	}
}

// Fail ends a run with an error of its own.
func Fail(format string, args ...any) { Do(fmt.Errorf(format, args...)) }
