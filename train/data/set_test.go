package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// setLast sets the last number that x stores.
func setLast(x ops.Matrix, v float64) {
	if bags, ok := x.(*ops.Bags); ok {
		x = bags.Samples()
	}
	cells := x.(interface {
		Float64s() []float64
		Float32s() []float32
	})
	if x.Dtype() == tensor.Float32 {
		last := cells.Float32s()
		last[len(last)-1] = float32(v)
	} else {
		last := cells.Float64s()
		last[len(last)-1] = v
	}
}

// TestSetsOfAllForms: rows are taken, cut into blocks and rounded alike, whatever they are held in.
func TestSetsOfAllForms(t *testing.T) {
	v := make([]float32, 11*3)
	for i := range v {
		v[i] = float32(i%4) + float32(i)/8
	}
	for form, x := range forms(3, v) {
		if form == "view" {
			continue
		}
		s := &Set{X: x, Names: []string{"p", "q", "r"}, LabelNames: []string{"y"}, Source: "f"}
		rows := eachRow(x)
		n := len(rows)
		lastRow := rows[n-1]
		for i := range n {
			s.Labels, s.IDs = append(s.Labels, fmt.Sprint("l", i)), append(s.IDs, fmt.Sprint("i", i))
			s.Y = append(s.Y, float64(i))
		}
		idx := []int{n - 1, 0, n - 1}
		part := s.Take(idx)
		for k, i := range idx {
			same := part.Y[k] == s.Y[i] && part.Labels[k] == s.Labels[i] && part.IDs[k] == s.IDs[i]
			if !same || !slices.Equal(eachRow(part.X)[k], rows[i]) {
				t.Errorf("%s: row %d of %s is to be row %d of %s", form, k, shown(part), i, shown(s))
			}
		}
		if part.Rows() != 3 || part.Names[2] != "r" || part.LabelNames[0] != "y" || part.Source != "f" || part.X.Dtype() != x.Dtype() {
			t.Errorf("%s: taken are %+v", form, part)
		}
		setLast(part.X, 99)
		if !slices.Equal(eachRow(x)[n-1], lastRow) {
			t.Errorf("%s: Take shares memory", form)
		}
		if none := Rows(x, nil); none.Shape()[0] != 0 || none.Dtype() != x.Dtype() {
			t.Errorf("%s: no rows are %v of %v", form, none.Shape(), none.Dtype())
		}
		if dense, ok := x.(*tensor.Dense); ok {
			dst := Rows(x, []int{0, 1}).(*tensor.Dense)
			RowsInto(dst, dense, []int{4, 2})
			if got := eachRow(dst); !slices.Equal(got[0], rows[4]) || !slices.Equal(got[1], rows[2]) {
				t.Errorf("%s: RowsInto gives %v", form, got)
			}
		}
		for _, size := range []int{1, 2, n - 1, n, n + 1} {
			next := 0
			var last ops.Matrix
			for first, b := range Blocks(x, size) {
				got := eachRow(b)
				want := rows[first:min(first+size, n)]
				if first != next || !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s: the block at %d, after %d rows, is %v", form, first, next, got)
				}
				if d, ok := b.(*tensor.Dense); ok && d.Dtype() == tensor.Float64 && len(d.Float64s()) != cap(d.Float64s()) {
					t.Errorf("%s: the block at %d has room behind it", form, first)
				}
				next, last = next+len(got), b
			}
			if setLast(last, 7); next != n || eachRow(x)[n-1][len(lastRow)-1] != 7 {
				t.Errorf("%s: blocks of %d rows end at %d of %d, or are copies", form, size, next, n)
			}
			setLast(last, lastRow[len(lastRow)-1])
		}
		for range Blocks(x, 1) {
			break // a loop may end early
		}
		if _, bags := x.(*ops.Bags); bags {
			fails(t, failed(s.Dense()), domain.ErrDtype, "no matrix")
		} else if !slices.Equal(numbers(must(s.Dense())), numbers(x)) {
			t.Errorf("%s: Dense has other cells", form)
		}
		fails(t, failed(s.As(tensor.Int)), domain.ErrDtype, "f", "int")
		if same, err := s.As(x.Dtype()); same != x || err != nil {
			t.Errorf("%s: %v is a copy, or %v", form, x.Dtype(), err)
		}
		if wide := must(s.As(tensor.Float64)); wide.Dtype() != tensor.Float64 || !slices.Equal(numbers(wide), numbers(x)) {
			t.Errorf("%s: in float64 it is %v of %v", form, numbers(wide), wide.Dtype())
		}
		if x.Dtype() == tensor.Float32 {
			continue
		}
		for _, v := range []float64{1e-45, -math.MaxFloat32, .1} {
			setLast(x, v)
			single := must(s.As(tensor.Float32))
			got := eachRow(single)[n-1]
			if single.Dtype() != tensor.Float32 || got[len(got)-1] != float64(float32(v)) || got[0] != lastRow[0] {
				t.Errorf("%s: %v in float32 is %v of %v", form, v, got, single.Dtype())
			}
		}
		place := map[bool]string{false: "data: f: x[10,2] = ", true: "f: bag 1: x[9,2] = "}[form == "bags"]
		for v, says := range map[float64]string{1e39: "too large", -1e300: "too large", 1e-50: "becomes 0"} {
			setLast(x, v)
			fails(t, failed(s.As(tensor.Float32)), domain.ErrDomain, place, says, "float64")
		}
	}
	for range Blocks(dense64(0, 3), 5) {
		t.Error("no rows have a block")
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
