package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// fitBiased minimises the mean cross-entropy of softmax(β s + b) with the targets of fitTemperature, plus ‖b‖²/2n, over
// β >= 0 and b. It runs L-BFGS (Liu and Nocedal 1989) from the best temperature without bias. The problem is convex.
// The penalty makes b unique and keeps the bias of a class without rows finite.
func fitBiased(scores *mat.Dense, labels []int) (inverse float64, bias []float64, err error) {
	start, err := fitTemperature(scores, labels)
	if err != nil {
		return 0, nil, err
	}
	_, k := scores.Dims()
	unit := 0.0 // in which β is of the size of 1
	if start > 0 {
		unit = start
		x := minimised(&biased{scores, labels, unit}, k)
		if x[0] >= 0 {
			return x[0] * unit, x[1:], nil
		}
	}
	return 0, minimised(&biased{scores, labels, 0}, k)[1:], nil // the scores are no better than none
}

// minimised returns β in the unit of b, and the biases.
func minimised(b *biased, k int) []float64 {
	x := make([]float64, 1+k)
	if b.unit > 0 {
		x[0] = 1
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return b.loss(nil, x) },
		Grad: func(grad, x []float64) { b.loss(grad, x) },
	}
	settings := optimize.Settings{GradientThreshold: 1e-10, MajorIterations: 500, Converger: optimize.NeverTerminate{}}
	// Where rounding leaves nothing to gain the search ends with an error at the best point so far.
	if r, _ := optimize.Minimize(problem, slices.Clone(x), &settings, &optimize.LBFGS{}); r != nil && finite(r.X...) && finite(r.F) {
		return r.X
	}
	return x
}

// biased is the loss as a function of β in a unit, and of the biases.
type biased struct {
	scores *mat.Dense
	labels []int
	unit   float64
}

// loss returns the value and writes the gradient to grad unless grad is nil.
func (f *biased) loss(grad, x []float64) (value float64) {
	n, k := f.scores.Dims()
	size, rest := float64(n), leftover(n)
	for j := range grad {
		grad[j] = 0
	}
	logits, p, below := make([]float64, k), make([]float64, k), make([]float64, k)
	for i, l := range f.labels {
		row := f.scores.RawRowView(i)
		most := row[top(row)]
		for j, v := range row {
			below[j] = f.unit * (v - most)
			logits[j] = x[0]*below[j] + x[1+j]
		}
		sum := floats.LogSumExp(logits)
		for j, v := range logits {
			target := rest / float64(k-1)
			if j == l {
				target = 1 - rest
			}
			value += target * (sum - v) / size
			if grad != nil {
				p[j] = (math.Exp(v-sum) - target) / size
				grad[0] += p[j] * below[j]
				grad[1+j] += p[j]
			}
		}
	}
	for j, b := range x[1:] {
		value += b * b / (2 * size)
		if grad != nil {
			grad[1+j] += b / size
		}
	}
	return value
}
