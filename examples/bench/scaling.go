package main

import (
	"context"
	"fmt"
	"strings"
)

// measureScaling prints a row for each shape, map and element type, with a column for each number of cores, while it
// measures.
func measureScaling(ctx context.Context, o *options, host hostInfo) error {
	fmt.Print(scalingHead(host, o))
	for _, s := range o.shapes {
		for _, dtype := range o.dtypes {
			for _, name := range o.maps {
				if !fits(name, cell{s, dtype, 1}) {
					continue
				}
				one := *o
				one.maps = []string{name}
				var found []measurement
				for _, cores := range o.cores {
					m, err := measureCell(ctx, &one, cell{s, dtype, cores}, nil)
					if err != nil {
						return err
					}
					found = append(found, m...)
				}
				fmt.Print(scalingRow(found))
			}
		}
	}
	return nil
}

// scalingHead names the machine, and in a line of its own how many cores it has.
func scalingHead(host hostInfo, o *options) string {
	var head, rule strings.Builder
	for _, c := range o.cores {
		fmt.Fprintf(&head, " %d: ms (speedup) |", c)
		rule.WriteString("---|")
	}
	return fmt.Sprintf("%v; median of %d\ncores: %d\n\n| rows×columns→features | map | type |%s\n|---|---|---|%s\n", host, o.runs, host.CPUs,
		head.String(), rule.String())
}

// scalingRow is the row of a map: its time by the number of cores, the first of which is 1.
func scalingRow(found []measurement) string {
	var b strings.Builder
	first := found[0]
	fmt.Fprintf(&b, "| %d×%d→%d | %s | %s |", first.N, first.Dims, first.Features, first.Map, first.Dtype)
	for _, m := range found {
		fmt.Fprintf(&b, " %.3g (%.2f) |", m.MS, first.MS/m.MS)
	}
	return b.String() + "\n"
}
