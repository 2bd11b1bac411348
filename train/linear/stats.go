package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/dense"
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

// RidgeStats are the sums over the rows that ridge regression needs: the number of rows, the means z̄ and ȳ, and the
// centred moments
//
//	G = Σ (z - z̄)(z - z̄)ᵀ  [D, D],    R = Σ (z - z̄)(y - ȳ)ᵀ  [D, k],    S = Σ (y - ȳ)²  [k].
//
// With ClassWeights every row counts with the weight of its class, in the means too.
//
// The zero value is empty and takes D and k from its first block. Add adds rows as features, AddRows through a map.
// Merge joins sums that were computed apart, by files, goroutines or machines; MarshalBinary carries them. Up to
// rounding the result is the same as for all rows in one pass. Forget reduces the weight of the rows so far. Solve fits
// a head to the sums, any number of times, and MSE is the error of any head on their rows. Posterior is the fit with
// its uncertainty, and Evidence chooses its lambda. A RidgeStats is not safe for concurrent use.
//
// A block is centred by its own mean before anything is multiplied, and joined by the update of Chan, Golub and LeVeque
// (1979), eq. 2.1, so features that hardly vary about a large mean lose no digits.
type RidgeStats struct {
	// Signature is the sign of each feature of an indefinite kernel (layers.SignatureOf); nil: all are +1. It changes
	// Solve, not the sums.
	Signature []float64
	// ClassWeights are the weights of the rows by class. Targets are as data.OneVersusRest returns them, or one column
	// of -1 and 1, where the weight of -1 comes first. Set them before the first row; nil: all are 1. They are stored
	// with the sums, and Merge refuses other weights.
	ClassWeights []float64
	// Of describes the features in any words, such as the map, the scaler and the classes. It is stored with the sums,
	// and Merge refuses sums with another description. Empty: no description.
	Of string
	// Float32Products multiplies the centred float32 features of later rows in float32, and adds the sums of up to 128
	// products to G in float64. It takes about 0.6 of the time. With u = 2⁻²⁴ and n rows of like size
	//
	//	|ΔGᵢⱼ| <= 131 u √(Gᵢᵢ Gⱼⱼ),  about 74 u √(Gᵢᵢ Gⱼⱼ / n),    ‖ΔG‖₂ < about 148 u tr G √(max Gᵢᵢ / (n tr G)).
	//
	// The first bound holds for any roundings, the others for independent ones (Higham and Mary 2019). Rounding the
	// features themselves to float32 moves Gᵢⱼ by up to 2 u √(Gᵢᵢ Gⱼⱼ). R, S and the means keep float64. So do the
	// products of a block whose largest centred feature is outside 2⁻⁴⁰ to 2⁶⁰.
	//
	// Leave it false for a lambda below LeastLambda, about 1e-8 n, and if the mean squared error by MSE is
	// below 1e-6 of the mean square of the targets. It is not stored with the sums.
	Float32Products bool

	moments
	g       []float64 // [D, D]; only the lower triangle has a meaning
	rounded float64   // Σ (tr C)², with C the G of rows whose products were summed in float32

	wide, yc, zy []float64 // scratch for a block: features as float64, centred targets, products
	narrow       []float32 // scratch for a block: centred float32 features
}

// N returns the number of rows that were added, whatever their weights.
func (s *RidgeStats) N() int { return s.n }

// Features returns D, and 0 before the first row.
func (s *RidgeStats) Features() int { return len(s.meanZ) }

// Targets returns k, and 0 before the first row.
func (s *RidgeStats) Targets() int { return len(s.meanY) }

// Mass returns the sum of the weights of the rows, which is N without ClassWeights and Forget. Everything computed from
// the sums uses it as the number of rows.
func (s *RidgeStats) Mass() float64 { return s.mass }

// Forget multiplies the weight of every row so far by a factor in (0, 1]; the means stay as they are. Called with f
// before each block of rows, it gives the block of t calls ago the weight fᵗ, and Mass tends to the rows of a block
// over 1 - f. N still counts all rows.
//
// Errors, which leave the sums as they were: domain.ErrParam for another factor; domain.ErrDomain if Mass would fall
// below 1e-290.
func (s *RidgeStats) Forget(factor float64) error {
	if !(factor > 0 && factor <= 1) {
		return fmt.Errorf("train: RidgeStats.Forget: the factor %v is not above 0 and at most 1; 1 keeps all: %w",
			factor, domain.ErrParam)
	}
	if s.n == 0 {
		return nil
	}
	if !(s.mass*factor >= leastScale) {
		return fmt.Errorf("train: RidgeStats.Forget: the factor %v leaves the weight %v of all rows; start from a zero value: "+
			"%w", factor, s.mass*factor, domain.ErrDomain)
	}
	s.mass *= factor
	s.rounded *= factor * factor
	for _, sums := range [][]float64{s.g, s.r, s.yy} {
		inPieces(len(sums), ridgePiece, func(lo, hi int) { floats.Scale(factor, sums[lo:hi]) })
	}
	return nil
}

