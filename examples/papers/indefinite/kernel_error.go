package main

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// couplings is the error of every coupling of the two signs.
func (e *experiment) couplings(ctx context.Context) error { return e.errorTable(ctx, "couplings", "") }

// kernelErrors is table II and figure 2.
func (e *experiment) kernelErrors(ctx context.Context) error {
	return e.errorTable(ctx, "error", "; in brackets Luo et al. (2021), table II")
}

// errorTable measures the methods of a part.
func (e *experiment) errorTable(ctx context.Context, part, note string) error {
	fmt.Printf("Relative Frobenius error on %d rows at most, mean ± standard deviation of %d draws%s\n\n", e.rows, e.Draws, note)
	fmt.Print(frame.TableHead(append([]string{"kernel", "rows", "method"}, sizeColumns()...)...))
	var v verdict
	for _, k := range e.kernels {
		for _, s := range e.sources {
			set := e.sets[s.name].train
			rows, err := scaled(s.scaling(k), set, frame.Some(set, e.rows, e.Seed))
			if err != nil {
				return err
			}
			x := rows[1].X.(*tensor.Dense)
			of, err := k.methods[0].spec(4, x.Shape()[1], 0).Kernel()
			if err != nil {
				return err
			}
			exact, err := report.ExactGram(of, x)
			if err != nil {
				return err
			}
			var series []report.Series
			for _, m := range k.methods {
				if !m.in(part) {
					continue
				}
				line, err := e.errorLine(ctx, part, k, m, s, x, exact, &v)
				if err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				series = append(series, line)
			}
			if err := e.Add(report.ErrorCurves(series, report.WithTitle(fmt.Sprintf("Kernel error, %s, %s", k, s.name)))); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	if e.ofPaper() && e.data != "" && part == "error" {
		fmt.Println(v.String())
	}
	return nil
}

// errorLine measures a method at all sizes and prints its line.
func (e *experiment) errorLine(ctx context.Context, part string, k *kernel, m method, s source, x *tensor.Dense, exact *mat.Dense, v *verdict) (report.Series, error) {
	series, d := report.Series{Name: m.name}, x.Shape()[1]
	spreads, err := e.Over(ctx, fmt.Sprintf("%s, %s, %s", k.name, s.name, m.name), sizeColumns(), func(i int, seed uint64) (float64, error) {
		l, err := m.spec(4*sizes[i].of(d), d, seed).Build()
		if err != nil {
			return 0, err
		}
		return frame.KernelError(exact, l, x)
	})
	for i, one := range spreads {
		series.Add(4*sizes[i].of(d), one.Mean, one.StdErr())
	}
	frame.Line(fmt.Sprintf("%s | %s | %s", k, s.name, m.name), spreads, func(i int, one frame.Spread) string {
		return fmt.Sprintf("%.4f ± %.4f%s", one.Mean, one.SD, e.beside(v, part, k, s, m, i, one.Mean))
	})
	return series, err
}

// beside is the paper's figure, and what ours is to it where the method is GORF.
func (e *experiment) beside(v *verdict, part string, k *kernel, s source, m method, size int, mean float64) string {
	paper, ok := paperErrors[k.name][s.name][m.name]
	if !ok || !e.ofPaper() || part != "error" {
		return ""
	}
	text := fmt.Sprintf(" [%.4f ± %.4f]", paper[size].mean, paper[size].sd)
	if m.name != "GORF" {
		return text
	}
	return text + v.cell(paper[size], mean, diagonalHelped(k.name, s.name, size))
}

// verdict counts the cells of GORF.
type verdict struct{ cells, below, within, helped, above int }

func (v *verdict) cell(paper figure, mean float64, helped bool) string {
	v.cells++
	switch {
	case mean <= paper.mean:
		v.below++
		return ""
	case mean <= paper.mean+paper.sd:
		v.within++
		return ""
	case helped:
		v.helped++
		return " ¹"
	default:
		v.above++
		return " above"
	}
}

func (v *verdict) String() string {
	return fmt.Sprintf("GORF against the paper's, %d cells: %d at or below its mean, %d within its standard deviation above it, %d above (marked).\n"+
		"¹ %d more above, where most of the paper's error was on the diagonal that its code overwrites.", v.cells, v.below, v.within, v.above, v.helped)
}
