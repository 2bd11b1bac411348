package linear

import (
	"cmp"
	"context"
	"fmt"
	"math"

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

func (l Loss) String() string { return domain.Word(l, "squared hinge", "squared epsilon-insensitive") }

// SVMOptions are the options of FitSVM. The zero value fits the default lambda by the squared hinge loss.
type SVMOptions struct {
	Loss    Loss
	Epsilon float64 // ε of SquaredInsensitive, >= 0; above 0 it is an error for SquaredHinge
	// Lambdas are relative, as in RidgeOptions: C of LIBLINEAR is 1/(2 λ s), with s the mean squared distance of a
	// feature row from the mean row. Each is finite and > 0. Of several the one with the least error on held-out rows is
	// chosen, by the error rate for SquaredHinge and else the mean squared error; ties go to the larger lambda. HeldOut
	// is the fraction of the rows that is held out, in (0, 1); 0 is 0.2. Seed draws them. Lambdas of nil are one lambda,
	// 1e-6 n for n rows, or the grid of Folds if HeldOut is given.
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
	// Progress is called after each Newton step, and each round of coordinate descent, with the number of them so far
	// and of the columns that are still to fit to this lambda; nil: not called.
	Progress func(steps, columns int, lambda float64)
}

// FitSVM fits linear support vector machines on the features z = m(x), one for each column of y, with the squared loss
// of LIBLINEAR's solvers 2 and 11:
//
//	min over w, v of  ½(‖w‖² + v²) + C Σᵢ cᵢ Loss(yᵢ, zᵢ·w + v β),    C = 1/(2 λ s),    β = Bias √s,    b = v β
//
// with the ClassWeights cᵢ. Under SquaredInsensitive yᵢ are the targets less their mean, and b has the mean added, so
// that neither the unit nor the origin of the targets matters to a fit. Rows are dense or sparse, or ops.Bags; a nil
// map is the identity. A truncated Newton method solves the primal problem: conjugate gradients on the generalised
// Hessian I + 2C Zᵀ A Z, where the diagonal A has cᵢ for the rows with a loss, and a line search. Where features are
// kept, coordinate descent on the dual problem of SquaredHinge comes first, until the duality gap of a column is at most
// Tol/100 of its objective, or 1e-5; few columns then need Newton steps. Without it, a small λ is reached by
// continuation, from 1e-3 n down. All columns go through the rows together, in the element type of the features with
// sums in float64. Keerthi and DeCoste (2005), A modified finite Newton method for fast solution of large scale linear
// SVMs; Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), A dual coordinate descent method for large-scale linear SVM;
// Lin, Weng and Keerthi (2008), Trust region Newton method for large-scale logistic regression.
//
// Memory: 3 n k + 6 D k numbers, n k more for SquaredInsensitive, a block of features and, if CacheBytes allows, all
// features. Features are sparse where they can be (layers.StaysSparse). A stream is read once for
// its targets, which take n k more numbers, once for features that are kept, and otherwise in every pass. Held-out
// rows of a stream are drawn one by one. Results do not depend on GOMAXPROCS. FitSVM checks ctx between blocks.
//
// Errors: as for FitRidge; domain.ErrDomain for a target of SquaredHinge that is neither -1 nor 1; domain.ErrParam
// for options out of range, for more targets than memory holds, and for columns that are not done after MaxSteps.
func FitSVM(ctx context.Context, m layers.Map, rows data.Examples, o SVMOptions) (*Fit, error) {
	f, err := o.newton().fit(ctx, m, rows)
	if err != nil {
		return nil, err
	}
	f.C = 1 / (2 * f.shift)
	for j := range f.Objective {
		f.Objective[j] /= f.shift
		if f.unit != nil {
			f.Objective[j] *= f.unit.Scale[j] * f.unit.Scale[j]
		}
	}
	return f, nil
}

// newton states the problem of all columns. With its losses halved, the objective is 2C that of penalised losses.
func (o SVMOptions) newton() newtonOptions {
	n := newtonOptions{who: "SVM", lambdas: o.Lambdas, heldOut: o.HeldOut, seed: o.Seed, weights: o.ClassWeights,
		tol: orElse(o.Tol, .01), maxSteps: o.MaxSteps, cacheBytes: o.CacheBytes, block: o.BlockRows,
		bias: orElse(o.Bias, 1), grid: cv.Grid{Lo: -7, Hi: -3, By: 1, Limit: [2]int{-10, 0}}, targets: checkSigns,
		loss: o.hinge}
	if o.Loss == SquaredInsensitive {
		n.tol, n.targets, n.loss = orElse(o.Tol, 1e-5), func(*mat.Dense) error { return nil }, o.insensitive
	}
	if o.Progress != nil {
		n.progress = func(steps, columns int, lambda, _ float64) { o.Progress(steps, columns, lambda) }
	}
	hinge, check := o.Loss == SquaredHinge, given.Options(n.who)
	n.wrong = cmp.Or(
		check(hinge || o.Loss == SquaredInsensitive, "Loss", int(o.Loss), "SquaredHinge or SquaredInsensitive"),
		check(positive(o.Epsilon) || o.Epsilon == 0, "Epsilon", o.Epsilon, "a finite number >= 0"),
		check(o.Epsilon == 0 || !hinge, "Epsilon", o.Epsilon, "0; Epsilon is of SquaredInsensitive alone"),
		check(o.ClassWeights == nil || hinge, "ClassWeights", o.ClassWeights,
			"nil; ClassWeights are of SquaredHinge alone"),
		check(positive(n.bias), "Bias", o.Bias, "a finite number above 0"),
	)
	return n
}

// checkSigns wants targets of -1 and 1.
func checkSigns(y *mat.Dense) error {
	raw := y.RawMatrix()
	for i := range raw.Rows {
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+raw.Cols] {
			if v != 1 && v != -1 {
				return fmt.Errorf("row %d has the target y[%d,%d] = %v, and the hinge loss takes -1 and 1; make them "+
					"by OneVersusRest, or choose SquaredInsensitive: %w", i, i, j, v, domain.ErrDomain)
			}
		}
	}
	return nil
}

