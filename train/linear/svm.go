package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Loss is the loss of a support vector machine for the score f of a target y.
type Loss int

const (
	// SquaredHinge is max(0, 1 - y f)² for y of -1 and 1, for classification: one column of y for each class
	// (data.OneVersusRest), or a single one for two classes.
	SquaredHinge Loss = iota
	// SquaredInsensitive is max(0, |y - f| - ε)², for regression. It fits the targets less their mean.
	SquaredInsensitive
)

func (l Loss) String() string {
	switch l {
	case SquaredHinge:
		return "squared hinge"
	case SquaredInsensitive:
		return "squared epsilon-insensitive"
	default:
		return fmt.Sprintf("Loss(%d)", int(l))
	}
}

// SVMOptions are the options of FitSVM. The zero value fits the default lambda by the squared hinge loss.
type SVMOptions struct {
	Loss    Loss
	Epsilon float64 // ε of SquaredInsensitive, >= 0; above 0 it is an error for SquaredHinge
	// Lambdas are relative, as in RidgeOptions: C of LIBLINEAR is 1/(2 λ s), with s the mean squared distance of a
	// feature row from the mean row. Each is finite and > 0; nil is one lambda, 1e-6 n for n rows. Of several the one
	// with the least error on held-out rows is chosen, by the error rate for SquaredHinge and else the mean squared
	// error; ties go to the larger lambda. HeldOut is the fraction of the rows that is held out, in (0, 1); 0 is 0.2.
	// Seed draws them.
	Lambdas []float64
	HeldOut float64
	Seed    uint64
	// Bias is the constant feature of the intercept in units of √s; 0 is 1. The larger it is, the less the intercept is
	// penalised.
	Bias float64
	// ClassWeights multiply the losses of the rows of each class, in all columns. A row of weight 2 counts as two rows,
	// in s too. If y has one column, the weight of -1 comes first. nil: all are 1. They are an error for
	// SquaredInsensitive. The errors that choose lambda are not weighted.
	ClassWeights []float64
	// Tol is the norm of the gradient at which a column is done, relative to the norm at W = 0 and, for classes, to the
	// share of the rarer class, as -e of LIBLINEAR. 0 is 0.01 for SquaredHinge and 1e-5 for SquaredInsensitive, whose
	// gradient at W = 0 is large. The last step of a column must also have lowered its objective by at most Tol/100, or
	// 1e-5. A column whose line search finds no lower objective is done too.
	Tol      float64
	MaxSteps int // the largest number of Newton steps; 0 is 100. Needing more is an error
	// CacheBytes is the largest size of the features of all rows that is kept in memory; 0 is 1 GiB, negative is none.
	// Larger features are mapped again, block by block, in every pass over the rows.
	CacheBytes int64
	BlockRows  int // as in RidgeOptions
	// Progress is called after each Newton step with the number of steps so far and of the columns that are still to
	// fit; nil: not called.
	Progress func(steps, columns int)
}

// SVMFit is a linear head: f(z) = z W + B.
type SVMFit struct {
	W      *mat.Dense // [D, k]
	B      []float64  // [k]
	Lambda float64    // the relative lambda that was chosen
	C      float64    // the same as C of LIBLINEAR, 1/(2 λ s)
	// Scores has one entry for each lambda: the error rate or the mean squared error, +Inf if the fit is not done; nil
	// for a single lambda.
	Scores []fits.LambdaScore
	// Objective [k] is ½(‖w‖² + v²) + C Σ cᵢ loss at the end, with v the weight of the constant feature; +Inf if its
	// squares overflow.
	Objective []float64
	// Residual [k] is the norm of the gradient at the end, in the unit of Tol; it is above Tol if rounding ended the
	// search.
	Residual []float64
	Steps    int // Newton steps of the last fit

	unit *given.Unit // of the targets in the fit
}

