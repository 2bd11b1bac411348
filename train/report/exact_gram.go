package report

import (
	"fmt"
	"slices"

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
	if t, dense := x.(*tensor.Dense); dense {
		return spectral.Gram(k, t, nil)
	}
	if err := checkGramRows(who, x.Shape()[0]); err != nil {
		return nil, err
	}
	if b, ok := x.(*ops.Bags); ok {
		of, ok := k.(layers.BagKernel)
		if !ok {
			return nil, fmt.Errorf("report: %s: %T is a kernel of rows, and x are %v: %w", who, k, b, ErrDtype)
		}
		return of.GramBags(b)
	}
	s, sparse := x.(*ops.CSR)
	if !sparse {
		return nil, fmt.Errorf("report: %s: x is %T, want a *tensor.Dense, a *ops.CSR or a *ops.Bags: %w", who, x, ErrDtype)
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

// MustGram is Must for the matrices of spectral.Gram, ExactGram and ApproxGram: it panics with err unless that is nil.
func MustGram(k *mat.Dense, err error) *mat.Dense {
	if err != nil {
		panic(err)
	}
	return k
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

// rowsOf is x with its floats row by row, sparse rows and bags as they are. It must not be empty; who and what name the
// caller and the argument in errors.
func rowsOf(who, what string, x ops.Matrix) (ops.Matrix, error) {
	x, err := data.RowMajor("report: "+who, what, x)
	if err == nil && slices.Contains(x.Shape(), 0) {
		err = fmt.Errorf("report: %s: %s has shape %v, it needs at least one row and one column: %w", who, what,
			x.Shape(), ErrShape)
	}
	return x, err
}
