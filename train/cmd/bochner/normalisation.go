package main

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// normalisation is a note on rows that are not normalised histograms, for a homogeneous kernel. Such a kernel has
// k(x, x) = Σ|x|^γ, which should be one for all rows, so that no row is nearer to another row than to itself. Rows of
// zeros do not count. Vedaldi and Zisserman (2012), section 2.2. The note is empty where all rows are normalised.
func normalisation(spec layers.Spec, x ops.Matrix) (string, error) {
	k, err := spec.Kernel()
	if err != nil {
		return "", err
	}
	if e, ok := k.(spectral.Exponentiated); ok {
		k = e.Of
	}
	h, ok := k.(spectral.Homogeneous)
	if !ok {
		return "", nil
	}
	n := x.Shape()[0]
	off, first, total := 0, 0, 0.0
	for i, sum := range powerSums(x, h.Degree()) {
		if sum == 0 || math.Abs(sum-1) < 1e-5 {
			continue
		}
		if off++; off == 1 {
			first, total = i, sum
		}
	}
	if off == 0 {
		return "", nil
	}
	what, remedy := "sum to one", "--scale l1 makes them"
	switch h.Degree() {
	case 1:
	case 2:
		what, remedy = "have squares that sum to one", "--scale l2 makes them"
	default:
		what, remedy = fmt.Sprintf("have powers of degree %v that sum to one", h.Degree()), "no --scale makes them"
	}
	return fmt.Sprintf("%d of %d rows do not %s, row %d for one: %.4g; the kernel of --map %s expects normalised histograms, and %s",
		off, n, what, first, total, spec.Map, remedy), nil
}

// powerSums are Σ |x_j|^p of the rows of a contiguous matrix or of sparse rows.
func powerSums(x ops.Matrix, p float64) []float64 {
	n, d := x.Shape()[0], x.Shape()[1]
	ends := make([]int, n) // of the rows among the stored values
	for i := range ends {
		ends[i] = (i + 1) * d
	}
	if s, sparse := x.(*ops.CSR); sparse {
		ends = s.Pointers()[1:]
	}
	values := x.(interface {
		Float64s() []float64
		Float32s() []float32
	})
	cell := func(i int) float64 { return float64(values.Float32s()[i]) }
	if x.Dtype() == tensor.Float64 {
		cell = func(i int) float64 { return values.Float64s()[i] }
	}
	sums, at := make([]float64, n), 0
	for i, end := range ends {
		for ; at < end; at++ {
			sums[i] += math.Pow(math.Abs(cell(at)), p)
		}
	}
	return sums
}
