package layers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
)

// TestTableIsDocumented: every map says its formula and its paper, and every parameter its meaning. TestTags has the
// defaults.
func TestTableIsDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range layers.Entries() {
		if e.Name == "" || e.Formula == "" || e.Paper == "" || seen[e.Name] {
			t.Errorf("entry %q: formula %q, paper %q, seen before %v", e.Name, e.Formula, e.Paper, seen[e.Name])
		}
		seen[e.Name] = true
		if got, err := layers.Lookup(e.Name); got != e || err != nil {
			t.Errorf("Lookup(%q) is %v, %v", e.Name, got, err)
		}
		if e.HasFeatures() == (e.Width != "") || e.Sampled && (e.Fitted || !e.HasFeatures()) {
			t.Errorf("%s draws frequencies: %v, is fitted: %v, has features to choose: %v, and its width is %q", e.Name,
				e.Sampled, e.Fitted, e.HasFeatures(), e.Width)
		}
		params := map[string]bool{}
		for _, p := range e.Params() {
			if p.Name == "" || p.Doc == "" || params[p.Name] {
				t.Errorf("%s: parameter %q: %q, seen before %v", e.Name, p.Name, p.Doc, params[p.Name])
			}
			params[p.Name] = true
		}
	}
	if layers.Entries()[0] = nil; layers.Entries()[0] == nil {
		t.Error("Entries hands out the table itself")
	}
}

// TestSpecString: a spec reads as a line, and so do numbers in the text of a layer.
func TestSpecString(t *testing.T) {
	s := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 2.000000000000002, "phase": false}, Dims: 3,
		Features: 8, Sampler: "orthogonal", Seed: 7, Tune: "all"}
	tree := layers.Spec{Map: "sequential", Dims: 3, Parts: []layers.Spec{{Map: "normalise"}, s}}
	for got, want := range map[string]string{
		fmt.Sprint(s):             "gaussian sigma=2, 3 -> 8, orthogonal, all, seed 7",
		fmt.Sprintf("%+v", tree):  "sequential, 3 -> 0 [normalise; gaussian sigma=2, 3 -> 8, orthogonal, all, seed 7]",
		fmt.Sprint(layers.Spec{}): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if text := must(s.Build()).String(); strings.Contains(text, "0000") || !strings.Contains(text, "{Sigma:2}") {
		t.Errorf("a layer reads %s", text)
	}
}
