package simd

import "unsafe"

// WideDepth is how many products of float32 numbers SyrkWide sums in float32 before it adds to float64.
const WideDepth = 128

// SyrkWide adds Σ aᵢ aᵢᵀ over the k float32 rows aᵢ of a [k,n] to the lower triangle of the float64 matrix c [n,n],
// with rows lda and ldc apart. The kernels sum at most WideDepth products in float32, in order and with one rounding a
// step, and add these sums to c in float64. The generic path has float64 products. It panics where an operand does not
// lie within its slice.
func SyrkWide(n, k int, a []float32, lda int, c []float64, ldc int) {
	A := matrix[float32]{a, lda, true}
	matrix[float64]{c, ldc, false}.check("c", n, n)
	A.check("a", n, k)
	if n == 0 || k == 0 {
		return
	}
	ks := kernelsOf[float32](active, n)
	if ks == nil {
		there := make([]float64, k*n)
		for i := range k {
			for j, v := range A.row(i, n) {
				there[i*n+j] = float64(v)
			}
		}
		syrkGeneric(true, n, k, 1, matrix[float64]{there, n, true}, 1, c, ldc)
		return
	}
	p := newProduct(ks, n, n, k)
	p.a, p.b, p.beta = A, matrix[float32]{a, lda, false}, 1
	p.output = output[float32]{ld: ldc, m: n}
	p.triangle, p.wide = lower, c
	p.run()
}

// multiplyWide multiplies one tile with the tiles of panels lo to hi that the lower triangle reaches, some steps of the
// product at a time, and adds each sum to the float64 C, which stays in the first-level cache meanwhile.
func (s *sweep[T]) multiplyWide(a *T, rs, ks, i, rows, lo, hi int) {
	w, parts := s.width, (s.k+WideDepth-1)/WideDepth
	for q := lo; q < min(hi, (i+rows-1)/w+1); q++ {
		j := q * w
		inner := j+w <= i+1 // every row wants the whole panel, which C has
		for r := i; r < i+rows && inner; r++ {
			prefetchSlice(s.wide[r*s.ld+j:][:w])
		}
		panel := s.b[(q-s.b0)*s.k*w:]
		for t := range parts {
			k0, k1 := t*s.k/parts, (t+1)*s.k/parts
			from := (*T)(unsafe.Add(unsafe.Pointer(a), k0*ks*sizeof[T]()))
			s.kernels.tile[rows-1](k1-k0, from, rs, ks, &panel[k0*w], 1, &s.ws.tile[0], w, nil, 0)
			if inner {
				s.kernels.wide(rows, &s.ws.tile[0], &s.wide[i*s.ld+j], s.ld)
				continue
			}
			for r := range rows {
				_, end := s.triangle.columns(i+r, s.n)
				for l := j; l < min(end, j+w); l++ {
					s.wide[(i+r)*s.ld+l] += float64(s.ws.tile[r*w+l-j])
				}
			}
		}
	}
}
