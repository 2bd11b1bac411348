package report

import (
	"fmt"
	"html"
	"math"
	"strings"
	"text/tabwriter"
)

// maxSeedLines limits the lines of a table. The others are counted; all are in Seeds.
const maxSeedLines = 10

// rows are the lines of the table: names of the columns, seeds, their mean and its standard error. more is the number
// of seeds that are left out.
func (r *KernelErrorReport) rows() (out [][]string, more int) {
	out = [][]string{{"", "rel. Frobenius", "max", "rms", "mean signed"}}
	add := func(name string, e GramError) {
		out = append(out, []string{name, short(e.RelativeFrobenius), short(e.Max), short(e.RMS), short(e.MeanSigned)})
	}
	shown := min(len(r.Seeds), maxSeedLines)
	for _, s := range r.Seeds[:shown] {
		add(fmt.Sprintf("seed %d", s.Seed), s.GramError)
	}
	add("mean", r.Mean)
	add("std. error", r.StdErr)
	return out, len(r.Seeds) - shown
}

// short formats v with four significant digits.
func short(v float64) string { return fmt.Sprintf("%.4g", v) }

func (r *KernelErrorReport) head() string {
	return fmt.Sprintf("kernel error: %d rows (%d pairs), %d features, %d seeds", r.Rows, r.Pairs, r.Features, len(r.Seeds))
}

// biases are the sentences below the table.
func (r *KernelErrorReport) biases() []string {
	out := []string{"bias over pairs, against the kernel: " + r.Bias.String()}
	if r.HasExpectation {
		out = append(out, "bias over pairs, against the map's stated expectation: "+r.ExpectedBias.String())
	}
	return out
}

// String formats the bias as mean ± standard error (z).
func (b Bias) String() string {
	z := "z undefined: all seeds agree"
	if !math.IsNaN(b.Z) {
		z = fmt.Sprintf("z = %.2f", b.Z)
	}
	return fmt.Sprintf("%s ± %s (%s)", short(b.Mean), short(b.StdErr), z)
}

// String formats the report as an aligned table.
func (r *KernelErrorReport) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.head())
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows, more := r.rows()
	for _, cells := range rows {
		fmt.Fprintf(w, "%s\t\n", strings.Join(cells, "\t"))
	}
	w.Flush() // a strings.Builder does not fail
	if more > 0 {
		fmt.Fprintf(&b, "(%d more seeds not shown)\n", more)
	}
	for _, s := range r.biases() {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}

// HTML formats the report as an HTML table, for notebooks.
func (r *KernelErrorReport) HTML() string {
	var b strings.Builder
	rows, more := r.rows()
	fmt.Fprintf(&b, "<table><caption>%s</caption>\n", html.EscapeString(r.head()))
	for i, cells := range rows {
		fmt.Fprintf(&b, "<tr><th>%s</th>", html.EscapeString(cells[0]))
		for _, text := range cells[1:] {
			if i == 0 {
				fmt.Fprintf(&b, "<th>%s</th>", html.EscapeString(text))
			} else {
				fmt.Fprintf(&b, `<td style="text-align:right">%s</td>`, html.EscapeString(text))
			}
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	if more > 0 {
		fmt.Fprintf(&b, "<p>%d more seeds not shown</p>\n", more)
	}
	for _, s := range r.biases() {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(s))
	}
	return b.String()
}
