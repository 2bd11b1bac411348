package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// RidgeStats are the sums that ridge regression needs of its rows: the number of rows, the means z̄ and ȳ, and the
// centred moments
//
//	G = Σ (z - z̄)(z - z̄)ᵀ  [D, D],    R = Σ (z - z̄)(y - ȳ)ᵀ  [D, k],    S = Σ (y - ȳ)²  [k].
//
// The zero value is empty and takes D and k from its first block. Rows are added by Add, as features, or by AddRows, through the map.
// Parts that were summed apart, file by file, by several goroutines or machines, are joined by Merge; MarshalBinary, WriteTo and Save
// carry them from one to the other. Whatever the parts, the sums are those of all rows in one pass, to rounding. Solve fits a head to
// them, as often as one likes, and MSE is the error of any head on the rows behind them. It is not safe for concurrent use.
//
// A block is centred by its own mean before anything is multiplied, and joined by the update of Chan, Golub and LeVeque
// (1979), eq. 2.1, so features that hardly vary about a large mean lose no digits.
type RidgeStats struct {
	// Signature is the sign of each feature where they are those of an indefinite kernel (layers.SignatureOf), and nil for all +1. It
	// changes what Solve solves, not the sums.
	Signature []float64
	// Of says what the features are, in any words (the card of a map and a scaler, the classes in their order). It travels with the
	// sums, and Merge refuses those of something else; empty, it says nothing.
	Of string

	n, features, targets int

	meanZ, meanY []float64
	g            []float64 // [D, D]; only the lower triangle has a meaning
	r            []float64 // [D, k]
	yy           []float64 // [k]
	wide, yc, zy []float64 // of the block in hand: float32 features as float64, targets less their mean, products; scratch
}

// N is the number of rows so far.
func (s *RidgeStats) N() int { return s.n }

// Features is D, and 0 before the first row.
func (s *RidgeStats) Features() int { return s.features }

// Targets is k, and 0 before the first row.
func (s *RidgeStats) Targets() int { return s.targets }

