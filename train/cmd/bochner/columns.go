package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// showColumns says what was made of the columns of a table, of a scaler that no flag names what it is (if it is known),
// which columns give the label away, and what might serve rows such as the first better.
func showColumns(c *data.Columns, first *data.Frame, scale string, chosen bool) {
	if c == nil || first == nil {
		return
	}
	counts := map[data.Kind]int{}
	for _, in := range c.Inputs {
		counts[in.Kind]++
	}
	var kinds []string
	for _, k := range []struct {
		kind data.Kind
		many string
	}{{data.Number, "numbers"}, {data.Boolean, "booleans"}, {data.Category, "categories"}, {data.Time, "times"}} {
		switch n := counts[k.kind]; {
		case n == 1:
			kinds = append(kinds, fmt.Sprint("1 ", k.kind))
		case n > 1:
			kinds = append(kinds, fmt.Sprintf("%d %s", n, k.many))
		}
	}
	text := fmt.Sprintf("label %s; columns: %s become %d", strings.Join(c.Labels, ", "), strings.Join(kinds, ", "), c.Dims())
	if chosen && scale != "" {
		text += "; --scale " + scale
		if scale == "auto" {
			text += ": real numbers are standardised, 0 and 1 stay"
		}
	}
	fmt.Fprintln(os.Stderr, program.Shown(text))
	showSuspects(c, first)
	if chosen && histograms(c, first) {
		fmt.Fprintln(os.Stderr, "the rows look like histograms; --scale l1 --map exp-chi2 may serve them better")
	}
}

// mostSuspected is how many rows show whether a column gives the label away.
const mostSuspected = 2000

// showSuspects names the columns that give the label away, by some of the rows.
func showSuspects(c *data.Columns, f *data.Frame) {
	var some []int
	for i := 0; i < f.Rows(); i += 1 + f.Rows()/mostSuspected {
		some = append(some, i)
	}
	l, err := f.Take(some).Look(c)
	if err != nil {
		return // the rows are refused elsewhere
	}
	majority := 0.
	if l.Classes != nil {
		majority = float64(l.Classes[0].Rows) / float64(l.Rows)
	}
	for _, in := range l.Columns {
		if in.Left == "" && l.Rows >= 20 && in.Tells >= .99 && in.Tells > majority+.5*(1-majority) {
			fmt.Fprintf(os.Stderr, "column %q gives the label away: it alone tells %.1f %% of it; --drop %q unless it is known beforehand\n", in.Name, 100*in.Tells, in.Name)
		}
	}
}

// histograms says whether the rows are counts, or sum to the same.
func histograms(c *data.Columns, f *data.Frame) bool {
	for _, in := range c.Inputs {
		if in.Kind != data.Number || in.Least < 0 {
			return false
		}
	}
	if len(c.Inputs) < 8 {
		return false
	}
	quiet := *f
	quiet.Tell = nil
	set, err := c.Set(&quiet)
	if err != nil {
		return false
	}
	x, d := set.X.(*tensor.Dense).Float64s(), set.Dims()
	first, sums := floats.Sum(x[:d]), true
	for row := range slices.Chunk(x, d) {
		sum := floats.Sum(row)
		sums = sums && sum > 0 && sum > first*.999 && sum < first*1.001
	}
	counts := !slices.ContainsFunc(x, func(v float64) bool { return v != float64(int64(v)) })
	zeros := floats.Count(func(v float64) bool { return v == 0 }, x)
	return sums || counts && float64(zeros) > .3*float64(len(x))
}
