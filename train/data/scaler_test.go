package data

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// scaled fits the list to x and applies it to z, both of the given width, in float64.
func scaled(t *testing.T, list string, cols int, x, z []float64) []float64 {
	t.Helper()
	c := must(ParseScalers(list))
	fitted := slices.Clone(x)
	mustDo(c.Fit(dense64(len(x)/cols, cols, fitted...)))
	if !slices.Equal(fitted, x) {
		t.Fatalf("%s: Fit changed the rows", list)
	}
	return numbers(must(c.ApplyInPlace(dense64(len(z)/cols, cols, slices.Clone(z)...))))
}

func TestScalers(t *testing.T) {
	const huge, tiny, sub = 1e300, 1e-300, 5e-324
	for _, c := range []struct {
		list string
		cols int
		x, z []float64 // z nil: apply to x
		want []float64
	}{
		{"none", 2, []float64{1, -2}, nil, []float64{1, -2}},
		{"", 2, []float64{1, -2}, nil, []float64{1, -2}},
		{"l1", 2, []float64{1, -3, 0, 0, 0, -5}, nil, []float64{0.25, -0.75, 0, 0, 0, -1}},
		{"l1", 3, []float64{huge, -huge, 2 * huge, tiny, tiny, 2 * tiny}, nil, []float64{0.25, -0.25, 0.5, 0.25, 0.25, 0.5}},
		{"l1", 2, []float64{math.MaxFloat64, math.MaxFloat64, sub, 0, sub, sub}, nil, []float64{0.5, 0.5, 1, 0, 0.5, 0.5}},
		{"l2", 2, []float64{3, -4, 0, 0, -7, 0}, nil, []float64{0.6, -0.8, 0, 0, -1, 0}},
		{"l2", 2, []float64{3 * huge, 4 * huge, 3 * tiny, -4 * tiny}, nil, []float64{0.6, 0.8, 0.6, -0.8}},
		{"l2", 2, []float64{math.MaxFloat64, math.MaxFloat64, sub, sub}, nil, []float64{math.Sqrt2 / 2, math.Sqrt2 / 2, math.Sqrt2 / 2, math.Sqrt2 / 2}},
		{"l2", 1, []float64{1e-170, -1e170}, nil, []float64{1, -1}},
		{"minmax", 2, []float64{1, 10, 3, 10, 2, 10}, nil, []float64{0, 0, 1, 0, 0.5, 0}},
		{"minmax", 2, []float64{1, 10, 3, 10}, []float64{5, 11, -1, -7}, []float64{2, 0, -1, 0}}, // outside the range; a constant column
		{"minmax", 1, []float64{-math.MaxFloat64, 0, math.MaxFloat64}, nil, []float64{0, 0.5, 1}},
		{"minmax", 1, []float64{-huge, huge}, []float64{huge / 2, math.MaxFloat64}, []float64{0.75, (math.MaxFloat64/huge + 1) / 2}},
		{"minmax", 1, []float64{tiny, 3 * tiny, 2 * tiny}, nil, []float64{0, 1, 0.5}},
		{"minmax", 1, []float64{0, 2 * sub, sub}, nil, []float64{0, 1, 0.5}},
		{"minmax", 1, []float64{-1e308, 1e307}, []float64{1.7e308}, []float64{2.7 / 1.1}}, // the difference overflows, the result does not
		{"standard", 2, []float64{1, 0.1, 3, 0.1, 5, 0.1}, nil, []float64{-math.Sqrt(1.5), 0, 0, 0, math.Sqrt(1.5), 0}},
		{"standard", 2, []float64{1, 7, 3, 7}, []float64{4, 9}, []float64{2, 2}}, // a constant column is divided by 1
		{"standard", 1, []float64{huge, 3 * huge}, nil, []float64{-1, 1}},
		{"standard", 1, []float64{-math.MaxFloat64, math.MaxFloat64}, nil, []float64{-1, 1}},
		{"standard", 1, []float64{tiny, 3 * tiny}, nil, []float64{-1, 1}},
		{"standard", 1, []float64{-4 * sub, 4 * sub}, nil, []float64{-1, 1}},
		{"standard", 1, []float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, nil, []float64{-math.Sqrt(1.5), 0, math.Sqrt(1.5)}},
		{"standard", 1, []float64{-1.7e308, 1.7e308}, []float64{1.7e308, -1.7e308}, []float64{1, -1}},
		{"standard", 1, []float64{-1e308, -1.5e308}, []float64{1.5e308}, []float64{11}}, // likewise
		{"standard", 1, []float64{42}, nil, []float64{0}},
		{"minmax,l2", 2, []float64{0, 5, 2, 9, 1, 5}, nil, []float64{0, 0, math.Sqrt2 / 2, math.Sqrt2 / 2, 1, 0}},
		{"l1,minmax", 2, []float64{1, 3, 6, 2}, nil, []float64{0, 1, 1, 0}},                        // fitted to .25 .75 / .75 .25
		{"l1,standard,minmax", 2, []float64{1, 3, 6, 2, 1, 1}, nil, []float64{0, 1, 1, 0, .5, .5}}, // affine maps leave minmax alone
		{"cube", 1, []float64{2, 4}, []float64{3, 1, 5}, []float64{0.5, 0, 1}},
		{"auto", 2, []float64{1, 0, 3, 1}, []float64{4, 2}, []float64{2, 2}}, // 0 and 1 stay
		// quartiles of 1, 2, 3, 4 are 1.5 and 3.5: z = (x - 2.5)/2
		{"robust", 1, []float64{4, 1, 3, 2}, []float64{2.5, 4.5, -5.5, 1e300}, []float64{0, 1 / math.Sqrt(10./9), -4 / math.Sqrt(25./9), 3}},
		{"robust", 2, []float64{0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 8, 7}, []float64{8, 8}, []float64{2 / math.Sqrt(13./9), 1 / math.Sqrt(10./9)}}, // half the range; constant
		{"robust", 1, []float64{-math.MaxFloat64, math.MaxFloat64, 0}, nil, []float64{-1 / math.Sqrt(10./9), 1 / math.Sqrt(10./9), 0}},
		{"robust", 1, []float64{0, sub, 4 * sub}, []float64{math.MaxFloat64, sub}, []float64{3, 0}},
		// ranks 1/8, 3/8, 5/8, 7/8
		{"quantile-uniform", 1, []float64{40, 10, 30, 20}, []float64{10, 25, 40, -1e300, 1e300, 36}, []float64{.125, .5, .875, .125, .875, .775}},
		{"quantile-uniform", 2, []float64{5, 1, 5, 2, 5, 2, 5, 3}, []float64{5, 2, 9, 1.5}, []float64{.5, .5, .5, .3125}}, // ties, a constant
		{"quantile", 1, []float64{huge, -huge, tiny, -tiny}, []float64{tiny, huge, math.MaxFloat64}, []float64{0.31863936396437514, 1.1503493803760079, 1.1503493803760079}},
		{"quantile", 1, []float64{-math.MaxFloat64, math.MaxFloat64}, []float64{0, math.MaxFloat64 / 2}, []float64{0, 0.33724487509804094}},
		{"quantile", 1, []float64{0, 2 * sub}, []float64{sub, 1}, []float64{0, 0.6744897501960817}},
		{"quantile", 1, []float64{7}, []float64{7, 8, -1}, []float64{0, 0, 0}},
		{"minmax|l1, minmax", 2, []float64{1, 3, 6, 2}, []float64{6, 3, 1, 1}, []float64{1, 1, 5. / 6, 1. / 6, 0, -1, .5, .5}},
		{" minmax , none ", 1, []float64{2, 4}, []float64{3}, []float64{0.5}},
	} {
		z := c.z
		if z == nil {
			z = c.x
		}
		near(t, fmt.Sprintf("%q of %v fitted to %v", c.list, z, c.x), scaled(t, c.list, c.cols, c.x, z), c.want, 1e-15*4)
	}
}

