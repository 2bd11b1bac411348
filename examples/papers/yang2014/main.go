// Command yang2014 redraws Figure 1 of Yang et al. (2014), "Random Laplace Feature Maps for Semigroup Kernels on Histograms": the
// relative error ‖K - ZZᵀ‖_F / ‖K‖_F of random Laplace features against their number s, for the exponential- and the
// reciprocal-semigroup kernel, one curve a parameter, mean of ten trials.
//
//	go run ./examples/papers/yang2014
//	go run ./examples/papers/yang2014 -in ../shared/data/scene15-spm/scene15-spm.train.libsvm.gz
//
// The paper used 3060 spatial-pyramid histograms of Caltech-101 with 4200 bins and does not print its parameters; here rows are
// divided by their sum and the parameters are flags. Without -in it runs on histograms that it makes itself. It prints a Markdown
// table and draws figure1.png.
//
// Two curves of each panel are not the paper's: of the parameter at which the kernel varies most, the largest β and the least λ, the same features with rows
// normalised to √k(x, x) (layers.WithNormalisation), and those of a Gaussian with coupled frequencies on a map without randomness
// (layers.LevyLayer).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

func main() { cli.Main("yang2014", run) }

type options struct {
	in, plot               string
	rows, trials           int
	seed                   uint64
	sizes                  []int
	betas, lambdas         []float64
	sizeList, bList, lList string
}

func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("yang2014", flag.ContinueOnError)
	fs.StringVar(&o.in, "in", "", "histograms, a `file` of LIBSVM text, CSV or .npy, each also .gz (default: made ones)")
	fs.StringVar(&o.plot, "plot", "figure1.png", "the picture, a `file` (PNG)")
	fs.IntVar(&o.rows, "rows", 1000, "rows to compare on, at most")
	fs.IntVar(&o.trials, "trials", 10, "independent draws a point")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of the first trial")
	fs.StringVar(&o.sizeList, "s", "100,200,300,500,700,1000,1500", "numbers of features, a `list`")
	fs.StringVar(&o.bList, "beta", "0.003,0.01,0.03,0.1", "parameters of the exponential-semigroup kernel, a `list`")
	fs.StringVar(&o.lList, "lambda", "0.3,1,3,10", "parameters of the reciprocal-semigroup kernel, a `list`")
	if err := cli.Parse(fs, "yang2014 redraws Figure 1 of Yang et al. (2014).", args); err != nil {
		return nil, err
	}
	if o.rows < 2 || o.trials < 2 {
		return nil, cli.Usage("-rows %d -trials %d: want at least 2 of each", o.rows, o.trials)
	}
	sizes, err := numbers("s", o.sizeList)
	if err != nil {
		return nil, err
	}
	for _, s := range sizes {
		if s != math.Trunc(s) || s > 1e6 {
			return nil, cli.Usage("-s %v: want whole numbers up to a million", s)
		}
		if math.Mod(s, 2) != 0 {
			return nil, cli.Usage("-s %v: want even numbers; a Gaussian's features come in pairs", s)
		}
		o.sizes = append(o.sizes, int(s))
	}
	if o.betas, err = numbers("beta", o.bList); err != nil {
		return nil, err
	}
	o.lambdas, err = numbers("lambda", o.lList)
	return o, err
}

func numbers(name, list string) ([]float64, error) {
	var out []float64
	for _, s := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			return nil, cli.Usage("-%s %s: want numbers above 0, comma-separated", name, list)
		}
		out = append(out, v)
	}
	return out, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := cli.CheckWritable("plot", o.plot); err != nil {
		return err
	}
	x, err := o.read()
	if err != nil {
		return err
	}
	fmt.Printf("%d histograms of %d bins, rows divided by their sum; relative Frobenius error, mean of %d trials\n", x.Shape()[0], x.Shape()[1], o.trials)
	var panels []image.Image
	for _, p := range []struct {
		kernel, parameter string
		values            []float64
		steepest          float64 // of them
		make              func(v float64) spectral.Semigroup
	}{
		{"exponential-semigroup", "β", o.betas, slices.Max(o.betas), func(v float64) spectral.Semigroup { return spectral.ExpSemigroup{Beta: v} }},
		{"reciprocal-semigroup", "λ", o.lambdas, slices.Min(o.lambdas), func(v float64) spectral.Semigroup { return spectral.ReciprocalSemigroup{Lambda: v} }},
	} {
		fmt.Printf("\n| %s |%s\n|---|%s\n", p.kernel, columns(o.sizes), strings.Repeat("---|", len(o.sizes)))
		var series []report.Series
		draw := func(name string, v float64, build builder) error {
			s, err := o.curve(ctx, p.make(v), x, build)
			if err != nil {
				return err
			}
			s.Name = fmt.Sprintf("%s = %v%s", p.parameter, v, name)
			series = append(series, s)
			fmt.Printf("| %s |", s.Name)
			for i := range s.Error {
				fmt.Printf(" %.4f ± %.4f |", s.Error[i], s.StdErr[i])
			}
			fmt.Println()
			return nil
		}
		for _, v := range p.values {
			if err := draw("", v, laplace()); err != nil {
				return err
			}
		}
		if err := errors.Join(draw(", normalised", p.steepest, laplace(layers.WithNormalisation())), draw(", Lévy", p.steepest, levy)); err != nil {
			return err
		}
		img, err := report.ErrorCurves(series, report.WithTitle("Figure 1: "+p.kernel+" kernel"), report.WithMetric("relative Frobenius error"))
		if err != nil {
			return err
		}
		panels = append(panels, img)
	}
	img, err := report.Grid(2, panels...)
	if err != nil {
		return err
	}
	if err := report.SavePNG(o.plot, img); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "picture:", o.plot)
	return nil
}

