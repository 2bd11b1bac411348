package spectral

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// dense is a float64 tensor [n, d] of numbers in (0, 1) that float32 holds exactly.
func dense(name string, n, d int) *tensor.Dense {
	rng, data := testRand(name), make([]float64, n*d)
	for i := range data {
		data[i] = float64(rng.Float32()) + 0x1p-30
		data[i] = float64(float32(data[i]))
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(data))
}

func toFloat32(x *tensor.Dense) *tensor.Dense {
	out := make([]float32, len(x.Float64s()))
	for i, v := range x.Float64s() {
		out[i] = float32(v)
	}
	return tensor.New(tensor.WithShape(x.Shape()...), tensor.WithBacking(out))
}

// rowsOf are the rows of a float64 matrix.
func rowsOf(x *tensor.Dense) [][]float64 {
	return slices.Collect(slices.Chunk(x.Float64s(), x.Shape()[1]))
}

// matrixOf is the inverse of rowsOf.
func matrixOf(x [][]float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(x), len(x[0])), tensor.WithBacking(slices.Concat(x...)))
}

// TestGram: Gram is At of each pair, and its matrix of rows with themselves is positive definite.
func TestGram(t *testing.T) {
	x := dense("x", 13, 5)
	eachKernel(t, func(t *testing.T, tk testKernel) {
		gramAgainstAt(t, tk.kernel, rowsOf(x), 1e-14)
		own := must(Gram(tk.kernel, x, nil))
		var eig mat.EigenSym
		if !eig.Factorize(mat.NewSymDense(13, own.RawMatrix().Data), false) || eig.Values(nil)[0] < -1e-12 {
			t.Errorf("eigenvalues %v", eig.Values(nil))
		}
		single, err := Gram(tk.kernel, toFloat32(x), x)
		if err != nil || !mat.Equal(single, must(Gram(tk.kernel, x, x.Clone().(*tensor.Dense)))) {
			t.Errorf("float32 input that is exact: another matrix (%v)", err)
		}
	})
}

// gramAgainstAt compares Gram with At, on rows against themselves and against all but the last.
func gramAgainstAt(t *testing.T, k Kernel, x [][]float64, tol float64) {
	t.Helper()
	own, cross := must(Gram(k, matrixOf(x), nil)), must(Gram(k, matrixOf(x), matrixOf(x[:len(x)-1])))
	for i := range x {
		for j := range x {
			want, got := k.At(x[i], x[j]), []float64{own.At(i, j)}
			if j < len(x)-1 {
				got = append(got, cross.At(i, j))
			}
			for _, got := range got {
				if !near(got, want, tol) {
					t.Fatalf("%T%+v, rows %d and %d: %.17g, At says %.17g", k, k, i, j, got, want)
				}
			}
		}
	}
}

// preparedRows are what Gram may get wrong where it prepares the rows: histograms with many zeros, one of nothing else,
// one without any, and two that are equal; rows that differ in one cell in its tenth digit; and numbers of which a
// product of roots, a sum of squares or a difference of logarithms loses digits or overflows, beside zeros.
func preparedRows() [][][]float64 {
	all := [][][]float64{
		{{0, 0, 0}, {1e-300, 0, 1}, {1e300, 1e300, 1e300}, {1, 1e-300, 1e300}, {5e-324, 1, 0},
			{1e-300, 3e-300, 2e-300}, {1e150, 1e-150, 0}},
		{{0, 1}, {1e300, 1}, {0, 2}, {5e-324, 1}, {1e-200, 1e200}},
		{{5e-324}, {1e-323}, {3e-310}, {1e-300}, {1e-20}, {.3}, {math.Nextafter(.3, 1)}, {.3 + 1e-9}, {.9}, {1e290}},
		{{1.5e308}, {1e308}, {0}},
	}
	rng := testRand("histograms")
	histogram := func(d int, isZero func() bool) []float64 {
		x := make([]float64, d)
		for j := range x {
			if !isZero() {
				x[j] = rng.ExpFloat64() / float64(d)
			}
		}
		return x
	}
	for _, d := range []int{1, 2, 3, 67, 331} {
		x := make([][]float64, 11)
		for i := range x {
			x[i] = histogram(d, func() bool { return i == 0 || i > 1 && rng.IntN(4) > 0 })
		}
		x[7] = x[5]
		all = append(all, x)
	}
	full := histogram(40, func() bool { return false })
	moved, scaled := slices.Clone(full), slices.Clone(full)
	moved[7] += 1e-10
	scaled[9] *= 1 + 1e-10
	return append(all, [][]float64{full, moved, scaled, histogram(40, func() bool { return false })})
}

