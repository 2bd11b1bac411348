package layers_test

import (
	"fmt"

	"github.com/bochner-go/bochner/layers"
)

// The table that the programs print, line by line; here the first three lines.
func ExampleEntries() {
	for _, e := range layers.Entries()[:3] {
		fmt.Printf("%s: %s, for x %s; %s\n", e.Name, e.Formula, e.Inputs, e.Paper)
	}
	// Output:
	// linear: x·z, for x any; the baseline
	// gaussian: exp(-‖x-z‖²/2σ²), for x any; Rahimi and Recht 2007
	// laplacian: exp(-‖x-z‖₁/σ), for x any; Rahimi and Recht 2007
}

// A head in one line where an error is a bug of the caller's.
func ExampleMustHead() {
	head := layers.MustHead(layers.NewSoftmaxHead(64, 3, layers.WithName("head")))
	fmt.Println(head)
	// Output: SoftmaxHead "head": 64 -> 3, float64
}