// AddRows takes rows x [b, d], dense or sparse, through the map (nil: the identity), in blocks, with their targets y [b, k]. The
// signature of the map becomes that of s. Errors: those of FitRidge for such rows; after one that came in a later block the blocks
// before it have been added.
func (s *RidgeStats) AddRows(ctx context.Context, m Map, x ops.Matrix, y *mat.Dense) error {
	src, err := newRowSource(ctx, "Ridge", m, x, y)
	if err != nil {
		return err
	}
	if err := s.ofMap(src.signature); err != nil {
		return err
	}
	src.block = src.blockRows()
	n := s.n
	return src.each(nil, func(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
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
// counted from the first row added. The sums are then those of before.
func (s *RidgeStats) Add(z *tensor.Dense, y *mat.Dense) error {
	n := s.n
	return s.add(z, y, func(i int) int { return n + i })
}

// add is Add with a name for each row.
func (s *RidgeStats) add(z *tensor.Dense, y *mat.Dense, row func(i int) int) error {
	z, err := floatMatrix("Ridge", "features", z)
	if err != nil {
		return err
	}
	n, d := z.Shape()[0], z.Shape()[1]
	if y == nil || n == 0 || d == 0 {
		return fmt.Errorf("train: Ridge: a block has features of shape %v and targets %v; give at least one row and one column of both: %w", z.Shape(), dimsOf(y), domain.ErrShape)
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
	} else if err := checkTargets("Ridge", y, row); err != nil {
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
		if !s.addBlock(block, d, y, i, rows) {
			return checkFinite("Ridge", z, y, row)
		}
	}
	return nil
}

// addNamed is add for the rows of a fit.
func (s *RidgeStats) addNamed(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
	return s.add(z, y, rows.at)
}

// reset makes s empty, for d features and k targets.
func (s *RidgeStats) reset(d, k int) {
	*s = RidgeStats{Signature: s.Signature, Of: s.Of, features: d, targets: k, wide: s.wide, yc: s.yc, zy: s.zy,
		meanZ: make([]float64, d), meanY: make([]float64, k), g: make([]float64, d*d), r: make([]float64, d*k), yy: make([]float64, k)}
}

// addBlock adds rows rows of d features and rows i, i+1, ... of y, unless a feature is not finite.
//
// With nₐ rows before, n_b in the block and δ the difference of their means, the moments grow by those of the block about its own mean z̄ and
// by nₐ n_b/(nₐ+n_b) δ δᵀ. Those of the block about the point z̄ - √(nₐ/(nₐ+n_b)) δ are just that.
func (s *RidgeStats) addBlock(z []float64, d int, y *mat.Dense, i, rows int) bool {
	k := y.RawMatrix().Cols
	targets := y.Slice(i, i+rows, 0, k).(*mat.Dense).RawMatrix()
	meanY := columnMeans(targets.Data, rows, k, targets.Stride)
	// Σ (y - ȳ) zᵀ, and in a last row z̄: one pass over the features for both. A mean shows a feature that is not finite.
	s.yc = slices.Grow(s.yc[:0], rows*(k+1))[:0]
	for r := range rows {
		for j, v := range targets.Data[r*targets.Stride:][:k] {
			s.yc = append(s.yc, v-meanY[j])
		}
		s.yc = append(s.yc, 1/float64(rows)) // divided first: finite numbers have a finite mean
	}
	s.zy = slices.Grow(s.zy[:0], d*(k+1))[:d*(k+1)]
	fast.Implementation{}.Dgemm(blas.Trans, blas.NoTrans, k+1, d, rows, 1, s.yc, k+1, z, d, 0, s.zy, d)
	for _, m := range s.zy[k*d:] {
		if m-m != 0 {
			return false
		}
	}
	if s.n == 0 {
		s.reset(d, k)
	}
	s.join(meanY, z, rows)
	return true
}

// join adds a block of which addBlock has the products.
func (s *RidgeStats) join(meanY, z []float64, rows int) {
	d, k := s.features, s.targets
	before, all := float64(s.n), float64(s.n+rows)
	share := before / all
	deltaY := make([]float64, k)
	for t := range deltaY {
		deltaY[t] = meanY[t] - s.meanY[t]
		s.meanY[t] += deltaY[t] * (float64(rows) / all)
		s.yy[t] += share * float64(rows) * deltaY[t] * deltaY[t]
		for r := range rows {
			v := s.yc[r*(k+1)+t]
			s.yy[t] += v * v
		}
	}
	point := make([]float64, d) // less it
	for j := range d {
		mean := s.zy[k*d+j]
		delta := mean - s.meanZ[j]
		point[j] = math.Sqrt(share)*delta - mean
		s.meanZ[j] += delta * (float64(rows) / all)
		for t := range k {
			s.r[j*k+t] += s.zy[t*d+j] + share*float64(rows)*delta*deltaY[t]
		}
	}
	fast.DsyrkMoved(d, rows, z, d, point, s.g, d)
	s.n += rows
}

// widen writes float32 numbers to dst.
func widen(dst []float64, src []float32) []float64 {
	inParallel((len(dst)+ridgePiece-1)/ridgePiece, func(task int) {
		lo := task * ridgePiece
		for i, v := range src[lo:min(lo+ridgePiece, len(dst))] {
			dst[lo+i] = float64(v)
		}
	})
	return dst
}

// gram is G as a matrix.
func (s *RidgeStats) gram() blas64.General { return general(s.features, s.features, s.features, s.g) }

// Merge adds the rows of other, which stays as it is. The result is that of adding all blocks to one RidgeStats, to
// rounding. Errors: domain.ErrShape when D or k differ,
// and when both have an Of, or a Signature, and these differ.
func (s *RidgeStats) Merge(other *RidgeStats) error {
	if other == nil || other.n == 0 {
		return nil
	}
	if err := s.mergeable(other); err != nil {
		return err
	}
	if s.n == 0 {
		s.reset(other.features, other.targets)
	}
	if s.Signature == nil {
		s.Signature = slices.Clone(other.Signature)
	}
	if s.Of == "" {
		s.Of = other.Of
	}
	before, rows, all := float64(s.n), float64(other.n), float64(s.n+other.n)
	join := before / all * rows
	move := func(mean, to []float64) []float64 {
		delta := make([]float64, len(mean))
		for j := range delta {
			delta[j] = to[j] - mean[j]
			mean[j] += delta[j] * (rows / all)
		}
		return delta
	}
	delta, deltaY := move(s.meanZ, other.meanZ), move(s.meanY, other.meanY)
	inParallel(s.features, func(i int) {
		for j, dj := range delta[:i+1] {
			s.g[i*s.features+j] += other.g[i*s.features+j] + join*delta[i]*dj
		}
		for j, dj := range deltaY {
			s.r[i*s.targets+j] += other.r[i*s.targets+j] + join*delta[i]*dj
		}
	})
	for j, dj := range deltaY {
		s.yy[j] += other.yy[j] + join*dj*dj
	}
	s.n += other.n
	return nil
}

// mergeable tells why the rows of other, of which there are some, cannot join those of s.
func (s *RidgeStats) mergeable(other *RidgeStats) error {
	switch {
	case s.Of != "" && other.Of != "" && s.Of != other.Of:
		return fmt.Errorf("train: Ridge: cannot merge sums over %.60q into those over %.60q; fit both with one map: %w", other.Of, s.Of, domain.ErrShape)
	case s.n == 0:
		return nil
	case s.features != other.features || s.targets != other.targets:
		return fmt.Errorf("train: Ridge: cannot merge sums of %d features and %d targets into those of %d and %d; fit both with one map: %w",
			other.features, other.targets, s.features, s.targets, domain.ErrShape)
	case s.Signature != nil && other.Signature != nil && !slices.Equal(s.Signature, other.Signature):
		return s.otherSigns()
	}
	return nil
}

// scale is s of FitRidge, the mean squared norm of a feature row: (tr G)/n + ‖z̄‖².
func (s *RidgeStats) scale() (float64, error) {
	if s.n == 0 {
		return 0, fmt.Errorf("train: Ridge: there are no rows to fit; add some: %w", domain.ErrShape)
	}
	sum := 0.0
	for j, m := range s.meanZ {
		sum += s.g[j*s.features+j]/float64(s.n) + m*m
	}
	return sum, checkScale(sum)
}

// leastScale is where the squares of numbers that are smaller by half the digits still have all of theirs.
const leastScale = 1e-290

// checkScale refuses features whose squares leave the range of numbers, to either side.
func checkScale(s float64) error {
	switch {
	case s == 0:
		return fmt.Errorf("train: Ridge: every feature of every row is 0, or its square is, so there is nothing to fit; check the scale of the data against the map's bandwidth: %w", domain.ErrDomain)
	case !(s >= leastScale && s <= math.MaxFloat64):
		return fmt.Errorf("train: Ridge: the mean squared norm of a feature row is %v, where squares overflow or lose digits; scale the data: %w", s, domain.ErrDomain)
	}
	return nil
}
