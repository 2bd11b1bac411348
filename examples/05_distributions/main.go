// Command 05_distributions classifies distributions by sets of samples from them.
//
//	go run ./examples/05_distributions
//
// An instance need not be a row: it may be a bag of samples, as the pixels of an image or the visits of a customer are,
// and what tells classes apart the distribution that they come from. layers.HDDLayer (Sutherland et al. 2016) maps a
// bag in three steps,
//
//	samples → density p on a grid → A(p), ‖A(p) - A(q)‖² ≈ ρ²(p, q) → random Fourier features of A(p),
//
// so that inner products come near exp(-ρ²(p, q)/2σ²), ρ² being the Jensen-Shannon divergence of the densities, the
// squared Hellinger distance or the total variation. A bag of any size becomes a row of one length, and a linear model
// on these rows is a kernel machine on distributions.
//
// The program makes bags of 60 numbers. Half of them come from a normal distribution and half from a mixture of two,
// with equal means and equal variances: only the shape of the density tells them apart. Each bag has a place of its
// own, and so has the density. Ridge regression on the mean and the standard deviation of a bag is what the map has to
// beat. The picture shows the densities of some bags.
//
// It exits with 1 unless the map classifies 90 % of the bags that it was not fitted on, and the two moments less than
// 65 %.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/examples/internal/must"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

const bags, samples, trained = 600, 60, 400

func main() {
	plot := flag.String("plot", "05_distributions.png", "where the picture goes")
	flag.Parse()

	all, labels := draw(1)
	h := must.Get(ops.ScottBandwidth(all.Slice(0, trained)))
	hdd := must.Get(layers.NewHDDLayer(
		layers.Density{Distance: spectral.JensenShannonDivergence, Sigma: .3, Bandwidth: h}, 1, 512, layers.WithSeed(1), layers.WithName("hdd")))
	fmt.Print(layers.Summary(hdd), "\n")

	byShape := accuracy(must.Get(must.Get(layers.NewBagLayer(hdd)).TransformBags(nil, all)), labels)
	byMoments := accuracy(moments(all), labels)
	fmt.Printf("of %d new bags the densities classify %.1f %%, mean and standard deviation %.1f %%\n", bags-trained, 100*byShape, 100*byMoments)

	must.Do(report.SavePNG(*plot, must.Get(report.Lines("x", "density", densities(all.Slice(0, 4), h), report.WithTitle("What tells the bags apart")))))
	fmt.Println("drawn:", *plot)
	if byShape < .9 || byMoments > .65 {
		log.Fatal("the map does not see what the moments do not")
	}
}

// draw makes bags of both classes in turn, in the unit interval.
func draw(seed uint64) (*ops.Bags, []int) {
	const spread, mode = .12, .9
	rng := rand.New(rand.NewPCG(seed, 0))
	var x []float64
	labels, offsets := make([]int, bags), make([]int, bags+1)
	for i := range bags {
		labels[i] = i % 2
		place := .4 + .2*rng.Float64()
		for range samples {
			v := rng.NormFloat64()
			if labels[i] == 1 { // modes at ±.9, of variance 1 - .9²
				v = math.Copysign(mode, v) + math.Sqrt(1-mode*mode)*rng.NormFloat64()
			}
			x = append(x, math.Min(1, math.Max(0, place+spread*v)))
		}
		offsets[i+1] = len(x)
	}
	return must.Get(ops.NewBags(tensor.New(tensor.WithShape(len(x), 1), tensor.WithBacking(x)), offsets)), labels
}

// densities are the estimates for some bags, one class first.
func densities(b *ops.Bags, h []float64) (lines []report.Line) {
	grid := must.Get(ops.NewGrid(128))
	width := tensor.New(tensor.WithShape(1), tensor.WithBacking(h))
	p := must.Get(ops.KDE(b.Offsets(), grid, ops.Attr{Layer: "densities"}).Into(nil, b.Samples(), width)).Float64s()
	var x []float64
	for v := range grid.Len() {
		x = append(x, grid.At(v)[0])
	}
	for class, name := range []string{"one mode", "two modes"} {
		for i := class; i < b.Len(); i += 2 {
			lines = append(lines, report.Line{Name: fmt.Sprintf("%s, bag %d", name, i), X: x, Y: p[i*len(x) : (i+1)*len(x)]})
		}
	}
	return lines
}

// moments are the mean and the standard deviation of each bag.
func moments(b *ops.Bags) *tensor.Dense {
	out := tensor.New(tensor.WithShape(bags, 2), tensor.Of(tensor.Float64))
	for i := range bags {
		v := out.Float64s()[2*i : 2*i+2]
		v[0], v[1] = stat.MeanStdDev(b.Bag(i).Float64s(), nil)
	}
	return out
}

// accuracy is the share of the other bags whose class ridge regression on the features of the first ones finds.
func accuracy(z *tensor.Dense, labels []int) float64 {
	part := func(from, to int) *data.Set {
		set := &data.Set{X: data.RowRange(z, from, to), Source: "bags"}
		for _, l := range labels[from:to] {
			set.Labels = append(set.Labels, fmt.Sprint(l))
		}
		return set
	}
	others := part(trained, bags)
	model, _, err := train.Recipe{Spec: layers.Spec{Map: "linear"}, Fitter: linear.RidgeOptions{Lambdas: []float64{1e-4, 1e-3, 1e-2, 1e-1, 1}, Select: linear.SelectLOO}}.
		Fit(context.Background(), part(0, trained))
	must.Do(err)
	return must.Get(report.Accuracy(must.Get(model.Predict(others.X)), must.Get(model.Classes.Index(others.Labels))))
}
