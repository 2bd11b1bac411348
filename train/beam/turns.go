package beam

import (
	"context"
	"iter"

	"github.com/bochner-go/bochner/train/data"
)

// turn is held by the bundle of this process that computes. An engine runs several at a time, and a map and a rank-k update use all cores by
// themselves: side by side they only take the cache from each other (a third more CPU seconds for five bundles on two cores). Files are
// read meanwhile.
var turn = make(chan struct{}, 1)

// inTurn calls f when no other bundle computes.
func inTurn(ctx context.Context, f func() error) error {
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-turn }()
	return f()
}

// rowsInTurn hands each block on in turn.
type rowsInTurn struct{ data.Examples }

func (r rowsInTurn) Blocks(ctx context.Context, epoch int) iter.Seq2[data.Pairs, error] {
	return func(yield func(data.Pairs, error) bool) {
		for b, err := range r.Examples.Blocks(ctx, epoch) {
			more := false
			late := inTurn(ctx, func() error {
				more = yield(b, err)
				return nil
			})
			if late != nil {
				yield(data.Pairs{}, late)
			}
			if !more {
				return
			}
		}
	}
}
