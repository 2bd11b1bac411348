package onnx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/linear"
)

// outputs adds the head and the outputs of the options, and returns all outputs of the graph.
func (g *graph) outputs(m *train.Model, z value, o Options) (outs []output) {
	k := m.Head.Features()
	if !slices.Contains(layers.HeadKinds(), m.Head.Kind()) {
		g.fail(fmt.Errorf("train: onnx: the head %q has no form in ONNX; use one of %q: %w", m.Head.Kind(), layers.HeadKinds(), domain.ErrParam))
		return nil
	}
	sums := g.within("head", func() value { return g.affine(z, g.params(m.Head), m.Head.Dims(), k) })
	scores := sums
	softmax := []attribute{{name: "axis", one: 1}}
	if m.Head.Classifies() {
		scores = g.opWith("Softmax", softmax, sums)
	}
	doc := "predicted targets"
	switch {
	case m.Head.Classifies():
		doc = "probabilities of the classes"
	case m.Classes != nil:
		doc = "scores of the classes"
	}
	outs = append(outs, g.output(Scores, scores, k, doc))
	if m.Classes != nil {
		class := g.opWith("ArgMax", []attribute{{name: "axis", one: 1}, {name: "keepdims", one: 0}}, scores)
		outs = append(outs, output{name: g.named(Class, class), elem: elemInt64, doc: "the place of the largest score, from 0"})
		if o.Labels {
			label := g.opWith("Gather", []attribute{{name: "axis", one: 0}}, g.words("classes", m.Classes), class)
			outs = append(outs, output{name: g.named(Label, label), elem: elemString, doc: "the name of the class"})
		}
	}
	if o.Probabilities {
		if m.Head.Classifies() {
			sums = g.opWith("LogSoftmax", softmax, sums)
			sums = g.op("Max", sums, g.scalar(-126*math.Ln2)) // as calibrate.LogProbabilities
		}
		p := g.within("calibration", func() value { return g.calibrated(sums, m.Uncertainty.Calibration) })
		outs = append(outs, g.output(Probabilities, p, k, "calibrated probabilities of the classes"))
	}
	if o.Std {
		function, target := g.deviations(z, m.Uncertainty.Posterior, m.Head)
		outs = append(outs, g.output(FunctionStd, function, k, "standard deviations of the function, in the unit of the targets"),
			g.output(Std, target, k, "standard deviations of targets, in their unit"))
	}
	if o.Features {
		outs = append(outs, g.output(Features, z, m.Map.Features(), "features of the map"))
	}
	return outs
}

// check refuses options for what the model does not have.
func (o Options) check(m *train.Model) error {
	u := m.Uncertainty
	switch {
	case o.Labels && m.Classes == nil:
		return fmt.Errorf("train: onnx: Labels are asked for, and a regression model has no classes; leave them out: %w", domain.ErrParam)
	case o.Probabilities && (m.Classes == nil || u == nil || u.Calibration == nil):
		return fmt.Errorf("train: onnx: Probabilities are asked for, and the model has not learned a calibration; use Recipe.Uncertainty, or leave them out: %w", domain.ErrParam)
	case o.Probabilities && u.Laplace != nil:
		return fmt.Errorf("train: onnx: Probabilities are asked for, and those of a Laplace approximation are not exported; learn the calibration without it, or leave them out: %w", domain.ErrParam)
	case o.Probabilities && u.Calibration.Classes() != m.Head.Features():
		return fmt.Errorf("train: onnx: the calibration is of %d classes, and the head has %d outputs: %w", u.Calibration.Classes(), m.Head.Features(), domain.ErrShape)
	case o.Std && (u == nil || u.Posterior == nil):
		return fmt.Errorf("train: onnx: Std is asked for, and the model has no posterior; use Recipe.Uncertainty on targets, or leave it out: %w", domain.ErrParam)
	}
	return nil
}

// calibration is the JSON of a calibrate.Calibration. An unknown field is an error, so that no method is taken for
// another.
type calibration struct {
	Method   string    `json:"method"`
	Classes  int       `json:"classes"`
	Inverse  float64   `json:"inverseTemperature"`
	Bias     []float64 `json:"bias"`
	Sigmoids []struct{ Centre, Width, Slope, Offset float64 }
	Floor    float64
	Steps    []struct{ X, Y []float64 }
}

