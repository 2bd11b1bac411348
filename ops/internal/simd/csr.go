package simd

// CSR is a sparse matrix in compressed sparse rows: row i holds Val[t] in column Col[t] for Ptr[i] <= t < Ptr[i+1].
// Columns increase within a row; what is not stored is 0. Rows i to j are the same slices with Ptr[i : j+1], so Ptr
// need not begin at 0.
type CSR[T Float] struct {
	Rows, Cols int
	Ptr        []int
	Col        []int32
	Val        []T
}

// check panics where the slices do not hold a matrix: kernels have no bounds checks.
func (x CSR[T]) check() {
	if len(x.Ptr) != x.Rows+1 || x.Ptr[0] < 0 || x.Ptr[x.Rows] > len(x.Col) || x.Ptr[x.Rows] > len(x.Val) {
		panic("simd: CSR: the row pointers do not fit the entries")
	}
	for i := range x.Rows {
		last := int32(-1)
		for _, j := range x.Col[x.Ptr[i]:x.Ptr[i+1]] {
			if j <= last || int(j) >= x.Cols {
				panic("simd: CSR: the columns of a row do not increase, or there are fewer")
			}
			last = j
		}
	}
}

// Transposed is the transpose, of the rows that x has.
func (x CSR[T]) Transposed() CSR[T] {
	col, _ := x.Entries()
	t := CSR[T]{Rows: x.Cols, Cols: x.Rows, Ptr: make([]int, x.Cols+1), Col: make([]int32, len(col)),
		Val: make([]T, len(col))}
	for _, j := range col {
		t.Ptr[j+1]++
	}
	for j := range x.Cols {
		t.Ptr[j+1] += t.Ptr[j]
	}
	next := append([]int(nil), t.Ptr...)
	for i := range x.Rows {
		for k := x.Ptr[i]; k < x.Ptr[i+1]; k++ {
			at := next[x.Col[k]]
			t.Col[at], t.Val[at] = int32(i), x.Val[k]
			next[x.Col[k]]++
		}
	}
	return t
}

// Part is rows lo to hi-1, over the same memory.
func (x CSR[T]) Part(lo, hi int) CSR[T] {
	x.Rows, x.Ptr = hi-lo, x.Ptr[lo:hi+1:hi+1]
	return x
}

// Entries returns the columns and the values of all rows.
func (x CSR[T]) Entries() (col []int32, val []T) {
	first, end := x.Ptr[0], x.Ptr[x.Rows]
	return x.Col[first:end], x.Val[first:end]
}

// AddRow adds row i to dst [cols].
func (x CSR[T]) AddRow(dst []T, i int) {
	for k := x.Ptr[i]; k < x.Ptr[i+1]; k++ {
		dst[x.Col[k]] += x.Val[k]
	}
}

// GradWCSR writes (x + 1·baseᵀ)ᵀ·dP to dst [d,m]: what GradW does for the dense rows whose cell (i, j) is base[j], or
// the only number of base, more than the cell of x. A nil base is 0. dp is [n,m]. Rows of dst for columns without entries cost no product.
func GradWCSR[T Float](dst []T, x CSR[T], base, dp []T, m int) {
	dst = dst[:x.Cols*m]
	if base != nil {
		sum := make([]T, m)
		ColSum(sum, dp, x.Rows)
		forTiles(x.Cols, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				scaleCopy(dst[j*m:j*m+m], sum, base[j%len(base)])
			}
		})
	}
	ks := kernelsOf[T](active, m)
	multiplyCSR(ks, x.Transposed(), matrix[T]{v: dp, ld: m}, nil, m, nil, base != nil, output[T]{dst: dst, ld: m, m: m})
}

// multiplyCSRGeneric is the product row by row in plain Go, the reference of the kernels.
func multiplyCSRGeneric[T Float](x CSR[T], b matrix[T], n int, bias []T, add bool, out output[T]) (badRow int) {
	return findBad(x.Rows, tileRows, func(lo, hi int) (badRow int) {
		for i := lo; i < hi; i++ {
			row := out.dst[i*out.ld : i*out.ld+n]
			if !add {
				clear(row)
				copy(row, bias)
			}
			for t := x.Ptr[i]; t < x.Ptr[i+1]; t++ {
				v, from := x.Val[t], b.v[int(x.Col[t])*b.ld:]
				for j, w := range from[:n] {
					row[j] += v * w
				}
			}
		}
		return out.finishRows(lo, hi, n)
	})
}
