package ops_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// normal are frequencies of the Gaussian kernel exp(-‖x-y‖²/2), a standard normal number each. Package layers draws
// them, for this kernel and others; an op takes whatever it is given.
func normal(d, m int) *tensor.Dense {
	rng := rand.New(rand.NewPCG(7, 0))
	v := make([]float64, d*m)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return tensor.New(tensor.WithShape(d, m), tensor.WithBacking(v))
}

// A node of a graph like any other: the product of the features with their transpose is the kernel matrix, and what
// depends on it can be differentiated, here the kernel value of two points in the coordinates of both.
func ExampleFourier() {
	const d, m = 2, 20000
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(2, d), G.WithName("x"), G.WithValue(
		tensor.New(tensor.WithShape(2, d), tensor.WithBacking([]float64{0, 0, 1, .5}))))
	w := G.NewMatrix(g, G.Float64, G.WithShape(d, m), G.WithName("W"), G.WithValue(normal(d, m)))

	// Frozen says that nobody wants the gradient for W, and it is not computed.
	z, err := ops.Fourier(ops.Attr{Frozen: ops.W}).Node(x, w)
	if err != nil {
		fmt.Println(err)
		return
	}
	gram := G.Must(G.Mul(z, G.Must(G.Transpose(z))))
	k01 := G.Must(G.Slice(gram, G.S(0), G.S(1)))
	var k, k00 G.Value
	G.Read(k01, &k)
	G.Read(G.Must(G.Slice(gram, G.S(0), G.S(0))), &k00)
	if _, err := G.Grad(k01, x); err != nil {
		fmt.Println(err)
		return
	}
	machine := G.NewTapeMachine(g, G.BindDualValues(x))
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		fmt.Println(err)
		return
	}
	grad, err := x.Grad()
	if err != nil {
		fmt.Println(err)
		return
	}
	exact := math.Exp(-1.25 / 2) // ‖x₀-x₁‖² = 1.25, and dk/dx₀ = -(x₀-x₁)k
	fmt.Printf("features %v\n", z.Shape())
	fmt.Printf("k(x₀, x₀) = %.2f\n", k00)
	fmt.Printf("k(x₀, x₁) = %.2f, exact %.2f\n", k, exact)
	fmt.Printf("dk/dx₀ = %.1f, exact [%.1f %.1f]\n", grad.(*tensor.Dense).Float64s()[:d], exact, exact/2)
	// Output:
	// features (2, 40000)
	// k(x₀, x₀) = 1.00
	// k(x₀, x₁) = 0.54, exact 0.54
	// dk/dx₀ = [0.5 0.3], exact [0.5 0.3]
}

// The same features without a graph, as a server wants them: the frequencies are packed once, and the rows go into
// memory that is there already.
func ExampleOp_Into() {
	const n, d, m = 3, 2, 5
	fourier := ops.Fourier(ops.Attr{Layer: `layers: FourierLayer "rff"`})
	w, err := fourier.Pack(d, normal(d, m))
	if err != nil {
		fmt.Println(err)
		return
	}
	features := tensor.New(tensor.WithShape(n, 2*m), tensor.Of(tensor.Float64))
	rows := tensor.New(tensor.WithShape(n, d), tensor.WithBacking([]float64{0, 0, 1, .5, -2, 3}))
	if _, err := fourier.Into(features, rows, w); err != nil {
		fmt.Println(err)
		return
	}
	for i := range n {
		norm := 0.0
		for _, v := range features.Float64s()[i*2*m : (i+1)*2*m] {
			norm += v * v
		}
		fmt.Printf("row %d: norm %.3f\n", i, math.Sqrt(norm))
	}

	rows.Float64s()[3] = math.Inf(1)
	_, err = fourier.Into(features, rows, w)
	fmt.Println(err)
	fmt.Println(errors.Is(err, ops.ErrDomain))
	// Output:
	// row 0: norm 1.000
	// row 1: norm 1.000
	// row 2: norm 1.000
	// layers: FourierLayer "rff": x[1,1] = +Inf is not a finite number; drop the row or fill the value in
	// true
}

// Bags of words: two rows of six columns, three entries. The cosine of a row without words is 1.
func ExampleNewCSR() {
	x, err := ops.NewCSR(2, 6, []int{0, 0, 3}, []int32{0, 3, 5}, []float64{1, 2, 1})
	if err != nil {
		panic(err)
	}
	z, err := ops.Fourier(ops.Attr{}).Into(nil, x, tensorOf([]float64{.5, 9, 9, .25, 9, 1}, 6, 1))
	if err != nil {
		panic(err)
	}
	fmt.Println(x)
	fmt.Printf("%.4f\n", z.Float64s())
	// Output:
	// CSR float64 (2, 6), 3 stored
	// [1.0000 0.0000 -0.4161 0.9093]
}

// Of two classes the softmax is the logistic function of the difference.
func ExampleSoftmax() {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(1, 2), G.WithName("x"), G.WithValue(
		tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{0, math.Log(3)}))))
	p, err := ops.Softmax(ops.Attr{}).Node(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", p.Value()) // R: one row
	// Output: R[0.250  0.750]
}
