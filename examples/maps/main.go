// Command maps prints the table of feature maps, in Markdown: what -map and -params of the other programs take.
//
//	go run ./examples/maps
//
// A row is a kernel and its map: the name; the kernel k(x, z) whose values inner products of features come near, or
// equal; the parameters with their defaults, "from the data" where layers.Spec.FillDefaults takes them from the
// training rows; what the rows may hold, which is checked cell by cell; and the paper. The rows come from
// layers.Entries. A program of your own finds a map there by its name:
//
//	spec := layers.Spec{Map: "chi2", Dims: 60, Params: layers.Values{"order": 2}}
//	err := spec.FillDefaults(rows)
//	chi2, err := spec.Build()
//
// layers/maps.md holds this table, and CI compares the two.
package main

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/layers"
)

func main() {
	fmt.Println("| map | kernel k(x, z) | parameters | inputs | source |")
	fmt.Println("|---|---|---|---|---|")
	for _, e := range layers.Entries() {
		var params []string
		for _, p := range e.Params() {
			def := "from the data"
			if p.Default != nil {
				def = fmt.Sprint(p.Default)
			}
			if def == "" { // a list
				def = "none"
			}
			params = append(params, fmt.Sprintf("`%s` (%s)", p.Name, def))
		}
		fmt.Printf("| `%s` | %s | %s | %s | %s |\n", e.Name, strings.ReplaceAll(e.Formula, "|", "\\|"), strings.Join(params, ", "), e.Inputs, e.Paper)
	}
}
