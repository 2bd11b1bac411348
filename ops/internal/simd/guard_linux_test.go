package simd

import (
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// guarded copies v to memory that ends where a page begins that nobody may touch.
func guarded[E any](t *testing.T, v []E) []E {
	page := syscall.Getpagesize()
	size := len(v) * int(unsafe.Sizeof(v[0]))
	room := (size + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, room+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	if err := syscall.Mprotect(m[room:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	w := unsafe.Slice((*E)(unsafe.Pointer(&m[room-size])), len(v))
	copy(w, v)
	return w
}

// TestGemmStaysInside: no kernel touches memory behind its operands; a fault ends the test binary.
func TestGemmStaysInside(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range [][3]int{{1, 1, 1}, {13, 33, 5}, {12, 32, 64}, {8, 24, 33}, {7, 95, 3}, {50, 9, 517},
			{3, 700, 11}} {
			for trans := range 4 {
				inside[float64](t, multiplication{aT: trans&1 != 0, bT: trans&2 != 0, m: s[0], n: s[1], k: s[2],
					alpha: 1, beta: 1})
				inside[float32](t, multiplication{aT: trans&1 != 0, bT: trans&2 != 0, m: s[0], n: s[1], k: s[2],
					alpha: 1})
			}
		}
	})
}

func inside[T Float](t *testing.T, g multiplication) {
	a, b, c := operands[T](g)
	a.v, b.v, c.v = guarded(t, a.v), guarded(t, b.v), guarded(t, c.v)
	runGemm(g, a, b, c.v, c.ld)
	if !g.aT && !g.bT {
		bias := guarded(t, random[T](g.n, 4))
		Pack(b.v, g.k, g.n).Affine(c.v, a.v, bias, g.m)
	}
}

// TestSyrkStaysInside is TestGemmStaysInside for a triangle.
func TestSyrkStaysInside(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range [][2]int{{1, 1}, {13, 5}, {33, 64}, {95, 3}, {50, 517}} {
			for form := range 4 {
				insideSyrk[float64](t, form&1 != 0, multiplication{aT: form&2 != 0, m: s[0], n: s[0], k: s[1]})
				insideSyrk[float32](t, form&1 != 0, multiplication{aT: form&2 != 0, m: s[0], n: s[0], k: s[1]})
			}
		}
	})
}

func insideSyrk[T Float](t *testing.T, low bool, g multiplication) {
	a, _, c := operands[T](g)
	Syrk(low, g.aT, g.n, g.k, 1, guarded(t, a.v), a.ld, 1, guarded(t, c.v), c.ld)
}

// TestSyrkWideStaysInside is TestSyrkStaysInside for float64 sums of float32 products.
func TestSyrkWideStaysInside(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range [][2]int{{1, 1}, {13, 5}, {33, 64}, {48, 7}, {95, 3}, {96, 130}, {50, 517}} {
			n, k := s[0], s[1]
			SyrkWide(n, k, guarded(t, random[float32](k*n, 1)), n, guarded(t, random[float64](n*n, 2)), n)
		}
	})
}

// TestCSRStaysInside is TestGemmStaysInside for sparse rows.
func TestCSRStaysInside(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range csrShapes[3:12] {
			insideCSR[float64](t, s[0], s[1], s[2], s[3])
			insideCSR[float32](t, s[0], s[1], s[2], s[3])
		}
	})
}

func insideCSR[T Float](t *testing.T, n, d, m, stored int) {
	x, w, c, dw, b := sparseRows[T](n, d, stored, 1), random[T](d*m, 2), random[T](n*m, 3), make([]T, d*m),
		random[T](m, 4)
	if len(x.Col) > 0 {
		x.Col, x.Val = guarded(t, x.Col), guarded(t, x.Val)
	}
	w, c, dw, b = guarded(t, w), guarded(t, c), guarded(t, dw), guarded(t, b)
	Borrow(w, d, m).AffineCSR(c, x, b)
	packed := Pack(w, d, m)
	if packed.packed != nil {
		packed.packed = guarded(t, packed.packed)
	}
	packed.AffineCSR(c, x, b)
	GradWCSR(dw, x, nil, c, m)
}

// TestVectorsStayInside: nor do the vector functions, of any length.
func TestVectorsStayInside(t *testing.T) { eachType(t, vectorsInside[float32], vectorsInside[float64]) }

func vectorsInside[T Float](t *testing.T) {
	for _, n := range []int{1, 2, 6, 7, 16, 33, 64, 131} {
		x, y, z, triples := guarded(t, slices.Repeat([]T{.5}, n)), guarded(t, make([]T, n)), guarded(t, make([]T, n)),
			guarded(t, make([]T, 3*n))
		vecCos(y, x, 1)
		vecSin(y, x, 1)
		vecSinCos(y, z, x, 1)
		vecExp(y, x, 1, 1)
		vecLog(y, x, x)
		vecLog(y, x, guarded(t, []T{.5}))
		vecSqrt(y, x)
		vecMultiple(y, x, 3)
		vecProduct(y, x, x, 1)
		vecAdd(y, x)
		vecPairGrad(y, x, x, x, x)
		vecWithin(x, 0)
		vecTriples(triples, x, y, z)
	}
}

// TestHadamardStaysInside: nor do the transforms, with the scale of their first pass.
func TestHadamardStaysInside(t *testing.T) {
	eachType(t, hadamardInside[float32], hadamardInside[float64])
}

func hadamardInside[T Float](t *testing.T) {
	k := machineOf[T](active).hadamard
	for n := 1; n <= 1<<13; n *= 2 {
		src, scale, dst := guarded(t, random[T](n, 1)), guarded(t, random[T](n, 2)), guarded(t, make([]T, n))
		k.transform(dst, src, scale)
	}
}
