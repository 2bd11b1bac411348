package linear

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// moments are the sums over some rows without G.
type moments struct {
	n            int
	mass         float64 // the sum of the weights of the rows
	meanZ, meanY []float64
	r            []float64 // Rᵀ [k, D]
	yy           []float64 // [k]
}

// join adds the rows of o. G grows by the G of these rows and by joint δ δᵀ, with δ the difference of the mean
// features: Chan, Golub and LeVeque (1979), eq. 2.1.
func (m *moments) join(o *moments) (delta []float64, joint float64) {
	d, all := len(m.meanZ), m.mass+o.mass
	joint = m.mass / all * o.mass
	delta = moveMean(m.meanZ, o.meanZ, o.mass/all)
	for t, dt := range moveMean(m.meanY, o.meanY, o.mass/all) {
		row := m.r[t*d : (t+1)*d]
		floats.Add(row, o.r[t*d:(t+1)*d])
		floats.AddScaled(row, joint*dt, delta)
		m.yy[t] += o.yy[t] + joint*dt*dt
	}
	m.n, m.mass = m.n+o.n, all
	return delta, joint
}

// moveMean moves a mean by a share of its difference from other, which it returns.
func moveMean(mean, other []float64, share float64) (delta []float64) {
	delta = floats.SubTo(make([]float64, len(mean)), other, mean)
	floats.AddScaled(mean, share, delta)
	return delta
}

// add adds rows with finite targets, as rows.Rows.
func (s *RidgeStats) add(names rows.Names, z *tensor.Dense, y *mat.Dense) error {
	n, d := z.Shape()[0], z.Shape()[1]
	yn, k := y.Dims()
	if yn != n || s.n > 0 && (d != s.Features() || k != s.Targets()) {
		return fmt.Errorf("train: Ridge: features %v and targets [%d,%d] do not fit each other or the blocks "+
			"before them ([.,%d] and [.,%d]): %w", z.Shape(), yn, k, s.Features(), s.Targets(), domain.ErrShape)
	}
	step := rows.BlockRows(d)
	if n > step { // so that none is added where a later one fails
		if err := rows.CheckFinite("Ridge", z, names); err != nil {
			return err
		}
	}
	w, err := given.RowWeights("Ridge", s.ClassWeights, y, names.At)
	if err != nil {
		return err
	}
	for i := 0; i < n; i += step {
		count := min(step, n-i)
		b := &ridgeBlock{narrow: s.Float32Products && z.Dtype() == tensor.Float32}
		b.n, b.mass = count, float64(count)
		if z.Dtype() == tensor.Float32 {
			s.wide = slices.Grow(s.wide[:0], count*d)[:count*d]
			b.z = widen(s.wide, z.Float32s()[i*d:])
		} else {
			b.z = z.Float64s()[i*d : (i+count)*d]
		}
		if w != nil {
			b.w = w[i : i+count]
			b.mass = floats.Sum(b.w)
		}
		if !s.sum(b, y.Slice(i, i+count, 0, k).(*mat.Dense)) {
			if err := rows.CheckFinite("Ridge", z, names); err != nil {
				return err
			}
			return checkScale("Ridge", math.Inf(1)) // rounding can take the mean of the largest numbers beyond them
		}
		if s.n == 0 {
			s.reset(d, k)
		}
		s.addBlock(b)
	}
	return nil
}

// ridgeBlock is a block of rows on its way into RidgeStats.
type ridgeBlock struct {
	moments
	z      []float64 // [n, D]
	w      []float64 // the weights of the rows; nil: all are 1
	narrow bool      // whether z were float32 numbers and are multiplied as such
}

