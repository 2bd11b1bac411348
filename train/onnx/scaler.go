package onnx

import (
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// scaler adds the lists of a scaler, from the state that a model file has of them.
func (g *graph) scaler(c *data.Scaler, x value) value {
	state := c.State()
	if len(state) == 0 {
		return fail(domain.ErrParam, "the scaler %q is not fitted; call its Fit on the training rows", c.Name())
	}
	at, parts := 0, []value(nil)
	for list := range strings.SplitSeq(c.Name(), "|") {
		names := strings.Split(list, ",")
		parts = append(parts, g.scalers(names, at, state, x))
		at += len(names)
	}
	return g.concat(1, parts...)
}

// scalers adds scalers in their order, of which the first is in place at in the state.
func (g *graph) scalers(names []string, at int, state map[string]*tensor.Dense, x value) value {
	for i, name := range names {
		place := fmt.Sprintf("%d.%s", at+i, name)
		of := func(key string) []float64 {
			t := state[place+"."+key]
			if t == nil {
				fail(domain.ErrParam, "the scaler %q has no %s; fit it again", name, key)
			}
			return ops.Float64s(t)
		}
		x = g.within("scaler."+place, func() value {
			switch name {
			case "none":
			case "standard", "auto":
				return g.op("Div", g.less(x, "mean", of("mean")), g.divisors("scale", of("scale")))
			case "minmax", "cube":
				low, high := of("min"), of("max")
				x = g.op("Mul", g.less(x, "min", low), g.row("inverse", inverseWidths(low, high)))
				if name == "cube" {
					return g.op("Clip", x, g.scalar(0), g.scalar(1))
				}
			case "robust":
				// Beyond 1e9 the result is 3, and squares must not overflow float32.
				z := g.op("Div", g.less(x, "median", of("median")), g.divisors("width", of("width")))
				z = g.op("Clip", z, g.scalar(-1e9), g.scalar(1e9))
				third := g.op("Mul", z, g.scalar(1./3))
				return g.op("Div", z, g.op("Sqrt", g.op("Add", g.op("Mul", third, third), g.scalar(1))))
			case "quantile", "quantile-uniform":
				knots, scores := of("knots"), of("scores")
				d := int(ops.Float64s(state["cols"])[0])
				return g.reshape(g.interpolate(g.between(x, knots, d), knots, scores, d, len(knots)/d, 1), d)
			case "l1", "l2":
				return g.normalise(x, name == "l2")
			default:
				fail(domain.ErrParam, "the scaler %q has no form in ONNX; use one of %s", name,
					"none, l1, l2, minmax, cube, standard, auto, robust, quantile, quantile-uniform")
			}
			return x
		})
	}
	return x
}

// less is x - v. In float32 v is the sum of two numbers, so that a mean that is large compared with the spread loses no
// digits: the first difference is exact if x is near v.
func (g *graph) less(x value, name string, v []float64) value {
	high, low := g.rounded(v), make([]float64, len(v))
	floats.SubTo(low, v, high)
	x = g.op("Sub", x, g.row(name, high))
	if floats.Norm(low, math.Inf(1)) > 0 {
		x = g.op("Sub", x, g.row(name+"_rest", low))
	}
	return x
}

// rounded are numbers as the file has them. One that float32 cannot hold stays, and weights refuses it.
func (g *graph) rounded(v []float64) []float64 {
	if g.elem == elemDouble {
		return v
	}
	return mapped(v, func(u float64) float64 {
		if narrow := float64(float32(u)); !math.IsInf(narrow, 0) {
			return narrow
		}
		return u
	})
}

// inverseWidths are 1/(max - min), and 0 for a column that was constant.
func inverseWidths(low, high []float64) []float64 {
	inverse := make([]float64, len(low))
	for j, a := range low {
		switch width := high[j] - a; {
		case width == 0:
		case math.IsInf(width, 0):
			inverse[j] = .5 / (high[j]/2 - a/2)
		default:
			inverse[j] = 1 / width
		}
	}
	return inverse
}

// divisors are a row of divisors, none of which may round to 0.
func (g *graph) divisors(name string, v []float64) value {
	for j, x := range v {
		if x == 0 || g.elem == elemFloat && float32(x) == 0 {
			fail(domain.ErrDomain, "%s: number %d is %v, by which %v cannot divide; use float64", g.at(name), j, x, g.dt)
		}
	}
	return g.row(name, v)
}
