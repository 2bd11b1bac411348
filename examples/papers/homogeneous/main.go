// Command homogeneous draws what Vedaldi and Zisserman (2012), "Efficient Additive Kernels via Explicit Feature Maps",
// say of the error of homogeneous maps on one column: figures 2, 3 and 5 and the rates of lemma 4.
//
//	go run ./examples/papers/homogeneous
//
// The pictures: kernels k(x, b/10) for x in [0, b] and their maps of three columns, for b = 1 and b = 0.01, where the
// learned map add-kpca is fitted on [0, 1]; the period by the order, of VLFeat's fit and with the least error at the
// worst pair; the error of the signature with the uniform window; and the error of the worst pair by the number of
// columns, with the best period.
//
// The table has that error, and how fast it falls, by least squares over the orders: as exp(-a√(n+1)) for chi2 and
// jensen-shannon, which are smooth, and as (n+1)^-a for intersection. The last columns say how many random frequencies
// have the mean squared error of three columns, for pairs that are uniform on [0, 1]², with the window uniform or
// rectangular and the fitted period.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
)

func main() {
	frame.Main("homogeneous", "draws the errors of homogeneous maps on one column, as figures 2, 3 and 5 of a paper.",
		&experiment{Flags: frame.Flags{Plot: "homogeneous.png", Columns: 2}})
}

type experiment struct {
	frame.Flags
	list   string
	orders []int
}

// kernel is a kernel of the figures.
type kernel struct {
	name   string
	of     spectral.Homogeneous
	smooth bool // whether its spectrum falls exponentially
}

var kernels = []kernel{{"chi2", spectral.Chi2{}, true}, {"jensen-shannon", spectral.JensenShannon{}, true},
	{"intersection", spectral.Intersection{}, false}}

func (e *experiment) Declare(fs *flag.FlagSet) {
	fs.StringVar(&e.list, "orders", "1,2,4,8,16", "orders of the maps, a `list`")
}

func (e *experiment) Check(map[string]bool) {
	if e.orders = frame.Counts("orders", e.list, 1); len(e.orders) < 2 {
		flags.Usage("-orders %s: want two or more", e.list)
	}
}

func (e *experiment) Run(context.Context) {
	for _, k := range []kernel{kernels[0], kernels[2]} {
		for _, b := range []float64{1, .01} {
			e.Add(universal(k, b))
		}
	}
	e.Add(e.periods())
	e.Add(errorOfSignature())
	e.rates()
}

// universal is a panel of figure 2.
func universal(k kernel, b float64) image.Image {
	const points = 201
	unit := floats.Span(make([]float64, points), 0, 1)
	x := append(floats.ScaleTo(make([]float64, points), b, unit), b/10) // and the other argument of the kernel
	exact := report.Line{Name: "exact", X: x[:points]}
	for _, v := range exact.X {
		exact.Y = append(exact.Y, k.of.At([]float64{v}, x[points:]))
	}
	lines := []report.Line{exact}
	column := func(v []float64) *tensor.Dense {
		return tensor.New(tensor.WithShape(len(v), 1), tensor.WithBacking(v))
	}
	for _, m := range []struct {
		name, of string
		params   layers.Values
	}{
		{"rectangular", k.name, layers.Values{"order": 1, "window": "rectangular"}},
		{"uniform", k.name, layers.Values{"order": 1, "window": "uniform"}},
		{"add-kpca on [0, 1]", "add-kpca", layers.Values{"kernel": k.name, "components": 3}},
	} {
		l := try.Get(layers.Spec{Map: m.of, Params: m.params, Dims: 1}.Fit(column(unit)))
		features := try.Get(layers.Transform(l, nil, column(x)))
		rows := slices.Collect(slices.Chunk(features.Float64s(), l.Features()))
		line := report.Line{Name: m.name, X: exact.X}
		for _, row := range rows[:points] {
			line.Y = append(line.Y, floats.Dot(row, rows[points]))
		}
		lines = append(lines, line)
	}
	return try.Get(report.Lines("x", fmt.Sprintf("k(x, %g)", b/10), lines, report.WithTitle(k.name+", three columns")))
}

