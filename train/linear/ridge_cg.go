package linear

import (
	"cmp"
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// CGOptions are the options of FitRidgeCG. The zero value fits the default lambda.
type CGOptions struct {
	Lambda float64 // relative, as in RidgeOptions, above 0; 0 is 1e-6 n for n rows
	// Tol is the norm of the residual of the normal equations, relative to their right-hand side, at which a target is
	// done, in (0, 1); 0 is 1e-8.
	Tol           float64
	MaxIterations int    // 0 is 500. Needing more is an error
	Rank          int    // of the preconditioner, which takes 2 D Rank numbers; 0 is 128, negative is no preconditioner
	Seed          uint64 // of the preconditioner
	BlockRows     int    // as in RidgeOptions
	// Progress is called after each iteration with its number, from 1, and the largest relative residual, as in Tol;
	// nil: not called.
	Progress func(iteration int, residual float64)
}

// sketchOfCG is the default of CGOptions.Rank.
const sketchOfCG = 128

// FitRidgeCG is FitRidge for so many features that memory cannot hold a D×D matrix. It solves the same normal equations
//
//	(Zcᵀ Zc + λ s I) W = Zcᵀ Yc
//
// by conjugate gradients (Hestenes and Stiefel 1952), for all targets together, and maps the rows again for each
// product, block by block. It takes two passes over the rows and one for each iteration. Memory is O(D (k + Rank))
// numbers and some blocks, which are sparse where they can be. The preconditioner keeps
// iterations few. It is a randomised Nyström approximation of Zcᵀ Zc, with its sketch taken in the second pass:
// Frangella, Tropp and Udell (2023), Randomized Nyström preconditioning, (1.3) and algorithm 2.1. Falkon (Rudi,
// Carratino and Rosasco 2017) introduced the combination of repeated passes with a random preconditioner. The weights
// are off by at most about Tol ‖Zcᵀ Yc‖/(λ s).
//
// Errors: as for FitRidge; domain.ErrParam if MaxIterations do not suffice, and for the features of an indefinite
// kernel, whose system is indefinite.
func FitRidgeCG(ctx context.Context, m layers.Map, examples data.Examples, o CGOptions) (*Fit, error) {
	src, err := rows.New(ctx, "Ridge", m, examples)
	if err != nil {
		return nil, err
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	src.Block = o.BlockRows
	if src.Signature != nil {
		return nil, fmt.Errorf("train: Ridge: conjugate gradients want a definite system, and the features have "+
			"two signs; use FitRidge: %w", domain.ErrParam)
	}
	if err := src.InUnit(); err != nil {
		return nil, err
	}
	e := &normalEquations{src: src}
	if err := e.means(); err != nil {
		return nil, err
	}
	o.Lambda = orElse(o.Lambda, defaultLambda*e.mass)
	e.shift = o.Lambda * e.scale
	b, p, err := e.rightSide(o)
	if err != nil {
		return nil, err
	}
	system := conjugate{width: 1, most: o.MaxIterations, tol: o.Tol, times: e.multiply, precondition: p.solve,
		plain: true, progress: o.Progress}
	w, left, iterations, err := system.solve(b)
	if err != nil {
		return nil, err
	}
	if !(left <= o.Tol) {
		return nil, fmt.Errorf("train: Ridge: after %d iterations the residual is %.3g of the right-hand side, and "+
			"Tol is %g; raise Rank, Lambda, MaxIterations or Tol: %w", iterations, left, o.Tol, domain.ErrParam)
	}
	f, err := e.fit(w.v, o.Lambda)
	if err != nil {
		return nil, err
	}
	f.Steps, f.Residual = iterations, []float64{left}
	return f, f.outOfUnit(src)
}

// fill sets the defaults and checks the ranges.
func (o *CGOptions) fill() error {
	o.Tol, o.MaxIterations, o.Rank = orElse(o.Tol, 1e-8), orElse(o.MaxIterations, 500), orElse(o.Rank, sketchOfCG)
	check := given.Options("Ridge")
	return cmp.Or(
		check(positive(o.Lambda) || o.Lambda == 0, "Lambda", o.Lambda, "a finite number above 0, or 0 for the default"),
		check(o.Tol > 0 && o.Tol < 1, "Tol", o.Tol, "a number between 0 and 1"),
		check(o.MaxIterations >= 0, "MaxIterations", o.MaxIterations, "at least 0; 0 is the default"),
		check(o.BlockRows >= 0, "BlockRows", o.BlockRows, "at least 0; 0 is the default"),
	)
}

// normalEquations are (Zcᵀ Zc + shift I) W = b, the first as a product with the rows.
type normalEquations struct {
	src          *rows.Source
	moments      // the mass and the means alone
	scale, shift float64
	block        gramSum
}

// means goes over the rows for their number, their means and the scale of lambda.
func (e *normalEquations) means() error {
	var spread rowSpread
	err := e.src.EachMatrix(func(names rows.Names, z ops.Matrix, y *mat.Dense) error {
		if err := rows.CheckFinite("Ridge", z, names); err != nil {
			return err
		}
		spread.addMatrix(z, nil)
		t := y.RawMatrix()
		if e.meanY == nil {
			e.meanY = make([]float64, t.Cols)
		}
		n := float64(t.Rows)
		moveMean(e.meanY, columnMeans(t.Data, nil, n, t.Rows, t.Cols, t.Stride), n/spread.mass)
		return nil
	})
	if err != nil {
		return err
	}
	e.mass, e.meanZ = spread.mass, spread.meanZ
	e.scale, err = spread.scale("Ridge")
	return err
}

// rightSide goes over the rows for b = Zcᵀ Yc and the sketch of the preconditioner.
func (e *normalEquations) rightSide(o CGOptions) (columns, *preconditioner, error) {
	d, k := len(e.meanZ), len(e.meanY)
	p := newSketch(d, min(max(o.Rank, 0), d), o.Seed)
	g, b := p.sketch(e.meanZ), &gramSum{mean: e.meanZ, out: newColumns(d, k)}
	err := e.src.EachMatrix(func(_ rows.Names, z ops.Matrix, y *mat.Dense) error {
		yc := columns{k, mat.DenseCopyOf(y).RawMatrix().Data}
		subtract(yc.v, k, yc.v, e.meanY)
		g.centre(z)
		b.zc = g.zc
		b.addTransposed(z, yc)
		g.addCentred(z, nil)
		return nil
	})
	if err != nil {
		return b.out, nil, err
	}
	g.finish()
	b.finish()
	e.block = *g
	p.factor(e.mass * e.scale)
	p.shift(e.src.Ctx, 1, e.shift)
	return b.out, p, nil
}

// multiply is (Zcᵀ Zc + shift I) v, [D, k], as conjugate.times. The scratch of one pass serves the next.
func (e *normalEquations) multiply(v columns, _ []int) (columns, error) {
	out := newColumns(len(e.meanZ), v.k)
	floats.AddScaled(out.v, e.shift, v.v)
	g := &gramSum{mean: e.meanZ, out: out, v: v, zc: e.block.zc, t: e.block.t}
	err := e.src.EachMatrix(func(_ rows.Names, z ops.Matrix, _ *mat.Dense) error {
		g.add(z, nil)
		return nil
	})
	g.finish()
	e.block = *g
	return out, err
}
