package data

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// forms are the forms that rows of numbers of float32 have.
func forms(cols int, v []float32) map[string]ops.Matrix {
	n := len(v) / cols
	bordered, double := make([]float32, 0, n*(cols+1)), make([]float64, len(v))
	for i, x := range v {
		if i%cols == 0 {
			bordered = append(bordered, float32(math.NaN()))
		}
		bordered, double[i] = append(bordered, x), float64(x)
	}
	wide := dense32(n, cols+1, bordered...)
	all := map[string]ops.Matrix{"float64": dense64(n, cols, double...), "float32": dense32(n, cols, slices.Clone(v)...)}
	all["view"] = must(wide.Slice(nil, tensor.S(1, cols+1))).(*tensor.Dense)
	all["bags"] = must(ops.NewBags(dense64(n, cols, slices.Clone(double)...), []int{0, 1, n}))
	all["sparse float64"] = must(ops.CSROf(all["float64"].(*tensor.Dense)))
	all["sparse float32"] = must(ops.CSROf(all["float32"].(*tensor.Dense)))
	return all
}

// numbers are the numbers of x, row by row.
func numbers(x ops.Matrix) []float64 {
	if b, ok := x.(*ops.Bags); ok {
		x = b.Samples()
	}
	return slices.Clone(ops.Float64s(must(ops.Copy(nil, x, ops.Attr{}))))
}

// TestEveryScaler: a scaler learns the same and returns the same rows, rounded once, in whatever form and blocks it gets
// them. It leaves its arguments as they are, is restored from its state, and takes sparse rows if it keeps zeros.
func TestEveryScaler(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	reals := func(n int) (v []float32) {
		for range n {
			some := float32(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(60)-30)))
			v = append(v, float32(1e3+rng.NormFloat64()), 7, float32(rng.IntN(3)/2)*float32(rng.NormFloat64()), some, float32(rng.IntN(2)))
		}
		return v
	}
	counts := func(n int) (v []float32) {
		for range 31 * n {
			v = append(v, float32(max(0, rng.IntN(15)-10)))
		}
		return v
	}
	for what, c := range map[string]struct {
		cols int
		x, z []float32 // rows to fit and to scale
	}{"reals": {5, reals(211), reals(20)}, "counts": {31, counts(50), counts(20)}} {
		for _, list := range append(allScalers, "l1,standard,minmax", "l2,l2,l1", "l2,minmax,l1") {
			x, z := forms(c.cols, c.x), forms(c.cols, c.z)
			whole := must(ParseScalers(list))
			mustDo(whole.Fit(x["float64"]))
			want, zeros := numbers(must(whole.Apply(z["float64"]))), numbers(must(whole.Apply(dense64(1, c.cols, make([]float64, c.cols)...))))
			keeps := !slices.ContainsFunc(zeros, func(v float64) bool { return v != 0 }) && !strings.Contains(list+",", "standard,") &&
				!strings.Contains(list, "quantile") && list != "auto"
			if whole.KeepsZeros() != keeps || what == "counts" && list == "minmax,l2" && !keeps {
				t.Errorf("%s of %s keeps zeros: %v", list, what, !keeps)
			}
			for form := range x {
				name, sparse := fmt.Sprint(list, " of ", what, ", ", form), strings.HasPrefix(form, "sparse")
				s, before := must(ParseScalers(list)), numbers(x[form])
				err := s.Fit(x[form])
				for _, size := range []int{1, 10, 211} {
					blocks := must(ParseScalers(list))
					if form == "view" {
						break
					} else if other := blocks.FitBlocks(blocksOf(x[form], size)); errors.Is(other, ErrZeros) != (sparse && !keeps) || (other == nil) != (err == nil) {
						t.Errorf("%s: in blocks %v, whole %v", name, other, err)
					} else if err == nil {
						sameState(t, name, blocks, whole, 1e-11, 1e3*0x1p-50) // the rounding of a mean of 1000
					}
				}
				switch {
				case form == "view":
					fails(t, err, domain.ErrShape, "view")
					mustDo(s.Fit(x["float64"]))
				case sparse && !keeps:
					fails(t, err, ErrZeros)
					fails(t, failed(whole.Apply(z[form])), ErrZeros)
					continue
				}
				sameState(t, name, s, whole, 0, 0)
				if !slices.Equal(numbers(x[form]), before) {
					t.Errorf("%s: Fit changes its argument", name)
				}
				single := z[form].Dtype() == tensor.Float32
				before = numbers(z[form])
				got := must(s.Apply(z[form]))
				for i, v := range numbers(got) {
					if v != want[i] && !(single && v == float64(float32(want[i]))) {
						t.Fatalf("%s: number %d is %v, want %v", name, i, v, want[i])
					}
				}
				if !slices.Equal(numbers(z[form]), before) || got.Dtype() != z[form].Dtype() {
					t.Errorf("%s: Apply changes its argument, or the type", name)
				}
				restored := must(ParseScalers(s.Name()))
				state := s.State()
				mustDo(restored.SetState(state))
				for _, v := range state { // a state is a copy
					v.Float64s()[0] = math.NaN()
				}
				if form == "view" {
					continue
				}
				again := must(restored.ApplyInPlace(z[form]))
				if !slices.Equal(numbers(again), numbers(got)) || restored.Name() != s.Name() || (again == z[form]) != (s.Lists() == 1) {
					t.Errorf("%s: in place, or of a restored scaler, the rows are others", name)
				}
			}
		}
	}
}

// blocksOf returns blocks of size rows.
func blocksOf(x ops.Matrix, size int) iter.Seq2[ops.Matrix, error] {
	return func(yield func(ops.Matrix, error) bool) {
		for _, b := range Blocks(x, size) {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// TestFitBlocks: an error of the blocks, first or later, or no block leaves the scaler as it was, and no sum of moments
// overflows.
func TestFitBlocks(t *testing.T) {
	c, broken := must(ParseScalers("standard")), errors.New("broken")
	mustDo(c.Fit(dense64(2, 1, 1, 5)))
	fitted := c.State()
	for _, rows := range []func(func(ops.Matrix, error) bool){
		func(func(ops.Matrix, error) bool) {},
		func(yield func(ops.Matrix, error) bool) { yield(nil, broken) },
		func(yield func(ops.Matrix, error) bool) { _ = yield(dense64(1, 1, 9), nil) && yield(nil, broken) },
	} {
		err := c.FitBlocks(rows)
		if !errors.Is(err, broken) && !errors.Is(err, domain.ErrShape) || !reflect.DeepEqual(c.State(), fitted) {
			t.Errorf("%v, and then the state is %v", err, c.State())
		}
	}
	huge := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{-math.MaxFloat64, math.MaxFloat64}))
	if err := c.FitBlocks(func(yield func(ops.Matrix, error) bool) {
		_ = yield(huge.Clone().(*tensor.Dense), nil) && yield(Rows(huge, []int{1}), nil)
	}); err != nil || notFiniteAt(c.State()["0.standard.scale"].Float64s()) >= 0 {
		t.Error(err, c.State())
	}
}
