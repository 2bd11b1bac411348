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

// LogisticOptions are the options of FitLogistic. The zero value fits the default lambda.
type LogisticOptions struct {
	// Lambdas are relative, as in RidgeOptions: the penalty is ½ lambda s ‖W‖², with s the mean squared distance of a
	// feature row from the mean row. Each is finite and > 0. Of several the one with the least error rate on held-out
	// rows is chosen; ties go to the lower squared error of the probabilities, then to the larger lambda. HeldOut is the
	// fraction of the rows that is held out, in (0, 1); 0 is 0.2. Seed draws these rows and, with more than 512 features,
	// the preconditioner. Lambdas of nil are one lambda, 1e-6 n for n rows, or the grid of Folds if HeldOut is given.
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
// a randomised Nyström sketch U Λ Uᵀ of rank r = min(n/16, 256), or 16 of sparse features, replaces the Gram matrix, with
// λ_r the least of Λ:
//
//	U (γ Λ + λ s)⁻¹ Uᵀ + (γ λ_r + λ s)⁻¹ (I - U Uᵀ)
//
// Frangella, Tropp and Udell (2023), Randomized Nyström preconditioning, (1.3). It takes one more pass over the
// features. Seed draws it, and changes W only within Tol.
//
// Memory: 3 n k + 6 D k numbers, two D×D matrices or, with more than 512 features, 2 D r numbers, a block of features
// and, if CacheBytes allows, all features and twice 4 n D bytes. Features are sparse where they can be
// (layers.StaysSparse), and then have no float32 copies. Results do not depend on GOMAXPROCS. FitLogistic checks ctx
// between blocks.
//
// Errors: as for FitRidge; domain.ErrDomain for a row of y that is not of one class; domain.ErrParam for options out
// of range and for a fit that is not done after MaxSteps.
func FitLogistic(ctx context.Context, m layers.Map, rows data.Examples, o LogisticOptions) (*Fit, error) {
	f, err := o.newton().fit(ctx, m, rows)
	if err != nil {
		return nil, err
	}
	floats.AddConst(-floats.Sum(f.B)/float64(len(f.B)), f.B)
	return f, nil
}

// newton states the problem.
func (o LogisticOptions) newton() newtonOptions {
	n := newtonOptions{who: "Logistic", lambdas: o.Lambdas, heldOut: o.HeldOut, seed: o.Seed, weights: o.ClassWeights,
		tol: orElse(o.Tol, 1e-5), maxSteps: o.MaxSteps, cacheBytes: o.CacheBytes, block: o.BlockRows,
		grid: cv.Grid{Lo: -8, Hi: -4, By: 1, Limit: [2]int{-12, 0}}}
	n.targets = func(y *mat.Dense) error {
		if !cv.OneClass(y) {
			return fmt.Errorf("y is %v and not of one class a row, 1 in its column and -1 in the others, two columns "+
				"at least; make it by OneVersusRest: %w", given.DimsOf(y), domain.ErrDomain)
		}
		return nil
	}
	n.loss = func(y *mat.Dense, _ []float64) (loss, *given.Unit, error) {
		return softmax(y.RawMatrix().Cols), nil, nil
	}
	if o.Progress != nil {
		n.progress = func(steps, _ int, _, promise float64) { o.Progress(steps, promise) }
	}
	return n
}

// softmax is -ln softmax(f)[class] for k classes. Its gradient is p - y for the probabilities p, and its curvature
// diag(p) - p pᵀ.
func softmax(k int) loss {
	return loss{
		width: k,
		at: func(_ []int, c float64, y, f, g, h, value []float64) {
			class := slices.Index(y, 1)
			score := f[class]
			value[0] += c * (softmaxRow(f) - score)
			if g != nil {
				copy(h, f)
				copy(g, f)
				g[class]--
				floats.Scale(c, g)
			}
		},
		curve: func(c float64, p, u []float64) {
			mean := floats.Dot(u, p)
			for j, v := range u {
				u[j] = c * p[j] * (v - mean)
			}
		},
		mean:  func(p []float64) float64 { return (1 - floats.Dot(p, p)) / float64(k-1) },
		more:  func(_, promise, _, tol float64) bool { return promise > tol },
		loose: .5, tight: .2,
		score: func(y, f []float64) (square, wrong float64) {
			if missed(y, f) {
				wrong = 1
			}
			softmaxRow(f)
			for j, v := range f {
				e := v - (y[j]+1)/2
				square += e * e / float64(k)
			}
			return square, wrong
		},
	}
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
	d, lambdas := float64(p.Features), tried(o.Lambdas, o.HeldOut)
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
// error of the probabilities. The options leave Lambdas nil, and the targets are classes. Rows are kept as for
// SVMOptions. The default grid is 1e-8 n to 1e-4 n by factors of 10; it grows to 1e-12 n or 1 n while the best is at
// an end.
func (o LogisticOptions) Folds() cv.Head {
	h := newtonFolds{newtonOptions: o.newton(), metric: fits.ErrorRate}
	h.cost = func(p fits.Problem, lambdas []float64) fits.Cost { o.Lambdas = lambdas; return o.Cost(p) }
	return h
}
