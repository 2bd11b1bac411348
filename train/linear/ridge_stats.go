package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// RidgeStats are the sums that ridge regression needs of its rows: the number of rows, the means z̄ and ȳ, and the
// centred moments
//
//	G = Σ (z - z̄)(z - z̄)ᵀ  [D, D],    R = Σ (z - z̄)(y - ȳ)ᵀ  [D, k],    S = Σ (y - ȳ)²  [k].
//
// With ClassWeights every row counts as often, in the means too, as the weight of its class says.
//
// The zero value is empty and takes D and k from its first block. Rows are added by Add, as features, or by AddRows, through the map.
// Parts that were summed apart, file by file, by several goroutines or machines, are joined by Merge; MarshalBinary, WriteTo and Save
// carry them from one to the other. Whatever the parts, the sums are as of all rows in one pass, to rounding. Remove takes rows out
// again, and Forget lets those so far count for less than those that follow. Solve fits a head to
// them, as often as one likes, and MSE is the error of any head on the rows behind them; Posterior is the fit with its uncertainty and
// Evidence chooses its lambda. It is not safe for concurrent use.
//
// A block is centred by its own mean before anything is multiplied, and joined by the update of Chan, Golub and LeVeque
// (1979), eq. 2.1, so features that hardly vary about a large mean lose no digits.
type RidgeStats struct {
	// Signature is the sign of each feature where they belong to an indefinite kernel (layers.SignatureOf), and nil for all +1. It
	// changes what Solve solves, not the sums.
	Signature []float64
	// ClassWeights are the weights of the rows by class, of targets as OneVersusRest makes them, or of one column of -1 and 1 the weight of -1 first.
	// They are set before the first row; nil: all are 1. They travel with the sums, and Merge refuses others.
	ClassWeights []float64
	// Of says what the features are, in any words (the card of a map and a scaler, the classes in their order). It travels with the
	// sums, and Merge refuses sums of something else; empty, it says nothing.
	Of string
	// Float32Products multiplies the float32 features of the rows that follow, less their mean, in float32, and adds
	// the sums of up to 128 products to G in float64, in about 0.6 of the time: with u = 2⁻²⁴ and n rows of like size
	//
	//	|ΔGᵢⱼ| <= 131 u √(Gᵢᵢ Gⱼⱼ),  about 74 u √(Gᵢᵢ Gⱼⱼ / n),    ‖ΔG‖₂ < about 148 u tr G √(max Gᵢᵢ / (n tr G)).
	//
	// The first is the bound for any roundings, the others are for independent ones (Higham and Mary 2019). The
	// rounding of the features themselves, to float32, moves Gᵢⱼ by up to 2 u √(Gᵢᵢ Gⱼⱼ). R, S and the means stay as
	// they are. Blocks whose largest feature, less the mean, is not within 2⁻⁴⁰ and 2⁶⁰ have float64 products, as all
	// have where this is false. Do without where lambda is below LeastLambda, some 1e-8 n, for Remove, and where the
	// mean squared error by MSE is less than 1e-6 of the mean square of the targets: it and Remove know G to some u then. It does not
	// travel with the sums.
	Float32Products bool

	n, features, targets int

	mass         float64 // the sum of the weights of the rows
	meanZ, meanY []float64
	g            []float64 // [D, D]; only the lower triangle has a meaning
	r            []float64 // [D, k]
	yy           []float64 // [k]
	wide, yc, zy []float64 // of the block in hand: float32 features as float64, targets less their mean, products; scratch
	narrow       []float32 // and float32 features less their mean; scratch
	rounded      float64   // Σ (tr C)², C being G of rows whose products were summed in float32
}

// N is the number of rows so far: those that were added, whatever they weigh, less those that were removed.
func (s *RidgeStats) N() int { return s.n }

// Features is D, and 0 before the first row.
func (s *RidgeStats) Features() int { return s.features }

// Targets is k, and 0 before the first row.
func (s *RidgeStats) Targets() int { return s.targets }

// AddRows takes rows through the map (nil: the identity), in blocks, with their targets. The signature of the map becomes that
// of s. Errors: as for FitRidge for such rows; after one that came in a later block the blocks before it have been added.
func (s *RidgeStats) AddRows(ctx context.Context, m layers.Map, rows data.Examples) error {
	src, err := newSource(ctx, "Ridge", m, rows)
	if err != nil {
		return err
	}
	if err := s.ofMap(src.signature); err != nil {
		return err
	}
	n := s.n
	return src.each(func(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
		return s.add(z, y, func(i int) int { return n + rows.at(i) })
	})
}

