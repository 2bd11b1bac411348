package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
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
	fmt.Printf("Relative Frobenius error on %d rows at most, mean ± standard deviation of %d draws%s\n", e.rows, e.draws, note)
	fmt.Printf("\n| kernel | rows | method |%s\n|---|---|---|%s\n", sizeColumns(), strings.Repeat("---|", len(sizes)))
	var v verdict
	for _, k := range e.kernels {
		for _, s := range e.sources {
			x, err := e.kernelRows(s, k)
			if err != nil {
				return err
			}
			exact, err := exactOf(k, x)
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
			if err := e.drawErrors(k, s, series); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	if e.paperKernels() && e.data != "" && part == "error" {
		fmt.Println(v.String())
	}
	return nil
}

func sizeColumns() string {
	var b strings.Builder
	for _, s := range sizes {
		fmt.Fprintf(&b, " s = %s |", s.name)
	}
	return b.String()
}

// kernelRows are the rows of the kernel matrix.
func (e *experiment) kernelRows(s source, k *kernel) (*tensor.Dense, error) {
	set := e.sets[s.name].train
	x, err := scaled(s.scaling(k), set, some(set, e.rows, e.seed))
	if err != nil {
		return nil, err
	}
	return x[1], nil
}

func exactOf(k *kernel, x *tensor.Dense) (*mat.Dense, error) {
	of, err := k.methods[0].spec(4, x.Shape()[1], 0).Kernel()
	if err != nil {
		return nil, err
	}
	return report.ExactGram(of, x)
}

// errorLine measures a method at all sizes and prints its line.
func (e *experiment) errorLine(ctx context.Context, part string, k *kernel, m method, s source, x *tensor.Dense, exact *mat.Dense, v *verdict) (report.Series, error) {
	series := report.Series{Name: m.name}
	d := x.Shape()[1]
	fmt.Printf("| %s | %s | %s |", k, s.name, m.name)
	defer fmt.Println()
	bar := cli.NewProgress(fmt.Sprintf("%s, %s, %s", k.name, s.name, m.name))
	defer bar.Close()
	for i, size := range sizes {
		var errs []float64
		for j := range e.draws {
			if err := context.Cause(ctx); err != nil {
				return series, err
			}
			bar.Step(i*e.draws+j, len(sizes)*e.draws, "s = "+size.name)
			l, err := cli.Build(m.spec(4*size.of(d), d, e.seed+uint64(j)), nil)
			if err != nil {
				return series, err
			}
			approx, err := report.ApproxGram(l, x)
			if err != nil {
				return series, err
			}
			c, err := report.Compare(exact, approx)
			if err != nil {
				return series, err
			}
			errs = append(errs, c.RelativeFrobenius)
		}
		mean, sd := stat.MeanStdDev(errs, nil)
		series.Features, series.Error = append(series.Features, 4*size.of(d)), append(series.Error, mean)
		series.StdErr = append(series.StdErr, sd/math.Sqrt(float64(e.draws)))
		fmt.Printf(" %.4f ± %.4f%s |", mean, sd, e.beside(v, part, k, s, m, i, mean))
	}
	return series, nil
}

// beside is the paper's figure, and what ours is to it where the method is GORF.
func (e *experiment) beside(v *verdict, part string, k *kernel, s source, m method, size int, mean float64) string {
	paper, ok := paperErrors[k.name][s.name][m.name]
	if !ok || !e.paperKernels() || part != "error" {
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

// drawErrors is a panel of figure 2.
func (e *experiment) drawErrors(k *kernel, s source, series []report.Series) error {
	img, err := report.ErrorCurves(series, report.WithTitle(fmt.Sprintf("Kernel error, %s, %s", k, s.name)))
	if err == nil {
		e.pictures = append(e.pictures, img)
	}
	return err
}
