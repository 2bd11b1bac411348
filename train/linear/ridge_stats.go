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
// Merge joins sums that were computed apart, by files, goroutines or machines; MarshalBinary carries them. Up to rounding
// the result is the same as for all rows in one pass. Forget reduces the weight of the rows so far. Solve fits a head to the sums, any number of times, and MSE is the error of any head
// on their rows. Posterior is the fit with its uncertainty, and Evidence chooses its lambda. A RidgeStats is not safe
// for concurrent use.
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

	n, features, targets int

	mass         float64 // the sum of the weights of the rows
	meanZ, meanY []float64
	g            []float64 // [D, D]; only the lower triangle has a meaning
	r            []float64 // [D, k]
	yy           []float64 // [k]
	wide, yc, zy []float64 // scratch for a block: float32 features as float64, centred targets, products
	narrow       []float32 // scratch for a block: centred float32 features
	classes      []int     // scratch for a block: the classes of its rows
	rounded      float64   // Σ (tr C)², with C the G of rows whose products were summed in float32
}

// N returns the number of rows that were added, whatever their weights.
func (s *RidgeStats) N() int { return s.n }

// Features returns D, and 0 before the first row.
func (s *RidgeStats) Features() int { return s.features }

// Targets returns k, and 0 before the first row.
func (s *RidgeStats) Targets() int { return s.targets }

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
		return fmt.Errorf("train: RidgeStats.Forget: the factor %v is not above 0 and at most 1; 1 keeps all: %w", factor, domain.ErrParam)
	}
	if s.n == 0 {
		return nil
	}
	if !(s.mass*factor >= leastScale) {
		return fmt.Errorf("train: RidgeStats.Forget: the factor %v leaves the weight %v of all rows; begin anew: %w", factor, s.mass*factor, domain.ErrDomain)
	}
	s.mass *= factor
	s.rounded *= factor * factor
	for _, sums := range [][]float64{s.g, s.r, s.yy} {
		given.InParallel((len(sums)+ridgePiece-1)/ridgePiece, func(task int) {
			lo := task * ridgePiece
			floats.Scale(factor, sums[lo:min(lo+ridgePiece, len(sums))])
		})
	}
	return nil
}

// AddRows adds rows with their targets through the map (nil: the identity), in blocks. s takes the signature of the
// map. Errors: as for FitRidge for such rows; domain.ErrShape for a map with another signature than the rows before.
// An error in a later block leaves the earlier blocks added.
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

// ofMap takes the signs of the map with the first rows, and wants the same signs later.
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

// Add adds a block of features z [rows, D], float64 or float32, with its targets y [rows, k].
//
// Errors, which leave the sums as they were: domain.ErrShape for shapes that do not fit each other or the rows before;
// domain.ErrDtype; domain.ErrDomain for a number that is not finite, with its row counted from the first row added, and
// with ClassWeights for targets that are not of one class.
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
	classes := classesOf(s.classes, y)
	switch {
	case n > step: // so that none is added where a later one fails
		err = checkFinite("Ridge", z, y, row)
	case classes == nil:
		err = given.CheckTargets("Ridge", y, row)
	}
	if err != nil {
		return err
	}
	s.classes = classes
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
		if !s.addBlock(block, s.Float32Products && z.Dtype() == tensor.Float32, d, y, classes, w, i, rows) {
			if err := checkFinite("Ridge", z, y, row); err != nil {
				return err
			}
			return checkScale("Ridge", math.Inf(1)) // of finite features next to the largest number rounding can make a mean that is not
		}
	}
	return nil
}

// rowWeights are the weights of the rows of a block; nil: all are 1.
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
		wide: s.wide, narrow: s.narrow, yc: s.yc, zy: s.zy, classes: s.classes,
		meanZ: make([]float64, d), meanY: make([]float64, k), g: make([]float64, d*d), r: make([]float64, d*k), yy: make([]float64, k)}
}

// gram is G as a matrix.
func (s *RidgeStats) gram() blas64.General { return general(s.features, s.features, s.features, s.g) }

// scale is s of FitRidge: (tr G)/n, with n the sum of the weights.
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
