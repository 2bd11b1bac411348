package ops_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// products are seven features of three columns, of up to three factors, the first of none; what no product has is 99.
func products(dt tensor.Dtype) (w, degrees, scales *tensor.Dense) {
	const d, m, most = 3, 7, 3
	w, degrees, scales = tensor.New(tensor.WithShape(d, most*m), tensor.Of(dt)),
		tensor.New(tensor.WithShape(m), tensor.Of(dt)), tensor.New(tensor.WithShape(m), tensor.Of(dt))
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range m {
		setAt(degrees, i, float64(i%4))
		setAt(scales, i, .5+float64(i)/8)
		for j := range most {
			for l := range d {
				setAt(w, l*most*m+j*m+i, 99)
				if j < i%4 {
					setAt(w, l*most*m+j*m+i, float64(2*rng.IntN(2)-1))
				}
			}
		}
	}
	return w, degrees, scales
}

// maclaurinNode is the op on x with these products.
func maclaurinNode(a ops.Attr, in ...*G.Node) (*G.Node, error) {
	g, dt := in[0].Graph(), in[0].Dtype()
	w, degrees, scales := products(dt)
	return ops.Maclaurin(in[0], G.NewMatrix(g, dt, G.WithShape(3, 21), G.WithName("W"), G.WithValue(w)),
		G.NewVector(g, dt, G.WithShape(7), G.WithName("degrees"), G.WithValue(degrees)),
		G.NewVector(g, dt, G.WithShape(7), G.WithName("scales"), G.WithValue(scales)), a)
}

