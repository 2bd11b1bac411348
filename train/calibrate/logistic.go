package calibrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// logistic is the problem of softmax(β x + b): the mean cross-entropy with the targets t of n rows, and a penalty,
//
//	L(β, b) = (1/n) Σᵢ [ log Σ_c exp(β x_ic + b_c) - Σ_c t_ic (β x_ic + b_c) ] + penalty ‖b‖²/2n.
//
// It is convex. A point is β and then the first biases; the others are 0.
type logistic struct {
	x, t    *mat.Dense // [n, k]
	penalty float64
}

// smoothed returns the targets of labels: (n+1)/(n+2) for the class of a row, and the other classes share the rest. That
// keeps β finite even if all rows are classified correctly.
func smoothed(labels []int, k int) *mat.Dense {
	rest, t := leftover(len(labels)), mat.NewDense(len(labels), k, nil)
	for i, l := range labels {
		row := t.RawRowView(i)
		floats.AddConst(rest/float64(k-1), row)
		row[l] = 1 - rest
	}
	return t
}

// loss returns the value at a point, and writes the gradient unless it is nil, and the Hessian, which is for at most one
// bias, unless it is nil.
func (f *logistic) loss(grad []float64, hess *mat.SymDense, at []float64) (value float64) {
	n, k := f.x.Dims()
	size, logits := float64(n), make([]float64, k)
	var h [3]float64 // of β and β, β and b, b and b
	clear(grad)
	for i := range n {
		x, t := f.x.RawRowView(i), f.t.RawRowView(i)
		for j, v := range x {
			if logits[j] = at[0] * v; 1+j < len(at) {
				logits[j] += at[1+j]
			}
		}
		sum := floats.LogSumExp(logits)
		mean, square := 0., 0.
		for j, v := range logits {
			p := math.Exp(v - sum)
			value += t[j] * (sum - v) / size
			mean += p * x[j]
			square += p * x[j] * x[j]
			if grad != nil {
				grad[0] += (p - t[j]) * x[j] / size
				if 1+j < len(at) {
					grad[1+j] += (p - t[j]) / size
				}
			}
		}
		p := math.Exp(logits[0] - sum)
		h[0] += max(square-mean*mean, 0) / size
		h[1] += p * (x[0] - mean) / size
		h[2] += p * (1 - p) / size
	}
	for j, b := range at[1:] {
		value += f.penalty * b * b / (2 * size)
		if grad != nil {
			grad[1+j] += f.penalty * b / size
		}
	}
	for i := range at {
		for j := 0; hess != nil && j <= i; j++ {
			hess.SetSym(i, j, h[i+j])
		}
	}
	return value
}

// minimise returns the best point, by Newton steps with at most one bias and otherwise by L-BFGS (Liu and Nocedal 1989).
// Where rounding leaves nothing to gain the search ends with an error at the best point so far.
func (f *logistic) minimise(start ...float64) []float64 {
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return f.loss(nil, nil, x) },
		Grad: func(grad, x []float64) { f.loss(grad, nil, x) },
	}
	settings := optimize.Settings{GradientThreshold: 1e-10, MajorIterations: 500, Converger: optimize.NeverTerminate{}}
	var method optimize.Method = &optimize.LBFGS{}
	if len(start) <= 2 {
		problem.Hess = func(hess *mat.SymDense, x []float64) { f.loss(nil, hess, x) }
		settings.GradientThreshold, method = 1e-15, &optimize.Newton{}
	}
	r, _ := optimize.Minimize(problem, slices.Clone(start), &settings, method)
	if r != nil && finite(r.X...) && finite(r.F) {
		return r.X
	}
	return start
}

// below is how far a score is below the largest of its row, times unit.
func below(scores *mat.Dense, unit float64) *mat.Dense {
	out := mat.DenseCopyOf(scores)
	for i := range out.RawMatrix().Rows {
		row := out.RawRowView(i)
		most := floats.Max(row)
		for j, v := range row {
			row[j] = unit * (v - most)
		}
	}
	return out
}

