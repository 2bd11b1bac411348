package blas

import (
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// Peak measures what this machine can do at most, multiply-adds on registers, in GFLOP/s on one core under ISA: what
// the speed of a product is a share of. It takes some milliseconds; what else runs on the core lowers it. It is 0 where
// there is no kernel to measure it with, under the generic instruction set and for element types other than float32 and
// float64.
func Peak(dt tensor.Dtype) float64 {
	switch dt {
	case tensor.Float32:
		return simd.Peak(4)
	case tensor.Float64:
		return simd.Peak(8)
	}
	return 0
}
