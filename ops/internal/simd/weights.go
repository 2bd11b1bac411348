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
	across  *kernels[T] // of the products with Wᵀ
	reverse []T         // Wᵀ in panels of those, for dP·Wᵀ, from the first such product on
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
	p.packed, p.raw = packB(p.kernels, matrix[T]{v: p.raw, ld: m}, d, m), nil
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

// packB packs the whole of b [k,n].
func packB[T Float](ks *kernels[T], b matrix[T], k, n int) []T {
	p := &product[T]{kernels: ks, n: n, k: k, b: b, panels: panelsOf(ks, n), depth: depthOf[T](k)}
	dst := aligned[T](packedLen(ks, k, n))
	p.packAll(dst, 1)
	return dst
}

// packOnce packs what was borrowed when it is first asked for, for the products of several inputs.
func (w *Weights[T]) packOnce() {
	w.packing.Do(func() {
		if w.kernels != nil && w.packed == nil {
			w.packed = packB(w.kernels, matrix[T]{v: w.raw, ld: w.m}, w.d, w.m)
		}
	})
}

// transpose packs Wᵀ when it is first asked for.
func (w *Weights[T]) transpose() {
	w.transposing.Do(func() {
		raw := w.raw
		if raw == nil {
			raw = w.unpack()
		}
		w.across = kernelsOf[T](w.isa, w.d)
		w.reverse = packB(w.across, matrix[T]{v: raw, ld: w.m, t: true}, w.m, w.d)
	})
}

// unpack is W row by row, from its panels.
func (w *Weights[T]) unpack() []T {
	p := &product[T]{kernels: w.kernels, panels: panelsOf(w.kernels, w.m), depth: depthOf[T](w.d), k: w.d}
	raw := make([]T, w.d*w.m)
	for i := range w.d {
		k0, k := p.kBlock(i / p.depth)
		for q := range p.panels {
			j := q * p.width
			copy(raw[i*w.m+j:(i+1)*w.m], w.packed[p.offset(k0, k, q)+(i-k0)*p.width:][:min(p.width, w.m-j)])
		}
	}
	return raw
}

// Dims returns d and m.
func (w *Weights[T]) Dims() (d, m int) { return w.d, w.m }

// forward writes the projection x·W + bias, or ln(x + shift)·W + bias, under the epilogue, to the output, and returns
// the first row of x [n,d] that the epilogue cannot map, or -1. A nil bias or shift is none.
func (w *Weights[T]) forward(out output[T], x, shift, bias []T, n int) (badRow int) {
	if w.kernels == nil {
		return w.forwardGeneric(out, x, shift, bias, n)
	}
	p := newProduct(w.kernels, n, w.m, w.d)
	p.workers = w.workers
	p.shift = shift
	p.a = matrix[T]{v: x, ld: w.d}
	p.b, p.packed = matrix[T]{v: w.raw, ld: w.m}, w.packed
	p.output = out
	if bias != nil {
		p.bias = bias[:w.m]
	}
	return p.run()
}

// forwardGeneric is forward tile by tile of rows, by the BLAS that is installed.
func (w *Weights[T]) forwardGeneric(out output[T], x, shift, bias []T, n int) (badRow int) {
	bad := newFirstBad()
	forTiles(n, func(lo, hi int) {
		rows := x[lo*w.d : hi*w.d]
		if shift != nil {
			pool := &poolsOf[T]().spaces
			ws := take[workspace[T]](pool)
			defer pool.Put(ws)
			ws.a = grow(ws.a, len(rows))
			logRows(ws.a, rows, shift, w.d)
			rows = ws.a
		}
		if bias != nil {
			for i := lo; i < hi; i++ {
				copy(out.dst[i*out.ld:i*out.ld+w.m], bias)
			}
		}
		gemm(false, bias != nil, hi-lo, w.m, w.d, rows, w.d, w.raw, w.m, out.dst[lo*out.ld:], out.ld)
		for i := lo; i < hi; i++ {
			if out.finish(i, 0, w.m) {
				bad.report(i)
			}
		}
	})
	return bad.get()
}

// Affine writes x·W + bias to dst [n,m]; a nil bias is none. x is [n,d].
func (w *Weights[T]) Affine(dst, x, bias []T, n int) {
	w.forward(output[T]{dst: dst, ld: w.m, m: w.m}, x, nil, bias, n)
}

// GradX writes dP·Wᵀ, the gradient of an affine map for its input, to dst [n,d]. dp is [n,m].
func (w *Weights[T]) GradX(dst, dp []T, n int) { w.gradX(dst, matrix[T]{v: dp, ld: w.m}, n, false) }

// gradX is GradX, added to dst with add.
func (w *Weights[T]) gradX(dst []T, dp matrix[T], n int, add bool) {
	if w.kernels == nil {
		forTiles(n, func(lo, hi int) {
			gemm(true, add, hi-lo, w.d, w.m, dp.v[lo*dp.ld:], dp.ld, w.raw, w.m, dst[lo*w.d:], w.d)
		})
		return
	}
	w.transpose()
	p := newProduct(w.across, n, w.d, w.m)
	p.workers = w.workers
	p.a, p.output, p.packed = dp, output[T]{dst: dst, ld: w.d, m: w.d}, w.reverse
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
