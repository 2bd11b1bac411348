package data_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func ExampleReadLIBSVM() {
	set, err := data.ReadLIBSVM(strings.NewReader("+1 1:0.5 3:2\n-1 2:4\n"), "toy.libsvm", data.Options{})
	if err != nil {
		panic(err)
	}
	classes := data.NewClasses(set.Labels)
	numbers, err := classes.Index(set.Labels)
	fmt.Println(set.Rows(), set.Dims(), set.X.(*tensor.Dense).Float64s(), classes, numbers, err)
	// Output: 2 3 [0.5 0 2 0 4 0] [-1 1] [1 0] <nil>
}

func ExampleReadCSV() {
	set, err := data.ReadCSV(strings.NewReader("width,height,price\n2,3,40\n5,7,110\n"), "toy.csv", data.Options{Task: data.Regression})
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Names, set.LabelNames[0], set.X.(*tensor.Dense).Float64s(), set.Y)

	_, err = data.ReadCSV(strings.NewReader("width,height,price\n2,3,40\n5,NaN,110\n"), "toy.csv", data.Options{Task: data.Regression})
	fmt.Println(err)
	// Output:
	// [width height] price [2 3 5 7] [40 110]
	// data: toy.csv:3: column 2 ("height"): x[1,1] = NaN is not a finite number; drop the row or fill the value in
}

func ExampleParseScalers() {
	scalers, err := data.ParseScalers("minmax,l2")
	if err != nil {
		panic(err)
	}
	x := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 10, 4, 30, 7, 50}))
	if err := scalers.Fit(x); err != nil {
		panic(err)
	}
	scaled, err := scalers.Apply(x) // x stays as it is
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", scaled.(*tensor.Dense).Float64s())
	_, err = scalers.Apply(tensor.New(tensor.WithShape(1, 3), tensor.WithBacking([]float64{1, 2, 3})))
	fmt.Println(err)
	// Output:
	// [0.000 0.000 0.707 0.707 0.707 0.707]
	// data: scaler "minmax,l2": was fitted to 2 columns and x has 3: shape does not fit
}

// Columns by their ranks and as they are.
func ExampleSideBySide() {
	x := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float64{1, 2, 3, 1000}))
	ranks, err := data.ParseScalers("quantile-uniform")
	if err != nil {
		panic(err)
	}
	plain, err := data.ParseScalers("none")
	if err != nil {
		panic(err)
	}
	if err := errors.Join(ranks.Fit(x), plain.Fit(x)); err != nil {
		panic(err)
	}
	both, err := data.SideBySide(ranks, plain)
	if err != nil {
		panic(err)
	}
	scaled, err := both.Apply(x)
	if err != nil {
		panic(err)
	}
	fmt.Println(both.Name(), scaled.(*tensor.Dense).Float64s())
	// Output: quantile-uniform|none [0.125 1 0.375 2 0.625 3 0.875 1000]
}

func ExampleBlocks() {
	x := tensor.New(tensor.WithShape(5, 1), tensor.WithBacking([]float64{10, 11, 12, 13, 14}))
	for first, block := range data.Blocks(x, 2) {
		fmt.Println(first, block.(*tensor.Dense).Float64s())
	}
	// Output:
	// 0 [10 11]
	// 2 [12 13]
	// 4 [14]
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

func ExampleSplit() {
	train, held := data.Split(10, 0.3, 1)
	fmt.Println(len(train), len(held))
	// Output: 7 3
}

func ExampleBalancedWeights() {
	w, err := data.BalancedWeights([]int{90, 10})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", w)
	// Output:
	// [0.556 5.000]
}

func ExampleOneVersusRest() {
	y, err := data.OneVersusRest([]int{2, 0}, 3)
	fmt.Println(y.RawMatrix().Data, err)
	// Output: [-1 -1 1 1 -1 -1] <nil>
}

func ExampleSyntheticHistograms() {
	set := data.SyntheticHistograms(1)
	fmt.Println(set.Rows(), "rows,", set.Dims(), "columns, classes", data.NewClasses(set.Labels))
	// Output: 5000 rows, 60 columns, classes [a1 a2 b1 b2 c1 c2]
}

func ExampleSyntheticBags() {
	set, err := data.SyntheticBags(1)
	fmt.Println(set.Rows(), "sets,", set.Dims(), "coordinates, classes", data.NewClasses(set.Labels), err)
	// Output: 1000 sets, 2 coordinates, classes [a b c] <nil>
}

// A table with text, a date and a gap: what its columns are is learned, and applied to later rows by name.
func ExampleReadFrame() {
	dir, path := folder("people.csv", "age,job,since,class\n31,cook,2019-05-01,poor\n?,smith,2020-06-02,rich\n58,cook,2018-07-03,rich\n")
	defer os.RemoveAll(dir)
	f, err := data.ReadFrame(context.Background(), data.Options{LabelNames: []string{"class"}}, path)
	if err != nil {
		panic(err)
	}
	c, err := f.Learn(data.ColumnOptions{Drop: []string{"since"}})
	if err != nil {
		panic(err)
	}
	set, err := c.Set(f)
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Names, set.Labels)
	fmt.Println(set.X.(fmt.Stringer))
	// Output:
	// [age age=(missing) job=cook job=smith] [poor rich rich]
	// ⎡31   0   1   0⎤
	// ⎢31   1   0   1⎥
	// ⎣58   0   1   0⎦
}

// Rows that a program has, without a file.
func ExampleNewFrame() {
	f, err := data.NewFrame("age", "job", "since")
	if err != nil {
		panic(err)
	}
	for i, job := range []string{"cook", "smith", "cook"} {
		if err := f.Append(31+i, job, time.Date(1970, 1, 2+i*i, 12, 0, 0, 0, time.UTC)); err != nil {
			panic(err)
		}
	}
	c, err := f.Learn(data.ColumnOptions{})
	if err != nil {
		panic(err)
	}
	for _, in := range c.Inputs {
		fmt.Println(in.Name, in.Kind, in.Distinct)
	}
	fmt.Println(f.Append(40, "cook"))
	// Output:
	// age number 3
	// job category 2
	// since time 3
	// data: Frame: row 3 has 2 cells, and there are 3 columns: shape does not fit
}

// The first rows of a file tell what its columns are called.
func ExamplePeekFrame() {
	dir, path := folder("people.csv", "31;cook;1,5\n40;smith;2,5\n58;cook;2\n")
	defer os.RemoveAll(dir)
	f, err := data.PeekFrame(data.Options{Label: data.LabelNone}, path, 2)
	if err != nil {
		panic(err)
	}
	fmt.Println(f.Rows(), f.Named, f.Names)
	// Output: 2 false [column 1 column 2 column 3]
}
