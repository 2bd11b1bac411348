package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// RidgeStats are the sums that ridge regression needs of its rows: the number of rows, the means z̄ and ȳ, and the
// centred moments
//
//	G = Σ (z - z̄)(z - z̄)ᵀ  [D, D],    R = Σ (z - z̄)(y - ȳ)ᵀ  [D, k].
//
// The zero value is empty and takes D and k from its first block. Parts that were summed apart, by several goroutines
// or machines, are joined by Merge. It is not safe for concurrent use.
//
// A block is centred by its own mean before anything is multiplied, and joined by the update of Chan, Golub and LeVeque
// (1979), eq. 2.1, so features that hardly vary about a large mean lose no digits.
type RidgeStats struct {
	// Signature is the sign of each feature where they are those of an indefinite kernel (layers.SignatureOf), and nil for all +1. It
	// changes what Solve solves, not the sums.
	Signature []float64

	n, features, targets int

	meanZ, meanY []float64
	g            []float64 // [D, D]; only the lower triangle has a meaning
	r            []float64 // [D, k]
	zt, yt       []float64 // the block in hand, transposed; scratch
}

// N is the number of rows so far.
func (s *RidgeStats) N() int { return s.n }

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
	if err := checkFinite("Ridge", z, y, row); err != nil {
		return err
	}
	if s.n == 0 {
		s.reset(d, k)
	}
	step := ridgeBlockRows(d)
	for i := 0; i < n; i += step {
		rows := min(step, n-i)
		if z.Dtype() == tensor.Float32 {
			addBlock(s, z.Float32s()[i*d:(i+rows)*d], y, i, rows)
		} else {
			addBlock(s, z.Float64s()[i*d:(i+rows)*d], y, i, rows)
		}
	}
	return nil
}

// reset makes s empty, for d features and k targets.
func (s *RidgeStats) reset(d, k int) {
	*s = RidgeStats{Signature: s.Signature, features: d, targets: k,
		meanZ: make([]float64, d), meanY: make([]float64, k), g: make([]float64, d*d), r: make([]float64, d*k)}
}

// addBlock adds rows rows of features and rows i, i+1, ... of y.
//
// With nₐ rows before, n_b in the block and δ the difference of their means, the moments grow by those of the block
// about its own mean and by nₐ n_b/(nₐ+n_b) δ δᵀ, which is one more row of the block, √(nₐ n_b/(nₐ+n_b)) δ.
func addBlock[T domain.Float](s *RidgeStats, z []T, y *mat.Dense, i, rows int) {
	ld := rows + 1
	s.zt = slices.Grow(s.zt[:0], s.features*ld)[:s.features*ld]
	s.yt = slices.Grow(s.yt[:0], s.targets*ld)[:s.targets*ld]
	raw := y.RawMatrix()
	s.centre(s.zt, s.meanZ, rows, func(t []float64, lo, hi int) {
		for r := range rows {
			for j, v := range z[r*s.features+lo : r*s.features+hi] {
				t[j*ld+r] = float64(v)
			}
		}
	})
	s.centre(s.yt, s.meanY, rows, func(t []float64, lo, hi int) {
		for r := range rows {
			for j, v := range raw.Data[(i+r)*raw.Stride+lo : (i+r)*raw.Stride+hi] {
				t[j*ld+r] = v
			}
		}
	})
	s.n += rows
	zt, yt := general(s.features, ld, ld, s.zt), general(s.targets, ld, ld, s.yt)
	addProduct(1, zt, zt, s.gram(), true)
	addProduct(1, zt, yt, general(s.features, s.targets, s.targets, s.r), false)
}

