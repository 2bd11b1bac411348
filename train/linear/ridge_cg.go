package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
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
// numbers and some blocks, which are sparse for sparse rows under a map that keeps zeros. The preconditioner keeps
// iterations few. It is a randomised Nyström approximation of Zcᵀ Zc, with its sketch taken in the second pass:
// Frangella, Tropp and Udell (2023), Randomized Nyström preconditioning, (1.3) and algorithm 2.1. Falkon (Rudi,
// Carratino and Rosasco 2017) introduced the combination of repeated passes with a random preconditioner. The weights
// are off by at most about Tol ‖Zcᵀ Yc‖/(λ s).
//
// Errors: as for FitRidge; domain.ErrParam if MaxIterations do not suffice, and for the features of an indefinite
// kernel, whose system is indefinite.
func FitRidgeCG(ctx context.Context, m layers.Map, rows data.Examples, o CGOptions) (*Fit, error) {
	src, err := newSource(ctx, "Ridge", m, rows)
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
	if o.Lambda == 0 {
		o.Lambda = defaultLambda * float64(e.stats.n)
	}
	e.shift = o.Lambda * e.scale
	p, err := e.rightSide(o)
	if err != nil {
		return nil, err
	}
	f, err := e.conjugateGradients(p, o)
	if err != nil {
		return nil, err
	}
	return f, f.outOfUnit(src)
}

// fill sets the defaults and checks the ranges.
func (o *CGOptions) fill() error {
	o.Tol, o.MaxIterations, o.Rank = orElse(o.Tol, 1e-8), orElse(o.MaxIterations, 500), orElse(o.Rank, sketchOfCG)
	switch {
	case !(o.Lambda >= 0 && o.Lambda <= math.MaxFloat64):
		return fmt.Errorf("train: Ridge: Lambda = %v is not a finite number above 0; 0 is the default: %w",
			o.Lambda, domain.ErrParam)
	case !(o.Tol > 0 && o.Tol < 1):
		return fmt.Errorf("train: Ridge: Tol = %v is not between 0 and 1: %w", o.Tol, domain.ErrParam)
	case o.MaxIterations < 0 || o.BlockRows < 0:
		return fmt.Errorf("train: Ridge: MaxIterations = %d or BlockRows = %d is negative: %w",
			o.MaxIterations, o.BlockRows, domain.ErrParam)
	}
	return nil
}

// conjugateGradients solves the equations.
func (e *normalEquations) conjugateGradients(p *preconditioner, o CGOptions) (*Fit, error) {
	k := e.stats.targets
	times := func(v columns, _ []int) (columns, error) {
		out := newColumns(e.stats.features, v.k)
		return out, e.multiply(out, v)
	}
	precondition := func(r columns) columns { return columns{r.k, p.solve(r.v, r.k)} }
	system := conjugate{width: 1, most: o.MaxIterations, tol: o.Tol, times: times, precondition: precondition, plain: true,
		progress: o.Progress}
	w, left, iterations, err := system.solve(columns{k, e.b})
	if err != nil {
		return nil, err
	}
	if !(left <= o.Tol) {
		return nil, fmt.Errorf("train: Ridge: after %d iterations the residual is %.3g of the right-hand side, and "+
			"Tol is %g; raise Rank, Lambda, MaxIterations or Tol: %w", iterations, left, o.Tol, domain.ErrParam)
	}
	f, err := e.stats.fit(w.v, o.Lambda)
	if err != nil {
		return nil, err
	}
	f.Steps, f.Residual = iterations, []float64{left}
	return f, nil
}

// normalEquations are (Zcᵀ Zc + shift I) W = b, the first as a product with the rows.
type normalEquations struct {
	src          *rows.Source
	stats        RidgeStats // n, the means and the dimensions; no sums of products
	scale, shift float64
	b            []float64 // [D, k]
	block        gramSum
}

// means goes over the rows for their number, their means and the scale of lambda.
func (e *normalEquations) means() error {
	s := &e.stats
	var spread rowSpread
	err := e.src.EachMatrix(func(names rows.Names, z ops.Matrix, y *mat.Dense) error {
		n, d, raw := z.Shape()[0], z.Shape()[1], y.RawMatrix()
		if s.n == 0 {
			s.features, s.targets, s.meanY = d, raw.Cols, make([]float64, raw.Cols)
		}
		if d != s.features || raw.Cols != s.targets {
			return fmt.Errorf("train: Ridge: features %v and %d targets do not fit the blocks before them ([.,%d] "+
				"and [.,%d]): %w", z.Shape(), raw.Cols, s.features, s.targets, domain.ErrShape)
		}
		if err := rows.CheckFinite("Ridge", z, y, names.At); err != nil {
			return err
		}
		s.n += n
		spread.addMatrix(z, nil)
		moveMean(s.meanY, columnMeans(raw.Data, nil, float64(n), n, raw.Cols, raw.Stride), float64(n)/float64(s.n))
		return nil
	})
	if err != nil {
		return err
	}
	s.meanZ = spread.mean
	e.scale, err = spread.scale("Ridge")
	return err
}

// rightSide goes over the rows for b = Zcᵀ Yc and the sketch of the preconditioner.
func (e *normalEquations) rightSide(o CGOptions) (*preconditioner, error) {
	s := &e.stats
	d, k := s.features, s.targets
	e.b = make([]float64, d*k)
	p, sums := newSketch(d, min(max(o.Rank, 0), d), o.Seed), make([]float64, k) // of the targets of sparse rows
	g := e.gram(p.y, p.omega, p.rank)
	err := e.src.EachMatrix(func(_ rows.Names, z ops.Matrix, y *mat.Dense) error {
		n, yc := z.Shape()[0], mat.DenseCopyOf(y).RawMatrix().Data
		for i := range yc {
			yc[i] -= s.meanY[i%k]
		}
		if x, sparse := z.(*ops.CSR); sparse {
			addSparseTransposed(columns{k, e.b}, x, columns{k, yc})
			for i, v := range yc {
				sums[i%k] += v
			}
		} else {
			gemm(true, d, k, n, 1, g.centre(z.(*tensor.Dense)), d, yc, k, e.b, k)
		}
		g.add(z, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	g.finish()
	columns{k, e.b}.addOuter(-1, s.meanZ, sums)
	p.factor(float64(s.n) * e.scale)
	p.shift(e.src.Ctx, 1, e.shift)
	return p, nil
}

// multiply puts (Zcᵀ Zc + shift I) v into out, both [D, k].
func (e *normalEquations) multiply(out, v columns) error {
	floats.AddScaled(out.v, e.shift, v.v)
	g := e.gram(out.v, v.v, v.k)
	err := e.src.EachMatrix(func(_ rows.Names, z ops.Matrix, _ *mat.Dense) error {
		g.add(z, nil)
		return nil
	})
	g.finish()
	return err
}

// gram adds Zcᵀ Zc v to out, both [D, k], over blocks; the scratch of one pass serves the next.
func (e *normalEquations) gram(out, v []float64, k int) *gramSum {
	e.block = gramSum{mean: e.stats.meanZ, out: columns{k, out}, v: columns{k, v}, zc: e.block.zc, t: e.block.t}
	return &e.block
}
