package data_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// folder is a new one with a file in it, which the caller removes.
func folder(name, text string) (dir, path string) {
	dir, err := os.MkdirTemp("", "data")
	if err != nil {
		panic(err)
	}
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	return dir, path
}

// A file by its name: its ending tells the format.
func ExampleRead() {
	dir, path := folder("toy.csv", "width,height,kind\n2,3,tall\n7,5,wide\n")
	defer os.RemoveAll(dir)
	set, err := data.Read(path, data.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Rows(), "rows of", set.Names, set.Labels)
	// Output: 2 rows of [width height] [tall wide]
}

// The last column of an array is the target, or the class.
func ExampleReadNPY() {
	var file bytes.Buffer
	if err := npyio.Write(&file, mat.NewDense(2, 3, []float64{1, 2, 30, 4, 5, 60})); err != nil {
		panic(err)
	}
	set, err := data.ReadNPY(&file, "array.npy", data.Options{Task: data.Regression})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v\n%v\n", set.X, set.Y)
	// Output:
	// ⎡1  2⎤
	// ⎣4  5⎦
	//
	// [30 60]
}

// Sets of samples from a file, a sample a line.
func ExampleReadBags() {
	dir, path := folder("sets.csv", "bag,label,x\na,1,2\na,1,4\nb,0,3\n")
	defer os.RemoveAll(dir)
	set, err := data.ReadBags(path, data.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(set.X, set.IDs, set.Labels)
	// Output: 2 bags of float64 (3, 1) [a b] [1 0]
}

// Two images of one colour each, black of class 3 and white of class 5, in the layout of CIFAR-10: a pixel is a sample of two places and a brightness.
func ExampleReadImageBags() {
	image := func(class, colour string) string { return class + strings.Repeat(colour, 3*1024) }
	dir, path := folder("images.bin", image("\x03", "\x00")+image("\x05", "\xff"))
	defer os.RemoveAll(dir)
	set, err := data.ReadImageBags(path, false, 0)
	if err != nil {
		panic(err)
	}
	x := set.X.(*ops.Bags)
	fmt.Println(x, set.Labels)
	fmt.Printf("%.3f\n", x.Bag(1).Float64s()[:3])
	// Output:
	// 2 bags of float64 (2048, 3) [3 5]
	// [0.016 0.016 1.000]
}

// Classes that are numbers are sorted as numbers; a label that the training set did not have is an error.
func ExampleNewClasses() {
	classes := data.NewClasses([]string{"10", "2", "10", "-1"})
	fmt.Println(classes)
	fmt.Println(classes.Index([]string{"2", "10"}))
	_, err := classes.Index([]string{"3"})
	fmt.Println(err)
	// Output:
	// [-1 2 10]
	// [1 2] <nil>
	// data: row 0 has the label "3", which is none of the 3 known classes ("-1", "2", "10"): unknown class
}

// Sets of samples from a file, scaled to the unit cube by the range of all of them.
func ExampleReadBagsCSV() {
	const file = "bag,label,x1,x2\nfirst,1,2,10\nfirst,1,4,30\nsecond,0,3,20\n"
	set, err := data.ReadBagsCSV(strings.NewReader(file), "sets.csv", data.Options{})
	if err != nil {
		panic(err)
	}
	cube, err := data.ParseScalers("cube") // later samples beyond the range go to its face
	if err != nil {
		panic(err)
	}
	if err := cube.Fit(set.X); err != nil {
		panic(err)
	}
	if set.X, err = cube.ApplyInPlace(set.X); err != nil {
		panic(err)
	}
	for i, label := range set.Labels {
		fmt.Println(set.IDs[i], "of class", label, set.X.(*ops.Bags).Bag(i).Float64s())
	}
	// Output:
	// first of class 1 [0 0 1 1]
	// second of class 0 [0.5 0.5]
}

// Features that are written block by block; the file has its name once it is whole.
func ExampleNewMatrixFile() {
	dir, path := folder("features.csv", "")
	defer os.RemoveAll(dir)
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

// Columns that a program computes, as an array of NumPy.
func ExampleNewTableWriter() {
	dir, path := folder("columns.npy", "")
	defer os.RemoveAll(dir)
	w, err := data.NewTableWriter(path, []string{"price", "area"}, make([]data.Column, 2))
	if err != nil {
		panic(err)
	}
	err = w.Write([]data.Column{{Numbers: []float64{120, 95}}, {Numbers: []float64{61, 48}}})
	if err := w.Close(err); err != nil {
		panic(err)
	}
	set, err := data.Read(path, data.Options{Label: data.LabelNone})
	fmt.Println(set.X.(*tensor.Dense).Float64s(), err)
	// Output: [120 61 95 48] <nil>
}

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