// TestMaclaurin: the features agree with the formula for dense rows, for sparse rows with and without a base, for no
// rows, and for more rows than stand in memory at a time.
func TestMaclaurin(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		w, degrees, scales := products(dt)
		f, err := ops.PackProducts(w, degrees, scales, ops.Attr{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 11, 50000} {
			x := holes(dt, n, 3, 7)
			shifted, err := ops.LogShiftCSR(csr(t, positive(x)), tensor.New(tensor.WithShape(1),
				tensor.WithBacking(one(dt))), ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			full, err := shifted.Dense(nil)
			if err != nil {
				t.Fatal(err)
			}
			for what, in := range map[string]struct {
				given ops.Matrix
				cells *tensor.Dense
			}{"dense": {x, x}, "sparse": {csr(t, x), x}, "sparse with a base": {shifted, full}} {
				z, err := ops.MaclaurinInto(nil, in.given, f, ops.Attr{})
				if err != nil {
					t.Fatal(err)
				}
				for i := 0; i < n; i += 1 + n/50 {
					for k := range 7 {
						want := at(scales, k) / math.Sqrt(7)
						for j := range int(at(degrees, k)) {
							p := 0.
							for l := range 3 {
								p += at2(in.cells, i, l) * at2(w, l, j*7+k)
							}
							want *= p
						}
						if got := at2(z, i, k); !(math.Abs(got-want) <= map[tensor.Dtype]float64{tensor.Float64: 1e-14,
							tensor.Float32: 1e-6}[dt]*(1+math.Abs(want))) {
							t.Fatalf("%v, %s, %d rows: feature [%d,%d] is %v, want %v", dt, what, n, i, k, got, want)
						}
					}
				}
			}
		}
	}
}

func positive(x *tensor.Dense) *tensor.Dense {
	y := x.Clone().(*tensor.Dense)
	for i := range y.Shape().TotalSize() {
		setAt(y, i, math.Abs(at(x, i)))
	}
	return y
}

func one(dt tensor.Dtype) any {
	if dt == tensor.Float32 {
		return []float32{1}
	}
	return []float64{1}
}

// TestMaclaurinAtZero: where a projection is 0 the gradient is the product of the other factors, and no division makes
// it NaN.
func TestMaclaurinAtZero(t *testing.T) {
	g := G.NewGraph()
	x := G.NewMatrix(g, tensor.Float64, G.WithShape(1, 2), G.WithName("x"), G.WithValue(rowsOf(2, 1, 1)))
	vec := func(name string, v ...float64) *G.Node {
		return G.NewVector(g, tensor.Float64, G.WithShape(len(v)), G.WithName(name), G.WithValue(vector(v...)))
	}
	// the factors x₁ - x₂ and x₁ + x₂
	w := G.NewMatrix(g, tensor.Float64, G.WithShape(2, 2), G.WithName("W"), G.WithValue(rowsOf(2, 1, 1, -1, 1)))
	z := G.Must(ops.Maclaurin(x, w, vec("degrees", 2), vec("scales", 3), ops.Attr{}))
	grads, err := G.Grad(G.Must(G.Sum(z)), x)
	if err != nil {
		t.Fatal(err)
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	if dx := grads[0].Value().(*tensor.Dense).Float64s(); dx[0] != 6 || dx[1] != -6 ||
		z.Value().(*tensor.Dense).Float64s()[0] != 0 {
		t.Errorf("the derivative of 3(x₁²-x₂²) at (1, 1) is %v, of the value %v", dx, z.Value())
	}
}

// TestMaclaurinErrors: what does not fit together, and what no draw gives.
func TestMaclaurinErrors(t *testing.T) {
	a := ops.Attr{Layer: `layers: RandomMaclaurinLayer "m"`}
	pack := func(edit func(w, degrees, scales *tensor.Dense) (x, y, z *tensor.Dense)) error {
		w, degrees, scales := products(tensor.Float64)
		w, degrees, scales = edit(w, degrees, scales)
		_, err := ops.PackProducts(w, degrees, scales, a)
		return err
	}
	set := func(which, i int, v float64) func(w, degrees, scales *tensor.Dense) (x, y, z *tensor.Dense) {
		return func(w, degrees, scales *tensor.Dense) (x, y, z *tensor.Dense) {
			setAt([]*tensor.Dense{w, degrees, scales}[which], i, v)
			return w, degrees, scales
		}
	}
	w, degrees, scales := products(tensor.Float64)
	good, err := ops.PackProducts(w, degrees, scales, a)
	if err != nil {
		t.Fatal(err)
	}
	into := func(dst, x *tensor.Dense) error { _, err := ops.MaclaurinInto(dst, x, good, a); return err }
	for says, c := range map[string]struct{ err, is error }{
		"the scales (6)": {pack(func(w, degrees, scales *tensor.Dense) (x, y, z *tensor.Dense) {
			return w, degrees, vector(1, 2, 3, 4, 5, 6)
		}), ops.ErrShape},
		"W is (3, 20)": {pack(func(w, degrees, scales *tensor.Dense) (x, y, z *tensor.Dense) {
			return rowsOf(20, make([]float64, 60)...), degrees, scales
		}), ops.ErrShape},
		"the degrees float32": {pack(func(w, degrees, scales *tensor.Dense) (x, y, z *tensor.Dense) {
			return w, tensor.New(tensor.WithShape(7), tensor.Of(tensor.Float32)), scales
		}), ops.ErrDtype},
		"W[0,8] = NaN": {pack(set(0, 8, math.NaN())), ops.ErrDomain},
		"degrees[0,2] = 1.5 is no whole number from 0 to 3": {pack(set(1, 2, 1.5)), ops.ErrDomain},
		"degrees[0,3] = 4 is no whole number":               {pack(set(1, 3, 4)), ops.ErrDomain},
		"degrees[0,0] = -1":                                 {pack(set(1, 0, -1)), ops.ErrDomain},
		"scales[0,6] = +Inf":                                {pack(set(2, 6, math.Inf(1))), ops.ErrDomain},
		"x has shape (2, 2), want [n, 3]":                   {into(nil, rowsOf(2, 1, 2, 3, 4)), ops.ErrShape},
		"x is float32, W is float64": {into(nil,
			tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Float32))), ops.ErrDtype},
		"x[1,0] = NaN": {into(nil, rowsOf(3, 1, 2, 3, math.NaN(), 4, 5)),
			ops.ErrDomain},
		"the features of row 1 are not finite": {into(nil, rowsOf(3, 1, 2, 3, 1e200, 1e200, 1e200)),
			ops.ErrDomain},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), says) ||
			!strings.Contains(fmt.Sprint(c.err), a.Layer) {
			t.Errorf("%v, want %v with %q", c.err, c.is, says)
		}
	}
}

// Random Maclaurin features of (x·z)², each the product of two inner products with random signs.
func ExampleMaclaurinInto() {
	const d, m = 4, 20000
	rng := rand.New(rand.NewPCG(7, 0))
	w, degrees, scales := make([]float64, d*2*m), make([]float64, m), make([]float64, m)
	for i := range w {
		w[i] = float64(2*rng.IntN(2) - 1)
	}
	for i := range m {
		degrees[i], scales[i] = 2, 1
	}
	f, err := ops.PackProducts(rowsOf(2*m, w...), vector(degrees...), vector(scales...), ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.MaclaurinInto(nil, rowsOf(d, .5, .5, .5, .5, .7, .1, .7, .1), f, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, sum := z.Float64s(), 0.
	for i := range m {
		sum += v[i] * v[m+i]
	}
	fmt.Printf("(x·z)² = %.2f, z(x)·z(z) = %.2f\n", .8*.8, sum)
	// Output:
	// (x·z)² = 0.64, z(x)·z(z) = 0.65
}
