package simd

import "sync"

// Up to so many columns of x the kernels of dense products are faster than transforms, for xW and for dP·Wᵀ. Measured
// with 10000 rows and 512 frequencies: how many times as long as the dense product the transforms take on one core with
// AVX-512, and with AVX2, for the pair form xW → [cos | sin], for the projection xW alone and for dP·Wᵀ:
//
//	              float32                          float64
//	columns  16       32       48       64        16       32       48       64       80
//	pair     4.9 4.2  3.7 3.0  2.6 2.0  2.4 1.7   2.4 2.1  1.7 1.3  1.2 1.1  1.0 .91  .83 .69
//	xW       7.2 6.0  3.4 2.6  2.0 1.4  1.6 1.1   4.8 4.9  2.7 2.1  1.6 1.3  1.3 1.0  1.0 .81
//	dP·Wᵀ    7.9 8.0  2.8 1.5  1.5 .93  1.2 .77   3.1 2.4  1.6 1.3  1.4 .95  .96 .72  .69 .54
//
// In plain Go they are slower in most cases, and W is not formed there. The limits are the same for all kernels, so
// that results are too.
const (
	denseForward32 = 64
	denseForward64 = 48
	denseBackward  = 32
)

// narrow is W for few columns: whether it is formed for xW and for dP·Wᵀ, and W itself once it is. It is formed by
// transforms of the unit vectors, whose sums are whole numbers and exact, so that a cell of W has one rounding, of its
// product with the scale. Its memory is d·m numbers, and as many again from the first product with Wᵀ on.
type narrow[T Float] struct {
	forward, backward bool

	forming sync.Once
	formed  *Weights[T]
}

func narrowOf[T Float](d int) narrow[T] {
	most := denseForward64
	if sizeof[T]() == 4 {
		most = denseForward32
	}
	fast := active != generic
	return narrow[T]{forward: fast && d <= most, backward: fast && d <= denseBackward}
}

// weights is W, formed when it is first asked for.
func (s *Structured[T]) weights() *Weights[T] {
	s.forming.Do(func() {
		w, unit := make([]T, s.d*s.m), make([]T, s.d*s.d)
		for i := range s.d {
			unit[i*s.d+i] = 1
		}
		s.projectFast(output[T]{dst: w, ld: s.m, m: s.m}, Rows[T]{Dense: unit}, nil, s.d)
		s.formed = Pack(w, s.d, s.m)
	})
	return s.formed
}

// spread is how many sparse rows are written out at a time for a product with a W that is formed.
const spread = 1024

// projectDense is Project by the product with W. Sparse rows are spread out, which gives the same bits as the same rows
// made dense.
func (s *Structured[T]) projectDense(out output[T], x Rows[T], bias []T, n int) (badRow int) {
	w := s.weights()
	if x.Sparse == nil {
		return w.Project(out, x, bias, n)
	}
	pool := &poolsOf[T]().shared
	buf := take[[]T](pool)
	defer pool.Put(buf)
	*buf = grow(*buf, min(n, spread)*s.d)
	badRow = -1
	for lo := 0; lo < n; lo += spread {
		rows := min(spread, n-lo)
		dense := (*buf)[:rows*s.d]
		forTiles(rows, func(from, to int) {
			for i := from; i < to; i++ {
				x.row(dense[i*s.d:(i+1)*s.d], lo+i, s.d)
			}
		})
		part := out
		part.dst = out.dst[lo*out.ld:]
		if bad := w.Project(part, Rows[T]{Dense: dense}, bias, rows); bad >= 0 && badRow < 0 {
			badRow = lo + bad
		}
	}
	return badRow
}
