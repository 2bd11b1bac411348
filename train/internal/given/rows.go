package given

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Stopped is the error of a context that has ended, with its cause where it has another.
func Stopped(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != err {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// Located names the place of the pairs that an error is about.
func Located(p data.Pairs, err error) error {
	if err == nil || p.Locate == nil {
		return err
	}
	return p.Locate(err)
}

// TargetRows are some rows of y.
func TargetRows(y *mat.Dense, index []int) *mat.Dense {
	out := mat.NewDense(len(index), y.RawMatrix().Cols, nil)
	for i, r := range index {
		out.SetRow(i, y.RawRowView(r))
	}
	return out
}

// Dense returns dense rows, or a dense copy of sparse ones.
func Dense(x ops.Matrix) (*tensor.Dense, error) {
	if s, sparse := x.(*ops.CSR); sparse {
		return s.Dense(nil)
	}
	return x.(*tensor.Dense), nil
}
