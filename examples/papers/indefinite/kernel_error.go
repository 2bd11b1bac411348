package main

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/train/report"
	"gorgonia.org/tensor"
)

// couplings is the error of every coupling of the two signs.
func (e *experiment) couplings(ctx context.Context) { e.errorTable(ctx, "couplings", "") }

// kernelErrors is table II and figure 2.
func (e *experiment) kernelErrors(ctx context.Context) {
	e.errorTable(ctx, "error", "; in brackets Luo et al. (2021), table II")
}

// errorTable measures the methods of a part.
func (e *experiment) errorTable(ctx context.Context, part, note string) {
	fmt.Printf("Relative Frobenius error on %d rows at most, mean ± standard deviation of %d draws%s\n\n", e.rows, e.Draws, note)
	var v verdict
	e.run(ctx, study{part: part, title: "Kernel error", prepare: e.kernelMatrix,
		cell: func(k *kernel, s source, m method, size int, of frame.Spread) string {
			return fmt.Sprintf("%.4f ± %.4f%s", of.Mean, of.SD, e.beside(&v, part, k, s, m, size, of.Mean))
		},
		bar: frame.Spread.StdErr, draw: report.ErrorCurves})
	if e.ofPaper() && e.data != "" && part == "error" {
		fmt.Println(v.String())
	}
}

// kernelMatrix prepares the measurement of errors of the kernel matrix of some rows.
func (e *experiment) kernelMatrix(_ context.Context, k *kernel, s source) (dims int, of measure) {
	set := e.sets[s.name].train
	rows := scaled(s.scaling(k), set, frame.Some(set, e.rows, e.Seed))
	x := rows[1].X.(*tensor.Dense)
	d := x.Shape()[1]
	exact := frame.Get(report.ExactGram(frame.Get(k.methods[0].spec(4, d, 0).Kernel()), x))
	return d, func(m method, features int, seed uint64) float64 {
		return frame.KernelError(exact, frame.Get(m.spec(features, d, seed).Build()), x)
	}
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
