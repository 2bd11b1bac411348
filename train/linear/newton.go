package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"gonum.org/v1/gonum/mat"
)

// newtonOptions points to the fields that the options of the two Newton methods have in common.
type newtonOptions struct {
	lambdas      *[]float64
	heldOut, tol *float64
	maxSteps     *int
	cacheBytes   *int64
	blockRows    int
}

// complete checks them and fills in the defaults for n rows.
func (o newtonOptions) complete(who string, n int, tol float64) error {
	if *o.lambdas == nil {
		*o.lambdas = []float64{defaultLambda * float64(n)}
	}
	*o.heldOut, *o.tol = orElse(*o.heldOut, .2), orElse(*o.tol, tol)
	*o.maxSteps, *o.cacheBytes = orElse(*o.maxSteps, 100), orElse(*o.cacheBytes, defaultSVMCache)
	for i, l := range *o.lambdas {
		if !(l > 0 && l <= math.MaxFloat64) {
			return fmt.Errorf("train: %s: Lambdas[%d] = %v is not a finite number above 0: %w", who, i, l, domain.ErrParam)
		}
	}
	var wrong string
	switch {
	case len(*o.lambdas) == 0:
		wrong = "Lambdas is empty; give one, or nil for the default"
	case !(*o.heldOut > 0 && *o.heldOut < 1):
		wrong = fmt.Sprintf("HeldOut = %v is not between 0 and 1", *o.heldOut)
	case !(*o.tol > 0 && *o.tol < 1):
		wrong = fmt.Sprintf("Tol = %v is not between 0 and 1", *o.tol)
	case *o.maxSteps < 0 || o.blockRows < 0:
		wrong = fmt.Sprintf("MaxSteps = %d or BlockRows = %d is negative; 0 is the default", *o.maxSteps, o.blockRows)
	case len(*o.lambdas) > 1 && n < 2:
		return fmt.Errorf("train: %s: %d lambdas need at least 2 rows, got %d; give one lambda: %w", who,
			len(*o.lambdas), n, domain.ErrShape)
	default:
		return nil
	}
	return fmt.Errorf("train: %s: %s: %w", who, wrong, domain.ErrParam)
}

// orElse is v, or the default for 0.
func orElse[T int | int64 | float64](v, or T) T {
	if v == 0 {
		return or
	}
	return v
}

// newtonSource returns the source of a fit and its targets. block is the number of rows in a block; 0 chooses.
func newtonSource(ctx context.Context, who string, m layers.Map, rows data.Examples, block int) (*source, *mat.Dense, error) {
	src, err := newSource(ctx, who, m, rows)
	if err != nil {
		return nil, nil, err
	}
	if src.block = block; block == 0 && src.stored() == 0 {
		src.block = ridgeBlockRows(max(src.features, src.dims))
	}
	y, err := src.targets()
	return src, y, err
}

// newtonProblem is a problem over some rows that is fitted for one lambda after another.
type newtonProblem[F any] interface {
	fit(lambda float64) (F, error)
	// path fits the lambdas, the largest first and each from the one before, and scores them on other rows.
	path(lambdas []float64, held *svmRows) ([]fits.LambdaScore, error)
}

// selectLambda fits every lambda on the rows that are not held out, and the best one on all rows, starting from zero.
// It returns the last fit and the scores of all lambdas.
func selectLambda[F any, P newtonProblem[F]](src *source, o newtonOptions, seed uint64,
	problem func(src *source) (P, error)) (fit F, scores []fits.LambdaScore, err error) {
	train, held := src.split(*o.heldOut, seed)
	part, err := problem(train)
	if err != nil {
		return fit, nil, err
	}
	rows, err := newSVMRows(held, *o.cacheBytes)
	if err != nil {
		return fit, nil, err
	}
	if scores, err = part.path(*o.lambdas, rows); err != nil {
		return fit, nil, err
	}
	best := bestScore(scores)
	if scores[best] == cv.Unusable(scores[best].Lambda) {
		return fit, nil, fmt.Errorf("train: %s: none of the %d lambdas is done after %d Newton steps; raise the lambdas or MaxSteps: %w",
			src.who, len(scores), *o.maxSteps, domain.ErrParam)
	}
	all, err := problem(src)
	if err != nil {
		return fit, nil, err
	}
	fit, err = all.fit((*o.lambdas)[best])
	return fit, scores, err
}