// calibrated are the calibrated probabilities for scores [N, k].
func (g *graph) calibrated(s value, c *calibrate.Calibration) value {
	text, err := c.MarshalJSON()
	var of calibration
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(&of)
	}
	if err != nil {
		g.fail(fmt.Errorf("train: onnx: the calibration: %w", err))
		return ""
	}
	softmax := []attribute{{name: "axis", one: 1}}
	switch c.Method() {
	case calibrate.Temperature:
		return g.opWith("Softmax", softmax, g.times(s, of.Inverse))
	case calibrate.TemperatureBias:
		return g.opWith("Softmax", softmax, g.op("Add", g.times(s, of.Inverse), g.row("bias", of.Bias)))
	case calibrate.Platt:
		// The logarithm of σ(slope (s - centre)/width + offset) is -softplus of the negative.
		centre, slope, offset := []float64(nil), []float64(nil), []float64(nil)
		for _, f := range of.Sigmoids {
			centre, slope, offset = append(centre, f.Centre), append(slope, -f.Slope/f.Width), append(offset, -f.Offset)
		}
		logit := g.op("Add", g.op("Mul", g.less(s, "centre", centre), g.row("slope", slope)), g.row("offset", offset))
		logit = g.op("Clip", logit, g.scalar(-farLogit), g.scalar(farLogit))
		return g.opWith("Softmax", softmax, g.op("Neg", g.softplus(logit)))
	case calibrate.Isotonic:
		return g.isotonic(s, of)
	}
	g.fail(fmt.Errorf("train: onnx: the calibration by %v has no form in ONNX; use another method, or leave Probabilities out: %w", c.Method(), domain.ErrParam))
	return ""
}

// farLogit is a logit at which a sigmoid is 0 or 1 to all digits, as in package calibrate.
const farLogit = 700

// isotonic applies the functions of the scores, and normalises them to the sum 1.
func (g *graph) isotonic(s value, of calibration) value {
	points := 0
	for _, f := range of.Steps {
		points = max(points, len(f.X))
	}
	var knots, numbers []float64
	for _, f := range of.Steps {
		end := len(f.X) - 1
		for i := range points {
			knots, numbers = append(knots, f.X[min(i, end)]), append(numbers, f.Y[min(i, end)])
		}
	}
	p := g.reshape(g.interpolate(g.between(s, knots, len(of.Steps)), knots, numbers, len(of.Steps), points, 1), int64(len(of.Steps)))
	return g.op("Div", p, g.sumColumns(p, 1))
}

// deviations are √(σ² v(z)) and √(σ² (1 + v(z))) of a linear.Posterior, with v(z) = 1/n + ‖L⁻¹(z - z̄)‖².
func (g *graph) deviations(z value, of *linear.Posterior, head layers.Head) (function, target value) {
	tensors := map[string][]float64{}
	for name, t := range of.Tensors() {
		tensors[name] = ops.Float64s(t)
	}
	mean, noise, packed, mass := tensors["z_mean"], tensors["noise"], tensors["inverse_factor"], tensors["mass"]
	d := len(mean)
	if d == 0 || len(packed) != d*(d+1)/2 || len(mass) != 1 || len(noise) == 0 {
		g.fail(fmt.Errorf("train: onnx: the posterior is empty; make it by linear.RidgeStats.Posterior: %w", domain.ErrParam))
		return "", ""
	}
	if d != head.Dims() || len(noise) != head.Features() {
		g.fail(fmt.Errorf("train: onnx: the posterior is of %d features and %d targets, and the head of %d and %d: %w", d, len(noise), head.Dims(), head.Features(), domain.ErrShape))
		return "", ""
	}
	factor := make([]float64, d*d) // (L⁻¹)ᵀ
	for i := range d {
		for j := range i + 1 {
			factor[j*d+i] = packed[i*(i+1)/2+j]
		}
	}
	sum := g.within("posterior", func() value {
		y := g.op("MatMul", g.less(z, "mean", mean), g.weights("factor", factor, d, d))
		return g.op("Add", g.sumColumns(g.square(y), 1), g.scalar(1/mass[0]))
	})
	variances := g.row("noise", noise)
	function = g.op("Sqrt", g.op("Mul", sum, variances))
	return function, g.op("Sqrt", g.op("Mul", g.op("Add", sum, g.scalar(1)), variances))
}
