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
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// loss is a convex loss of the scores of a row. Columns come in groups of width with a loss of their own: the columns
// of support vector machines one by one, the classes of a softmax together.
type loss struct {
	width int
	// at adds c times the losses of a row with the targets y at the scores f of the columns cols to value, by group,
	// and overwrites f. Unless g is nil, it puts c times the gradient into g, and into h what the curvature depends
	// on.
	at func(cols []int, c float64, y, f, g, h, value []float64)
	// curve multiplies u by c times the curvature of a row.
	curve func(c float64, h, u []float64)
	// mean is the mean curvature of a row, for the preconditioner; nil: there is none.
	mean func(h []float64) float64
	// more says whether a group takes another step, by its gradient relative to unit times the one at W = 0, and by
	// what the last step was to take and took off its objective, as shares of it.
	more  func(residual, promise, gain, tol float64) bool
	unit  []float64 // of each group; nil: 1
	hinge bool      // the squared hinge loss
	// continued says that a fit from zero weights reaches a small lambda by continuation from larger ones.
	continued bool
	// loose and tight are the factors by which conjugate gradients reduce the residual of a Newton system: loose while
	// steps are long, tight near the optimum.
	loose, tight float64
	// score returns the error of the scores f of a row, squared and as the number of wrong classes; NaN: it has none.
	score func(y, f []float64) (square, wrong float64)
}

// newtonOptions are the options of FitSVM and FitLogistic for the method that they share.
type newtonOptions struct {
	who             string
	lambdas         []float64
	heldOut, tol    float64
	seed            uint64
	weights         []float64 // of the classes
	grid            cv.Grid   // what lambda is chosen among where none is given, for one row
	maxSteps, block int
	cacheBytes      int64
	// bias is the constant feature of the intercept in units of √s; 0: the intercept is not penalised.
	bias     float64
	wrong    error                    // of the other options; nil: they are in range
	targets  func(y *mat.Dense) error // checks them
	progress func(steps, columns int, lambda, promise float64)
	// loss is for targets y, which it may put into a unit, in rows of the given weights.
	loss func(y *mat.Dense, weight []float64) (loss, *given.Unit, error)
}

// defaultCache is the default of SVMOptions.CacheBytes and LogisticOptions.CacheBytes.
const defaultCache = 1 << 30

// complete checks the options and fills in the defaults for n rows. The grid is then what lambda is chosen among.
func (o newtonOptions) complete(n int) (newtonOptions, error) {
	switch o.grid.N = n; {
	case o.lambdas != nil:
		o.grid = cv.Grid{List: o.lambdas}
	case o.heldOut == 0:
		o.grid = cv.Grid{List: []float64{defaultLambda * float64(n)}}
	}
	tried := len(o.grid.First())
	o.heldOut = orElse(o.heldOut, .2)
	o.maxSteps, o.cacheBytes = orElse(o.maxSteps, 100), orElse(o.cacheBytes, defaultCache)
	check := given.Options(o.who)
	for i, l := range o.lambdas {
		o.wrong = cmp.Or(o.wrong, check(positive(l), fmt.Sprintf("Lambdas[%d]", i), l, "a finite number above 0"))
	}
	err := cmp.Or(o.wrong,
		check(tried > 0, "Lambdas", o.lambdas, "one at least, or nil for the default"),
		check(o.heldOut > 0 && o.heldOut < 1, "HeldOut", o.heldOut, "a number between 0 and 1"),
		check(o.tol > 0 && o.tol < 1, "Tol", o.tol, "a number between 0 and 1"),
		check(o.maxSteps >= 0, "MaxSteps", o.maxSteps, "at least 0; 0 is the default"),
		check(o.block >= 0, "BlockRows", o.block, "at least 0; 0 is the default"),
	)
	if err == nil && tried > 1 && n < 2 {
		err = fmt.Errorf("train: %s: %d lambdas need at least 2 rows, got %d; give one lambda: %w", o.who, tried, n,
			domain.ErrShape)
	}
	return o, err
}

// positive says whether v is a finite number above 0.
func positive(v float64) bool { return v > 0 && v <= math.MaxFloat64 }

// orElse is v, or the default for 0.
func orElse[T int | int64 | float64](v, or T) T {
	if v == 0 {
		return or
	}
	return v
}

