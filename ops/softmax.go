package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// SoftmaxRows replaces every row of x [n, k] by its softmax, exp(x - max x) / Σ exp(x - max x). In a graph use Gorgonia's own.
func SoftmaxRows(x *tensor.Dense) error {
	if x.Dims() != 2 || !IsContiguous(x) {
		return fmt.Errorf("ops: SoftmaxRows: x has shape %v, want a contiguous [n, k]: %w", x.Shape(), ErrShape)
	}
	if x.Dtype() == tensor.Float32 {
		softmaxRows(data[float32](x), x.Shape()[1])
	} else {
		softmaxRows(data[float64](x), x.Shape()[1])
	}
	return nil
}

func softmaxRows[T domain.Float](x []T, k int) {
	for ; len(x) > 0; x = x[k:] {
		top, sum := math.Inf(-1), 0.0
		for _, v := range x[:k] {
			top = math.Max(top, float64(v))
		}
		for _, v := range x[:k] {
			sum += math.Exp(float64(v) - top)
		}
		for j, v := range x[:k] {
			x[j] = T(math.Exp(float64(v)-top) / sum)
		}
	}
}
