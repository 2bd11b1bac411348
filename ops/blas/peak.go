package blas

import (
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// Peak measures the largest possible speed of this machine, multiply-adds on registers, in GFLOP/s on one core under
// ISA. It takes some milliseconds; other work on the core lowers the result. It is 0 where there is no kernel to
// measure with: for the generic instruction set and for element types other than float32 and float64.
func Peak(dt tensor.Dtype) float64 {
	switch dt {
	case tensor.Float32:
		return simd.Peak(4)
	case tensor.Float64:
		return simd.Peak(8)
	}
	return 0
}
