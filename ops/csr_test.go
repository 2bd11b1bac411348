package ops_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// holes is uniform with two thirds of the cells 0, the first row among them.
func holes(dt tensor.Dtype, rows, cols int, seed uint64) *tensor.Dense {
	x, rng := uniform(dt, rows, cols, seed), rand.New(rand.NewPCG(seed, 2))
	for k := range rows * cols {
		if k < cols || rng.IntN(3) > 0 {
			setAt(x, k, 0)
		}
	}
	return x
}

func csr(t *testing.T, x *tensor.Dense) *ops.CSR {
	t.Helper()
	s, err := ops.CSROf(x)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCSRConversions: there and back, and the parts, hold the cells of the dense matrix; the number of rows and of
// columns may be 0.
func TestCSRConversions(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		x := holes(dt, 7, 5, 1)
		s := csr(t, x)
		same := func(what string, got *ops.CSR, rows, cols []int) {
			t.Helper()
			d, err := got.Dense(nil)
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			for _, i := range rows {
				for _, j := range cols {
					want = append(want, at2(x, i, j))
				}
			}
			if !slices.Equal(all(d), want) || got.Dtype() != dt || got.Rows() != len(rows) || got.Cols() != len(cols) {
				t.Errorf("%v: %s is %v, %v, want %v", dt, what, got, all(d), want)
			}
		}
		every, cols := []int{0, 1, 2, 3, 4, 5, 6}, []int{0, 1, 2, 3, 4}
		same("x", s, every, cols)
		same("a slice", s.Slice(2, 5), every[2:5], cols)
		same("a slice of a slice", s.Slice(2, 6).Slice(1, 3), every[3:5], cols)
		same("no rows", s.Slice(3, 3), nil, cols)
		same("some rows", s.Take([]int{6, 0, 6}), []int{6, 0, 6}, cols)
		same("some columns", s.TakeColumns(1, 4, 1), every, cols[1:4])
		same("a clone of a slice", s.Slice(2, 5).Clone().(*ops.CSR), every[2:5], cols)
		if z := s.ZeroValue().(*ops.CSR); z.Stored() != 0 || !z.Shape().Eq(s.Shape()) || s.Stored() == 0 {
			t.Errorf("the zero value is %v of %v", z, s)
		}
		part := s.Slice(2, 5)
		if n := part.Stored(); n != len(part.Clone().(*ops.CSR).Columns()) || part.Density() != float64(n)/15 ||
			!strings.Contains(part.String(), "(3, 5)") {
			t.Errorf("%v stores %d, density %v", part, n, part.Density())
		}
		double, err := s.TakeColumns(0, 5, 2).Dense(nil)
		if err != nil || at2(double, 6, 4) != 2*at2(x, 6, 4) {
			t.Errorf("twice x is %v, %v", double, err)
		}
	}
	s := csr(t, holes(tensor.Float64, 7, 5, 1))
	single, err := s.As(tensor.Float32, "test")
	if err != nil || single.Dtype() != tensor.Float32 || single.Float64s() != nil ||
		single.Float32s()[0] != float32(s.Float64s()[0]) {
		t.Errorf("as float32: %v, %v", single, err)
	}
	if back, err := single.As(tensor.Float64, "test"); err != nil ||
		back.Float64s()[0] != float64(single.Float32s()[0]) {
		t.Errorf("back: %v, %v", back, err)
	}
}

func TestCSRErrors(t *testing.T) {
	two := []float64{1, 2}
	for name, c := range map[string]struct {
		rows, cols int
		ptr        []int
		col        []int32
		val        any
		sentinel   error
		text       string
	}{
		"type":      {1, 3, []int{0, 1}, []int32{0}, []int{1}, ops.ErrDtype, "[]int"},
		"rows":      {-1, 3, []int{}, nil, two, ops.ErrShape, "-1 rows"},
		"pointers":  {2, 3, []int{0, 2}, []int32{0, 1}, two, ops.ErrShape, "2 row pointers for 2 rows"},
		"lengths":   {1, 3, []int{0, 2}, []int32{0}, two, ops.ErrShape, "1 columns and 2 values"},
		"start":     {1, 3, []int{1, 2}, []int32{0, 1}, two, ops.ErrShape, "from 1 to 2"},
		"end":       {1, 3, []int{0, 1}, []int32{0, 1}, two, ops.ErrShape, "to the 2 values"},
		"falling":   {3, 3, []int{0, 2, 1, 2}, []int32{0, 1}, two, ops.ErrShape, "row 1"},
		"beyond":    {2, 3, []int{0, 9, 2}, []int32{0, 1}, two, ops.ErrShape, "row 0"},
		"column":    {1, 3, []int{0, 2}, []int32{0, 3}, two, ops.ErrShape, "column 3 of 3"},
		"negative":  {1, 3, []int{0, 2}, []int32{-1, 2}, two, ops.ErrShape, "column -1"},
		"unsorted":  {1, 3, []int{0, 2}, []int32{2, 0}, two, ops.ErrShape, "column 0 after column 2"},
		"duplicate": {1, 3, []int{0, 2}, []int32{2, 2}, two, ops.ErrShape, "column 2 after column 2"},
	} {
		x, err := ops.NewCSR(c.rows, c.cols, c.ptr, c.col, c.val)
		if x != nil || !errors.Is(err, c.sentinel) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: %v, %v, want %q", name, x, err, c.text)
		}
	}
	for _, v := range []float64{1e300, 1e-300} {
		x, _ := ops.NewCSR(2, 5, []int{0, 0, 1}, []int32{3}, []float64{v})
		if _, err := x.As(tensor.Float32, "test"); !errors.Is(err, ops.ErrDomain) ||
			!strings.Contains(err.Error(), "x[1,3]") {
			t.Errorf("%v as float32: %v", v, err)
		}
		if _, err := x.As(tensor.Int, "test"); !errors.Is(err, ops.ErrDtype) {
			t.Errorf("as int: %v", err)
		}
		if _, err := x.Dense(tensor.New(tensor.WithShape(2, 4), tensor.Of(tensor.Float64))); !errors.Is(err,
			ops.ErrShape) {
			t.Errorf("into another shape: %v", err)
		}
	}
	if _, err := ops.CSROf(tensor.New(tensor.WithShape(3), tensor.Of(tensor.Float64))); !errors.Is(err, ops.ErrShape) {
		t.Errorf("of a vector: %v", err)
	}
}

