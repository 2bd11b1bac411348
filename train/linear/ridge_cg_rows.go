package linear

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// normalEquations are (Zcᵀ Zc + shift I) W = b, the first as a product with the rows.
type normalEquations struct {
	src          *source
	stats        RidgeStats // n, the means and the dimensions; no sums of products
	scale, shift float64
	b            []float64 // [D, k]
	block        gramSum
}

// means goes over the rows for their number, their means and the scale of lambda.
func (e *normalEquations) means() error {
	s := &e.stats
	var spread rowSpread
	err := e.src.eachMatrix(func(rows rowNames, z ops.Matrix, y *mat.Dense) error {
		n, d, raw := z.Shape()[0], z.Shape()[1], y.RawMatrix()
		if s.n == 0 {
			*s = RidgeStats{features: d, targets: raw.Cols, meanY: make([]float64, raw.Cols)}
		}
		if d != s.features || raw.Cols != s.targets {
			return fmt.Errorf("train: Ridge: features %v and %d targets do not fit the blocks before them ([.,%d] and [.,%d]): %w", z.Shape(), raw.Cols, s.features, s.targets, domain.ErrShape)
		}
		if err := checkFinite("Ridge", z, y, rows.at); err != nil {
			return err
		}
		s.n += n
		spread.addMatrix(z, nil)
		share := float64(n) / float64(s.n)
		for j, m := range columnMeans(raw.Data, nil, float64(n), n, raw.Cols, raw.Stride) {
			s.meanY[j] += (m - s.meanY[j]) * share
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.meanZ = spread.mean
	e.scale, err = spread.scale("Ridge")
	return err
}

// rightSide goes over the rows for b = Zcᵀ Yc and the sketch of the preconditioner.
func (e *normalEquations) rightSide(o CGOptions) (*nystrom, error) {
	s := &e.stats
	d, k := s.features, s.targets
	e.b = make([]float64, d*k)
	p, sums := newNystrom(d, min(max(o.Rank, 0), d), o.Seed), make([]float64, k) // of the targets of sparse rows
	g := e.gram(p.y, p.omega, p.rank)
	err := e.src.eachMatrix(func(_ rowNames, z ops.Matrix, y *mat.Dense) error {
		n, yc := z.Shape()[0], mat.DenseCopyOf(y).RawMatrix().Data
		for i := range yc {
			yc[i] -= s.meanY[i%k]
		}
		if x, sparse := z.(*ops.CSR); sparse {
			addSparseTransposed(columns{k, e.b}, x, columns{k, yc})
			for i, v := range yc {
				sums[i%k] += v
			}
		} else {
			gemm(true, d, k, n, 1, g.rows.centre(z.(*tensor.Dense), s.meanZ), d, yc, k, e.b, k)
		}
		g.add(z, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	g.finish()
	columns{k, e.b}.addOuter(-1, s.meanZ, sums)
	p.factor(float64(s.n) * e.scale)
	p.shift(1, e.shift)
	return p, nil
}

// multiply puts (Zcᵀ Zc + shift I) v into out, both [D, k].
func (e *normalEquations) multiply(out, v []float64) error {
	for i, x := range v {
		out[i] = e.shift * x
	}
	g := e.gram(out, v, e.stats.targets)
	err := e.src.eachMatrix(func(_ rowNames, z ops.Matrix, _ *mat.Dense) error {
		g.add(z, nil)
		return nil
	})
	g.finish()
	return err
}

// gram adds Zcᵀ Zc v to out, both [D, k], over blocks; the scratch of one pass serves the next.
func (e *normalEquations) gram(out, v []float64, k int) *gramSum {
	e.block = gramSum{mean: e.stats.meanZ, out: columns{k, out}, v: columns{k, v}, rows: e.block.rows}
	return &e.block
}

// gemm adds alpha op(a) b to c [m, n], with op(a) [m, k], which is the transpose of a or a itself.
func gemm(transpose bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	t := blas.NoTrans
	if transpose {
		t = blas.Trans
	}
	fast.Implementation{}.Dgemm(t, blas.NoTrans, m, n, k, alpha, a, lda, b, ldb, 1, c, ldc)
}
