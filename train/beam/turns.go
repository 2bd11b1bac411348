package beam

import (
	"context"

	"github.com/bochner-go/bochner/train"
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

// blocksInTurn hands each block on in turn.
func blocksInTurn(ctx context.Context, blocks train.Blocks) train.Blocks {
	return func(yield func(train.Block, error) bool) {
		for b, err := range blocks {
			more := false
			late := inTurn(ctx, func() error {
				more = yield(b, err)
				return nil
			})
			if late != nil {
				yield(train.Block{}, late)
			}
			if !more {
				return
			}
		}
	}
}
