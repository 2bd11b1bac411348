package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// ConcatCSR is Concat of sparse rows, as sparse rows. Errors: no part, a number of scales other than the number of
// parts, parts with different numbers of rows, too many columns (ErrShape); parts of different types (ErrDtype).
func ConcatCSR(scales []float64, a Attr, parts ...*CSR) (*CSR, error) {
	who := a.who("Concat")
	if len(parts) == 0 || len(scales) != len(parts) {
		return nil, fmt.Errorf("%s: %d scales for %d parts, want at least one part and one scale each: %w",
			who, len(scales), len(parts), ErrShape)
	}
	cols := 0
	for i, p := range parts {
		if err := given(who, fmt.Sprintf("part %d", i), p); err != nil {
			return nil, err
		}
		switch {
		case p.Rows() != parts[0].Rows():
			return nil, fmt.Errorf("%s: part %d has %d rows, part 0 has %d: %w", who, i, p.Rows(), parts[0].Rows(),
				ErrShape)
		case p.Dtype() != parts[0].Dtype():
			return nil, fmt.Errorf("%s: part %d is %v, part 0 is %v: %w", who, i, p.Dtype(), parts[0].Dtype(), ErrDtype)
		case p.Cols() > maxColumns-cols:
			return nil, fmt.Errorf("%s: the parts have more than %d columns together: %w", who, maxColumns, ErrShape)
		}
		cols += p.Cols()
	}
	if parts[0].Dtype() == tensor.Float32 {
		return joinCSR[float32](scales, cols, parts), nil
	}
	return joinCSR[float64](scales, cols, parts), nil
}

func joinCSR[T domain.Float](scales []float64, cols int, parts []*CSR) *CSR {
	n, stored := parts[0].Rows(), 0
	for _, p := range parts {
		stored += p.Stored()
	}
	out := empty[T](n, cols, stored)
	for i := range n {
		at := 0
		for k, p := range parts {
			s, scale := sparseOf[T](p), T(scales[k])
			for t := s.Ptr[i]; t < s.Ptr[i+1]; t++ {
				out.Col, out.Val = append(out.Col, s.Col[t]+int32(at)), append(out.Val, scale*s.Val[t])
			}
			at += s.Cols
		}
		out.Ptr[i+1] = len(out.Col)
	}
	return out.csr()
}
