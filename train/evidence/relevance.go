package evidence

import (
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
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
	for _, p := range m.Params() {
		scales := ops.Float64s(p.Value)
		if len(scales) != m.Dims() {
			continue
		}
		switch p.Name {
		case "log_bandwidth":
			return spreads(blocks, func(j int, x float64) float64 { return x * math.Exp(-scales[j]) })
		case "log_scale":
			return spreads(blocks, func(j int, x float64) float64 { return x * math.Exp(scales[j]) })
		case "raw_c":
			return spreads(blocks, func(j int, x float64) float64 { return math.Log(x + softplus(scales[j])) })
		}
	}
	return nil
}

func softplus(v float64) float64 { return max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }

// spreads are the standard deviations of f over the cells of each column, relative to the largest.
func spreads(blocks []ops.Matrix, f func(column int, x float64) float64) []float64 {
	d := blocks[0].Shape()[1]
	mean, square, n := make([]float64, d), make([]float64, d), 0.
	for _, b := range blocks {
		x, dense := b.(*tensor.Dense)
		if !dense {
			var err error
			if x, err = b.(*ops.CSR).Dense(nil); err != nil {
				return nil
			}
		}
		for row := range slices.Chunk(ops.Float64s(x), d) {
			n++
			for j, v := range row {
				v = f(j, v)
				off := v - mean[j]
				mean[j] += off / n
				square[j] += off * (v - mean[j])
			}
		}
	}
	for j := range square {
		square[j] = math.Sqrt(square[j])
	}
	if largest := floats.Max(square); largest > 0 {
		for j := range square {
			square[j] /= largest
		}
	}
	return square
}
