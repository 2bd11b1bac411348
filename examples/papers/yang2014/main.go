// Command yang2014 redraws Figure 1 of Yang et al. (2014), "Random Laplace Feature Maps for Semigroup Kernels on
// Histograms": the relative error ‖K - ZZᵀ‖_F / ‖K‖_F of random Laplace features against their number, for the
// exponential- and the reciprocal-semigroup kernel, one curve a parameter, mean of ten draws.
//
//	go run ./examples/papers/yang2014
//	go run ./examples/papers/yang2014 -in data/scene15-spm/scene15-spm.train.libsvm.gz
//
// The paper used 3060 spatial-pyramid histograms of Caltech-101 with 4200 bins and does not print its parameters; here
// rows are divided by their sum and the parameters are flags. Without -in it runs on histograms that it makes itself.
// It prints a Markdown table and draws figure1.png.
//
// Two curves of each panel are not the paper's. Both are for the parameter at which the kernel varies most, the largest
// β and the least λ. One has the same features with rows normalised to √k(x, x) (layers.WithNormalisation), the other
// the features of a Gaussian with coupled frequencies on a map without randomness (layers.LevyLayer).
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/report"
	"gorgonia.org/tensor"
)

func main() {
	frame.Main("yang2014", "redraws Figure 1 of Yang et al. (2014).", &figure{Flags: frame.Flags{Plot: "figure1.png", Draws: 10, Columns: 2}})
}

// figure is a run of the program.
type figure struct {
	frame.Flags
	in                           string
	rows                         int
	sizeList, betaList, lambList string
	sizes                        []int
	betas, lambdas               []float64
	x                            *tensor.Dense
}

func (o *figure) Declare(fs *flag.FlagSet) {
	fs.StringVar(&o.in, "in", "", "histograms, a `file` of LIBSVM text, CSV or .npy, each also .gz (default: made ones)")
	fs.IntVar(&o.rows, "rows", 1000, "rows to compare on, at most")
	fs.StringVar(&o.sizeList, "features", "100,200,300,500,700,1000,1500", "numbers of features, a `list`")
	fs.StringVar(&o.betaList, "beta", "0.003,0.01,0.03,0.1", "parameters of the exponential-semigroup kernel, a `list`")
	fs.StringVar(&o.lambList, "lambda", "0.3,1,3,10", "parameters of the reciprocal-semigroup kernel, a `list`")
}

func (o *figure) Check(map[string]bool) {
	o.Inputs = []program.File{{Flag: "-in", Path: o.in}}
	if o.rows < 2 || o.Draws < 2 {
		flags.Usage("-rows %d -draws %d: want at least 2 of each", o.rows, o.Draws)
	}
	o.sizes = frame.Features("features", o.sizeList)
	for _, s := range o.sizes {
		if s%2 != 0 {
			flags.Usage("-features %d: want even numbers; a Gaussian's features come in pairs", s)
		}
	}
	o.betas, o.lambdas = numbers("beta", o.betaList), numbers("lambda", o.lambList)
}

func numbers(name, list string) (out []float64) {
	for _, s := range flags.List(list) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			flags.Usage("-%s %s: want numbers above 0, comma-separated", name, list)
		}
		out = append(out, v)
	}
	return out
}

func (o *figure) Run(ctx context.Context) {
	set := frame.Read(o.in, o.Seed)
	frame.Normalise(set, "l1")
	o.x = try.Get(frame.Some(set, o.rows, o.Seed).Dense())
	fmt.Printf("%d histograms of %d bins, rows divided by their sum; relative Frobenius error, mean of %d draws\n", o.x.Shape()[0], o.x.Shape()[1], o.Draws)
	exponential, reciprocal := layers.Spec{Map: "exp-semigroup"}, layers.Spec{Map: "reciprocal-semigroup"}
	o.panel(ctx, "exponential-semigroup", "β", exponential, "beta", o.betas, slices.Max(o.betas))
	o.panel(ctx, "reciprocal-semigroup", "λ", reciprocal, "lambda", o.lambdas, slices.Min(o.lambdas))
}

// panel has a curve for each value of a kernel's parameter, and two more for the steepest of them.
func (o *figure) panel(ctx context.Context, kernel, sign string, spec layers.Spec, parameter string, values []float64,
	steepest float64) {
	heads := frame.Each(o.sizes, func(s int) string { return fmt.Sprint("s = ", s) })
	spec.Dims = o.x.Shape()[1]
	fmt.Print("\n", frame.TableHead(append([]string{kernel}, heads...)...))
	var series []report.Line
	curve := func(name string, v float64, sampler string, params layers.Values) {
		name = fmt.Sprintf("%s = %v%s", sign, v, name)
		params[parameter] = v
		spec.Params, spec.Sampler = params, sampler
		exact := try.Get(spectral.Gram(try.Get(spec.Kernel()), o.x, nil))
		spreads := o.Over(ctx, kernel+", "+name, heads, func(i int, seed uint64) float64 {
			spec.Features, spec.Seed = o.sizes[i], seed
			return frame.KernelError(exact, try.Get(spec.Build()), o.x)
		})
		frame.Line(name, spreads, func(_ int, e frame.Spread) string {
			return fmt.Sprintf("%.4f ± %.4f", e.Mean, e.StdErr())
		})
		series = append(series, frame.NewLine(name, o.sizes, spreads, frame.Spread.StdErr))
	}
	for _, v := range values {
		curve("", v, "iid", layers.Values{"way": "laplace"})
	}
	curve(", normalised", steepest, "iid", layers.Values{"way": "normalised"})
	curve(", Lévy", steepest, "coupled", layers.Values{"way": "levy", "order": 1})
	title, metric := report.WithTitle("Figure 1: "+kernel+" kernel"), report.WithMetric("relative Frobenius error")
	o.Add(try.Get(report.ErrorCurves(series, title, metric)))
}