// Scaled values of the fitted rows reach 0 and 1 exactly and do not leave [0, 1].
func TestMinMaxIsExactAtTheEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		x := make([]float64, 11)
		for i := range x {
			x[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(600)-300))
		}
		y := scaled(t, "minmax", 1, x, x)
		if slices.Min(y) != 0 || slices.Max(y) != 1 {
			t.Fatalf("%v has the range [%v, %v]", x, slices.Min(y), slices.Max(y))
		}
	}
}

// The moments against 300-bit arithmetic, on a column with a large offset and over all magnitudes. Two passes with the
// correction leave an error of a few roundings of the mean and of the scale (the inputs are exact in both).
func TestStandardMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 1009
	for _, unit := range []float64{1, 1e-300, 1e300, 1e-150, 5e-320} {
		x := make([]float64, n)
		sum, square := new(big.Float).SetPrec(300), new(big.Float).SetPrec(300)
		for i := range x {
			x[i] = (1000 + rng.NormFloat64()) * unit
			v := new(big.Float).SetPrec(300).SetFloat64(x[i])
			sum.Add(sum, v)
			square.Add(square, v.Mul(v, v))
		}
		count := new(big.Float).SetPrec(300).SetInt64(n)
		mean := new(big.Float).SetPrec(300).Quo(sum, count)
		variance := square.Quo(square, count)
		variance.Sub(variance, new(big.Float).SetPrec(300).Mul(mean, mean))
		wantMean, _ := mean.Float64()
		wantScale, _ := variance.Sqrt(variance).Float64()
		c := must(ParseScalers("standard"))
		mustDo(c.Fit(dense64(n, 1, x...)))
		s := c.lists[0][0].scaling.(*moments)
		// Below 1e-308 a result can be off by half a subnormal step whatever is done.
		if math.Abs(s.mean[0]-wantMean) > 1e-15*wantMean+5e-324 || math.Abs(s.width[0]-wantScale) > 1e-12*wantScale+5e-324 {
			t.Errorf("unit %v: mean %v, scale %v; want %v, %v", unit, s.mean[0], s.width[0], wantMean, wantScale)
		}
	}
}

