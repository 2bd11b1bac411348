package layers

import (
	"fmt"
	"html"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// ModelSummary is the result of [Summary]: the layers of a model in order, each composition followed by its parts.
type ModelSummary struct {
	Layers []LayerSummary
}

// LayerSummary is a layer in a [ModelSummary]. The table has a line for each of its parameters, and one if it has none.
type LayerSummary struct {
	Depth          int    // 0 at the top, and one more inside each composition
	Name           string // the layer's name
	Type           string // the layer's type, such as FourierLayer
	Dims, Features int    // columns in and out
	Params         []Param
}

// Summary lists layers with their shapes and parameters, and says which parameters a solver changes. A Sequential,
// Concat or Product is followed by its parts, which have the parameters. A notebook shows the result as a table, and so
// does fmt.Print:
//
//	fmt.Print(layers.Summary(m.Map, m.Head))
func Summary(ls ...Layer) *ModelSummary {
	s := new(ModelSummary)
	s.add(0, ls)
	return s
}

func (s *ModelSummary) add(depth int, ls []Layer) {
	for _, l := range ls {
		if domain.IsNil(l) {
			continue
		}
		row := LayerSummary{Depth: depth, Name: l.Name(), Type: typeName(l), Dims: l.Dims(), Features: l.Features()}
		parts, composed := l.(interface{ Layers() []Layer })
		if !composed {
			row.Params = paramsOf(l)
		}
		if s.Layers = append(s.Layers, row); composed {
			s.add(depth+1, parts.Layers())
		}
	}
}

// typeName returns the name of a layer's type, without its package; of a RandomLayer what its constructor makes.
func typeName(l Layer) string {
	if r, ok := l.(*RandomLayer); ok {
		return r.kind
	}
	t := reflect.TypeOf(l)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// Count returns how many numbers the parameters hold, and how many of these a solver changes. A tensor that several
// layers share counts once.
func (s *ModelSummary) Count() (all, tuned int) {
	seen := map[*tensor.Dense]bool{}
	for _, l := range s.Layers {
		for _, p := range l.Params {
			if seen[p.Value] {
				continue
			}
			seen[p.Value] = true
			n := p.Value.Shape().TotalSize()
			if all += n; p.Tuned {
				tuned += n
			}
		}
	}
	return all, tuned
}

var summaryHead = []string{"layer", "type", "columns", "parameter", "shape", "numbers", "policy"}

// rows returns the cells of the table.
func (s *ModelSummary) rows() (rows [][]string) {
	for _, l := range s.Layers {
		row := []string{strings.Repeat("  ", l.Depth) + l.Name, l.Type, fmt.Sprintf("%d → %d", l.Dims, l.Features)}
		for _, p := range l.Params {
			policy := "frozen"
			if p.Tuned {
				policy = "tuned"
			}
			rows = append(rows, append(row, p.Name, fmt.Sprint(p.Value.Shape()),
				fmt.Sprint(p.Value.Shape().TotalSize()), policy))
			row = []string{"", "", ""}
		}
		if len(l.Params) == 0 {
			rows = append(rows, append(row, "", "", "", ""))
		}
	}
	return rows
}

// total returns the line below the table.
func (s *ModelSummary) total() string {
	all, tuned := s.Count()
	return fmt.Sprintf("%d numbers: %d tuned, %d frozen", all, tuned, all-tuned)
}

// String returns the table as text.
func (s *ModelSummary) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{summaryHead}, s.rows()...) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	_ = w.Flush() // to memory
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + s.total() + "\n"
}

// HTML returns the table for a notebook, which shows it if a Summary is the last expression of a cell.
func (s *ModelSummary) HTML() string {
	var b strings.Builder
	line := func(tag string, row []string) {
		b.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(&b, `<%s style="text-align:left;white-space:pre">%s</%[1]s>`, tag, html.EscapeString(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<table>\n<thead>\n")
	line("th", summaryHead)
	b.WriteString("</thead>\n<tbody>\n")
	for _, row := range s.rows() {
		line("td", row)
	}
	fmt.Fprintf(&b, "</tbody>\n<tfoot><tr><td colspan=\"%d\" style=\"text-align:left\">%s</td></tr></tfoot>\n</table>\n",
		len(summaryHead), s.total())
	return b.String()
}
