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

// both is f of x and of z, computed once where they are the same.
func both[T any](x, z *rows, f func(r *rows) T) (fx, fz T) {
	if fx = f(x); x == z {
		return fx, fx
	}
	return fx, f(z)
}

// each applies f to every number of x and of z.
func each(x, z *rows, f func(v float64) float64) (fx, fz *rows) {
	return both(x, z, func(r *rows) *rows { return r.each(f) })
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
	dx, dz := both(x, z, func(r *rows) []float64 {
		own := make([]float64, r.n)
		eachRow(r.n, func(i int) { own[i] = k.Of.At(r.row(i), r.row(i)) })
		return own
	})
	return func(i, j int, scratch []float64) float64 {
		self := dx[i] + dz[j]
		d2 := self - 2*of(i, j, scratch)
		if !(d2 > nearby*self) { // or one of them overflows
			d2 = SquaredMetric(k.Of, x.row(i), z.row(j))
		}
		return k.of(d2)
	}
}

// nonZeros holds the non-zero cells of rows. In histograms these are few.
type nonZeros struct {
	ptr    []int   // row i is ptr[i] to ptr[i+1]
	at     []int32 // column
	values []float64
}

func (r *rows) nonZeros() nonZeros {
	s := nonZeros{ptr: make([]int, 1, r.n+1)}
	for i := range r.n {
		for j, v := range r.row(i) {
			if v != 0 {
				s.at, s.values = append(s.at, int32(j)), append(s.values, v)
			}
		}
		s.ptr = append(s.ptr, len(s.at))
	}
	return s
}

func (s nonZeros) row(i int) (at []int32, values []float64) {
	return s.at[s.ptr[i]:s.ptr[i+1]], s.values[s.ptr[i]:s.ptr[i+1]]
}

// each is f of every cell.
func (s nonZeros) each(f func(v float64) float64) nonZeros {
	s.values = apply(s.values, f)
	return s
}

// apply returns f of every number.
func apply(values []float64, f func(v float64) float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

// pairs uses Σ √(x+z) = Σ √x + Σ √z + Σ (√(x+z) - √x - √z), where the terms of the last sum are 0 for z = 0.
func (k ExpSemigroup) pairs(x, z *rows) pairFunc {
	roots := x.each(math.Sqrt)
	sumX, sumZ := both(x, z, func(r *rows) []float64 { return r.sums(math.Sqrt) })
	nz := z.nonZeros()
	rz := nz.each(math.Sqrt)
	return func(i, j int, _ []float64) float64 {
		xs, rx := x.row(i), roots.row(i)
		at, v := nz.row(j)
		_, rv := rz.row(j)
		rv = rv[:len(v)]
		sum := 0.0
		for p, c := range at[:len(v)] {
			sum += math.Sqrt(xs[c]+v[p]) - (rx[c] + rv[p])
		}
		return math.Exp(-k.Beta * (sumX[i] + sumZ[j] + sum))
	}
}

// pairs multiplies 1 + (x+z)/λ = (1 + x/λ) (1 + z/(x+λ)), whose second factor is 1 for z = 0.
func (k ReciprocalSemigroup) pairs(x, z *rows) pairFunc {
	inverse := x.each(func(v float64) float64 { return 1 / (v + k.Lambda) })
	sumX := x.sums(func(v float64) float64 { return math.Log1p(v / k.Lambda) })
	nz := z.nonZeros()
	return func(i, j int, _ []float64) float64 {
		rx := inverse.row(i)
		at, v := nz.row(j)
		sum, p0, p1 := sumX[i], 1.0, 1.0
		p := 0
		for ; p+2 <= len(v); p += 2 {
			p0 *= 1 + v[p]*rx[at[p]]
			p1 *= 1 + v[p+1]*rx[at[p+1]]
			if p0 > grown || p1 > grown {
				sum += math.Log(p0) + math.Log(p1)
				p0, p1 = 1, 1
			}
		}
		if p < len(v) {
			sum += math.Log1p(v[p] * rx[at[p]])
		}
		sum += math.Log(p0) + math.Log(p1)
		if math.IsInf(sum, 1) || math.IsNaN(sum) {
			return k.At(x.row(i), z.row(j))
		}
		return math.Exp(-sum)
	}
}

// pairs sums over the coordinates where z is not 0. For degree γ it multiplies the terms of degree 1 by x^{(γ-1)/2} and
// z^{(γ-1)/2}, which it computes once a cell; for Hellinger x^{γ/2} by z^{γ/2}. It calls At for kernels that extend to
// negative numbers and for data whose powers are out of range.
func (t *additive) pairs(k Homogeneous, x, z *rows) pairFunc {
	nz, gamma := z.nonZeros(), k.Degree()
	if k.Extension() != RejectNegative || !powersInRange(k, x) || !powersInRange(k, z) {
		return func(i, j int, scratch []float64) float64 {
			at, v := nz.row(j)
			return k.At(gather(scratch, x.row(i), at), v)
		}
	}
	if t.terms == nil {
		rx, rz := x.each(power(gamma/2)), nz.each(power(gamma/2))
		return func(i, j int, _ []float64) float64 {
			row, sum := rx.row(i), 0.0
			at, v := rz.row(j)
			for p, c := range at {
				sum += row[c] * v[p]
			}
			return sum
		}
	}
	lnX, powX := &rows{}, (*rows)(nil)
	lnZ, powZ := nz, nonZeros{}
	if t.logs {
		lnX, lnZ = x.each(ln), nz.each(ln)
	}
	if gamma != 1 {
		powX, powZ = x.each(power((gamma-1)/2)), nz.each(power((gamma-1)/2))
	}
	return func(i, j int, scratch []float64) float64 {
		at, v := nz.row(j)
		term, sum := gather(scratch, x.row(i), at), 0.0
		_, lz := lnZ.row(j)
		t.terms(term, v, at, lnX.row(i), lz)
		if powX == nil {
			for _, v := range term {
				sum += v
			}
			return sum
		}
		px := powX.row(i)
		_, pz := powZ.row(j)
		for p, v := range term {
			sum += v * (px[at[p]] * pz[p]) // the powers first: they may be large and small
		}
		return sum
	}
}

// powersInRange reports whether the powers of the non-zero cells for a degree other than 1, and products of two of
// them, are in range.
func powersInRange(k Homogeneous, r *rows) bool {
	if k.Degree() == 1 {
		return true
	}
	most := math.Pow(1e90, 1/math.Max(1, k.Degree()))
	for _, v := range r.data {
		if v != 0 && !(v > 1/most && v < most) {
			return false
		}
	}
	return true
}

// power returns v^e, and 0 for v = 0 whatever the sign of e. It scales subnormal numbers up first, as ln does.
func power(e float64) func(v float64) float64 {
	if e == .5 {
		return math.Sqrt
	}
	return func(v float64) float64 {
		switch {
		case v == 0:
			return 0
		case v < 0x1p-1022:
			return math.Pow(v*0x1p60, e) * math.Pow(0x1p-60, e)
		default:
			return math.Pow(v, e)
		}
	}
}

// gather copies the numbers of a row at the given columns to dst.
func gather(dst, row []float64, at []int32) []float64 {
	dst = dst[:len(at)]
	for p, c := range at {
		dst[p] = row[c]
	}
	return dst
}
