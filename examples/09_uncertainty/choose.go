package main

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/examples/internal/must"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

const (
	surfaces = 10 // each another function, pool and map
	pool     = 300
	started  = 5
	asked    = 60
	told     = .05 // the standard deviation of the noise; the function's is about 1
)

// choose learns surfaces from points of a pool, asked for by standard deviation or at random.
func choose() image.Image {
	byStd, atRandom := make([]float64, asked+1), make([]float64, asked+1)
	better := 0
	for seed := range uint64(surfaces) {
		a, b := learnSurface(seed, true), learnSurface(seed, false)
		floats.AddScaled(byStd, 1./surfaces, a)
		floats.AddScaled(atRandom, 1./surfaces, b)
		if a[asked] < b[asked] {
			better++
		}
	}
	title(fmt.Sprintf("RMSE after n points, mean of %d surfaces whose standard deviation is about 1", surfaces), "points", "where the std is largest", "at random")
	chosen, random := report.Line{Name: "where the std is largest"}, report.Line{Name: "at random"}
	for n := started; n <= asked; n += 5 {
		chosen.X, chosen.Y = append(chosen.X, float64(n)), append(chosen.Y, byStd[n])
		random.X, random.Y = append(random.X, float64(n)), append(random.Y, atRandom[n])
		if n == started || n == 10 || n%20 == 0 {
			line(fmt.Sprint(n), "%.3f", byStd[n], atRandom[n])
		}
	}
	fmt.Printf("\nThe chosen points are the better ones on %d surfaces of %d.\n\n", better, surfaces)
	claim(byStd[asked] < atRandom[asked], "chosen points leave an error of %.3f, random ones of %.3f", byStd[asked], atRandom[asked])
	return picture("Which point next?", "points", "RMSE", []report.Line{chosen, random})
}

// learnSurface is the RMSE by number of points, at 0 up to those it starts with.
func learnSurface(seed uint64, byStd bool) []float64 {
	const features, lambda = 192, told * told
	rng := rand.New(rand.NewPCG(seed, 2))
	truth := surface(seed)
	x := make([]float64, 2*pool)
	for i := range x {
		x[i] = rng.Float64()
	}
	grid := make([]float64, 0, 2*400)
	for i := range 400 {
		grid = append(grid, (float64(i%20)+.5)/20, (float64(i/20)+.5)/20)
	}
	m := gaussian(.25, 2, features, seed)
	z, test := must.Get(m.Transform(nil, rows(x, 2))), must.Get(m.Transform(nil, rows(grid, 2)))
	y, want := truth(rows(x, 2)), truth(rows(grid, 2))
	for i := range y {
		y[i] += told * rng.NormFloat64()
	}

	var stats linear.RidgeStats
	known := make([]bool, pool)
	add := func(i int) {
		known[i] = true
		must.Do(stats.Add(rows(z.Float64s()[i*features:(i+1)*features], features), column(y[i:i+1])))
	}
	errors, order := make([]float64, asked+1), rng.Perm(pool)
	for n := range asked + 1 {
		if n > 0 {
			next := order[n-1]
			if byStd && n > started {
				next = mostUnsure(must.Get(stats.Posterior(lambda, told*told)), z, known)
			}
			add(next)
		}
		if n >= started && n%5 == 0 {
			errors[n] = floats.Distance(at(must.Get(stats.Solve(lambda)), test), want, 2) / math.Sqrt(float64(len(want)))
		}
	}
	return errors
}

// mostUnsure is the row of the largest variance of those that are not known.
func mostUnsure(p *linear.Posterior, z *tensor.Dense, known []bool) int {
	v := must.Get(p.Variance(nil, z))
	for i := range v {
		if known[i] {
			v[i] = -1
		}
	}
	return floats.MaxIdx(v)
}

// surface is a function drawn from the prior, on a map other than the model's.
func surface(seed uint64) func(x *tensor.Dense) []float64 {
	const features = 2048
	rng := rand.New(rand.NewPCG(seed, 3))
	m, w := gaussian(.25, 2, features, 1000+seed), make([]float64, features)
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	return func(x *tensor.Dense) []float64 {
		z := must.Get(m.Transform(nil, x))
		out := make([]float64, x.Shape()[0])
		for i := range out {
			out[i] = floats.Dot(z.Float64s()[i*features:(i+1)*features], w)
		}
		return out
	}
}