// FitSVM fits linear support vector machines on the features z = m(x), one for each column of y, with the squared loss
// of LIBLINEAR's solvers 2 and 11:
//
//	min over w, v of  ½(‖w‖² + v²) + C Σᵢ cᵢ Loss(yᵢ, zᵢ·w + v β),    C = 1/(2 λ s),    β = Bias √s,    b = v β
//
// with the ClassWeights cᵢ. Under SquaredInsensitive yᵢ are the targets less their mean, and b has the mean added, so
// that neither the unit nor the origin of the targets matters to a fit. Rows are dense or sparse, or ops.Bags; a nil
// map is the identity. A truncated Newton method solves the primal problem: conjugate gradients on the generalised
// Hessian I + 2C Zᵀ A Z, where the diagonal A has cᵢ for the rows with a loss, and a line search. All columns go
// through the rows together, in the element type of the features with sums in float64. Keerthi and DeCoste (2005), A
// modified finite Newton method for fast solution of large scale linear SVMs; Lin, Weng and Keerthi (2008), Trust
// region Newton method for large-scale logistic regression.
//
// Memory: 3 n k + 6 D k numbers, a block of features and, if CacheBytes allows, all features. Features of sparse rows
// stay sparse if the map keeps zeros (layers.KeepsZeros). A stream is read once for its targets, which take n k more
// numbers, once for features that are kept, and otherwise in every pass. Held-out rows of a stream are drawn one by
// one. Results do not depend on GOMAXPROCS. FitSVM checks ctx between blocks.
//
// Errors: as for FitRidge; domain.ErrDomain for a target of SquaredHinge that is neither -1 nor 1; domain.ErrParam
// for options out of range, for more targets than memory holds, and for columns that are not done after MaxSteps.
func FitSVM(ctx context.Context, m layers.Map, rows data.Examples, o SVMOptions) (*SVMFit, error) {
	src, o, err := svmSource(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	fit, scores, err := fitNewton[*SVMFit](src, o.newton(), func(rows *keptRows) (*svm, error) { return newSVM(rows, o) })
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	return fit, nil
}

// svmSource checks rows, targets and options, and fills in the defaults.
func svmSource(ctx context.Context, m layers.Map, rows data.Examples, o SVMOptions) (*source, SVMOptions, error) {
	src, y, err := newtonSource(ctx, "SVM", m, rows, o.BlockRows)
	if err != nil {
		return nil, o, err
	}
	if o, err = o.complete(src.n); err != nil {
		return nil, o, err
	}
	if err := given.CheckTargets("SVM", y, rowNames{}.at); err != nil {
		return nil, o, err
	}
	if o.Loss == SquaredHinge {
		if err := checkSigns(y); err != nil {
			return nil, o, err
		}
	}
	return src, o, nil
}

// complete checks the options and fills in the defaults for n rows.
func (o SVMOptions) complete(n int) (SVMOptions, error) {
	o.Bias = orElse(o.Bias, 1)
	var wrong string
	switch {
	case o.Loss != SquaredHinge && o.Loss != SquaredInsensitive:
		wrong = fmt.Sprintf("Loss = %d is neither SquaredHinge nor SquaredInsensitive", int(o.Loss))
	case !(o.Epsilon >= 0 && o.Epsilon <= math.MaxFloat64):
		wrong = fmt.Sprintf("Epsilon = %v is not a finite number >= 0", o.Epsilon)
	case o.Epsilon > 0 && o.Loss == SquaredHinge:
		wrong = "Epsilon is of SquaredInsensitive; leave it out, or choose that loss"
	case o.ClassWeights != nil && o.Loss != SquaredHinge:
		wrong = "ClassWeights are of SquaredHinge; leave them out, or choose that loss"
	case !(o.Bias > 0 && o.Bias <= math.MaxFloat64):
		wrong = fmt.Sprintf("Bias = %v is not a finite number above 0", o.Bias)
	}
	if wrong != "" {
		return o, fmt.Errorf("train: SVM: %s: %w", wrong, domain.ErrParam)
	}
	err := o.newton().complete("SVM", n, map[Loss]float64{SquaredHinge: .01, SquaredInsensitive: 1e-5}[o.Loss])
	return o, err
}

// newton returns the options that logistic regression has as well.
func (o *SVMOptions) newton() newtonOptions {
	return newtonOptions{&o.Lambdas, &o.HeldOut, &o.Tol, &o.MaxSteps, &o.CacheBytes, o.BlockRows, o.Seed}
}

// checkSigns wants targets of -1 and 1.
func checkSigns(y *mat.Dense) error {
	raw := y.RawMatrix()
	for i := range raw.Rows {
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+raw.Cols] {
			if v != 1 && v != -1 {
				return fmt.Errorf("train: SVM: row %d has the target y[%d,%d] = %v, and the hinge loss takes -1 and 1; make them by OneVersusRest, or choose SquaredInsensitive: %w",
					i, i, j, v, domain.ErrDomain)
			}
		}
	}
	return nil
}

// svm is a set of problems over the same rows, one for each column of y.
type svm struct {
	*keptRows
	o           SVMOptions
	y           columns     // targets [n, k]
	weight      []float64   // of each row
	mass        float64     // the sum of the weights
	scale, bias float64     // s and β
	unit        *given.Unit // of the targets of SquaredInsensitive
	epsilon     []float64   // of each column, in the unit

	w, scores columns // [D+1, k] and [n, k]: the current weights and scores
}

