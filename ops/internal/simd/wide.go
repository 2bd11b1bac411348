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
		for i := range there {
			there[i] = float64(a[i/n*lda+i%n])
		}
		Syrk(true, true, n, k, 1, there, n, 1, c, ldc)
		return
	}
	p := newProduct(ks, n, n, k)
	p.a, p.b, p.beta = A, matrix[float32]{a, lda, false}, 1
	p.output = output[float32]{ld: ldc, m: n}
	p.triangle, p.wide = lower, c
	p.run()
}

// slice is how many products are summed in float32: near-equal slices of at most WideDepth.
func (s *sweep[T]) slice() int { return ceil(s.k, ceil(s.k, WideDepth)) }

// multiplyWide is multiply for a float64 C, to which it adds a slice of the sums of each panel at a time.
func (s *sweep[T]) multiplyWide(a *T, rs, ks, i, rows, lo, hi int) {
	w, slice, tile := s.width, s.slice(), (*float32)(unsafe.Pointer(&s.ws.tile[0]))
	for q := lo; q < hi; q++ {
		panel := s.b[(q-s.b0)*s.k*w:]
		for k := 0; k < s.k; k += slice {
			from := (*T)(unsafe.Add(unsafe.Pointer(a), k*ks*sizeof[T]()))
			s.kernels.tile(rows, min(slice, s.k-k), from, rs, ks, &panel[k*w], 1, &s.ws.tile[0], w, nil, 0)
			if (q+1)*w <= i+1 { // before the diagonal
				s.kernels.wide(rows, w, tile, &s.wide[i*s.ld+q*w], s.ld)
				continue
			}
			for r := range rows {
				for j := q * w; j < min(i+r+1, q*w+w); j++ {
					s.wide[(i+r)*s.ld+j] += float64(s.ws.tile[r*w+j-q*w])
				}
			}
		}
	}
}
