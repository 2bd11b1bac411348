package report

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// spreadCells is about the number of cells in each of the two dense blocks of sparse rows.
const spreadCells = 1 << 21

// ExactGram returns the exact kernel matrix [n, n] of the rows of x [n, d], dense or sparse: spectral.Gram(k, x, nil).
// Of sparse rows only two blocks are dense at a time, and none for the linear kernel. For ops.Bags, k must be a
// layers.BagKernel. Errors: as for spectral.Gram; ErrParam for a nil k or x; ErrDtype for bags with a kernel of rows;
// ErrShape for more than 16384 sparse rows or bags.
func ExactGram(k spectral.Kernel, x ops.Matrix) (*mat.Dense, error) {
	const who = "ExactGram"
	if domain.IsNil(k) || domain.IsNil(x) {
		return nil, fmt.Errorf("report: %s: the kernel is %T and x is %T, and one of them is nil; give both: %w",
			who, k, x, ErrParam)
	}
	if b, ok := x.(*ops.Bags); ok {
		return exactBags(k, b)
	}
	s, sparse := x.(*ops.CSR)
	if !sparse {
		t, _ := x.(*tensor.Dense)
		return spectral.Gram(k, t, nil)
	}
	if err := checkGramRows(who, s.Rows()); err != nil {
		return nil, err
	}
	if err := ops.CheckRows(k.Domain(), "report: "+who, s); err != nil {
		return nil, err
	}
	if s.Rows() == 0 {
		return &mat.Dense{}, nil
	}
	if _, linear := k.(spectral.Linear); linear {
		return linearGram(who, s)
	}
	out := mat.NewDense(s.Rows(), s.Rows(), nil)
	err := blockPairs(s, func(i, j int, a, b *tensor.Dense) error {
		if i == j {
			b = nil
		}
		g, err := spectral.Gram(k, a, b)
		if err != nil {
			return err
		}
		rows, cols := g.Dims()
		out.Slice(i, i+rows, j, j+cols).(*mat.Dense).Copy(g)
		out.Slice(j, j+cols, i, i+rows).(*mat.Dense).Copy(g.T())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// exactBags is the kernel matrix of sets of samples.
func exactBags(k spectral.Kernel, b *ops.Bags) (*mat.Dense, error) {
	const who = "ExactGram"
	of, ok := k.(layers.BagKernel)
	if !ok {
		return nil, fmt.Errorf("report: %s: %T is a kernel of rows, and x are %v: %w", who, k, b, ErrDtype)
	}
	if err := checkGramRows(who, b.Len()); err != nil {
		return nil, err
	}
	return of.GramBags(b)
}

// blockPairs calls f with every pair of blocks of sparse rows, made dense, that start at rows i <= j.
func blockPairs(x *ops.CSR, f func(i, j int, a, b *tensor.Dense) error) error {
	size := min(512, max(1, spreadCells/max(1, x.Cols())))
	for i, first := range data.Blocks(x, size) {
		a, err := first.(*ops.CSR).Dense(nil)
		if err != nil {
			return err
		}
		for j, second := range data.Blocks(x.Slice(i, x.Rows()), size) {
			b := a
			if j > 0 {
				if b, err = second.(*ops.CSR).Dense(nil); err != nil {
					return err
				}
			}
			if err := f(i, i+j, a, b); err != nil {
				return domain.InBlock(i, err)
			}
		}
	}
	return nil
}

// shapeOf is the shape [rows, columns] of x, which must not be empty; who and what name the caller and the argument in
// errors.
func shapeOf(who, what string, x ops.Matrix) (tensor.Shape, error) {
	if domain.IsNil(x) {
		return nil, fmt.Errorf("report: %s: %s is nil, want rows [n, d]: %w", who, what, ErrShape)
	}
	t, dense := x.(*tensor.Dense)
	_, bags := x.(*ops.Bags)
	shape, dt := x.Shape(), x.Dtype()
	switch {
	case bags && shape[0] < 1:
		return nil, fmt.Errorf("report: %s: there are no bags: %w", who, ErrShape)
	case bags:
	case dense && t.Dims() != 2:
		return nil, fmt.Errorf("report: %s: %s has shape %v, not [rows, columns]: %w", who, what, shape, ErrShape)
	case shape[0] < 1 || shape[1] < 1:
		return nil, fmt.Errorf("report: %s: %s has shape %v, it needs at least one row and one column: %w", who, what,
			shape, ErrShape)
	case !dense:
	case dt != tensor.Float64 && dt != tensor.Float32:
		return nil, fmt.Errorf("report: %s: %s holds %v; convert it to float64 or float32: %w", who, what, dt, ErrDtype)
	case t.RequiresIterator() || !t.DataOrder().IsRowMajor() || t.DataSize() != shape.TotalSize():
		return nil, fmt.Errorf("report: %s: %s is a view or not row-major; materialize it first: %w", who, what, ErrShape)
	}
	return shape, nil
}
