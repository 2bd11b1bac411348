package simd

import "sync"

// Weights is a matrix W [d,m], ready for products with it from either side. It is immutable and safe for concurrent
// use, and stays with the instruction set that was in use when it was made.
type Weights[T Float] struct {
	d, m    int
	isa     isa
	kernels *kernels[T] // nil: the generic path
	raw     []T         // W row by row, for the generic path, or borrowed; or
	packed  []T         // W in panels, for x·W, and
	reverse []T         // Wᵀ in panels, for dP·Wᵀ
	workers int         // goroutines of a product, or 0 for GOMAXPROCS

	packing, transposing sync.Once
}

// Pack copies the row-major w [d,m] into the form that the products read: the caller may change w afterwards.
func Pack[T Float](w []T, d, m int) *Weights[T] {
	p := Borrow(w, d, m)
	if p.kernels == nil {
		p.raw = append([]T(nil), p.raw...)
		return p
	}
	p.packed, p.raw = packB(layoutOf(p.kernels, d, m), matrix[T]{v: p.raw, ld: m}), nil
	return p
}

// Borrow is Pack without a copy, for a single call during which w does not change.
func Borrow[T Float](w []T, d, m int) *Weights[T] {
	b := &Weights[T]{d: d, m: m, isa: active, raw: w[: d*m : d*m]}
	if d*m > 0 {
		b.kernels = kernelsOf[T](b.isa, m)
	}
	return b
}

// packOnce packs what was borrowed when it is first asked for, for the products of several inputs.
func (w *Weights[T]) packOnce() {
	w.packing.Do(func() {
		if w.kernels != nil && w.packed == nil {
			w.packed = packB(layoutOf(w.kernels, w.d, w.m), matrix[T]{v: w.raw, ld: w.m})
		}
	})
}

// transposeOnce is packOnce for Wᵀ.
func (w *Weights[T]) transposeOnce() {
	w.transposing.Do(func() {
		if w.kernels == nil {
			return
		}
		raw := w.raw
		if raw == nil {
			raw = w.unpack()
		}
		w.reverse = packB(layoutOf(kernelsOf[T](w.isa, w.d), w.m, w.d), matrix[T]{v: raw, ld: w.m, t: true})
	})
}

// unpack is W row by row, from its panels.
func (w *Weights[T]) unpack() []T {
	l, raw := layoutOf(w.kernels, w.d, w.m), make([]T, w.d*w.m)
	for i := range w.d {
		k0, k := l.kBlock(i / l.depth)
		for q := range l.panels {
			j := q * l.width
			copy(raw[i*w.m+j:(i+1)*w.m], w.packed[l.offset(k0, k, q)+(i-k0)*l.width:][:min(l.width, w.m-j)])
		}
	}
	return raw
}

// Dims returns d and m.
func (w *Weights[T]) Dims() (d, m int) { return w.d, w.m }

// Project is of Operator.
func (w *Weights[T]) Project(out output[T], x Rows[T], bias []T, n int) (badRow int) {
	if x.Sparse != nil {
		if x.Sparse.Cols != w.d {
			panic("simd: CSR: W has another number of rows than x has columns")
		}
		return multiplyCSR(w.kernels, *x.Sparse, matrix[T]{v: w.raw, ld: w.m}, w.packed, w.m, bias, false, out)
	}
	if w.kernels == nil {
		return w.projectGeneric(out, x, bias, n)
	}
	p := newProduct(w.kernels, n, w.m, w.d)
	p.workers, p.shift, p.output = w.workers, x.Shift, out
	p.a, p.b, p.packed = matrix[T]{v: x.Dense, ld: w.d}, matrix[T]{v: w.raw, ld: w.m}, w.packed
	if bias != nil {
		p.bias = bias[:w.m]
	}
	return p.run()
}

// projectGeneric is Project for dense rows, tile by tile, by the BLAS that is installed.
func (w *Weights[T]) projectGeneric(out output[T], x Rows[T], bias []T, n int) (badRow int) {
	return findBad(n, tileRows, func(lo, hi int) (badRow int) {
		rows := x.Dense[lo*w.d : hi*w.d]
		if x.Shift != nil {
			pool, ws := takeSpace[T]()
			defer pool.Put(ws)
			ws.a = grow(ws.a, len(rows))
			logRows(ws.a, rows, x.Shift, w.d)
			rows = ws.a
		}
		if bias != nil {
			for i := lo; i < hi; i++ {
				copy(out.dst[i*out.ld:i*out.ld+w.m], bias)
			}
		}
		gemm(false, bias != nil, hi-lo, w.m, w.d, rows, w.d, w.raw, w.m, out.dst[lo*out.ld:], out.ld)
		return out.finishRows(lo, hi, w.m)
	})
}

// GradX writes dP·Wᵀ, the gradient of an affine map for its input, to dst [n,d]. dp is [n,m].
func (w *Weights[T]) GradX(dst, dp []T, n int) {
	if w.packed != nil {
		w.transposeOnce()
	}
	w.gradX(dst, matrix[T]{v: dp, ld: w.m}, n, false)
}

// gradX is GradX, added to dst with add.
func (w *Weights[T]) gradX(dst []T, dp matrix[T], n int, add bool) {
	if w.kernels == nil {
		forTiles(n, func(lo, hi int) {
			gemm(true, add, hi-lo, w.d, w.m, dp.v[lo*dp.ld:], dp.ld, w.raw, w.m, dst[lo*w.d:], w.d)
		})
		return
	}
	p := newProduct(kernelsOf[T](w.isa, w.d), n, w.d, w.m)
	p.workers, p.a, p.output = w.workers, dp, output[T]{dst: dst, ld: w.d, m: w.d}
	p.b, p.packed = matrix[T]{v: w.raw, ld: w.m, t: true}, w.reverse
	if add {
		p.beta = 1
	}
	p.run()
}

// GradW writes xᵀ·dP, the gradient of an affine map for W, to dst [d,m]. x is [n,d] and dp [n,m].
func GradW[T Float](dst, x, dp []T, n, d, m int) {
	if n == 0 {
		clear(dst[:d*m])
		return
	}
	Wide[T](d, m).addGradW(matrix[T]{v: dst, ld: m}, x, matrix[T]{v: dp, ld: m}, n, false)
}

// addGradW is GradW for a W of this size, added to dst with add.
func (w *Weights[T]) addGradW(dst matrix[T], x []T, dp matrix[T], n int, add bool) {
	d, m := w.d, w.m
	if active != generic {
		p := newProduct(kernelsOf[T](active, m), d, m, n)
		p.a, p.b, p.output, p.workers = matrix[T]{v: x, ld: d, t: true}, dp, output[T]{dst: dst.v, ld: dst.ld, m: m},
			w.workers
		if add {
			p.beta = 1
		}
		p.run()
		return
	}
	// gonum multiplies twice as fast with the transpose written out.
	xt := make([]T, n*d)
	transpose(xt, x, n, d)
	gemm(false, add, d, m, n, xt, n, dp.v, dp.ld, dst.v, dst.ld)
}

// ColSum writes the sum of the n rows of dp [n,m] to dst [m].
func ColSum[T Float](dst, dp []T, n int) {
	clear(dst)
	m := len(dst)
	for i := range n {
		vecAdd(dst, dp[i*m:i*m+m])
	}
}
