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
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// LaplaceCovariance says how much of the covariance of a softmax head's weights is kept. The empty one chooses.
type LaplaceCovariance string

const (
	// ExactCovariance is the inverse of the whole Hessian, of (D + 1) k coefficients.
	ExactCovariance LaplaceCovariance = "exact"
	// ClassesCovariance inverts the k blocks of the Hessian on its diagonal, one a class, and takes the classes for
	// independent. By the Schur complement no variance is above the exact one.
	ClassesCovariance LaplaceCovariance = "classes"
	// SharedCovariance inverts one Gram matrix for all classes, whose weights bound the weights of each. No variance is above
	// as with ClassesCovariance; for two classes they are the same.
	SharedCovariance LaplaceCovariance = "shared"
)

const (
	// exactLaplace is up to how many coefficients the exact covariance is chosen.
	exactLaplace = 2048
	// classesLaplace is up to how many bytes of matrices one for each class is chosen.
	classesLaplace = 256 << 20
	// defaultLaplaceLambda times the weight of all rows is the default of LaplaceOptions.Lambda.
	defaultLaplaceLambda = 1e-3
)

// LaplaceOptions are the options of FitLaplace. The zero value chooses.
type LaplaceOptions struct {
	// Lambda is relative, as in LogisticOptions: the prior precision of a weight is Lambda s. It is finite and > 0; 0 is
	// 1e-3 times the weight of all rows, their number n without ClassWeights. It need not be the lambda of the fit: with
	// 1e-6 n, which is good for weights, variances are so large that probabilities are far too flat. On handwritten digits of 64
	// pixels it raised the mean log loss of 1024 features from .04 to .7, while 1e-3 n left it. A smaller one tells rows of
	// unknown classes apart a little better, at that price; rows that are held out choose best.
	Lambda float64
	// Covariance chooses; empty: exact up to (D + 1) k = 2048, classes up to 256 MiB of matrices, shared beyond.
	Covariance LaplaceCovariance
	// ClassWeights are as in the fit.
	ClassWeights []float64
	BlockRows    int // as in RidgeOptions
}

// Laplace is a softmax head with the Gaussian posterior of its coefficients. FitLaplace makes it, and RestoreLaplace
// brings it back from a file. It is safe for concurrent use.
type Laplace struct {
	Covariance LaplaceCovariance // what is kept
	Lambda     float64           // the relative lambda of the prior
	Scale      float64           // s

	d, k int
	head []float64 // W, and B + z̄ᵀW last, [D + 1, k]: the logits of features about their mean
	mean []float64 // z̄
	// root are the inverses of the lower Cholesky factors of the precisions, [N, N] each: one of N = (D + 1) k, class after
	// class, k of N = D + 1, or one of that.
	root [][]float64
}

// FitLaplace finds the Gaussian posterior of a softmax head with weights W [D, k] and intercepts B [k], Laplace's
// approximation of multinomial logistic regression on the features z = m(x). With z̃ᵢ = (zᵢ - z̄, 1) and p the
// probabilities of the head, the posterior has the precision
//
//	H[c,e] = Σᵢ rᵢ (δ_ce p_ic - p_ic p_ie) z̃ᵢ z̃ᵢᵀ + δ_ce Λ,    Λ = λ diag(s, ..., s, 1),    s = (1/n) Σᵢ rᵢ ‖zᵢ - z̄‖²
//
// which is the Hessian of the negative log posterior Σ rᵢ (-ln p(yᵢ)) + ½ λ s ‖W‖² + ½ λ ‖B + Wᵀz̄‖², with rᵢ the
// ClassWeights and n, z̄ of the weighted rows. The prior of the intercepts, at the mean of the features, takes away the
// one direction that the rows do not know: a constant added to all logits. The head should be at its optimum, as
// FitLogistic leaves it; where it is not, the Gaussian is about the head that was given. MacKay (1992), The evidence
// framework applied to classification networks, section 3.
//
// With ClassesCovariance only the blocks H[c,c] are kept, and with SharedCovariance one matrix
//
//	Σᵢ rᵢ max_c p_ic (1 - p_ic) z̃ᵢ z̃ᵢᵀ + Λ
//
// that bounds them all from above. Liu et al. (2020), Simple and principled uncertainty estimation with deterministic
// deep learning via distance awareness, equations 9 and 10; theirs are about 0, and not about z̄.
//
// Rows are dense or sparse, float32 or float64, or bags, in memory or read, and go by once; a nil map is the identity.
// Targets have k columns, and matter with ClassWeights only. f may hold the W and B of any softmax head.
//
// Operations: 2 n N² for the exact precision of N = (D + 1) k and N³ to invert it; n k D² and k D³ for classes; n D² and
// D³ for shared. Memory: matrices of 8 N², 8 k (D + 1)² or 8 (D + 1)² bytes, for the exact precision also the matrices of classes
// while it fits, and blocks of features. Results do not depend on GOMAXPROCS, and but for rounding not on the blocks in which rows
// come. ctx is looked at between blocks.
//
// Errors: see FitLogistic for rows; domain.ErrShape for a head of another shape, or rows of another number of
// classes; domain.ErrDomain for coefficients that are not finite; domain.ErrParam for options out of range and a Lambda so
// small that the precision is singular in working precision.
func FitLaplace(ctx context.Context, m layers.Map, rows data.Examples, f *LogisticFit, o LaplaceOptions) (*Laplace, error) {
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
	src.block = o.BlockRows
	h := &curvature{w: f.W, b: f.B, o: o}
	if err := src.each(h.add); err != nil {
		return nil, err
	}
	return h.posterior()
}

