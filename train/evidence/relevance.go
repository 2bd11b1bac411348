package evidence

import (
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
)

// relevance computes Result.Relevance.
func relevance(m layers.Layer, blocks []ops.Matrix) []float64 {
	for {
		switch v := m.(type) {
		case *layers.Sequential:
			m = v.Layers()[0]
			continue
		case interface{ Unwrap() layers.Layer }:
			m = v.Unwrap()
			continue
		}
		break
	}
	if _, bags := blocks[0].(*ops.Bags); bags {
		return nil
	}
	as := func(_ int, x float64) float64 { return x }
	for _, p := range m.Params() {
		scales := ops.Float64s(p.Value)
		if len(scales) != m.Dims() {
			continue
		}
		if sign := exponents[p.Name]; sign != 0 {
			return relative(spreads(blocks, as), func(j int) float64 { return sign * scales[j] })
		}
		if p.Name == "raw_c" {
			logs := spreads(blocks, func(j int, x float64) float64 { return math.Log(x + softplus(scales[j])) })
			return relative(logs, func(int) float64 { return 0 })
		}
	}
	return nil
}

// exponents say, by the name of a parameter, whether a map divides each column by the exponential of a number (-1) or
// multiplies it (1).
var exponents = map[string]float64{"log_bandwidth": -1, "log_scale": 1}

func softplus(v float64) float64 { return max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }

// relative multiplies spreads, given as logarithms, by the exponentials of factor and divides them by the largest.
func relative(spreads []float64, factor func(column int) float64) []float64 {
	if spreads == nil {
		return nil
	}
	for j := range spreads {
		spreads[j] += factor(j)
	}
	largest := floats.Max(spreads)
	for j, s := range spreads {
		if spreads[j] = math.Exp(s - largest); math.IsInf(largest, -1) { // no column varies
			spreads[j] = 0
		}
	}
	return spreads
}

// spreads are the logarithms of the standard deviations of f over the cells of each column, zeros of sparse rows
// included; nil: it failed.
func spreads(blocks []ops.Matrix, f func(column int, x float64) float64) []float64 {
	s, values := new(given.Spread), make([]float64, blocks[0].Shape()[1])
	for _, b := range blocks {
		x, err := given.Dense(b)
		if err != nil {
			return nil
		}
		for row := range slices.Chunk(ops.Float64s(x), len(values)) {
			for j, v := range row {
				values[j] = f(j, v)
			}
			s.Add(1, values)
		}
	}
	for j := range values {
		values[j] = math.Log(s.Deviation(j))
	}
	return values
}
