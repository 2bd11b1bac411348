package main

import (
	"flag"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// TestEveryMap: the flags of every map of rows make a spec that builds.
func TestEveryMap(t *testing.T) {
	x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{.6, .8, 0, 1, 1, 0, .8, .6}))
	for _, e := range layers.Entries() {
		if e.Bags {
			continue
		}
		var f recipeFlags
		fs := flag.NewFlagSet(e.Name, flag.ContinueOnError)
		f.register(fs, "last")
		if err := fs.Parse([]string{"-map", e.Name, "-features", "4"}); err != nil {
			t.Fatal(err)
		}
		how, err := f.recipe()
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		spec := how.Spec
		spec.Dims = 2
		if err := spec.FillDefaults(x); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		} else if _, err := spec.Fit(x); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
