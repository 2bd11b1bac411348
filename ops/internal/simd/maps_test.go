package simd

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"
)

// form is a way in which rows and a matrix W [d,m] come to a product.
type form[T Float] struct {
	name string
	w    Operator[T]
	x    Rows[T]
	p    []float64 // x·W
}

// forms are those of sparse rows, which store about so many entries, and with dense all others, with projections of
// about one. Operands end at guard pages.
func forms[T Float](t *testing.T, n, d, m, stored int, dense bool) (all []form[T]) {
	x, w := guarded(t, random[T](n*d, 1)), guarded(t, scaled(random[T](d*m, 2), 1/math.Sqrt(max(1, float64(d)))))
	sparse := sparseRows[T](n, d, stored, 7)
	sparse.Col, sparse.Val = guarded(t, sparse.Col), guarded(t, sparse.Val)
	packed := Pack(w, d, m)
	if packed.packed != nil {
		packed.packed = guarded(t, packed.packed)
	}
	add := func(name string, w Operator[T], x Rows[T], p []float64) { all = append(all, form[T]{name, w, x, p}) }
	for name, of := range map[string]*Weights[T]{"packed": packed, "borrowed": Borrow(w, d, m)} {
		add(name+", sparse", of, Rows[T]{Sparse: &sparse}, plain(sparse.dense(), false, w, false, n, d, m))
	}
	if !dense {
		return all
	}
	for name, of := range map[string]*Weights[T]{"packed": packed, "borrowed": Borrow(w, d, m)} {
		add(name, of, Rows[T]{Dense: x}, plain(x, false, w, false, n, d, m))
	}
	positive := guarded(t, squares(x, 0))
	for _, c := range [][]T{squares(random[T](d, 5), .01), {.3}} {
		u := make([]float64, n*d)
		for i, v := range positive {
			u[i] = math.Log(float64(v) + float64(c[i%d%len(c)]))
		}
		add(fmt.Sprint("shifts: ", len(c)), packed, Rows[T]{Dense: positive, Shift: c},
			plain(u, false, as[float64](w), false, n, d, m))
	}
	if d > 256 {
		return all // its definition is slow
	}
	for _, formed := range []bool{false, true} {
		s := structured[T](d, powerAbove(d), m)
		s.forward, s.backward = formed, formed
		name := fmt.Sprint("structured, formed: ", formed)
		add(name, s, Rows[T]{Dense: x}, plain(as[float64](x), false, s.dense(), false, n, d, m))
		add(name+", sparse", s, Rows[T]{Sparse: &sparse},
			plain(as[float64](sparse.dense()), false, s.dense(), false, n, d, m))
	}
	return all
}

// mapShapes are n, d, m and the entries of a sparse row: one, odd, below and above a row tile, a panel, a strip, a K
// block, a group and several.
var mapShapes = [][4]int{{1, 1, 1, 1}, {0, 3, 5, 1}, {3, 0, 7, 0}, {5, 7, 1, 0}, {1, 7, 5, 3}, {3, 1, 2, 1},
	{31, 3, 7, 2}, {32, 5, 67, 1}, {33, 67, 5, 9}, {101, 17, 131, 4}, {7, 1031, 11, 60}, {11, 101, 32, 7},
	{13, 31, 33, 31}, {2, 16, 16, 5}, {33, 64, 64, 20}, {65, 100, 37, 25}, {1, 200, 512, 50}, {2, 509, 127, 40}, {29, 513, 131, 11}, {3, 2000, 37, 9},
	{17, 2053, 24, 5}, {5, 4099, 97, 300}, {1100, 7, 9, 2}}

// TestMaps compares the maps of every form with their formulas in float64.
func TestMaps(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, s := range mapShapes {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				testMaps[float64](t, s[0], s[1], s[2], s[3], true)
				testMaps[float32](t, s[0], s[1], s[2], s[3], true)
			})
		}
	})
}