func (o LaplaceOptions) check() error {
	var wrong string
	switch {
	case !(o.Lambda >= 0 && o.Lambda <= math.MaxFloat64):
		wrong = fmt.Sprintf("Lambda = %v is not a finite number above 0, or 0 for the default", o.Lambda)
	case o.BlockRows < 0:
		wrong = fmt.Sprintf("BlockRows = %d is negative; 0 is the default", o.BlockRows)
	case o.Covariance != "":
		return o.Covariance.check()
	default:
		return nil
	}
	return fmt.Errorf("train: Laplace: %s: %w", wrong, domain.ErrParam)
}

func (c LaplaceCovariance) check() error {
	if all := []LaplaceCovariance{ExactCovariance, ClassesCovariance, SharedCovariance}; !slices.Contains(all, c) {
		return fmt.Errorf("train: Laplace: the covariance %q is none of %v; leave it empty to choose: %w", string(c), all, domain.ErrParam)
	}
	return nil
}

// chosen is the covariance for a head of D features and k classes, if memory holds it.
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

// matrices are how many precisions there are, and of how many rows.
func (c LaplaceCovariance) matrices(d, k int) (count, n int) {
	switch c {
	case ExactCovariance:
		return 1, (d + 1) * k
	case ClassesCovariance:
		return k, d + 1
	}
	return 1, d + 1
}

// Cost estimates FitLaplace.
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

// checkHead refuses W and B that make no softmax head.
func checkHead(w *mat.Dense, b []float64) error {
	if w == nil {
		return fmt.Errorf("train: Laplace: the head has no W; fit it by FitLogistic: %w", domain.ErrParam)
	}
	d, k := w.Dims()
	if d < 1 || k < 2 || len(b) != k {
		return fmt.Errorf("train: Laplace: the head has W [%d,%d] and %d intercepts, want W [D,k] of two classes at least and k intercepts: %w", d, k, len(b), domain.ErrShape)
	}
	raw := w.RawMatrix()
	if i, j, v := given.NotFinite(raw.Data, d, k, raw.Stride); i >= 0 {
		return fmt.Errorf("train: Laplace: the coefficient W[%d,%d] is %v; fit the head again: %w", i, j, v, domain.ErrDomain)
	}
	if i, j, v := given.NotFinite(b, 1, k, k); i >= 0 {
		return fmt.Errorf("train: Laplace: the intercept B[%d] is %v; fit the head again: %w", j, v, domain.ErrDomain)
	}
	return nil
}

// newLaplace is the head about the mean of the features, without its posterior.
func newLaplace(w *mat.Dense, b, mean []float64) *Laplace {
	d, k := w.Dims()
	return &Laplace{d: d, k: k, mean: mean, head: headAbout(w, b, mean)}
}

// headAbout are W and, last, B + atᵀW: the coefficients of (z - at, 1).
func headAbout(w *mat.Dense, b, at []float64) []float64 {
	d, k := w.Dims()
	out := make([]float64, 0, (d+1)*k)
	last := slices.Clone(b)
	for j := range d {
		row := w.RawRowView(j)
		out = append(out, row...)
		for c, v := range row {
			last[c] += at[j] * v
		}
	}
	return append(out, last...)
}

// aboutInto writes rows lo, lo+1, ... of z less a point, and a 1 behind each, to dst [rows, D + 1].
func aboutInto(dst []float64, z *tensor.Dense, lo, rows int, at []float64) {
	d := len(at)
	given.InParallel((rows+63)/64, func(task int) {
		for i := task * 64; i < min(rows, (task+1)*64); i++ {
			row, first := dst[i*(d+1):(i+1)*(d+1)], (lo+i)*d
			if z.Dtype() == tensor.Float32 {
				for j, v := range z.Float32s()[first : first+d] {
					row[j] = float64(v) - at[j]
				}
			} else {
				for j, v := range z.Float64s()[first : first+d] {
					row[j] = v - at[j]
				}
			}
			row[d] = 1
		}
	})
}
