package report

import (
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// linearGram is X Xᵀ for sparse rows, summed in float64; only one row at a time is dense. Errors: as for gram.
func linearGram(who string, x *ops.CSR) (*mat.Dense, error) {
	if err := ops.CheckRows(domain.Reals(), "report: "+who, x); err != nil {
		return nil, err
	}
	x, err := x.As(tensor.Float64, "report: "+who)
	if err != nil {
		return nil, err
	}
	n, ptr, cols, v := x.Rows(), x.Pointers(), x.Columns(), x.Float64s()
	out, row := mat.NewDense(n, n, nil), make([]float64, x.Cols())
	for i := range n {
		for t := ptr[i]; t < ptr[i+1]; t++ {
			row[cols[t]] = v[t]
		}
		for j := i; j < n; j++ {
			sum := 0.0
			for t := ptr[j]; t < ptr[j+1]; t++ {
				sum += v[t] * row[cols[t]]
			}
			if !finite(sum) {
				return nil, innerProductError(who, i, j, sum)
			}
			out.Set(i, j, sum)
			out.Set(j, i, sum)
		}
		for t := ptr[i]; t < ptr[i+1]; t++ {
			row[cols[t]] = 0
		}
	}
	return out, nil
}
