package sgd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/modelfile"
	"gorgonia.org/tensor"
)

// fitCase is a fit that can be run again from the start: of rows in memory, or of rows that are read.
type fitCase struct {
	name  string
	dtype tensor.Dtype
	rows  data.Examples
	o     FitOptions
}

func fitCases(t *testing.T) []fitCase {
	rows, set := fields(t, data.StreamOptions{BlockRows: 60, Shuffle: 80, Seed: 2}, "csv", 90, 113)
	y := must(data.OneVersusRest(must(rows.Classes.Index(set.Labels)), 2))
	memory := data.Pairs{X: must(set.As(tensor.Float32)), Y: y}
	return []fitCase{
		{"memory", tensor.Float32, memory, FitOptions{Epochs: 5, Batch: 40, HeldOut: .2, Patience: 2, MapRate: .05,
			Schedule: CosineRate, WarmUp: 1, ClipNorm: .5, WeightDecay: .01, MapDecay: .02, ClassWeights: []float64{1, 2}}},
		{"stream", tensor.Float64, rows, FitOptions{Epochs: 4, Batch: 30, Solver: SGD, Schedule: LinearRate, Lambda: 1e-3}},
	}
}

// run fits a new map that is tuned, and its head, and returns the parameters of both.
func (c fitCase) run(ctx context.Context, o FitOptions) ([]float64, *fits.Course, error) {
	m := must(layers.Spec{Map: "gaussian", Dims: 2, Features: 24, Params: layers.Values{"sigma": .4}, Sampler: "iid",
		Seed: 5, Dtype: fmt.Sprint(c.dtype), Tune: "all"}.Build())
	h := must(layers.NewSoftmaxHead(24, 2, layers.WithDtype(c.dtype)))
	r, err := Fit(ctx, m, h, c.rows, o)
	return weights(m, h), r, err
}

// afterSteps is a context that ends when it has been looked at n times.
type afterSteps struct {
	context.Context
	left atomic.Int64
}

func (c *afterSteps) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestResume: a fit that is stopped anywhere, again and again, ends with the bits of one that is not, parameters and report alike; so does one
// that loses what it did since its last checkpoint.
func TestResume(t *testing.T) {
	for _, c := range fitCases(t) {
		w, want, err := c.run(t.Context(), c.o)
		if err != nil {
			t.Fatal(c.name, err)
		}
		o := c.o
		o.Checkpoints = Checkpoints{Path: filepath.Join(t.TempDir(), "fit"), Resume: true, Every: time.Nanosecond, Keep: 3}
		for stops := 0; ; stops++ {
			ctx := &afterSteps{Context: context.Background()}
			looks := 12 // an epoch looks at it ten times, with the batches that are skipped and the scores
			if c.name == "stream" {
				looks = 4 + 3*stops // and so does reading, which begins afresh
			}
			ctx.left.Store(int64(looks))
			gw, got, err := c.run(ctx, o)
			if errors.Is(err, context.Canceled) && stops < 200 {
				if stops%2 == 1 { // as a crash would: the last checkpoint was never written
					names, _, err := (&keeper{Checkpoints: o.Checkpoints}).files()
					if err != nil || len(names) > 3 {
						t.Fatal(names, err)
					}
					if len(names) > 1 && stops%4 == 1 {
						os.Remove(names[len(names)-1])
					}
				}
				continue
			}
			if err != nil {
				t.Fatal(c.name, err)
			}
			if stops < 2 || !got.Resumed || !slices.Equal(gw, w) {
				t.Errorf("%s: after %d stops the parameters are others", c.name, stops)
			}
			if fmt.Sprint(got.Epochs) != fmt.Sprint(want.Epochs) || got.Best != want.Best || got.Stopped != want.Stopped {
				t.Errorf("%s: the report is %+v, want %+v", c.name, got, want)
			}
			break
		}
	}
}

// TestCheckpointErrors: no file that is torn, or of another fit, is mistaken for a checkpoint of this one.
func TestCheckpointErrors(t *testing.T) {
	c := fitCases(t)[0]
	o := c.o
	o.Checkpoints = Checkpoints{Path: filepath.Join(t.TempDir(), "fit")}
	if _, _, err := c.run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	names, _, err := (&keeper{Checkpoints: o.Checkpoints}).files()
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	want := func(what string, o FitOptions, sentinel error, text string) {
		t.Helper()
		if _, _, err := c.run(t.Context(), o); !errors.Is(err, sentinel) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", what, err)
		}
	}
	want("no Resume", o, domain.ErrParam, names[1])
	o.Checkpoints.Resume = true
	other := o
	other.Batch = 41
	want("options", other, domain.ErrParam, "other rows, layers or options")
	whole := must(os.ReadFile(names[1]))
	for _, at := range []int{0, 50, len(whole) / 2, len(whole) - 1} {
		broken := append([]byte(nil), whole...)
		broken[at] ^= 1
		must(0, os.WriteFile(names[1], broken, 0o644))
		if _, _, err := c.run(t.Context(), o); !errors.Is(err, modelfile.ErrCorrupt) && !errors.Is(err, modelfile.ErrFormat) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	must(0, os.WriteFile(names[1], whole[:len(whole)/3], 0o644))
	want("cut", o, modelfile.ErrCorrupt, "remove it to go on")
	o.Checkpoints.Path = filepath.Join(t.TempDir(), "none", "fit")
	want("no folder", o, os.ErrNotExist, "none")
	o.Checkpoints = Checkpoints{Keep: 3}
	want("no path", o, domain.ErrParam, "Path")
	o.Checkpoints = Checkpoints{Path: "x", Keep: -1}
	want("negative", o, domain.ErrParam, "Keep")
}
