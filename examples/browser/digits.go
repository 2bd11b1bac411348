package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// shapes are ways to write each digit, as paths in a box of 100 by 100: M moves the pen, L draws a line and C a cubic
// curve, as in SVG.
var shapes = [10][]string{
	{
		"M 55 3 C 10 0 5 98 50 98 C 95 98 95 5 52 3",
		"M 70 12 C 40 -12 5 20 12 60 C 20 110 80 108 86 55 C 90 20 70 2 50 6",
	},
	{
		"M 50 0 L 50 100",
		"M 28 24 L 52 0 L 52 100",
		"M 28 24 L 52 0 L 52 100 M 24 100 L 80 100",
	},
	{
		"M 15 25 C 20 -10 85 -10 80 30 C 78 55 30 80 12 100 L 88 100",
		"M 18 22 C 30 -8 85 -5 78 32 C 72 60 45 85 30 92 C 10 98 10 78 28 80 C 45 84 60 100 88 92",
		"M 14 12 C 60 -10 95 10 72 45 L 15 98 L 86 96",
	},
	{
		"M 15 10 C 50 -8 90 10 75 32 C 68 45 50 47 38 47 C 75 45 95 65 80 85 C 65 105 25 100 10 88",
		"M 15 5 L 80 5 L 45 42 C 85 40 95 75 75 90 C 55 105 25 98 12 88",
		"M 18 18 C 30 -5 80 -5 76 25 C 74 44 60 46 45 46 C 85 46 90 98 48 98 C 28 98 16 90 14 80",
	},
	{
		"M 30 0 C 25 25 18 45 15 58 L 88 55 M 68 25 L 65 100",
		"M 65 100 L 65 0 L 10 68 L 90 68",
		"M 20 5 L 18 50 L 78 48 M 75 0 L 75 100",
		"M 52 0 L 12 62 L 88 62 M 64 35 L 62 100",
	},
	{
		"M 80 3 L 25 3 L 20 45 C 50 30 90 45 82 75 C 75 102 35 102 12 88",
		"M 78 5 L 30 8 C 25 25 22 35 22 45 C 60 38 85 55 78 78 C 70 100 35 100 15 92",
		"M 26 5 L 22 48 C 60 34 88 58 78 80 C 66 104 30 100 14 90 M 26 5 L 84 4",
	},
	{
		"M 70 2 C 30 15 10 60 18 82 C 25 105 78 104 78 75 C 78 50 30 48 18 78",
		"M 56 0 C 38 25 15 55 16 75 C 18 108 84 106 80 72 C 76 46 26 52 17 78",
		"M 84 14 C 60 -8 16 10 16 60 C 16 110 84 104 82 72 C 80 44 34 42 18 68",
	},
	{
		"M 10 5 L 85 5 L 40 100",
		"M 10 5 L 85 5 L 42 100 M 28 52 L 78 50",
		"M 10 10 C 40 2 60 4 85 5 C 65 35 45 60 42 100",
		"M 12 22 L 12 4 L 86 4 L 46 100",
	},
	{
		"M 75 15 C 55 -8 15 0 22 25 C 28 45 80 55 80 78 C 78 105 18 105 18 78 C 18 55 72 45 77 22 C 78 15 76 12 72 10",
		"M 50 45 C 15 45 20 2 50 2 C 82 2 82 45 50 45 C 8 45 8 98 50 98 C 92 98 92 45 50 45",
		"M 78 14 C 60 -8 20 -2 24 24 C 28 48 76 50 76 78 C 76 104 24 104 24 80 C 24 60 66 40 80 10",
	},
	{
		"M 78 25 C 70 -5 20 -5 20 28 C 20 58 75 58 78 25 L 72 100",
		"M 78 25 C 70 -5 20 -5 20 28 C 20 58 75 58 78 25 L 78 60 C 75 95 45 102 22 92",
		"M 76 16 C 50 -12 12 10 20 34 C 28 56 74 50 78 14 C 80 40 76 70 60 100",
	},
}

// strokes parses a path; every curve becomes as many points as pen needs. Each point of the path moves by normal
// numbers of the standard deviation jitter.
func strokes(path string, jitter float64, rng *rand.Rand) [][]point {
	var out [][]point
	words := strings.Fields(path)
	read := func(n int) []point {
		p := make([]point, n)
		for i := range p {
			if _, err := fmt.Sscan(words[0]+" "+words[1], &p[i].x, &p[i].y); err != nil {
				panic(err)
			}
			p[i].x, p[i].y = p[i].x+jitter*rng.NormFloat64(), p[i].y+jitter*rng.NormFloat64()
			words = words[2:]
		}
		return p
	}
	for len(words) > 0 {
		verb := words[0]
		words = words[1:]
		last := len(out) - 1
		switch verb {
		case "M":
			out = append(out, read(1))
		case "L":
			out[last] = append(out[last], read(1)...)
		case "C":
			a, p := out[last][len(out[last])-1], read(3)
			const pieces = 12
			for i := 1; i <= pieces; i++ {
				t := float64(i) / pieces
				u := 1 - t
				b := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
				out[last] = append(out[last], point{
					b[0]*a.x + b[1]*p[0].x + b[2]*p[1].x + b[3]*p[2].x,
					b[0]*a.y + b[1]*p[0].y + b[2]*p[1].y + b[3]*p[2].y,
				})
			}
		}
	}
	return out
}

// write makes a picture of a digit, as some hand would write it: one of its shapes, whose points are off a little,
// stretched, slanted and turned, bent by two waves, and drawn by a thin or thick pen.
func write(digit int, rng *rand.Rand) []float64 {
	s := strokes(shapes[digit][rng.IntN(len(shapes[digit]))], 6, rng)
	wide, slant, turn := .5+.6*rng.Float64(), .3*rng.NormFloat64(), .15*rng.NormFloat64()
	var waves [2]struct{ x, y, phase, right, down float64 }
	for i := range waves {
		w := &waves[i]
		w.x, w.y, w.phase = rng.NormFloat64()/30, rng.NormFloat64()/30, 2*math.Pi*rng.Float64()
		w.right, w.down = 5*rng.NormFloat64(), 5*rng.NormFloat64()
	}
	sin, cos := math.Sincos(turn)
	for _, line := range s {
		for i, p := range line {
			for _, w := range waves {
				v := math.Sin(w.x*line[i].x + w.y*line[i].y + w.phase)
				p.x, p.y = p.x+w.right*v, p.y+w.down*v
			}
			p.x = wide*p.x - slant*p.y
			line[i] = point{cos*p.x - sin*p.y, sin*p.x + cos*p.y}
		}
	}
	return picture(s, .8+1.1*rng.Float64())
}

// made are n pictures, as many of each digit, and their labels.
func made(n int, seed uint64) *data.Set {
	rng := rand.New(spectral.Stream(seed, "digits"))
	x, labels := make([]float64, 0, n*side*side), make([]string, n)
	for i := range n {
		labels[i] = fmt.Sprint(i % 10)
		x = append(x, write(i%10, rng)...)
	}
	return &data.Set{X: tensor.New(tensor.WithShape(n, side*side), tensor.WithBacking(x)), Labels: labels}
}