func newSVM(rows *keptRows, o SVMOptions) (*svm, error) {
	var unit *given.Unit
	if o.Loss == SquaredInsensitive {
		var err error
		if unit, err = given.SpreadOf(rows.y).Unit(rows.who, false); err != nil {
			return nil, err
		}
	}
	s, err := atZero(rows, o, unit)
	if err != nil {
		return nil, err
	}
	s.scale, err = s.keptRows.scale(s.weight)
	s.bias = o.Bias * math.Sqrt(s.scale)
	return s, err
}

// atZero are problems with all weights 0, and without a scale.
func atZero(rows *keptRows, o SVMOptions, unit *given.Unit) (*svm, error) {
	k := rows.y.RawMatrix().Cols
	s := &svm{keptRows: rows, o: o, unit: unit, w: newColumns(rows.features+1, k), y: newColumns(rows.n, k)}
	s.scores = newColumns(rows.n, k)
	for j := range k {
		s.epsilon = append(s.epsilon, o.Epsilon)
		if unit != nil {
			s.epsilon[j] /= unit.Scale[j]
		}
	}
	var err error
	if s.weight, err = rows.weights(o.ClassWeights); err != nil {
		return nil, err
	}
	for i, w := range s.weight {
		copy(s.y.row(i), rows.y.RawRowView(i))
		unit.Row(s.y.row(i))
		s.mass += w
	}
	return s, nil
}

// loss is the derivative of half the squared loss of a column at a score, and whether there is a loss.
func (s *svm) loss(col int, y, score float64) (r float64, lossy bool) {
	if s.o.Loss == SquaredHinge {
		if t := 1 - y*score; t > 0 {
			return -y * t, true
		}
		return 0, false
	}
	e := score - y
	if math.Abs(e) <= s.epsilon[col] {
		return 0, false
	}
	return e - math.Copysign(s.epsilon[col], e), true
}

// fit minimises the objective, starting from the current weights. Columns that are done take no part in the products.
func (s *svm) fit(lambda float64) (*SVMFit, error) {
	c := 1 / (2 * lambda * s.scale)
	if math.IsInf(c, 1) {
		return nil, fmt.Errorf("train: SVM: lambda = %v makes C infinite; raise it: %w", lambda, errLambda)
	}
	unit, err := s.units(c)
	if err != nil {
		return nil, err
	}
	open := make([]int, s.w.k) // the columns that are not done
	for j := range open {
		open[j] = j
	}
	// What the last step of a column took off its objective, as a share of it. A gradient can be small where a step
	// still goes far: at the end of a fit to another lambda, above all.
	gain, residual := slices.Repeat([]float64{math.Inf(1)}, s.w.k), make([]float64, s.w.k)
	for step := 0; ; step++ {
		g, err := s.gradient(c, open)
		if err != nil {
			return nil, err
		}
		var rest, at []int
		for j, col := range open {
			norm := g.norm(j)
			if residual[col] = 0; norm > 0 {
				residual[col] = norm / unit[col]
			}
			if norm > 0 && gain[col] > 0 && (residual[col] > s.o.Tol || gain[col] > max(s.o.Tol/100, leastGain)) {
				rest, at = append(rest, col), append(at, j)
			}
		}
		if s.o.Progress != nil {
			s.o.Progress(step, len(rest))
		}
		if len(rest) == 0 {
			return s.done(lambda, c, step, residual)
		}
		if step == s.o.MaxSteps {
			return nil, fmt.Errorf("train: SVM: %d of %d columns are not done after %d Newton steps at lambda = %v; raise lambda, Tol or MaxSteps: %w", len(rest), s.w.k, step, lambda, errLambda)
		}
		open = rest
		if err := s.step(c, open, g.pick(at), gain); err != nil {
			return nil, err
		}
	}
}

// leastGain is the gain of a last step that is small for any Tol. In an ill-conditioned problem the gradient is small
// long before steps stop to gain.
const leastGain = 1e-5

