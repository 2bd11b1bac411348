package sgd

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// OneHot returns the targets of a SoftmaxHead [n, classes]: row i is 1 in column labels[i], and 0 elsewhere. Errors:
// as for data.OneVersusRest; domain.ErrDtype unless dt is Float64 or Float32.
func OneHot(labels []int, classes int, dt tensor.Dtype) (*tensor.Dense, error) {
	y, err := data.OneVersusRest(labels, classes)
	if err != nil {
		return nil, err
	}
	if dt != tensor.Float64 && dt != tensor.Float32 {
		return nil, fmt.Errorf("train: OneHot: the element type is %v, want float64 or float32: %w", dt, domain.ErrDtype)
	}
	return Targets(y, dt, probability), nil
}

// probability is the softmax target for a one-versus-rest target.
func probability(v float64) float64 { return (v + 1) / 2 }

// Targets copies y [n, k] into a tensor of the element type dt, with f applied to each entry (nil: as it is). It panics
// if y is nil, and if dt is neither Float64 nor Float32.
func Targets(y *mat.Dense, dt tensor.Dtype, f func(float64) float64) *tensor.Dense {
	if y == nil || dt != tensor.Float64 && dt != tensor.Float32 {
		panic(fmt.Sprintf("train: Targets: y is %v and the element type %v, want a matrix and float64 or float32",
			given.DimsOf(y), dt))
	}
	n, k := y.Dims()
	t := tensor.New(tensor.WithShape(n, k), tensor.Of(dt))
	for i := range n {
		for j, v := range y.RawRowView(i) {
			if f != nil {
				v = f(v)
			}
			given.SetCell(t, i*k+j, v)
		}
	}
	return t
}
