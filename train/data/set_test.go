package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops/domain"
)

func TestSetAs(t *testing.T) {
	s := &Set{X: dense64(2, 3, 0, math.Copysign(0, -1), 0.1, -math.MaxFloat32, 1e-45, 7), Source: "f"}
	if same, err := s.As(tensor.Float64); same != s.X || err != nil {
		t.Errorf("float64 is a copy, or %v", err)
	}
	rounded := must(s.As(tensor.Float32))
	x := rounded.(*tensor.Dense)
	want := []float32{0, 0, 0.1, -math.MaxFloat32, math.SmallestNonzeroFloat32, 7}
	if !slices.Equal(x.Float32s(), want) || x.Shape()[0] != 2 || x.Shape()[1] != 3 {
		t.Errorf("%v of shape %v", x.Float32s(), x.Shape())
	}
	fails(t, failed(s.As(tensor.Int)), domain.ErrDtype, "f", "int")
	for v, says := range map[float64]string{1e39: "too large", -1e300: "too large", 1e-50: "becomes 0"} {
		cells(s)[4] = v
		fails(t, failed(s.As(tensor.Float32)), domain.ErrDomain, "data: f", "x[1,1]", says, "float64")
	}
}

func TestSetTake(t *testing.T) {
	s := &Set{X: dense64(3, 2, 1, 2, 3, 4, 5, 6), Y: []float64{7, 8, 9}, Labels: []string{"a", "b", "c"}, Names: []string{"p", "q"}, LabelNames: []string{"r"}, Source: "f"}
	p := s.Take([]int{2, 0, 2})
	if !slices.Equal(cells(p), []float64{5, 6, 1, 2, 5, 6}) || !slices.Equal(p.Y, []float64{9, 7, 9}) || !slices.Equal(p.Labels, []string{"c", "a", "c"}) {
		t.Errorf("%v %v %q", cells(p), p.Y, p.Labels)
	}
	if p.Rows() != 3 || p.Dims() != 2 || p.Names[1] != "q" || p.LabelNames[0] != "r" || p.Source != "f" {
		t.Errorf("%+v", p)
	}
	cells(p)[0] = -1
	if cells(s)[4] != 5 {
		t.Error("Take shares memory")
	}
	if e := (&Set{X: s.X}).Take(nil); e.Rows() != 0 || e.Dims() != 2 || e.Labels != nil || e.Y != nil {
		t.Errorf("%+v", e)
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct{ labels, want []string }{
		{nil, nil},
		{[]string{"10", "9", "-1", "10", "0.5"}, []string{"-1", "0.5", "9", "10"}},
		{[]string{"b", "10", "9", "a", "b"}, []string{"10", "9", "a", "b"}},
		{[]string{"1.0", "1", "1"}, []string{"1", "1.0"}},
	} {
		got := NewClasses(c.labels)
		if !slices.Equal(got, c.want) {
			t.Errorf("NewClasses(%q) = %q, want %q", c.labels, got, c.want)
		}
		idx := must(got.Index(c.labels))
		for i, k := range idx {
			if got[k] != c.labels[i] {
				t.Errorf("row %d: class %q, want %q", i, got[k], c.labels[i])
			}
		}
	}
	fails(t, failed(Classes{"cat", "dog"}.Index([]string{"dog", "cow"})),
		ErrLabel, "row 1", `"cow"`, `2 known classes ("cat", "dog")`)
	_, err := NewClasses(strings.Split("abcdefghijklmnopqrstuvwxyz", "")).Index([]string{"?"})
	fails(t, err, ErrLabel, "26 known", `"j", ...`)
	if strings.Contains(err.Error(), `"k"`) {
		t.Errorf("too long: %v", err)
	}
}

func TestBlocks(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 6, 11} {
		x64, x32 := make([]float64, n*3), make([]float32, n*3)
		for i := range x64 {
			x64[i], x32[i] = float64(i), float32(i)
		}
		next := 0
		for lo, b := range Blocks(dense64(n, 3, x64...), 5) {
			if lo != next || b.Dims() != 2 || b.Shape()[0] != min(5, n-lo) || b.Shape()[1] != 3 {
				t.Fatalf("n = %d: block at %d has shape %v", n, lo, b.Shape())
			}
			if v := b.(*tensor.Dense).Float64s(); &v[0] != &x64[lo*3] || len(v) != cap(v) {
				t.Errorf("n = %d: the block at %d is a copy or has room behind it", n, lo)
			}
			next = lo + b.Shape()[0]
		}
		if next != n {
			t.Errorf("n = %d: blocks end at %d", n, next)
		}
		for lo, b := range Blocks(dense32(n, 3, x32...), 5) {
			if v := b.(*tensor.Dense).Float32s(); &v[0] != &x32[lo*3] {
				t.Errorf("n = %d: the float32 block at %d is a copy", n, lo)
			}
			break // a loop may end early
		}
	}
}

