package layers

import (
	"fmt"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// LandmarkChoice says which rows of a sample become landmarks.
type LandmarkChoice int

const (
	// UniformLandmarks draws rows without replacement. It is the default.
	UniformLandmarks LandmarkChoice = iota
	// PlusPlusLandmarks draws a row with a probability in proportion to its squared distance from the landmarks so far,
	// in the metric of the kernel, k(x, x) + k(l, l) - 2k(x, l): the start of k-means++ (Arthur and Vassilvitskii
	// 2007). It calls the kernel for every row of the sample and every landmark.
	PlusPlusLandmarks
)

func (c LandmarkChoice) String() string {
	switch c {
	case UniformLandmarks:
		return "uniform"
	case PlusPlusLandmarks:
		return "k-means++"
	default:
		return fmt.Sprintf("LandmarkChoice(%d)", int(c))
	}
}

// nystromOptions are the options of a Nyström map.
type nystromOptions struct {
	landmarks int // 0: as many as features
	choice    LandmarkChoice
	floor     *float64 // nil: by the element type
}

// WithLandmarks sets the number of landmarks of a Nyström map. The default is one a feature; with more, the features
// are the leading eigenvectors of a larger matrix.
func WithLandmarks(n int) Option {
	return option("WithLandmarks", func(o *options) { o.nystrom.landmarks = n })
}

// WithLandmarkChoice sets how the landmarks are chosen. The default is UniformLandmarks.
func WithLandmarkChoice(c LandmarkChoice) Option {
	return option("WithLandmarkChoice", func(o *options) { o.nystrom.choice = c })
}

// WithEigenvalueFloor sets the share of the largest eigenvalue of the landmarks' kernel matrix below which an
// eigenvalue counts as 0: its feature is 0. The default is 1e-12, and 1e-6 in float32.
func WithEigenvalueFloor(share float64) Option {
	return option("WithEigenvalueFloor", func(o *options) { o.nystrom.floor = &share })
}

// relativeFloor is the share.
func (o options) relativeFloor() float64 {
	switch {
	case o.nystrom.floor != nil:
		return *o.nystrom.floor
	case o.dt == tensor.Float32:
		return 1e-6
	}
	return 1e-12
}

// landmarks are the numbers of m rows of the sample, which has at least so many, rising.
func (o options) landmarks(k spectral.Kernel, sample *tensor.Dense, m int) ([]int, error) {
	n, rng := sample.Shape()[0], rand.New(spectral.Stream(o.sourceSeed(), "landmarks"))
	if m == n || o.nystrom.choice == UniformLandmarks {
		rows := rng.Perm(n)[:m]
		slices.Sort(rows)
		return rows, nil
	}
	self := make([]float64, n) // k(x, x)
	for i := range n {
		g, err := spectral.Gram(k, ops.Rows(sample, i, i+1), nil)
		if err != nil {
			return nil, err
		}
		self[i] = g.At(0, 0)
	}
	rows, chosen := []int{rng.IntN(n)}, make([]bool, n)
	square := slices.Repeat([]float64{-1}, n) // from the nearest landmark; -1: none yet
	for {
		last := rows[len(rows)-1]
		if chosen[last] = true; len(rows) == m {
			slices.Sort(rows)
			return rows, nil
		}
		g, err := spectral.Gram(k, sample, ops.Rows(sample, last, last+1))
		if err != nil {
			return nil, err
		}
		for i := range n {
			if d := max(0, self[i]+self[last]-2*g.At(i, 0)); square[i] < 0 || d < square[i] {
				square[i] = d
			}
			if chosen[i] {
				square[i] = 0
			}
		}
		rows = append(rows, drawIndex(square, chosen, rng))
	}
}

// drawIndex draws an index in proportion to the weights, and one that is not chosen yet where all are 0.
func drawIndex(weights []float64, chosen []bool, rng *rand.Rand) int {
	left, last := rng.Float64()*floats.Sum(weights), slices.Index(chosen, false)
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if last = i; left < w {
			break
		}
		left -= w
	}
	return last
}
