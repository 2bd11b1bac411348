package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Selection says how FitRidge chooses lambda.
type Selection int

const (
	// SelectAuto fits a single given lambda. Among several lambdas, or the built-in grid if none is given, it chooses
	// by the leave-one-out errors of at most 2048 random rows, without a second pass over the rows. The choice takes
	// one to four times the time of a fit to some thousand rows, and less than the time of a fit to many. It is
	// SelectNone for one row, and without lambdas for more than 512 features of an indefinite kernel, where every
	// lambda needs a factorisation.
	SelectAuto Selection = iota
	// SelectNone fits the given lambda, or 1e-6 n for n rows.
	SelectNone
	// SelectLOO takes the lambda with the least leave-one-out error over all rows. The error is exact: yᵢ - f₋ᵢ(xᵢ) =
	// (yᵢ - f(xᵢ)) / (1 - hᵢᵢ), with the hat matrix h, intercept included, at the same λ s. With the D×D system it
	// needs a second pass through the map.
	SelectLOO
)

func (s Selection) String() string { return domain.Word(s, "auto", "none", "leave-one-out") }

// RidgeOptions are the options of FitRidge. The zero value chooses lambda.
//
// For targets that are classes the best lambda has the least error rate; ties go to the lower squared error. For other
// targets it has the least squared error. Remaining ties go to the larger lambda. The built-in grid for n rows is the
// powers of ten from 1e-9 n to 1e-1 n; it grows to 1e-15 n or 1e3 n while the best is at an end.
type RidgeOptions struct {
	// Lambdas are relative: the penalty is lambda s ‖W‖², with s the mean squared distance of a feature row from the
	// mean row. Each is finite and >= 0; nil: see Select.
	Lambdas []float64
	Select  Selection // how lambda is chosen; SelectNone takes at most one
	Seed    uint64    // draws the rows of SelectAuto
	// ClassWeights are as in RidgeStats: a row of weight 2 counts as two rows, in s and in the errors that choose
	// lambda too. nil: all are 1. With them the D×D system is solved for any n.
	ClassWeights []float64
	// BlockRows is the number of rows that go through the map at once; 0 chooses blocks of a few MB. It changes results
	// only by rounding.
	BlockRows int
	// Progress is called after each block with the number of rows done and the total, which is 0 if it is not known.
	// Every pass of SelectLOO counts the rows again, and so does a fit that reads them again for float64 products. nil:
	// not called.
	Progress func(done, total int)
}

// FitRidge fits linear regression with an l2 penalty on the features z = m(x), in closed form:
//
//	min over W, b of  Σᵢ ‖zᵢ W + b - yᵢ‖² + λ s ‖W‖²,    s = (1/n) Σᵢ ‖zᵢ - z̄‖²
//	W = (Zcᵀ Zc + λ s I)⁻¹ Zcᵀ Yc,    b = ȳ - z̄ W
//
// with Zc, Yc the centred features and targets; the intercept is not penalised. If all rows have the same features, s
// is ‖z̄‖² and W is 0. Rows are float64 or float32, dense or sparse, or ops.Bags; a nil map is the identity. Hoerl and
// Kennard (1970), Ridge regression; leave-one-out by Allen's PRESS (1974).
//
// If n < D and the rows are in memory, W = Zcᵀ (Zc Zcᵀ + λ s I)⁻¹ Yc is computed instead (Fit.Dual). Memory is
// then n D numbers for the features and n² more. Features are sparse where they can be (layers.StaysSparse).
// Otherwise rows go through the map in blocks. Memory is D² + O(D) numbers and the blocks, and
// up to 2048 D more to choose lambda.
//
// A stream is read once, and by SelectLOO twice, or more often while its grid grows. Its D×D system is solved
// for any n, and Progress has no total. Errors name the place by Pairs.Locate.
//
// Sums and the system are float64. Products of float32 features are float32, as with RidgeStats.Float32Products, which
// takes 0.6 of the time. They need a lambda of at least RidgeStats.LeastLambda, about 7e-5 √(n/D), or 9e-9 n for n =
// 16000 and D = 4096. A lower lambda gets float64 products, and the rows are read again if that turns out late.
// Features of an indefinite kernel have float64 products, and so has the built-in grid for rows in memory unless n > 2
// D + 6 min(n, 2048) for SelectAuto. The same holds for n < D with rows and columns exchanged, if D > 8 n. Results do
// not depend on GOMAXPROCS, and on the blocks only by rounding. FitRidge checks ctx between blocks, of rows and of the
// system.
//
// For the features of an indefinite kernel (layers.SignatureOf) the penalty is λ s Wᵀ Σ W, with the signs of the
// features on the diagonal of Σ. The solution W = (Zcᵀ Zc + λ s Σ)⁻¹ Zcᵀ Yc of this Kreĭn ridge regression is a
// stationary point, not a minimum; no eigenvalue of the kernel matrix is clipped. The D×D system is solved for any n.
// Ong, Mary, Canu and Smola (2004), Learning with non-positive kernels.
//
// Errors: domain.ErrShape for shapes that do not fit and for too few rows; domain.ErrDtype; domain.ErrDomain for a
// feature or target that is not finite, with its row of x, and for features that are all zero; domain.ErrParam for
// options out of range and for a lambda that leaves the system singular; the errors of the map; ctx.Err().
func FitRidge(ctx context.Context, m layers.Map, examples data.Examples, o RidgeOptions) (*Fit, error) {
	src, err := rows.New(ctx, "Ridge", m, examples)
	if err != nil {
		return nil, err
	}
	n := maxStats // the number of rows of a stream is not known
	if src.Memory != nil {
		n = src.N
	}
	if err := o.check(n); err != nil {
		return nil, err
	}
	src.Block, src.Progress = o.BlockRows, o.Progress
	if o.ClassWeights == nil {
		if err := src.InUnit(); err != nil {
			return nil, err
		}
	}
	var fit *Fit
	if src.Memory != nil && o.solvesDual(src.N, src.Features, src.Signature != nil) {
		fit, err = fitRidgeDual(src, o)
	} else {
		src.Total = o.passes(src.Signature) * src.N
		fit, err = o.byFloat32(src, true, func(narrow bool) (*Fit, float64, error) {
			return fitRidgeSums(src, o, narrow)
		})
	}
	if stopped := src.Cancelled(); stopped != nil { // products that have stopped have left numbers of no use
		return nil, stopped
	}
	if err != nil {
		return nil, err
	}
	return fit, fit.outOfUnit(src)
}