// TestRows: rows are copied in any order, and into memory that is there, in both types.
func TestRows(t *testing.T) {
	idx := []int{4, 0, 4}
	x, dst := dense64(5, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), dense64(3, 2, -1, -1, -1, -1, -1, -1)
	RowsInto(dst, x, idx)
	got := Rows(x, idx).(*tensor.Dense)
	if want := []float64{8, 9, 0, 1, 8, 9}; !slices.Equal(dst.Float64s(), want) || !slices.Equal(got.Float64s(), want) {
		t.Errorf("rows %v of %v are %v and %v", idx, x.Float64s(), dst.Float64s(), got.Float64s())
	}
	x, dst = dense32(5, 1, 0, 1, 2, 3, 4), dense32(3, 1, 0, 0, 0)
	RowsInto(dst, x, idx)
	got = Rows(x, idx).(*tensor.Dense)
	if want := []float32{4, 0, 4}; !slices.Equal(dst.Float32s(), want) || !slices.Equal(got.Float32s(), want) || got.Shape()[0] != 3 {
		t.Errorf("rows %v of %v are %v and %v", idx, x.Float32s(), dst.Float32s(), got.Float32s())
	}
	if got := Rows(dense32(0, 2), nil); got.Dtype() != tensor.Float32 || got.Shape()[0] != 0 || got.Shape()[1] != 2 {
		t.Errorf("no rows: %v of shape %v", got.Dtype(), got.Shape())
	}
}

func TestMistakesPanic(t *testing.T) {
	x := dense64(2, 3, 1, 2, 3, 4, 5, 6)
	turned := x.Clone().(*tensor.Dense)
	mustDo(turned.T())
	single := dense32(1, 3, 0, 0, 0)
	for says, f := range map[string]func(){
		"RowsInto: row 2 of 2":                func() { RowsInto(x, x, []int{0, 2}) },
		"float64 (2, 3), want float64 (1, 3)": func() { RowsInto(x, x, []int{0}) },
		"float64 (2, 3), want float64 (2, 2)": func() { RowsInto(x, dense64(2, 2, 1, 2, 3, 4), []int{0, 1}) },
		"float32 (1, 3), want float64 (1, 3)": func() { RowsInto(single, x, []int{0}) },
		"0 rows a block":                      func() { Blocks(x, 0) },
		"row 2 of 2":                          func() { Rows(x, []int{2}) },
		"row -1 of 2":                         func() { Rows(x, []int{-1}) },
		"contiguous":                          func() { Blocks(turned, 1) },
		"nil":                                 func() { Rows(nil, nil) },
		"(3)":                                 func() { Blocks(tensor.New(tensor.WithBacking([]float64{1, 2, 3})), 1) },
		"int":                                 func() { Blocks(tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]int{1})), 1) },
		"fraction NaN":                        func() { Split(3, math.NaN(), 1) },
		"fraction 1.5":                        func() { SplitStratified(nil, 1.5, 1) },
		"fraction -0.25":                      func() { Split(3, -0.25, 1) },
		"data: -1 rows":                       func() { Split(-1, 0.5, 1) },
		"data: -2 rows":                       func() { Shuffle(-2, 1) },
		"data: Rows: x is (":                  func() { Rows(tensor.New(tensor.WithBacking([]float64{1, 2, 3})), nil) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.Contains(r, says) {
					t.Errorf("panic %v does not say %q", r, says)
				}
			}()
			f()
		}()
	}
}

// whole checks that two lists are a partition of 0..n-1 and ascend.
func whole(t *testing.T, n int, train, held []int) {
	t.Helper()
	if !slices.IsSorted(train) || !slices.IsSorted(held) {
		t.Errorf("%v, %v do not ascend", train, held)
	}
	all := append(slices.Clone(train), held...)
	slices.Sort(all)
	for i, v := range all {
		if i != v {
			t.Fatalf("%v and %v are no partition of %d rows", train, held, n)
		}
	}
	if len(all) != n {
		t.Fatalf("%d rows, want %d", len(all), n)
	}
}

