package spectral

import (
	"fmt"
	"reflect"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// rows is a matrix as float64, row-major and contiguous.
type rows struct {
	data    []float64
	n, cols int
}

func (r *rows) row(i int) []float64 { return r.data[i*r.cols : (i+1)*r.cols] }

// checkedRows reads a matrix [n, d], d >= 1, of float32 or float64 and checks that the domain contains its rows. It
// does not copy a contiguous float64 matrix. who starts the messages.
func checkedRows(who string, x *tensor.Dense, on Domain) (*rows, error) {
	if x == nil {
		return nil, fmt.Errorf("%s is nil: %w", who, ErrShape)
	}
	if x.Dims() != 2 || x.Shape()[0] > 0 && !x.IsNativelyAccessible() || x.Shape()[1] < 1 {
		return nil, fmt.Errorf("%s has shape %v, not [rows, columns] with at least one column: %w",
			who, x.Shape(), ErrShape)
	}
	if dt := x.Dtype(); dt != tensor.Float64 && dt != tensor.Float32 {
		return nil, fmt.Errorf("%s has element type %v, not float32 or float64: %w", who, dt, ErrDtype)
	}
	r := &rows{n: x.Shape()[0], cols: x.Shape()[1]}
	if r.n == 0 {
		return r, nil
	}
	if x.RequiresIterator() || !x.DataOrder().IsRowMajor() { // a view, a transpose or a column-major matrix
		r.data = make([]float64, 0, r.n*r.cols)
		for i := range r.n {
			for j := range r.cols {
				v, err := x.At(i, j)
				if err != nil {
					return nil, fmt.Errorf("%s: element [%d,%d] cannot be read: %w", who, i, j, err)
				}
				r.data = append(r.data, reflect.ValueOf(v).Float())
			}
		}
	} else if x.Dtype() == tensor.Float64 {
		r.data = x.Float64s()[:r.n*r.cols]
	} else {
		r.data = make([]float64, r.n*r.cols)
		for i, v := range x.Float32s()[:r.n*r.cols] {
			r.data[i] = float64(v)
		}
	}
	return r, domain.CheckRows(on, who, r.data, r.n, r.cols, r.cols)
}