// allScalers is a list of each scaler by itself, of several, and lists side by side.
var allScalers = append(slices.Sorted(maps.Keys(scalings)), "minmax,l2", "minmax,standard,quantile", "robust,minmax",
	"l1|minmax", "l2,robust|none|quantile,l1", "")

// A sample of 10,000 rows decides the ranks of more; memory and streams draw the same one.
func TestRanksOfManyRows(t *testing.T) {
	const n = 40_000
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i*7919%n) / n // in a mixed order
	}
	x := dense64(n, 1, v...)
	for list, want := range map[string][]float64{"quantile-uniform": {.1, .5, .9}, "robust": {-.8 / math.Sqrt(1+.64/9), 0, .8 / math.Sqrt(1+.64/9)}} {
		whole, blocks := must(ParseScalers(list)), must(ParseScalers(list))
		mustDo(errors.Join(whole.Fit(x), blocks.FitBlocks(blocksOf(x, 999))))
		z := dense64(3, 1, .1, .5, .9)
		must(whole.ApplyInPlace(z))
		// The standard error of a level is at most √(¼/10,000) = .005, and of robust's z twice that; five of them.
		near(t, list, z.Float64s(), want, .05)
		sameState(t, list, blocks, whole, 0, 0)
	}
}

// sameState wants what one scaler learned to be what another did, up to a relative and an absolute difference.
func sameState(t *testing.T, what string, got, want *Scaler, relative, absolute float64) {
	t.Helper()
	state := got.State()
	for key, vector := range want.State() {
		for i, w := range vector.Float64s() {
			if g := state[key].Float64s()[i]; !(math.Abs(g-w) <= relative*math.Abs(w)+absolute) {
				t.Errorf("%s: %s[%d] is %v, want %v", what, key, i, g, w)
			}
		}
	}
}

func TestScalerStateNames(t *testing.T) {
	c := must(ParseScalers("minmax,l2,quantile,standard"))
	if len(c.State()) != 0 {
		t.Error("a state before Fit")
	}
	mustDo(c.Fit(dense64(2, 3, 1, 2, 3, 4, 5, 7)))
	got := slices.Sorted(maps.Keys(c.State()))
	want := []string{"0.minmax.max", "0.minmax.min", "2.quantile.knots", "2.quantile.scores", "3.standard.mean", "3.standard.scale", "cols"}
	if !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}

