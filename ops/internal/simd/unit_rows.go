package simd

import (
	"math"
	"slices"
)

// UnitRows scales the rows z = exp(-xW) of [n,m] to unit length, in place. Where a row is so small that what counts of
// it may have underflowed, project is asked for the row of xW, from which the least is subtracted first; where all of
// that is +Inf its entries are taken as equal.
func UnitRows[T Float](z []T, n, m int, project func(dst []T, row int)) {
	small := 1e-200
	if sizeof[T]() == 4 {
		small = 1e-24
	}
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := z[i*m : i*m+m]
			square := sumSquares(row)
			if !(square >= small) {
				project(row, i)
				square = shiftedExp(row)
			}
			vecMultiple(row, row, T(1/math.Sqrt(square)))
		}
	})
}

// shiftedExp makes exp(least - p) of p and returns the sum of the squares.
func shiftedExp[T Float](p []T) float64 {
	if least := slices.Min(p); math.IsInf(float64(least), 1) {
		clear(p)
	} else {
		for j := range p {
			p[j] -= least
		}
	}
	vecExp(p, p, 1, -1)
	return sumSquares(p)
}

// ShiftedExp writes exp(x - top), where top is the largest number of x, to dst, which may be x, and returns top and the
// sum of the exponentials. All is NaN where x holds a NaN or +Inf, or nothing but -Inf.
func ShiftedExp[T Float](dst, x []T) (top, sum float64) {
	most := T(math.Inf(-1))
	for _, v := range x {
		if v > most { // not max, which takes its time for NaN: that is found below
			most = v
		}
	}
	for j, v := range x {
		dst[j] = v - most
	}
	vecExp(dst[:len(x)], dst[:len(x)], 1, 1)
	for _, v := range dst[:len(x)] {
		sum += float64(v)
	}
	return float64(most), sum
}

// sumSquares is Σ v², of some dozen squares at a time in T and of these sums in float64.
func sumSquares[T Float](v []T) float64 {
	pool, ws := takeChunks[T]()
	defer pool.Put(ws)
	sum := 0.0
	for len(v) > 0 {
		k := min(len(v), chunk)
		vecProduct(ws.phase[:k], v[:k], v[:k], 1)
		sum += fold(ws.phase[:k])
		v = v[k:]
	}
	return sum
}

// fold is the sum of at most a chunk of numbers, which it overwrites: halves are added until few are left.
func fold[T Float](v []T) float64 {
	for len(v) >= 32 {
		half := len(v) / 2
		vecAdd(v[:half], v[len(v)-half:])
		v = v[:len(v)-half]
	}
	sum := 0.0
	for _, u := range v {
		sum += float64(u)
	}
	return sum
}

// SumRoots is Σ √(c_j v_j); c has the length of v, or 1.
func SumRoots[T Float](v, c []T) float64 { return sumOf(v, c, false) }

// SumLogs is Σ ln(1 + c_j v_j); c has the length of v, or 1.
func SumLogs[T Float](v, c []T) float64 { return sumOf(v, c, true) }

// sumOf is the sum of the roots, or of the logarithms, of the products.
func sumOf[T Float](v, c []T, logs bool) float64 {
	pool, ws := takeChunks[T]()
	defer pool.Put(ws)
	sum := 0.0
	for lo := 0; lo < len(v); lo += chunk {
		part, own := v[lo:min(lo+chunk, len(v))], c
		if len(c) > 1 {
			own = c[lo : lo+len(part)]
		}
		to := ws.phase[:len(part)]
		Multiply(to, part, own)
		if logs {
			vecLog(to, to, ws.one[:])
		} else {
			vecSqrt(to, to)
		}
		sum += fold(to)
	}
	return sum
}

// Multiply writes c_j v_j to dst; c has the length of v, or 1.
func Multiply[T Float](dst, v, c []T) {
	if len(c) == 1 {
		vecMultiple(dst, v, c[0])
		return
	}
	vecProduct(dst, v, c, 1)
}

// ScaleRow multiplies a row by c, in place; also by one that T can hold only as a denormal number.
func ScaleRow[T Float](row []T, c float64) {
	least := 0x1p-1022
	if sizeof[T]() == 4 {
		least = 0x1p-126
	}
	if c >= least {
		vecMultiple(row, row, T(c))
		return
	}
	for j, v := range row {
		row[j] = T(c * float64(v))
	}
}

// UnitRowsGrad writes dP = (g·z) z² - g z from the output z of UnitRows and its gradient g, all [n,m].
func UnitRowsGrad[T Float](dp, z, g []T, n, m int) {
	forTiles(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			zi, gi := z[i*m:i*m+m], g[i*m:i*m+m]
			dot := 0.0
			for j, v := range zi {
				dot += float64(gi[j]) * float64(v)
			}
			for j, v := range zi {
				dp[i*m+j] = T((dot*float64(v) - float64(gi[j])) * float64(v))
			}
		}
	})
}
