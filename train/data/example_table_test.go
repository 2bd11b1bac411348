package data_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/bochner-go/bochner/train/data"
)

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
