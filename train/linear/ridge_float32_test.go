package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/rows"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// floatRows are n float32 rows about a mean, cosines as features are, with targets -1 and 1 that depend on them.
func floatRows(n, d int, mean float64, seed uint64) (*tensor.Dense, *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 0))
	z, y := make([]float32, n*d), mat.NewDense(n, 2, nil)
	for i := range n {
		sum, own := 0., r.NormFloat64()
		for j := range d {
			v := math.Cos(own*float64(j%7) + 6*r.Float64())
			z[i*d+j] = float32(mean + v)
			sum += v * float64(j%3-1)
		}
		y.SetRow(i, []float64{math.Copysign(1, sum), -math.Copysign(1, sum)})
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(z)), y
}

// floatStats adds rows in three blocks.
func floatStats(t *testing.T, z *tensor.Dense, y *mat.Dense, s RidgeStats) *RidgeStats {
	t.Helper()
	n, d := z.Shape()[0], z.Shape()[1]
	for _, cut := range [][2]int{{0, n / 3}, {n / 3, n - 5}, {n - 5, n}} {
		part := tensor.New(tensor.WithShape(cut[1]-cut[0], d), tensor.WithBacking(z.Float32s()[cut[0]*d:cut[1]*d]))
		ok(t, s.Add(part, y.Slice(cut[0], cut[1], 0, 2).(*mat.Dense)))
	}
	return &s
}

