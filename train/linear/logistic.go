package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// LogisticOptions are the options of FitLogistic. The zero value fits the default lambda.
type LogisticOptions struct {
	// Lambdas are relative, as in RidgeOptions: the penalty is ½ lambda s ‖W‖², with s the mean squared distance of a
	// feature row from the mean row. Each is finite and > 0; nil is one lambda, 1e-6 n for n rows. Of several the one
	// with the least error rate on held-out rows is chosen; ties go to the lower squared error of the probabilities,
	// then to the larger lambda. HeldOut is the fraction of the rows that is held out, in (0, 1); 0 is 0.2. Seed draws
	// these rows and, with more than 512 features, the preconditioner.
	Lambdas []float64
	HeldOut float64
	Seed    uint64
	// ClassWeights multiply the losses of the rows of each class. A row of weight 2 counts as two rows, in s too. nil:
	// all are 1. The errors that choose lambda are not weighted.
	ClassWeights []float64
	// Tol ends the fit: a Newton step is the last one if it promises to lower the objective by at most this share; 0 is
	// 1e-5. Near the optimum the promise is twice the distance to the optimum before the step, and the distance after
	// the step is at most a twentieth of that.
	Tol      float64
	MaxSteps int // the largest number of Newton steps; 0 is 100. Needing more is an error
	// CacheBytes is the largest size of the features of all rows that is kept in memory; 0 is 1 GiB, negative is none.
	// Larger features are mapped again, block by block, in every pass over the rows. Up to this size two copies in
	// float32 are kept too.
	CacheBytes int64
	BlockRows  int // as in RidgeOptions
	// Progress is called after each Newton step with the number of steps so far and the promise of the last one as a
	// share of the objective; nil: not called.
	Progress func(steps int, promise float64)
}

// LogisticFit is a softmax head: p(z) = softmax(z W + B).
type LogisticFit struct {
	W         *mat.Dense         // [D, k]
	B         []float64          // [k], with the sum 0
	Lambda    float64            // the relative lambda that was chosen
	Scores    []fits.LambdaScore // one for each lambda; nil for a single lambda
	Objective float64            // Σ loss + ½ λ s ‖W‖² at the end
	Gradient  float64            // the norm of its gradient at the end, relative to the norm at W = 0
	Steps     int                // Newton steps of the last fit
	Passes    int                // passes over the features in the last fit
}

