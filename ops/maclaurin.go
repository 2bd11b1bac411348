package ops

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Maclaurin is the map of random Maclaurin features, of x, W, N and s: products of projections,
//
//	z_i(x) = s_i/√m Π_{j < N_i} x·W_{·,jm+i},   i = 0 to m-1.
//
// x is [n, d], W [d, p·m], z [n, m]; the degrees N, whole numbers from 0 to p, and the scales s are [m]. With random
// signs W and s_i = √(a_N/P(N)) the inner products are unbiased for Σ_n a_n (x·x')^n. Kar and Karnick (2012), algorithm
// 1. Columns of W that no product uses are ignored. Everything is computed in float64 and rounded once.
//
// Backward: dx = dP·Wᵀ, where dP is g_i s_i/√m times the product of the other projections of the feature, which are
// computed again. The other inputs have no gradient.
//
// Pack takes W, N and s. Errors while building: shapes. Errors while running (ErrDomain): a cell of x outside
// Attr.Domain, a number in W or the scales that is not finite, an invalid degree, a row whose products overflow.
func Maclaurin(a Attr) Op { return Op{decl: &maclaurin, attr: a} }

var maclaurin = decl{kind: "Maclaurin", sig: parse("nd,d(pm),m,m->nm"), in: []Inputs{X},
	names: []string{"x", "W", "the degrees", "the scales"}, sparse: native, check: atLeastOne('d', 'p', 'm'),
	pack: packProducts, forward: kernel{maclaurinForward[float32], maclaurinForward[float64]}, reads: []int{0, 1, 2, 3},
	backward: kernel{maclaurinBackward[float32], maclaurinBackward[float64]}}

// products are W, degrees and scales of Maclaurin, packed.
type products struct {
	w      *simd.Weights[float64] // the columns of W that products use, feature after feature
	cols   int
	first  []int     // [m+1], where the columns of each feature begin
	scales []float64 // [m], s/√m
}

var packProducts = &packer{from: 1, n: 3, pack: func(c *call, _ bool) (any, error) {
	if err := checkW(domain.Reals(), c.who(), c.in[1]); err != nil {
		return nil, err
	}
	d, m, most, w, n, s := c.at('d'), c.at('m'), c.at('p'), Float64s(c.in[1]), Float64s(c.in[2]), Float64s(c.in[3])
	f := &products{first: make([]int, m+1), scales: make([]float64, m)}
	if err := checkFinite(c.who(), "scales", redraw, s, m); err != nil {
		return nil, err
	}
	if err := checkWhole(c.who(), "degrees", n, m, most); err != nil {
		return nil, err
	}
	for i := range m {
		f.first[i+1], f.scales[i] = f.first[i]+int(n[i]), s[i]/math.Sqrt(float64(m))
	}
	f.cols = f.first[m]
	used := make([]float64, d*f.cols)
	for l := range d {
		for i := range m {
			for j := range f.first[i+1] - f.first[i] {
				used[l*f.cols+f.first[i]+j] = w[l*most*m+j*m+i]
			}
		}
	}
	f.w = simd.Pack(used, d, f.cols)
	return f, nil
}}

func maclaurinForward[T domain.Float](c *call) error {
	dst, m, f := result[T](c), c.at('m'), c.w.of.(*products)
	return project[T](c, func(from, rows int, p []float64) error {
		simd.Share(rows, 16, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row := p[i*f.cols : (i+1)*f.cols]
				for k := range m {
					dst[(from+i)*m+k] = T(f.product(row, k))
				}
			}
		})
		return finiteFeatures(dst[from*m:(from+rows)*m], from, m, c.who())
	})
}

// product is feature i of a row with the projections p.
func (f *products) product(p []float64, i int) float64 {
	v := f.scales[i]
	for _, u := range p[f.first[i]:f.first[i+1]] {
		v *= u
	}
	return v
}

// project calls each with the projections of the rows of x on the columns in use, [rows, cols], in blocks.
func project[T domain.Float](c *call, each func(from, rows int, p []float64) error) error {
	f := c.w.of.(*products)
	size := blockOf(c, f.cols)
	p := make([]float64, size*f.cols)
	return rowsOf[T](c, size, func(from, rows int, x simd.Rows[float64]) error {
		if f.cols > 0 { // else all features are constant
			simd.Affine(p[:rows*f.cols], f.w, x, nil, rows)
		}
		return each(from, rows, p)
	})
}

func maclaurinBackward[T domain.Float](c *call) error {
	dst, g, d, m, f := gradientFor[T](c, 0), gradientOf[T](c), c.at('d'), c.at('m'), c.w.of.(*products)
	size := blockOf(c, f.cols)
	dp, dx := make([]float64, size*f.cols), make([]float64, size*d)
	return project[T](c, func(from, rows int, p []float64) error {
		simd.Share(rows, 16, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				f.others(dp[i*f.cols:(i+1)*f.cols], p[i*f.cols:(i+1)*f.cols])
				for k := range m {
					for j := f.first[k]; j < f.first[k+1]; j++ {
						dp[i*f.cols+j] *= f.scales[k] * float64(g[(from+i)*m+k])
					}
				}
			}
		})
		if f.cols > 0 {
			f.w.GradX(dx, dp, rows)
		}
		recast(dst[from*d:(from+rows)*d], dx[:rows*d])
		return nil
	})
}

// others writes for each projection the product of the other ones of its feature. It does not divide, since a
// projection may be 0.
func (f *products) others(dst, p []float64) {
	for i := range f.scales {
		lo, hi := f.first[i], f.first[i+1]
		before := 1.
		for j := lo; j < hi; j++ {
			dst[j] = before
			before *= p[j]
		}
		after := 1.
		for j := hi - 1; j >= lo; j-- {
			dst[j] *= after
			after *= p[j]
		}
	}
}
