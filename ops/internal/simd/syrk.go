package simd

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
)

// triangle is the part of a square C that is wanted.
type triangle int8

const (
	whole triangle = iota
	lower
	upper
)

// Syrk computes a triangle of c = alpha·op(a)·op(a)ᵀ + beta·c, the lower one or the upper, its diagonal included, and
// leaves the rest of c alone. op transposes if aT is set: op(a) is [n,k] and c [n,n], with rows lda and ldc apart.
// Everything else is as in Gemm.
func Syrk[T Float](low, aT bool, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	part, A := upper, matrix[T]{a, lda, aT}
	if low {
		part = lower
	}
	matrix[T]{c, ldc, false}.check("c", n, n)
	ks := kernelsOf[T](active, n)
	// gonum's, for one, multiplies c by a beta of 0, NaN and all.
	if none := k == 0 || alpha == 0; none || ks == nil && beta == 0 {
		for i := range n {
			lo, hi := part.columns(i, n)
			scaleRow(c[i*ldc+lo:i*ldc+hi], beta)
		}
		if none {
			return
		}
	}
	A.check("a", n, k)
	if ks == nil {
		syrkGeneric(low, n, k, alpha, A, beta, c, ldc)
		return
	}
	p := newProduct(ks, n, n, k)
	p.alpha, p.a, p.b, p.beta = alpha, A, matrix[T]{a, lda, !aT}, beta
	p.output = output[T]{dst: c, ld: ldc, m: n}
	p.triangle = part
	p.run()
}

// syrkGeneric is Syrk by gonum.
func syrkGeneric[T Float](low bool, n, k int, alpha T, a matrix[T], beta T, c []T, ldc int) {
	uplo := blas.Upper
	if low {
		uplo = blas.Lower
	}
	switch av := any(a.v).(type) {
	case []float64:
		generic64.Dsyrk(uplo, transposition(a.t), n, k, float64(alpha), av, a.ld, float64(beta), any(c).([]float64),
			ldc)
	case []float32:
		generic32.Ssyrk(uplo, transposition(a.t), n, k, float32(alpha), av, a.ld, float32(beta), any(c).([]float32),
			ldc)
	}
}

// columns are the columns of row i that belong to the part of a C of n columns.
func (t triangle) columns(i, n int) (lo, hi int) {
	switch t {
	case lower:
		return 0, i + 1
	case upper:
		return i, n
	}
	return 0, n
}

// rows are the rows, of n, that have cells of the part in columns lo to hi.
func (t triangle) rows(lo, hi, n int) (r0, r1 int) {
	switch t {
	case lower:
		return lo, n
	case upper:
		return 0, min(hi, n)
	}
	return 0, n
}

// multiplyPart multiplies one tile with the tiles of panels lo to hi that the triangle reaches. The tile of the
// workspace stands for C where the diagonal goes through.
func (s *sweep[T]) multiplyPart(a *T, rs, ks, i, rows, lo, hi int) {
	w := s.width
	bottom := i + rows - 1
	if s.triangle == lower {
		full := max(lo, min(hi, (i+1)/w)) // panels before it end at column i or before
		if s.wide != nil {
			s.multiplyWide(a, rs, ks, i, rows, lo, full)
		} else if full > lo {
			s.multiply(a, rs, ks, i, rows, lo, full)
		}
		for q := full; q < min(hi, bottom/w+1); q++ {
			s.cross(a, rs, ks, i, rows, q)
		}
		return
	}
	full := min(hi, max(lo, (bottom+w-1)/w)) // panels from it on begin at column bottom or after
	for q := max(lo, i/w); q < full; q++ {
		s.cross(a, rs, ks, i, rows, q)
	}
	if full < hi {
		s.multiply(a, rs, ks, i, rows, full, hi)
	}
}

// cross multiplies one tile with a panel of which some rows want a part.
func (s *sweep[T]) cross(a *T, rs, ks, i, rows, q int) {
	if s.wide != nil {
		s.multiplyWide(a, rs, ks, i, rows, q, q+1)
		return
	}
	s.kernels.tile(rows, s.k, a, rs, ks, &s.b[(q-s.b0)*s.k*s.width], 1, &s.ws.tile[0], s.width, nil, 0)
	j := q * s.width
	for r := range rows {
		lo, hi := s.triangle.columns(i+r, s.n)
		if lo, hi = max(lo, j), min(hi, j+s.width); lo < hi {
			s.edge(s.dst[(i+r)*s.ld+lo:(i+r)*s.ld+hi], s.ws.tile[r*s.width+lo-j:], lo)
		}
	}
}

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
