package data_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// twoFiles is a folder with two files.
func twoFiles() string {
	dir, _ := folder("0.csv", "0,1,a\n1,1,a\n2,3,b\n")
	if err := os.WriteFile(filepath.Join(dir, "1.csv"), []byte("5,0,b\n6,2,b\n"), 0o600); err != nil {
		panic(err)
	}
	return dir
}

func ExampleOpenStream() {
	dir := twoFiles()
	defer os.RemoveAll(dir)
	stream, err := data.OpenStream(data.StreamOptions{BlockRows: 4}, dir)
	if err != nil {
		panic(err)
	}
	for block, err := range stream.Blocks(context.Background(), 0) {
		if err != nil {
			panic(err)
		}
		fmt.Println(block.X.Shape(), block.Labels)
	}
	// Output:
	// (4, 2) [a a b b]
	// (1, 2) [b]
}

func ExampleReadAll() {
	dir := twoFiles()
	defer os.RemoveAll(dir)
	set, err := data.ReadAll(context.Background(), data.Options{}, dir)
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Rows(), "rows of", set.Dims(), "features")
	// Output:
	// 5 rows of 2 features
}

func ExamplePart() {
	x := tensor.New(tensor.WithShape(5, 1), tensor.WithBacking([]float64{10, 11, 12, 13, 14}))
	rows := data.Pairs{X: x, Y: mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})}
	even := data.Part(rows, func(_, row int) bool { return row%2 == 0 })
	for b, err := range even.Blocks(context.Background(), 0) {
		fmt.Println(b.X.(*tensor.Dense).Float64s(), b.Y.RawMatrix().Data, err)
	}
	// Output: [10 12 14] [0 2 4] <nil>
}
