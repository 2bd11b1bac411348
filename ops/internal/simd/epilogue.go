package simd

import "math"

// epilogue is what a forward does to its projection, a segment of a row at a time, while the segment is in cache.
type epilogue int

const (
	identity epilogue = iota // p
	phaseMap                 // scale·cos(p)
	pairMap                  // scale·[cos(p) | sin(p)]
	expMap                   // scale·exp(-p)
)

// output is where a product and its epilogue write: m columns of projections in rows that are ld apart, and for the pair m
// more to their right.
type output[T Float] struct {
	dst   []T
	ld, m int
	epilogue
	scale float64
}

// finish applies the epilogue to columns lo to hi of row i, and tells whether one of them was not finite, for the maps that
// have no value there.
func (o *output[T]) finish(i, lo, hi int) (bad bool) {
	row := o.dst[i*o.ld:]
	switch p := row[lo:hi]; o.epilogue {
	case phaseMap:
		return cosRow(p, p, o.scale)
	case pairMap:
		return pairRow(p, row[o.m+lo:o.m+hi], o.scale)
	case expMap:
		expRow(p, p, o.scale)
	}
	return false
}

// cosRow writes scale·cos(p) to dst, which may be p, and tells whether a p is not finite.
func cosRow[T Float](dst, p []T, scale float64) (bad bool) {
	for j, v := range p {
		bad = bad || v-v != 0
		dst[j] = T(scale * math.Cos(float64(v)))
	}
	return bad
}

// pairRow replaces the projections in cos by scale·cos, writes scale·sin beside them, and tells whether one was not finite.
func pairRow[T Float](cos, sin []T, scale float64) (bad bool) {
	for j, p := range cos {
		bad = bad || p-p != 0
		s, c := math.Sincos(float64(p))
		cos[j], sin[j] = T(scale*c), T(scale*s)
	}
	return bad
}

// expRow writes scale·exp(-p) to dst, which may be p.
func expRow[T Float](dst, p []T, scale float64) {
	for j, v := range p {
		dst[j] = T(scale * math.Exp(-float64(v)))
	}
}

// logRow writes ln(x + c) to dst, which may be x; c has the length of x, or 1 for all.
func logRow[T Float](dst, x, c []T) {
	if len(c) == 1 {
		shift := float64(c[0])
		for j, v := range x {
			dst[j] = T(math.Log(float64(v) + shift))
		}
		return
	}
	for j, v := range x {
		dst[j] = T(math.Log(float64(v) + float64(c[j])))
	}
}
