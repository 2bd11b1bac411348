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
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// LaplaceCovariance says how much of the posterior covariance of a softmax head's weights is kept. The empty string
// lets FitLaplace choose.
type LaplaceCovariance string

const (
	// ExactCovariance is the inverse of the whole Hessian of the (D + 1) k coefficients.
	ExactCovariance LaplaceCovariance = "exact"
	// ClassesCovariance inverts the k diagonal blocks of the Hessian, one for each class, as if the classes were
	// independent. No variance is above the one of ExactCovariance, by the Schur complement.
	ClassesCovariance LaplaceCovariance = "classes"
	// SharedCovariance inverts one matrix for all classes, an upper bound of every diagonal block. No variance is above
	// the one of ClassesCovariance; for two classes they are equal.
	SharedCovariance LaplaceCovariance = "shared"
)

// covariances are the choices of LaplaceOptions.Covariance.
var covariances = []LaplaceCovariance{ExactCovariance, ClassesCovariance, SharedCovariance}

const (
	// exactLaplace is the largest number of coefficients for which the exact covariance is chosen.
	exactLaplace = 2048
	// classesLaplace is the largest size of the matrices, in bytes, for which one matrix for each class is chosen.
	classesLaplace = 256 << 20
	// defaultLaplaceLambda times the weight of all rows is the default of LaplaceOptions.Lambda.
	defaultLaplaceLambda = 1e-3
)

// LaplaceOptions are the options of FitLaplace. The zero value is the default.
type LaplaceOptions struct {
	// Lambda is relative, as in LogisticOptions: the prior precision of a weight is Lambda s. It is finite and > 0; 0
	// is 1e-3 times the weight of all rows, which is their number n without ClassWeights. It need not be the lambda of
	// the fit: 1e-6 n, which suits the weights, makes the variances so large that probabilities become far too flat. A
	// smaller Lambda separates rows of unknown classes slightly better, at that price. Choose it on held-out rows.
	Lambda float64
	// Covariance says what is kept. Empty: exact up to (D + 1) k = 2048, classes up to 256 MiB of matrices, shared
	// beyond.
	Covariance LaplaceCovariance
	// ClassWeights are the ones of the fit.
	ClassWeights []float64
	BlockRows    int // as in RidgeOptions
}

// Laplace is a softmax head with the Gaussian posterior of its coefficients. FitLaplace makes it, and Restore
// reads it from tensors. It is safe for concurrent use.
type Laplace struct {
	Covariance LaplaceCovariance // what is kept
	Lambda     float64           // the relative lambda of the prior
	Scale      float64           // s

	d, k int
	at   []float64 // the point that features are centred at, close to their mean
	head []float64 // W, and B + atᵀW last, [D + 1, k]: the logits of centred features
	// root are the inverses of the lower Cholesky factors of the precisions, [N, N] each: one of N = (D + 1) k, class
	// after class, k of N = D + 1, or one of that.
	root []*factor.Cholesky
}

// FitLaplace finds the Gaussian posterior of a softmax head with weights W [D, k] and intercepts B [k]: Laplace's
// approximation of multinomial logistic regression on the features z = m(x). With z̃ᵢ = (zᵢ - z̄, 1) and the
// probabilities p of the head, the posterior has the precision
//
//	H[c,e] = Σᵢ rᵢ (δ_ce p_ic - p_ic p_ie) z̃ᵢ z̃ᵢᵀ + δ_ce Λ,    Λ = λ diag(s, ..., s, 1),    s = (1/n) Σᵢ rᵢ ‖zᵢ - z̄‖²
//
// which is the Hessian of the negative log posterior Σ rᵢ (-ln p(yᵢ)) + ½ λ s ‖W‖² + ½ λ ‖B + Wᵀz̄‖². rᵢ are the
// ClassWeights; n and z̄ count the weighted rows. The prior of the intercepts, at the mean of the features,
// fixes the one direction that the rows leave open: a constant added to all logits. The head should be at its optimum,
// as FitLogistic leaves it; otherwise the Gaussian is centred on the head that was given. MacKay (1992), The evidence
// framework applied to classification networks, section 3.
//
// ClassesCovariance keeps only the blocks H[c,c]. SharedCovariance keeps one matrix that bounds them all from above,
//
//	Σᵢ rᵢ max_c p_ic (1 - p_ic) z̃ᵢ z̃ᵢᵀ + Λ.
//
// Liu et al. (2020), Simple and principled uncertainty estimation with deterministic deep learning via distance
// awareness, equations 9 and 10, with z in place of z - z̄.
//
// Rows are dense or sparse, float32 or float64, or ops.Bags, in memory or from a stream, and are read once; a nil map
// is the identity. Targets have k columns; their values matter only with ClassWeights. f may hold the W and B of any
// softmax head.
//
// Operations, with N = (D + 1) k: n N² + N³ for the exact covariance, n k D² + k D³ for classes, n D² + D³ for shared.
// Memory: 8 N², 8 k (D + 1)² or 8 (D + 1)² bytes for the matrices, for the exact covariance also one for each class
// during the fit, and blocks of features. Results do not depend on GOMAXPROCS, and on the blocks of rows only by
// rounding. FitLaplace checks ctx between blocks.
//
// Errors: for rows see FitLogistic; domain.ErrShape for a head of another shape, or rows with another number of
// classes; domain.ErrDomain for coefficients that are not finite; domain.ErrParam for a nil f, for options out of
// range, and for a Lambda so small that the precision is singular in working precision.
func FitLaplace(ctx context.Context, m layers.Map, rows data.Examples, f *Fit, o LaplaceOptions) (*Laplace, error) {
	src, err := newSource(ctx, "Laplace", m, rows)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, given.Missing("Laplace", given.Arg("the head", f))
	}
	if err := checkHead(f.W, f.B); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	src.Block = o.BlockRows
	h := &curvature{of: f, o: o}
	if err := src.Each(h.add); err != nil {
		return nil, err
	}
	return h.posterior(ctx)
}

