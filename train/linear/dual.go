package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// ridgeDual is the ridge problem in the space of the rows: α = (Kc + λI)⁻¹ Yc with Kc = H K H, H = I - 1 1ᵀ/n, the Gram
// matrix of the centred features.
//
// The vector of ones is an eigenvector of Kc with the eigenvalue 0, and every centred target is orthogonal to it. Its
// eigenvalue is set to mu, the largest entry, which only improves the condition of the matrix.
type ridgeDual struct {
	*system            // with Kc + mu 1 1ᵀ/n and Yc
	rowMean []float64  // of K
	spread  float64    // tr Kc/n
	mu      float64    // the eigenvalue of the ones
	given   *mat.Dense // the targets
	meanY   []float64
}

// newRidgeDual centres k and y. It reads and overwrites the lower triangle of k, and copies y, [n, targets].
func newRidgeDual(who string, k []float64, n int, targets *mat.Dense) *ridgeDual {
	y := targets.RawMatrix()
	d := &ridgeDual{given: targets, rowMean: make([]float64, n), meanY: make([]float64, y.Cols),
		system: &system{who, n, y.Cols, k, transposed(y.Data, n, y.Cols, y.Stride), nil}}
	for i := range n {
		for j, v := range k[i*n : i*n+i+1] {
			d.rowMean[i] += v / float64(n)
			if j != i {
				d.rowMean[j] += v / float64(n)
			}
		}
	}
	mean := floats.Sum(d.rowMean) / float64(n)
	for i := range n {
		for j := range i + 1 {
			k[i*n+j] += mean - d.rowMean[i] - d.rowMean[j]
			d.mu = max(d.mu, math.Abs(k[i*n+j]))
		}
		d.spread += k[i*n+i] / float64(n)
	}
	d.mu = orElse(d.mu, 1)
	for i := range n {
		for j := range i + 1 {
			k[i*n+j] += d.mu / float64(n)
		}
	}
	for t := range d.meanY {
		own := d.b[t*n : (t+1)*n]
		for _, v := range own {
			d.meanY[t] += v / float64(n)
		}
		floats.AddConst(-d.meanY[t], own)
	}
	return d
}

// intercept is b of f(x) = Σᵢ αᵢ k(x, xᵢ) + b: the mean of y - K α. The sum of α is 0.
func (d *ridgeDual) intercept(alpha []float64) []float64 {
	b := append([]float64(nil), d.meanY...)
	for i, m := range d.rowMean {
		for t := range b {
			b[t] -= m * alpha[i*d.k+t]
		}
	}
	return b
}

// fit returns α for the lambda of the options, scale being its unit, or for the one that it chooses. It overwrites d.a.
func (d *ridgeDual) fit(ctx context.Context, o RidgeOptions, scale float64) (alpha []float64, lambda float64,
	scores []fits.LambdaScore, err error) {
	if o.selects(d.n, 0, false) == SelectNone {
		lambda = o.lambda(d.n)
		alpha, ok := d.solve(ctx, lambda*scale)
		if !ok {
			err = d.unsolvable(lambda, lambda*scale)
		}
		return alpha, lambda, nil, err
	}
	which := data.Shuffle(d.n, o.Seed)
	if o.Select == SelectAuto {
		which = which[:min(d.n, rows.Scored)]
	}
	return d.leaveOneOut(ctx, which, o.grid(d.n, 1), scale)
}

// leaveOneOut scores every lambda, in the unit of K, on the rows in which. With C = (Kc + mu 1 1ᵀ/n + λI)⁻¹ the
// residual is λ αᵢ and 1 - hᵢᵢ = λ (Cᵢᵢ - 1/(n(mu + λ))), so the error without row i is αᵢ over that bracket.
func (d *ridgeDual) leaveOneOut(ctx context.Context, which []int, grid cv.Grid, scale float64) (alpha []float64,
	lambda float64, scores []fits.LambdaScore, err error) {
	squares := make([]float64, d.k)
	for t := range squares {
		squares[t] = floats.Dot(d.b[t*d.n:(t+1)*d.n], d.b[t*d.n:(t+1)*d.n])
	}
	if err := checkSquares(squares); err != nil {
		return nil, 0, nil, err
	}
	p, units := d.path(ctx), make([]float64, len(which)*d.n) // row i of I Q gives αᵢ and Cᵢᵢ
	for r, i := range which {
		units[r*d.n+i] = 1
	}
	p.turn(units, len(which), false)
	y := given.TargetRows(d.given, which)
	rows := func(f func(x []float64, y *mat.Dense, weight []float64)) error { f(units, y, nil); return nil }
	leave := func(pred, y []float64, c, _, mu float64) bool {
		left := c - 1/(float64(d.n)*(d.mu+mu))
		for t, v := range y {
			pred[t] = v - pred[t]/left
		}
		return left >= decisive*c
	}
	return p.leaveOneOut(rows, leave, grid, scale)
}

