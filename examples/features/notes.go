package main

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// normalisation is a note on rows that are no normalised histograms, for a kernel that is better on such: a homogeneous kernel has
// k(x, x) = Σ|x|^γ, which should be one for all rows, so that no row is most like another. Rows of zeros do not count. Vedaldi and
// Zisserman (2012), section 2.2. It is empty where there is nothing to say.
func normalisation(spec layers.Spec, x *tensor.Dense) (string, error) {
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
	n, d := x.Shape()[0], x.Shape()[1]
	off, first, total := 0, 0, 0.0
	for i := range n {
		sum := 0.0
		for j := range d {
			sum += math.Pow(math.Abs(at(x, i*d+j)), h.Degree())
		}
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
	what, remedy := "sum to one", "-scale l1 makes them"
	switch h.Degree() {
	case 1:
	case 2:
		what, remedy = "have squares that sum to one", "-scale l2 makes them"
	default:
		what, remedy = fmt.Sprintf("have powers of degree %v that sum to one", h.Degree()), "no -scale makes them"
	}
	return fmt.Sprintf("%d of %d rows do not %s, row %d for one: %.4g; the kernel of -map %s expects normalised histograms, and %s",
		off, n, what, first, total, spec.Map, remedy), nil
}

// at is a cell of a contiguous matrix.
func at(x *tensor.Dense, i int) float64 {
	if x.Dtype() == tensor.Float32 {
		return float64(x.Float32s()[i])
	}
	return x.Float64s()[i]
}