// roundedWithin checks the rounding of a matrix of float32 products, each element and the norm.
func roundedWithin(t *testing.T, name string, got, want []float64, n int, each, norm float64) {
	t.Helper()
	change := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			e := got[i*n+j] - want[i*n+j]
			change.SetSym(i, j, e)
			if e = math.Abs(e) / math.Sqrt(want[i*n+i]*want[j*n+j]); e > each {
				t.Errorf("%s: [%d,%d] is off by %.3g, the bound is %.3g", name, i, j, e, each)
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(change, false) {
		t.Fatal("no eigenvalues")
	}
	values := eigen.Values(nil)
	if off := max(-values[0], values[n-1]); !(off > 0 && off <= norm) {
		t.Errorf("%s: the norm of the change is %.3g, the bound %.3g", name, off, norm)
	}
}

// TestFloat32Products: the rounding of G is within the bounds that its documentation states, of any roundings and, at 5
// standard deviations, of independent ones, for means up to 1e4 times the spread and with weights; all other sums have
// the bits of float64 products.
func TestFloat32Products(t *testing.T) {
	const u, d = 0x1p-24, 29
	for _, c := range []struct {
		n       int
		mean    float64
		weights []float64
	}{{6007, 0, nil}, {6007, 3, nil}, {3001, 1e4, nil}, {6007, 0, []float64{1, 1.5}}, {90, .5, nil}} {
		name := fmt.Sprintf("%d rows, mean %g, weights %v", c.n, c.mean, c.weights)
		z, y := floatRows(c.n, d, c.mean, 5)
		got := floatStats(t, z, y, RidgeStats{Float32Products: true, ClassWeights: c.weights})
		want := floatStats(t, z, y, RidgeStats{ClassWeights: c.weights})
		if !slices.Equal(got.r, want.r) || !slices.Equal(got.meanZ, want.meanZ) || !slices.Equal(got.yy, want.yy) || got.mass != want.mass {
			t.Errorf("%s: R, S or a mean has other bits", name)
		}
		// a block of few rows has sums as short, whose rounding is the one of the centring
		spread, _ := trace(want.g, d)
		bound := (got.LeastLambda()/floatMargin/got.mass + 2*u/math.Sqrt(float64(c.n))) * spread
		roundedWithin(t, name, got.g, want.g, d, min(131, 2+5*74/math.Sqrt(float64(c.n)))*u, bound)
		if want.LeastLambda() != 0 || !(got.LeastLambda() > 0) {
			t.Errorf("%s: the least lambda is %v and, for float64 products, %v", name, got.LeastLambda(), want.LeastLambda())
		}
		// 7e-5 √(n/D) in its documentation, of features and rows of like size
		if like := 7.05e-5 * math.Sqrt(float64(c.n)/d); c.weights == nil && c.n > 1000 && math.Abs(got.LeastLambda()/like-1) > .15 {
			t.Errorf("%s: the least lambda is %.3g, want about %.3g", name, got.LeastLambda(), like)
		}
	}
	const n, columns = 90, 2300
	z, y := floatRows(n, columns, 1, 11)
	r := must(newDualRows(must(rows.New(t.Context(), "Ridge", nil, data.Pairs{X: z, Y: y}))))
	k, least := r.gramFloat32(t.Context())
	want := r.gram(t.Context())
	spread, _ := trace(want, n)
	roundedWithin(t, "Gram matrix", k, want, n, 131*u, least/floatMargin*spread/n+2*u*spread/math.Sqrt(n))
}

// TestFloat32Range: blocks that are beyond the range of float32 squares, to either side, and rows that do not vary have
// the bits of float64 products.
func TestFloat32Range(t *testing.T) {
	for _, scale := range []float32{1e-30, 1e-14, 1e20, 1e30, 0} {
		z, y := floatRows(150, 11, 0, 7)
		for i, v := range z.Float32s() {
			if z.Float32s()[i] = v * scale; scale == 0 {
				z.Float32s()[i] = .1 * float32(1+i%11)
			}
		}
		got, want := floatStats(t, z, y, RidgeStats{Float32Products: true}), floatStats(t, z, y, RidgeStats{})
		if !slices.Equal(got.g, want.g) || got.LeastLambda() != 0 {
			t.Errorf("scale %g: other bits than float64 products", scale)
		}
	}
}

// TestRidgeFloat32: with more rows than features and with fewer, a fit by float32 products differs by the rounding of
// G, or of the Gram matrix, in proportion to the penalty. For a
// lambda below the least, given or chosen, and for features beyond the range of float32 squares, it has the bits of
// float64 products.
func TestRidgeFloat32(t *testing.T) {
	ctx := t.Context()
	for _, size := range [][2]int{{12500, 50}, {90, 2300}} { // so many that float32 products are tried where lambda is chosen
		n, d := size[0], size[1]
		z, y := floatRows(n, d, 1, 11)
		exact := func(z *tensor.Dense, o RidgeOptions) *Fit {
			s := must(rows.New(ctx, "Ridge", nil, data.Pairs{X: z, Y: y}))
			if o.ClassWeights == nil {
				ok(t, s.InUnit())
			}
			var f *Fit
			if n < d {
				all := must(newDualRows(s))
				f = must(fitRidgeGram(s, all, all.gram(ctx), o))
			} else {
				var err error
				f, _, err = fitRidgeSums(s, o, false)
				ok(t, err)
			}
			ok(t, f.outOfUnit(s))
			return f
		}
		least := floatStats(t, z, y, RidgeStats{Float32Products: true}).LeastLambda()
		if n < d {
			_, least = must(newDualRows(must(rows.New(ctx, "Ridge", nil, data.Pairs{X: z, Y: y})))).gramFloat32(ctx)
		}
		for _, lambda := range []float64{least * 1.2, least * 100, 1e-3 * float64(n)} {
			o := RidgeOptions{Lambdas: []float64{lambda}}
			got, want := fit(t, nil, z, y, o), exact(z, o)
			// W changes by (G + λ s I)⁻¹ ΔG W, and ‖ΔG‖ is at most 1/8 of λ s least/λ
			var change mat.Dense
			change.Sub(got.W, want.W)
			off, bound := mat.Norm(&change, 2)/mat.Norm(want.W, 2), least/lambda/floatMargin
			if got.Dual != (n < d) || off == 0 || off > bound {
				t.Errorf("%v, lambda %g: W is off by %.3g of its norm, the bound is %.3g", size, lambda, off, bound)
			}
		}
		same := func(name string, z *tensor.Dense, o RidgeOptions) *Fit {
			t.Helper()
			got, want := fit(t, nil, z, y, o), exact(z, o)
			if !mat.Equal(got.W, want.W) || got.Lambda != want.Lambda {
				t.Errorf("%v, %s: not the fit by float64 products, lambda %g and %g", size, name, got.Lambda, want.Lambda)
			}
			return got
		}
		same("given", z, RidgeOptions{Lambdas: []float64{least / 100}})
		same("just below", z, RidgeOptions{Lambdas: []float64{least * .99}})
		same("one of some", z, RidgeOptions{Lambdas: []float64{least / 100, 1}})
		large := tensor.New(tensor.WithShape(n, d), tensor.WithBacking(slices.Clone(z.Float32s())))
		for i := range large.Float32s() {
			large.Float32s()[i] *= 1e25
		}
		same("large", large, RidgeOptions{Lambdas: []float64{1}})
		if n > d {
			same("zero", z, RidgeOptions{Lambdas: []float64{0}})
			same("weighted", z, RidgeOptions{Lambdas: []float64{least / 1e3}, ClassWeights: []float64{1, 2}})
			for _, lambda := range []float64{least / 100, least * 10} { // rows that are read are read again
				o := RidgeOptions{Lambdas: []float64{lambda}}
				got := must(FitRidge(ctx, nil, trial.Read{Pairs: data.Pairs{X: z, Y: y}}, o))
				if off := far(got, fit(t, nil, z, y, o)); off > 1e-6 || lambda < least && off > 1e-12 {
					t.Errorf("lambda %g: rows that are read differ by %.3g", lambda, off)
				}
			}
			for i := range n { // linear in the features: the least lambda there is
				y.SetRow(i, []float64{1e3 * float64(z.Float32s()[i*d]), float64(z.Float32s()[i*d+1])})
			}
			if f := same("chosen", z, RidgeOptions{}); f.Lambda >= least {
				t.Errorf("%v: lambda %g is chosen, and the least is %g", size, f.Lambda, least)
			}
		}
	}
}

// TestFloat32Merge: parts that are merged know the rounding of all, and a file and Forget keep how rows are multiplied.
func TestFloat32Merge(t *testing.T) {
	z, y := floatRows(600, 13, 2, 11)
	whole := floatStats(t, z, y, RidgeStats{Float32Products: true})
	a, b := floatStats(t, z, y, RidgeStats{Float32Products: true}), floatStats(t, z, y, RidgeStats{Float32Products: true})
	ok(t, a.Merge(b))
	// twice the rows have √2 times the rounding and twice the spread, of which lambda is 1/n
	if r := a.LeastLambda() / whole.LeastLambda(); math.Abs(r-math.Sqrt2) > 1e-9 {
		t.Errorf("twice the rows: the least lambda is %v times that of once, want √2", r)
	}
	ok(t, a.Forget(.5))
	// halves of twice the rows: the same share of G, and half the mass
	if r := a.LeastLambda() / whole.LeastLambda(); math.Abs(r-math.Sqrt2/2) > 1e-9 {
		t.Errorf("after Forget the least lambda is %v times that of once, want 1/√2", r)
	}
	raw := must(whole.MarshalBinary())
	read := RidgeStats{Float32Products: true}
	ok(t, read.UnmarshalBinary(raw))
	all := floatStats(t, z, y, RidgeStats{Float32Products: true})
	if !read.Float32Products || sumsApart(&read, whole) != 0 || sumsApart(all, whole) != 0 {
		t.Error("a file changes the sums or how rows are multiplied")
	}
}

// TestFloat32Pays: float32 products are left alone where lambda is below what they are good for, and where choosing it
// twice would take longer than they save.
func TestFloat32Pays(t *testing.T) {
	for _, c := range []struct {
		n, d int
		o    RidgeOptions
		want bool
	}{
		{16000, 4096, RidgeOptions{Lambdas: []float64{1e-3}}, true},
		{16000, 4096, RidgeOptions{Lambdas: []float64{1e-5}}, false},
		{16000, 4096, RidgeOptions{Lambdas: []float64{1e-3, 1}}, true},
		{16000, 4096, RidgeOptions{Lambdas: []float64{1e-5, 1}}, false},
		{16000, 4096, RidgeOptions{Select: SelectNone}, true},
		{16000, 4096, RidgeOptions{}, false},
		{16000, 4096, RidgeOptions{Select: SelectLOO}, false},
		{16000, 1024, RidgeOptions{}, true},
		{160000, 1024, RidgeOptions{Select: SelectLOO}, false},
		{12000, 1024, RidgeOptions{}, false},
		{20000, 2048, RidgeOptions{}, true},
		{160000, 4096, RidgeOptions{}, true},
		{600, 4096, RidgeOptions{}, false},
		{100, 4096, RidgeOptions{}, true},
	} {
		if got := c.o.float32Pays(fits.Problem{Rows: c.n, Features: c.d}); got != c.want {
			t.Errorf("%d x %d, %+v: %v", c.n, c.d, c.o, got)
		}
	}
}
