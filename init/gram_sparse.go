package spectral

import "math"

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
	out := s
	out.values = make([]float64, len(s.values))
	for i, v := range s.values {
		out.values[i] = f(v)
	}
	return out
}

// pairs uses Σ √(x+z) = Σ √x + Σ √z + Σ (√(x+z) - √x - √z), where the terms of the last sum are 0 for z = 0.
func (k ExpSemigroup) pairs(x, z *rows) pairFunc {
	roots := x.each(math.Sqrt)
	sumX := x.sums(math.Sqrt)
	sumZ := sumX
	if z != x {
		sumZ = z.sums(math.Sqrt)
	}
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
