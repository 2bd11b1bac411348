package beam_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
)

// TestMain makes the test binary a worker too, where it is started as one.
func TestMain(m *testing.M) {
	flag.Parse()
	sdk.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// deadline is far beyond what any job here takes.
const deadline = 2 * time.Minute

// run builds a pipeline and runs it.
func run(t testing.TB, o submit.Options, build func(s sdk.Scope) error) error {
	t.Helper()
	p, s := sdk.NewPipelineWithRoot()
	if err := build(s); err != nil {
		t.Fatal(err)
	}
	if o.Timeout == 0 {
		o.Timeout = deadline
	}
	return submit.Run(t.Context(), p, o)
}

// runs builds and runs a pipeline that must succeed.
func runs(t testing.TB, o submit.Options, build func(s sdk.Scope) error) {
	t.Helper()
	if err := run(t, o, build); err != nil {
		t.Fatal(err)
	}
}

// rowsIn writes n rows of 5 numbers in [.1, 1.1), whose class or target depends on them, to CSV files of different lengths.
func rowsIn(t testing.TB, dir string, task data.Task, n, files int) []string {
	t.Helper()
	rng := rand.New(spectral.Stream(3, "beam/test"))
	var names []string
	for f := range files {
		name := filepath.Join(dir, fmt.Sprintf("part-%d.csv", f))
		var text []byte
		for range n/files + 7*f {
			sum := 0.
			for range 5 {
				v := .1 + rng.Float64()
				sum += v
				text = append(strconv.AppendFloat(text, v, 'g', -1, 64), ',')
			}
			if task == data.Regression {
				text = strconv.AppendFloat(text, math.Sin(2*sum), 'g', -1, 64)
			} else {
				text = append(text, "class "+strconv.Itoa(int(sum)%3)...)
			}
			text = append(text, '\n')
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// recipe is one for files.
func recipe(t testing.TB, spec layers.Spec, scale string, read data.Options, files []string) *beam.Recipe {
	t.Helper()
	return must(beam.Prepare(t.Context(), train.Recipe{Scale: scale, Spec: spec}, read, files...))
}

// alone is the fit without an engine.
func alone(t testing.TB, r *beam.Recipe, o linear.RidgeOptions, files []string) *linear.Fit {
	t.Helper()
	return must(linear.FitRidge(context.Background(), r.Model.Map, must(r.Rows(files...)), o))
}

// same wants a saved model whose head is a fit, to 1e-10 of its largest weight.
func same(t *testing.T, path string, want *linear.Fit) *train.Model {
	t.Helper()
	m := must(train.Load(path))
	w, wants := m.Head.Params()[0].Value.Float64s(), want.W.RawMatrix().Data
	most := 0.
	for _, v := range wants {
		most = max(most, math.Abs(v))
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-10*most }
	if !slices.EqualFunc(w, wants, near) {
		t.Fatalf("the weights are %v, in one process %v", w, wants)
	}
	if b := m.Head.Params()[1].Value.Float64s(); !slices.EqualFunc(b, want.B, near) {
		t.Fatalf("the intercepts are %v, in one process %v", b, want.B)
	}
	return m
}

// must is the value of a call that must not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
