// Command maps prints the table of feature maps, in Markdown: what -map and -params of the other programs take.
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
		for _, p := range e.Params {
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
