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

// line is one line of a table.
type line struct {
	name   string
	values [4]string
}

// lines are the seeds, their mean and its standard error; more is the number of seeds that are left out.
func (r *KernelErrorReport) lines() (out []line, more int) {
	shown := min(len(r.Seeds), maxSeedLines)
	for _, s := range r.Seeds[:shown] {
		out = append(out, line{fmt.Sprintf("seed %d", s.Seed), numbers(s.GramError)})
	}
	out = append(out, line{"mean", numbers(r.Mean)}, line{"std. error", numbers(r.StdErr)})
	return out, len(r.Seeds) - shown
}

func numbers(e GramError) [4]string {
	return [4]string{short(e.RelativeFrobenius), short(e.Max), short(e.RMS), short(e.MeanSigned)}
}

// short formats v with four significant digits.
func short(v float64) string { return fmt.Sprintf("%.4g", v) }

var columns = [4]string{"rel. Frobenius", "max", "rms", "mean signed"}

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
	fmt.Fprintf(w, "\t%s\t\n", strings.Join(columns[:], "\t"))
	lines, more := r.lines()
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t%s\t\n", l.name, strings.Join(l.values[:], "\t"))
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
	fmt.Fprintf(&b, "<table><caption>%s</caption>\n<tr><th></th>", html.EscapeString(r.head()))
	for _, c := range columns {
		fmt.Fprintf(&b, "<th>%s</th>", html.EscapeString(c))
	}
	b.WriteString("</tr>\n")
	lines, more := r.lines()
	for _, l := range lines {
		fmt.Fprintf(&b, "<tr><th>%s</th>", html.EscapeString(l.name))
		for _, v := range l.values {
			fmt.Fprintf(&b, `<td style="text-align:right">%s</td>`, html.EscapeString(v))
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
