package beam_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
)

// TestFit: the model of the engine is that of one process, with its worker in this process and in one of its own, for maps of each kind:
// drawn, structured, of two signs, without a draw, and fitted on data, whose parameters travel.
func TestFit(t *testing.T) {
	dir := t.TempDir()
	files := rowsIn(t, dir, data.Classification, 900, 4)
	for _, tc := range []struct {
		name, scale string
		spec        layers.Spec
		lambda      float64
		processes   bool
	}{
		{"gaussian", "standard", layers.Spec{Map: "gaussian", Features: 64, Sampler: "orthogonal", Seed: 5}, 0, false},
		{"two signs", "none", layers.Spec{Map: "delta-gaussian", Features: 64, Params: layers.Values{"sigma1": .3, "sigma2": .9}, Seed: 2}, 1e-2, false},
		{"chi2", "minmax,l1", layers.Spec{Map: "chi2"}, 1e-3, false},
		{"one that may be tuned, in another process", "minmax", layers.Spec{Map: "gaussian", Features: 64, Seed: 1, Tune: "bandwidth", Dtype: "float64"}, 1e-3, true},
		{"nystrom in another process", "l2", layers.Spec{Map: "nystrom", Features: 20, Seed: 9}, 1e-3, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.spec.Name = tc.spec.Map
			r := recipe(t, tc.spec, tc.scale, data.Options{}, files)
			path := filepath.Join(t.TempDir(), "model.safetensors")
			runs(t, submit.Options{Processes: tc.processes}, func(s sdk.Scope) error { return beam.Fit(s, r, files, tc.lambda, path) })
			o := linear.RidgeOptions{Select: linear.SelectNone}
			if tc.lambda > 0 {
				o.Lambdas = []float64{tc.lambda}
			}
			m := same(t, path, alone(t, r, o, files))
			if len(m.Classes) != 3 {
				t.Errorf("the classes are %q", m.Classes)
			}
			set := must(data.ReadAll(t.Context(), data.Options{}, files...))
			if guess := must(m.Predict(set.X)); len(guess) != set.Rows() {
				t.Errorf("%d predictions of %d rows", len(guess), set.Rows())
			}
		})
	}
}

// TestFitRemote: files and model on a file system that is not the local one.
func TestFitRemote(t *testing.T) {
	files := rowsIn(t, t.TempDir(), data.Regression, 300, 2)
	for _, f := range files {
		memfs.Write("memfs://in/"+filepath.Base(f), must(os.ReadFile(f)))
	}
	names, err := beam.List(t.Context(), "memfs://in/part-*")
	if err != nil || len(names) != 2 {
		t.Fatalf("%q, %v", names, err)
	}
	if none, err := beam.List(t.Context(), "memfs://in/nothing-*"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%q, %v", none, err)
	}
	spec := layers.Spec{Map: "gaussian", Features: 32, Sampler: "iid", Seed: 5, Dtype: "float32"}
	r := recipe(t, spec, "standard", data.Options{Task: data.Regression}, names)
	runs(t, submit.Options{}, func(s sdk.Scope) error { return beam.Fit(s, r, names, 1e-3, "memfs://out/model.safetensors") })
	path := filepath.Join(t.TempDir(), "model.safetensors")
	copyOut(t, "memfs://out/model.safetensors", path)
	m := must(train.Load(path))
	rows := must(r.Rows(files...))
	var sums linear.RidgeStats // whose products are float64 for float32 features, too, as FitRidge's are not
	if err := sums.AddRows(t.Context(), r.Model.Map, rows); err != nil {
		t.Fatal(err)
	}
	want := must(sums.Solve(1e-3))
	for i, v := range m.Head.Params()[0].Value.Float32s() {
		if w := want.W.RawMatrix().Data[i]; !(math.Abs(float64(v)-w) <= 0x1p-23*math.Abs(w)+1e-10) {
			t.Errorf("weight %d is %v, want %v", i, v, w)
		}
	}
}

// TestFitRefuses: what is wrong is said before a job is submitted.
func TestFitRefuses(t *testing.T) {
	files := rowsIn(t, t.TempDir(), data.Classification, 100, 1)
	spec := layers.Spec{Map: "gaussian", Features: 8, Sampler: "iid"}
	r := recipe(t, spec, "none", data.Options{}, files)
	_, s := sdk.NewPipelineWithRoot()
	for _, lambda := range []float64{-1, math.NaN(), math.Inf(1)} {
		if err := beam.Fit(s, r, files, lambda, "m"); !errors.Is(err, ops.ErrParam) {
			t.Errorf("lambda %v: %v", lambda, err)
		}
	}
	for name, wrong := range map[string]*beam.Recipe{
		"nil":         nil,
		"nothing":     {},
		"no labels":   {Model: r.Model, Read: data.Options{Dims: 5, Label: data.LabelNone}},
		"other width": {Model: r.Model, Read: data.Options{Dims: 4}},
		"columns":     {Model: r.Model, Read: data.Options{Dims: 5, Columns: new(data.Columns)}},
		"no scaler":   {Model: &train.Model{Map: r.Model.Map, Spec: r.Model.Spec}, Read: r.Read},
	} {
		if err := beam.Fit(s, wrong, files, 0, "m"); !errors.Is(err, ops.ErrParam) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := beam.Features(s, r, []string{"a/x.csv", "b/x.npy.gz"}, "out"); !errors.Is(err, ops.ErrParam) {
		t.Errorf("two files of one name: %v", err)
	}
	p, _ := sdk.NewPipelineWithRoot()
	if err := submit.Run(t.Context(), p, submit.Options{}); !errors.Is(err, ops.ErrParam) {
		t.Errorf("no deadline: %v", err)
	}
}

// BenchmarkFit measures what the engine costs beside a fit in one process, in CPU seconds too.
//
//	go -C train/beam test -run '^$' -bench Fit -benchtime 1x -count 9
func BenchmarkFit(b *testing.B) {
	files := rowsIn(b, b.TempDir(), data.Regression, 200_000, 16)
	spec := layers.Spec{Map: "gaussian", Features: 512, Seed: 1}
	r := recipe(b, spec, "standard", data.Options{Task: data.Regression}, files[:1])
	for name, fit := range map[string]func(b *testing.B){
		"alone": func(b *testing.B) { alone(b, r, linear.RidgeOptions{Select: linear.SelectNone}, files) },
		"Prism": func(b *testing.B) {
			to := filepath.Join(b.TempDir(), "m")
			runs(b, submit.Options{}, func(s sdk.Scope) error { return beam.Fit(s, r, files, 0, to) })
		},
	} {
		b.Run(name, func(b *testing.B) {
			before := program.ProcessorTime()
			for b.Loop() {
				fit(b)
			}
			b.ReportMetric((program.ProcessorTime()-before).Seconds()/float64(b.N), "CPU-s/op")
		})
	}
}
