package train_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/sgd"
	"gorgonia.org/tensor"
)

// looked is a context that is over from the look at it number `after` on: the tests need no clock to cancel in the middle.
type looked struct {
	context.Context
	looks, after int
}

func (c *looked) Err() error {
	if c.looks++; c.looks >= c.after {
		return context.Canceled
	}
	return nil
}

// TestFitStopsBetweenSteps: a context that ends within an epoch, or between two, ends the fit at the next step, with the epochs that
// were finished in the report and the parameters where the last step left them.
func TestFitStopsBetweenSteps(t *testing.T) {
	x, labels := rings(300, tensor.Float64, 1)
	rows := trial.Classes(x, labels, 2)
	const steps = 10 // an epoch
	for _, policy := range []layers.Policy{layers.Frozen, layers.All} {
		for _, tc := range []struct {
			after, epochs int
			text          string
		}{{1, 0, "epoch 1 of 1000"}, {5, 0, "epoch 1 of 1000"}, {steps + 1, 1, "epoch 2 of 1000"}, {2*steps + 7, 2, "epoch 3 of 1000"}} {
			m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 16, layers.Tune(policy)))
			head := must(layers.NewSoftmaxHead(16, 2))
			ctx, told := &looked{Context: context.Background(), after: tc.after}, 0
			r, err := sgd.Fit(ctx, m, head, rows, sgd.FitOptions{Epochs: 1000, Batch: 30, Progress: func(fits.Epoch) { told++ }})
			if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), tc.text) {
				t.Fatalf("%v, after %d looks: %v, want %q", policy, tc.after, err, tc.text)
			}
			if ctx.looks > tc.after+1 || told != tc.epochs || r == nil || len(r.Epochs) != tc.epochs {
				t.Errorf("%v, after %d looks: %d looks, %d epochs told, report %+v, want %d epochs", policy, tc.after, ctx.looks, told, r, tc.epochs)
			}
			moved := slices.ContainsFunc(head.Params()[0].Value.Float64s(), func(v float64) bool { return v != 0 })
			if moved != (tc.after > 1) {
				t.Errorf("%v, after %d looks: the head has moved: %v", policy, tc.after, moved)
			}
		}
	}
}

// TestCancelReturnsPromptly: a fit that would take minutes returns in far less than a second once it is cancelled from outside,
// and once its deadline is over.
func TestCancelReturnsPromptly(t *testing.T) {
	x, labels := rings(2000, tensor.Float64, 1)
	rows := trial.Classes(x, labels, 2)
	m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 64, layers.Tune(layers.All)))
	head := must(layers.NewSoftmaxHead(64, 2))
	o := sgd.FitOptions{Epochs: 1e6, Batch: 50}

	ctx, cancel := context.WithCancel(context.Background())
	var at time.Time
	o.Progress = func(fits.Epoch) { at = time.Now(); cancel() }
	_, err := sgd.Fit(ctx, m, head, rows, o)
	if late := time.Since(at); !errors.Is(err, context.Canceled) || late > 5*time.Second {
		t.Errorf("cancelled: %v after %v", err, late)
	}

	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	o.Progress = nil
	start := time.Now()
	_, err = sgd.Fit(ctx, m, head, rows, o)
	if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
		t.Errorf("a deadline of 50 ms: %v after %v", err, took)
	}
}

// TestParallelFits: fits of separate models side by side give the bits that they give one after the other, for every map, head,
// element type and policy. The race detector watches: graphs are built one at a time, because Gorgonia writes to globals meanwhile,
// and run together.
func TestParallelFits(t *testing.T) {
	x, labels, y := counts(80, modelDims, 1)
	fit := func(p plan) ([]float64, error) {
		m, err := p.fit(x, labels, y, 2)
		if err != nil {
			return nil, err
		}
		var out []float64
		for _, q := range append(m.Map.Params(), m.Head.Params()...) {
			out = append(out, numbers(q.Value)...)
		}
		return out, nil
	}
	ps := plans(true)
	want := make([][]float64, len(ps))
	for i, p := range ps {
		want[i] = must(fit(p))
	}
	var wg sync.WaitGroup
	for i, p := range ps {
		wg.Go(func() {
			if got, err := fit(p); err != nil || !slices.Equal(got, want[i]) {
				t.Errorf("%v beside others: %v, or other bits", p, err)
			}
		})
	}
	wg.Wait()
}