// periods is figure 3, for the rectangular window.
func (e *experiment) periods() image.Image {
	var lines []report.Line
	for _, k := range kernels {
		fitted, best := report.Line{Name: k.name + ", fitted"}, report.Line{Name: k.name + ", least error", Points: true}
		for n := range e.orders[len(e.orders)-1] {
			for at, period := range map[*report.Line]chooser{&fitted: spectral.FittedPeriod, &best: spectral.OptimalPeriod} {
				v := try.Get(period(k.of, n+1, spectral.Rectangular))
				at.X, at.Y = append(at.X, float64(n+1)), append(at.Y, v)
			}
		}
		lines = append(lines, fitted, best)
	}
	return try.Get(report.Lines("order n", "period", lines, report.WithTitle("Period, rectangular window")))
}

// chooser is a way to choose a period.
type chooser func(spectral.Homogeneous, int, spectral.Window) (float64, error)

// harmonics returns the harmonics of an order with a chosen period.
func harmonics(k spectral.Homogeneous, n int, w spectral.Window, choose chooser) *spectral.Harmonics {
	return try.Get(spectral.NewHarmonics(k, n, w, try.Get(choose(k, n, w))))
}

// errorOfSignature is figure 5, for orders 1 to 3.
func errorOfSignature() image.Image {
	var lines []report.Line
	k := spectral.Chi2{}
	for n := 1; n <= 3; n++ {
		h := harmonics(k, n, spectral.Uniform, spectral.FittedPeriod)
		line := report.Line{Name: fmt.Sprintf("order %d, period %.2f", n, h.Period)}
		for i := -300; i <= 300; i++ {
			lambda := float64(i) / 25
			line.X, line.Y = append(line.X, lambda), append(line.Y, h.Signature(lambda)-k.Signature(lambda))
		}
		lines = append(lines, line)
	}
	return try.Get(report.Lines("ln z - ln x", "error of the signature", lines, report.WithTitle("chi2, uniform window")))
}

// rates prints and draws the error of the worst pair, and how fast it falls.
func (e *experiment) rates() {
	orders := frame.Each(e.orders, func(n int) string { return fmt.Sprintf("n = %d", n) })
	head := append([]string{"kernel"}, orders...)
	fmt.Print(frame.TableHead(append(head, "rate", "uniform", "rectangular")...))
	var series []report.Line
	for _, k := range kernels {
		s := report.Line{Name: k.name}
		var by, logs []float64
		cells := []string{k.name}
		for _, n := range e.orders {
			h := harmonics(k.of, n, spectral.Rectangular, spectral.OptimalPeriod)
			worst := h.SupError()
			s.Add(float64(2*n+1), worst, 0)
			cells, logs = append(cells, fmt.Sprintf("%.2g", worst)), append(logs, math.Log(worst))
			if by = append(by, math.Log(float64(n+1))); k.smooth {
				by[len(by)-1] = math.Sqrt(float64(n + 1))
			}
		}
		_, slope := stat.LinearRegression(by, logs, nil, false)
		rate := fmt.Sprintf("(n+1)^-%.2f", -slope)
		if k.smooth {
			rate = fmt.Sprintf("exp(-%.2f√(n+1))", -slope)
		}
		cells = append(cells, rate)
		for _, w := range []spectral.Window{spectral.Uniform, spectral.Rectangular} {
			cells = append(cells, fmt.Sprintf("%.0f", frequencies(k.of, w)))
		}
		fmt.Printf("| %s |\n", strings.Join(cells, " | "))
		series = append(series, s)
	}
	metric, title := report.WithMetric("error of the worst pair"), report.WithTitle("Error by columns")
	e.Add(try.Get(report.ErrorCurves(series, metric, title)))
}

// frequencies is how many frequencies, drawn from the spectrum, have on average the squared error of order 1. The
// variance of a draw is 𝒦(0)/2 + 𝒦(2λ)/2 - 𝒦(λ)².
func frequencies(k spectral.Homogeneous, w spectral.Window) float64 {
	const grid = 400
	h := harmonics(k, 1, w, spectral.FittedPeriod)
	variance, squares := 0., 0.
	for i := range grid {
		for j := range grid {
			x, y := (float64(i)+.5)/grid, (float64(j)+.5)/grid
			lambda := math.Log(y / x)
			exact := k.Signature(lambda)
			variance += x * y * ((k.Signature(0)+k.Signature(2*lambda))/2 - exact*exact)
			squares += x * y * math.Pow(h.Signature(lambda)-exact, 2)
		}
	}
	return variance / squares
}