// check checks the options for n rows.
func (o RidgeOptions) check(n int) error {
	for i, l := range o.Lambdas {
		if err := given.CheckLambda(l); err != nil {
			return fmt.Errorf("train: Ridge: Lambdas[%d]: %w", i, err)
		}
	}
	check, tried := given.Options("Ridge"), len(o.Lambdas)
	err := cmp.Or(
		check(o.Select >= SelectAuto && o.Select <= SelectLOO, "Select", int(o.Select),
			"SelectAuto, SelectNone or SelectLOO"),
		check(o.Lambdas == nil || tried > 0, "Lambdas", o.Lambdas, "one at least, or nil for the default"),
		check(tried <= 1 || o.Select != SelectNone, "Lambdas", o.Lambdas, "one for SelectNone, or choose by SelectLOO"),
		check(o.BlockRows >= 0, "BlockRows", o.BlockRows, "at least 0; 0 chooses"),
	)
	if err == nil && n < 2 && (o.Select > SelectNone || tried > 1) {
		err = fmt.Errorf("train: Ridge: %v needs at least 2 rows, got %d; use SelectNone and one lambda: %w", o.Select,
			n, domain.ErrShape)
	}
	return err
}

// selects is how lambda is chosen by n rows: SelectNone where SelectAuto has nothing to choose from.
func (o RidgeOptions) selects(n, features int, signed bool) Selection {
	costly := signed && features > 512 // every lambda of an indefinite kernel needs a factorisation
	if o.Select == SelectAuto && (n < 2 || len(o.Lambdas) == 1 || o.Lambdas == nil && costly) {
		return SelectNone
	}
	return o.Select
}

// lambda is the lambda for n rows if there is no choice.
func (o RidgeOptions) lambda(n int) float64 {
	if o.Lambdas == nil {
		return defaultLambda * float64(n)
	}
	return o.Lambdas[0]
}

// grid is the grid of lambdas for n rows. It grows by a number of lambdas at once while the best is at an end.
func (o RidgeOptions) grid(n, by int) cv.Grid {
	if o.Lambdas != nil {
		return cv.Grid{List: o.Lambdas}
	}
	return builtIn(n, by)
}

// passes is the least number of passes of the rows through the map.
func (o RidgeOptions) passes(signature []float64) int {
	switch {
	case o.Select != SelectLOO:
		return 1
	case signature != nil:
		return 1 + max(1, len(o.Lambdas))
	default:
		return 2
	}
}

// byFloat32 fits by float32 products if some features are float32 and such products are likely to save time. It fits by
// float64 products otherwise, and if lambda turns out too small for the others: fit also returns the least lambda that
// its products allow, and domain.ErrParam for a given lambda below it.
func (o RidgeOptions) byFloat32(src *rows.Source, some bool,
	fit func(narrow bool) (*Fit, float64, error)) (*Fit, error) {
	p := fits.Problem{Rows: src.N, Features: src.Features, Signed: src.Signature != nil, Streamed: src.Memory == nil}
	if some && o.float32Pays(p) {
		f, least, err := fit(true)
		if least == 0 || err == nil && f.Lambda >= least || err != nil && !errors.Is(err, domain.ErrParam) {
			return f, err
		}
	}
	f, _, err := fit(false)
	return f, err
}