// sum computes the moments of a block. Not ok means that a feature is not finite.
func (s *RidgeStats) sum(b *ridgeBlock, targets *mat.Dense) (ok bool) {
	y := targets.RawMatrix()
	k, d := y.Cols, len(b.z)/b.n
	b.meanY, b.yy = columnMeans(y.Data, b.w, b.mass, b.n, k, y.Stride), make([]float64, k)
	centred := mat.DenseCopyOf(targets).RawMatrix().Data
	subtract(centred, k, centred, b.meanY)
	off := columnMeans(centred, b.w, b.mass, b.n, k, k) // of the mean, whose sum has lost digits where it is large
	subtract(centred, k, centred, off)
	s.yc = slices.Grow(s.yc[:0], b.n*(k+1))[:0]
	for r := range b.n {
		w := weightAt(b.w, r)
		for t, v := range centred[r*k:][:k] {
			b.yy[t] += w * v * v
			s.yc = append(s.yc, w*v)
		}
		s.yc = append(s.yc, w/b.mass) // divided first: finite numbers have a finite mean
	}
	floats.Add(b.meanY, off)
	s.zy = slices.Grow(s.zy[:0], d*(k+1))[:d*(k+1)]
	b.r, b.meanZ = s.zy[:k*d], s.zy[k*d:]
	if k > 1 && given.AreClasses(targets) {
		s.sumClasses(b, targets)
	} else {
		factor.Product(blas.Trans, blas.NoTrans, k+1, d, b.n, 1, s.yc, b.z, 0, s.zy)
	}
	row, _, _ := given.NotFinite(b.meanZ, 1, d, d)
	return row < 0
}

// sumClasses sets the mean features and R of rows of one class each, with D additions a row where a product with the
// targets takes D k: with S_c = Σ w z/m over the rows of class c and m the weight of all rows,
//
//	z̄ = Σ S_c,   Σ w (y_c - ȳ_c) z = m (2 S_c - (1 + ȳ_c) z̄).
func (s *RidgeStats) sumClasses(b *ridgeBlock, targets *mat.Dense) {
	d := len(b.meanZ)
	clear(s.zy)
	inPieces(d, ridgeDepth, func(lo, hi int) {
		for r := range b.n {
			c := slices.Index(targets.RawRowView(r), 1)
			floats.AddScaled(b.r[c*d+lo:c*d+hi], weightAt(b.w, r)/b.mass, b.z[r*d+lo:r*d+hi])
		}
		for t := range b.meanY {
			floats.Add(b.meanZ[lo:hi], b.r[t*d+lo:t*d+hi])
		}
		for t, mean := range b.meanY {
			floats.Scale(2*b.mass, b.r[t*d+lo:t*d+hi])
			floats.AddScaled(b.r[t*d+lo:t*d+hi], -b.mass*(1+mean), b.meanZ[lo:hi])
		}
	})
}

// addBlock adds a block.
//
// Its moments about its own mean z̄ and joint δ δᵀ, by which G grows, are together its moments about the point
// z̄ - √(nₐ/(nₐ+n_b)) δ, with nₐ the weight of the rows before and n_b the weight of the block.
func (s *RidgeStats) addBlock(b *ridgeBlock) {
	d := s.Features()
	less, joint := s.join(&b.moments) // the point, to be added
	floats.Scale(math.Sqrt(joint/b.mass), less)
	floats.Sub(less, b.meanZ)
	sparse := sparsely(b)
	switch {
	case sparse != nil:
		sparse.add(s.g, b.mass, less)
	case b.narrow && s.addFloat32(b, less):
	default:
		s.wide = slices.Grow(s.wide[:0], b.n*d)[:b.n*d]
		given.InParallel(b.n, func(r int) {
			row := s.wide[r*d:][:d]
			floats.AddTo(row, b.z[r*d:][:d], less)
			if b.w != nil {
				floats.Scale(math.Sqrt(b.w[r]), row)
			}
		})
		fast.Implementation{}.Dsyrk(blas.Lower, blas.Trans, d, b.n, 1, s.wide, d, 1, s.g, d)
	}
}

// widen writes float32 numbers to dst.
func widen(dst []float64, src []float32) []float64 {
	inPieces(len(dst), ridgePiece, func(lo, hi int) {
		for i, v := range src[lo:hi] {
			dst[lo+i] = float64(v)
		}
	})
	return dst
}