// TestScalerErrors: every scaler refuses rows that it cannot fit or scale, and is then as it was.
func TestScalerErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	turned, narrow := dense64(3, 2, 1, 2, 3, 4, 5, 6), dense64(3, 2, 1, 2, 3, 4, 5, 6)
	mustDo(turned.T())
	type refused struct {
		x        ops.Matrix
		sentinel error
		says     []string
	}
	for _, list := range allScalers[:len(allScalers)-1] {
		c, who := must(ParseScalers(list)), fmt.Sprintf("scaler %q", list)
		fails(t, failed(c.ApplyInPlace(dense64(1, 3, 1, 2, 3))), domain.ErrParam, who, "not fitted")
		mustDo(c.Fit(dense64(2, 3, 1, 2, 3, 4, 5, 7)))
		fitted := c.State()
		for _, r := range []refused{
			{dense64(0, 3), domain.ErrShape, []string{"0 rows of 3 columns"}},
			{nil, domain.ErrShape, []string{"nil"}},
			{tensor.New(tensor.WithBacking([]float64{1, 2})), domain.ErrShape, []string{"(2)"}},
			{tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]int{1, 2})), domain.ErrDtype, []string{"int"}},
			{dense64(2, 2, 1, 2, nan, 3), domain.ErrDomain, []string{"x[1,0] = NaN"}},
			{dense32(1, 2, 1, float32(inf)), domain.ErrDomain, []string{"x[0,1] = +Inf"}},
			{dense64(1, 2, -inf, 3), domain.ErrDomain, []string{"x[0,0] = -Inf"}},
		} {
			fails(t, c.Fit(r.x), r.sentinel, append(r.says, who)...)
		}
		if !reflect.DeepEqual(c.State(), fitted) {
			t.Errorf("%s: a refused Fit changed it", list)
		}
		for _, r := range []refused{
			{narrow, domain.ErrShape, []string{"fitted to 3 columns", "x has 2"}},
			{turned, domain.ErrShape, []string{"contiguous"}},
			{dense64(2, 3, 3, 5, 1, 1, nan, 1), domain.ErrDomain, []string{"x[1,1] = NaN", "drop the row"}},
		} {
			fails(t, failed(c.ApplyInPlace(r.x)), r.sentinel, append(r.says, who)...)
		}
		if !slices.Equal(numbers(narrow), []float64{1, 2, 3, 4, 5, 6}) {
			t.Errorf("%s: rows of another width were scaled", list)
		}
		must(c.ApplyInPlace(dense64(0, 3)))
	}
	c := must(ParseScalers("minmax,l2"))
	mustDo(c.Fit(dense64(2, 2, 1, 0, 2, 1e-300)))
	fails(t, failed(c.ApplyInPlace(dense64(1, 2, 1, 1e300))), domain.ErrDomain, "x[0,1] = 1e+300", "overflows when scaled by minmax", "fit with it")
	s := must(ParseScalers("standard"))
	mustDo(s.SetState(map[string]*tensor.Dense{"cols": vector([]float64{1}),
		"0.standard.mean": vector([]float64{0}), "0.standard.scale": vector([]float64{1e-30})}))
	fails(t, failed(s.ApplyInPlace(dense32(1, 1, 1e20))), domain.ErrDomain, "x[0,0] = 1.0000000200408773e+20", "overflows float32")
}