// float32Pays says whether float32 products, by columns or by rows, are likely to save time. They are not for a lambda
// that is too small for them, nor for a choice from the built-in grid: its lambdas go far below, and choosing twice
// would take longer than they save.
func (o RidgeOptions) float32Pays(p fits.Problem) bool {
	n, d := float64(p.Rows), float64(p.Features)
	switch {
	case p.Signed:
		return false
	case p.Streamed: // nobody knows how many rows there are
		return true
	case o.Lambdas != nil: // the least of rows of like size, the features too
		return slices.Min(o.Lambdas) >= floatMargin*0x1p-23*math.Sqrt(n/3/d)*fast.FloatRows
	case o.selects(p.Rows, p.Features, false) == SelectNone:
		return true
	}
	// A failure takes the choice again. In units of the product of as many rows as the system has, it takes 8 for a
	// sample of as many rows (at D = 1024 and 2048 on one core), 6 of them in proportion to these rows.
	system, scored := min(n, d), n
	if o.Select == SelectAuto {
		scored = min(n, rows.Scored)
	}
	return max(n, d)/system > 2+6*scored/system
}

// fitRidgeSums solves the D x D system, with the products of float32 features in float32 if narrow is true (byFloat32).
func fitRidgeSums(src *rows.Source, o RidgeOptions, narrow bool) (fit *Fit, least float64, err error) {
	s := RidgeStats{Signature: src.Signature, ClassWeights: o.ClassWeights, Float32Products: narrow}
	sample := rows.NewSample(o.Seed)
	add, signed := s.add, src.Signature != nil
	if o.selects(2, src.Features, signed) == SelectAuto { // nobody knows how many rows a stream has
		add = rows.Both(add, sample.Add)
	}
	if err := src.Each(add); err != nil {
		return nil, 0, err
	}
	least = s.LeastLambda()
	if o.Lambdas != nil && slices.Min(o.Lambdas) < least {
		return nil, least, domain.ErrParam
	}
	switch o.selects(s.n, src.Features, signed) {
	case SelectLOO:
		fit, err = s.leaveOneOut(src.Ctx, src, nil, o.grid(s.n, 3))
	case SelectAuto:
		fit, err = s.leaveOneOut(src.Ctx, src, sample, o.grid(s.n, 1))
	default:
		fit, err = s.solve(src.Ctx, o.lambda(s.n))
	}
	return fit, least, err
}

// leaveOneOut scores every lambda on the rows of a sample, or of src without one, by yᵢ - rᵢ/(1 - hᵢᵢ), with the
// residual r and hᵢᵢ = wᵢ (1/n + zᵢᵀ (G + λ s Σ)⁻¹ zᵢ) for centred zᵢ, weights w and their sum n, and fits the best.
// One reduction of G and one rotation of the rows serve all lambdas; with a Cholesky factor every lambda would need its
// own product with all rows. By the Sherman-Morrison formula this holds for an indefinite kernel, too, where 1 - hᵢᵢ
// can have either sign. It overwrites s.g, and the rows of a sample.
func (s *RidgeStats) leaveOneOut(ctx context.Context, src *rows.Source, sample *rows.Sample, grid cv.Grid) (*Fit,
	error) {
	scale, err := s.scale()
	if err == nil {
		err = checkSquares(s.yy)
	}
	if err != nil {
		return nil, err
	}
	p := s.system().path(ctx)
	for _, b := range sample.All() { // where they lie
		subtract(b.Z, s.Features(), b.Z, s.meanZ)
		p.turn(b.Z, len(b.Rows.Index), false)
	}
	rows := func(f func(x []float64, y *mat.Dense, weight []float64)) error {
		for _, b := range sample.All() {
			weight, err := given.RowWeights("Ridge", s.ClassWeights, b.Y, b.Rows.At)
			if err != nil {
				return err
			}
			f(b.Z, b.Y, weight)
		}
		if sample != nil {
			return nil
		}
		var x []float64
		return src.Each(func(names rows.Names, z *tensor.Dense, y *mat.Dense) error {
			if err := rows.CheckFinite("Ridge", z, names); err != nil {
				return err
			}
			weight, err := given.RowWeights("Ridge", s.ClassWeights, y, names.At)
			if err != nil {
				return err
			}
			x = centre(slices.Grow(x[:0], z.DataSize())[:z.DataSize()], s.Features(), z, 0, s.meanZ)
			p.turn(x, z.Shape()[0], false)
			f(x, y, weight)
			return nil
		})
	}
	w, lambda, scores, err := p.leaveOneOut(rows, s.without, grid, scale)
	if err != nil {
		return nil, err
	}
	fit, err := s.fit(w, lambda)
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	return fit, nil
}

// without is a without for predictions about the mean target.
func (s *RidgeStats) without(pred, y []float64, h, w, _ float64) (ok bool) {
	left := 1 - w/s.mass - w*h
	for t, v := range y {
		pred[t] = v - (v-s.meanY[t]-pred[t])/left
	}
	return left >= decisive || s.Signature != nil && -left >= decisive
}
