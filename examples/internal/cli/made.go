package cli

import (
	"fmt"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// The made data: bags of words in pairs of classes that no linear function of the counts tells apart.
const (
	madeRows    = 5000
	madeClasses = 6
	madeDims    = 60
	madeWords   = 80
)

// MakeHistograms draws counts of words, seeded. Each class has two topics of its own, which share the same mean over
// all classes of a pair: class 2p is "topic a or topic b", class 2p+1 is "the mix of both", so that the classes of a
// pair have equal mean histograms and only the shape of a row tells them apart.
func MakeHistograms(seed uint64) *data.Set {
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
	return &data.Set{X: tensor.New(tensor.WithShape(madeRows, madeDims), tensor.WithBacking(x)), Labels: labels, Source: "made histograms"}
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
	for i, s := range sums {
		if u < s {
			return i
		}
	}
	return len(sums) - 1
}
