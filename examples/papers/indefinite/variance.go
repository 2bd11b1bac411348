package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/train/report"
)

// dimensions are the columns of letter and of usps, as in figure 1.
var dimensions = []int{16, 256}

// couplings are the lines of figure 1.
var couplings = []struct {
	name string
	of   spectral.Coupling
}{{"GORF", spectral.SharedCoupled}, {"joint", spectral.Joint}}

// marks are the distances of the table, in tenths.
var marks = []int{5, 10, 15, 20, 30, 40, 50}

// variances is figure 1: the part of the variance of independent frequencies that a coupling takes away, by distance,
// for s = d. It goes to 5, of a kernel on the sphere to 2, the largest distance there is.
func (e *experiment) variances(ctx context.Context) {
	distances := frame.Each(marks, func(tenths int) string { return fmt.Sprint(float64(tenths) / 10) })
	head := append([]string{"kernel", "d", "coupling"}, distances...)
	fmt.Print("Variance of the estimate for s = d frequencies a sign, relative to independent ones (GRFF), by distance\n\n", frame.TableHead(head...))
	for _, k := range e.kernels {
		var lines []report.Line
		for _, d := range dimensions {
			split := k.split(d)
			for _, c := range couplings {
				one, cells := report.Line{Name: fmt.Sprintf("%s, d = %d", c.name, d)}, map[int]string{}
				end := 50
				if (split.Of.Domain() != spectral.Domain{}) {
					end = 20
				}
				for tenths := 1; tenths <= end; tenths++ {
					try.Do(context.Cause(ctx))
					r := float64(tenths) / 10
					ratio := varianceRatio(split, c.of, d, r)
					one.X, one.Y = append(one.X, r), append(one.Y, 100*(1-ratio))
					cells[tenths] = fmt.Sprintf("%.3f", ratio)
				}
				marked := frame.Each(marks, func(tenths int) string { return cells[tenths] })
				fmt.Printf("| %s | %d | %s | %s |\n", k, d, c.name, strings.Join(marked, " | "))
				lines = append(lines, one)
			}
		}
		e.Add(try.Get(report.Lines("distance ‖x - z‖", "variance less than that of GRFF by, %", lines,
			report.WithTitle(fmt.Sprintf("Variance, %s, s = d", k)), report.WithSize(1100, 860))))
	}
	fmt.Println()
}

// split is what the maps of a kernel estimate for s = d.
func (k *kernel) split(d int) *spectral.Split {
	of := try.Get(k.methods[0].spec(4*d, d, 0).Kernel())
	return try.Get(of.(spectral.SignedLaw).Split(d, d, spectral.SharedCoupled))
}

// varianceRatio is the variance under a coupling for s = d, relative to the variance of independent frequencies, at the
// distance r.
func varianceRatio(p *spectral.Split, c spectral.Coupling, d int, r float64) float64 {
	x, z := make([]float64, d), make([]float64, d)
	x[0] = r
	return try.Get(c.Variance(p, x, z, d)) / try.Get(spectral.Independent.Variance(p, x, z, d))
}
