package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// Sizes of the synthetic histograms.
const (
	madeRows    = 5000
	madeClasses = 6
	madeDims    = 60
	madeWords   = 80
)

// SyntheticHistograms draws 5000 bags of 80 words, as counts of 60 words, in six classes that come in pairs. A pair has
// two topics: a row of its first class is mostly of one of them, a row of the second is a mixture of both. The classes
// of a pair have the same mean histogram, so that no linear function of the counts separates them.
func SyntheticHistograms(seed uint64) *Set {
	rng := rand.New(spectral.Stream(seed, "made histograms"))
	topics := make([][]float64, madeClasses) // two for each pair of classes
	for i := range topics {
		topics[i] = topic(rng)
	}
	x := make([]float64, madeRows*madeDims)
	labels := make([]string, madeRows)
	for i := range madeRows {
		class := i % madeClasses
		a, b := topics[class/2*2], topics[class/2*2+1]
		share := .5
		if class%2 == 0 {
			share = float64(rng.IntN(2))
		}
		share = .8*share + .2*rng.Float64()
		row := x[i*madeDims : (i+1)*madeDims]
		for range madeWords {
			if rng.Float64() < share {
				row[word(a, rng)]++
			} else {
				row[word(b, rng)]++
			}
		}
		labels[i] = fmt.Sprintf("%c%d", 'a'+class/2, class%2+1)
	}
	return &Set{X: tensor.New(tensor.WithShape(madeRows, madeDims), tensor.WithBacking(x)), Labels: labels, Source: "synthetic histograms"}
}

// topic is a sparse distribution over the words, as running sums.
func topic(rng *rand.Rand) []float64 {
	p, sum := make([]float64, madeDims), 0.0
	for i := range p {
		p[i] = math.Pow(rng.Float64(), 4)
		sum += p[i]
	}
	run := 0.0
	for i := range p {
		run += p[i] / sum
		p[i] = run
	}
	return p
}

// word draws a word of a topic.
func word(sums []float64, rng *rand.Rand) int {
	u := rng.Float64() * sums[len(sums)-1]
	return sort.Search(len(sums)-1, func(i int) bool { return u < sums[i] })
}

// Sizes of the synthetic sets of samples.
const (
	madeBags    = 1000
	madeSamples = 60 // of a set, to twice that
)

// SyntheticBags draws 1000 sets of 60 to 119 samples in the unit square. Class a is a normal distribution, class b a
// mixture of two, class c a ring. All have the same means and variances on average, so that only the shape of a set
// tells them apart. The error is that of ops.NewBags.
func SyntheticBags(seed uint64) (*Set, error) {
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
			x = append(x, min(1, max(0, cx+c*a-s*b)), min(1, max(0, cy+s*a+c*b)))
		}
		offsets, labels[i] = append(offsets, offsets[i]+size), fmt.Sprintf("%c", 'a'+i%3)
	}
	bags, err := ops.NewBags(tensor.New(tensor.WithShape(len(x)/2, 2), tensor.WithBacking(x)), offsets)
	return &Set{X: bags, Labels: labels, Names: []string{"x1", "x2"}, Source: "synthetic sets of samples"}, err
}