// units are the units of Tol, as in LIBLINEAR: the gradient norms at W = 0, times the share of the rarer class.
func (s *svm) units(c float64) ([]float64, error) {
	at := newColumns(s.n, s.w.k)
	positive := make([]float64, s.w.k)
	for i := range s.n {
		for j, y := range s.y.row(i) {
			r, _ := s.loss(j, y, 0)
			at.row(i)[j] = 2 * c * s.weight[i] * r
			if y > 0 {
				positive[j] += s.weight[i]
			}
		}
	}
	g, err := s.transposed(at, s.bias)
	if err != nil {
		return nil, err
	}
	unit := make([]float64, s.w.k)
	for j := range unit {
		unit[j] = g.norm(j)
		if s.o.Loss == SquaredHinge {
			unit[j] *= max(s.mass/float64(s.n), min(positive[j], s.mass-positive[j])) / s.mass
		}
	}
	return unit, nil
}

// gradient is w + 2C [Z | β]ᵀ r of some columns.
func (s *svm) gradient(c float64, cols []int) (columns, error) {
	r := newColumns(s.n, len(cols))
	for i := range s.n {
		y, f, row := s.y.row(i), s.scores.row(i), r.row(i)
		for j, col := range cols {
			d, _ := s.loss(col, y[col], f[col])
			row[j] = 2 * c * s.weight[i] * d
		}
	}
	g, err := s.transposed(r, s.bias)
	for i := range s.w.v[:len(s.w.v)/s.w.k] {
		for j, col := range cols {
			g.row(i)[j] += s.w.row(i)[col]
		}
	}
	return g, err
}

// step takes a Newton step of the columns with gradient g, and sets what each gained: 0 if its line search found no
// lower objective.
func (s *svm) step(c float64, cols []int, g columns, gain []float64) error {
	d, err := s.direction(c, cols, g)
	if err != nil {
		return err
	}
	u := newColumns(s.n, len(cols)) // what a whole step adds to the scores
	if err := s.through(d, s.bias, nil, func(at int, b columns) { copy(u.v[at*b.k:], b.v) }); err != nil {
		return err
	}
	length := s.search(c, cols, g, d, u, gain)
	for i := range len(d.v) / d.k {
		for j, col := range cols {
			s.w.row(i)[col] += length[j] * d.row(i)[j]
		}
	}
	for i := range s.n {
		for j, col := range cols {
			s.scores.row(i)[col] += length[j] * u.row(i)[j]
		}
	}
	return nil
}

// forcing is the factor by which conjugate gradients reduce the residual of a Newton system, in at most solves
// iterations.
const forcing, solves = .1, 250

// direction solves H d = -g for all columns together by conjugate gradients, with one pass over the features per
// iteration.
func (s *svm) direction(c float64, cols []int, g columns) (columns, error) {
	k := len(cols)
	lossy := make([]bool, s.n*k)
	for i := range s.n {
		for j, col := range cols {
			_, lossy[i*k+j] = s.loss(col, s.y.row(i)[col], s.scores.row(i)[col])
		}
	}
	r := columns{k, slices.Clone(g.v)}
	floats.Scale(-1, r.v)
	hessian := func(p columns, open []int) (columns, error) {
		h, sum := columns{p.k, slices.Clone(p.v)}, newColumns(len(p.v)/p.k, p.k)
		err := s.through(p, s.bias, &sum, func(at int, u columns) {
			for i := range len(u.v) / u.k {
				for q, j := range open {
					if lossy[(at+i)*k+j] {
						u.row(i)[q] *= 2 * c * s.weight[at+i]
					} else {
						u.row(i)[q] = 0
					}
				}
			}
		})
		floats.Add(h.v, sum.v)
		return h, err
	}
	d, _, _, err := conjugate{width: 1, most: solves, tol: forcing, times: hessian}.solve(r)
	return d, err
}

// search halves the step of each column until the objective falls by 1e-4 of what its slope promises. The column stays
// where it is if that never happens, or if the whole promise is below the rounding of the objective.
func (s *svm) search(c float64, cols []int, g, d, u columns, gain []float64) []float64 {
	k, rows := len(cols), len(d.v)/len(cols)
	length, ww, dw, dd, slope := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	for i := range rows {
		for j, col := range cols {
			v, w := d.row(i)[j], s.w.row(i)[col]
			ww[j] += w * w
			dw[j] += v * w
			dd[j] += v * v
			slope[j] += v * g.row(i)[j]
		}
	}
	for j, col := range cols {
		start := s.losses(col, u, j, 0)
		objective := ww[j]/2 + c*start
		gain[col] = 0
		for t := 1.0; t > 1e-10 && -t*slope[j] > 0x1p-52*objective; t /= 2 {
			change := t*dw[j] + t*t/2*dd[j] + c*(s.losses(col, u, j, t)-start)
			if change <= 1e-4*t*slope[j] {
				length[j], gain[col] = t, -change/objective
				break
			}
		}
	}
	return length
}