// FitLogistic fits multinomial logistic regression with an l2 penalty on the features z = m(x) to its optimum:
//
//	min over W, b of  Σᵢ cᵢ (-ln softmax(zᵢ W + b)[yᵢ]) + ½ λ s ‖W‖²,    s = (1/n) Σᵢ cᵢ ‖zᵢ - z̄‖²
//
// cᵢ are the ClassWeights; n and z̄ count the weighted rows; the intercept is not penalised. Rows are dense or sparse,
// or ops.Bags. Targets are as data.OneVersusRest returns them, with at least two columns; a nil map is the identity.
// Streams are read as in FitSVM.
//
// The method is truncated Newton with a line search (Lin, Weng and Keerthi 2008, Trust region Newton method for
// large-scale logistic regression). Conjugate gradients solve its systems, one pass over the features per iteration,
// for all classes together. Their products use float32 copies of the features if these are kept. Objective and gradient
// use the element type of the features, with sums in float64.
//
// The preconditioner of every class is (γ Zcᵀ C Zc + λ s I)⁻¹, with the ClassWeights in C and the mean curvature γ of
// the losses, after the bound of Böhning (1992), Multinomial logistic regression algorithm. With more than 512 features
// a randomised Nyström sketch U Λ Uᵀ of rank r = min(n, 256) replaces the Gram matrix, with λ_r the least of Λ:
//
//	U (γ Λ + λ s)⁻¹ Uᵀ + (γ λ_r + λ s)⁻¹ (I - U Uᵀ)
//
// Frangella, Tropp and Udell (2023), Randomized Nyström preconditioning, (1.3). It takes one more pass over the
// features. Seed draws it, and changes W only within Tol.
//
// Memory: 3 n k + 6 D k numbers, two D×D matrices or, with more than 512 features, 2 D r numbers, a block of features
// and, if CacheBytes allows, all features and twice 4 n D bytes. Features of sparse rows stay sparse if the map keeps
// zeros (layers.KeepsZeros). They have no float32 copies, and r is lower if 16 D r bytes exceed 64 MiB. Results do not
// depend on GOMAXPROCS. FitLogistic checks ctx between blocks.
//
// Errors: as for FitRidge; domain.ErrDomain for a row of y that is not of one class; domain.ErrParam for options out
// of range and for a fit that is not done after MaxSteps.
func FitLogistic(ctx context.Context, m layers.Map, rows data.Examples, o LogisticOptions) (*LogisticFit, error) {
	src, o, err := logisticSource(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	fit, scores, err := fitNewton[*LogisticFit](src, o.newton(), func(rows *keptRows) (*logistic, error) { return newLogistic(rows, o) })
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	return fit, nil
}

// logisticSource checks rows, classes and options, and fills in the defaults.
func logisticSource(ctx context.Context, m layers.Map, rows data.Examples, o LogisticOptions) (*source, LogisticOptions, error) {
	src, y, err := newtonSource(ctx, "Logistic", m, rows, o.BlockRows)
	if err != nil {
		return nil, o, err
	}
	if err := o.newton().complete("Logistic", src.n, 1e-5); err != nil {
		return nil, o, err
	}
	if !cv.OneClass(y) {
		return nil, o, fmt.Errorf("train: Logistic: y is %v and not of one class a row, 1 in its column and -1 in the others, two columns at least; make it by OneVersusRest: %w", given.DimsOf(y), domain.ErrDomain)
	}
	return src, o, nil
}

// newton returns the options that support vector machines have as well.
func (o *LogisticOptions) newton() newtonOptions {
	return newtonOptions{&o.Lambdas, &o.HeldOut, &o.Tol, &o.MaxSteps, &o.CacheBytes, o.BlockRows, o.Seed}
}

// path fits the lambdas, the largest first and each from the one before, and scores them on other rows.
func (l *logistic) path(lambdas []float64, held *keptRows) ([]fits.LambdaScore, error) {
	return scorePath(lambdas, func(lambda float64) (fits.LambdaScore, error) {
		fit, err := l.fit(lambda)
		if err != nil {
			return fits.LambdaScore{}, err
		}
		return scoreLogistic(held, fit)
	})
}

// scoreLogistic is the error rate of a fit on some rows, and the mean squared error of its probabilities.
func scoreLogistic(rows *keptRows, fit *LogisticFit) (fits.LambdaScore, error) {
	d, k := fit.W.Dims()
	w := newColumns(d+1, k)
	copy(w.v, fit.W.RawMatrix().Data)
	copy(w.row(d), fit.B)
	score := fits.LambdaScore{Lambda: fit.Lambda}
	err := rows.through(w, 1, nil, func(at int, u columns) {
		for i := range len(u.v) / k {
			y, p := rows.y.RawRowView(at+i), u.row(i)
			if y[max(given.ArgMax(p), 0)] < 0 {
				score.ErrorRate++
			}
			softmaxRow(p)
			for j, v := range p {
				e := v - (y[j]+1)/2
				score.MSE += e * e / float64(k)
			}
		}
	})
	score.ErrorRate /= float64(rows.n)
	score.MSE /= float64(rows.n)
	return score, err
}

// softmaxRow puts probabilities in the place of logits, and returns the logarithm of the sum of their exponentials.
func softmaxRow(u []float64) (logSum float64) {
	top, sum := slices.Max(u), 0.
	for j, v := range u {
		u[j] = math.Exp(v - top)
		sum += u[j]
	}
	for j := range u {
		u[j] /= sum
	}
	return top + math.Log(sum)
}

// Keeps says whether a fit keeps the features of all rows in memory. Otherwise it maps them again in each of some
// hundred passes, and mini-batches are faster.
func (o LogisticOptions) Keeps(p fits.Problem) bool {
	return !p.Streamed && p.Bytes() <= float64(orElse(o.CacheBytes, defaultCache))
}

// Cost estimates the cost of FitLogistic with 15 Newton steps of 10 inner iterations for each lambda.
func (o LogisticOptions) Cost(p fits.Problem) fits.Cost {
	d, lambdas := float64(p.Features), max(1, len(o.Lambdas))
	c := newtonCost(p, o.CacheBytes, 165*lambdas)
	if copies := 8 * float64(p.Rows) * d; p.Stored == 0 && copies <= float64(orElse(o.CacheBytes, defaultCache)) {
		c.Hold(copies, "two copies of the %d x %d features", p.Rows, p.Features)
	}
	if p.Features <= gramFeatures {
		c.Hold(16*d*d, "two matrices of %d x %d numbers, of the features", p.Features, p.Features)
		c.Operations += float64(p.Rows)*d*d + float64(lambdas)*5*d*d*d/3
		return c
	}
	rank := float64(rankOf(p.Rows, p.Features, p.Stored > 0))
	c.Hold(16*d*rank, "two matrices of %d x %g numbers, of the preconditioner", p.Features, rank)
	c.Operations += 4*(p.Cells()+rank*d)*rank + 165*float64(lambdas)*4*d*rank*float64(p.Outputs)
	return c
}

// Folds returns how CrossValidate scores logistic regression: by the error rate, with ties broken by the mean squared
// error of the probabilities. The options leave Lambdas nil, and the targets are classes. Rows are kept as for SVMOptions.
// The default grid is 1e-8 n to 1e-4 n by factors of 10; it grows to 1e-12 n or 1 n while the best is at an end.
func (o LogisticOptions) Folds() cv.Head {
	h := newtonFolds{name: "LogisticOptions", lambdas: o.Lambdas, classes: true, metric: fits.ErrorRate, lo: -8, hi: -4, limit: [2]int{-12, 0}}
	h.cost = func(p fits.Problem, lambdas []float64) fits.Cost { o := o; o.Lambdas = lambdas; return o.Cost(p) }
	h.scorer = func(ctx context.Context, j *cv.Job, m layers.Map) (cv.Scorer, error) {
		src, o, err := logisticSource(ctx, m, j.Rows, o)
		if err != nil {
			return nil, err
		}
		return newtonScorer[*LogisticFit](src, j, o.newton(), func(rows *keptRows) (*logistic, error) { return newLogistic(rows, o) })
	}
	return h
}

// logistic is a problem over some rows, and where its fit stands.
type logistic struct {
	*keptRows
	o      LogisticOptions
	class  []int     // of each row
	weight []float64 // of each row
	stats  *RidgeStats
	scale  float64 // s
	unit   float64 // the norm of the gradient at W = 0, once it is known
	k      int

	w, scores columns     // about the mean of the features: [D+1, k], the intercepts last, and [n, k]
	p         columns     // the probabilities [n, k]
	packed    *packedRows // nil where there is no room
	passes    int
	precond   preconditioner
}

func newLogistic(rows *keptRows, o LogisticOptions) (*logistic, error) {
	k := rows.y.RawMatrix().Cols
	l := &logistic{keptRows: rows, o: o, k: k, w: newColumns(rows.features+1, k), class: make([]int, rows.n)}
	l.scores, l.p = newColumns(l.n, k), newColumns(l.n, k)
	var err error
	if l.weight, err = rows.weights(o.ClassWeights); err != nil {
		return nil, err
	}
	for i := range l.class {
		y := rows.y.RawRowView(i)
		l.class[i] = given.ClassOf(k, func(j int) float64 { return y[j] })
	}
	// G preconditions, and need not be exact.
	l.stats = &RidgeStats{ClassWeights: o.ClassWeights, Float32Products: true}
	if err := l.survey(); err != nil {
		return nil, err
	}
	return l, l.pack()
}

// fit minimises the objective, starting from the current weights.
func (l *logistic) fit(lambda float64) (*LogisticFit, error) {
	shift := lambda * l.scale
	if math.IsInf(shift, 1) {
		return nil, fmt.Errorf("train: Logistic: lambda = %v times the mean squared distance of a row overflows; lower it: %w", lambda, domain.ErrParam)
	}
	if !(shift >= 0x1p-1022) { // it has an inverse
		return nil, fmt.Errorf("train: Logistic: lambda = %v times the mean squared distance of a row underflows; raise it: %w", lambda, errLambda)
	}
	l.passes = 0
	if l.unit == 0 { // it is the same for every lambda
		var err error
		if l.unit, err = l.gradientAtZero(); err != nil {
			return nil, err
		}
	}
	objective := l.objective(shift, columns{}, columns{}, 0)
	l.probabilities()
	accuracy := loose
	for step := 1; ; step++ {
		g, err := l.gradient(shift)
		if err != nil {
			return nil, err
		}
		if err := l.prepare(shift); err != nil {
			return nil, err
		}
		d, u, slope, err := l.direction(shift, accuracy, g)
		if err != nil {
			return nil, err
		}
		promise := -slope / objective
		if promise < .05 {
			accuracy = tight
		}
		before := objective
		objective = l.search(shift, objective, slope, d, u)
		if l.o.Progress != nil {
			l.o.Progress(step, promise)
		}
		switch {
		case !(promise > l.o.Tol) || objective == before: // the last step, or none that gains to working precision
			return l.done(lambda, shift, objective, step)
		case step == l.o.MaxSteps:
			return nil, fmt.Errorf("train: Logistic: not done after %d Newton steps at lambda = %v, the last one promised %.2g of the objective; raise lambda, Tol or MaxSteps: %w", step, lambda, promise, errLambda)
		}
	}
}

// search tries the step d, which adds u to the scores, then half of it, a quarter and so on, until the objective falls
// by 1e-4 of what its slope promises. It takes that step and returns the objective there. If there is no such step,
// everything stays as it is.
func (l *logistic) search(shift, objective, slope float64, d, u columns) float64 {
	for t := 1.; t > 1e-10; t /= 2 {
		next := l.objective(shift, d, u, t)
		if !(next < objective && next <= objective+1e-4*t*slope) {
			continue
		}
		floats.AddScaled(l.w.v, t, d.v)
		floats.AddScaled(l.scores.v, t, u.v)
		l.probabilities()
		return next
	}
	return objective
}

// objective is the value after a step of length t along d, which adds t u to the scores.
func (l *logistic) objective(shift float64, d, u columns, t float64) float64 {
	const piece = 256 // rows
	parts := make([]float64, (l.n+piece-1)/piece)
	given.InParallel(len(parts), func(task int) {
		row := make([]float64, l.k)
		for i := task * piece; i < min(l.n, (task+1)*piece); i++ {
			copy(row, l.scores.row(i))
			if t != 0 {
				floats.AddScaled(row, t, u.row(i))
			}
			at := row[l.class[i]]
			parts[task] += l.weight[i] * (softmaxRow(row) - at)
		}
	})
	square, w := 0., l.w.v[:l.features*l.k]
	for i, v := range w {
		if t != 0 {
			v += t * d.v[i]
		}
		square += v * v
	}
	return floats.Sum(parts) + shift/2*square
}

// probabilities computes p from the scores.
func (l *logistic) probabilities() {
	const piece = 256 // rows
	given.InParallel((l.n+piece-1)/piece, func(task int) {
		for i := task * piece; i < min(l.n, (task+1)*piece); i++ {
			copy(l.p.row(i), l.scores.row(i))
			softmaxRow(l.p.row(i))
		}
	})
}

// gradientAtZero is the norm of the gradient at W = 0 and b = 0, where the probabilities are equal.
func (l *logistic) gradientAtZero() (float64, error) {
	r := newColumns(l.n, l.k)
	for i := range l.n {
		for j := range l.k {
			r.row(i)[j] = l.weight[i] / float64(l.k)
		}
		r.row(i)[l.class[i]] -= l.weight[i]
	}
	g, err := l.about(r)
	return floats.Norm(g.v, 2), err
}

// gradient is [Zc | 1]ᵀ (p - y) + λ s W.
func (l *logistic) gradient(shift float64) (columns, error) {
	r := newColumns(l.n, l.k)
	for i := range l.n {
		row := r.row(i)
		copy(row, l.p.row(i))
		row[l.class[i]]--
		floats.Scale(l.weight[i], row)
	}
	g, err := l.about(r)
	if err == nil {
		last := l.features * l.k
		floats.AddScaled(g.v[:last], shift, l.w.v[:last])
	}
	return g, err
}

// about is [Zc | 1]ᵀ u.
func (l *logistic) about(u columns) (columns, error) {
	l.passes++
	sum, err := l.transposed(u, 1)
	l.centre(sum)
	return sum, err
}

// centre turns Zᵀ u, with the sum of u as its last row, into Zcᵀ u.
func (l *logistic) centre(sum columns) {
	last := sum.row(l.features)
	for j, m := range l.stats.meanZ {
		floats.AddScaled(sum.row(j), -m, last)
	}
}

// raw turns weights for centred features into weights for the features as they are; only the last row, the intercept,
// changes.
func (l *logistic) raw(v columns) columns {
	out := columns{v.k, slices.Clone(v.v)}
	last := out.row(l.features)
	for j, m := range l.stats.meanZ {
		floats.AddScaled(last, -m, v.row(j))
	}
	return out
}

// loose and tight are the factors by which conjugate gradients reduce the residual of a Newton system, in the norm of
// the preconditioner: loose while steps are long, tight near the optimum.
const loose, tight = .5, .2

// direction solves H d = -g by conjugate gradients, and returns d, the change u of the scores, and the slope <g, d>.
func (l *logistic) direction(shift, accuracy float64, g columns) (d, u columns, slope float64, err error) {
	r := columns{l.k, slices.Clone(g.v)}
	floats.Scale(-1, r.v)
	hessian := func(p columns, _ []int) (columns, error) { return l.hessian(shift, p) }
	if d, _, _, err = (conjugate{width: l.k, most: solves, tol: accuracy, times: hessian, precondition: l.precond.solve}).solve(r); err != nil {
		return d, u, 0, err
	}
	u = newColumns(l.n, l.k)
	l.passes++
	err = l.through(l.raw(d), 1, nil, func(at int, b columns) { copy(u.v[at*l.k:], b.v) })
	return d, u, floats.Dot(g.v, d.v), err
}

// done returns the current weights as a fit.
func (l *logistic) done(lambda, shift, objective float64, steps int) (*LogisticFit, error) {
	g, err := l.gradient(shift)
	if err != nil {
		return nil, err
	}
	norm := floats.Norm(g.v, 2)
	if l.unit > 0 {
		norm /= l.unit
	}
	d := l.features
	w := l.raw(l.w)
	b := slices.Clone(w.row(d))
	floats.AddConst(-floats.Sum(b)/float64(l.k), b)
	return &LogisticFit{W: mat.NewDense(d, l.k, w.v[:d*l.k:d*l.k]), B: b, Lambda: lambda, Objective: objective, Gradient: norm, Steps: steps, Passes: l.passes}, nil
}

// packedRows are the centred features of all rows, divided by √s, in float32, as blocks z [n, D] and their transposes.
// Products with a few columns read both forms in the order of memory. A product of the Hessian need not be exact:
// conjugate gradients make a direction from it, and the line search along it uses the features' own type.
type packedRows struct {
	rows, across []*ops.Weights
	at           []int // where the blocks begin, and their end
}

// pack makes the packed rows if the features are kept and dense, and CacheBytes has room for both forms.
func (l *logistic) pack() error {
	if !l.keep || l.stored() > 0 || 8*int64(l.n)*int64(l.features) > l.o.CacheBytes {
		return nil
	}
	d, unit, p := l.features, 1/math.Sqrt(l.scale), &packedRows{}
	err := l.each(func(at int, block ops.Matrix) error {
		z, err := spread(block)
		if err != nil {
			return err
		}
		n := z.Shape()[0]
		rows, across := make([]float32, n*d), make([]float32, n*d)
		centred := func(cell func(i int) float64) {
			for i := range n {
				for j, m := range l.stats.meanZ {
					v := float32((cell(i*d+j) - m) * unit)
					rows[i*d+j], across[j*n+i] = v, v
				}
			}
		}
		if z.Dtype() == tensor.Float32 {
			v := z.Float32s()
			centred(func(i int) float64 { return float64(v[i]) })
		} else {
			v := z.Float64s()
			centred(func(i int) float64 { return v[i] })
		}
		a, err := ops.Affine(ops.Attr{}).Pack(n, tensor.New(tensor.WithShape(n, d), tensor.WithBacking(rows)))
		if err != nil {
			return err
		}
		b, err := ops.Affine(ops.Attr{}).Pack(d, tensor.New(tensor.WithShape(d, n), tensor.WithBacking(across)))
		p.rows, p.across, p.at = append(p.rows, a), append(p.across, b), append(p.at, at)
		return err
	})
	p.at = append(p.at, l.n)
	if err == nil {
		l.packed = p
	}
	return err
}

// hessian is H p = [Zc | 1]ᵀ C [Zc | 1] p + λ s p for the current curvature C, with p for centred features. The
// intercepts have no penalty.
func (l *logistic) hessian(shift float64, p columns) (columns, error) {
	l.passes++
	rows, k := l.features+1, l.k
	h := newColumns(rows, k)
	var err error
	if l.packed != nil {
		err = l.packedProduct(h, p)
	} else {
		err = l.through(l.raw(p), 1, &h, func(at int, b columns) {
			given.InParallel((len(b.v)/k+255)/256, func(task int) {
				for i := task * 256; i < min(len(b.v)/k, (task+1)*256); i++ {
					l.curve(at+i, b.row(i))
				}
			})
		})
		l.centre(h)
	}
	floats.AddScaled(h.v[:(rows-1)*k], shift, p.v[:(rows-1)*k])
	return h, err
}

// curve multiplies the scores of row i by its curvature c (diag(p) - p pᵀ).
func (l *logistic) curve(i int, u []float64) {
	prob := l.p.row(i)
	mean := floats.Dot(u, prob)
	for j, v := range u {
		u[j] = l.weight[i] * prob[j] * (v - mean)
	}
}

// packedProduct adds [Zc | 1]ᵀ C [Zc | 1] p to h.
func (l *logistic) packedProduct(h, p columns) error {
	d, k, root := l.features, l.k, math.Sqrt(l.scale)
	v := make([]float32, k*d)
	for j := range d {
		for c, x := range p.row(j) {
			v[c*d+j] = float32(x * root)
		}
	}
	left := tensor.New(tensor.WithShape(k, d), tensor.WithBacking(v))
	blocks := len(l.packed.rows)
	products, last, errs := make([]*tensor.Dense, blocks), newColumns(blocks, k), make([]error, blocks)
	given.InParallel(blocks, func(b int) {
		if errs[b] = l.cancelled(); errs[b] != nil {
			return
		}
		scores, err := ops.Affine(ops.Attr{Layer: "train: " + l.who}).Into(nil, left, l.packed.across[b],
			tensor.New(tensor.WithShape(l.packed.at[b+1]-l.packed.at[b]), tensor.Of(tensor.Float32)))
		if err != nil {
			errs[b] = err
			return
		}
		at, n, s, row := l.packed.at[b], l.packed.at[b+1]-l.packed.at[b], scores.Float32s(), make([]float64, k)
		for i := range n {
			for c := range row {
				row[c] = float64(s[c*n+i]) + p.row(d)[c]
			}
			l.curve(at+i, row)
			floats.Add(last.row(b), row)
			for c, x := range row {
				s[c*n+i] = float32(x)
			}
		}
		products[b], errs[b] = ops.Affine(ops.Attr{Layer: "train: " + l.who}).Into(nil, scores, l.packed.rows[b],
			tensor.New(tensor.WithShape(d), tensor.Of(tensor.Float32)))
	})
	for b, product := range products {
		if errs[b] != nil {
			return errs[b]
		}
		for i, x := range product.Float32s() {
			h.v[i%d*k+i/d] += float64(x) * root
		}
		floats.Add(h.row(d), last.row(b))
	}
	return nil
}

const (
	// gramFeatures is the largest number of features for which the preconditioner uses the Gram matrix instead of a
	// sketch.
	gramFeatures = 512
	// sketchRank is the rank of the sketch. For sparse features sketchBytes limits the size of its two matrices, since
	// they are dense and could otherwise take most of the memory.
	sketchRank, sketchBytes = 256, 64 << 20
)

// rankOf is the rank of the sketch of n rows of D features.
func rankOf(n, features int, sparse bool) int {
	rank := min(sketchRank, n, features)
	if sparse {
		rank = min(rank, max(1, sketchBytes/(16*features)))
	}
	return rank
}

// preconditioner is (γ Zcᵀ C Zc + λ s I)⁻¹ for every class, with the weights C of the rows, and (γ Σ c)⁻¹ for the
// intercepts.
type preconditioner struct {
	gamma, shift float64
	l            blas64.Triangular // of up to gramFeatures
	sketch       *nystrom          // of more of them
	intercept    float64
}

// survey computes s, the means of the features, and their Gram matrix Zcᵀ C Zc or a sketch of it.
func (l *logistic) survey() error {
	if l.features > gramFeatures {
		return l.sketch()
	}
	return l.gram()
}

// gram goes over the rows for their mean, s, and the Gram matrix.
func (l *logistic) gram() error {
	err := l.each(func(at int, block ops.Matrix) error {
		z, err := spread(block)
		if err != nil {
			return err
		}
		y := mat.NewDense(z.Shape()[0], l.k, nil)
		for i := range z.Shape()[0] {
			for j := range l.k {
				y.Set(i, j, -1)
			}
			y.Set(i, l.class[at+i], 1)
		}
		return l.stats.add(z, y, func(i int) int { return at + i })
	})
	if err == nil {
		l.scale, err = l.stats.scale()
	}
	return err
}

// sketch goes over the rows for their mean and s, and again for the sketch.
func (l *logistic) sketch() error {
	var spread rowSpread
	err := l.each(func(at int, z ops.Matrix) error {
		spread.addMatrix(z, l.weight[at:at+z.Shape()[0]])
		return nil
	})
	if err != nil {
		return err
	}
	if l.scale, err = spread.scale(l.who); err != nil {
		return err
	}
	l.stats.meanZ, l.stats.mass = spread.mean, spread.mass
	d := l.features
	p := newNystrom(d, rankOf(l.n, d, l.stored() > 0), l.o.Seed)
	g := gramSum{mean: spread.mean, out: columns{p.rank, p.y}, v: columns{p.rank, p.omega}}
	err = l.each(func(at int, z ops.Matrix) error {
		g.add(z, l.weight[at:at+z.Shape()[0]])
		return nil
	})
	if err != nil {
		return err
	}
	g.finish()
	p.factor(spread.mass * l.scale)
	l.precond.sketch = p
	return nil
}

// prepare makes the preconditioner for the current curvature, unless the last one is within a factor of two.
func (l *logistic) prepare(shift float64) error {
	sum, mass := 0., 0.
	for i, w := range l.weight {
		row := l.p.row(i)
		sum += w * (1 - floats.Dot(row, row)) / float64(l.k-1)
		mass += w
	}
	gamma := max(sum/mass, 1e-6)
	q := &l.precond
	if q.shift == shift && gamma <= 2*q.gamma && gamma >= q.gamma/2 {
		return nil
	}
	q.gamma, q.shift, q.intercept = gamma, shift, gamma*mass
	if q.sketch != nil {
		q.sketch.shift(gamma, shift)
		return nil
	}
	trace := gamma * mass * l.scale
	for ; ; shift = max(16*shift, 1e-16*trace) { // until it is more than the rounding of the matrix
		if err := l.cancelled(); err != nil {
			return err
		}
		g := slices.Clone(l.stats.g)
		floats.Scale(gamma, g)
		f, ok := dense.Cholesky(l.ctx, g, l.features, shift)
		if ok || !(shift <= trace) {
			q.l = f
			return nil
		}
	}
}

// solve applies it to r.
func (q *preconditioner) solve(r columns) columns {
	last := len(r.v) - r.k
	var out columns
	if q.sketch != nil {
		out = columns{r.k, append(q.sketch.solve(r.v[:last], r.k), r.v[last:]...)}
	} else {
		out = columns{r.k, slices.Clone(r.v)}
		choleskySolve(q.l, out.v[:last], r.k)
	}
	floats.Scale(1/q.intercept, out.v[last:])
	return out
}