// source returns the rows of a fit, and the options with their defaults, both checked.
func (o newtonOptions) source(ctx context.Context, m layers.Map, examples data.Examples) (*rows.Source, newtonOptions,
	error) {
	src, err := rows.New(ctx, o.who, m, examples)
	if err != nil {
		return nil, o, err
	}
	if src.Block = o.block; o.block == 0 && src.Stored() == 0 {
		src.Block = rows.BlockRows(max(src.Features, src.Dims))
	}
	y, err := src.Targets()
	if err != nil {
		return nil, o, err
	}
	if o, err = o.complete(src.N); err != nil {
		return nil, o, err
	}
	if err := o.targets(y); err != nil {
		return nil, o, fmt.Errorf("train: %s: %w", o.who, err)
	}
	return src, o, nil
}

// fit fits a single lambda to all rows. Of several it fits every one on the rows that are not held out, and the best
// one on all rows, starting from zero.
func (o newtonOptions) fit(ctx context.Context, m layers.Map, examples data.Examples) (*Fit, error) {
	src, o, err := o.source(ctx, m, examples)
	if err != nil {
		return nil, err
	}
	lambda := o.grid.First()[0]
	var scores []fits.LambdaScore
	if len(o.grid.First()) > 1 {
		var best int
		train, held := src.Split(o.heldOut, o.seed)
		kept, err := rows.Keep(held, o.cacheBytes)
		if err != nil {
			return nil, err
		}
		part, err := o.problem(train)
		if err != nil {
			return nil, err
		}
		scores, best, err = o.grid.Choose(func(lambdas []float64) ([]fits.LambdaScore, error) {
			return part.path(lambdas, kept)
		})
		if err != nil {
			return nil, err
		}
		if lambda = scores[best].Lambda; scores[best] == cv.Unusable(lambda) {
			return nil, fmt.Errorf("train: %s: none of the %d lambdas is done after %d Newton steps; raise the lambdas "+
				"or MaxSteps: %w", o.who, len(scores), o.maxSteps, domain.ErrParam)
		}
	}
	all, err := o.problem(src)
	if err != nil {
		return nil, err
	}
	f, err := all.fit(lambda)
	if err != nil {
		return nil, err
	}
	f.Scores = scores
	return f, nil
}

// newton is a penalised loss over some rows, and where its fit stands:
//
//	F(W, b) = ½ λ s ‖W‖² + Σᵢ cᵢ loss(yᵢ, zᵢ W + b).
//
// With a bias β the intercepts are b = v β, and ‖v‖² is a part of the penalty. Otherwise they have no penalty, and W
// and b are for features less their means.
//
// The method is truncated Newton with a line search: Lin, Weng and Keerthi (2008), Trust region Newton method for
// large-scale logistic regression. All columns go through the rows together; groups that are done take no part. For the
// squared loss F is quadratic and one step is the solution: FitRidgeCG takes it by the same conjugate gradients and
// preconditioner.
type newton struct {
	*rows.Kept
	newtonOptions
	loss        loss
	y           *mat.Dense // in the unit
	unit        *given.Unit
	weight      []float64 // of each row
	mass        float64   // the sum of the weights
	scale, bias float64   // s and β
	mean        []float64 // of the features; nil: they are not centred
	atZero      []float64 // the unit of the gradient of each group; nil: before the first fit
	precond     *preconditioner
	gamma       float64 // the curvature and λ s of the preconditioner
	shift       float64
	packed      *packedRows // nil where there is no room
	passes      int

	w, scores columns // [D+1, k], the intercepts last, and [n, k]
}

func (o newtonOptions) problem(src *rows.Source) (*newton, error) {
	kept, err := rows.Keep(src, o.cacheBytes)
	if err != nil {
		return nil, err
	}
	return newNewton(kept, o)
}

// newNewton is the problem at W = 0.
func newNewton(kept *rows.Kept, o newtonOptions) (*newton, error) {
	k := kept.Y.RawMatrix().Cols
	p := &newton{Kept: kept, newtonOptions: o, bias: 1}
	p.w, p.scores = newColumns(kept.Features+1, k), newColumns(kept.N, k)
	var err error
	if p.weight, err = kept.Weights(o.weights); err != nil {
		return nil, err
	}
	p.mass = floats.Sum(p.weight)
	if p.loss, p.unit, err = o.loss(kept.Y, p.weight); err != nil {
		return nil, err
	}
	p.y = p.unit.Targets(kept.Y)
	if o.bias > 0 {
		_, p.scale, err = p.spread()
		p.bias = o.bias * math.Sqrt(p.scale)
		return p, err
	}
	if err := p.survey(); err != nil {
		return nil, err
	}
	p.packed, err = packRows(kept, p.mean, p.scale, o.cacheBytes)
	return p, err
}

