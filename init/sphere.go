package spectral

import "math"

// sphereMean is the mean of cos(t u·e) over the uniform directions u in ℝ^d, where e is a unit vector and t >= 0. It is
// the kernel, at the distance t, whose frequencies all have the norm 1:
//
//	Ω_d(t) = Γ(h) (2/t)^(h-1) J_(h-1)(t) = ₀F₁(; h; -t²/4),   h = d/2.
//
// The error is below 1e-12. Schoenberg (1938).
func sphereMean(d int, t float64) float64 {
	h := float64(d) / 2
	s := t * t / 4
	switch {
	case d == 1:
		return cosine(t)
	case s > math.MaxFloat64:
		return 0
	case s <= 8*h: // no term is above e^8
		return confluentLimit(h, -s)
	case t >= h:
		return sphereMeanUp(d, t, s)
	default:
		return sphereMeanDown(h, s)
	}
}

// cosine is cos t, and its mean 0 where t has overflowed.
func cosine(t float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	return math.Cos(t)
}

// sphereMeanUp goes up from Ω_1 = cos t and Ω_3 = sin t / t, or from Ω_2 = J₀ and Ω_4 = 2 J₁(t)/t, by the recurrence of
// ₀F₁
//
//	f(h+1) = (f(h) - f(h-1)) h (h-1)/s,   s = t²/4.
//
// It is stable while the Bessel functions oscillate, that is, for t >= h.
func sphereMeanUp(d int, t, s float64) float64 {
	below, f, h := math.Cos(t), math.Sin(t)/t, 1.5
	if d%2 == 0 {
		below, f, h = math.J0(t), 2*math.J1(t)/t, 2
		if d == 2 {
			return below
		}
	}
	for ; h < float64(d)/2; h++ {
		below, f = f, (f-below)*(h/s)*(h-1)
	}
	return f
}

// sphereMeanDown goes down by the same recurrence, which is stable for t <= h, from an h at which the series converges
// at once. Below its first zero, which is beyond h - 1, Ω is at most exp(-s/h): it is a product of factors 1 - t²/j² <=
// exp(-t²/j²), and Σ 1/j² = 1/4h.
func sphereMeanDown(h, s float64) float64 {
	if s > 50*h+100 {
		return 0
	}
	top := h + math.Ceil(s/2)
	above, f := confluentLimit(top+1, -s), confluentLimit(top, -s)
	for ; top > h; top-- {
		above, f = f, f-s/(top*(top-1))*above
	}
	return f
}

// confluentLimit is the series of ₀F₁(; h; z).
func confluentLimit(h, z float64) float64 {
	sum, term := 1.0, 1.0
	for n := 0.0; math.Abs(term) > 1e-17; n++ {
		term *= z / ((h + n) * (n + 1))
		sum += term
	}
	return sum
}
