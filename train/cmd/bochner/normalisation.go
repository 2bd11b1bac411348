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
	row, err := rowsOf(x)
	if err != nil {
		return "", err
	}
	n := x.Shape()[0]
	off, first, total := 0, 0, 0.0
	for i := range n {
		sum := 0.
		for _, v := range row(i) {
			sum += math.Pow(math.Abs(v), h.Degree())
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

// rowsOf returns the rows of a contiguous matrix, and of sparse rows what they store.
func rowsOf(x ops.Matrix) (row func(i int) []float64, err error) {
	s, sparse := x.(*ops.CSR)
	if !sparse {
		cells, d := ops.Float64s(x.(*tensor.Dense)), x.Shape()[1]
		return func(i int) []float64 { return cells[i*d : (i+1)*d] }, nil
	}
	if s, err = s.As(tensor.Float64, "bochner"); err != nil {
		return nil, err
	}
	return func(i int) []float64 { return s.Float64s()[s.Pointers()[i]:s.Pointers()[i+1]] }, nil
}
