package simd

// packedLen is the length of a packed B [k,n].
func packedLen[T Float](ks *kernels[T], k, n int) int { return k * panelsOf(ks, n) * ks.width }

func panelsOf[T Float](ks *kernels[T], n int) int { return (n + ks.width - 1) / ks.width }

// matrix is an operand as it lies: op(x)[i,j] is v[i·ld + j], or v[j·ld + i] where it is transposed.
type matrix[T Float] struct {
	v  []T
	ld int
	t  bool
}

// check panics where op(x), of the given shape, does not lie within its slice: kernels have no bounds checks.
func (x matrix[T]) check(name string, rows, cols int) {
	if x.t {
		rows, cols = cols, rows
	}
	if x.ld < max(1, cols) {
		panic("simd: " + name + ": the stride is less than a row")
	}
	if rows > 0 && cols > 0 && len(x.v) < (rows-1)*x.ld+cols {
		panic("simd: " + name + ": the slice is too short")
	}
}

// packPanels writes rows k0 to k0+k of the n columns of op(b) as panels lo to hi, each [k, width] and padded with zeros.
func packPanels[T Float](dst []T, b matrix[T], k0, k, n, width, lo, hi int) {
	for q := lo; q < hi; q++ {
		j := q * width
		cols := min(width, n-j)
		panel := dst[:k*width]
		dst = dst[k*width:]
		if b.t {
			packTransposed(panel, width, b.v[j*b.ld+k0:], b.ld, cols, k, 1)
			for i := cols; i < width && k > 0; i++ {
				for o := i; o < len(panel); o += width {
					panel[o] = 0
				}
			}
			continue
		}
		for i := range k {
			row := panel[i*width : (i+1)*width]
			copy(row, b.v[(k0+i)*b.ld+j:][:cols])
			clear(row[cols:])
		}
	}
}

// packTransposed writes alpha times the transpose of src, [rows,k] with rows ld apart, to dst, [k,rows] with rows step apart.
func packTransposed[T Float](dst []T, step int, src []T, ld, rows, k int, alpha T) {
	r := 0
	for ; r+4 <= rows; r += 4 {
		s0, s1, s2, s3 := src[r*ld:][:k], src[(r+1)*ld:][:k], src[(r+2)*ld:][:k], src[(r+3)*ld:][:k]
		for i, v := range s0 {
			d := dst[i*step+r:][:4]
			d[0], d[1], d[2], d[3] = alpha*v, alpha*s1[i], alpha*s2[i], alpha*s3[i]
		}
	}
	for ; r < rows; r++ {
		for i, v := range src[r*ld:][:k] {
			dst[i*step+r] = alpha * v
		}
	}
}

// scaleCopy writes alpha·src to dst.
func scaleCopy[T Float](dst, src []T, alpha T) {
	if alpha == 1 {
		copy(dst, src)
		return
	}
	for i, v := range src {
		dst[i] = alpha * v
	}
}
