// Package must ends an example at its first error, so that its page is about something else.
package must

import "log"

// Do ends the program with the error and status 1, if there is one.
func Do(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Get returns v, or ends the program with the error and status 1.
func Get[T any](v T, err error) T {
	Do(err)
	return v
}