// fit minimises the objective, starting from the current weights. Where a plane separates the classes, or passes
// through the targets, the rows that have a loss change with every step from zero weights to a small lambda. So the
// hinge loss of kept features starts from the dual problem's solution. Else continuation has few such steps: from
// 1e-3 n down by factors of 10, each lambda to a part in a hundred.
func (p *newton) fit(lambda float64) (*Fit, error) {
	shift := lambda * p.scale
	if math.IsInf(shift, 1) {
		return nil, fmt.Errorf("train: %s: lambda = %v times the mean squared distance of a row overflows; lower it: "+
			"%w", p.who, lambda, domain.ErrParam)
	}
	if !(shift >= 0x1p-1022) { // it has an inverse
		return nil, fmt.Errorf("train: %s: lambda = %v times the mean squared distance of a row underflows; raise it: "+
			"%w", p.who, lambda, errLambda)
	}
	p.passes = 0
	first := p.atZero == nil
	if first { // the weights are zero
		g, _, _, err := p.derive(shift, indices(p.w.k))
		if err != nil {
			return nil, err
		}
		for q, v := range g.dots(g, p.loss.width) {
			if p.atZero = append(p.atZero, math.Sqrt(v)); p.loss.unit != nil {
				p.atZero[q] *= p.loss.unit[q]
			}
		}
	}
	if p.loss.hinge && p.Blocks != nil {
		gap, err := p.descend(shift)
		if err != nil {
			return nil, err
		}
		if gap != nil {
			return p.minimise(lambda, gap)
		}
	}
	unknown := slices.Repeat([]float64{math.Inf(1)}, p.w.k/p.loss.width)
	if first && p.loss.continued {
		tol := p.tol
		p.tol = 1 // its share for the gain, 0.01, decides
		n := float64(p.N)
		for l := 1e-3 * n; l > 3*max(lambda, 1e-11*n) && !math.IsInf(l*p.scale, 1); l /= 10 {
			if _, err := p.minimise(l, unknown); err != nil && !errors.Is(err, errLambda) {
				return nil, err
			}
		}
		p.tol = tol
	}
	return p.minimise(lambda, unknown)
}

// minimise takes Newton steps from the current weights until every group is done. No step can lower the objective of a
// group by more than its share gap.
func (p *newton) minimise(lambda float64, gap []float64) (*Fit, error) {
	shift := lambda * p.scale
	width, groups := p.loss.width, p.w.k/p.loss.width
	f := &Fit{Lambda: lambda, shift: shift, unit: p.unit}
	f.Objective, f.Residual = make([]float64, groups), make([]float64, groups)
	// What the last step of a group was to take off its objective, and took. A gradient can be small where a step still
	// goes far: at the end of a fit to another lambda, above all.
	promise, gain := slices.Clone(gap), slices.Clone(gap)
	open, accuracy := indices(p.w.k), p.loss.loose // the columns that are not done
	for ; ; f.Steps++ {
		g, h, value, err := p.derive(shift, open)
		if err != nil {
			return nil, err
		}
		norms := g.dots(g, width)
		var at []int // the columns that stay open, by their places in open
		most := 0.
		w := p.penalised(p.w.pick(open))
		for q, square := range w.dots(w, width) {
			group := open[q*width] / width
			f.Objective[group] = value[q] + shift/2*square
			norm := math.Sqrt(norms[q])
			if f.Residual[group] = 0; norm > 0 {
				f.Residual[group] = norm / p.atZero[group]
			}
			most = max(most, promise[group])
			if norm > 0 && gain[group] > 0 && p.loss.more(f.Residual[group], promise[group], gain[group], p.tol) {
				for j := range width {
					at = append(at, q*width+j)
				}
			}
		}
		if p.progress != nil && f.Steps > 0 {
			p.progress(f.Steps, len(at), lambda, most)
		}
		switch {
		case len(at) == 0:
			return p.done(f)
		case f.Steps == p.maxSteps:
			return nil, fmt.Errorf("train: %s: %d of %d columns are not done after %d Newton steps at lambda = %v, and "+
				"the last step promised %.2g of the objective; raise lambda, Tol or MaxSteps: %w",
				p.who, len(at), p.w.k, f.Steps, lambda, most, errLambda)
		}
		if len(at) < len(open) {
			g, h, open = g.pick(at), h.pick(at), pick(open, at)
		}
		if err := p.prepare(shift, h); err != nil {
			return nil, err
		}
		if most < .05 {
			accuracy = p.loss.tight
		}
		if err := p.step(shift, accuracy, open, g, h, promise, gain, f.Objective); err != nil {
			return nil, err
		}
	}
}

