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
	m = layers.Unwrap(m)
	for s, ok := m.(*layers.Sequential); ok; s, ok = m.(*layers.Sequential) {
		m = layers.Unwrap(s.Layers()[0])
	}
	if _, bags := blocks[0].(*ops.Bags); bags {
		return nil
	}
	for _, p := range m.Params() {
		sign := exponents[p.Name]
		if p.Value.Shape().TotalSize() != m.Dims() || sign == 0 && p.Name != "raw_c" {
			continue
		}
		scales, natural := ops.Float64s(p.Value), ops.Float64s(p.Natural().Value)
		logs := spreads(blocks, func(j int, x float64) float64 {
			if sign == 0 {
				return math.Log(x + natural[j])
			}
			return x
		})
		if logs == nil {
			return nil
		}
		floats.AddScaled(logs, sign, scales)
		largest := floats.Max(logs)
		for j, s := range logs {
			if logs[j] = math.Exp(s - largest); math.IsInf(largest, -1) { // no column varies
				logs[j] = 0
			}
		}
		return logs
	}
	return nil
}

// exponents say, by the name of a parameter, whether a map divides each column by the exponential of a number (-1) or
// multiplies it (1).
var exponents = map[string]float64{"log_bandwidth": -1, "log_scale": 1}

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
