package train_test

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Sums that two machines made of their own rows, joined and solved.
func ExampleRidgeStats() {
	sums := func(x, y []float64) []byte {
		var s linear.RidgeStats
		rows := tensor.New(tensor.WithShape(len(x), 1), tensor.WithBacking(x))
		if err := s.AddRows(context.Background(), nil, data.Pairs{X: rows, Y: mat.NewDense(len(y), 1, y)}); err != nil {
			panic(err)
		}
		b, err := s.MarshalBinary()
		if err != nil {
			panic(err)
		}
		return b
	}
	var all linear.RidgeStats
	for _, b := range [][]byte{sums([]float64{0, 1, 2}, []float64{1, 3, 5}), sums([]float64{5, 7}, []float64{11, 15})} {
		var part linear.RidgeStats
		if err := part.UnmarshalBinary(b); err != nil {
			panic(err)
		}
		if err := all.Merge(&part); err != nil {
			panic(err)
		}
	}
	head, err := all.Solve(1e-9)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d rows: y = %.3f x + %.3f\n", all.N(), head.W.At(0, 0), head.B[0])
	// Output:
	// 5 rows: y = 2.000 x + 1.000
}