// done takes the current weights.
func (p *newton) done(f *Fit) (*Fit, error) {
	d, k := p.Features, p.w.k
	w := p.raw(p.w)
	f.W, f.B, f.Passes = mat.NewDense(d, k, w.v[:d*k:d*k]), slices.Clone(w.row(d)), p.passes
	floats.Scale(p.bias, f.B)
	return f, p.unit.Weights(p.who, f.W.RawMatrix().Data, f.B)
}

// penalised are the weights that the penalty is of.
func (p *newton) penalised(w columns) columns {
	if p.mean != nil {
		w.v = w.v[:p.Features*w.k]
	}
	return w
}

// sum adds up what row adds to value by rows, for the groups of k columns, with scratch f [k].
func (p *newton) sum(k int, row func(i int, f, value []float64)) []float64 {
	const piece = 256 // rows
	parts := newColumns((p.N+piece-1)/piece, k/p.loss.width)
	inPieces(p.N, piece, func(lo, hi int) {
		f := make([]float64, k)
		for i := lo; i < hi; i++ {
			row(i, f, parts.row(lo/piece))
		}
	})
	total := make([]float64, parts.k)
	for task := range len(parts.v) / parts.k {
		floats.Add(total, parts.row(task))
	}
	return total
}

// derive returns the gradient of some columns, what the curvature of each row depends on, and the losses by group.
func (p *newton) derive(shift float64, cols []int) (g, h columns, value []float64, err error) {
	r, h := newColumns(p.N, len(cols)), newColumns(p.N, len(cols))
	value = p.sum(len(cols), func(i int, f, value []float64) {
		scores := p.scores.row(i)
		for q, j := range cols {
			f[q] = scores[j]
		}
		p.loss.at(cols, p.weight[i], p.y.RawRowView(i), f, r.row(i), h.row(i), value)
	})
	p.passes++
	g, err = p.transposed(r)
	g.centre(p.mean, g.row(p.Features))
	to := p.penalised(g)
	for i := range len(to.v) / to.k {
		w, row := p.w.row(i), to.row(i)
		for q, j := range cols {
			row[q] += shift * w[j]
		}
	}
	return g, h, value, err
}

// hessian is the product with λ s I + [Z | β]ᵀ C [Z | β] for the curvatures C of the rows in some columns of h. C
// stands for the features Zc where they are centred, and the intercepts then have no penalty.
func (p *newton) hessian(shift float64, v, h columns, cols []int) (columns, error) {
	p.passes++
	out := newColumns(p.Features+1, v.k)
	curve := func(at int, u columns) {
		inPieces(len(u.v)/u.k, 256, func(lo, hi int) {
			some := make([]float64, u.k)
			for i := lo; i < hi; i++ {
				row := h.row(at + i)
				if u.k < h.k {
					for q, j := range cols {
						some[q] = row[j]
					}
					row = some
				}
				p.loss.curve(p.weight[at+i], row, u.row(i))
			}
		})
	}
	var err error
	if p.packed != nil {
		err = p.packed.through(p.Kept, v, out, curve)
	} else {
		err = through(p.Kept, p.raw(v), p.bias, &out, curve)
		out.centre(p.mean, out.row(p.Features))
	}
	to := p.penalised(out)
	floats.AddScaled(to.v, shift, v.v[:len(to.v)])
	return out, err
}

// raw turns weights for centred features into weights for the features as they are; only the last row, the intercept,
// changes.
func (p *newton) raw(v columns) columns {
	out := columns{v.k, slices.Clone(v.v)}
	last := out.row(p.Features)
	for j, m := range p.mean {
		floats.AddScaled(last, -m, v.row(j))
	}
	return out
}

