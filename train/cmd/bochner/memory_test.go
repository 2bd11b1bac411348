package main

import (
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"

	"github.com/bochner-go/bochner/layers"
)

// TestAfford: more than there is is refused with its bytes and the remedy, and a map whose frequencies are more too;
// nothing else is.
func TestAfford(t *testing.T) {
	if domain.Memory() == 0 {
		t.Skip("the system does not tell how much memory there is")
	}
	if err := afford("a little", 1, "no remedy"); err != nil {
		t.Error(err)
	}
	err := afford("too much", 1e17, "ask for less")
	if err == nil || !strings.HasPrefix(err.Error(),
		"too much: that takes 100000 TB of memory, and there are ") || !strings.HasSuffix(err.Error(),
		"; ask for less") {
		t.Errorf("%v", err)
	}
	spec := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.}, Dims: 1 << 30, Features: 1 << 20}
	size := func() float64 {
		size, err := spec.Size()
		if err != nil {
			t.Fatal(err)
		}
		return size
	}
	if err := affordMap(spec, size()); err == nil || !strings.Contains(err.Error(),
		"--map gaussian --features 1048576 in 1073741824 dimensions: that takes 4504 TB") {
		t.Errorf("%v", err)
	}
	spec.Sampler, spec.Dims = "structured", 1<<20
	if err := affordMap(spec, size()); err != nil {
		t.Errorf("structured: %v", err)
	}
}

// TestEstimate: memory and time in words, and none of what is little.
func TestEstimate(t *testing.T) {
	if got := estimate(1e6, 1e6); got != "" {
		t.Errorf("%q of little", got)
	}
	if got := estimate(2.5e9, 1e22); !strings.HasPrefix(got, "about 2.5 GB of memory, ") || !strings.HasSuffix(got,
		" hours") {
		t.Errorf("%q", got)
	}
	for seconds, want := range map[float64]string{.2: "1 s", 90: "90 s", 600: "10 minutes", 36000: "10 hours"} {
		if got := inTime(seconds); got != want {
			t.Errorf("%v seconds are %q, want %q", seconds, got, want)
		}
	}
}