func testMaps[T Float](t *testing.T, n, d, m, stored int, dense bool) {
	const blocks, gap = 3, 2
	bias, norms, scales := guarded(t, random[T](m, 3)), random[T](blocks*m, 4), []float64{.7, 1.3, .4}
	pair := func(p float64, j int) float64 { // of the columns of a pair, and of a gap, which is not written
		sin, cos := math.Sincos(p)
		return [...]float64{cos, sin, math.NaN()}[j/m]
	}
	for _, f := range forms[T](t, n, d, m, stored, dense) {
		for _, c := range []struct {
			name string
			cols int
			run  func(dst []T) (badRow int)
			want func(p float64, j int) float64
		}{
			{"affine", m, func(dst []T) int { Affine(dst, f.w, f.x, nil, n); return -1 }, func(p float64, _ int) float64 {
				return p
			}},
			{"affine and bias", m, func(dst []T) int { Affine(dst, f.w, f.x, bias, n); return -1 },
				func(p float64, j int) float64 { return p + float64(bias[j]) }},
			{"phase", m, func(dst []T) int { return Phase(dst, f.w, f.x, bias, n, 2) },
				func(p float64, j int) float64 { return 2 * math.Cos(p+float64(bias[j])) }},
			{"pair", 2*m + gap, func(dst []T) int { return Pair(dst, 2*m+gap, f.w, f.x, nil, n, .5) },
				func(p float64, j int) float64 { return .5 * pair(p, min(j, 2*m)) }},
			{"pair and bias", 2 * m, func(dst []T) int { return Pair(dst, 2*m, f.w, f.x, bias, n, 1) },
				func(p float64, j int) float64 { return pair(p+float64(bias[j%m]), j) }},
			{"exp", m, func(dst []T) int { Exp(dst, f.w, f.x, n, 3); return -1 }, func(p float64, _ int) float64 {
				return 3 * math.Exp(-p)
			}},
			{"exp less", m, func(dst []T) int { return ExpLess(dst, f.w, f.x, slices.Repeat([]T{1.5}, n), n, 3) },
				func(p float64, _ int) float64 { return 3 * math.Exp(p-1.5) }},
			{"exp much less", m, func(dst []T) int { return ExpLess(dst, f.w, f.x, slices.Repeat([]T{50}, n), n, 3) },
				func(p float64, _ int) float64 { return 3 * math.Exp(p-50) }},
			{"blocks", blocks * 2 * m, func(dst []T) int { return Blocks(dst, f.w, f.x, n, norms, scales) },
				func(p float64, j int) float64 {
					b := j / (2 * m)
					return scales[b] * pair(p*float64(norms[b*m+j%m]), j%(2*m))
				}},
		} {
			got, want := filled[T](t, n*c.cols), make([]float64, n*c.cols)
			if bad := c.run(got); bad != -1 {
				t.Fatalf("%s, %s: row %d is bad", f.name, c.name, bad)
			}
			for i := range want {
				j := i % c.cols
				want[i] = c.want(f.p[i/c.cols*m+j%m], j)
			}
			near(t, f.name+", "+c.name, got, want, 4*int(math.Sqrt(float64(d)))+bits.Len(uint(d)))
		}
	}
}

// TestFirstBadRow: of several rows whose projection is not finite the first is reported, whichever goroutine finds it, and
// nothing but their rows has such numbers: they do not spread by the padding of panels.
func TestFirstBadRow(t *testing.T) { eachType(t, firstBadRow[float32], firstBadRow[float64]) }

func firstBadRow[T Float](t *testing.T) {
	const n, d, m = 1200, 16, 37
	for _, f := range forms[T](t, n, d, m, d, true) {
		for _, first := range []int{1100, 77} {
			for i := first; i < n; i++ {
				if s := f.x.Sparse; s != nil {
					s.Val[s.Ptr[i+1]-1] = T(math.Inf(1))
				} else {
					f.x.Dense[i*d+5] = T(math.Inf(1))
				}
			}
			dst := make([]T, n*2*m)
			for name, bad := range map[string]int{
				"blocks": Blocks(dst, f.w, f.x, n, random[T](m, 4), []float64{1}),
				"phase":  Phase(dst, f.w, f.x, make([]T, m), n, 1), "pair": Pair(dst, 2*m, f.w, f.x, nil, n, 1)} {
				if bad != first {
					t.Errorf("%T, %s, %s: row %d, want %d", dst, f.name, name, bad, first)
				}
			}
			if hasBad(dst[:first*2*m]) {
				t.Errorf("%T, %s: a row above %d is not finite", dst, f.name, first)
			}
		}
		for i := range f.x.Dense {
			f.x.Dense[i] = .5 // for the forms that share it
		}
		if s := f.x.Sparse; s != nil {
			for i := range s.Val {
				s.Val[i] = .5
			}
		}
	}
}