// solves is the largest number of iterations of conjugate gradients in a step.
const solves = 250

// step takes a Newton step of some columns with the gradient g, and sets what it promised and gained; a gain of 0 says
// that the line search found no lower objective.
func (p *newton) step(shift, accuracy float64, cols []int, g, h columns, promise, gain, objective []float64) error {
	k, width := len(cols), p.loss.width
	r := columns{k, slices.Clone(g.v)}
	floats.Scale(-1, r.v)
	system := conjugate{width: width, most: solves, tol: accuracy,
		times: func(v columns, open []int) (columns, error) { return p.hessian(shift, v, h, open) }}
	if p.precond != nil {
		system.precondition = p.inverse
	}
	d, _, _, err := system.solve(r)
	if err != nil {
		return err
	}
	p.passes++
	u := newColumns(p.N, k) // what a whole step adds to the scores
	err = through(p.Kept, p.raw(d), p.bias, nil, func(at int, b columns) { copy(u.v[at*k:], b.v) })
	if err != nil {
		return err
	}
	slope := g.dots(d, width)
	length := p.search(shift, cols, d, u, slope, gain, objective)
	for q, s := range slope {
		promise[cols[q*width]/width] = -s / objective[cols[q*width]/width]
	}
	p.w.addTo(cols, length, d)
	p.scores.addTo(cols, length, u)
	return nil
}

// search tries the step of each group, then half of it, a quarter and so on, until the objective falls by 1e-4 of what
// its slope promises. It returns the length for each column: 0 if that never happens, or if the whole promise is below
// the rounding of the objective.
func (p *newton) search(shift float64, cols []int, d, u columns, slope, gain, objective []float64) []float64 {
	width := p.loss.width
	length, group := make([]float64, len(cols)), func(q int) int { return cols[q] / width }
	w, step := p.penalised(p.w.pick(cols)), p.penalised(d)
	ww, dw, dd := w.dots(w, width), w.dots(step, width), step.dots(step, width)
	for q := range slope {
		gain[group(q*width)] = 0
	}
	for t := 1.; t > 1e-10; t /= 2 {
		var left []int
		for q := range cols {
			if length[q] == 0 && -t*slope[q/width] > 0x1p-52*objective[group(q)] {
				left = append(left, q)
			}
		}
		if len(left) == 0 {
			break
		}
		at := pick(cols, left)
		value := p.sum(len(left), func(i int, f, value []float64) {
			scores, add := p.scores.row(i), u.row(i)
			for a, q := range left {
				f[a] = scores[cols[q]] + t*add[q]
			}
			p.loss.at(at, p.weight[i], p.y.RawRowView(i), f, nil, nil, value)
		})
		for a, q := range left {
			s, now := q/width, objective[group(q)]
			change := value[a/width] - (now - shift/2*ww[s]) + shift*(t*dw[s]+t*t/2*dd[s])
			if change <= 1e-4*t*slope[s] {
				length[q], gain[group(q)] = t, -change/now
			}
		}
	}
	return length
}

// prepare makes the preconditioner for the curvatures of the rows, unless the last one is within a factor of two.
func (p *newton) prepare(shift float64, h columns) error {
	if p.precond == nil {
		return nil
	}
	sum := 0.
	for i, c := range p.weight {
		sum += c * p.loss.mean(h.row(i))
	}
	gamma := max(sum/p.mass, 1e-6)
	if p.shift == shift && gamma <= 2*p.gamma && gamma >= p.gamma/2 {
		return nil
	}
	p.gamma, p.shift = gamma, shift
	p.precond.shift(p.Ctx, gamma, shift)
	return p.Cancelled()
}

// inverse is the preconditioner of r, with the intercepts' (γ Σ c)⁻¹.
func (p *newton) inverse(r columns) columns {
	last := p.Features * r.k
	out := p.precond.solve(columns{r.k, r.v[:last]})
	out.v = append(out.v, r.v[last:]...)
	floats.Scale(1/(p.gamma*p.mass), out.v[last:])
	return out
}