// squared is half the square of r, the derivative for a column at a score; 0: there is no loss, and no curvature.
func squared(r func(col int, y, f float64) float64) loss {
	return loss{
		width:     1,
		continued: true,
		at: func(cols []int, c float64, y, f, g, h, value []float64) {
			for q, j := range cols {
				e := r(j, y[j], f[q])
				value[q] += c * e * e / 2
				if g == nil {
					continue
				}
				if g[q] = c * e; e != 0 {
					h[q] = 1
				}
			}
		},
		curve: func(c float64, h, u []float64) {
			for q, v := range h {
				u[q] *= c * v
			}
		},
		more: func(residual, _, gain, tol float64) bool {
			return residual > tol || gain > max(tol/100, leastGain)
		},
		loose: .1, tight: .1,
	}
}

// leastGain is the gain of a last step that is small for any Tol. In an ill-conditioned problem the gradient is small
// long before steps stop to gain.
const leastGain = 1e-5

// hinge is max(0, 1 - y f)²/2. The units of Tol are those of LIBLINEAR: the gradient norms at W = 0, times the share of
// the rarer class.
func (o SVMOptions) hinge(y *mat.Dense, weight []float64) (loss, *given.Unit, error) {
	l := squared(func(_ int, y, f float64) float64 { return -y * max(0, 1-y*f) })
	l.hinge = true
	mass, k := floats.Sum(weight), y.RawMatrix().Cols
	for j := range k {
		positive := 0.
		for i, c := range weight {
			if y.At(i, j) > 0 {
				positive += c
			}
		}
		l.unit = append(l.unit, max(mass/float64(len(weight)), min(positive, mass-positive))/mass)
	}
	l.score = func(y, f []float64) (square, wrong float64) {
		if missed(y, f) {
			wrong = 1
		}
		return math.NaN(), wrong
	}
	return l, nil, nil
}

// insensitive is max(0, |y - f| - ε)²/2, for targets in a unit of their own.
func (o SVMOptions) insensitive(y *mat.Dense, _ []float64) (loss, *given.Unit, error) {
	unit, err := given.SpreadOf(y).Unit("SVM", false)
	if err != nil {
		return loss{}, nil, err
	}
	largest := unit.Largest()
	l := squared(func(col int, y, f float64) float64 {
		e, epsilon := f-y, o.Epsilon/unit.Scale[col]
		if math.Abs(e) <= epsilon {
			return 0
		}
		return e - math.Copysign(epsilon, e)
	})
	l.score = func(y, f []float64) (square, wrong float64) {
		for j, v := range y {
			e := (f[j] - v) * (unit.Scale[j] / largest)
			square += e * e / float64(len(y))
		}
		return square, math.NaN()
	}
	return l, unit, nil
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
	h := newtonFolds{newtonOptions: o.newton(), metric: fits.ErrorRate}
	if o.Loss == SquaredInsensitive {
		h.metric = fits.MeanSquaredError
	}
	h.cost = func(p fits.Problem, lambdas []float64) fits.Cost { o.Lambdas = lambdas; return o.Cost(p) }
	return h
}