// TestSameRows: forms that say the same give the same bits.
func TestSameRows(t *testing.T) { eachType(t, sameRows[float32], sameRows[float64]) }

func sameRows[T Float](t *testing.T) {
	for _, s := range mapShapes[4:] {
		n, d, m := s[0], s[1], s[2]
		same := func(what string, w Operator[T], x Rows[T], other Operator[T], y Rows[T]) {
			a, b := make([]T, n*m), make([]T, n*m)
			Affine(a, w, x, nil, n)
			if Affine(b, other, y, nil, n); !slices.Equal(a, b) {
				t.Errorf("%T, %v: %s", a, s, what)
			}
		}
		raw, x := random[T](d*m, 2), squares(random[T](n*d, 1), 0)
		w, borrowed, sparse := Pack(raw, d, m), Borrow(raw, d, m), sparseRows[T](n, d, s[3], 7)
		for _, c := range [][]T{squares(random[T](d, 5), .01), {.3}} {
			u := make([]T, n*d)
			LogShift(u, x, c, n, d)
			same("the logarithm beforehand", w, Rows[T]{Dense: x, Shift: c}, w, Rows[T]{Dense: u})
		}
		same("borrowed weights, sparse rows", w, Rows[T]{Sparse: &sparse}, borrowed, Rows[T]{Sparse: &sparse})
		same("borrowed weights", w, Rows[T]{Dense: x}, borrowed, Rows[T]{Dense: x})
		for _, formed := range []bool{false, true} {
			if st := structured[T](d, powerAbove(d), m); d <= 256 {
				st.forward = formed
				same("sparse rows made dense", st, Rows[T]{Sparse: &sparse}, st, Rows[T]{Dense: sparse.dense()})
			}
		}
	}
}

// TestProducts: those of a backward, and the sums.
func TestProducts(t *testing.T) { eachType(t, testProducts[float32], testProducts[float64]) }

func testProducts[T Float](t *testing.T) {
	for _, s := range mapShapes {
		n, d, m := s[0], s[1], s[2]
		g, dw := guarded(t, random[T](n*m, 4)), filled[T](t, d*m)
		sparse := sparseRows[T](n, d, s[3], 1)
		sparse.Col, sparse.Val = guarded(t, sparse.Col), guarded(t, sparse.Val)
		for _, base := range [][]T{nil, random[T](d, 5)} {
			rows := sparse.dense()
			for i := range rows {
				if base != nil {
					rows[i] += base[i%d]
				}
			}
			GradWCSR(dw, sparse, base, g, m)
			near(t, "GradWCSR", dw, plain(rows, true, g, false, d, n, m), 16*n)
		}
		x, w := guarded(t, random[T](n*d, 1)), guarded(t, random[T](d*m, 2))
		dx, again, db := filled[T](t, n*d), filled[T](t, n*d), filled[T](t, m)
		Pack(w, d, m).GradX(dx, g, n)
		near(t, "GradX", dx, plain(g, false, w, true, n, m, d), 4*m)
		if Borrow(slices.Clone(w), d, m).GradX(again, g, n); !slices.Equal(again, dx) { // gonum's sums depend on addresses
			t.Errorf("%v: GradX of borrowed weights differs from GradX of packed ones", s)
		}
		GradW(dw, x, g, n, d, m)
		near(t, "GradW", dw, plain(x, true, g, false, d, n, m), 4*n)
		ColSum(db, g, n)
		near(t, "ColSum", db, plain(slices.Repeat([]T{1}, n), false, g, false, 1, n, m), n)
		if d > 256 {
			continue
		}
		for _, formed := range []bool{false, true} {
			st := structured[T](d, powerAbove(d), m)
			st.backward = formed
			clear(dx)
			st.GradX(dx, g, n)
			near(t, "structured GradX", dx, plain(as[float64](g), false, st.dense(), true, n, m, d), 4*m+bits.Len(uint(d)))
		}
	}
}