func columns(sizes []int) string {
	var b strings.Builder
	for _, s := range sizes {
		fmt.Fprintf(&b, " s = %d |", s)
	}
	return b.String()
}

// read returns at most o.rows histograms, each divided by its sum.
func (o *options) read() (*tensor.Dense, error) {
	var set *data.Set
	var err error
	if o.in == "" {
		set = cli.MakeHistograms(o.seed)
	} else if set, err = data.Read(o.in, data.Options{}); err != nil {
		return nil, err
	}
	histograms := layers.Spec{Map: "exp-semigroup", Params: layers.Values{"beta": 1.0}}
	if err := cli.CheckRows(histograms, set.X); err != nil {
		return nil, set.Locate(err)
	}
	if set.Rows() > o.rows {
		_, rows := data.Split(set.Rows(), float64(o.rows)/float64(set.Rows()), o.seed)
		set = set.Take(rows)
	}
	l1, err := data.ParseScalers("l1")
	if err != nil {
		return nil, err
	}
	if err := l1.Fit(set.X); err != nil {
		return nil, err
	}
	if err := l1.ApplyInPlace(set.X); err != nil {
		return nil, err
	}
	return set.Dense()
}

// curve is the error of one kernel over all numbers of features.
func (o *options) curve(ctx context.Context, k spectral.Semigroup, x *tensor.Dense, build builder) (report.Series, error) {
	var s report.Series
	exact, err := spectral.Gram(k, x, nil)
	if err != nil {
		return s, err
	}
	bar := cli.NewProgress(strings.TrimPrefix(fmt.Sprintf("%T%+v", k, k), "spectral."))
	defer bar.Close()
	for i, size := range o.sizes {
		bar.Step(i, len(o.sizes), fmt.Sprint("s = ", size))
		var errs []float64
		for t := range o.trials {
			if err := context.Cause(ctx); err != nil {
				return s, err
			}
			e, err := trial(k, x, exact, size, o.seed+uint64(t), build)
			if err != nil {
				return s, err
			}
			errs = append(errs, e)
		}
		mean, sd := stat.MeanStdDev(errs, nil)
		s.Features, s.Error, s.StdErr = append(s.Features, size), append(s.Error, mean), append(s.StdErr, sd/math.Sqrt(float64(o.trials)))
	}
	return s, nil
}

// builder draws a map of a kernel for d columns.
type builder func(k spectral.Semigroup, d, features int, seed uint64) (layers.Layer, error)

// laplace is the paper's map, with options.
func laplace(opts ...layers.Option) builder {
	return func(k spectral.Semigroup, d, features int, seed uint64) (layers.Layer, error) {
		return layers.NewRandomLaplaceLayer(k, d, features, append(opts, layers.WithSeed(seed))...)
	}
}

func levy(k spectral.Semigroup, d, features int, seed uint64) (layers.Layer, error) {
	return layers.NewLevyLayer(k, d, features, layers.WithSeed(seed), layers.WithSampler(spectral.Coupled{}))
}

func trial(k spectral.Semigroup, x *tensor.Dense, exact *mat.Dense, size int, seed uint64, build builder) (float64, error) {
	l, err := build(k, x.Shape()[1], size, seed)
	if err != nil {
		return 0, err
	}
	approx, err := report.ApproxGram(l, x)
	if err != nil {
		return 0, err
	}
	e, err := report.Compare(exact, approx)
	return e.RelativeFrobenius, err
}
