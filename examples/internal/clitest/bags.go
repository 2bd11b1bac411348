package clitest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Bags is a CSV file of sets of ten to twenty samples, whose coordinates go together in the even sets and have nothing
// to do with each other in the odd ones. The label of set i is label(i).
func Bags(n, coordinates int, label func(i int) string) string {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(coordinates)))
	var b strings.Builder
	b.WriteString("bag")
	for j := range coordinates {
		fmt.Fprintf(&b, ",x%d", j+1)
	}
	b.WriteString(",label\n")
	for i := range n {
		for range 10 + rng.IntN(11) {
			fmt.Fprintf(&b, "set%d", i)
			centre := 20 * rng.Float64()
			for range coordinates {
				v := 20 * rng.Float64()
				if i%2 == 0 {
					v = centre + rng.NormFloat64()
				}
				fmt.Fprintf(&b, ",%.6g", v-7)
			}
			fmt.Fprintf(&b, ",%s\n", label(i))
		}
	}
	return b.String()
}
