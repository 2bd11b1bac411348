package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/cv"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// Solve fits the rows so far with a relative lambda, as FitRidge does, and leaves the sums as they are, so that more
// rows can follow. It needs no second D×D matrix, since the factor takes the place of one triangle of G. With a
// Signature it is Kreĭn ridge regression and takes a copy of G.
//
// Errors: domain.ErrShape without rows; domain.ErrParam for a lambda that is negative, not finite or too small, or,
// with a Signature, one of the few that leave the system singular; domain.ErrDomain for features that are all zero or
// overflow.
func (s *RidgeStats) Solve(lambda float64) (*RidgeFit, error) {
	return s.solve(context.Background(), lambda, false)
}

// solve is Solve; last says that it may overwrite the sums. It ends with an error once ctx has ended.
func (s *RidgeStats) solve(ctx context.Context, lambda float64, last bool) (*RidgeFit, error) {
	if err := given.CheckLambda(lambda); err != nil {
		return nil, fmt.Errorf("train: Ridge: %w", err)
	}
	scale, err := s.scale()
	if err != nil {
		return nil, err
	}
	if err := s.checkSignature(); err != nil {
		return nil, err
	}
	w, ok := s.coefficients(ctx, lambda*scale, last)
	if err := given.Stopped(ctx); err != nil {
		return nil, fmt.Errorf("train: Ridge: stopped in the solution of a system of %d features: %w", s.features, err)
	}
	if !ok {
		return nil, s.unsolvable(lambda, lambda*scale)
	}
	return s.fit(w, lambda)
}

// fit makes a RidgeFit of W, [D, k]; coefficients that overflow are an error.
func (s *RidgeStats) fit(w []float64, lambda float64) (*RidgeFit, error) {
	f := &RidgeFit{W: mat.NewDense(s.features, s.targets, w), B: slices.Clone(s.meanY), Lambda: lambda}
	for j, m := range s.meanZ {
		for t := range f.B {
			f.B[t] -= m * w[j*s.targets+t]
		}
	}
	if i, j, v := given.NotFinite(w, s.features, s.targets, s.targets); i >= 0 {
		return nil, fmt.Errorf("train: Ridge: the coefficient W[%d,%d] is %v; scale the features or the targets: %w", i, j, v, domain.ErrDomain)
	}
	if i, j, v := given.NotFinite(f.B, 1, s.targets, s.targets); i >= 0 {
		return nil, fmt.Errorf("train: Ridge: the intercept B[%d] is %v; scale the features or the targets: %w", j, v, domain.ErrDomain)
	}
	return f, nil
}

// scores are the errors of the lambdas on the rows of held: the squared error of all rows, and the error rate of the
// sample unless it is nil.
func (s *RidgeStats) scores(ctx context.Context, held *RidgeStats, sample *rowSample, lambdas []float64) ([]fits.LambdaScore, error) {
	scale, err := s.scale()
	if err != nil {
		return nil, err
	}
	if err := s.checkSignature(); err != nil {
		return nil, err
	}
	scores := make([]fits.LambdaScore, len(lambdas))
	for l, lambda := range lambdas {
		if err := given.Stopped(ctx); err != nil {
			return nil, fmt.Errorf("train: Ridge: stopped after %d of %d lambdas: %w", l, len(lambdas), err)
		}
		if err := given.CheckLambda(lambda); err != nil {
			return nil, fmt.Errorf("train: Ridge: %w", err)
		}
		scores[l] = cv.Unusable(lambda)
		w, ok := s.coefficients(ctx, lambda*scale, false)
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
func (s *RidgeStats) errorRate(sample *rowSample, f *RidgeFit) (float64, error) {
	if sample == nil {
		return math.NaN(), nil
	}
	var sums lossSums
	d, k := s.features, s.targets
	wt := transposed(f.W.RawMatrix().Data, d, k, k)
	for _, b := range sample.all() {
		weight, err := s.rowWeights(b.y, b.rows.at)
		if err != nil {
			return 0, err
		}
		n := len(b.rows.index)
		pred := slices.Repeat(f.B, n)
		addProduct(1, general(n, d, d, b.z), general(k, d, d, wt), general(n, k, k, pred))
		for i := range n {
			sums.add(b.y.RawRowView(i), pred[i*k:(i+1)*k], weightAt(weight, i))
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
func (s *RidgeStats) MSE(f *RidgeFit) (float64, error) {
	d, k := s.features, s.targets
	if s.n == 0 {
		return 0, fmt.Errorf("train: Ridge: there are no rows to be wrong about; add some: %w", domain.ErrShape)
	}
	if f == nil || f.W == nil {
		return 0, fmt.Errorf("train: RidgeStats.MSE: the fit is nil or has no W; make it by Solve: %w", domain.ErrParam)
	}
	if r, c := f.W.Dims(); r != d || c != k || len(f.B) != k {
		return 0, fmt.Errorf("train: Ridge: the head is [%d,%d] with %d intercepts, the sums are of %d features and %d targets: %w", r, c, len(f.B), d, k, domain.ErrShape)
	}
	raw := f.W.RawMatrix()
	wt := transposed(raw.Data, d, k, raw.Stride)
	dense.Mirror(s.g, d, blas.Lower)
	gw := make([]float64, k*d) // Wᵀ G
	addProduct(1, general(k, d, d, wt), s.gram(), general(k, d, d, gw))
	total := 0.0
	for t := range k {
		e, bias := s.yy[t], s.meanY[t]-f.B[t]
		for j, w := range wt[t*d : (t+1)*d] {
			e += w * (gw[t*d+j] - 2*s.r[j*k+t])
			bias -= s.meanZ[j] * w
		}
		total += max(e, 0)/s.mass + bias*bias
	}
	return total / float64(k), nil
}
