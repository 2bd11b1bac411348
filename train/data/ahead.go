package data

import (
	"errors"
	"iter"
)

// errStopped ends a sequence whose consumer stops.
var errStopped = errors.New("stopped")

// sequence is the sequence of what run emits, and of its error.
func sequence[T any](run func(emit func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := run(func(v T) error {
			if !yield(v, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			var none T
			yield(none, err)
		}
	}
}

// each is a sequence with f applied to its items. It ends after an error.
func each[T, U any](seq iter.Seq2[T, error], f func(T) (U, error)) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		for v, err := range seq {
			var out U
			if err == nil {
				out, err = f(v)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// once is the sequence of one item, or of an error.
func once[T any](v T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { yield(v, err) }
}

// ahead runs a sequence in a goroutine, at most n items ahead of its consumer. The goroutine has ended when the range
// has.
func ahead[T any](n int, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	type item struct {
		v   T
		err error
	}
	return func(yield func(T, error) bool) {
		items, stop := make(chan item, n), make(chan struct{})
		go func() {
			defer close(items)
			for v, err := range seq {
				select {
				case items <- item{v, err}:
				case <-stop:
					return
				}
			}
		}()
		defer func() {
			close(stop)
			for range items { // until the goroutine has closed its file
			}
		}()
		for it := range items {
			if !yield(it.v, it.err) {
				return
			}
		}
	}
}
