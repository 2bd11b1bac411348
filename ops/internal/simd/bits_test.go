package simd

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// computations are products of every way of sharing work: one packing for all, strips of their own, row blocks, columns
// of a narrow batch, sparse rows, backwards of several tiles, and blocks
// of a map. Those of one name give the same numbers.
func computations[T Float]() (names []string, all []func() []T) {
	add := func(name string, f func() []T) { names, all = append(names, name), append(all, f) }
	for _, g := range []multiplication{
		{m: 1500, n: 71, k: 301, alpha: 1},           // tall: one packing, row blocks
		{m: 13, n: 1201, k: 521, alpha: 1, bT: true}, // wide: strips
		{m: 19, n: 701, k: 1100, alpha: 2, beta: -1, aT: true},
		{m: 5, n: 997, k: 89, alpha: 1, beta: 1},
		{m: 300, n: 3, k: 2100, alpha: 1, bT: true},
		{m: 131, n: 300, k: 1100, alpha: 1, aT: true}, // A copied once
		{m: 293, n: 261, k: 1100, alpha: 2, beta: -1, aT: true},
		{m: 2050, n: 2053, k: 1, alpha: 1, beta: 1, aT: true}, // in parts
	} {
		a, b, c := operands[T](nil, g)
		gemm := func(g multiplication, a matrix[T]) func() []T {
			return func() []T {
				got := slices.Clone(c.v)
				runGemm(g, a, b, got, c.ld)
				return got
			}
		}
		add(g.String(), gemm(g, a))
		if g.aT { // with the transpose written out
			h, written := g, make([]T, g.m*g.k)
			transpose(written, a.v, g.k, g.m)
			h.aT = false
			add(g.String(), gemm(h, matrix[T]{v: written, ld: g.k}))
		} else if !g.bT && g.beta == 0 {
			add(g.String(), func() []T {
				got := make([]T, g.m*g.n)
				Affine(got, Pack(b.v, g.k, g.n), Rows[T]{Dense: a.v}, nil, g.m)
				return got
			})
		}
	}
	for _, s := range [][4]int{{67, 3001, 301, 40}, {5, 2053, 1201, 90}, {1500, 37, 5, 3}} {
		n, d, m := s[0], s[1], s[2]
		x, w, b := sparseRows[T](n, d, s[3], 1), random[T](d*m, 2), random[T](m, 3)
		for _, pack := range []func([]T, int, int) *Weights[T]{Pack[T], Borrow[T]} {
			add(fmt.Sprint("sparse ", s), func() []T {
				got := make([]T, n*m)
				Affine(got, pack(w, d, m), Rows[T]{Sparse: &x}, b, n)
				return got
			})
		}
		add(fmt.Sprint("sparse dW ", s), func() []T {
			dw := make([]T, d*m)
			GradWCSR(dw, x, nil, random[T](n*m, 4), m)
			return dw
		})
	}
	const n, d, m = severalRows, 5, 1031
	_, of := backwards[T](n, d, m)
	for _, b := range of {
		got := make([]T, n*d+d*b.q+b.q)
		add(b.name, func() []T {
			b.run(Gradients[T]{DX: got[:n*d], DW: got[n*d:][:d*b.q], DB: got[n*d+d*b.q:]})
			return slices.Clone(got)
		})
	}
	add("homogeneous", func() []T {
		h := homogeneousForms[T](d)["sign"]
		x := homogeneousRows(h, n, d, .5)
		got, root := make([]T, n*d*3), make([]T, 2)
		h.Forward(got, x, n, d)
		h.GradRoot(root, x, random[T](n*d*3, 5), n, d)
		return append(got, root...)
	})
	return names, all
}

// TestGemmBlocks: the bits are the same, whatever GOMAXPROCS and whatever the instruction set.
func TestGemmBlocks(t *testing.T) {
	if best() == generic {
		return // no kernels here, and the generic path is gonum's
	}
	sameBits[float64](t)
	sameBits[float32](t)
}

func sameBits[T Float](t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer func(i isa) { active = i }(active)
	want := map[string][]T{}
	for active = generic + 1; active <= best(); active++ {
		names, all := computations[T]()
		for i, f := range all {
			key := names[i]
			if slices.Contains([]string{"exp -1", "exp 1", "cos", "phase", "phase, borrowed", "homogeneous"}, key) {
				key += active.String() // these functions are other ones on each machine
			}
			for _, procs := range []int{1, 2, 5} {
				runtime.GOMAXPROCS(procs)
				got := f()
				if want[key] == nil {
					want[key] = got
				}
				if !slices.Equal(got, want[key]) {
					t.Errorf("%T, %s, %d goroutines: other bits", got, key, procs)
				}
			}
		}
	}
}

