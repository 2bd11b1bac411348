package ops

import (
	"errors"
	"slices"
	"sort"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	"gorgonia.org/tensor"
)

// byCoordinate is the stays of an op that maps each coordinate of x by itself, to W features or to one, and zeros to
// zeros. Its forward runs on the entries of sparse rows as on one row of a tensor, and takes what belongs to their
// columns by ofColumns. Errors name their places in x.
var byCoordinate = typedCSR{mapEntries[float32], mapEntries[float64]}

// mapEntries stores the features that are not 0, and of one feature an entry all.
func mapEntries[T domain.Float](c *call) (*CSR, error) {
	x, w := sparseOf[T](c.x.(*CSR)), max(1, c.at('W'))
	col, val := x.Entries()
	z := make([]T, len(val)*w)
	if len(val) > 0 {
		row := tensor.New(tensor.WithShape(1, len(val)), tensor.WithBacking(val))
		c.set('n', 1)
		c.set('d', len(val))
		c.x, c.in[0], c.column = row, row, col
		c.out = tensor.New(tensor.WithShape(1, len(z)), tensor.WithBacking(z))
		if err := typed(row.Dtype(), c.forward.f32, c.forward.f64)(c); err != nil {
			var cell *domain.CellError
			if errors.As(err, &cell) && cell.OfInput() {
				at := cell.Col
				cell.Row = sort.Search(x.Rows, func(i int) bool { return x.Ptr[i+1]-x.Ptr[0] > at })
				cell.Col = int(col[at])
			}
			return nil, err
		}
	}
	out := &simd.CSR[T]{Rows: x.Rows, Cols: x.Cols * w, Ptr: fromZero(x.Ptr), Col: col, Val: z}
	if w == 1 {
		return csrOf(out), nil
	}
	out.Col = make([]int32, len(z))
	for t, j := range col {
		to := out.Col[t*w:][:w]
		for k := range to {
			to[k] = j*int32(w) + int32(k)
		}
	}
	for i := range out.Ptr {
		out.Ptr[i] *= w
	}
	if slices.Contains(z, 0) {
		dropZeros(out)
	}
	return csrOf(out), nil
}

func dropZeros[T domain.Float](s *simd.CSR[T]) {
	col, val, from, kept := s.Col, s.Val, 0, 0
	for i, end := range s.Ptr[1:] {
		for ; from < end; from++ {
			v := val[from]
			if col[kept], val[kept] = col[from], v; v != 0 {
				kept++
			}
		}
		s.Ptr[i+1] = kept
	}
	s.Col, s.Val = col[:kept], val[:kept]
}

// ofColumns returns input i, one number or one a column, for the columns of x in a call.
func ofColumns[T domain.Float](c *call, i int) []T {
	return gathered(cells[T](c, i), c.column)
}

// gathered returns one number or one a column for these columns, which are all for nil.
func gathered[T domain.Float](v []T, columns []int32) []T {
	if columns == nil || len(v) == 1 {
		return v
	}
	own := make([]T, len(columns))
	for t, j := range columns {
		own[t] = v[j]
	}
	return own
}
