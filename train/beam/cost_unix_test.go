//go:build unix

package beam_test

import (
	"path/filepath"
	"syscall"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
)

// BenchmarkFit measures what the engine costs beside a fit in one process, in CPU seconds too.
//
//	go -C train/beam test -run '^$' -bench Fit -benchtime 1x -count 9
func BenchmarkFit(b *testing.B) {
	files := rowsIn(b, b.TempDir(), data.Regression, 200_000, 16)
	spec := layers.Spec{Map: "gaussian", Features: 512, Seed: 1}
	r := recipe(b, spec, "standard", data.Options{Task: data.Regression}, files[:1])
	onEngine := func(b *testing.B) {
		to := filepath.Join(b.TempDir(), "m")
		err := run(b, submit.Options{}, func(s sdk.Scope) error { return beam.Fit(s, r, files, 0, to) })
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, way := range []struct {
		name string
		fit  func(b *testing.B)
	}{
		{"alone", func(b *testing.B) { alone(b, r, linear.RidgeOptions{Select: linear.SelectNone}, files) }},
		{"Prism", onEngine},
	} {
		b.Run(way.name, func(b *testing.B) {
			before := cpu(b)
			for b.Loop() {
				way.fit(b)
			}
			b.ReportMetric((cpu(b)-before)/float64(b.N), "CPU-s/op")
		})
	}
}

// cpu returns the seconds of CPU time that this process has taken.
func cpu(b *testing.B) (seconds float64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