// losses is the sum of a column's losses at a step of length t.
func (s *svm) losses(col int, u columns, j int, t float64) (sum float64) {
	for i := range s.n {
		r, _ := s.loss(col, s.y.row(i)[col], s.scores.row(i)[col]+t*u.row(i)[j])
		sum += s.weight[i] * r * r
	}
	return sum
}

// done returns the current weights as a fit.
func (s *svm) done(lambda, c float64, steps int, residual []float64) (*SVMFit, error) {
	d, k := s.features, s.w.k
	fit := &SVMFit{W: mat.NewDense(d, k, slices.Clone(s.w.v[:d*k])), B: make([]float64, k), Lambda: lambda, C: c, Objective: make([]float64, k), Residual: residual, Steps: steps,
		unit: s.unit}
	for j := range k {
		fit.B[j] = s.bias * s.w.row(d)[j]
		norm := s.w.norm(j)
		fit.Objective[j] = norm*norm/2 + c*s.losses(j, columns{1, make([]float64, s.n)}, 0, 0)
		if s.unit != nil {
			fit.Objective[j] *= s.unit.Scale[j] * s.unit.Scale[j]
		}
	}
	return fit, s.unit.Weights(s.who, fit.W.RawMatrix().Data, fit.B)
}

// path fits the lambdas, the largest first and each from the one before, and scores them on other rows.
func (s *svm) path(lambdas []float64, rows *keptRows) ([]fits.LambdaScore, error) {
	held, err := atZero(rows, s.o, s.unit)
	if err != nil {
		return nil, err
	}
	square, err := given.Square(s.who, s.unit.Largest())
	if err != nil {
		return nil, err
	}
	held.bias, held.w = s.bias, s.w
	return scorePath(lambdas, func(lambda float64) (fits.LambdaScore, error) {
		if _, err := s.fit(lambda); err != nil {
			return fits.LambdaScore{}, err
		}
		return held.score(lambda, square)
	})
}

// score is the score of the weights on these rows: the error rate under SquaredHinge, and else the mean squared error,
// with the square of the largest scale of a target.
func (s *svm) score(lambda, square float64) (fits.LambdaScore, error) {
	k, largest, total := s.w.k, s.unit.Largest(), 0.
	err := s.through(s.w, s.bias, nil, func(at int, u columns) {
		for i := range len(u.v) / k {
			y, f := s.y.row(at+i), u.row(i)
			switch {
			case s.o.Loss == SquaredInsensitive:
				for j := range f {
					e := (f[j] - y[j]) * (s.unit.Scale[j] / largest)
					total += e * e / float64(k)
				}
			case k == 1 && (f[0] >= 0) != (y[0] > 0), k > 1 && y[max(given.ArgMax(f), 0)] < 0:
				total++
			}
		}
	})
	score := fits.LambdaScore{Lambda: lambda, MSE: math.NaN(), ErrorRate: math.NaN()}
	if total /= float64(s.n); s.o.Loss == SquaredHinge {
		score.ErrorRate = total
	} else {
		score.MSE = total * square
	}
	return score, err
}

// Folds returns how CrossValidate scores a support vector machine. The options leave Lambdas nil; HeldOut and Seed have
// no effect.
//
// The score is the error rate, or the mean squared error under SquaredInsensitive. If CacheBytes allows, the features
// of all rows are computed once, and the folds share them without a copy. Each fit of a fold starts from the fit of the
// next larger lambda. A lambda stands for the same penalty per row in a fold as on all rows. The default grid is 1e-7 n
// to 1e-3 n by factors of 10; it grows to 1e-10 n or 1 n while the best is at an end. A lambda that is not done after
// MaxSteps scores +Inf.
func (o SVMOptions) Folds() cv.Head {
	h := newtonFolds{name: "SVMOptions", lambdas: o.Lambdas, metric: fits.ErrorRate, lo: -7, hi: -3, limit: [2]int{-10, 0}}
	if o.Loss == SquaredInsensitive {
		h.metric = fits.MeanSquaredError
	}
	h.cost = func(p fits.Problem, lambdas []float64) fits.Cost { o := o; o.Lambdas = lambdas; return o.Cost(p) }
	h.scorer = func(ctx context.Context, j *cv.Job, m layers.Map) (cv.Scorer, error) {
		src, o, err := svmSource(ctx, m, j.Rows, o)
		if err != nil {
			return nil, err
		}
		return newtonScorer[*SVMFit](src, j, o.newton(), func(rows *keptRows) (*svm, error) { return newSVM(rows, o) })
	}
	return h
}