// TestGemmBits: on kernels a sum has one rounding a step, in order, within a K block, and one for each further block:
// the same bits on every machine.
func TestGemmBits(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		if active == generic {
			return // gonum's order and roundings
		}
		gemmBits[float64](t, 53)
		gemmBits[float32](t, 24)
	})
}

func gemmBits[T Float](t *testing.T, precision uint) {
	const m, n, k = 7, 19, 1100 // more than two K blocks of float64, and of float32
	a, b, c := random[T](m*k, 1), random[T](k*n, 2), make([]T, m*n)
	Gemm(false, false, m, n, k, 1, a, k, b, n, 0, c, n)
	number := func(v T) *big.Float { return big.NewFloat(float64(v)) }
	product, depth := new(big.Float), depthOf[T](k)
	for at, got := range c {
		whole := new(big.Float).SetPrec(precision)
		for k0 := 0; k0 < k; k0 += depth {
			sum := new(big.Float).SetPrec(precision)
			for l := k0; l < min(k0+depth, k); l++ {
				product.SetPrec(2*precision).Mul(number(a[at/n*k+l]), number(b[l*n+at%n]))
				sum.Add(sum, product)
			}
			if k0 == 0 {
				whole.Set(sum)
			} else {
				whole.Add(sum, whole)
			}
		}
		if want, _ := whole.Float64(); math.Float64bits(float64(got)) != math.Float64bits(want) {
			t.Fatalf("%T: cell %d,%d is %x, want %x", got, at/n, at%n, got, want)
		}
	}
}

// TestNoAllocation: with packed weights a forward allocates nothing, nor do vector functions.
func TestNoAllocation(t *testing.T) {
	if best() == generic {
		return // no kernels here, and the generic path is gonum's
	}
	use(t, best())
	const n, d, m = 67, 31, 103
	w, b, dst := Pack(random[float32](d*m, 2), d, m), random[float32](m, 3), make([]float32, n*2*m)
	x := Rows[float32]{Dense: random[float32](n*d, 1)}
	for name, f := range map[string]func(){
		"Phase":  func() { Phase(dst, w, x, b, n, 1) },
		"Pair":   func() { Pair(dst, 2*m, w, x, nil, n, 1) },
		"Exp":    func() { Exp(dst, w, x, n, 1) },
		"Less":   func() { ExpLess(dst, w, x, b, n, 1) },
		"GradX":  func() { w.GradX(x.Dense, dst, n) },
		"Units":  func() { Units(dst, n, m, false, false, 1) },
		"Within": func() { Within(dst, 0) },
		"vectors": func() {
			vecCos(dst, b, .5)
			vecSinCos(dst[m:2*m], dst[:m], b, .5)
			vecExp(dst, b, .5, -1)
			vecLog(dst, b, b[:1])
		},
	} {
		// The collector may empty the pools once in many runs.
		if a := testing.AllocsPerRun(100, f); a > .5 && !raceEnabled {
			t.Errorf("%s allocates %v times a call", name, a)
		}
	}
}

// TestVectorBits: the functions for AVX2 and for NEON do the same operations in the same order, so a map gives the same
// bits on both machines. AVX-512 scales elsewhere.
func TestVectorBits(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		if name := active.String(); name != "avx2" && name != "neon" {
			return
		}
		testVectorBits[float32](t, 0x752f7d96d3a87341)
		testVectorBits[float64](t, 0xd0a16ed546fc4fac)
	})
}

func testVectorBits[T Float](t *testing.T, want uint64) {
	const n = 1<<14 + 3
	rng := rand.New(rand.NewPCG(3, 5))
	x, positive, c := make([]T, n), make([]T, n), make([]T, n)
	for i := range x {
		x[i] = T(math.Ldexp(2*rng.Float64()-1, i%24-6)) // within the ranges of the functions
		positive[i] = T(math.Ldexp(1+rng.Float64(), i%240-120))
		c[i] = T(rng.Float64())
	}
	hash := fnv.New64a()
	y, z := make([]T, n), make([]T, n)
	add := func(vs ...[]T) {
		for _, v := range vs {
			if err := binary.Write(hash, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, scale := range []float64{1, -.3} {
		vecCos(y, x, scale)
		vecSin(z, x, scale)
		add(y, z)
		vecSinCos(y, z, x, scale)
		add(y, z)
		vecExp(y, x, scale, 1)
		vecExp(z, x, scale, -1)
		add(y, z)
	}
	vecLog(y, positive, []T{0})
	vecLog(z, positive, c)
	if add(y, z); hash.Sum64() != want {
		t.Errorf("%T: the digest of the results is %#x, want %#x", x, hash.Sum64(), want)
	}
}