// centre fills t, one column of the block a row and rows+1 wide, by read, subtracts the means, appends the joining row
// and updates mean.
func (s *RidgeStats) centre(t, mean []float64, rows int, read func(t []float64, lo, hi int)) {
	ld := rows + 1
	before, all := float64(s.n), float64(s.n+rows)
	join := math.Sqrt(before / all * float64(rows))
	inParallel((len(mean)+ridgeTile-1)/ridgeTile, func(task int) {
		lo, hi := task*ridgeTile, min((task+1)*ridgeTile, len(mean))
		read(t[lo*ld:], lo, hi)
		for j := lo; j < hi; j++ {
			col := t[j*ld : j*ld+rows]
			sum := 0.0
			for _, v := range col {
				sum += v / float64(rows) // divided first: finite numbers have a finite mean
			}
			for i := range col {
				col[i] -= sum
			}
			delta := sum - mean[j]
			t[j*ld+rows] = 0
			if s.n > 0 {
				t[j*ld+rows] = join * delta
				mean[j] += delta * (float64(rows) / all)
			} else {
				mean[j] = sum
			}
		}
	})
}

// gram is G as a matrix.
func (s *RidgeStats) gram() blas64.General { return general(s.features, s.features, s.features, s.g) }

// Merge adds the rows of other, which stays as it is. The result is that of adding all blocks to one RidgeStats, to
// rounding. Errors: domain.ErrShape when D or k differ.
func (s *RidgeStats) Merge(other *RidgeStats) error {
	if other == nil || other.n == 0 {
		return nil
	}
	if s.n == 0 {
		s.reset(other.features, other.targets)
	}
	if s.features != other.features || s.targets != other.targets {
		return fmt.Errorf("train: Ridge: cannot merge sums of %d features and %d targets into those of %d and %d; fit both with one map: %w",
			other.features, other.targets, s.features, s.targets, domain.ErrShape)
	}
	before, rows, all := float64(s.n), float64(other.n), float64(s.n+other.n)
	join := before / all * rows
	delta := make([]float64, s.features)
	for j := range delta {
		delta[j] = other.meanZ[j] - s.meanZ[j]
		s.meanZ[j] += delta[j] * (rows / all)
	}
	deltaY := make([]float64, s.targets)
	for j := range deltaY {
		deltaY[j] = other.meanY[j] - s.meanY[j]
		s.meanY[j] += deltaY[j] * (rows / all)
	}
	for i, di := range delta {
		for j, dj := range delta[:i+1] {
			s.g[i*s.features+j] += other.g[i*s.features+j] + join*di*dj
		}
		for j, dj := range deltaY {
			s.r[i*s.targets+j] += other.r[i*s.targets+j] + join*di*dj
		}
	}
	s.n += other.n
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

// Solve fits the rows so far with a relative lambda, as FitRidge does, and leaves the sums as they are, so that more
// rows can follow. Errors: domain.ErrShape without rows, domain.ErrParam for a lambda that is negative or too small,
// domain.ErrDomain for features that are all zero or overflow. With a Signature it is Kreĭn ridge regression, for which lambda may also
// be one of a few values that leave the system singular (domain.ErrParam).
func (s *RidgeStats) Solve(lambda float64) (*RidgeFit, error) {
	if err := checkLambda(lambda); err != nil {
		return nil, fmt.Errorf("train: Ridge: %w", err)
	}
	return s.solve(slices.Clone(s.g), lambda)
}

// solve overwrites g, which is s.g or a copy of it.
func (s *RidgeStats) solve(g []float64, lambda float64) (*RidgeFit, error) {
	scale, err := s.scale()
	if err != nil {
		return nil, err
	}
	if err := s.checkSignature(); err != nil {
		return nil, err
	}
	w, ok := s.coefficients(g, lambda*scale)
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
	if i, j, v := notFinite(w, s.features, s.targets, s.targets); i >= 0 {
		return nil, fmt.Errorf("train: Ridge: the coefficient W[%d,%d] is %v; scale the features or the targets: %w", i, j, v, domain.ErrDomain)
	}
	if i, j, v := notFinite(f.B, 1, s.targets, s.targets); i >= 0 {
		return nil, fmt.Errorf("train: Ridge: the intercept B[%d] is %v; scale the features or the targets: %w", j, v, domain.ErrDomain)
	}
	return f, nil
}
