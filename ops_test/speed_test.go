package ops_test

import (
	"fmt"
	"runtime"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/blas"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The shape of the benchmarks: rows, input dimensions (and the 15 more of a structured map) and frequencies.
const benchRows, benchDims, benchFrequencies = 2000, 64, 1024

// BenchmarkMaps is every map, forward (Transform) and forward with backward (on Gorgonia's tape machine, tuned as much
// as it can be), in float32 and float64: ns an output, GFLOP/s of the products, and their share of the FMA peak that is
// measured beside. A structured map and one without frequencies have no products.
func BenchmarkMaps(b *testing.B) {
	seen := map[string]bool{}
	for _, v := range variants(b) {
		path := fmt.Sprint(v.entry.Name, v.form, v.sampler == "structured")
		if seen[path] {
			continue // other parameters, or a sampler with the same op
		}
		seen[path] = true
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			of := func(s *layers.Spec) { s.Dtype = fmt.Sprint(dt) }
			b.Run(fmt.Sprintf("%s/%v", v.name, dt), func(b *testing.B) {
				d := v.dims(benchDims)
				x := matrix(dt, benchRows, d, floats(v.rows(benchRows, d, 1))...)
				b.Run("forward", func(b *testing.B) {
					l := v.build(b, d, benchFrequencies, 1, of)
					dst := matrix(dt, benchRows, l.Features(), 0)
					v.measure(b, l, dt, 1, func() error { _, err := l.Transform(dst, x); return err })
				})
				if v.form == copied {
					return
				}
				b.Run("step", func(b *testing.B) {
					policies := v.policies()
					l := v.build(b, d, benchFrequencies, 1, of, tuned(policies[len(policies)-1]))
					v.measure(b, l, dt, 2, step(b, l, x))
				})
			})
		}
	}
}

// measure repeats f, which does so many products.
func (v variant) measure(b *testing.B, l layers.Layer, dt tensor.Dtype, products float64, f func() error) {
	run := func() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	run()
	peak := blas.Peak(dt) * float64(runtime.GOMAXPROCS(0))
	for b.Loop() {
		run()
	}
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(ns/float64(benchRows*l.Features()), "ns/output")
	if v.form == copied || v.sampler == "structured" {
		return
	}
	speed := products * 2 * benchRows * benchDims * benchFrequencies / ns
	b.ReportMetric(speed, "GFLOP/s")
	if peak > 0 {
		b.ReportMetric(100*speed/peak, "%peak")
	}
}

// step is a forward and a backward for the parameters, from a given gradient of the features.
func step(b *testing.B, l layers.Layer, x *tensor.Dense) func() error {
	g := G.NewGraph()
	z := l.Fwd(node(g, "x", x)).Node()
	dz := node(g, "dz", matrix(x.Dtype(), benchRows, l.Features(), 1, -.5, .25))
	must(G.Backpropagate(G.Nodes{z}, G.Nodes{dz}, layers.Collect(l)))
	m := G.NewTapeMachine(g)
	b.Cleanup(func() { m.Close() })
	return func() error {
		m.Reset()
		return m.RunAll()
	}
}

// BenchmarkDraw draws frequencies, with the products of ops/blas under the QR factorisations, as in the programs:
//
//	go test ./ops_test -run '^$' -bench Draw -benchtime 1x
func BenchmarkDraw(b *testing.B) {
	blas.Use()
	for _, c := range []struct{ d, m int }{{64, 4096}, {784, 4096}, {4096, 16384}} {
		for _, s := range spectral.Samplers() {
			if _, err := spectral.Frequencies(spectral.Gaussian{Sigma: 1}, s, c.d, 1, 1); err != nil {
				continue // too many dimensions for a sequence
			}
			b.Run(fmt.Sprintf("%v/%dx%d", s, c.d, c.m), func(b *testing.B) {
				for seed := range uint64(b.N) {
					if _, err := spectral.Frequencies(spectral.Gaussian{Sigma: 1}, s, c.d, c.m, seed); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
