package linear

import (
	"context"
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/layers"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Jackknife is ridge regression with all its leave-one-out fits, for prediction intervals that need no held-out rows.
// For n rows with centred features z̃, let G = Σ z̃z̃ᵀ + λ s I and h(x, xᵢ) = 1/n + z̃(x)ᵀ G⁻¹ z̃ᵢ. The fit f₋ᵢ without
// row i, at the same λ s, has a closed form:
//
//	eᵢ = yᵢ - f₋ᵢ(xᵢ) = (yᵢ - f(xᵢ)) / (1 - h(xᵢ, xᵢ)),    f₋ᵢ(x) = f(x) - h(x, xᵢ) eᵢ.
//
// Intervals are the jackknife+: with q = ⌈(n+1)·level⌉,
//
//	lower(x) = the (n+1-q)-th smallest of f₋ᵢ(x) - |eᵢ|,    upper(x) = the q-th smallest of f₋ᵢ(x) + |eᵢ|.
//
// If the rows and a new row are exchangeable, they cover its target with a probability of at least 2·level - 1,
// whatever the distribution and the features, and of about level if one row changes the fit little. The bound is over
// draws of the rows and of the new row, for each target by itself. It assumes a lambda that was not chosen on these
// rows; a choice by leave-one-out errors from a short grid changes little. Barber, Candès, Ramdas and Tibshirani
// (2021), Predictive inference with the jackknife+, theorem 1; Allen (1974) for e.
//
// It holds n(D + k) numbers. It does not change, and is safe for concurrent use if its map is.
type Jackknife struct {
	m            layers.Map
	n            int
	features     int
	targets      int
	meanZ, meanY []float64
	w            []float64 // Wᵀ [k, D]
	u            []float64 // z̃ᵢᵀ G⁻¹ [n, D]
	e            []float64 // [n, k]
}

// NewJackknife fits rows through the map (nil: the identity) with the relative lambda of FitRidge, such as
// RidgeFit.Lambda. It takes the rows of FitRidge, in memory or from a stream, and reads them once. It solves the
// smaller of the D×D and n×n systems for n right-hand sides, with at most 2nD² + n²D operations. Meanwhile it holds
// another D² or n² numbers, and n D more if n < D.
//
// Errors: as for FitRidge; domain.ErrShape for fewer than 2 rows; domain.ErrParam for a lambda so small that a row
// determines its own fit, and for the features of an indefinite kernel.
func NewJackknife(ctx context.Context, m layers.Map, rows data.Examples, lambda float64) (*Jackknife, error) {
	const who = "Jackknife"
	src, err := newSource(ctx, who, m, rows)
	if err != nil {
		return nil, err
	}
	if err := given.CheckLambda(lambda); err != nil {
		return nil, fmt.Errorf("train: %s: %w", who, err)
	}
	if src.signature != nil {
		return nil, fmt.Errorf("train: %s: the features are those of an indefinite kernel, whose fit is no least squares; use a map without signs: %w", who, domain.ErrParam)
	}
	j := &Jackknife{m: m}
	var z, y []float64
	err = src.each(func(rows rowNames, block *tensor.Dense, targets *mat.Dense) error {
		if err := checkFinite(who, block, targets, rows.at); err != nil {
			return err
		}
		b, d := block.Shape()[0], block.Shape()[1]
		_, k := targets.Dims()
		if j.n > 0 && (d != j.features || k != j.targets) {
			return fmt.Errorf("train: %s: a block has %d features and %d targets, those before it have %d and %d: %w", who, d, k, j.features, j.targets, domain.ErrShape)
		}
		j.features, j.targets, j.n = d, k, j.n+b
		if err := domain.CheckSize("train: "+who+": the features of all rows", 8, max(j.n, src.n), d); err != nil {
			return err
		}
		if z == nil {
			z = make([]float64, 0, src.n*d)
		}
		z = appendWide(z, block)
		for i := range b {
			y = append(y, targets.RawRowView(i)...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if j.n < 2 || j.targets == 0 {
		return nil, fmt.Errorf("train: %s: there are %d rows of %d targets; give at least 2 rows and a target: %w", who, j.n, j.targets, domain.ErrShape)
	}
	if j.n < j.features {
		err = j.buildDual(ctx, z, y, lambda)
	} else {
		err = j.build(ctx, z, y, lambda)
	}
	if stopped := src.cancelled(); stopped != nil {
		return nil, stopped
	}
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		what string
		x    []float64
	}{{"a coefficient", j.w}, {"a leave-one-out residual", j.e}} {
		if at, _, v := given.NotFinite(part.x, len(part.x), 1, 1); at >= 0 {
			return nil, fmt.Errorf("train: %s: %s is %v; scale the features or the targets: %w", who, part.what, v, domain.ErrDomain)
		}
	}
	return j, nil
}

// appendWide appends a block as float64.
func appendWide(dst []float64, block *tensor.Dense) []float64 {
	if block.Dtype() == tensor.Float32 {
		at := len(dst)
		dst = slices.Grow(dst, len(block.Float32s()))[:at+len(block.Float32s())]
		widen(dst[at:], block.Float32s())
		return dst
	}
	return append(dst, block.Float64s()...)
}

// build solves the D x D system and overwrites z, [n, D], with u.
func (j *Jackknife) build(ctx context.Context, z, y []float64, lambda float64) error {
	n, d, k := j.n, j.features, j.targets
	s := &RidgeStats{}
	if err := s.Add(tensor.New(tensor.WithShape(n, d), tensor.WithBacking(z)), mat.NewDense(n, k, y)); err != nil {
		return err
	}
	scale, err := s.scale()
	if err != nil {
		return err
	}
	j.meanZ, j.meanY = s.meanZ, s.meanY
	l, ok := dense.Cholesky(ctx, s.g, d, lambda*scale)
	if !ok {
		return notPositive("Jackknife", d, lambda, lambda*scale)
	}
	choleskySolve(l, s.r, k)
	j.w = transposed(s.r, d, k, k)
	subtractMean(z, z, j.meanZ)
	j.e = j.residuals(z, y)
	for i := 0; i < n && ctx.Err() == nil; i += ridgeDepth {
		b := min(ridgeDepth, n-i)
		block := z[i*d : (i+b)*d]
		t := transposed(block, b, d, d)
		choleskySolve(l, t, b)
		u := transposed(t, d, b, b)
		for r := range b {
			left := 1 - 1/float64(n) - floats.Dot(block[r*d:(r+1)*d], u[r*d:(r+1)*d])
			if !(left >= decisive) {
				return selfMade(i+r, lambda)
			}
			floats.Scale(1/left, j.e[(i+r)*k:(i+r+1)*k])
		}
		copy(block, u)
	}
	j.u = z
	return nil
}

// residuals returns y - f(x) for rows of centred features, [n, k].
func (j *Jackknife) residuals(z, y []float64) []float64 {
	n, d, k := len(z)/j.features, j.features, j.targets
	e := slices.Clone(y)
	for i := range n {
		floats.Sub(e[i*k:(i+1)*k], j.meanY)
	}
	addProduct(-1, general(n, d, d, z), general(k, d, d, j.w), general(n, k, k, e))
	return e
}

// buildDual solves the n x n system with C = (Kc + mu 1 1ᵀ/n + λ s I)⁻¹ as ridgeDual has it: u = C Z̃, and eᵢ = αᵢ/(Cᵢᵢ
// - 1/(n(mu + λ s))).
func (j *Jackknife) buildDual(ctx context.Context, z, y []float64, lambda float64) error {
	n, d, k := j.n, j.features, j.targets
	j.meanZ = columnMeans(z, nil, float64(n), n, d, d)
	subtractMean(z, z, j.meanZ)
	rows := dualRows{n: n, d: d, z: z, mean: j.meanZ}
	dual := newRidgeDual(rows.gram(ctx), n, general(n, k, k, y))
	j.meanY = dual.meanY
	scale, err := penaltyScale("Jackknife", dual.spread, floats.Dot(j.meanZ, j.meanZ), roundedRows)
	if err != nil {
		return err
	}
	shift := lambda * scale
	l, ok := dense.Cholesky(ctx, dual.k, n, shift)
	if !ok {
		return notPositive("Jackknife", n, lambda, shift)
	}
	c := make([]float64, n*n)
	for i := range n {
		c[i*n+i] = 1
	}
	choleskySolve(l, c, n)
	j.e = make([]float64, n*k)
	addProduct(1, general(n, n, n, c), general(k, n, n, transposed(dual.y, n, k, k)), general(n, k, k, j.e))
	j.w = transposed(rows.weights(j.e, k), d, k, k)
	for i := range n {
		left := c[i*n+i] - 1/(float64(n)*(dual.mu+shift))
		if !(left >= decisive*c[i*n+i]) {
			return selfMade(i, lambda)
		}
		floats.Scale(1/left, j.e[i*k:(i+1)*k])
	}
	j.u = make([]float64, n*d)
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, n, d, n, 1, c, n, z, d, 0, j.u, d)
	return nil
}

func selfMade(row int, lambda float64) error {
	return fmt.Errorf("train: Jackknife: with lambda = %g row %d determines its own fit and cannot be left out; raise lambda: %w", lambda, row, domain.ErrParam)
}
