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
)

const (
	blocks  = 180 // a third of them in each stretch
	perTurn = 25  // rows of a block
	turned  = 10  // blocks of a point in the picture
)

// drift learns a stream whose target stays, turns into another, and stays again. A block is predicted before it is
// learned.
func drift() image.Image {
	factors := []float64{1, .98, .9, .7}
	byStretch := make([][]float64, len(factors))
	lines := make([]report.Line, len(factors))
	title("RMSE of the next block along a stream, mean of each stretch; the target's standard deviation is about 1",
		"factor of Forget", "rows that count in the end", "the target stays", "it drifts", "it stays again")
	for i, factor := range factors {
		errors, mass := follow(factor)
		name := fmt.Sprintf("Forget(%g)", factor)
		if factor == 1 {
			name = "no forgetting"
		}
		lines[i].Name = name
		for from := 0; from < blocks; from += turned {
			lines[i].X, lines[i].Y = append(lines[i].X, float64(from)+turned/2), append(lines[i].Y, rootMean(errors[from:from+turned]))
		}
		// Without the first blocks, from which all of them learn the first half of what they know.
		for j, from := range []int{20, blocks / 3, 2 * blocks / 3} {
			byStretch[i] = append(byStretch[i], rootMean(errors[from:(j+1)*blocks/3]))
		}
		line(fmt.Sprintf("%g | %.0f", factor, mass), "%.3f", byStretch[i]...)
	}
	fmt.Println()
	all, most := byStretch[0], byStretch[2]
	claim(most[1] < all[1] && most[2] < all[2] && most[0] > all[0], "the errors are %.3f without forgetting and %.3f with it", all, most)
	return picture("A target that drifts in blocks 60 to 120", "block", "RMSE of the next block", lines)
}

// follow is the mean squared error of each block by the head of those before it, and the weight of all rows in the end.
func follow(factor float64) (errors []float64, mass float64) {
	const dims, features, lambda, noise = 2, 192, .03, .3
	rng := rand.New(rand.NewPCG(1, 5))
	first, second := surface(100), surface(101)
	m := gaussian(.25, dims, features, 7)
	var stats linear.RidgeStats
	for t := range blocks {
		x := make([]float64, dims*perTurn)
		for i := range x {
			x[i] = rng.Float64()
		}
		turn := math.Pi / 2 * min(max(float64(t)/(blocks/3)-1, 0), 1)
		a, b := first(rows(x, dims)), second(rows(x, dims))
		y := make([]float64, perTurn)
		for i := range y {
			y[i] = math.Cos(turn)*a[i] + math.Sin(turn)*b[i] + noise*rng.NormFloat64()
		}
		z, mse := must.Get(m.Transform(nil, rows(x, dims))), floats.Dot(y, y)/perTurn
		if t > 0 {
			off := at(must.Get(stats.Solve(lambda)), z)
			floats.Sub(off, y)
			mse = floats.Dot(off, off) / perTurn
			must.Do(stats.Forget(factor))
		}
		errors = append(errors, mse)
		must.Do(stats.Add(z, column(y)))
	}
	return errors, stats.Mass()
}

// rootMean is the root of the mean.
func rootMean(v []float64) float64 { return math.Sqrt(floats.Sum(v) / float64(len(v))) }
