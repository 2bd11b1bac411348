package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// wordsFile is LIBSVM text of n rows over d words, of which a row has so many.
func wordsFile(n, d, words int, seed uint64) string {
	rng, text := rand.New(rand.NewPCG(seed, 3)), new(strings.Builder)
	for i := range n {
		fmt.Fprint(text, i%3)
		var at []int
		for range words {
			at = append(at, rng.IntN(d))
		}
		slices.Sort(at)
		for _, j := range slices.Compact(at) {
			fmt.Fprintf(text, " %d:%d", j+1, 1+rng.IntN(5))
		}
		fmt.Fprintln(text)
	}
	return text.String()
}

func readText(text string, o Options) *Set {
	return must(ReadLIBSVM(strings.NewReader(text), "words", o))
}

// TestSparseRule: sparse at a tenth and less of 2^16 cells and more, unless a form is asked for; the cells are the same.
func TestSparseRule(t *testing.T) {
	for name, c := range map[string]struct {
		n, d, words int
		form        Form
		sparse      bool
	}{
		"large and sparse": {500, 200, 9, FormAuto, true},
		"large, not so":    {500, 200, 40, FormAuto, false},
		"small":            {100, 200, 2, FormAuto, false},
		"dense by wish":    {500, 200, 9, FormDense, false},
		"sparse by wish":   {10, 7, 7, FormSparse, true},
	} {
		text := wordsFile(c.n, c.d, c.words, 1)
		s := readText(text, Options{Form: c.form, Dims: c.d})
		if _, sparse := s.X.(*ops.CSR); sparse != c.sparse {
			t.Errorf("%s: %T", name, s.X)
		}
		if !slices.Equal(cells(s), cells(readText(text, Options{Form: FormDense, Dims: c.d}))) {
			t.Errorf("%s: other cells", name)
		}
		consistent(t, s, Options{Form: c.form})
	}
	s := must(Read(fileOf(t, "x.csv", "0,1,0,a\n2,0,0,b\n"), Options{Form: FormSparse}))
	if x := s.X.(*ops.CSR); x.Stored() != 2 || !slices.Equal(cells(s), []float64{0, 1, 0, 2, 0, 0}) {
		t.Errorf("CSV: %v", x)
	}
}

// TestSparseMemory: reading takes memory in proportion to the values, not to the cells.
func TestSparseMemory(t *testing.T) {
	text := wordsFile(2000, 1<<20, 20, 1) // 16 GB of cells, 40000 values
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := readText(text, Options{})
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d bytes for %v", got, s.X)
	}
}

func TestSparseScalerErrors(t *testing.T) {
	x := func(v ...float64) *ops.CSR {
		return must(ops.NewCSR(3, 4, []int{0, 2, 3, 4}, []int32{0, 2, 2, 2}, append(v, 1, 2, 3, 4)[:4]))
	}
	for name, c := range map[string]struct {
		list     string
		x        *ops.CSR
		sentinel error
		says     string
	}{
		"standard":         {"l2,standard", x(), ErrZeros, "standard makes another number of the zeros of column 0"},
		"quantile":         {"quantile", x(), ErrZeros, "quantile makes another number of the zeros of column 0"},
		"a median above 0": {"robust", x(), ErrZeros, "robust makes another number of the zeros of column 2"},
		"a negative value": {"minmax", x(-1), ErrZeros, "zeros of column 0"},
		"a full column":    {"minmax", x(), ErrZeros, "zeros of column 2"},
		"NaN":              {"none", x(1, 2, math.NaN()), domain.ErrDomain, "x[1,2] = NaN"},
		"no rows":          {"none", x().Slice(1, 1), domain.ErrShape, "0 rows"},
	} {
		s := must(ParseScalers(c.list))
		fails(t, s.Fit(c.x), c.sentinel, c.says)
		if len(s.State()) != 0 {
			t.Errorf("%s: an error leaves the state %v", name, s.State())
		}
	}
	s := must(ParseScalers("minmax"))
	fails(t, failed(s.ApplyInPlace(x())), domain.ErrParam, "not fitted")
	mustDo(s.Fit(dense64(2, 4, 0, 1, 0, 0, 1e-300, 2, 5, 5)))
	fails(t, failed(s.ApplyInPlace(x())), ErrZeros, "column 1")
	fails(t, failed(s.ApplyInPlace(x().TakeColumns(0, 3, 1))), domain.ErrShape, "x has 3")
	mustDo(s.Fit(dense64(2, 4, 0, 0, 0, 0, 1e-300, 2, 5, 5)))
	fails(t, failed(s.ApplyInPlace(x(1e30))), domain.ErrDomain, "x[0,0] = 1e+30 overflows when scaled by minmax")
	single := must(x(1e10).As(tensor.Float32, "test"))
	mustDo(s.SetState(map[string]*tensor.Dense{"cols": vector([]float64{4}), "0.minmax.min": vector(make([]float64, 4)),
		"0.minmax.max": vector([]float64{1e-30, 1, 1, 1})}))
	fails(t, failed(s.ApplyInPlace(single)), domain.ErrDomain, "overflows float32")
	if _, err := s.ApplyInPlace(x().Slice(1, 3)); err != nil {
		t.Error("a part of the rows is an error")
	}
}