// TestCSRDomain: the entries are looked at, and what is not stored where 0 is outside; the first cell in reading order
// is named.
func TestCSRDomain(t *testing.T) {
	w, err := ops.Pack(uniform(tensor.Float64, 4, 7, 1))
	if err != nil {
		t.Fatal(err)
	}
	c := func(v ...float64) *tensor.Dense { return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(v)) }
	x := func(v ...float64) *ops.CSR {
		s, err := ops.NewCSR(2, 4, []int{0, 1, 1 + len(v)}, append([]int32{2}, []int32{0, 1, 3}[:len(v)]...),
			append([]float64{.5}, v...))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	fourier := func(x *ops.CSR) error { _, err := ops.FourierInto(nil, x, w, ops.Attr{}); return err }
	shift := func(cs ...float64) func(x *ops.CSR) error {
		return func(x *ops.CSR) error { _, err := ops.LogShiftCSR(x, c(cs...), ops.Attr{}); return err }
	}
	for name, k := range map[string]struct {
		f    func(x *ops.CSR) error
		x    *ops.CSR
		text string
	}{
		"NaN":      {fourier, x(1, math.NaN()), "x[1,1] = NaN"},
		"Inf":      {fourier, x(math.Inf(-1), 1), "x[1,0] = -Inf"},
		"overflow": {fourier, x(1e308, 1e308, 1e308), ""},
		"negative": {func(x *ops.CSR) error {
			_, err := ops.LaplaceInto(nil, x, w, ops.Attr{})
			return err
		}, x(1, 1, -.25), "x[1,3] = -0.25"},
		"not above":      {shift(.1), x(1, -.1), "x[1,1] = -0.1 is not above -c"},
		"c of 0":         {shift(0), x(1, 2, 3), "x[0,0] = 0 is not above -c = -0"},
		"c of 0 in one":  {shift(1, 1, 0, 1), x(1, 2, 3), "x[1,2] = 0"},
		"NaN in a shift": {shift(1), x(math.NaN()), "x[1,0] = NaN"},
		"sphere": {func(x *ops.CSR) error {
			return ops.CheckRows(domain.UnitSphere(1e-6), "test", x)
		}, x(1, 1), "row 0 has norm 0.5"},
	} {
		if err := k.f(k.x); !errors.Is(err, ops.ErrDomain) && k.text != "" ||
			!strings.Contains(fmt.Sprint(err), k.text) {
			t.Errorf("%s: %v, want %q", name, err, k.text)
		}
	}
	for name, bad := range map[string]error{
		"width": func() error {
			_, err := ops.FourierInto(nil, csr(t, holes(tensor.Float64, 2, 3, 1)), w, ops.Attr{})
			return err
		}(),
		"c": shift(1, 2)(x(1)),
		"dst": func() error {
			_, err := ops.FourierInto(matrix(tensor.Float64, 2, 7, 0), x(1), w, ops.Attr{})
			return err
		}(),
	} {
		if !errors.Is(bad, ops.ErrShape) {
			t.Errorf("%s: %v, want a shape error", name, bad)
		}
	}
	if _, err := ops.FourierInto(nil, csr(t, holes(tensor.Float32, 2, 4, 1)), w, ops.Attr{}); !errors.Is(err,
		ops.ErrDtype) {
		t.Errorf("another type: %v", err)
	}
	full, _ := ops.NewCSR(1, 2, []int{0, 2}, []int32{0, 1}, []float64{1, 2})
	u, err := ops.LogShiftCSR(full, c(0), ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := u.Dense(nil); d.Float64s()[0] != 0 || d.Float64s()[1] != math.Log(2) {
		t.Errorf("ln of a full row with c = 0 is %v", d)
	}
}

// TestLogShiftCSR: ln(x + c) of sparse rows, made dense, equals ln(x + c) of the dense rows. The tolerance is a few
// units in the last place of the larger of the two logarithms that are added.
func TestLogShiftCSR(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		for _, cs := range [][]float64{{.3}, {.01, .5, 2, 1e-5, 30}, {1e-30}} {
			x, c := holes(dt, 11, 5, 3), tensor.New(tensor.WithShape(len(cs)), tensor.Of(dt))
			setAt(x, 7, 1e30)
			for j, v := range cs {
				setAt(c, j, v)
			}
			want, err := ops.LogShiftInto(nil, x, c, ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			u, err := ops.LogShiftCSR(csr(t, x), c, ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := u.Slice(1, 9).Dense(nil)
			eps := 0x1p-51
			if dt == tensor.Float32 {
				eps = 0x1p-22
			}
			for k := range 8 * 5 {
				if d := math.Abs(at(got, k) - at(want, 5+k)); d > eps*200 {
					t.Errorf("%v, c = %v: cell %d is %v, want %v", dt, cs, 5+k, at(got, k), at(want, 5+k))
				}
			}
		}
	}
}

// TestShiftedCSR: every map takes what LogShiftCSR returns for the dense matrix that it stands for, and minds the
// domain.
func TestShiftedCSR(t *testing.T) {
	x := holes(tensor.Float64, 7, 5, 3)
	w, _ := ops.Pack(uniform(tensor.Float64, 5, 11, 1))
	b := uniform(tensor.Float64, 11, 1, 2)
	signs, norms := structuredParams(tensor.Float64, 8, 11)
	structured, err := ops.PackStructured(5, signs, norms, nil, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	c := matrix(tensor.Float64, 5, 1, 1, 1.5, 2, 3, 1.25)
	u, err := ops.LogShiftCSR(csr(t, x), c, ops.Attr{})
	if err != nil {
		t.Fatal(err)
	}
	dense, _ := u.Dense(nil)
	for name, f := range map[string]func(x ops.Matrix) (*tensor.Dense, error){
		"Fourier": func(x ops.Matrix) (*tensor.Dense, error) { return ops.FourierInto(nil, x, w, ops.Attr{}) },
		"Phase":   func(x ops.Matrix) (*tensor.Dense, error) { return ops.PhaseInto(nil, x, w, b, ops.Attr{}) },
		"Laplace": func(x ops.Matrix) (*tensor.Dense, error) { return ops.LaplaceInto(nil, x, w, ops.Attr{}) },
		"Affine":  func(x ops.Matrix) (*tensor.Dense, error) { return ops.AffineInto(nil, x, w, b, ops.Attr{}) },
		"Structured": func(x ops.Matrix) (*tensor.Dense, error) {
			return ops.StructuredFourierInto(nil, x, structured, ops.Attr{})
		},
		"Structured in phase": func(x ops.Matrix) (*tensor.Dense, error) {
			return ops.StructuredPhaseInto(nil, x, structured, b, ops.Attr{})
		},
		"Copy": func(x ops.Matrix) (*tensor.Dense, error) { return ops.Copy(nil, x, ops.Attr{}) },
	} {
		got, err := f(u)
		want, _ := f(dense)
		if err != nil || farthest(all(got), all(want)) > 1e-13 {
			t.Errorf("%s: off by %v, %v", name, farthest(all(got), all(want)), err)
		}
	}
	setAt(c, 4, .5)
	if u, err = ops.LogShiftCSR(csr(t, x), c, ops.Attr{}); err != nil {
		t.Fatal(err)
	}
	if _, err := ops.LaplaceInto(nil, u, w, ops.Attr{}); !errors.Is(err, ops.ErrDomain) ||
		!strings.Contains(err.Error(), "x[0,4] = -0.69") {
		t.Errorf("a negative logarithm: %v", err)
	}
}

// TestLogShiftOfDenormals: the logarithm of the smallest numbers, of dense and of sparse rows, where c is 0 or as
// small.
func TestLogShiftOfDenormals(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		small, lnSmall, eps := math.SmallestNonzeroFloat64, -1074*math.Ln2, 0x1p-52
		if dt == tensor.Float32 {
			small, lnSmall, eps = math.SmallestNonzeroFloat32, -149*math.Ln2, 0x1p-23
		}
		x := matrix(dt, 1, 4, small, 4*small, 1, 1e30)
		for _, c := range []float64{0, small, 3 * small} {
			shift := entries(dt, c)
			sparse := must(must(ops.LogShiftCSR(csr(t, x), shift, ops.Attr{})).Dense(nil))
			dense := must(ops.LogShiftInto(nil, x, shift, ops.Attr{}))
			for j := range 4 {
				units := (at(x, j) + c) / small
				want := lnSmall + math.Log(units)
				if j > 1 {
					want = math.Log(at(x, j))
				}
				for name, got := range map[string]float64{"sparse": at(sparse, j), "dense": at(dense, j)} {
					if math.Abs(got-want) > eps*2000 {
						t.Errorf("%v, %s: ln(%v + %v) = %v, want %v", dt, name, at(x, j), c, got, want)
					}
				}
			}
		}
	}
}