func (o LaplaceOptions) check() error {
	var wrong string
	switch {
	case !(o.Lambda >= 0 && o.Lambda <= math.MaxFloat64):
		wrong = fmt.Sprintf("Lambda = %v is not a finite number above 0, or 0 for the default", o.Lambda)
	case o.BlockRows < 0:
		wrong = fmt.Sprintf("BlockRows = %d is negative; 0 is the default", o.BlockRows)
	case o.Covariance != "" && !slices.Contains(covariances, o.Covariance):
		wrong = fmt.Sprintf("the covariance %q is none of %v; leave it empty to choose", string(o.Covariance), covariances)
	default:
		return nil
	}
	return fmt.Errorf("train: Laplace: %s: %w", wrong, domain.ErrParam)
}

// chosen is the covariance for a head of D features and k classes, or an error if memory cannot hold it.
func (c LaplaceCovariance) chosen(d, k int) (LaplaceCovariance, error) {
	size := float64(d+1) * float64(k)
	if c == "" {
		switch {
		case size <= exactLaplace:
			c = ExactCovariance
		case 8*size*float64(d+1) <= classesLaplace:
			c = ClassesCovariance
		default:
			c = SharedCovariance
		}
	}
	count, n := c.matrices(d, k)
	return c, domain.CheckSize("train: Laplace: two precisions, "+string(c), 8, 2*count, n, n)
}

// matrices returns the number of precision matrices and their number of rows.
func (c LaplaceCovariance) matrices(d, k int) (count, n int) {
	switch c {
	case ExactCovariance:
		return 1, (d + 1) * k
	case ClassesCovariance:
		return k, d + 1
	}
	return 1, d + 1
}

// Cost estimates the cost of FitLaplace.
func (o LaplaceOptions) Cost(p fits.Problem) fits.Cost {
	var c fits.Cost
	kind, err := o.Covariance.chosen(p.Features, p.Outputs)
	if err != nil { // too many to count, which the estimate says as well
		kind = SharedCovariance
	}
	count, n := kind.matrices(p.Features, p.Outputs)
	size := float64(n) * float64(n)
	c.Hold(8*float64(count)*size, "the %s covariance of the weights, %d x %d numbers", kind, n, n)
	if kind == ExactCovariance { // made from the blocks of the classes
		c.Hold(8*float64(p.Features+1)*float64(p.Features+1)*float64(p.Outputs), "its blocks")
	}
	c.Operations = float64(count) * size * (float64(p.Rows) + float64(n))
	return c
}

// checkHead refuses a W and B that do not make a softmax head.
func checkHead(w *mat.Dense, b []float64) error {
	if w == nil {
		return fmt.Errorf("train: Laplace: the head has no W; fit it by FitLogistic: %w", domain.ErrParam)
	}
	d, k := w.Dims()
	if d < 1 || k < 2 || len(b) != k {
		return fmt.Errorf("train: Laplace: the head has W [%d,%d] and %d intercepts, want W [D,k] of two classes "+
			"at least and k intercepts: %w", d, k, len(b), domain.ErrShape)
	}
	return finiteHead("Laplace", w, b, "fit the head again")
}

// newLaplace is a head for features less the point at, without its posterior. The intercept becomes B + atᵀW.
func newLaplace(w *mat.Dense, b, at []float64) *Laplace {
	l := &Laplace{at: at}
	l.d, l.k = w.Dims()
	last := slices.Clone(b)
	for j, v := range at {
		l.head = append(l.head, w.RawRowView(j)...)
		floats.AddScaled(last, v, w.RawRowView(j))
	}
	l.head = append(l.head, last...)
	return l
}

// aboutInto writes rows lo, lo+1, ... of z less the point at, each followed by a 1, to dst [rows, D + 1].
func aboutInto(dst []float64, z *tensor.Dense, lo int, at []float64) {
	d := len(at)
	centre(dst, d+1, z, lo, at)
	for i := d; i < len(dst); i += d + 1 {
		dst[i] = 1
	}
}