func TestSplit(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 101} {
		for _, fraction := range []float64{0, 0.2, 0.5, 0.99, 1} {
			train, held := Split(n, fraction, 3)
			whole(t, n, train, held)
			if want := int(math.Round(fraction * float64(n))); len(held) != want {
				t.Errorf("n = %d, fraction %v: %d held out, want %d", n, fraction, len(held), want)
			}
		}
	}
	_, a := Split(101, 0.3, 5)
	_, b := Split(101, 0.3, 5)
	_, c := Split(101, 0.3, 6)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the seed does not decide the split")
	}
	p, q := Shuffle(101, 5), Shuffle(101, 5)
	if !slices.Equal(p, q) || slices.Equal(p, Shuffle(101, 6)) || slices.IsSorted(p) {
		t.Error("the seed does not decide the order")
	}
	slices.Sort(p)
	whole(t, 101, p, nil)
	if len(Shuffle(0, 1)) != 0 {
		t.Error("an order of nothing")
	}
}

// Each row is held out with probability k/n: over 2000 seeds the count of a row is within 4 standard errors.
func TestSplitIsUniform(t *testing.T) {
	const n, k, seeds = 13, 5, 2000
	count := make([]float64, n)
	for seed := range uint64(seeds) {
		_, held := Split(n, float64(k)/n, seed)
		for _, i := range held {
			count[i]++
		}
	}
	p := float64(k) / n
	for i, c := range count {
		if se := math.Sqrt(p * (1 - p) / seeds); math.Abs(c/seeds-p) > 4*se {
			t.Errorf("row %d is held out at a rate of %v, want %v within %v", i, c/seeds, p, 4*se)
		}
	}
}

func TestSplitStratified(t *testing.T) {
	var classes []int
	sizes := []int{53, 31, 7, 2, 1, 1}
	for c, m := range sizes {
		classes = append(classes, slices.Repeat([]int{c}, m)...)
	}
	n := len(classes)
	for _, fraction := range []float64{0, 0.1, 0.25, 0.5, 0.9, 1} {
		train, held := SplitStratified(classes, fraction, 3)
		whole(t, n, train, held)
		count := make([]int, len(sizes))
		for _, i := range held {
			count[classes[i]]++
		}
		for c, m := range sizes {
			low, high := int(math.Floor(fraction*float64(m))), int(math.Ceil(fraction*float64(m)))
			if fraction < 1 {
				low, high = min(low, m-1), min(high, m-1)
			}
			if count[c] < low || count[c] > high {
				t.Errorf("fraction %v: %d of the %d rows of class %d held out, want %d to %d", fraction, count[c], m, c, low, high)
			}
		}
		if most := int(math.Round(fraction * float64(n))); len(held) > most || len(held) < most-len(sizes) {
			t.Errorf("fraction %v: %d held out, want about %d", fraction, len(held), most)
		}
	}
	if train, held := SplitStratified(nil, 0.5, 1); len(train)+len(held) != 0 {
		t.Error("a split of nothing")
	}
	if _, held := SplitStratified(slices.Repeat([]int{1, 2}, 50), 0.3, 1); len(held) != 30 {
		t.Errorf("%d of 100 rows held out, want 30", len(held))
	}
}

func TestOneVersusRestErrors(t *testing.T) {
	fails(t, failed(OneVersusRest(nil, 3)), domain.ErrShape, "no labels")
	fails(t, failed(OneVersusRest([]int{0}, 1)), domain.ErrParam, "classes = 1")
	fails(t, failed(OneVersusRest([]int{0, 2, 3}, 3)), domain.ErrDomain, "row 2 has the label 3, which is not in 0..2")
	fails(t, failed(OneVersusRest([]int{0, -1}, 3)), domain.ErrDomain, "row 1 has the label -1")
}

func TestBalancedWeights(t *testing.T) {
	near(t, "weights", must(BalancedWeights([]int{1, 2, 5})), []float64{8. / 3, 8. / 6, 8. / 15}, 1e-15)
	fails(t, failed(BalancedWeights(nil)), domain.ErrShape)
	fails(t, failed(BalancedWeights([]int{1, 0})), domain.ErrDomain, "class 1 has 0 rows")
}