// path fits the lambdas, the largest first and each from the one before, and scores them on other rows. A lambda that
// is too small to be fitted (errLambda) gets the score of cv.Unusable.
func (p *newton) path(lambdas []float64, held *rows.Kept) ([]fits.LambdaScore, error) {
	square, err := given.Square(p.who, p.unit.Largest())
	if err != nil {
		return nil, err
	}
	y, n := p.unit.Targets(held.Y), float64(held.N)
	order, scores := indices(len(lambdas)), make([]fits.LambdaScore, len(lambdas))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lambdas[b], lambdas[a]) })
	for _, l := range order {
		if _, err := p.fit(lambdas[l]); errors.Is(err, errLambda) {
			scores[l] = cv.Unusable(lambdas[l])
			continue
		} else if err != nil {
			return nil, err
		}
		score := fits.LambdaScore{Lambda: lambdas[l]}
		err := through(held, p.raw(p.w), p.bias, nil, func(at int, u columns) {
			for i := range len(u.v) / u.k {
				e, wrong := p.loss.score(y.RawRowView(at+i), u.row(i))
				score.MSE, score.ErrorRate = score.MSE+e, score.ErrorRate+wrong
			}
		})
		if err != nil {
			return nil, err
		}
		score.MSE, score.ErrorRate = score.MSE/n*square, score.ErrorRate/n
		scores[l] = score
	}
	return scores, nil
}

// errLambda is the ErrParam for a lambda that is too small for the rows.
var errLambda = fmt.Errorf("%w", domain.ErrParam)

// newtonFolds is how a Newton method is scored by cross-validation.
type newtonFolds struct {
	newtonOptions
	metric fits.Metric
	cost   func(p fits.Problem, lambdas []float64) fits.Cost
}

// Metric depends on the loss. It refuses options that cross-validation sets itself.
func (h newtonFolds) Metric(y *mat.Dense) (fits.Metric, error) {
	if h.lambdas != nil {
		return 0, fmt.Errorf("%sOptions has Lambdas; give them to CVOptions or the candidates: %w", h.who, domain.ErrParam)
	}
	return h.metric, h.targets(y)
}

// DefaultLambdas returns the grid for n rows.
func (h newtonFolds) DefaultLambdas(n int) cv.Grid {
	h.grid.N = n
	return h.grid
}

func (h newtonFolds) CostOfFolds(p fits.Problem, folds int, lambdas []float64) fits.Cost {
	c := h.cost(p, lambdas)
	c.Operations *= float64(folds)
	return c
}

// Scorer maps all rows once if they can be kept; the folds share them without a copy. The fit for a lambda starts from
// the fit for the next larger one.
func (h newtonFolds) Scorer(ctx context.Context, j *cv.Job, spec layers.Spec) (cv.Scorer, error) {
	m, err := spec.Fit(j.Sample)
	if err != nil {
		return nil, err
	}
	src, o, err := h.source(ctx, m, j.Rows)
	if err != nil {
		return nil, err
	}
	all, err := rows.Keep(src, o.cacheBytes)
	if err != nil {
		return nil, err
	}
	folds := make([]*rows.Kept, j.Folds) // of all rows or none the blocks are kept
	for f := range folds {
		_, held := partsOf(j, src, f)
		if folds[f], err = rows.Keep(held, o.cacheBytes); err != nil {
			return nil, err
		}
		if folds[f].Keeps = all.Keeps; all.Keeps {
			if err := folds[f].Each(func(int, ops.Matrix) error { return nil }); err != nil {
				return nil, err
			}
		}
	}
	return eachFold(j, src, func(f int, lambdas []float64) ([]fits.LambdaScore, error) {
		o.lambdas = lambdas
		if _, err := o.complete(src.N); err != nil {
			return nil, err
		}
		rest, _ := partsOf(j, src, f)
		var blocks []ops.Matrix
		if folds[f].Blocks != nil { // the others are there, in their order
			var y []float64
			for g, fold := range folds {
				if g != f {
					blocks, y = append(blocks, fold.Blocks...), append(y, fold.Y.RawMatrix().Data...)
				}
			}
			k := src.Y.RawMatrix().Cols
			rest.N, rest.Y = len(y)/k, mat.NewDense(len(y)/k, k, y)
		}
		kept, err := rows.Keep(rest, o.cacheBytes)
		if err != nil {
			return nil, err
		}
		kept.Blocks = blocks
		part, err := newNewton(kept, o)
		if err != nil {
			return nil, err
		}
		return part.path(j.Relative(lambdas, kept.N), folds[f])
	}), nil
}
