package beam_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/bochner-go/bochner/layers"
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
		err := run(t, submit.Options{Processes: tc.processes}, func(s sdk.Scope) error { return beam.Features(s, r, files, tc.folder) })
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name := filepath.Base(f[:len(f)-len(".csv")]) + ".npy"
			path := filepath.Join(tc.folder, name)
			if tc.folder == "memfs://features" {
				path = filepath.Join(t.TempDir(), name)
				copyOut(t, tc.folder+"/"+name, path)
			}
			got, err := data.Read(path, data.Options{Label: data.LabelNone})
			if err != nil {
				t.Fatal(err)
			}
			set, err := data.Read(f, read)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Model.Scaler.ApplyInPlace(set.X); err != nil {
				t.Fatal(err)
			}
			z, err := layers.Transform(r.Model.Map, nil, set.X)
			if err != nil {
				t.Fatal(err)
			}
			want := z.Float64s()
			for i, v := range got.X.(*tensor.Dense).Float64s() {
				if v != want[i] {
					t.Fatalf("%s: cell %d is %v, want %v", path, i, v, want[i])
				}
			}
			if got.Rows() != set.Rows() {
				t.Errorf("%s: %d rows of %d", path, got.Rows(), set.Rows())
			}
		}
	}
}

// TestRecipe: equal bytes from what came back, for a map that is drawn, one that was fitted and one that was tuned; damage is noticed.
func TestRecipe(t *testing.T) {
	files := rowsIn(t, t.TempDir(), data.Classification, 200, 1)
	for _, spec := range []layers.Spec{
		{Map: "gaussian", Features: 64, Sampler: "iid", Seed: 1},
		{Map: "gaussian", Features: 64, Sampler: "iid", Seed: 1, Tune: "bandwidth"},
		{Map: "nystrom", Features: 16, Seed: 2},
	} {
		r := recipe(t, spec, "minmax", data.Options{}, files)
		shipped, err := r.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back beam.Recipe
		if err := back.UnmarshalBinary(shipped); err != nil {
			t.Fatal(err)
		}
		if again, err := back.MarshalBinary(); err != nil || !bytes.Equal(again, shipped) {
			t.Errorf("%s %s: other bytes, %v", spec.Map, spec.Tune, err)
		}
		for i, p := range r.Model.Map.Params() {
			a, b := p.Value.Float64s(), back.Model.Map.Params()[i].Value.Float64s()
			for j := range a {
				if a[j] != b[j] {
					t.Fatalf("%s: %s differs at %d", spec.Map, p.Name, j)
				}
			}
		}
		drawn := spec.Map == "gaussian" && spec.Tune == ""
		if small := len(shipped) < 4096; small != drawn && drawn {
			t.Errorf("%s: %d bytes are shipped", spec.Map, len(shipped))
		}
		shipped[len(shipped)/2] ^= 1
		if err := back.UnmarshalBinary(shipped); err == nil {
			t.Error("a changed byte is not noticed")
		}
	}
}

// copyOut copies a file of a file system of Beam to a local one.
func copyOut(t *testing.T, from, to string) {
	t.Helper()
	fs, err := filesystem.New(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	b, err := filesystem.Read(t.Context(), fs, from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
