package main

import (
	"math"
	"slices"

	"github.com/bochner-go/bochner/examples/internal/try"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// rowsOf makes rows of sets of samples, whose squared distances are about the kernel's.
type rowsOf func(b *ops.Bags) *tensor.Dense

// A method makes rows of sets. On the rows are Fourier features of the Gaussian kernel, or nothing where it is linear.
type method struct {
	name   string
	linear bool
	start  float64                                         // the factor of Scott's bandwidth where the search for it begins; 0: the method has no bandwidth
	rows   func(h []float64, axes int, seed uint64) rowsOf // of bandwidths
}

// The numbers of the experiments.
const (
	innerFeatures = 512 // of a sample, in a mean map
	bins          = 10  // of an axis of a histogram
	order         = 3   // of the homogeneous maps of histograms
)

// methods are all but the kernel of divergences, which makes no rows.
func (o *options) methods() []method {
	// The coefficients of the estimates of the densities.
	densities := func(d spectral.DensityDistance) func([]float64, int, uint64) rowsOf {
		return func(h []float64, axes int, seed uint64) rowsOf {
			l := try.Get(layers.NewHDDLayer(o.density(d, h, axes), axes, 2, single(seed)...))
			bags := try.Get(layers.NewBagLayer(l))
			return inBlocks(func(b *ops.Bags) *tensor.Dense { return try.Get(l.Embed(nil, try.Get(bags.Rows(b)))) })
		}
	}
	l2 := densities(spectral.DensityDistance{})
	return []method{
		{name: "hdd-js", start: .5, rows: densities(spectral.JensenShannonDivergence)},
		{name: "hdd-hellinger", start: .5, rows: densities(spectral.SquaredHellinger)},
		{name: "hdd-tv", start: .5, rows: densities(spectral.TotalVariation)},
		{name: "l2-density", start: .5, rows: l2},
		{name: "mean-map", start: 1, rows: means},
		{name: "histogram-js", rows: histograms(spectral.JensenShannon{}, order)},
		{name: "histogram-hellinger", rows: histograms(spectral.Hellinger{}, 0)}, // which is exact
		{name: "histogram-tv", rows: histograms(spectral.Intersection{}, order)},
		{name: "l2-density-linear", linear: true, start: .5, rows: l2},
		{name: "mean-map-linear", linear: true, start: 1, rows: means},
	}
}

// density is the kernel of a distance with σ = 1. All products of the functions of two axes are in the basis, unless a
// flag says otherwise. The squared Hellinger distance has one frequency, 0, and the zero distance none.
func (o *options) density(d spectral.DensityDistance, h []float64, axes int) layers.Density {
	of := layers.Density{Distance: d, Sigma: 1, Bandwidth: h, Functions: o.functions, Points: []int{o.pointsFor(axes)},
		Box: o.box && axes < 3}
	if d != spectral.SquaredHellinger && d != (spectral.DensityDistance{}) {
		of.Lambdas, of.Rule = o.lambdas, o.rule
	}
	return of
}

// single are the options of a map in float32.
func single(seed uint64) []layers.Option {
	return []layers.Option{layers.WithDtype(tensor.Float32), layers.WithSeed(seed)}
}

// pointsFor is the number of points of an axis: the flag's, or the layers' default.
func (o *options) pointsFor(axes int) int {
	switch {
	case o.points > 0:
		return o.points
	case axes == 2:
		return 48
	case axes == 3:
		return 20
	}
	return 128
}

// blockBags is how many densities are held at once.
const blockBags = 256

// inBlocks makes the rows of some sets at a time.
func inBlocks(rows rowsOf) rowsOf {
	return func(b *ops.Bags) *tensor.Dense {
		var all []float32
		for _, some := range data.Blocks(b, blockBags) {
			x := rows(some.(*ops.Bags))
			all = append(slices.Grow(all, b.Len()*x.Shape()[1]-len(all)), x.Float32s()...)
		}
		return tensor.New(tensor.WithShape(b.Len(), len(all)/b.Len()), tensor.WithBacking(all))
	}
}

// means are the means of the Fourier features of the samples, for a Gaussian kernel whose bandwidth is the mean of the
// axes' times √axes; in two dimensions that is the inner product of two density estimates.
func means(h []float64, axes int, seed uint64) rowsOf {
	sigma := math.Sqrt(float64(axes)) * stat.Mean(h, nil)
	inner := try.Get(layers.NewFourierLayer(spectral.Gaussian{Sigma: sigma}, axes, innerFeatures, layers.WithSampler(spectral.Orthogonal{}), layers.WithDtype(tensor.Float32), layers.WithSeed(seed), layers.WithName("samples")))
	l := try.Get(layers.NewMeanMapLayer(inner, 1, 2, layers.WithDtype(tensor.Float32)))
	return func(b *ops.Bags) *tensor.Dense { return try.Get(l.Rows(b)) }
}

// histograms are the homogeneous maps of the shares of the samples in the cells of a grid.
func histograms(k spectral.Homogeneous, order int) func(h []float64, axes int, seed uint64) rowsOf {
	return func(_ []float64, axes int, _ uint64) rowsOf {
		g := try.Get(ops.NewGrid(slices.Repeat([]int{bins}, axes)...))
		l := try.Get(layers.NewHomogeneousLayer(k, g.Len(), layers.WithOrder(order), layers.WithDtype(tensor.Float32)))
		return inBlocks(func(b *ops.Bags) *tensor.Dense { return try.Get(l.Transform(nil, shares(b, g))) })
	}
}

// shares returns the shares of the samples of each set in the cells of a grid. A sample on a boundary counts for the
// upper cell, and 1 for the last.
func shares(b *ops.Bags, g ops.Grid) *tensor.Dense {
	p := tensor.New(tensor.WithShape(b.Len(), g.Len()), tensor.Of(tensor.Float32))
	for i := range b.Len() {
		row, x := p.Float32s()[i*g.Len():(i+1)*g.Len()], ops.Float64s(b.Bag(i))
		for ; len(x) > 0; x = x[g.Axes():] {
			cell := 0
			for j, points := range g.Points() {
				cell = cell*points + min(int(x[j]*float64(points)), points-1)
			}
			row[cell] += 1 / float32(b.Size(i))
		}
	}
	return p
}

// spread is the root mean square distance of two rows.
func spread(x *tensor.Dense) float64 {
	n, d, total := x.Shape()[0], x.Shape()[1], 0.0
	rows := mat.NewDense(n, d, ops.Float64s(x))
	for j := range d {
		total += stat.Variance(mat.Col(nil, j, rows), nil)
	}
	if total == 0 {
		try.Fail("all %d sets are the same to the method", n)
	}
	return math.Sqrt(2 * total)
}
