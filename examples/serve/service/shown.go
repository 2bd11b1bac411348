package service

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// shown is an answer as the page shows it, a table.
type shown struct {
	Caption string
	Columns []string
	Lines   [][]string
	Notes   []string
}

const (
	mostLines = 100 // of the table
	mostProbs = 5   // probabilities of a row
	mostNames = 10  // classes of a set
)

// shownTakes is what the table takes at most beside the notes, in a buffer that doubles and with names escaped.
func (l *loaded) shownTakes() int64 {
	name := 24
	for _, c := range append(slices.Clone(l.model.Classes), l.card.Targets...) {
		name = max(name, len(c))
	}
	return 2 * mostLines * (1<<10 + 6*int64(name)*(1+mostProbs+mostNames))
}

// show makes the table of an answer.
func (l *loaded) show(p *prediction) *shown {
	out := &shown{Notes: p.Notes}
	n := len(p.Classes)
	if p.Classes != nil {
		l.showClasses(out, p)
	} else {
		n = l.showTargets(out, p)
	}
	out.Caption = "Predictions"
	if d := p.Distribution; d != nil {
		what := "an interval"
		if p.Classes != nil {
			what = "a set"
		}
		out.Caption = fmt.Sprintf("For rows that are like the training rows %s holds the truth with a probability of at least %s.", what, percent(d.Level))
	}
	if n > len(out.Lines) {
		out.Notes = append(slices.Clone(out.Notes), fmt.Sprintf("these are the first %d of %d lines; /predict has all", len(out.Lines), n))
	}
	return out
}

func (l *loaded) showClasses(out *shown, p *prediction) {
	d := p.Distribution
	out.Columns = []string{"row", "class"}
	if d != nil {
		out.Columns = append(out.Columns, "probability", percent(d.Level)+" set")
	}
	for i, class := range p.Classes[:min(mostLines, len(p.Classes))] {
		line := []string{strconv.Itoa(i), class}
		if d != nil {
			line = append(line, l.probabilities(d.Probabilities[i]), setText(d.Sets[i]))
		}
		out.Lines = append(out.Lines, line)
	}
}

// probabilities are the largest of a row, with their classes.
func (l *loaded) probabilities(p []float64) string {
	order := make([]int, len(p))
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	var parts []string
	for _, c := range order[:min(mostProbs, len(order))] {
		parts = append(parts, fmt.Sprintf("%s %.3f", l.model.Classes[c], p[c]))
	}
	if len(p) > mostProbs {
		parts = append(parts, fmt.Sprintf("... %d classes", len(p)))
	}
	return strings.Join(parts, ", ")
}

func setText(names []string) string {
	if len(names) == 0 {
		return "none of the classes"
	}
	text := strings.Join(names[:min(mostNames, len(names))], ", ")
	if len(names) > mostNames {
		text += fmt.Sprintf(", ... %d classes", len(names))
	}
	return text
}

// showTargets has a line for each row and target, and returns how many there would be of all.
func (l *loaded) showTargets(out *shown, p *prediction) int {
	d, k := p.Distribution, l.model.Head.Features()
	n := len(p.Targets)
	if p.Targets == nil {
		n = len(p.Scores)
	}
	out.Columns = []string{"row"}
	if k > 1 {
		out.Columns = append(out.Columns, "target")
	}
	out.Columns = append(out.Columns, "prediction")
	if d != nil {
		out.Columns = append(out.Columns, percent(d.Level)+" interval")
		if d.Std != nil {
			out.Columns = append(out.Columns, "standard deviation", "without noise")
		}
	}
	for at := range min(mostLines, n*k) {
		i, t := at/k, at%k
		line := []string{strconv.Itoa(i)}
		switch {
		case k == 1:
		case l.card.Targets != nil:
			line = append(line, l.card.Targets[t])
		default:
			line = append(line, strconv.Itoa(t))
		}
		value, width := 0., 0.
		if p.Targets != nil {
			value = p.Targets[i]
		} else {
			value = p.Scores[i][t]
		}
		if d != nil {
			width = d.Upper[i][t] - d.Lower[i][t]
		}
		line = append(line, resolved(value, width))
		if d != nil {
			line = append(line, resolved(d.Lower[i][t], width)+" to "+resolved(d.Upper[i][t], width))
			if d.Std != nil {
				line = append(line, resolved(d.Std[i][t], d.Std[i][t]), resolved(d.FunctionStd[i][t], d.FunctionStd[i][t]))
			}
		}
		out.Lines = append(out.Lines, line)
	}
	return n * k
}

// resolved is a number to the places that three digits of a width have; six digits where there is no width.
func resolved(v, width float64) string {
	if !(width > 0 && width <= math.MaxFloat64) {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	places := 2 - int(math.Floor(math.Log10(width)))
	if 0 <= places && places <= 12 && math.Abs(v) < 1e12 {
		return strconv.FormatFloat(v, 'f', places, 64)
	}
	figures := 3
	if v != 0 {
		figures = min(max(1+places+int(math.Floor(math.Log10(math.Abs(v)))), 3), 17)
	}
	return strconv.FormatFloat(v, 'g', figures, 64)
}
