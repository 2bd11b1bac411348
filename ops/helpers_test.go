package ops_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func second[V any](_ V, err error) error { return err }

// leaf is a node that holds a value.
func leaf(g *G.ExprGraph, name string, v G.Value) *G.Node {
	return G.NewTensor(g, v.Dtype(), v.Shape().Dims(), G.WithShape(v.Shape()...), G.WithName(name), G.WithValue(v))
}

// runAll runs a graph once.
func runAll(g *G.ExprGraph) error {
	m := G.NewTapeMachine(g)
	defer m.Close()
	return m.RunAll()
}

// run computes the nodes of a graph.
func run(t *testing.T, g *G.ExprGraph) {
	t.Helper()
	if err := runAll(g); err != nil {
		t.Fatal(err)
	}
}

// slopes returns the gradients of the sum of z for nodes.
func slopes(t *testing.T, z *G.Node, wrt ...*G.Node) (out [][]float64) {
	t.Helper()
	grads := must(G.Grad(G.Must(G.Sum(z)), wrt...))
	run(t, z.Graph())
	for _, n := range grads {
		out = append(out, n.Value().(*tensor.Dense).Float64s())
	}
	return out
}

func at(t *tensor.Dense, i int) float64 {
	if t.Dtype() == tensor.Float32 {
		return float64(t.Float32s()[i])
	}
	return t.Float64s()[i]
}

func at2(t *tensor.Dense, i, j int) float64 { return at(t, i*t.Shape()[1]+j) }

func setAt(t *tensor.Dense, i int, v float64) {
	if t.Dtype() == tensor.Float32 {
		t.Float32s()[i] = float32(v)
	} else {
		t.Float64s()[i] = v
	}
}

func all(t *tensor.Dense) []float64 {
	out := make([]float64, t.Shape().TotalSize())
	for i := range out {
		out[i] = at(t, i)
	}
	return out
}

// number is the value of a scalar node.
func number(v G.Value) float64 {
	if v, ok := v.(*G.F32); ok {
		return float64(*v)
	}
	return float64(*v.(*G.F64))
}

// matrix repeats the numbers.
func matrix(dt tensor.Dtype, rows, cols int, v ...float64) *tensor.Dense {
	t := tensor.New(tensor.WithShape(rows, cols), tensor.Of(dt))
	for i := range rows * cols {
		setAt(t, i, v[i%len(v)])
	}
	return t
}

func uniform(dt tensor.Dtype, rows, cols int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	t := tensor.New(tensor.WithShape(rows, cols), tensor.Of(dt))
	for i := range rows * cols {
		setAt(t, i, rng.Float64())
	}
	return t
}

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

// rowsOf is a float64 matrix of so many columns.
func rowsOf(cols int, v ...float64) *tensor.Dense {
	return matrix(tensor.Float64, len(v)/cols, cols, v...)
}

// entries is a vector.
func entries(dt tensor.Dtype, v ...float64) *tensor.Dense {
	t := tensor.New(tensor.WithShape(len(v)), tensor.Of(dt))
	for i, e := range v {
		setAt(t, i, e)
	}
	return t
}

func vector(v ...float64) *tensor.Dense { return entries(tensor.Float64, v...) }

// changed is a copy with another number.
func changed(m *tensor.Dense, i int, v float64) *tensor.Dense {
	c := m.Clone().(*tensor.Dense)
	setAt(c, i, v)
	return c
}

func farthest(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	d := 0.0
	for i := range a {
		d = math.Max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// cauchy is the kernel 1/(1 + ‖x - z‖²), which Nystrom asks row by row; radialCauchy is the same for products.
type cauchy struct{}

func (cauchy) At(x, z []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += (v - z[i]) * (v - z[i])
	}
	return 1 / (1 + s)
}

func (cauchy) Domain() ops.Domain { return ops.Domain{} }

func (k cauchy) Gradient(dst, x, z []float64) []float64 {
	v := k.At(x, z)
	for i := range x {
		dst[i] = -2 * (x[i] - z[i]) * v * v
	}
	return dst
}

type radialCauchy struct{ cauchy }

func (radialCauchy) Profile(k, slope, s []float64) {
	for i, v := range s {
		k[i] = 1 / (1 + v)
	}
	for i := range slope {
		slope[i] = -k[i] * k[i]
	}
}

// products are seven features of three columns, of up to three factors, the first of none; what no product has is 99.
func products(dt tensor.Dtype) (w, degrees, scales *tensor.Dense) {
	const d, m, most = 3, 7, 3
	w, degrees, scales = matrix(dt, d, most*m, 99), entries(dt, make([]float64, m)...), entries(dt, make([]float64, m)...)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range m {
		setAt(degrees, i, float64(i%4))
		setAt(scales, i, .5+float64(i)/8)
		for j := range i % 4 {
			for l := range d {
				setAt(w, l*most*m+j*m+i, float64(2*rng.IntN(2)-1))
			}
		}
	}
	return w, degrees, scales
}

func maclaurinInputs() numbers {
	w, degrees, scales := products(tensor.Float64)
	return numbers{1: all(w), 2: all(degrees), 3: all(scales)}
}

// sketches are p count sketches of three columns and the constant in m buckets.
func sketches(dt tensor.Dtype, p, m int) (buckets, signs *tensor.Dense) {
	buckets, signs = matrix(dt, p, 4, 0), matrix(dt, p, 4, 0)
	for i := range 4 * p {
		setAt(buckets, i, float64((3*i+i*i)%m))
		setAt(signs, i, float64(1-2*(i*i%3)))
	}
	return buckets, signs
}

func sketchInputs(p int) numbers {
	buckets, signs := sketches(tensor.Float64, p, 7)
	return numbers{1: all(buckets), 2: all(signs)}
}
