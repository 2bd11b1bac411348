package ops_test

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// tensorOf is a tensor of the shape with the numbers.
func tensorOf(v []float64, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
}

// Frequencies are packed once and serve any number of rows.
func ExamplePack() {
	w, err := ops.Pack(tensorOf([]float64{1, 2}, 1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.FourierInto(nil, tensorOf([]float64{0, math.Pi / 2}, 2, 1), w, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", z)
	// Output:
	// ⎡ 0.707   0.707   0.000   0.000⎤
	// ⎣ 0.000  -0.707   0.707   0.000⎦
}

// Weights for a single call: a product that packs them as it goes.
func ExampleBorrow() {
	w, err := ops.Borrow(tensorOf([]float64{1, 10, 100, 1000}, 2, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.AffineInto(nil, tensorOf([]float64{1, 2}, 1, 2), w, tensorOf([]float64{.5, -.5}, 2), ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", z)
	// Output:
	// R[ 201.5  2009.5]
}

// The frequencies of two signs: one direction, a norm for each, and the roots of the masses 4 and 1.
func ExamplePackSigned() {
	w, err := ops.PackSigned(tensorOf([]float64{1}, 1, 1), tensorOf([]float64{1, 2}, 2), tensorOf([]float64{2, 1}, 2),
		ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.SignedFourierInto(nil, tensorOf([]float64{math.Pi}, 1, 1), w, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("2cos(π), 2sin(π), cos(2π), sin(2π): %.0f\n", z.Float64s())
	// Output: 2cos(π), 2sin(π), cos(2π), sin(2π): [-2 0 1 -0]
}

// Signs and norms in place of a matrix of frequencies: 48 signs for 16 frequencies in 16 dimensions.
func ExamplePackStructured() {
	signs, norms := make([]float64, 3*16), make([]float64, 16)
	for i := range signs {
		signs[i] = float64(1 - 2*(i*i/3%2))
	}
	for i := range norms {
		norms[i] = 4
	}
	w, err := ops.PackStructured(16, tensorOf(signs, 3, 16), tensorOf(norms, 16), nil, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]float64, 16)
	x[0] = 1
	z, err := ops.StructuredFourierInto(nil, tensorOf(x, 1, 16), w, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	length := 0.
	for _, v := range z.Float64s() {
		length += v * v
	}
	fmt.Printf("%v, z·z = %.4f\n", z.Shape(), length)
	// Output: (1, 32), z·z = 1.0000
}

// The cells that are not 0.
func ExampleCSROf() {
	x, err := ops.CSROf(tensorOf([]float64{0, 2, 0, 0, 0, 3}, 2, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x)
	// Output: CSR float64 (2, 3), 2 stored
}

// χ² features of order 0 of sparse rows stay sparse: a root for each entry.
func ExampleHomogeneousCSR() {
	x, err := ops.CSROf(tensorOf([]float64{0, 4, 0, 0, 0, 9}, 2, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.HomogeneousCSR(x, tensorOf([]float64{1}, 1), tensorOf([]float64{1}, 1), ops.Series{Gamma: 1},
		ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	dense, err := z.Dense(nil)
	fmt.Println(z, dense.Float64s(), err)
	// Output: CSR float64 (2, 3), 2 stored [0 2 0 0 0 3] <nil>
}

// The logarithm of sparse rows is sparse but for a number that all cells share.
func ExampleConcatCSR() {
	x, err := ops.NewCSR(2, 3, []int{0, 1, 2}, []int32{2, 0}, []float64{5, 7})
	if err != nil {
		panic(err)
	}
	z, err := ops.ConcatCSR([]float64{1, .5}, ops.Attr{}, x, x)
	if err != nil {
		panic(err)
	}
	fmt.Println(z, z.Columns(), z.Float64s())
	// Output: CSR float64 (2, 6), 4 stored [2 5 0 3] [5 2.5 7 3.5]
}

func ExampleLogShiftCSR() {
	x, err := ops.CSROf(tensorOf([]float64{0, math.E - 1, 0, 0}, 2, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.LogShiftCSR(x, tensorOf([]float64{1}, 1), ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	dense, err := z.Dense(nil)
	fmt.Println(z, dense.Float64s(), err)
	// Output: CSR float64 (2, 2), 1 stored [0 1 0 0] <nil>
}

// Two columns with a table of one function each, x and 10x, between the knots 0 and 1.
func ExampleTableCSR() {
	x, err := ops.CSROf(tensorOf([]float64{0, .5, .25, 0}, 2, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	knots, tables := tensorOf([]float64{0, 1, 0, 1}, 2, 2), tensorOf([]float64{0, 1, 0, 10}, 2, 2)
	z, err := ops.TableCSR(x, knots, tables, ops.Tables{Points: 2, Width: 1, Power: 1}, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	dense, err := z.Dense(nil)
	fmt.Println(z, dense.Float64s(), err)
	// Output: CSR float64 (2, 2), 2 stored [0 5 0.25 0] <nil>
}

// Sets of samples side by side in one matrix: the first has two samples in the plane, the second one.
func ExampleNewBags() {
	b, err := ops.NewBags(tensorOf([]float64{.1, .2, .3, .4, .5, .6}, 3, 2), []int{0, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b, b.Size(0), b.Bag(1).Float64s())
	_, err = ops.NewBags(tensorOf([]float64{.1, .2}, 1, 2), []int{0, 2})
	fmt.Println(err)
	// Output:
	// 2 bags of float64 (3, 2) 2 [0.5 0.6]
	// ops: Bags: the offsets end at 2 and there are 1 samples: shape does not fit
}

// Rows as sets of one sample each.
func ExampleBagsOfRows() {
	b, err := ops.BagsOfRows(tensorOf([]float64{.1, .2, .3, .4}, 2, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b, b.Size(1), b.Bag(1).Float64s())
	// Output: 2 bags of float64 (2, 2) 1 [0.3 0.4]
}

// Three points of the unit square, in place of a grid.
func ExampleNewPoints() {
	g, err := ops.NewPoints(tensorOf([]float64{.1, .9, .5, .5, .9, .2}, 3, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Len(), g.Axes(), g.At(0))
	// Output: 3 2 [0.1 0.9]
}

// The midpoints of 4 × 2 cells of the unit square.
func ExampleNewGrid() {
	g, err := ops.NewGrid(4, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Len(), g.Axes(), g.At(0), g.At(7))
	// Output: 8 2 [0.125 0.25] [0.875 0.75]
}

// A kernel of the caller's own, 1/(1 + (x-l)²), of rows of one number with two landmarks l; P = I hands the two values
// on.
func ExampleNewLandmarks() {
	l, err := ops.NewLandmarks(cauchy{}, tensorOf([]float64{0, 1}, 2, 1), tensorOf([]float64{1, 0, 0, 1}, 2, 2),
		ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := ops.NystromInto(nil, tensorOf([]float64{0, 3}, 2, 1), l, ops.Attr{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(z.Float64s())
	// Output: [1 0.5 0.1 0.2]
}
