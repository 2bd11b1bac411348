package beam_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// TestFeatures: a file of features for each file of rows, the same bits as in this process, local and remote.
func TestFeatures(t *testing.T) {
	files := rowsIn(t, t.TempDir(), data.Regression, 300, 3)
	read := data.Options{Task: data.Regression}
	r := recipe(t, layers.Spec{Map: "gaussian", Features: 32, Sampler: "orthogonal", Seed: 5}, "standard", read, files)
	for _, tc := range []struct {
		folder    string
		processes bool
	}{{t.TempDir(), false}, {t.TempDir(), true}, {"memfs://features", false}} {
		runs(t, submit.Options{Processes: tc.processes}, func(s sdk.Scope) error { return beam.Features(s, r, files, tc.folder) })
		for _, f := range files {
			name := filepath.Base(f[:len(f)-len(".csv")]) + ".npy"
			path := filepath.Join(tc.folder, name)
			if tc.folder == "memfs://features" {
				path = filepath.Join(t.TempDir(), name)
				copyOut(t, tc.folder+"/"+name, path)
			}
			got := must(data.Read(path, data.Options{Label: data.LabelNone}))
			set := must(data.Read(f, read))
			want := must(r.Model.Features(set.X))
			if !slices.Equal(got.X.(*tensor.Dense).Float64s(), ops.Float64s(want)) {
				t.Errorf("%s: the features differ", path)
			}
		}
	}
}

// copyOut copies a file of a file system of Beam to a local one.
func copyOut(t *testing.T, from, to string) {
	t.Helper()
	fs := must(filesystem.New(t.Context(), from))
	b := must(filesystem.Read(t.Context(), fs, from))
	if err := os.WriteFile(to, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