// fitTemperature minimises the cross-entropy over β = 1/T >= 0, with b = 0.
func (p *Parameters) fitTemperature(scores *mat.Dense, labels []int) error {
	n, k := scores.Dims()
	p.Inverse = new(float64)
	x, size := below(scores, 1), 0. // the mean of the ranges
	for i := range n {
		size -= floats.Min(x.RawRowView(i)) / float64(n)
	}
	switch {
	case size == 0:
		return nil
	case !(size > 1e-290 && size < 1e290):
		return fmt.Errorf("train: Calibration: the scores of a row differ by %v; scale them: %w", size,
			domain.ErrDomain)
	}
	x.Apply(func(_, _ int, v float64) float64 { return v / size }, x)
	f, slope := &logistic{x: x, t: smoothed(labels, k)}, []float64{0}
	if f.loss(slope, nil, []float64{0}); slope[0] < 0 { // otherwise the scores are no better than none
		*p.Inverse = max(f.minimise(1)[0], 0) / size
	}
	return nil
}

// fitBias minimises the cross-entropy over β >= 0 and b, with the penalty 1, from the best temperature without b. The
// penalty makes b unique and keeps the bias of a class without rows finite.
func (p *Parameters) fitBias(scores *mat.Dense, labels []int) error {
	if err := p.fitTemperature(scores, labels); err != nil {
		return err
	}
	f, unit := p.biases(scores, labels), *p.Inverse
	start := make([]float64, 1+p.Classes)
	if unit > 0 {
		start[0] = 1
	}
	at := f.minimise(start...)
	if at[0] < 0 { // the scores are no better than none
		f.x.Zero()
		at = f.minimise(make([]float64, 1+p.Classes)...)
	}
	*p.Inverse, p.Bias = unit*max(at[0], 0), at[1:]
	return nil
}

// biases is the problem of fitBias, with the scores in the unit in which β is about 1.
func (p *Parameters) biases(scores *mat.Dense, labels []int) *logistic {
	return &logistic{x: below(scores, *p.Inverse), t: smoothed(labels, p.Classes), penalty: 1}
}

// tempered is softmax(s/T + b).
func (p *Parameters) tempered(dst, s []float64) {
	most := floats.Max(s)
	for j, v := range s {
		if dst[j] = 0; *p.Inverse > 0 {
			dst[j] = max(*p.Inverse*(v-most), -math.MaxFloat64/2)
		}
		if p.Bias != nil {
			dst[j] += p.Bias[j]
		}
	}
	softmax(dst)
}

// Sigmoid is σ(Slope·(s - Centre)/Width + Offset). Centre and Width scale the scores so that nothing overflows.
type Sigmoid struct {
	Centre float64 `json:"centre"`
	Width  float64 `json:"width"`
	Slope  float64 `json:"slope"`
	Offset float64 `json:"offset"`
}

// log is the logarithm of the probability.
func (f Sigmoid) log(s float64) float64 {
	logit := f.Offset
	if f.Slope != 0 {
		logit += f.Slope * ((s - f.Centre) / f.Width)
	}
	return -floats.LogSumExp([]float64{0, -min(max(logit, -FarLogit), FarLogit)})
}

// fitSigmoid minimises the cross-entropy of σ with Platt's targets over slope and offset: of two classes with the scores
// s and 0, and a bias of the first.
func fitSigmoid(s []float64, labels []int, class int) Sigmoid {
	least, most := floats.Min(s), floats.Max(s)
	f := Sigmoid{Centre: least/2 + most/2, Width: most/2 - least/2}
	if !(f.Width > 0) {
		f.Width = 1
	}
	positive := 0
	for _, l := range labels {
		if l == class {
			positive++
		}
	}
	negative := len(s) - positive
	x, t := mat.NewDense(len(s), 2, nil), mat.NewDense(len(s), 2, nil)
	for i, v := range s {
		x.Set(i, 0, (v-f.Centre)/f.Width)
		target := leftover(negative)
		if labels[i] == class {
			target = 1 - leftover(positive)
		}
		t.SetRow(i, []float64{target, 1 - target})
	}
	at := (&logistic{x: x, t: t}).minimise(0, math.Log(float64(positive+1)/float64(negative+1)))
	f.Slope, f.Offset = at[0], at[1]
	return f
}

func (p *Parameters) fitSigmoids(scores *mat.Dense, labels []int) error {
	for j := range p.Classes {
		p.Sigmoids = append(p.Sigmoids, fitSigmoid(mat.Col(nil, j, scores), labels, j))
	}
	return nil
}

func (p *Parameters) platt(dst, s []float64) {
	for j, f := range p.Sigmoids {
		dst[j] = f.log(s[j])
	}
	softmax(dst)
}

func (f Sigmoid) unusable() bool {
	return !finite(f.Centre, f.Width, f.Slope, f.Offset) || !(f.Width > 0)
}