// AddRows adds rows with their targets through the map (nil: the identity), in blocks. s takes the signature of the
// map. Errors: as for FitRidge for such rows; domain.ErrShape for a map with another signature than the rows before.
// An error in a later block leaves the earlier blocks added.
func (s *RidgeStats) AddRows(ctx context.Context, m layers.Map, examples data.Examples) error {
	src, err := rows.New(ctx, "Ridge", m, examples)
	if err != nil {
		return err
	}
	before := s.n
	if before == 0 {
		s.Signature = src.Signature
	}
	if !slices.Equal(s.Signature, src.Signature) {
		return errSigns
	}
	return src.Each(func(names rows.Names, z *tensor.Dense, y *mat.Dense) error {
		names.First += before
		return s.add(names, z, y)
	})
}

// errSigns is the error for rows of maps with different signatures.
var errSigns = fmt.Errorf("train: Ridge: the features have other signs than those before them; fit all with one map: "+
	"%w", domain.ErrShape)

// Add adds a block of features z [rows, D], float64 or float32, with its targets y [rows, k].
//
// Errors, which leave the sums as they were: domain.ErrShape for shapes that do not fit each other or the rows before;
// domain.ErrDtype; domain.ErrDomain for a number that is not finite, with its row counted from the first row added, and
// with ClassWeights for targets that are not of one class.
func (s *RidgeStats) Add(z *tensor.Dense, y *mat.Dense) error {
	whole, err := data.RowMajor("train: Ridge", "features", z)
	if err != nil {
		return err
	}
	if z = whole.(*tensor.Dense); y == nil || z.Shape().TotalSize() == 0 {
		return fmt.Errorf("train: Ridge: a block has features of shape %v and targets %v; give at least one row "+
			"and one column of both: %w", z.Shape(), given.DimsOf(y), domain.ErrShape)
	}
	names := rows.Names{First: s.n}
	if err := given.CheckTargets("Ridge", y, names.At); err != nil {
		return err
	}
	return s.add(names, z, y)
}

// reset makes s empty, for d features and k targets.
func (s *RidgeStats) reset(d, k int) {
	s.moments = moments{meanZ: make([]float64, d), meanY: make([]float64, k), r: make([]float64, k*d),
		yy: make([]float64, k)}
	s.g, s.rounded = make([]float64, d*d), 0
}

// system is the system of ridge regression, (G + μ Σ) W = R.
func (s *RidgeStats) system() *system {
	return &system{"Ridge", s.Features(), s.Targets(), s.g, s.r, s.Signature}
}

// scale is s of FitRidge, (tr G)/n, with n the sum of the weights. Errors: sums that cannot be solved.
func (s *RidgeStats) scale() (float64, error) {
	if s.n == 0 {
		return 0, fmt.Errorf("train: Ridge: there are no rows to fit; add some: %w", domain.ErrShape)
	}
	if err := s.checkSignature(); err != nil {
		return 0, err
	}
	spread, _ := trace(s.g, s.Features())
	return penaltyScale("Ridge", spread/s.mass, floats.Dot(s.meanZ, s.meanZ), roundedRows)
}

// Merge adds the rows of other, which stays as it is. Up to rounding the result is the same as adding all blocks to one
// RidgeStats. A nil or empty other adds nothing. Errors (domain.ErrShape): another D, k or ClassWeights, and another Of
// or Signature if both have one.
func (s *RidgeStats) Merge(other *RidgeStats) error {
	if other == nil || other.n == 0 {
		return nil
	}
	if err := s.mergeable(other); err != nil {
		return err
	}
	if s.n == 0 {
		s.ClassWeights = slices.Clone(other.ClassWeights)
		s.reset(other.Features(), other.Targets())
	}
	if s.Signature == nil {
		s.Signature = slices.Clone(other.Signature)
	}
	if s.Of == "" {
		s.Of = other.Of
	}
	delta, joint := s.join(&other.moments)
	d := len(delta)
	given.InParallel(d, func(i int) {
		for j, dj := range delta[:i+1] {
			s.g[i*d+j] += other.g[i*d+j] + joint*delta[i]*dj
		}
	})
	s.rounded += other.rounded
	return nil
}

