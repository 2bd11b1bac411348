package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Series says how Homogeneous maps a coordinate, apart from its base frequency L and its roots.
type Series struct {
	F        []int           // the harmonics 1 <= f_1 < f_2 < ...; f_0 = 0 is not listed
	Gamma    float64         // γ > 0, the degree
	Negative domain.Negative // how x < 0 is treated
	// Stationary maps x in place of ln x, without the factor x^{γ/2}: the map of the translation-invariant kernel 𝒦(y -
	// x) on ℝ.
	Stationary bool
}

// Width returns the number of output columns for each column of x: 2n+1 for n harmonics, and twice that for
// SplitNegative.
func (h Series) Width() int {
	w := 2*len(h.F) + 1
	if h.Negative == domain.SplitNegative && !h.Stationary {
		w *= 2
	}
	return w
}

// domain is the domain of the map.
func (h Series) domain() Domain {
	if h.Stationary {
		return domain.Reals()
	}
	return h.Negative.Domain()
}

func (h Series) check(who string) error {
	if !(h.Gamma > 0) || math.IsInf(h.Gamma, 1) || h.Negative < domain.RejectNegative ||
		h.Negative > domain.SplitNegative {
		return fmt.Errorf("%s: degree %v and Negative(%d), want a finite degree above 0 and RejectNegative, "+
			"SignNegative or SplitNegative: %w",
			who, h.Gamma, h.Negative, ErrParam)
	}
	for j, f := range h.F {
		if f < 1 || j > 0 && f <= h.F[j-1] {
			return fmt.Errorf("%s: harmonics %v, want increasing whole numbers of at least 1: %w", who, h.F, ErrParam)
		}
	}
	return nil
}

// Homogeneous is the homogeneous kernel map of x, L and r. It makes of each coordinate v > 0 of x the 2n+1 numbers
//
//	r₀ v^{γ/2},   √2 r_j v^{γ/2} cos(f_j L ln v),   √2 r_j v^{γ/2} sin(f_j L ln v),   j = 1 to n,
//
// side by side, and zeros of v = 0. With r_j = √κ̂_j its inner products are Σ (vu)^{γ/2} 𝒦̂(ln u - ln v). κ̂_j = r_j²
// is not negative, whatever the sign of r_j. x is [n, d]; L is [1], or [d] with an entry for each column; r is [n+1];
// the result is [n, d·Width]. Vedaldi and Zisserman (2012), equation (19), and (18) for the stationary form.
//
// Backward, from x and the output z alone: with t = Σ_j f_j (g_sin z_cos - g_cos z_sin) of a coordinate, dx = (γ/2 Σ
// g·z + L t)/x and dL = Σ t ln|x|, over everything or over each column; for the stationary form dx = L t and dL = Σ t
// x. The map is linear in r: dr is Σ g·z for roots of 1, computed again. At v = 0 the map has no derivative. dx is
// defined as 0 there, which leaves the empty bins of a histogram alone; near 0 it grows as v^{γ/2-1}.
//
// For sparse rows the result is sparse, unless L or r has a gradient or the form is stationary. Attr.Domain is not
// used. Errors while building: shapes and h. Errors while running (ErrDomain): a cell that is not finite or, without an
// extension, negative; features that are not finite, as for large numbers and γ > 2.
func Homogeneous(h Series, a Attr) Op {
	h.F = slices.Clone(h.F)
	return homogeneous.with(h, a, h.check)
}

var homogeneous = decl{kind: "Homogeneous", sig: parse("nd,1|d,R->n(dW)"), names: []string{"x", "L", "the roots"},
	in: []Inputs{X, L, R}, unchecked: true, forward: kernel{homogeneousForward[float32], homogeneousForward[float64]},
	bind: func(o *Op, v *sizes) {
		h := o.params.(Series)
		v.set('R', len(h.F)+1)
		v.set('W', h.Width())
	},
	finite: []int{1, 2}, stays: byCoordinate,
	zeros: func(c *call) bool { return !c.params.(Series).Stationary },
	reads: []int{0, 1, theOutput}, backward: kernel{homogeneousBackward[float32], homogeneousBackward[float64]}}

// homogeneousForward computes first, and looks at single cells only if a result is not finite.
func homogeneousForward[T domain.Float](c *call) error {
	h := c.params.(Series)
	m := seriesMap[T](c, cells[T](c, 2))
	bad := m.Forward(result[T](c), cells[T](c, 0), c.at('n'), c.at('d'))
	if !bad && !h.Stationary {
		return nil
	}
	if err := CheckRows(h.domain(), c.who(), c.x); err != nil || !bad {
		return err
	}
	return checkFeatures[T](c, m.Width(), "has features that are not finite in %T",
		"scale the data, or lower the degree gamma")
}

// seriesMap returns the arithmetic of the parameters with L and the roots, which may be nil where they are not needed.
func seriesMap[T domain.Float](c *call, roots []T) *simd.Homogeneous[T] {
	h := paramsOf[Series](c)
	m := &simd.Homogeneous[T]{F: h.F, Base: ofColumns[T](c, 1), Root: roots, Gamma: h.Gamma, Stationary: h.Stationary}
	if !h.Stationary {
		m.Sign, m.Split = h.Negative == domain.SignNegative, h.Negative == domain.SplitNegative
	}
	return m
}

func homogeneousBackward[T domain.Float](c *call) error {
	x, z, g, n, d := cells[T](c, 0), outputOf[T](c), gradientOf[T](c), c.at('n'), c.at('d')
	m := seriesMap(c, make([]T, c.at('R'))) // GradRoot takes roots of 1
	if dx := gradientFor[T](c, 0); dx != nil {
		m.GradX(dx, x, z, g, n, d)
	}
	if dl := gradientFor[T](c, 1); dl != nil {
		m.GradBase(dl, x, z, g, n, d)
	}
	if dr := gradientFor[T](c, 2); dr != nil {
		m.GradRoot(dr, x, g, n, d)
	}
	return nil
}