func TestSetStateErrors(t *testing.T) {
	v := func(x ...float64) *tensor.Dense { return vector(x) }
	type state = map[string]*tensor.Dense
	// of makes the state of one scaler of a list of one.
	of := func(list string, cols float64, vectors ...any) state {
		st := state{"cols": v(cols)}
		for i := 0; i < len(vectors); i += 2 {
			st["0."+list+"."+vectors[i].(string)] = vectors[i+1].(*tensor.Dense)
		}
		return st
	}
	for _, c := range []struct {
		list string
		st   state
		says []string
	}{
		{"minmax", of("minmax", 1), []string{`"0.minmax.min"`, "missing"}},
		{"minmax", of("minmax", 1, "min", v(1)), []string{`"0.minmax.max"`, "missing"}},
		{"minmax", of("minmax", 1, "min", v(1), "max", v(2), "mean", v(1)), []string{`minmax.mean"`, "not one"}},
		{"minmax", of("minmax", 1, "min", v(1), "max", v(2, 3)), []string{`minmax.max"`, "length 2"}},
		{"minmax", of("minmax", 2, "min", v(1, 5), "max", v(2, 4)), []string{`"0.minmax"`, "min 5 above max 4", "column 1"}},
		{"minmax", of("minmax", 1, "min", v(math.Inf(-1)), "max", v(2)), []string{`minmax.min"`, "-Inf at 0"}},
		{"minmax", of("minmax", 1, "min", dense64(1, 1, 1), "max", v(2)), []string{`minmax.min"`, "want a float64 vector"}},
		{"minmax", of("minmax", 1, "min", tensor.New(tensor.WithBacking([]float32{1})), "max", v(2)), []string{"float32"}},
		{"minmax", of("standard", 1, "mean", v(1)), []string{`"0.minmax.min"`, "missing"}},
		{"minmax", of("minmax", 2, "min", v(1), "max", v(2)), []string{`minmax.min"`, "length 1", "2 columns"}},
		{"minmax", of("minmax", 1, "min", v(1, 1), "max", v(2, 2)), []string{"2 columns", `"cols" is 1`}},
		{"standard", of("standard", 1, "mean", v(1), "scale", v(0)), []string{"scale 0 in column 0"}},
		{"standard", of("standard", 1, "mean", v(1), "scale", v(math.NaN())), []string{`standard.scale"`, "NaN at 0"}},
		{"robust", of("robust", 1, "median", v(1), "width", v(-1)), []string{"width -1 in column 0"}},
		{"quantile", of("quantile", 2, "knots", v(1, 2, 4, 3), "scores", v(1, 2, 3, 4)), []string{"knot 3 after 4 in column 1"}},
		{"quantile", of("quantile", 2, "knots", v(1, 2, 3), "scores", v(1, 2, 3)), []string{"length 3", "2 columns"}},
		{"l2", state{"cols": v(1), "norm": v(1)}, []string{`"l2"`, `"norm"`, "not one"}},
		{"l2", state{}, []string{`"cols"`, "missing"}},
		{"l2", state{"cols": v(1.5)}, []string{`"cols"`, "1.5"}},
		{"l2", state{"cols": v(0)}, []string{`"cols"`, "whole number"}},
		{"l2", state{"cols": v(1, 2)}, []string{`"cols"`, "one whole"}},
		{"l2", state{"cols": v(1e300)}, []string{`"cols"`, "1e+300"}},
	} {
		s := must(ParseScalers(c.list))
		fails(t, s.SetState(c.st), domain.ErrParam, append(c.says, "data: scaler")...)
		if len(s.State()) != 0 {
			t.Errorf("a refused state changed the scaler to %v", s.State())
		}
	}
	fails(t, failed(ParseScalers("minmax,zscore")), domain.ErrParam, `"zscore"`, "standard")
	fails(t, failed(ParseScalers("minmax,,l2")), domain.ErrParam, `""`)
}

// TestSideBySide: fitted scalers side by side scale as their lists do, and an error about a scaled row has the column of
// the rows.
func TestSideBySide(t *testing.T) {
	x, lists := dense64(3, 2, 1, 10, 3, 30, 2, 10), []string{"minmax", "l1|standard"}
	scalers := []*Scaler{must(ParseScalers(lists[0])), must(ParseScalers(lists[1]))}
	fails(t, failed(SideBySide(scalers...)), domain.ErrParam, "SideBySide", "scaler 0 is not fitted")
	fails(t, failed(SideBySide()), domain.ErrParam, "no scaler")
	for _, s := range scalers {
		mustDo(s.Fit(x))
	}
	both, whole := must(SideBySide(scalers...)), must(ParseScalers(strings.Join(lists, "|")))
	mustDo(whole.Fit(x))
	sameState(t, "side by side", both, whole, 0, 0)
	if both.Name() != "minmax|l1|standard" || both.Lists() != 3 || !slices.Equal(numbers(must(both.Apply(x))), numbers(must(whole.Apply(x)))) {
		t.Errorf("%s scales otherwise than %s", both.Name(), whole.Name())
	}
	narrow := must(ParseScalers("none"))
	mustDo(narrow.Fit(dense64(1, 1, 1)))
	fails(t, failed(SideBySide(both, narrow, nil)), domain.ErrShape, "scaler 1 was fitted to 1 columns", "before it to 2")
	for _, of := range []error{&domain.CellError{Col: 5}, &domain.CellError{Col: 1}, &domain.CellError{Matrix: "W", Col: 5}, domain.ErrParam, nil} {
		want := of
		if cell, ok := of.(*domain.CellError); ok && cell.OfInput() {
			want = &domain.CellError{Col: 1, Scaled: true}
		}
		if got := both.Locate(of); !reflect.DeepEqual(got, want) {
			t.Errorf("%v becomes %v, want %v", of, got, want)
		}
	}
}