// mergeable says why the rows of other, which is not empty, cannot join the rows of s.
func (s *RidgeStats) mergeable(other *RidgeStats) error {
	switch {
	case s.Of != "" && other.Of != "" && s.Of != other.Of:
		return fmt.Errorf("train: Ridge: cannot merge sums over %.60q into those over %.60q; fit both with one "+
			"map: %w", other.Of, s.Of, domain.ErrShape)
	case (s.n > 0 || s.ClassWeights != nil) && !slices.Equal(s.ClassWeights, other.ClassWeights):
		return fmt.Errorf("train: Ridge: cannot merge sums of rows with the class weights %v into those with %v; "+
			"fit both with the same: %w", other.ClassWeights, s.ClassWeights, domain.ErrShape)
	case s.n == 0:
		return nil
	case s.Features() != other.Features() || s.Targets() != other.Targets():
		return fmt.Errorf("train: Ridge: cannot merge sums of %d features and %d targets into those of %d and %d; fit both with one map: %w",
			other.Features(), other.Targets(), s.Features(), s.Targets(), domain.ErrShape)
	case s.Signature != nil && other.Signature != nil && !slices.Equal(s.Signature, other.Signature):
		return errSigns
	}
	return nil
}

// checkSignature wants a sign for each feature.
func (s *RidgeStats) checkSignature() error {
	if s.Signature == nil {
		return nil
	}
	if len(s.Signature) != s.Features() {
		return fmt.Errorf("train: Ridge: the signature has %d signs for %d features: %w",
			len(s.Signature), s.Features(), domain.ErrShape)
	}
	for j, v := range s.Signature {
		if v != 1 && v != -1 {
			return fmt.Errorf("train: Ridge: Signature[%d] = %v is not 1 or -1: %w", j, v, domain.ErrParam)
		}
	}
	return nil
}

// Solve fits the rows so far with a relative lambda, as FitRidge does, and leaves the sums as they are, so that more
// rows can follow. It needs no second D×D matrix, since the factor takes the place of one triangle of G. With a
// Signature it is Kreĭn ridge regression and takes a copy of G.
//
// Errors: domain.ErrShape without rows; domain.ErrParam for a lambda that is negative, not finite or too small, or,
// with a Signature, one of the few that leave the system singular; domain.ErrDomain for features that are all zero or
// overflow.
func (s *RidgeStats) Solve(lambda float64) (*Fit, error) {
	return s.solve(context.Background(), lambda)
}

// solve is Solve. It ends with an error once ctx has ended.
func (s *RidgeStats) solve(ctx context.Context, lambda float64) (*Fit, error) {
	if err := given.CheckLambda(lambda); err != nil {
		return nil, fmt.Errorf("train: Ridge: %w", err)
	}
	scale, err := s.scale()
	if err != nil {
		return nil, err
	}
	w, ok := s.system().solve(ctx, lambda*scale)
	if err := given.Stopped(ctx); err != nil {
		return nil, fmt.Errorf("train: Ridge: stopped in the solution of a system of %d features: %w", s.Features(),
			err)
	}
	if !ok {
		return nil, s.system().unsolvable(lambda, lambda*scale)
	}
	return s.fit(w, lambda)
}

// fit makes a Fit of W, [D, k]; coefficients that overflow are an error.
func (m *moments) fit(w []float64, lambda float64) (*Fit, error) {
	f := &Fit{W: mat.NewDense(len(m.meanZ), len(m.meanY), w), B: slices.Clone(m.meanY), Lambda: lambda}
	for j, mean := range m.meanZ {
		floats.AddScaled(f.B, -mean, f.W.RawRowView(j))
	}
	if err := finiteHead("Ridge", f.W, f.B, "scale the features or the targets"); err != nil {
		return nil, err
	}
	return f, nil
}

// finiteHead refuses coefficients that are not finite.
func finiteHead(who string, w *mat.Dense, b []float64, remedy string) error {
	raw := w.RawMatrix()
	if i, j, v := given.NotFinite(raw.Data, raw.Rows, raw.Cols, raw.Stride); i >= 0 {
		return fmt.Errorf("train: %s: the coefficient W[%d,%d] is %v; %s: %w", who, i, j, v, remedy, domain.ErrDomain)
	}
	if i, j, v := given.NotFinite(b, 1, len(b), len(b)); i >= 0 {
		return fmt.Errorf("train: %s: the intercept B[%d] is %v; %s: %w", who, j, v, remedy, domain.ErrDomain)
	}
	return nil
}

