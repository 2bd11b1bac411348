package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
)

// Loss is what a support vector machine pays for the score f of a target y.
type Loss int

const (
	// SquaredHinge is max(0, 1 - y f)² for y of -1 and 1: classification, one column of y a class (OneVersusRest), or one for two classes.
	SquaredHinge Loss = iota
	// SquaredInsensitive is max(0, |y - f| - ε)²: regression.
	SquaredInsensitive
)

func (l Loss) String() string {
	switch l {
	case SquaredHinge:
		return "squared hinge"
	case SquaredInsensitive:
		return "squared epsilon-insensitive"
	default:
		return fmt.Sprintf("Loss(%d)", int(l))
	}
}

// SVMOptions are the options of FitSVM. The zero value fits the default lambda by the squared hinge loss.
type SVMOptions struct {
	Loss    Loss
	Epsilon float64 // ε of SquaredInsensitive, >= 0
	// Lambdas are relative, as ridge's: the penalty is lambda times the mean squared distance s of a feature row from their mean, so that the C
	// of LIBLINEAR is 1/(2 λ s). Each is finite and > 0; nil is one lambda, 1e-6 n for n rows. Several are chosen among by the error on rows that are set
	// aside, the fraction HeldOut of them (in (0, 1); 0 is 0.2) that Seed picks: of the classes, or the mean squared one. Of equals the
	// largest is taken.
	Lambdas []float64
	HeldOut float64
	Seed    uint64
	// Bias is the constant feature behind the intercept, in units of √s; 0 is 1. The larger, the less the intercept is penalised.
	Bias float64
	// ClassWeights multiply the losses of the rows of each class, in all columns, under SquaredHinge: with the weight 2 a row counts as two of
	// it would, in s too. Of a y of one column the first is the weight of -1. nil: all are 1. The error by which lambda is chosen has no weights.
	ClassWeights []float64
	// Tol is the norm of the gradient at which a column is done, relative to that at W = 0 and, for classes, to the share of the rarer
	// side, as LIBLINEAR's -e; 0 is 0.01 for SquaredHinge and 1e-5 for SquaredInsensitive, whose gradient at W = 0 is large. The last step
	// of a column has also taken at most Tol/100, or 1e-5, off its objective. A column whose line search finds nothing to gain any more is done as well.
	Tol      float64
	MaxSteps int // Newton steps; 0 is 100. Reaching it is an error
	// CacheBytes is up to what size the features of all rows are kept; 0 is 1 GiB, negative none. Larger ones are mapped anew, block by
	// block, in every pass over the rows.
	CacheBytes int64
	BlockRows  int // as in RidgeOptions
	// Progress is called after each Newton step with the steps done and the columns that are still to fit. nil: not called.
	Progress func(steps, columns int)
}

// defaultSVMCache is the default of SVMOptions.CacheBytes.
const defaultSVMCache = 1 << 30

// SVMFit is a linear head: f(z) = z W + B.
type SVMFit struct {
	W         *mat.Dense         // [D, k]
	B         []float64          // [k]
	Lambda    float64            // the relative lambda that was chosen
	C         float64            // the same as LIBLINEAR has it, 1/(2 λ s)
	Scores    []fits.LambdaScore // one a lambda: the error rate of classes, or else the mean squared error, +Inf where it is not done; nil for one lambda
	Objective []float64          // [k], ½(‖w‖² + v²) + C Σ loss at the end, v being the weight of the constant feature
	Residual  []float64          // [k], the norm of the gradient at the end, in the unit of Tol; above Tol where rounding ended the search
	Steps     int                // Newton steps of the last fit
}

