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
	of *Fit
	o  LaplaceOptions

	*Laplace // the posterior to be, once there are rows
	spread   rowSpread
	own      [][]float64 // Σ r p (1 - p) z̃ z̃ᵀ of each class, or their bound: lower triangles [D + 1, D + 1]
	across   []float64   // Σ r p_c p_e z̃ z̃ᵀ, the lower triangle [N, N]; nil but for the exact covariance

	z, scaled, p []float64 // of the rows in hand; scratch
}

// laplaceRows is the number of rows that are multiplied at a time.
const laplaceRows = 512

// add is an addRows.
func (h *curvature) add(names rows.Names, z *tensor.Dense, y *mat.Dense) error {
	n, d := z.Shape()[0], z.Shape()[1]
	if wd, k := h.of.W.Dims(); wd != d || y.RawMatrix().Cols != k {
		return fmt.Errorf("train: Laplace: the head has W [%d,%d], and the rows have %d features and targets of %d "+
			"classes; give the rows and the map of its fit: %w", wd, k, d, y.RawMatrix().Cols, domain.ErrShape)
	}
	if err := rows.CheckFinite("Laplace", z, y, names.At); err != nil {
		return err
	}
	weight, err := rowWeights("Laplace", h.o.ClassWeights, y, names.At)
	if err != nil {
		return err
	}
	h.spread.addMatrix(z, weight)
	if h.Laplace == nil {
		if err := h.begin(); err != nil {
			return err
		}
	}
	for lo := 0; lo < n; lo += laplaceRows {
		h.addRows(z, weight, lo, min(lo+laplaceRows, n))
	}
	return nil
}

// begin makes room, about the mean of the rows so far.
func (h *curvature) begin() error {
	l := newLaplace(h.of.W, h.of.B, slices.Clone(h.spread.mean))
	var err error
	if l.Covariance, err = h.o.Covariance.chosen(l.d, l.k); err != nil {
		return err
	}
	h.Laplace, h.own = l, make([][]float64, l.k)
	_, wide := l.Covariance.matrices(l.d, l.k)
	switch l.Covariance {
	case ExactCovariance:
		h.across = make([]float64, wide*wide)
	case SharedCovariance:
		h.own = h.own[:1]
	}
	for c := range h.own {
		h.own[c] = make([]float64, (l.d+1)*(l.d+1))
	}
	h.z, h.scaled = make([]float64, laplaceRows*(l.d+1)), make([]float64, laplaceRows*wide)
	h.p = make([]float64, laplaceRows*l.k)
	return nil
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

// addRows adds rows lo to hi of z, by their weights; nil: all are 1.
func (h *curvature) addRows(z *tensor.Dense, weight []float64, lo, hi int) {
	rows, n, k := hi-lo, h.d+1, h.k
	aboutInto(h.z[:rows*n], z, lo, h.at)
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, rows, k, n, 1, h.z, n, h.head, k, 0, h.p, k)
	given.InParallel(rows, func(i int) { softmaxRow(h.p[i*k : (i+1)*k]) })
	scale := func(at, stride int, by func(i int, p []float64) float64) {
		given.InParallel(rows, func(i int) {
			floats.ScaleTo(h.scaled[i*stride+at:][:n], by(lo+i, h.p[i*k:(i+1)*k]), h.z[i*n:(i+1)*n])
		})
	}
	square := func(n int, c []float64) {
		fast.Implementation{}.Dsyrk(blas.Lower, blas.Trans, n, rows, 1, h.scaled, n, 1, c, n)
	}
	for c := range h.own {
		scale(0, n, func(i int, p []float64) float64 {
			v := bernoulli(p, c)
			if h.Covariance == SharedCovariance {
				for e := range p {
					v = max(v, bernoulli(p, e))
				}
			}
			return math.Sqrt(v * weightAt(weight, i))
		})
		square(n, h.own[c])
	}
	if h.across == nil {
		return
	}
	for c := range k {
		scale(c*n, k*n, func(i int, p []float64) float64 { return p[c] * math.Sqrt(weightAt(weight, i)) })
	}
	square(k*n, h.across)
}

// posterior adds the prior and inverts. With δ = z̄ - at the prior of the intercept z̄ᵀw + b of a class has the
// precision λ (δ, 1)(δ, 1)ᵀ of the coefficients about the point at.
func (h *curvature) posterior(ctx context.Context) (*Laplace, error) {
	l := h.Laplace
	l.Lambda = orElse(h.o.Lambda, defaultLaplaceLambda*h.spread.mass)
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