// The products of float32 features (RidgeStats.Float32Products), with u = 2⁻²⁴.
//
// A row less the point that it is centred by is taken in float64 and rounded to float32: x = (z - p)(1 + ε), |ε| <= u,
// whatever the mean. It is as if the feature, less its mean, had been rounded once more, and changes Gᵢⱼ by at most 2 u
// √(Gᵢᵢ Gⱼⱼ). At most m = FloatRows products are then summed in float32, one rounding a step, and every partial sum is
// within √(Cᵢᵢ Cⱼⱼ) of its m rows C, so that their rounding is at most m u √(Cᵢᵢ Cⱼⱼ). By the inequality of Cauchy and
// Schwarz over all such C, whose sum is G, to 2⁻⁴⁴,
//
//	|ΔGᵢⱼ| <= (m + 3) u √(Gᵢᵢ Gⱼⱼ),   ‖ΔG‖₂ <= (m + 3) u tr G.
//
// That is what all roundings at their worst and of one sign would do. Independent ones of the mean 0 (Higham and Mary
// 2019) have variances of at most u² per step, and their partial sums grow step by step: Var ΔCᵢⱼ <= u² (m/3) Cᵢᵢ Cⱼⱼ,
// or with rows of like size |ΔGᵢⱼ| ~ m u √(Gᵢᵢ Gⱼⱼ / 3n), which is below u from 5500 rows on. A symmetric matrix of
// such entries has the norm, about,
//
//	‖ΔG‖₂ <= 2 max √(Σⱼ Var ΔGᵢⱼ) <= 2 u √(m/3 · (max Gᵢᵢ / tr G) · Σ (tr C)²).

const (
	// floatMargin is the least ratio of a trusted penalty to the rounding error of G.
	floatMargin = 8
	// The range of the largest centred feature of a block for float32 products: 128 squares do
	// not overflow, and squares below the normal numbers are below 2⁻⁴⁶ of the largest.
	leastFloat, mostFloat = 0x1p-40, 0x1p60
)

// addFloat32 adds Σ w x xᵀ for the rows x = z + less of a block to G by float32 products. It returns false if they are
// out of range.
func (s *RidgeStats) addFloat32(b *ridgeBlock, less []float64) bool {
	d := s.Features()
	s.narrow = slices.Grow(s.narrow[:0], b.n*d)[:b.n*d]
	largest := make([]uint32, b.n)
	given.InParallel(b.n, func(r int) {
		row, bits, root := s.narrow[r*d:][:d], uint32(0), math.Sqrt(weightAt(b.w, r))
		for j, v := range b.z[r*d:][:d] {
			x := float32(root * (v + less[j]))
			row[j], bits = x, max(bits, math.Float32bits(x)&^(1<<31))
		}
		largest[r] = bits
	})
	if most := math.Float32frombits(slices.Max(largest)); !(most >= leastFloat && most <= mostFloat) {
		return false
	}
	s.rounded += squareFloat32(s.g, d, s.narrow, b.n)
	return true
}

// squareFloat32 adds Σ x xᵀ to the lower triangle of g [d, d] for n float32 rows x. It returns Σ (tr C)².
func squareFloat32(g []float64, d int, x []float32, n int) float64 {
	before, _ := trace(g, d)
	fast.DsyrkFloat32(d, n, x, d, g, d)
	after, _ := trace(g, d)
	return (after - before) * (after - before) / float64((n+fast.FloatRows-1)/fast.FloatRows)
}

// trace is the trace of a, [n, n], and the largest number on its diagonal.
func trace(a []float64, n int) (sum, largest float64) {
	for j := range n {
		sum, largest = sum+a[j*n+j], max(largest, a[j*n+j])
	}
	return sum, largest
}

// leastLambda is the least relative lambda for n rows with a G [d, d] of float32 products: floatMargin n e/tr G, with e
// the bound of ‖ΔG‖₂ for independent roundings and rounded = Σ (tr C)². It is 0 if all products were float64.
func leastLambda(g []float64, d int, rounded, n float64) float64 {
	if rounded == 0 {
		return 0
	}
	sum, largest := trace(g, d)
	return floatMargin * 0x1p-23 * math.Sqrt(fast.FloatRows/3.*largest/sum*rounded) / sum * n
}

// The share of the mean squared norm below which the spread of rows is rounding: for centred rows, and for a centred
// kernel matrix, whose entries are squares already.
const (
	roundedRows   = 0x1p-92
	roundedKernel = 0x1p-40
	// The same for targets, whose mean is exact to their last digit.
	roundedTargets = 0x1p-104
)

// penaltyScale is s of FitRidge for rows with the spread Σ ‖z - z̄‖²/n and the squared norm mean of z̄. If the rows do
// not vary, s is their mean squared norm, and W is 0 for any lambda.
func penaltyScale(who string, spread, mean, rounded float64) (float64, error) {
	s := spread
	if !(spread > rounded*mean) {
		s += mean
	}
	return s, checkScale(who, s)
}