// TestGramOfPreparedRows: for these rows Gram agrees with At for the kernels for which it prepares them, and for the
// extensions that it leaves to At. -ln k up to 100 of many terms may be off by the rounding of its terms, 1e-12.
func TestGramOfPreparedRows(t *testing.T) {
	kernels := []Kernel{Gaussian{.3}, Gaussian{1}, Gaussian{1e-200}, Gaussian{1e-300}, Gaussian{1e300},
		SkewedChi2{0}, SkewedChi2{1e-300}, SkewedChi2{1e-3}, SkewedChi2{2},
		SkewedIntersection{0}, SkewedIntersection{1e-300}, SkewedIntersection{1e-3}, SkewedIntersection{2},
		ExpSemigroup{1e-100}, ExpSemigroup{.1},
		ReciprocalSemigroup{1e-300}, ReciprocalSemigroup{.001}, ReciprocalSemigroup{3}, ReciprocalSemigroup{1e305},
		TruncatedL1{1e-300}, TruncatedL1{1e300}, HomogeneousGaussian{.6, 2, 0}}
	for _, k := range homogeneousKernels {
		for _, gamma := range []float64{.1, .5, 1, 2, 3} {
			of := k.of(gamma, RejectNegative)
			kernels = append(kernels, of, Exponentiated{of, .7}, Exponentiated{of, 1e-9})
		}
		kernels = append(kernels, k.of(1, SignNegative), k.of(.5, SplitNegative), Exponentiated{k.of(1, SplitNegative), .7})
	}
	for _, x := range preparedRows() {
		for _, k := range kernels {
			if !slices.ContainsFunc(slices.Concat(x...), func(v float64) bool { return !k.Domain().Contains(v) }) {
				gramAgainstAt(t, k, x, 3e-12)
			}
		}
	}
}

// embedded is a kernel of a user's own, which Gram must not take for the one that it embeds.
type embedded struct{ Chi2 }

func (embedded) At(x, z []float64) float64 { return 7 }

func TestGramAsksAnEmbeddingKernel(t *testing.T) {
	for _, k := range []Kernel{embedded{}, &embedded{}} {
		if g, err := Gram(k, dense("embedded", 2, 3), nil); err != nil || g.At(0, 1) != 7 {
			t.Errorf("%v, %v", g, err)
		}
	}
}

// BenchmarkGram: rows of 4200 bins of which a quarter are not 0, against as many.
func BenchmarkGram(b *testing.B) {
	rng, x := testRand("bench"), make([]float64, 100*4200)
	for i := range x {
		if rng.IntN(4) == 0 {
			x[i] = rng.ExpFloat64() / 1000
		}
	}
	rows := tensor.New(tensor.WithShape(100, 4200), tensor.WithBacking(x))
	for _, k := range []Kernel{Gaussian{1}, SkewedChi2{.01}, SkewedIntersection{.01}, ExpSemigroup{.01},
		ReciprocalSemigroup{.1}, Hellinger{}, Chi2{}, Intersection{},
		JensenShannon{}, Exponentiated{Chi2{}, 1}} {
		b.Run(fmt.Sprintf("%T", k), func(b *testing.B) {
			for range b.N {
				if _, err := Gram(k, rows, rows.Clone().(*tensor.Dense)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e4, "ns/pair")
		})
	}
}

func TestGramIsDeterministic(t *testing.T) {
	x := dense("threads", 101, 3)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, _ := Gram(Matern{1.3, 1}, x, nil)
	runtime.GOMAXPROCS(7)
	seven, _ := Gram(Matern{1.3, 1}, x, nil)
	if !mat.Equal(one, seven) {
		t.Error("the number of threads shows in the result")
	}
}

func TestGramViewsAndEdgeShapes(t *testing.T) {
	x := dense("views", 5, 7)
	k := Gaussian{1}
	slice := func(s ...tensor.Slice) *tensor.Dense { return must(x.Slice(s...)).(*tensor.Dense) }
	transposed := x.Clone().(*tensor.Dense)
	must(0, transposed.T())
	column := tensor.New(tensor.WithShape(3, 2), tensor.AsFortran([]float64{1, 2, 3, 4, 5, 6}))
	for name, v := range map[string]*tensor.Dense{"columns": slice(nil, tensor.S(2, 5)), "rows": slice(tensor.S(1, 4)),
		"transpose": transposed, "fortran": column} {
		copied := make([][]float64, v.Shape()[0])
		for i := range copied {
			for j := range v.Shape()[1] {
				copied[i] = append(copied[i], must(v.At(i, j)).(float64))
			}
		}
		got := must(Gram(k, v, nil))
		if want := must(Gram(k, matrixOf(copied), nil)); !mat.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for _, nd := range [][2]int{{1, 1}, {1, 7}, {5, 1}} {
		g := must(Gram(k, dense("edge", nd[0], nd[1]), nil))
		if r, c := g.Dims(); r != nd[0] || c != nd[0] || g.At(0, 0) != 1 {
			t.Errorf("%v: %v", nd, g)
		}
	}
	empty := tensor.New(tensor.WithShape(0, 7), tensor.WithBacking([]float64{}))
	for _, xz := range [][2]*tensor.Dense{{empty, nil}, {empty, x}, {x, empty}} {
		if g, err := Gram(k, xz[0], xz[1]); err != nil || !g.IsEmpty() {
			t.Errorf("no rows: %v, %v", g, err)
		}
	}
}