// scores are the errors of the lambdas on the rows of held: the squared error of all rows, and the error rate of the
// sample unless it is nil.
func (s *RidgeStats) scores(ctx context.Context, held *RidgeStats, sample *rows.Sample,
	lambdas []float64) ([]fits.LambdaScore, error) {
	scale, err := s.scale()
	if err != nil {
		return nil, err
	}
	scores := make([]fits.LambdaScore, len(lambdas))
	for l, lambda := range lambdas {
		scores[l] = cv.Unusable(lambda)
		w, ok := s.system().solve(ctx, lambda*scale)
		if err := given.Stopped(ctx); err != nil { // perhaps in the solution, which then is none
			return nil, fmt.Errorf("train: Ridge: stopped after %d of %d lambdas: %w", l, len(lambdas), err)
		}
		if !ok {
			continue
		}
		fit, err := s.fit(w, lambda)
		if err != nil {
			continue // it overflows: a lambda that cannot be used
		}
		mse, err := held.MSE(fit)
		if err != nil {
			return nil, err
		}
		rate, err := held.errorRate(sample, fit)
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(mse) && !math.IsInf(mse, 1) {
			scores[l] = fits.LambdaScore{Lambda: lambda, MSE: mse, ErrorRate: rate}
		}
	}
	return scores, nil
}

// errorRate is the error rate of a fit on some rows; NaN without rows, or for targets that are not classes.
func (s *RidgeStats) errorRate(sample *rows.Sample, f *Fit) (float64, error) {
	if sample == nil {
		return math.NaN(), nil
	}
	var sums lossSums
	d, k := s.Features(), s.Targets()
	wt := transposed(f.W.RawMatrix().Data, d, k, k)
	for _, b := range sample.All() {
		weight, err := given.RowWeights("Ridge", s.ClassWeights, b.Y, b.Rows.At)
		if err != nil {
			return 0, err
		}
		n := len(b.Rows.Index)
		pred := slices.Repeat(f.B, n)
		factor.Product(blas.NoTrans, blas.Trans, n, k, d, 1, b.Z, wt, 1, pred)
		for i := range n {
			sums.add(b.Y.RawRowView(i), pred[i*k:(i+1)*k], weightAt(weight, i))
		}
	}
	return sums.wrong / sums.mass, nil
}

// MSE returns the mean squared error of a linear head over the rows so far and the targets, from the sums alone:
//
//	1/(nk) Σ_t [ S_t - 2 w_tᵀ r_t + w_tᵀ G w_t + n (ȳ_t - z̄ᵀ w_t - b_t)² ],
//
// with n the sum of the weights. It is a difference of sums, exact to about 1e-15 of the mean square of targets and
// predictions, and at least 0. Errors: domain.ErrShape without rows, or for a head of other dimensions; domain.ErrParam
// for a nil head or one without W.
func (s *RidgeStats) MSE(f *Fit) (float64, error) {
	d, k := s.Features(), s.Targets()
	if s.n == 0 {
		return 0, fmt.Errorf("train: Ridge: there are no rows to be wrong about; add some: %w", domain.ErrShape)
	}
	if f == nil || f.W == nil {
		return 0, fmt.Errorf("train: RidgeStats.MSE: the fit is nil or has no W; make it by Solve: %w", domain.ErrParam)
	}
	if r, c := f.W.Dims(); r != d || c != k || len(f.B) != k {
		return 0, fmt.Errorf("train: Ridge: the head is [%d,%d] with %d intercepts, the sums are of %d features "+
			"and %d targets: %w", r, c, len(f.B), d, k, domain.ErrShape)
	}
	raw := f.W.RawMatrix()
	wt := transposed(raw.Data, d, k, raw.Stride)
	dense.Mirror(s.g, d, blas.Lower)
	gw := make([]float64, k*d) // Wᵀ G
	factor.Product(blas.NoTrans, blas.Trans, k, d, d, 1, wt, s.g, 1, gw)
	total := 0.0
	for t := range k {
		e, bias := s.yy[t], s.meanY[t]-f.B[t]
		for j, w := range wt[t*d : (t+1)*d] {
			e += w * (gw[t*d+j] - 2*s.r[t*d+j])
			bias -= s.meanZ[j] * w
		}
		total += max(e, 0)/s.mass + bias*bias
	}
	return total / float64(k), nil
}

// LeastLambda returns the least relative lambda that the float32 products of the sums so far allow: 8 n e / tr G, with
// e the bound of ‖ΔG‖₂ in Float32Products. It is 0 if all products were float64. At this lambda rounding changes W by
// less than an eighth, at a hundred times this lambda by less than a thousandth. For a lower lambda add the rows again
// without Float32Products, as FitRidge does.
func (s *RidgeStats) LeastLambda() float64 { return leastLambda(s.g, s.Features(), s.rounded, s.mass) }