// fitRidgeDual solves the n x n system.
func fitRidgeDual(src *rows.Source, o RidgeOptions) (*Fit, error) {
	all, err := newDualRows(src)
	if err != nil {
		return nil, err
	}
	return o.byFloat32(src, all.single, func(narrow bool) (*Fit, float64, error) {
		k, least := []float64(nil), 0.
		if !narrow {
			k = all.gram(src.Ctx)
		} else if k, least = all.gramFloat32(src.Ctx); k == nil || o.Lambdas != nil && slices.Min(o.Lambdas) < least {
			return nil, math.Inf(1), domain.ErrParam
		}
		fit, err := fitRidgeGram(src, all, k, o)
		return fit, least, err
	})
}

// fitRidgeGram is fitRidgeDual for the Gram matrix k of the rows, which it overwrites.
func fitRidgeGram(src *rows.Source, all *dualRows, k []float64, o RidgeOptions) (*Fit, error) {
	n, y, mean, rounded := src.N, src.Memory.Y, floats.Dot(all.mean, all.mean), roundedRows
	if all.x != nil {
		rounded = roundedKernel // of products that are not centred
	}
	dual := newRidgeDual("Ridge", k, n, y)
	scale, err := penaltyScale("Ridge", dual.spread, mean, rounded)
	if err != nil {
		return nil, err
	}
	alpha, lambda, scores, err := dual.fit(src.Ctx, o, scale)
	if err != nil {
		return nil, err
	}
	about := moments{meanZ: all.mean, meanY: dual.meanY}
	fit, err := about.fit(all.weights(alpha, dual.k), lambda)
	if err != nil {
		return nil, err
	}
	fit.Scores, fit.Dual = scores, true
	return fit, nil
}

// denseRows maps every row.
func denseRows(s *rows.Source) (*dualRows, error) {
	all := &dualRows{n: s.N, d: s.Features, z: make([]float64, s.N*s.Features),
		mean: make([]float64, s.Features), single: true}
	err := s.Each(func(names rows.Names, block *tensor.Dense, y *mat.Dense) error {
		if err := rows.CheckFinite("Ridge", block, names); err != nil {
			return err
		}
		b, d := block.Shape()[0], s.Features
		all.single = all.single && block.Dtype() == tensor.Float32
		given.Cells(all.z[names.First*d:(names.First+b)*d], block, 0)
		for i := range b {
			r := names.First + i
			for j, v := range all.z[r*d : (r+1)*d] {
				all.mean[j] += v / float64(s.N)
			}
		}
		return nil
	})
	subtract(all.z, s.Features, all.z, all.mean)
	return all, err
}

// dualScores fits lambdas to the rows train and scores them on the rows held, all by entries of k, the lower triangle
// of the Gram matrix of all rows in memory. mean is the squared norm of the mean feature row.
func dualScores(src *rows.Source, k []float64, train, held []int, mean float64, lambdas []float64) ([]fits.LambdaScore,
	error) {
	n, m, y := src.N, len(train), src.Memory.Y
	part := func(rows []int) []float64 {
		out := make([]float64, 0, len(rows)*m)
		for _, r := range rows {
			for _, c := range train {
				out = append(out, k[max(r, c)*n+min(r, c)])
			}
		}
		return out
	}
	dual, cross := newRidgeDual("Ridge", part(train), m, given.TargetRows(y, train)), part(held)
	scale, err := penaltyScale("Ridge", dual.spread, mean, roundedKernel)
	if err != nil {
		return nil, err
	}
	sums := make([]lossSums, len(lambdas))
	for l, lambda := range lambdas {
		alpha, ok := dual.solve(src.Ctx, lambda*scale)
		if err := src.Cancelled(); err != nil { // perhaps in the solution, which then is none
			return nil, err
		}
		if sums[l].unusable = !ok; !ok {
			continue
		}
		pred := slices.Repeat(dual.intercept(alpha), len(held))
		factor.Product(blas.NoTrans, blas.NoTrans, len(held), dual.k, m, 1, cross, alpha, 1, pred)
		for i, r := range held {
			sums[l].add(y.RawRowView(r), pred[i*dual.k:(i+1)*dual.k], 1)
		}
	}
	return scoresOf(lambdas, sums, dual.k), nil
}

