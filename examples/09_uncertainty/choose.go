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
	"gonum.org/v1/gonum/mat"
)

const features = 192 // of the models of surfaces

// surface returns a function of the unit square, drawn from the prior with a standard deviation of 1.
func surface(seed uint64) func(x []float64) []float64 {
	const features = 2048
	rng := rand.New(rand.NewPCG(seed, 3))
	m, w := gaussian(.25, 2, features, 1000+seed), mat.NewDense(features, 1, nil)
	for i := range features {
		w.Set(i, 0, rng.NormFloat64())
	}
	return func(x []float64) []float64 {
		return values(&linear.Fit{W: w, B: []float64{0}}, must.Get(m.Transform(nil, rows(x, 2))))
	}
}

// uniform returns n points of the unit square.
func uniform(rng *rand.Rand, n int) []float64 {
	x := make([]float64, 2*n)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}

// choose learns surfaces from points of a pool, which are chosen by their standard deviation or at random.
func choose() image.Image {
	const surfaces, started, asked, noise = 10, 5, 60, .05
	pool := make([]float64, 0, 800) // and the points to compare at
	for i := range 400 {
		pool = append(pool, (float64(i%20)+.5)/20, (float64(i/20)+.5)/20)
	}
	lines := []report.Line{{Name: "where the std is largest"}, {Name: "at random"}}
	for n := started; n <= asked; n += 5 {
		for i := range lines {
			lines[i].X, lines[i].Y = append(lines[i].X, float64(n)), append(lines[i].Y, 0)
		}
	}
	for seed := range uint64(surfaces) {
		m, truth := gaussian(.25, 2, features, seed), surface(seed)(pool)
		z := must.Get(m.Transform(nil, rows(pool, 2)))
		for way := range lines {
			rng := rand.New(rand.NewPCG(seed, 2))
			order, known := rng.Perm(len(truth)), make([]bool, len(truth))
			var stats linear.RidgeStats
			for n := 1; n <= asked; n++ {
				next := order[n-1]
				if way == 0 && n > started {
					_, std := posterior(must.Get(stats.Posterior(noise*noise, noise*noise)), z)
					for i := range std {
						if known[i] {
							std[i] = 0
						}
					}
					next = floats.MaxIdx(std)
				}
				known[next] = true
				must.Do(stats.Add(rows(z.Float64s()[next*features:(next+1)*features], features), mat.NewDense(1, 1, []float64{truth[next] + noise*rng.NormFloat64()})))
				if n >= started && n%5 == 0 {
					off := floats.Distance(values(must.Get(stats.Solve(noise*noise)), z), truth, 2) / math.Sqrt(float64(len(truth)))
					lines[way].Y[n/5-1] += off / surfaces
				}
			}
		}
	}
	fmt.Printf("RMSE after n points, mean of %d surfaces\n\n| points | where the std is largest | at random |\n|---|---|---|\n", surfaces)
	last := len(lines[0].X) - 1
	for i := 0; i <= last; i++ {
		if n := lines[0].X[i]; n <= 10 || math.Mod(n, 20) == 0 {
			fmt.Printf("| %g | %.3f | %.3f |\n", n, lines[0].Y[i], lines[1].Y[i])
		}
	}
	fmt.Println()
	claim(lines[0].Y[last] < lines[1].Y[last], "chosen points have an error of %.3f, random ones of %.3f", lines[0].Y[last], lines[1].Y[last])
	return must.Get(report.Lines("points", "RMSE", lines, report.WithTitle("Which point next?"), report.WithSize(900, 700)))
}

// drift learns a stream whose target stays, turns into another, and stays again. A block is predicted before it is
// learned.
func drift() image.Image {
	const blocks, block, lambda, noise = 180, 25, .03, .3
	fmt.Print("RMSE of the next block along a stream, mean of each stretch\n\n" +
		"| factor of Forget | rows that count in the end | the target stays | it drifts | it stays again |\n|---|---|---|---|---|\n")
	var lines []report.Line
	var errors [][3]float64
	for _, factor := range []float64{1, .98, .9, .7} {
		rng := rand.New(rand.NewPCG(1, 5))
		first, second, m := surface(100), surface(101), gaussian(.25, 2, features, 7)
		line, stretch := report.Line{Name: fmt.Sprintf("Forget(%g)", factor)}, [3]float64{}
		var stats linear.RidgeStats
		for t := range blocks {
			x := uniform(rng, block)
			turn := math.Pi / 2 * min(max(float64(t)/(blocks/3)-1, 0), 1)
			y, b := first(x), second(x)
			for i := range y {
				y[i] = math.Cos(turn)*y[i] + math.Sin(turn)*b[i] + noise*rng.NormFloat64()
			}
			z := must.Get(m.Transform(nil, rows(x, 2)))
			if t > 0 {
				mse := math.Pow(floats.Distance(values(must.Get(stats.Solve(lambda)), z), y, 2), 2) / block
				stretch[3*t/blocks] += mse / (blocks / 3)
				if len(line.X) < (t+9)/10 {
					line.X, line.Y = append(line.X, float64(t/10*10+5)), append(line.Y, 0)
				}
				line.Y[len(line.Y)-1] += mse / 10
				must.Do(stats.Forget(factor))
			}
			must.Do(stats.Add(z, mat.NewDense(block, 1, y)))
		}
		for i, v := range line.Y {
			line.Y[i] = math.Sqrt(v)
		}
		for i, v := range stretch {
			stretch[i] = math.Sqrt(v)
		}
		fmt.Printf("| %g | %.0f | %.3f | %.3f | %.3f |\n", factor, stats.Mass(), stretch[0], stretch[1], stretch[2])
		lines, errors = append(lines, line), append(errors, stretch)
	}
	fmt.Println()
	claim(errors[2][1] < errors[0][1] && errors[2][2] < errors[0][2] && errors[2][0] > errors[0][0],
		"the errors are %.3f without forgetting and %.3f with it", errors[0], errors[2])
	return must.Get(report.Lines("block", "RMSE of the next block", lines, report.WithTitle("A target that drifts in blocks 60 to 120"), report.WithSize(900, 700)))
}
