package data_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// Features that are written block by block; the file has its name once it is whole.
func ExampleNewMatrixFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "features.csv")
	f, err := data.NewMatrixFile(path, data.AnyRows, 2, tensor.Float64)
	if err != nil {
		panic(err)
	}
	for _, block := range [][]float64{{1, 2, 3, 4}, {5, 6}} {
		x := tensor.New(tensor.WithShape(len(block)/2, 2), tensor.WithBacking(block))
		if err = f.Write(x); err != nil {
			break
		}
	}
	if err := f.Close(err); err != nil {
		panic(err)
	}
	text, err := os.ReadFile(path)
	fmt.Print(string(text), err)
	// Output:
	// 1,2
	// 3,4
	// 5,6
	// <nil>
}
