package data_test

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
)

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
	if err := cube.ApplyInPlace(set.X); err != nil {
		panic(err)
	}
	for i, label := range set.Labels {
		fmt.Println(set.IDs[i], "of class", label, set.X.(*ops.Bags).Bag(i).Float64s())
	}
	// Output:
	// first of class 1 [0 0 1 1]
	// second of class 0 [0.5 0.5]
}
