package data_test

import (
	"fmt"

	"github.com/bochner-go/bochner/train/data"
)

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
