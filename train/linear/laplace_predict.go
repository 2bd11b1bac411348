package linear

import (
	"fmt"
	"math"
	"slices"

	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// meanField is π/8, the constant with which the logistic function approximates the normal distribution function.
const meanField = math.Pi / 8

// Probabilities returns the class probabilities [n, k] for features z [n, D], averaged over the posterior by a
// closed-form approximation. With the logits u and their variances v they are, for independent classes,
//
//	softmax(u_c / √(1 + π/8 v_c)),
//
// as in Liu et al. (2020), and with ExactCovariance
//
//	p_c ∝ 1 / Σ_e exp((u_e - u_c) / √(1 + π/8 Var(u_c - u_e))),
//
// the mf2 of Lu, Ie and Sha (2020), Mean-field approximation to Gaussian-softmax integral with application to
// uncertainty estimation. For two classes that is the approximation of Spiegelhalter and Lauritzen (1990). Far from the
// rows of the fit the variances grow, and the probabilities tend to 1/k.
//
// Operations for a row, with N = (D + 1) k: N (N + D) for the exact covariance, 2 k D² for classes, 2 D² for shared.
// Memory: the result and 16 MB, or k N numbers if that is more. Results do not depend on GOMAXPROCS.
//
// Errors: domain.ErrParam for nil z and for a Laplace without posterior; domain.ErrShape and domain.ErrDtype unless z
// is a matrix [n, D] of float64 or float32; domain.ErrDomain for a number that is not finite, or so large that a logit
// or its variance is not.
func (l *Laplace) Probabilities(z *tensor.Dense) (*mat.Dense, error) {
	return l.rows("Probabilities", z, func(p, u, v []float64) {
		k := l.k
		if l.Covariance != ExactCovariance {
			for c := range p {
				p[c] = u[c] / math.Sqrt(1+meanField*v[c])
			}
			softmaxRow(p)
			return
		}
		for c := range p {
			sum := 0.
			for e := range p {
				apart := max(v[c*k+c]+v[e*k+e]-2*v[max(c, e)*k+min(c, e)], 0)
				sum += math.Exp((u[e] - u[c]) / math.Sqrt(1+meanField*apart))
			}
			p[c] = 1 / sum
		}
		floats.Scale(1/floats.Sum(p), p)
	})
}

// Variance returns the posterior variance z̃ᵀ Cov(w_c) z̃ of each logit, [n, k], for features z [n, D]. With
// ExactCovariance a part of it is common to all classes and does not affect the probabilities. Cost and errors: see
// Probabilities.
func (l *Laplace) Variance(z *tensor.Dense) (*mat.Dense, error) {
	return l.rows("Variance", z, func(out, _, v []float64) {
		for c := range out {
			if l.Covariance == ExactCovariance {
				out[c] = v[c*l.k+c]
			} else {
				out[c] = v[c]
			}
		}
	})
}

// rows calls f, from several goroutines, with the result of each row to fill in, its logits u and their variances v.
// For the exact covariance v is the lower triangle of the covariance of the logits, [k, k].
func (l *Laplace) rows(who string, z *tensor.Dense, f func(out, u, v []float64)) (*mat.Dense, error) {
	who = "train: Laplace: " + who
	if l.root == nil {
		return nil, fmt.Errorf("%s: there is no posterior; make it by FitLaplace: %w", who, domain.ErrParam)
	}
	whole, err := data.RowMajor(who, "the features", z)
	if err != nil {
		return nil, err
	}
	z = whole.(*tensor.Dense)
	n := z.Shape()[0]
	if n == 0 || z.Shape()[1] != l.d {
		return nil, fmt.Errorf("%s: the features are %v, want [n,%d] with a row at least: %w",
			who, z.Shape(), l.d, domain.ErrShape)
	}
	out, width := mat.NewDense(n, l.k, nil), l.k // of a row of variances
	if l.Covariance == ExactCovariance {
		width *= l.k
	}
	d1 := l.d + 1
	step := min(max((1<<21)/(width*d1), 1), laplaceRows, n)
	x, u, v, half := make([]float64, step*d1), make([]float64, step*l.k), make([]float64, step*width), []float64{}
	for lo := 0; lo < n; lo += step {
		rows := min(step, n-lo)
		aboutInto(x[:rows*d1], z, lo, l.at)
		fast.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, rows, l.k, d1, 1, x, d1, l.head, l.k, 0, u, l.k)
		if l.Covariance == ExactCovariance {
			half = slices.Grow(half[:0], rows*width*d1)[:rows*width*d1]
			l.exact(v, x, half, rows)
		} else {
			l.blocks(v, x, rows)
		}
		for _, part := range [][]float64{u[:rows*l.k], v[:rows*width]} {
			if i, _, _ := given.NotFinite(part, rows, len(part)/rows, len(part)/rows); i >= 0 {
				return nil, fmt.Errorf("%s: row %d has a logit or a variance that is not finite; check its "+
					"features: %w", who, lo+i, domain.ErrDomain)
			}
		}
		given.InParallel(rows, func(i int) {
			f(out.RawRowView(lo+i), u[i*l.k:(i+1)*l.k], v[i*width:(i+1)*width])
		})
	}
	return out, nil
}

// blocks puts the variances of the logits of rows x into v [rows, k]. A shared covariance serves every class.
func (l *Laplace) blocks(v, x []float64, rows int) {
	own := make([]float64, rows)
	for c := range l.k {
		if c < len(l.root) {
			l.root[c].Quadratics(own, x[:rows*(l.d+1)])
		}
		for i, s := range own {
			v[i*l.k+c] = s
		}
	}
}

// exact puts the covariances of logits, (L⁻¹(e_c ⊗ z̃))ᵀ (L⁻¹(e_e ⊗ z̃)), into v [rows, k, k].
func (l *Laplace) exact(v, x, half []float64, rows int) {
	d1, k := l.d+1, l.k
	n, root := d1*k, l.root[0].Inverse()
	for c := range k {
		at := c * d1 // the column block is 0 above it
		fast.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, rows, n-at, d1, 1, x, d1, root[at*n+at:], n, 0, half[c*rows*n+at:], n)
	}
	given.InParallel(rows, func(i int) {
		of := func(c int) []float64 { return half[(c*rows+i)*n:][:n] }
		for c := range k {
			for e := range c + 1 {
				v[i*k*k+c*k+e] = floats.Dot(of(c)[c*d1:], of(e)[c*d1:])
			}
		}
	})
}