// FitSVM fits linear support vector machines on the features z = m(x), one for each column of y, with the squared loss of LIBLINEAR's
// solvers 2 and 11:
//
//	min over w, v of  ½(‖w‖² + v²) + C Σᵢ cᵢ loss(yᵢ, zᵢ·w + v β)²,    β = Bias √s,  b = v β
//
// with cᵢ the ClassWeights. Rows are dense or sparse; a nil map is the identity. The problem is solved in the primal by a truncated Newton method:
// conjugate gradients on the generalised Hessian I + 2C Zᵀ A Z, A being 1 for the rows with a loss, and a line search. All columns go
// through the rows together, as products of matrices, in the features' element type with sums in float64. Keerthi and DeCoste (2005),
// A modified finite Newton method for fast solution of large scale linear SVMs; Lin, Weng and Keerthi (2008), Trust region Newton method for
// large-scale logistic regression.
//
// Memory: 3 n k + 6 D k numbers, a block of features, and all features where CacheBytes allows; the features of sparse rows stay sparse where the
// map keeps zeros (layers.KeepsZeros), and their products are summed in float64. Rows that are not in memory are read
// once for their targets, once for features that are kept, and otherwise in every pass; n k more numbers are their targets. Those that are set aside to
// choose lambda are drawn one by one. Results do not depend on GOMAXPROCS. ctx is
// looked at between blocks.
//
// Errors: as for FitRidge; domain.ErrDomain for a target of SquaredHinge that is neither -1 nor 1; domain.ErrParam for options out of
// range, for more targets than memory holds, and for columns that are not done after MaxSteps.
func FitSVM(ctx context.Context, m layers.Map, rows data.Examples, o SVMOptions) (*SVMFit, error) {
	src, o, err := svmSource(ctx, m, rows, o)
	if err != nil {
		return nil, err
	}
	if len(o.Lambdas) == 1 {
		s, err := newSVM(src, o)
		if err != nil {
			return nil, err
		}
		return s.fit(o.Lambdas[0])
	}
	return selectSVM(src, o)
}

// svmSource checks rows, targets and options, and fills in the defaults.
func svmSource(ctx context.Context, m layers.Map, rows data.Examples, o SVMOptions) (*source, SVMOptions, error) {
	src, y, err := newtonSource(ctx, "SVM", m, rows, o.BlockRows)
	if err != nil {
		return nil, o, err
	}
	if o, err = o.complete(src.n); err != nil {
		return nil, o, err
	}
	if err := given.CheckTargets("SVM", y, rowNames{}.at); err != nil {
		return nil, o, err
	}
	if o.Loss == SquaredHinge {
		if err := checkSigns(y); err != nil {
			return nil, o, err
		}
	}
	return src, o, nil
}

// errLambda is the ErrParam of a lambda that is too small for the rows.
var errLambda = fmt.Errorf("%w", domain.ErrParam)

// complete checks the options and fills in the defaults for n rows.
func (o SVMOptions) complete(n int) (SVMOptions, error) {
	o.Bias = orElse(o.Bias, 1)
	var wrong string
	switch {
	case o.Loss != SquaredHinge && o.Loss != SquaredInsensitive:
		wrong = fmt.Sprintf("Loss = %d is neither SquaredHinge nor SquaredInsensitive", int(o.Loss))
	case !(o.Epsilon >= 0 && o.Epsilon <= math.MaxFloat64):
		wrong = fmt.Sprintf("Epsilon = %v is not a finite number >= 0", o.Epsilon)
	case o.Epsilon > 0 && o.Loss == SquaredHinge:
		wrong = "Epsilon is of SquaredInsensitive; leave it out, or choose that loss"
	case o.ClassWeights != nil && o.Loss != SquaredHinge:
		wrong = "ClassWeights are of SquaredHinge; leave them out, or choose that loss"
	case !(o.Bias > 0 && o.Bias <= math.MaxFloat64):
		wrong = fmt.Sprintf("Bias = %v is not a finite number above 0", o.Bias)
	}
	if wrong != "" {
		return o, fmt.Errorf("train: SVM: %s: %w", wrong, domain.ErrParam)
	}
	err := o.newton().complete("SVM", n, map[Loss]float64{SquaredHinge: .01, SquaredInsensitive: 1e-5}[o.Loss])
	return o, err
}

// newton are the options that logistic regression has, too.
func (o *SVMOptions) newton() newtonOptions {
	return newtonOptions{&o.Lambdas, &o.HeldOut, &o.Tol, &o.MaxSteps, &o.CacheBytes, o.BlockRows}
}

// checkSigns wants targets of -1 and 1.
func checkSigns(y *mat.Dense) error {
	raw := y.RawMatrix()
	for i := range raw.Rows {
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+raw.Cols] {
			if v != 1 && v != -1 {
				return fmt.Errorf("train: SVM: row %d has the target y[%d,%d] = %v, and the hinge loss takes -1 and 1; make them by OneVersusRest, or choose SquaredInsensitive: %w",
					i, i, j, v, domain.ErrDomain)
			}
		}
	}
	return nil
}
