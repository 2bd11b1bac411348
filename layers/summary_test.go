package layers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
)

// TestSummaryOfParts: parts stand under their composition, and a layer that is there twice is counted once.
func TestSummaryOfParts(t *testing.T) {
	a := fourier(3, 8, layers.WithName("<a>"), layers.Tune(layers.All))
	b := must(layers.NewIdentity(2, layers.WithName("b")))
	both := must(layers.NewConcat(5, []layers.Part{{Layer: a, From: 0, To: 3, Weight: 1},
		{Layer: b, From: 3, To: 5, Weight: 1}}))
	s := layers.Summary(must(layers.NewSequential(both, must(layers.NewLinearHead(10, 1, layers.WithName("head"))))), a)
	var depths []int
	for _, l := range s.Layers {
		depths = append(depths, l.Depth)
	}
	if want := []int{0, 1, 2, 2, 1, 0}; !slices.Equal(depths, want) {
		t.Errorf("depths %v, want %v", depths, want)
	}
	if all, tuned := s.Count(); all != 3*4+10+1 || tuned != all {
		t.Errorf("%d numbers, %d tuned", all, tuned)
	}
	if html := s.HTML(); strings.Contains(html, "<a>") || !strings.Contains(html, "&lt;a&gt;") {
		t.Errorf("a name is not escaped:\n%s", html)
	}
	if empty := layers.Summary().String(); !strings.HasSuffix(empty, "\n0 numbers: 0 tuned, 0 frozen\n") {
		t.Errorf("nothing is %q", empty)
	}
}
