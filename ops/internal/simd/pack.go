package simd

// layout is how a B [k,n] lies when it is packed: K block by K block, and within one panel by panel.
type layout[T Float] struct {
	*kernels[T]
	k, n, panels, depth int // depth: of a K block
}

func layoutOf[T Float](ks *kernels[T], k, n int) layout[T] {
	return layout[T]{ks, k, n, panelsOf(ks, n), depthOf[T](k)}
}

func panelsOf[T Float](ks *kernels[T], n int) int { return ceil(n, ks.width) }

// depthOf is the length of a K block: near-equal blocks, a choice of k alone.
func depthOf[T Float](k int) int {
	blocks := max(1, ceil(k, blockDepth/sizeof[T]()))
	return max(1, ceil(k, blocks))
}

// length is the numbers of a packed B, blocks its K blocks.
func (l *layout[T]) length() int { return l.k * l.panels * l.width }
func (l *layout[T]) blocks() int { return ceil(l.k, l.depth) }

// kBlock is the i-th block of the inner product.
func (l *layout[T]) kBlock(i int) (k0, k int) {
	k0 = i * l.depth
	return k0, min(l.depth, l.k-k0)
}

// offset is where a panel of a K block begins.
func (l *layout[T]) offset(k0, k, panel int) int { return (k0*l.panels + k*panel) * l.width }

// packB packs the whole of b.
func packB[T Float](l layout[T], b matrix[T]) []T {
	p := &product[T]{layout: l, b: b}
	dst := aligned[T](l.length())
	p.packAll(dst, 1)
	return dst
}

// matrix is an operand as it lies: op(x)[i,j] is v[i·ld + j], or v[j·ld + i] where it is transposed.
type matrix[T Float] struct {
	v  []T
	ld int
	t  bool
}

// row is the first cols numbers of row i, as it lies.
func (x matrix[T]) row(i, cols int) []T { return x.v[i*x.ld:][:cols] }

// check panics where op(x), of the given shape, does not lie within its slice: kernels have no bounds checks.
func (x matrix[T]) check(name string, rows, cols int) {
	if x.t {
		rows, cols = cols, rows
	}
	if rows < 0 || cols < 0 {
		panic("simd: " + name + ": a size is negative")
	}
	if x.ld < max(1, cols) {
		panic("simd: " + name + ": the stride is less than a row")
	}
	if rows > 0 && cols > 0 && (len(x.v) < cols || (len(x.v)-cols)/x.ld < rows-1) { // a product of sizes may overflow
		panic("simd: " + name + ": the slice is too short")
	}
}

// packPanels writes rows k0 to k0+k of the n columns of op(b) as panels lo to hi, each [k, width] and padded with
// zeros.
func (ks *kernels[T]) packPanels(dst []T, b matrix[T], k0, k, n, lo, hi int) {
	w := ks.width
	if whole := min(hi, n/w) - lo; whole > 0 && !b.t {
		_ = dst[whole*k*w-1]
		ks.pack(k, &b.v[k0*b.ld+lo*w], b.ld, &dst[0], whole)
		dst, lo = dst[whole*k*w:], lo+whole
	}
	for q := lo; q < hi; q++ {
		j := q * w
		cols := min(w, n-j)
		panel := dst[:k*w]
		dst = dst[k*w:]
		if cols < w {
			clear(panel)
		}
		if b.t {
			packTransposed(panel, w, b.v[j*b.ld+k0:], b.ld, cols, k)
			continue
		}
		for i := range k {
			copy(panel[i*w:], b.v[(k0+i)*b.ld+j:][:cols])
		}
	}
}

// packTransposed writes the transpose of src, [rows,k] with rows ld apart, to dst, [k,rows] with rows step apart.
func packTransposed[T Float](dst []T, step int, src []T, ld, rows, k int) {
	r := 0
	for ; r+4 <= rows; r += 4 {
		s0, s1, s2, s3 := src[r*ld:][:k], src[(r+1)*ld:][:k], src[(r+2)*ld:][:k], src[(r+3)*ld:][:k]
		for i, v := range s0 {
			d := dst[i*step+r:][:4]
			d[0], d[1], d[2], d[3] = v, s1[i], s2[i], s3[i]
		}
	}
	for ; r < rows; r++ {
		for i, v := range src[r*ld:][:k] {
			dst[i*step+r] = v
		}
	}
}