// leastScale is the least scale at which squares of numbers that are smaller by half the digits keep all their digits.
const leastScale = 1e-290

// checkScale refuses features whose squares overflow or underflow.
func checkScale(who string, s float64) error {
	switch {
	case s == 0:
		return fmt.Errorf("train: %s: every feature of every row is 0, or its square is, so there is nothing to "+
			"fit; check the scale of the data against the map's bandwidth: %w", who, domain.ErrDomain)
	case !(s >= leastScale && s <= math.MaxFloat64):
		return fmt.Errorf("train: %s: the mean squared norm of a feature row is %v, where squares overflow or lose "+
			"digits; scale the data: %w", who, s, domain.ErrDomain)
	}
	return nil
}

// checkSquares refuses targets whose sums of squares by column overflow: they choose lambda.
func checkSquares(sums []float64) error {
	for t, v := range sums {
		if v-v != 0 {
			return fmt.Errorf("train: Ridge: the squares of target %d overflow, and lambda is chosen by them; "+
				"scale the features or the targets, or give one lambda: %w", t, domain.ErrDomain)
		}
	}
	return nil
}

// rowSpread accumulates the mean of rows, block by block, and their squared distances from it.
type rowSpread struct {
	moments // the mass and the mean of the features alone
	squares float64
}

// addMatrix adds the rows of z, with their weights; nil: all are 1.
func (s *rowSpread) addMatrix(z ops.Matrix, w []float64) {
	if x := z.(given.Numbers); x.Dtype() == tensor.Float32 {
		addSpread(s, z, x.Float32s(), w)
	} else {
		addSpread(s, z, x.Float64s(), w)
	}
}

func addSpread[T domain.Float](s *rowSpread, z ops.Matrix, values []T, w []float64) {
	if x, sparse := z.(*ops.CSR); sparse {
		addSparseSpread(s, x, values, w)
		return
	}
	rows, d := z.Shape()[0], z.Shape()[1]
	mass := float64(rows)
	if w != nil {
		mass = floats.Sum(w)
	}
	mean := columnMeans(values, w, mass, rows, d, d)
	of := make([]float64, rows)
	given.InParallel(rows, func(i int) {
		for j, v := range values[i*d : (i+1)*d] {
			e := float64(v) - mean[j]
			of[i] += e * e
		}
		of[i] *= weightAt(w, i)
	})
	s.add(mass, mean, floats.Sum(of))
}

// add adds rows with a mass, a mean and the sum of their squared distances from that mean.
func (s *rowSpread) add(mass float64, mean []float64, squares float64) {
	if s.meanZ == nil {
		s.meanZ = make([]float64, len(mean))
	}
	delta, joint := s.join(&moments{mass: mass, meanZ: mean})
	s.squares += squares + joint*floats.Dot(delta, delta)
}

// scale is s of the rows so far.
func (s *rowSpread) scale(who string) (float64, error) {
	return penaltyScale(who, s.squares/s.mass, floats.Dot(s.meanZ, s.meanZ), roundedRows)
}

// addSparseSpread is addSpread for sparse rows. A cell that is not stored is 0, and its distance is the mean of its
// column.
func addSparseSpread[T domain.Float](s *rowSpread, z *ops.CSR, values []T, w []float64) {
	n, d, ptr, cols := z.Rows(), z.Cols(), z.Pointers(), z.Columns()
	mass, mean, stored := 0., make([]float64, d), make([]float64, d)
	for i := range n {
		weight := weightAt(w, i)
		mass += weight
		for t := ptr[i]; t < ptr[i+1]; t++ {
			mean[cols[t]] += weight * float64(values[t])
			stored[cols[t]] += weight
		}
	}
	squares := 0.
	for j := range mean {
		mean[j] /= mass
		squares += max(0, mass-stored[j]) * mean[j] * mean[j]
	}
	for i := range n {
		row := 0.
		for t := ptr[i]; t < ptr[i+1]; t++ {
			e := float64(values[t]) - mean[cols[t]]
			row += e * e
		}
		squares += weightAt(w, i) * row
	}
	s.add(mass, mean, squares)
}
