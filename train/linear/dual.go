package linear

import (
	"context"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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
	none := make([]float64, s.Features)
	err := s.Each(func(names rows.Names, block *tensor.Dense, y *mat.Dense) error {
		if err := rows.CheckFinite("Ridge", block, y, names.At); err != nil {
			return err
		}
		b, d := block.Shape()[0], s.Features
		all.single = all.single && block.Dtype() == tensor.Float32
		centre(all.z[names.First*d:(names.First+b)*d], d, block, 0, none)
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
		gemm(false, len(held), dual.k, m, 1, cross, m, alpha, dual.k, pred, dual.k)
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

// dualRows are the features of all rows in memory for the dual system: dense and centred, or sparse and not centred if
// the map keeps zeros. The dual system is centred later in any case; dense features are centred first for accuracy.
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
	err := s.EachMatrix(func(names rows.Names, z ops.Matrix, y *mat.Dense) error {
		x := z.(*ops.CSR)
		err := ops.CheckRows(domain.Reals(), "train: Ridge", x)
		if err == nil {
			err = given.CheckTargets("Ridge", y, names.At)
		}
		if err == nil {
			r.x, err = x.As(tensor.Float64, "train: Ridge")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.entries(func(_, j int, v float64) { r.mean[j] += v / float64(s.N) })
	return r, nil
}

// entries calls f for every entry, row by row.
func (r *dualRows) entries(f func(i, j int, v float64)) {
	ptr, cols, values := r.x.Pointers(), r.x.Columns(), r.x.Float64s()
	for i := range r.n {
		for t := ptr[i]; t < ptr[i+1]; t++ {
			f(i, int(cols[t]), values[t])
		}
	}
}

// gram is the lower triangle of Z Zᵀ. For sparse rows it multiplies each entry of a row only with the entries of its
// column. Once ctx has ended it returns early.
func (r *dualRows) gram(ctx context.Context) []float64 {
	n, d := r.n, r.d
	k := make([]float64, n*n)
	if r.x == nil {
		addSquareUntil(ctx, general(n, d, d, r.z), general(n, n, n, k))
		return k
	}
	from, rows, values := r.byColumn()
	ptr, cols, x := r.x.Pointers(), r.x.Columns(), r.x.Float64s()
	given.InParallel(n, func(i int) {
		if ctx.Err() != nil {
			return
		}
		out := k[i*n : i*n+i+1]
		for t := ptr[i]; t < ptr[i+1]; t++ {
			lo, hi := from[cols[t]], from[cols[t]+1]
			for u, row := range rows[lo:hi] {
				if int(row) > i {
					break
				}
				out[row] += x[t] * values[lo+u]
			}
		}
	})
	return k
}

// byColumn are the entries sorted by column, and by row within it: column j has the entries from[j] to from[j+1].
func (r *dualRows) byColumn() (from []int, rows []int32, values []float64) {
	from, rows, values = make([]int, r.d+1), make([]int32, r.x.Stored()), make([]float64, r.x.Stored())
	r.entries(func(_, j int, _ float64) { from[j+1]++ })
	for j := range r.d {
		from[j+1] += from[j]
	}
	next := slices.Clone(from)
	r.entries(func(i, j int, v float64) {
		rows[next[j]], values[next[j]] = int32(i), v
		next[j]++
	})
	return from, rows, values
}

// weights is Zᵀα, [D, targets]. The columns of α sum to 0, so centring Z changes nothing.
func (r *dualRows) weights(alpha []float64, targets int) []float64 {
	w := make([]float64, r.d*targets)
	if r.x == nil {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(r.n, r.d, r.d, r.z), general(r.n, targets, targets, alpha), 0,
			general(r.d, targets, targets, w))
		return w
	}
	r.entries(func(i, j int, v float64) {
		for t, a := range alpha[i*targets : (i+1)*targets] {
			w[j*targets+t] += v * a
		}
	})
	return w
}
