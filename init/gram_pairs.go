package spectral

import "math"

// A pairFunc returns k(x_i, z_j). scratch has room for a number a column. Calls may run concurrently, each with its own
// scratch.
type pairFunc func(i, j int, scratch []float64) float64

// pairsOf prepares the rows of x and of z, which may be the same, and returns the function that compares them. It
// switches on types for the reason that additiveOf has.
func pairsOf(k Kernel, x, z *rows) pairFunc {
	switch k := k.(type) {
	case Gaussian, SkewedChi2, SkewedIntersection, ExpSemigroup, ReciprocalSemigroup, Exponentiated:
		return k.(interface{ pairs(x, z *rows) pairFunc }).pairs(x, z)
	}
	if t := additiveOf(k); t != nil {
		return t.pairs(k.(Homogeneous), x, z)
	}
	return func(i, j int, _ []float64) float64 { return k.At(x.row(i), z.row(j)) }
}

// each applies f to every number, only once where x and z are the same.
func each(x, z *rows, f func(v float64) float64) (fx, fz *rows) {
	fx = x.each(f)
	if x == z {
		return fx, fx
	}
	return fx, z.each(f)
}

func (r *rows) each(f func(v float64) float64) *rows {
	out := &rows{data: make([]float64, len(r.data)), n: r.n, cols: r.cols}
	eachRow(r.n, func(i int) {
		to := out.row(i)
		for j, v := range r.row(i) {
			to[j] = f(v)
		}
	})
	return out
}

// sums are the sums of f over each row.
func (r *rows) sums(f func(v float64) float64) []float64 {
	out := make([]float64, r.n)
	eachRow(r.n, func(i int) {
		for _, v := range r.row(i) {
			out[i] += f(v)
		}
	})
	return out
}

// In these four sums run side by side, because an addition waits for the one before it.

// sumAbs is Σ |a - b|.
func sumAbs(a, b []float64) float64 {
	b = b[:len(a)]
	s0, s1, s2, s3 := 0.0, 0.0, 0.0, 0.0
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += math.Abs(a[i] - b[i])
		s1 += math.Abs(a[i+1] - b[i+1])
		s2 += math.Abs(a[i+2] - b[i+2])
		s3 += math.Abs(a[i+3] - b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += math.Abs(a[i] - b[i])
	}
	return s0 + s1 + s2 + s3
}

// sumSquares is Σ (a - b)².
func sumSquares(a, b []float64) float64 {
	b = b[:len(a)]
	s0, s1, s2, s3 := 0.0, 0.0, 0.0, 0.0
	i := 0
	for ; i+4 <= len(a); i += 4 {
		t0, t1, t2, t3 := a[i]-b[i], a[i+1]-b[i+1], a[i+2]-b[i+2], a[i+3]-b[i+3]
		s0 += t0 * t0
		s1 += t1 * t1
		s2 += t2 * t2
		s3 += t3 * t3
	}
	for ; i < len(a); i++ {
		t := a[i] - b[i]
		s0 += t * t
	}
	return s0 + s1 + s2 + s3
}

// inRange reports whether a sum of positive numbers neither overflowed nor lost terms to underflow. Otherwise the
// caller uses At, which scales each term.
func inRange(sum float64) bool { return sum > 1e-280 && sum < 1e280 }

func (k Gaussian) pairs(x, z *rows) pairFunc {
	return func(i, j int, _ []float64) float64 {
		sum := sumSquares(x.row(i), z.row(j))
		if !inRange(sum) {
			return k.At(x.row(i), z.row(j))
		}
		return math.Exp(-sum / k.Sigma / k.Sigma / 2)
	}
}

// pairs compares ln(x + c).
func (k SkewedIntersection) pairs(x, z *rows) pairFunc {
	lx, lz := each(x, z, func(v float64) float64 { return ln(v + k.C) })
	return func(i, j int, _ []float64) float64 { return math.Exp(-sumAbs(lx.row(i), lz.row(j)) / 2) }
}

// grown is where a running product is folded into a sum of logarithms: one factor more, up to 1e154, does not overflow.
const grown = 1e100

// pairs multiplies the factors cosh(½ ln((x+c)/(z+c))) = ½ (s/t + t/s), s = √(x+c) and t = √(z+c), each at least 1, and
// takes the logarithm of the product now and then.
func (k SkewedChi2) pairs(x, z *rows) pairFunc {
	sx, sz := each(x, z, func(v float64) float64 { return math.Sqrt(v + k.C) })
	hx, hz := each(sx, sz, func(s float64) float64 { return .5 / s })
	return func(i, j int, _ []float64) float64 {
		s, t, hs, ht := sx.row(i), sz.row(j), hx.row(i), hz.row(j)
		t, hs, ht = t[:len(s)], hs[:len(s)], ht[:len(s)]
		p0, p1, p2, p3, sum := 1.0, 1.0, 1.0, 1.0, 0.0
		c := 0
		for ; c+4 <= len(s); c += 4 {
			p0 *= s[c]*ht[c] + t[c]*hs[c]
			p1 *= s[c+1]*ht[c+1] + t[c+1]*hs[c+1]
			p2 *= s[c+2]*ht[c+2] + t[c+2]*hs[c+2]
			p3 *= s[c+3]*ht[c+3] + t[c+3]*hs[c+3]
			if p0 > grown || p1 > grown || p2 > grown || p3 > grown {
				sum += math.Log(p0) + math.Log(p1) + math.Log(p2) + math.Log(p3)
				p0, p1, p2, p3 = 1, 1, 1, 1
			}
		}
		sum += math.Log(p0) + math.Log(p1) + math.Log(p2) + math.Log(p3)
		for ; c < len(s); c++ {
			sum += math.Log(s[c]*ht[c] + t[c]*hs[c])
		}
		return math.Min(1, math.Exp(-sum))
	}
}

// nearby is the share of k(x, x) + k(z, z) below which D² is computed coordinate by coordinate: the difference would
// have lost two digits.
const nearby = .01

// pairs computes k(x, x) and k(z, z) once a row.
func (k Exponentiated) pairs(x, z *rows) pairFunc {
	of := pairsOf(k.Of, x, z)
	own := func(r *rows) []float64 {
		out := make([]float64, r.n)
		eachRow(r.n, func(i int) { out[i] = k.Of.At(r.row(i), r.row(i)) })
		return out
	}
	dx := own(x)
	dz := dx
	if z != x {
		dz = own(z)
	}
	return func(i, j int, scratch []float64) float64 {
		both := dx[i] + dz[j]
		d2 := both - 2*of(i, j, scratch)
		if !(d2 > nearby*both) { // or one of them overflows
			d2 = SquaredMetric(k.Of, x.row(i), z.row(j))
		}
		return k.of(d2)
	}
}
