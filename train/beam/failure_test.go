package beam_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/data"
)

// breakFn breaks a worker.
type breakFn struct{ How string }

func (f *breakFn) ProcessElement(ctx context.Context, file string) (string, error) {
	switch f.How {
	case "panic":
		panic("the worker panics")
	case "exit":
		os.Stderr.WriteString("the worker's last words\n")
		os.Exit(7)
	case "wait":
		<-ctx.Done()
		return "", ctx.Err()
	case "wait for ever":
		select {}
	}
	return file, nil
}

func init() { register.DoFn2x2[context.Context, string, string, error](&breakFn{}) }

// TestFailures: whatever happens to a worker, the job fails with the cause, soon, and there is no model.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	files := rowsIn(t, dir, data.Classification, 300, 2)
	r := recipe(t, layers.Spec{Map: "gaussian", Features: 16, Sampler: "iid"}, "none", data.Options{}, files)
	bad, unknown := filepath.Join(dir, "bad.csv"), filepath.Join(dir, "unknown.csv")
	must(0, os.WriteFile(bad, []byte("1,1,1,1,1,class 0\n1,1,NaN,1,1,class 1\n"), 0o644))
	must(0, os.WriteFile(unknown, []byte("1,1,1,1,1,class 7\n"), 0o644))
	save := filepath.Join(dir, "model.safetensors")
	for _, tc := range []struct {
		name, how string
		files     []string
		o         submit.Options
		is        error
		say       []string
	}{
		{"a bad row, in another process", "", []string{files[0], bad}, submit.Options{Processes: true}, nil, []string{"bad.csv:2", "NaN"}},
		{"a class that the survey has not seen", "", []string{unknown}, submit.Options{}, nil, []string{"unknown.csv", "class 7"}},
		{"a file that is gone", "", []string{filepath.Join(dir, "gone.csv")}, submit.Options{}, nil, []string{"gone.csv", "no such file"}},
		{"a panic", "panic", files, submit.Options{}, nil, []string{"the worker panics"}},
		{"a panic in another process", "panic", files, submit.Options{Processes: true}, nil, []string{"the worker panics"}},
		{"a process that ends", "exit", files, submit.Options{Processes: true}, submit.ErrWorker, []string{"exit status 7", "last words"}},
		{"a worker that waits", "wait", files, submit.Options{Timeout: 3 * time.Second}, context.DeadlineExceeded, []string{"not done after 3s"}},
		{"a process that waits", "wait for ever", files, submit.Options{Timeout: 5 * time.Second, Processes: true}, context.DeadlineExceeded, []string{"not done after 5s"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			start := time.Now()
			err := run(t, tc.o, func(s sdk.Scope) error {
				if tc.how == "" {
					return beam.Fit(s, r, tc.files, 0, save)
				}
				sdk.ParDo(s, &breakFn{tc.how}, sdk.CreateList(s, tc.files))
				return nil
			})
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Fatalf("%v, want %v", err, tc.is)
			}
			for _, want := range tc.say {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, err)
				}
			}
			if n := len(err.Error()); n > 3000 {
				t.Errorf("the error is %d bytes long", n)
			}
			if took := time.Since(start); took > deadline/2 {
				t.Errorf("it took %v", took)
			}
			if _, err := os.Stat(save); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is a model: %v", err)
			}
		})
	}
}

// TestInterrupted: a job ends with the cause of the caller, be it a deadline.
func TestInterrupted(t *testing.T) {
	why := errors.New("the caller has had enough")
	for want, begin := range map[error]func() (context.Context, context.CancelFunc){
		why: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(time.Second, func() { cancel(why) })
			return ctx, func() { timer.Stop() }
		},
		context.DeadlineExceeded: func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), time.Second) },
	} {
		ctx, stop := begin()
		p, s := sdk.NewPipelineWithRoot()
		sdk.ParDo(s, &breakFn{"wait"}, sdk.CreateList(s, []string{"x"}))
		if err := submit.Run(ctx, p, submit.Options{Timeout: deadline}); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		stop()
	}
}