// gramFloat32 is gram by float32 products of the centred rows. It also returns the least lambda that may be used with
// them; k is nil if the rows are out of range or ctx has ended. The bounds above for G hold for K with columns in place
// of rows, and centring K afterwards does not enlarge the error.
func (r *dualRows) gramFloat32(ctx context.Context) (k []float64, least float64) {
	n, d := r.n, r.d
	most := make([]float64, n)
	given.InParallel(n, func(i int) {
		for _, v := range r.z[i*d : (i+1)*d] {
			most[i] = max(most[i], math.Abs(v))
		}
	})
	if m := slices.Max(most); !(m >= leastFloat && m <= mostFloat) {
		return nil, 0
	}
	k = make([]float64, n*n)
	across, rounded := make([]float32, min(ridgeDepth, d)*n), 0.
	for lo := 0; lo < d; lo += ridgeDepth {
		if ctx.Err() != nil {
			return nil, 0
		}
		cols := min(ridgeDepth, d-lo)
		inPieces(n, 64, func(from, to int) { // rows side by side, for lines of the cache are
			for i := from; i < to; i++ {
				for j, v := range r.z[i*d+lo:][:cols] {
					across[j*n+i] = float32(v)
				}
			}
		})
		rounded += squareFloat32(k, n, across, cols)
	}
	return k, leastLambda(k, n, rounded, float64(n))
}

// dualRows are the features of all rows in memory for the dual system: dense and centred, or sparse and not centred
// (rows.Source.Stored). The dual system is centred later in any case; dense features are centred first for accuracy.
type dualRows struct {
	n, d int
	z    []float64 // [n, D], or
	x    *ops.CSR  // float64
	mean []float64 // before centring
	// single says that z were float32 numbers before centring.
	single bool
}

