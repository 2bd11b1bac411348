package onnx

import (
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
		fail(domain.ErrParam, "the head %q has no form in ONNX; use one of %q", m.Head.Kind(), layers.HeadKinds())
	}
	sums := g.within("head", func() value { return g.affine(z, paramsOf(m.Head), m.Head.Dims(), k) })
	scores := sums
	if m.Head.Classifies() {
		scores = g.softmax("Softmax", sums)
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
		outs = append(outs, output{name: g.named(Class, class), elem: elemInt64,
			doc: "the place of the largest score, from 0"})
		if o.Labels {
			label := g.opWith("Gather", []attribute{{name: "axis", one: 0}}, g.words("classes", m.Classes), class)
			outs = append(outs, output{name: g.named(Label, label), elem: elemString, doc: "the name of the class"})
		}
	}
	if o.Probabilities {
		if m.Head.Classifies() {
			sums = g.softmax("LogSoftmax", sums)
			sums = g.op("Max", sums, g.scalar(math.Log(calibrate.LeastProbability)))
		}
		p := g.within("calibration", func() value { return g.calibrated(sums, m.Uncertainty.Calibration) })
		outs = append(outs, g.output(Probabilities, p, k, "calibrated probabilities of the classes"))
	}
	if o.Std {
		function, target := g.deviations(z, m.Uncertainty.Posterior, m.Head)
		outs = append(outs, g.output(FunctionStd, function, k,
			"standard deviations of the function, in the unit of the targets"),
			g.output(Std, target, k, "standard deviations of targets, in their unit"))
	}
	if o.Features {
		outs = append(outs, g.output(Features, z, m.Map.Features(), "features of the map"))
	}
	return outs
}

// softmax is Softmax or LogSoftmax of each row.
func (g *graph) softmax(kind string, x value) value {
	return g.opWith(kind, []attribute{{name: "axis", one: 1}}, x)
}

// check refuses options for what the model does not have.
func (o Options) check(m *train.Model) {
	u := m.Uncertainty
	switch {
	case o.Labels && m.Classes == nil:
		fail(domain.ErrParam, "Labels are asked for, and a regression model has no classes; leave them out")
	case o.Probabilities && (m.Classes == nil || u == nil || u.Calibration == nil):
		fail(domain.ErrParam,
			"Probabilities are asked for, and the model has not learned a calibration; "+
				"use Recipe.Uncertainty, or leave them out")
	case o.Probabilities && u.Laplace != nil:
		fail(domain.ErrParam,
			"Probabilities are asked for, and those of a Laplace approximation are not exported; "+
				"learn the calibration without it, or leave them out")
	case o.Probabilities && u.Calibration.Classes() != m.Head.Features():
		fail(domain.ErrShape, "the calibration is of %d classes, and the head has %d outputs", u.Calibration.Classes(),
			m.Head.Features())
	case o.Std && (u == nil || u.Posterior == nil):
		fail(domain.ErrParam,
			"Std is asked for, and the model has no posterior; use Recipe.Uncertainty on targets, or leave it out")
	}
}

// calibrated are the calibrated probabilities for scores [N, k].
func (g *graph) calibrated(s value, c *calibrate.Calibration) value {
	switch of := c.Parameters(); of.Method {
	case calibrate.Temperature:
		return g.softmax("Softmax", g.times(s, *of.Inverse))
	case calibrate.TemperatureBias:
		return g.softmax("Softmax", g.op("Add", g.times(s, *of.Inverse), g.row("bias", of.Bias)))
	case calibrate.Platt:
		// The logarithm of σ(slope (s - centre)/width + offset) is -softplus of the negative.
		centre, slope, offset := []float64(nil), []float64(nil), []float64(nil)
		for _, f := range of.Sigmoids {
			centre, slope, offset = append(centre, f.Centre), append(slope, -f.Slope/f.Width), append(offset, -f.Offset)
		}
		logit := g.op("Add", g.op("Mul", g.less(s, "centre", centre), g.row("slope", slope)), g.row("offset", offset))
		logit = g.op("Clip", logit, g.scalar(-calibrate.FarLogit), g.scalar(calibrate.FarLogit))
		return g.softmax("Softmax", g.op("Neg", g.softplus(logit)))
	case calibrate.Isotonic:
		return g.isotonic(s, of)
	}
	return fail(domain.ErrParam,
		"the calibration by %v has no form in ONNX; use another method, or leave Probabilities out", c.Method())
}

// isotonic applies the functions of the scores, and normalises them to the sum 1.
func (g *graph) isotonic(s value, of calibrate.Parameters) value {
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
	k := len(of.Steps)
	p := g.reshape(g.interpolate(g.between(s, knots, k), knots, numbers, k, points, 1), k)
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
		fail(domain.ErrParam, "the posterior is empty; make it by linear.RidgeStats.Posterior")
	}
	if d != head.Dims() || len(noise) != head.Features() {
		fail(domain.ErrShape, "the posterior is of %d features and %d targets, and the head of %d and %d", d, len(noise),
			head.Dims(), head.Features())
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
