package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

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

// curvature holds the sums of FitLaplace over the rows so far. They are centred at the mean of the first block, so that
// features that hardly vary lose no digits. So is the posterior; only its prior is about the mean of all rows.
type curvature struct {
	w *mat.Dense
	b []float64
	o LaplaceOptions

	covariance LaplaceCovariance
	d, k       int
	at         []float64 // the point
	head       []float64 // about it
	spread     rowSpread
	own        [][]float64 // Σ r p (1 - p) z̃ z̃ᵀ of each class, or their bound: lower triangles [D + 1, D + 1]
	across     []float64   // Σ r p_c p_e z̃ z̃ᵀ, the lower triangle [N, N]; nil but for the exact covariance

	z, scaled, p []float64 // of the rows in hand; scratch
}

// laplaceRows is the number of rows that are multiplied at a time.
const laplaceRows = 512

// add is an addRows.
func (h *curvature) add(names rows.Names, z *tensor.Dense, y *mat.Dense) error {
	n, d := z.Shape()[0], z.Shape()[1]
	if wd, k := h.w.Dims(); wd != d || y.RawMatrix().Cols != k {
		return fmt.Errorf("train: Laplace: the head has W [%d,%d], and the rows have %d features and targets of %d "+
			"classes; give the rows and the map of its fit: %w", wd, k, d, y.RawMatrix().Cols, domain.ErrShape)
	}
	if err := rows.CheckFinite("Laplace", z, y, names.At); err != nil {
		return err
	}
	var weight []float64
	if h.o.ClassWeights != nil {
		var err error
		if weight, err = given.RowWeights("Laplace", h.o.ClassWeights, y, names.At); err != nil {
			return err
		}
	}
	h.spread.addMatrix(z, weight)
	if h.at == nil {
		if err := h.begin(); err != nil {
			return err
		}
	}
	for lo := 0; lo < n; lo += laplaceRows {
		some := min(laplaceRows, n-lo)
		aboutInto(h.z[:some*(h.d+1)], z, lo, h.at)
		var r []float64
		if weight != nil {
			r = weight[lo : lo+some]
		}
		h.probabilities(some)
		h.addRows(some, r)
	}
	return nil
}

// begin makes room, about the mean of the rows so far.
func (h *curvature) begin() (err error) {
	h.d, h.k = h.w.Dims()
	if h.covariance, err = h.o.Covariance.chosen(h.d, h.k); err != nil {
		return err
	}
	h.at = slices.Clone(h.spread.mean)
	h.head = headAbout(h.w, h.b, h.at)
	wide, blocks := h.d+1, h.k
	switch h.covariance {
	case ExactCovariance:
		wide *= h.k
		h.across = make([]float64, wide*wide)
	case SharedCovariance:
		blocks = 1
	}
	h.own = make([][]float64, blocks)
	for c := range h.own {
		h.own[c] = make([]float64, (h.d+1)*(h.d+1))
	}
	h.z, h.scaled = make([]float64, laplaceRows*(h.d+1)), make([]float64, laplaceRows*wide)
	h.p = make([]float64, laplaceRows*h.k)
	return nil
}

// probabilities writes the probabilities of the rows in hand to p.
func (h *curvature) probabilities(rows int) {
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, rows, h.k, h.d+1, 1, h.z, h.d+1, h.head, h.k, 0, h.p, h.k)
	given.InParallel(rows, func(i int) { softmaxRow(h.p[i*h.k : (i+1)*h.k]) })
}

// bernoulli is p_c (1 - p_c). For p_c near 1 it sums the other probabilities, to keep their digits.
func bernoulli(p []float64, c int) float64 {
	if p[c] < .5 {
		return p[c] * (1 - p[c])
	}
	rest := 0.
	for e, v := range p {
		if e != c {
			rest += v
		}
	}
	return p[c] * rest
}

// addRows adds the rows in hand, of weights r; nil: all are 1.
func (h *curvature) addRows(rows int, r []float64) {
	n := h.d + 1
	scale := func(at, stride int, by func(i int, p []float64) float64) {
		given.InParallel(rows, func(i int) {
			floats.ScaleTo(h.scaled[i*stride+at:][:n], by(i, h.p[i*h.k:(i+1)*h.k]), h.z[i*n:(i+1)*n])
		})
	}
	square := func(n int, c []float64) {
		fast.Implementation{}.Dsyrk(blas.Lower, blas.Trans, n, rows, 1, h.scaled, n, 1, c, n)
	}
	for c := range h.own {
		scale(0, n, func(i int, p []float64) float64 {
			v := bernoulli(p, c)
			if h.covariance == SharedCovariance {
				for e := range p {
					v = max(v, bernoulli(p, e))
				}
			}
			return math.Sqrt(v * weightAt(r, i))
		})
		square(n, h.own[c])
	}
	if h.across == nil {
		return
	}
	for c := range h.k {
		scale(c*n, h.k*n, func(i int, p []float64) float64 { return p[c] * math.Sqrt(weightAt(r, i)) })
	}
	square(h.k*n, h.across)
}

// posterior adds the prior and inverts. With δ = z̄ - at the prior of the intercept z̄ᵀw + b of a class has the
// precision λ (δ, 1)(δ, 1)ᵀ of the coefficients about the point at.
func (h *curvature) posterior(ctx context.Context) (*Laplace, error) {
	l := newLaplace(h.w, h.b, h.at)
	l.Covariance, l.Lambda = h.covariance, orElse(h.o.Lambda, defaultLaplaceLambda*h.spread.mass)
	var err error
	if l.Scale, err = h.spread.scale("Laplace"); err != nil {
		return nil, err
	}
	if p := l.Lambda * l.Scale; !(p > 0 && p <= math.MaxFloat64) {
		return nil, fmt.Errorf("train: Laplace: Lambda = %v times the mean squared distance of a row, %v, leaves "+
			"the range of numbers; change it: %w", l.Lambda, l.Scale, domain.ErrParam)
	}
	n := h.d + 1
	delta := append(floats.SubTo(make([]float64, h.d), h.spread.mean, h.at), 1)
	for _, a := range h.own {
		for i, v := range delta {
			floats.AddScaled(a[i*n:i*n+i+1], l.Lambda*v, delta[:i+1])
		}
		for j := range h.d {
			a[j*n+j] += l.Lambda * l.Scale
		}
	}
	precisions := h.own
	if h.across != nil { // the blocks of two classes, and those of one
		for c, own := range h.own {
			for i := range n {
				row := h.across[(c*n+i)*n*h.k:][:c*n+i+1]
				floats.Scale(-1, row[:c*n])
				copy(row[c*n:], own[i*n:])
			}
		}
		precisions = [][]float64{h.across}
	}
	_, size := l.Covariance.matrices(h.d, h.k)
	for _, a := range precisions {
		root, ok := factor.Of(ctx, a, size, 0)
		if err := given.Stopped(ctx); err != nil {
			return nil, fmt.Errorf("train: Laplace: stopped in the factorisation of the precision: %w", err)
		}
		if !ok {
			return nil, fmt.Errorf("train: Laplace: the precision is singular in working precision at Lambda = %v; "+
				"raise it: %w", l.Lambda, domain.ErrParam)
		}
		root.Inverse()
		l.root = append(l.root, root)
	}
	return l, nil
}
