package linear

import (
	"math"
	"slices"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ridgeBlock is a block of rows on its way into RidgeStats.
type ridgeBlock struct {
	z           []float64 // [rows, d]
	w           []float64 // the weights of the rows; nil: all are 1
	rows        int
	narrow      bool    // whether z were float32 numbers and are multiplied as such
	mass        float64 // the sum of the weights
	meanY, yy   []float64
	meanZ, yByZ []float64 // and Σ w (y - ȳ) zᵀ, [k, d]
}

// addBlock adds a block of features z [rows, d] with the targets, classes and weights i, i+1, ... of y, classes and w;
// nil classes: the targets are no classes; a nil w is all 1. It returns false, and adds nothing, if a feature is not finite.
func (s *RidgeStats) addBlock(z []float64, narrow bool, d int, y *mat.Dense, classes []int, w []float64, i, rows int) bool {
	k := y.RawMatrix().Cols
	targets := y.Slice(i, i+rows, 0, k).(*mat.Dense).RawMatrix()
	b := &ridgeBlock{z: z, rows: rows, narrow: narrow, mass: float64(rows), yy: make([]float64, k)}
	if w != nil {
		b.w = w[i : i+rows]
		b.mass = floats.Sum(b.w)
	}
	s.zy = slices.Grow(s.zy[:0], d*(k+1))[:d*(k+1)]
	if (classes == nil || !s.sumClasses(b, classes[i:i+rows], d, k)) && !s.sumTargets(b, targets, d, k) {
		return false
	}
	if s.n == 0 {
		s.reset(d, k)
	}
	s.join(b)
	return true
}

// sumTargets sets what a block knows of its targets, the means of its features and their products with the targets, by
// one pass over the features. Not ok means that a feature is not finite.
func (s *RidgeStats) sumTargets(b *ridgeBlock, targets blas64.General, d, k int) (ok bool) {
	b.meanY = columnMeans(targets.Data, b.w, b.mass, b.rows, k, targets.Stride)
	off := make([]float64, k) // of the mean, whose sum has lost digits where it is large
	for r := range b.rows {
		w := weightAt(b.w, r)
		for t, v := range targets.Data[r*targets.Stride:][:k] {
			off[t] += w / b.mass * (v - b.meanY[t])
		}
	}
	clear(b.yy)
	s.yc = slices.Grow(s.yc[:0], b.rows*(k+1))[:0]
	for r := range b.rows {
		w := weightAt(b.w, r)
		for t, v := range targets.Data[r*targets.Stride:][:k] {
			v -= b.meanY[t]
			v -= off[t]
			b.yy[t] += w * v * v
			s.yc = append(s.yc, w*v)
		}
		s.yc = append(s.yc, w/b.mass) // divided first: finite numbers have a finite mean
	}
	floats.Add(b.meanY, off)
	fast.Implementation{}.Dgemm(blas.Trans, blas.NoTrans, k+1, d, b.rows, 1, s.yc, k+1, b.z, d, 0, s.zy, d)
	b.yByZ, b.meanZ = s.zy[:k*d], s.zy[k*d:]
	for _, m := range b.meanZ {
		if m-m != 0 {
			return false
		}
	}
	return true
}

// join adds a block.
//
// With nₐ the weight of the rows before, n_b the weight of the block and δ the difference of their means, the moments
// grow by nₐ n_b/(nₐ+n_b) δ δᵀ and by the moments of the block about its own mean z̄. That sum equals the moments of
// the block about the point z̄ - √(nₐ/(nₐ+n_b)) δ.
func (s *RidgeStats) join(b *ridgeBlock) {
	d, k := s.features, s.targets
	all := s.mass + b.mass
	share := s.mass / all
	deltaY := make([]float64, k)
	for t := range deltaY {
		deltaY[t] = b.meanY[t] - s.meanY[t]
		s.meanY[t] += deltaY[t] * (b.mass / all)
		s.yy[t] += b.yy[t] + share*b.mass*deltaY[t]*deltaY[t]
	}
	less := make([]float64, d) // the point, to be added
	for j, mean := range b.meanZ {
		delta := mean - s.meanZ[j]
		less[j] = math.Sqrt(share)*delta - mean
		s.meanZ[j] += delta * (b.mass / all)
		for t := range k {
			s.r[j*k+t] += b.yByZ[t*d+j] + share*b.mass*delta*deltaY[t]
		}
	}
	switch {
	case b.narrow && s.joinFloat32(b, less):
	case b.w == nil:
		fast.DsyrkMoved(d, b.rows, b.z, d, less, s.g, d)
	default:
		s.wide = slices.Grow(s.wide[:0], b.rows*d)[:b.rows*d]
		given.InParallel(b.rows, func(r int) {
			root, row := math.Sqrt(b.w[r]), s.wide[r*d:][:d]
			floats.AddTo(row, b.z[r*d:][:d], less)
			floats.Scale(root, row)
		})
		fast.Implementation{}.Dsyrk(blas.Lower, blas.Trans, d, b.rows, 1, s.wide, d, 1, s.g, d)
	}
	s.n += b.rows
	s.mass += b.mass
}

// widen writes float32 numbers to dst.
func widen(dst []float64, src []float32) []float64 {
	given.InParallel((len(dst)+ridgePiece-1)/ridgePiece, func(task int) {
		lo := task * ridgePiece
		for i, v := range src[lo:min(lo+ridgePiece, len(dst))] {
			dst[lo+i] = float64(v)
		}
	})
	return dst
}