// newDualRows maps every row.
func newDualRows(s *rows.Source) (*dualRows, error) {
	if s.Stored() == 0 {
		return denseRows(s)
	}
	s.Block = s.N // one, of all rows
	r := &dualRows{n: s.N, d: s.Features, mean: make([]float64, s.Features)}
	err := s.EachMatrix(func(_ rows.Names, z ops.Matrix, _ *mat.Dense) error {
		x := z.(*ops.CSR)
		err := ops.CheckRows(domain.Reals(), "train: Ridge", x)
		if err == nil {
			r.x, err = x.As(tensor.Float64, "train: Ridge")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	first := r.x.Pointers()[0]
	for t, j := range r.x.Columns()[first:][:r.x.Stored()] {
		r.mean[j] += r.x.Float64s()[first+t] / float64(s.N)
	}
	return r, nil
}

// gram is the lower triangle of Z Zᵀ. For sparse rows it multiplies each entry of a row only with the entries of its
// column. Once ctx has ended it returns early.
func (r *dualRows) gram(ctx context.Context) []float64 {
	n, d := r.n, r.d
	k := make([]float64, n*n)
	if r.x == nil {
		addSquare(ctx, n, d, r.z, k)
		return k
	}
	across := r.x.Transposed()
	given.InParallel(n, func(i int) {
		if ctx.Err() == nil {
			addProducts(k[i*n:][:i+1], r.x, across, i)
		}
	})
	return k
}

// weights is Zᵀα, [D, targets]. The columns of α sum to 0, so centring Z changes nothing.
func (r *dualRows) weights(alpha []float64, targets int) []float64 {
	w := make([]float64, r.d*targets)
	if r.x == nil {
		factor.Product(blas.Trans, blas.NoTrans, r.d, targets, r.n, 1, r.z, alpha, 0, w)
		return w
	}
	addSparseTransposed(columns{targets, w}, r.x, columns{targets, alpha})
	return w
}

// symmetryTolerance is how much K[i,j] and K[j,i] may differ, in proportion to the largest entry: float32 arithmetic
// stays below it, a wrong matrix does not.
const symmetryTolerance = 1e-5

// KernelRidge is ridge regression on an exact kernel: f(x) = Σᵢ Alpha[i] k(x, xᵢ) + B.
type KernelRidge struct {
	Alpha  *mat.Dense         // [n, targets]; its columns sum to 0
	B      []float64          // [targets], the intercept
	Lambda float64            // the relative lambda
	Scores []fits.LambdaScore // as in Fit; nil without a choice
}

// FitKernelRidge solves the problem of FitRidge for K = Z Zᵀ, from the n×n Gram matrix k alone, which stays as it is:
//
//	α = (H K H + λ s I)⁻¹ (y - ȳ),    b = mean(y - K α),    H = I - 1 1ᵀ/n,    s = (tr H K H)/n
//
// with s = (tr K)/n if all entries of k are equal. k comes from spectral.Gram or, for sparse rows, report.ExactGram. y
// is [n, targets]; lambdas are relative, finite and >= 0. One lambda is used as it is; among several, or the built-in
// grid of RidgeOptions if none is given, the one with the least leave-one-out error is chosen. The error is exact (see
// SelectLOO), one reduction of the centred k serves all lambdas, and a lambda that is too small for k has the score
// +Inf. k must be symmetric up to float32 rounding; its lower triangle is used. Memory is one more n×n matrix, and two
// to choose. Saunders, Gammerman and Vovk (1998), Ridge regression learning algorithm in dual variables.
//
// K need not be positive semi-definite; the Gram matrix of a random-feature estimate may not be. It needs tr H K H > 0,
// or equal entries above 0, and a λ s above minus the least eigenvalue of H K H on the vectors that sum to 0.
// For an indefinite kernel fit its features by FitRidge.
//
// Errors: domain.ErrShape for a k that is not square, shapes that do not fit, and fewer than 2 rows to choose by;
// domain.ErrDomain for an entry that is not finite, a k that is not symmetric, and a trace that is not above 0;
// domain.ErrParam for lambdas that are out of range or all too small.
func FitKernelRidge(k, y *mat.Dense, lambdas ...float64) (*KernelRidge, error) {
	if err := checkKernelRidge(k, y, lambdas); err != nil {
		return nil, err
	}
	unit, err := given.UnitOf("KernelRidge", y, true)
	if err != nil {
		return nil, err
	}
	g := k.RawMatrix()
	n, diagonal := g.Rows, 0.0
	for i := range n {
		diagonal += g.Data[i*g.Stride+i] / float64(n)
	}
	d := newRidgeDual("KernelRidge", mat.DenseCopyOf(k).RawMatrix().Data, n, unit.Targets(y))
	if d.spread < -roundedKernel*d.mu || !(d.spread > 0 || diagonal > 0) {
		return nil, fmt.Errorf("train: KernelRidge: the mean of the diagonal of k is %v after centring, not a "+
			"positive number; check the kernel, or fit the features of an indefinite one by FitRidge: %w",
			d.spread, domain.ErrDomain)
	}
	scale, err := penaltyScale("KernelRidge", d.spread, max(diagonal, 0), roundedKernel)
	if err != nil {
		return nil, err
	}
	o := RidgeOptions{Lambdas: lambdas, Select: SelectLOO}
	switch len(lambdas) {
	case 0:
		o.Lambdas = nil // an empty list would choose among none
	case 1:
		o.Select = SelectNone
	}
	alpha, lambda, scores, err := d.fit(context.Background(), o, scale)
	if err != nil {
		return nil, err
	}
	b := d.intercept(alpha)
	for t, v := range b {
		if v-v != 0 {
			return nil, fmt.Errorf("train: KernelRidge: the intercept of target %d is %v; scale the targets or the "+
				"kernel: %w", t, v, domain.ErrDomain)
		}
	}
	if err := unit.Weights("KernelRidge", alpha, b); err != nil {
		return nil, err
	}
	scoresOutOf(unit, scores)
	return &KernelRidge{Alpha: mat.NewDense(n, d.k, alpha), B: b, Lambda: lambda, Scores: scores}, nil
}

// checkKernelRidge wants a symmetric k, a row of y for each of its rows, and lambdas in range.
func checkKernelRidge(k, y *mat.Dense, lambdas []float64) error {
	if k == nil || y == nil || k.IsEmpty() || y.IsEmpty() {
		return fmt.Errorf("train: KernelRidge: k is %v and y is %v; give at least one row of each: %w",
			given.DimsOf(k), given.DimsOf(y), domain.ErrShape)
	}
	g, t := k.RawMatrix(), y.RawMatrix()
	if g.Rows != g.Cols || t.Rows != g.Rows {
		return fmt.Errorf("train: KernelRidge: k is %v and y is %v; k must be square with one row of y for each of "+
			"its rows: %w", given.DimsOf(k), given.DimsOf(y), domain.ErrShape)
	}
	if g.Rows < 2 && len(lambdas) != 1 {
		return fmt.Errorf("train: KernelRidge: to choose lambda needs at least 2 rows, got %d; give one lambda: %w",
			g.Rows, domain.ErrShape)
	}
	for _, lambda := range lambdas {
		if err := given.CheckLambda(lambda); err != nil {
			return fmt.Errorf("train: KernelRidge: %w", err)
		}
	}
	if i, j, v := given.NotFinite(t.Data, t.Rows, t.Cols, t.Stride); i >= 0 {
		return fmt.Errorf("train: KernelRidge: y[%d,%d] = %v is not a finite number; drop the row or fill the "+
			"value in: %w", i, j, v, domain.ErrDomain)
	}
	if i, j, v := given.NotFinite(g.Data, g.Rows, g.Cols, g.Stride); i >= 0 {
		return fmt.Errorf("train: KernelRidge: k[%d,%d] = %v is not a finite number; check row %d of the data: %w",
			i, j, v, i, domain.ErrDomain)
	}
	largest := max(mat.Max(k), -mat.Min(k))
	for i := range g.Rows {
		for j := range i {
			a, b := g.Data[i*g.Stride+j], g.Data[j*g.Stride+i]
			if math.Abs(a-b) > symmetryTolerance*largest {
				return fmt.Errorf("train: KernelRidge: k[%d,%d] = %v but k[%d,%d] = %v; a Gram matrix is "+
					"symmetric, so give rows against the same rows: %w", i, j, a, j, i, b, domain.ErrDomain)
			}
		}
	}
	return nil
}

// Predict returns f for new rows, [rows, targets]. kTest [rows, n] has their kernel values with the n training rows.
// Errors: domain.ErrParam for an empty KernelRidge, domain.ErrShape for another number of columns, domain.ErrDomain for
// an entry that is not finite.
func (r *KernelRidge) Predict(kTest *mat.Dense) (*mat.Dense, error) {
	if r.Alpha == nil {
		return nil, fmt.Errorf("train: KernelRidge: Alpha is nil; fit it, as by FitKernelRidge: %w", domain.ErrParam)
	}
	n, targets := r.Alpha.Dims()
	if len(r.B) != targets {
		return nil, fmt.Errorf("train: KernelRidge: Alpha is %v and B has %d numbers; give one for each column: %w",
			given.DimsOf(r.Alpha), len(r.B), domain.ErrShape)
	}
	if kTest == nil || kTest.RawMatrix().Cols != n {
		return nil, fmt.Errorf("train: KernelRidge: kTest is %v, want [rows,%d]: one column for each training row: "+
			"%w", given.DimsOf(kTest), n, domain.ErrShape)
	}
	g := kTest.RawMatrix()
	if i, j, v := given.NotFinite(g.Data, g.Rows, g.Cols, g.Stride); i >= 0 {
		return nil, fmt.Errorf("train: KernelRidge: kTest[%d,%d] = %v is not a finite number; check row %d of the "+
			"data: %w", i, j, v, i, domain.ErrDomain)
	}
	out := slices.Repeat(r.B, g.Rows)
	at := transposed(r.Alpha.RawMatrix().Data, n, targets, r.Alpha.RawMatrix().Stride)
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, g.Rows, targets, n, 1, g.Data, g.Stride, at, n, 1, out, targets)
	return mat.NewDense(g.Rows, targets, out), nil
}
