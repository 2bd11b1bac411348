package cli

import (
	"fmt"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// The made sets of samples.
const (
	madeBags    = 1000
	madeSamples = 60 // of a set, to twice that
)

// Made are sets of samples, or histograms.
func Made(bags bool, seed uint64) (*data.Set, error) {
	if bags {
		return makeBags(seed)
	}
	return MakeHistograms(seed), nil
}

// makeBags draws sets of samples in the unit square, seeded. Class a is a normal distribution, class b a mixture of
// two, class c a ring. All have the same means and variances on average, so that only the shape of a set tells them
// apart.
func makeBags(seed uint64) (*data.Set, error) {
	rng := rand.New(spectral.Stream(seed, "made sets of samples"))
	const spread = .09
	var x []float64
	offsets, labels := []int{0}, make([]string, madeBags)
	for i := range madeBags {
		cx, cy, turn := .35+.3*rng.Float64(), .35+.3*rng.Float64(), 2*math.Pi*rng.Float64()
		size := madeSamples + rng.IntN(madeSamples)
		for range size {
			a, b := spread*rng.NormFloat64(), spread*rng.NormFloat64()
			switch i % 3 {
			case 1: // variances spread²(.9 + .1) along one axis
				a = math.Copysign(spread*math.Sqrt(.9), a) + math.Sqrt(.1)*spread*rng.NormFloat64()
			case 2:
				angle, radius := 2*math.Pi*rng.Float64(), spread*math.Sqrt(1.9)+math.Sqrt(.1)*spread*rng.NormFloat64()
				a, b = radius*math.Cos(angle), radius*math.Sin(angle)
			}
			s, c := math.Sincos(turn)
			x = append(x, inCube(cx+c*a-s*b), inCube(cy+s*a+c*b))
		}
		offsets, labels[i] = append(offsets, offsets[i]+size), fmt.Sprintf("%c", 'a'+i%3)
	}
	bags, err := ops.NewBags(tensor.New(tensor.WithShape(len(x)/2, 2), tensor.WithBacking(x)), offsets)
	return &data.Set{X: bags, Labels: labels, Names: []string{"x1", "x2"}, Source: "made sets of samples"}, err
}

func inCube(v float64) float64 { return math.Min(1, math.Max(0, v)) }
