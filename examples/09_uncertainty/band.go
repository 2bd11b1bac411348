package main

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/examples/internal/must"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

const draws = 20 // of each map

// wave has a gap of three bandwidths between its points.
func wave() (x, y []float64) {
	rng := rand.New(rand.NewPCG(1, 0))
	for i := range 40 {
		v := 4 * rng.Float64()
		if i%2 == 1 {
			v += 7
		}
		x, y = append(x, v), append(y, math.Sin(1.3*v)+.3*v-1.5+.15*rng.NormFloat64())
	}
	return x, y
}

// band compares the posterior of features with the exact process, by place and number of features.
func band() image.Image {
	x, y := wave()
	kernel := spectral.Gaussian{Sigma: 1}
	k := func(a, b float64) float64 { return kernel.At([]float64{a}, []float64{b}) }

	// The noise and the prior that the rows make most likely.
	const drawn = 256
	stats := sums(drawn, 1, x, y)
	best := must.Get(stats.Evidence(ctx, nil))
	posterior := must.Get(stats.Posterior(best.Lambda))
	noise := posterior.Noise

	places := []struct {
		name string
		x    []float64
	}{
		{"in the data", append(floats.Span(make([]float64, 41), 0, 4), floats.Span(make([]float64, 41), 7, 11)...)},
		{"in the middle of the gap", []float64{5.5}},
		{"1 bandwidth outside", []float64{-1, 12}}, {"2 bandwidths outside", []float64{-2, 13}}, {"4 bandwidths outside", []float64{-4, 15}},
	}
	sizes := []int{64, 256, 1024}
	var head []string
	for _, what := range []string{"mean", "std"} {
		for _, size := range sizes {
			head = append(head, fmt.Sprintf("%s, %d features", what, size))
		}
	}
	title(fmt.Sprintf("Difference from the exact Gaussian process as a share of the prior standard deviation, the largest at a place, mean of %d draws", draws),
		append([]string{"place"}, head...)...)
	far := map[string][]float64{}
	for _, place := range places {
		far[place.name] = make([]float64, 2*len(sizes))
	}
	for i, size := range sizes {
		for seed := range uint64(draws) {
			p := must.Get(sums(size, seed, x, y).Posterior(best.Lambda, noise...))
			exact, prior := newProcess(k, x, y, noise[0], p.Penalty), math.Sqrt(noise[0]/p.Penalty)
			for _, place := range places {
				mean, std := exact.at(place.x)
				z := must.Get(gaussian(1, 1, size, seed).Transform(nil, rows(place.x, 1)))
				m, s := at(p.Fit, z), stds(p, z)
				far[place.name][i] += floats.Distance(m, mean, math.Inf(1)) / prior / draws
				far[place.name][i+len(sizes)] += floats.Distance(s, std, math.Inf(1)) / prior / draws
			}
		}
	}
	for _, place := range places {
		v := far[place.name]
		line(place.name, "%.4f", v...)
		last := len(sizes) - 1
		claim(v[last] < v[0] && v[len(v)-1] < v[len(sizes)]/2, "%s the features do not come closer to the exact process: %.4f", place.name, v)
	}
	fmt.Println()
	return drawBand(posterior, newProcess(k, x, y, noise[0], posterior.Penalty), drawn, x, y)
}

// sums of the features of the rows.
func sums(features int, seed uint64, x, y []float64) *linear.RidgeStats {
	s := new(linear.RidgeStats)
	must.Do(s.Add(must.Get(gaussian(1, 1, features, seed).Transform(nil, rows(x, 1))), column(y)))
	return s
}

// stds are the standard deviations of the function.
func stds(p *linear.Posterior, z *tensor.Dense) []float64 {
	v := must.Get(p.Variance(nil, z))
	for i := range v {
		v[i] = math.Sqrt(p.Noise[0] * v[i])
	}
	return v
}