// ofMap wants the signs of the map that the rows go through.
func (s *RidgeStats) ofMap(signature []float64) error {
	if s.n == 0 {
		s.Signature = signature
	}
	if !slices.Equal(s.Signature, signature) {
		return s.otherSigns()
	}
	return nil
}

func (s *RidgeStats) otherSigns() error {
	return fmt.Errorf("train: Ridge: the features have other signs than those before them; fit all with one map: %w", domain.ErrShape)
}

// Add takes a block of features z [rows, D], float64 or float32, with its targets y [rows, k].
//
// Errors: domain.ErrShape, domain.ErrDtype, and domain.ErrDomain for a number that is not finite, which names its row,
// counted from the first row added, or with ClassWeights for targets of no class. The sums are then as before.
func (s *RidgeStats) Add(z *tensor.Dense, y *mat.Dense) error {
	n := s.n
	return s.add(z, y, func(i int) int { return n + i })
}

// add is Add with a name for each row.
func (s *RidgeStats) add(z *tensor.Dense, y *mat.Dense, row func(i int) int) error {
	whole, err := data.RowMajor("train: Ridge", "features", z)
	if err != nil {
		return err
	}
	z = whole.(*tensor.Dense)
	n, d := z.Shape()[0], z.Shape()[1]
	if y == nil || n == 0 || d == 0 {
		return fmt.Errorf("train: Ridge: a block has features of shape %v and targets %v; give at least one row and one column of both: %w", z.Shape(), given.DimsOf(y), domain.ErrShape)
	}
	yn, k := y.Dims()
	if yn != n || s.n > 0 && (d != s.features || k != s.targets) {
		return fmt.Errorf("train: Ridge: features %v and targets [%d,%d] do not fit each other or the blocks before them ([.,%d] and [.,%d]): %w", z.Shape(), yn, k, s.features, s.targets, domain.ErrShape)
	}
	step := ridgeBlockRows(d)
	if n > step { // so that none is added where a later one fails
		if err := checkFinite("Ridge", z, y, row); err != nil {
			return err
		}
	} else if err := given.CheckTargets("Ridge", y, row); err != nil {
		return err
	}
	w, err := s.rowWeights(y, row)
	if err != nil {
		return err
	}
	for i := 0; i < n; i += step {
		rows := min(step, n-i)
		var block []float64
		if z.Dtype() == tensor.Float32 {
			s.wide = slices.Grow(s.wide[:0], rows*d)[:rows*d]
			block = widen(s.wide, z.Float32s()[i*d:])
		} else {
			block = z.Float64s()[i*d : (i+rows)*d]
		}
		if !s.addBlock(block, s.Float32Products && z.Dtype() == tensor.Float32, d, y, w, i, rows) {
			if err := checkFinite("Ridge", z, y, row); err != nil {
				return err
			}
			return checkScale("Ridge", math.Inf(1)) // of finite features next to the largest number rounding can make a mean that is not
		}
	}
	return nil
}

// rowWeights are those of a block; nil: all are 1.
func (s *RidgeStats) rowWeights(y *mat.Dense, row func(i int) int) ([]float64, error) {
	if s.ClassWeights == nil {
		return nil, nil
	}
	return rowWeights("Ridge", s.ClassWeights, y, row)
}

// addNamed is add for the rows of a fit.
func (s *RidgeStats) addNamed(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
	return s.add(z, y, rows.at)
}

// reset makes s empty, for d features and k targets.
func (s *RidgeStats) reset(d, k int) {
	*s = RidgeStats{Signature: s.Signature, ClassWeights: s.ClassWeights, Of: s.Of, Float32Products: s.Float32Products, features: d, targets: k,
		wide: s.wide, narrow: s.narrow, yc: s.yc, zy: s.zy,
		meanZ: make([]float64, d), meanY: make([]float64, k), g: make([]float64, d*d), r: make([]float64, d*k), yy: make([]float64, k)}
}

// gram is G as a matrix.
func (s *RidgeStats) gram() blas64.General { return general(s.features, s.features, s.features, s.g) }

// scale is s of FitRidge: (tr G)/n, n being the sum of the weights.
func (s *RidgeStats) scale() (float64, error) {
	if s.n == 0 {
		return 0, fmt.Errorf("train: Ridge: there are no rows to fit; add some: %w", domain.ErrShape)
	}
	spread, mean := 0.0, 0.0
	for j, m := range s.meanZ {
		spread += s.g[j*s.features+j] / s.mass
		mean += m * m
	}
	return penaltyScale("Ridge", spread, mean, roundedRows)
}
