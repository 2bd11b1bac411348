package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/cmd/program"
	"gorgonia.org/tensor"
)

// costPoints are the points of an axis, and its square the scattered ones.
const costPoints = 64

// cost measures the time of the features of sets of samples in two dimensions, and the memory of it.
func (o *options) cost(ctx context.Context) {
	samples := slices.Max(o.samples)
	sets := drawMixtures(slices.Max(o.sets), samples, o.Seed, "training mixtures")
	h := try.Get(ops.ScottBandwidth(sets.Slice(0, min(sets.Len(), tuneSets))))
	of, name := o.density(spectral.JensenShannonDivergence, h, 2), fmt.Sprintf("a grid of %d x %d points", costPoints, costPoints)
	of.Sigma, of.Points = .3, []int{costPoints}
	if o.scattered {
		x, rng := make([]float64, 2*costPoints*costPoints), rand.New(spectral.Stream(o.Seed, "points"))
		for i := range x {
			x[i] = rng.Float64()
		}
		of.Points, of.At = nil, tensor.New(tensor.WithShape(len(x)/2, 2), tensor.WithBacking(x))
		name = fmt.Sprintf("%d uniform points", len(x)/2)
	}
	hdd := try.Get(layers.NewHDDLayer(of, 2, o.columns, append(single(o.Seed), layers.WithSampler(o.samplerFor(0)))...))
	l := try.Get(layers.NewBagLayer(hdd))
	fmt.Printf("%d samples a set, %s, %d features, %d processors\n\n", samples, name, o.columns, runtime.GOMAXPROCS(0))
	fmt.Print(frame.TableHead("sets", "seconds", "of which densities", "processor seconds", "a set, ms of a processor", "peak memory, MB"))
	for _, n := range o.sets {
		try.Do(context.Cause(ctx))
		some := sets.Slice(0, n)
		z := tensor.New(tensor.WithShape(n, o.columns), tensor.Of(tensor.Float32))
		start, processor := time.Now(), program.ProcessorTime()
		try.Get(l.TransformBags(z, some))
		all, used := time.Since(start), program.ProcessorTime()-processor
		start = time.Now()
		for lo := 0; lo < n; lo += blockBags {
			try.Get(l.Rows(some.Slice(lo, min(lo+blockBags, n))))
		}
		densities := time.Since(start)
		fmt.Printf("| %d | %.1f | %.1f | %.1f | %.2f | %d |\n", n, all.Seconds(), densities.Seconds(), used.Seconds(), used.Seconds()/float64(n)*1e3, program.PeakRSS()>>20)
	}
}
