package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
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
	seed         uint64
}

// complete checks them and fills in the defaults for n rows.
func (o newtonOptions) complete(who string, n int, tol float64) error {
	if *o.lambdas == nil {
		*o.lambdas = []float64{defaultLambda * float64(n)}
	}
	*o.heldOut, *o.tol = orElse(*o.heldOut, .2), orElse(*o.tol, tol)
	*o.maxSteps, *o.cacheBytes = orElse(*o.maxSteps, 100), orElse(*o.cacheBytes, defaultCache)
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

// newtonProblem is a penalised loss over some rows that is fitted for one lambda after another.
type newtonProblem[F any] interface {
	fit(lambda float64) (F, error)
	// path fits the lambdas, the largest first and each from the one before, and scores them on other rows.
	path(lambdas []float64, held *keptRows) ([]fits.LambdaScore, error)
}

// fitNewton fits a single lambda to all rows. Of several it fits every one on the rows that are not held out, and the best
// one on all rows, starting from zero; it returns the scores of all.
func fitNewton[F any, P newtonProblem[F]](src *source, o newtonOptions, problem func(rows *keptRows) (P, error)) (fit F, scores []fits.LambdaScore, err error) {
	of := func(src *source) (p P, err error) {
		rows, err := newKeptRows(src, *o.cacheBytes)
		if err != nil {
			return p, err
		}
		return problem(rows)
	}
	best := 0
	if len(*o.lambdas) > 1 {
		train, held := src.split(*o.heldOut, o.seed)
		part, err := of(train)
		if err != nil {
			return fit, nil, err
		}
		rows, err := newKeptRows(held, *o.cacheBytes)
		if err != nil {
			return fit, nil, err
		}
		if scores, err = part.path(*o.lambdas, rows); err != nil {
			return fit, nil, err
		}
		best = bestScore(scores)
		if scores[best] == cv.Unusable(scores[best].Lambda) {
			return fit, nil, fmt.Errorf("train: %s: none of the %d lambdas is done after %d Newton steps; raise the lambdas or MaxSteps: %w",
				src.who, len(scores), *o.maxSteps, domain.ErrParam)
		}
	}
	all, err := of(src)
	if err != nil {
		return fit, nil, err
	}
	fit, err = all.fit((*o.lambdas)[best])
	return fit, scores, err
}

// newtonFolds is how a Newton method is scored by cross-validation.
type newtonFolds struct {
	name    string // of its options
	lambdas []float64
	classes bool // whether y must be classes
	metric  fits.Metric
	lo, hi  int    // the powers of ten of the default grid
	limit   [2]int // to which it grows
	cost    func(p fits.Problem, lambdas []float64) fits.Cost
	scorer  func(ctx context.Context, j *cv.Job, m layers.Map) (cv.Scorer, error)
}

// Check refuses options that cross-validation sets itself.
func (h newtonFolds) Check(y *mat.Dense) error {
	switch {
	case h.lambdas != nil:
		return fmt.Errorf("%s has Lambdas; give them to CVOptions or the candidates: %w", h.name, domain.ErrParam)
	case h.classes && !cv.OneClass(y):
		return fmt.Errorf("a softmax head learns classes: each row of y must be 1 in one column and -1 in the others, as OneVersusRest makes it: %w", domain.ErrDomain)
	}
	return nil
}

// Metric depends on the loss.
func (h newtonFolds) Metric(*mat.Dense) fits.Metric { return h.metric }

// DefaultLambdas returns the grid for n rows.
func (h newtonFolds) DefaultLambdas(n int) cv.Grid {
	return cv.Grid{N: n, Lo: h.lo, Hi: h.hi, By: 1, Limit: h.limit}
}

func (h newtonFolds) CostOfFolds(p fits.Problem, folds int, lambdas []float64) fits.Cost {
	c := h.cost(p, lambdas)
	c.Operations *= float64(folds)
	return c
}

func (h newtonFolds) Scorer(ctx context.Context, j *cv.Job, spec layers.Spec) (cv.Scorer, error) {
	m, err := spec.Fit(j.Sample)
	if err != nil {
		return nil, err
	}
	return h.scorer(ctx, j, m)
}

// newtonScorer maps all rows once if they can be kept; the folds share them without a copy. The fit for a lambda starts
// from the fit for the next larger one.
func newtonScorer[F any, P newtonProblem[F]](src *source, j *cv.Job, o newtonOptions, problem func(rows *keptRows) (P, error)) (cv.Scorer, error) {
	all, err := newKeptRows(src, *o.cacheBytes)
	if err != nil {
		return nil, err
	}
	folds := make([]*keptRows, j.Folds) // of all rows or none the blocks are kept
	for f := range folds {
		_, held := partsOf(j, src, f)
		if folds[f], err = newKeptRows(held, *o.cacheBytes); err != nil {
			return nil, err
		}
		if folds[f].keep = all.keep; all.keep {
			if err := folds[f].each(func(int, ops.Matrix) error { return nil }); err != nil {
				return nil, err
			}
		}
	}
	return func(lambdas []float64) ([][]fits.LambdaScore, error) {
		one := o
		one.lambdas = &lambdas
		if err := one.complete(src.who, src.n, *o.tol); err != nil {
			return nil, err
		}
		out := make([][]fits.LambdaScore, len(folds))
		for f, held := range folds {
			rest, _ := partsOf(j, src, f)
			var kept []ops.Matrix
			if held.kept != nil { // the others are there, in their order
				var y []float64
				for g, fold := range folds {
					if g != f {
						kept, y = append(kept, fold.kept...), append(y, fold.y.RawMatrix().Data...)
					}
				}
				k := src.y.RawMatrix().Cols
				rest.n, rest.y = len(y)/k, mat.NewDense(len(y)/k, k, y)
			}
			rows, err := newKeptRows(rest, *o.cacheBytes)
			if err != nil {
				return nil, err
			}
			rows.kept = kept
			part, err := problem(rows)
			if err != nil {
				return nil, err
			}
			if out[f], err = part.path(j.Relative(lambdas, rows.n), held); err != nil {
				return nil, err
			}
			j.Step()
		}
		return out, nil
	}, nil
}

// conjugate solves H X = B by preconditioned conjugate gradients (Hestenes and Stiefel 1952). Each group of columns is a
// system of its own, with its own steps; all share the products.
type conjugate struct {
	width int                                          // columns of a group
	most  int                                          // iterations
	tol   float64                                      // a system is done when its residual is this share of the first
	times func(p columns, open []int) (columns, error) // H p, for the columns open of B
	// precondition is P⁻¹ r; nil: P is I. plain residuals are measured by their norm, others by the norm of P⁻¹.
	precondition func(r columns) columns
	plain        bool
	progress     func(iteration int, residual float64) // nil: not called
}

// solve returns X, the largest residual of a system as a share of the first, and the number of iterations.
func (c conjugate) solve(b columns) (x columns, residual float64, iterations int, err error) {
	if c.precondition == nil {
		c.precondition = func(r columns) columns { return r }
	}
	w, open := c.width, make([]int, b.k)
	for j := range open {
		open[j] = j
	}
	x = newColumns(len(b.v)/b.k, b.k)
	r := columns{b.k, slices.Clone(b.v)}
	z := c.precondition(r)
	p, rz := columns{b.k, slices.Clone(z.v)}, r.dots(z, w)
	size := func() []float64 {
		if c.plain {
			return r.dots(r, w)
		}
		return rz
	}
	first, left := slices.Clone(size()), make([]float64, b.k/w)
	for ; ; iterations++ {
		var keep []int
		for g, s := range size() {
			share := 0.
			if f := first[open[g*w]/w]; s != 0 {
				share = math.Sqrt(s / f)
			}
			if left[open[g*w]/w] = share; share > c.tol && rz[g] > 0 {
				for j := range w {
					keep = append(keep, g*w+j)
				}
			}
		}
		residual = slices.Max(left)
		if c.progress != nil && iterations > 0 {
			c.progress(iterations, residual)
		}
		if len(keep) == 0 || iterations == c.most {
			return x, residual, iterations, nil
		}
		if len(keep) < len(open) {
			r, p = r.pick(keep), p.pick(keep)
			next, sums := make([]int, len(keep)), make([]float64, len(keep)/w)
			for q, j := range keep {
				next[q], sums[q/w] = open[j], rz[j/w]
			}
			open, rz = next, sums
		}
		h, err := c.times(p, open)
		if err != nil {
			return x, residual, iterations, err
		}
		step := p.dots(h, w)
		for g, curvature := range step {
			if step[g] = 0; curvature > 0 { // else the system is done to the last digit
				step[g] = rz[g] / curvature
			}
		}
		for i := range len(r.v) / r.k {
			to, d, ri, hi := x.row(i), p.row(i), r.row(i), h.row(i)
			for q, j := range open {
				to[j] += step[q/w] * d[q]
				ri[q] -= step[q/w] * hi[q]
			}
		}
		z = c.precondition(r)
		next := r.dots(z, w)
		for i := range len(p.v) / p.k {
			d, zi := p.row(i), z.row(i)
			for q := range d {
				d[q] = zi[q] + next[q/w]/rz[q/w]*d[q]
			}
		}
		for g := range next {
			if step[g] == 0 {
				next[g] = 0
			}
		}
		rz = next
	}
}

// errLambda is the ErrParam for a lambda that is too small for the rows.
var errLambda = fmt.Errorf("%w", domain.ErrParam)

// scorePath scores the lambdas, the largest first. A lambda that is too small to be fitted (errLambda) gets the score
// of cv.Unusable.
func scorePath(lambdas []float64, score func(lambda float64) (fits.LambdaScore, error)) ([]fits.LambdaScore, error) {
	out := make([]fits.LambdaScore, len(lambdas))
	order := make([]int, len(lambdas))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lambdas[b], lambdas[a]) })
	for _, i := range order {
		var err error
		if out[i], err = score(lambdas[i]); errors.Is(err, errLambda) {
			out[i], err = cv.Unusable(lambdas[i]), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bestScore is the index of the best score, the first of equals.
func bestScore(scores []fits.LambdaScore) (best int) {
	for i, s := range scores {
		if s.Better(scores[best]) {
			best = i
		}
	}
	return best
}

// defaultCache is the default of SVMOptions.CacheBytes and LogisticOptions.CacheBytes.
const defaultCache = 1 << 30

// columns are k columns of numbers for the rows [n, k], or for the features [D + 1, k], the constant feature last;
// row-major.
type columns struct {
	k int
	v []float64
}

func newColumns(rows, k int) columns { return columns{k, make([]float64, rows*k)} }

func (c columns) row(i int) []float64 { return c.v[i*c.k : (i+1)*c.k] }

// norm is the Euclidean norm of column j.
func (c columns) norm(j int) float64 { return math.Sqrt(c.dot(c, j)) }

func (c columns) dot(o columns, j int) (sum float64) {
	for i := j; i < len(c.v); i += c.k {
		sum += c.v[i] * o.v[i]
	}
	return sum
}

// dots are the inner products of groups of width columns with those of o.
func (c columns) dots(o columns, width int) []float64 {
	sums := make([]float64, c.k/width)
	for i, v := range c.v {
		sums[i%c.k/width] += v * o.v[i]
	}
	return sums
}

// pick is a copy of the columns at the given places.
func (c columns) pick(at []int) columns {
	out := newColumns(len(c.v)/c.k, len(at))
	for i := range len(c.v) / c.k {
		row := out.row(i)
		for q, j := range at {
			row[q] = c.v[i*c.k+j]
		}
	}
	return out
}
