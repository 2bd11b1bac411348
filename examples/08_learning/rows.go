package main

import (
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// noise is the standard deviation of what no machine can know.
const noise = .1

// ripples are rings in a plane of eight dimensions, and a smooth step in a direction across it; see the head of main.go.
func ripples(rows, test int, seed uint64) (*data.Set, *data.Set) {
	const dims = 8
	rng := rand.New(spectral.Stream(seed, "directions"))
	var e [3][]float64 // p, q and t, by Gram and Schmidt
	for i := range e {
		e[i] = normal(rng, dims)
		for _, other := range e[:i] {
			floats.AddScaled(e[i], -floats.Dot(e[i], other), other)
		}
		floats.Scale(1/floats.Norm(e[i], 2), e[i])
	}
	return made(rows, test, dims, seed, func(x []float64) float64 {
		return math.Cos(2*math.Hypot(floats.Dot(e[0], x), floats.Dot(e[1], x))) + .5*math.Tanh(floats.Dot(e[2], x))
	})
}

// relevant are the columns, from 0, that the target of irrelevant depends on.
var relevant = []int{2, 7, 12, 18}

// irrelevant are rows of 24 columns with a target that four of them make, two of which do nothing alone.
func irrelevant(rows, test int, seed uint64) (*data.Set, *data.Set) {
	return made(rows, test, 24, seed, func(x []float64) float64 {
		a, b, c, d := x[relevant[0]], x[relevant[1]], x[relevant[2]], x[relevant[3]]
		return math.Sin(2*a) + math.Sin(b*c) + math.Abs(d)/2
	})
}

// made are standard normal rows with the targets f(x) and noise, those to learn from and others.
func made(rows, test, dims int, seed uint64, f func(x []float64) float64) (*data.Set, *data.Set) {
	var sets [2]*data.Set
	for i, n := range []int{rows, test} {
		rng := rand.New(spectral.Stream(seed, []string{"rows", "test"}[i]))
		x, y := normal(rng, n*dims), normal(rng, n)
		for j := range y {
			y[j] = f(x[j*dims:(j+1)*dims]) + noise*y[j]
		}
		sets[i] = &data.Set{X: tensor.New(tensor.WithShape(n, dims), tensor.WithBacking(x)), Y: y}
	}
	return sets[0], sets[1]
}

// normal are so many standard normal numbers.
func normal(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	return out
}
