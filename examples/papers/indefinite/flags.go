package main

import (
	"context"
	"flag"
	"math"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

type options struct {
	data, plot     string
	sources        []source
	parts          map[string]bool
	kernels        []*kernel
	rows, draws    int
	train          int
	seed           uint64
	a, p, one, two float64
}

// parts are what the program does, in this order.
var parts = []struct {
	name string
	run  func(e *experiment, ctx context.Context) error
}{
	{"error", (*experiment).kernelErrors},
	{"couplings", (*experiment).couplings},
	{"variance", (*experiment).variances},
	{"accuracy", (*experiment).accuracies},
	{"regression", (*experiment).regressions},
}

func parse(args []string) (*options, error) {
	o := &options{parts: map[string]bool{}}
	var setList, partList, kernelList string
	fs := flag.NewFlagSet("indefinite", flag.ContinueOnError)
	fs.StringVar(&o.data, "data", "", "the `folder` of the paper's data, as letter/letter.train.libsvm.gz (default: made histograms)")
	fs.StringVar(&setList, "sets", "all", "data sets for error and accuracy, a `list` of "+strings.Join(sourceNames(), ", ")+", or all")
	fs.StringVar(&partList, "part", "all", "what to do, a `list` of "+strings.Join(partNames(), ", ")+", or all")
	fs.StringVar(&kernelList, "kernels", "all", "a `list` of "+strings.Join(kernelNames(), ", ")+", or all")
	fs.IntVar(&o.rows, "rows", 1000, "rows of the kernel matrix, at most")
	fs.IntVar(&o.draws, "draws", 10, "draws of each map")
	fs.IntVar(&o.train, "train", 0, "rows to train on, and to test on, at most; 0 is all, of made ones 1000")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of the first draw and of the choice of rows")
	fs.Float64Var(&o.a, "a", 3, "a of the polynomial kernel, √2 or more")
	fs.Float64Var(&o.p, "p", 1, "p of the polynomial kernel")
	fs.Float64Var(&o.one, "sigma1", 1, "σ₁ of the delta-Gaussian kernel")
	fs.Float64Var(&o.two, "sigma2", 10, "σ₂ of the delta-Gaussian kernel")
	fs.StringVar(&o.plot, "plot", "indefinite.png", "the picture, a `file` (PNG); empty draws none")
	if err := cli.Parse(fs, "indefinite compares random features of indefinite kernels, as Luo et al. (2021).", args); err != nil {
		return nil, err
	}
	given := cli.Given(fs)
	if given["sets"] && o.data == "" {
		return nil, cli.Usage("-sets %s: needs -data, the folder of the data", setList)
	}
	if o.rows < 2 || o.draws < 2 || o.train < 0 {
		return nil, cli.Usage("-rows %d -draws %d -train %d: want at least 2, 2 and 0", o.rows, o.draws, o.train)
	}
	if o.seed > math.MaxUint64-uint64(o.draws) {
		return nil, cli.Usage("-seed %d: too large for %d draws", o.seed, o.draws)
	}
	names, err := pick("part", partList, partNames())
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		o.parts[n] = true
	}
	if o.data == "" && o.parts["regression"] {
		if given["part"] && partList != "all" {
			return nil, cli.Usage("-part %s: regression needs -data, the folder with the Boston housing data", partList)
		}
		o.parts["regression"] = false
	}
	if names, err = pick("sets", setList, sourceNames()); err != nil {
		return nil, err
	}
	for _, s := range sources {
		if slices.Contains(names, s.name) {
			o.sources = append(o.sources, s)
		}
	}
	if o.data == "" {
		o.sources = []source{made}
		if o.train == 0 {
			o.train = madeTrain
		}
	}
	return o, o.pickKernels(kernelList)
}

// pickKernels makes the kernels of -kernels, and tries their maps on the flags before any work is done.
func (o *options) pickKernels(list string) error {
	names, err := pick("kernels", list, kernelNames())
	if err != nil {
		return err
	}
	for _, k := range kernels(o) {
		if !slices.Contains(names, k.name) {
			continue
		}
		o.kernels = append(o.kernels, k)
		for _, m := range k.methods {
			if _, err := cli.Build(m.spec(64, 16, 1), nil); err != nil {
				return cli.Usage("%s: %w", k, err)
			}
		}
	}
	return nil
}

// pick reads a list of some of the names, or all.
func pick(flagName, list string, names []string) ([]string, error) {
	if list == "all" {
		return names, nil
	}
	var out []string
	for _, s := range strings.Split(list, ",") {
		s = strings.TrimSpace(s)
		if !slices.Contains(names, s) {
			return nil, cli.Usage("-%s %s: %q is none of all, %s", flagName, list, s, strings.Join(names, ", "))
		}
		out = append(out, s)
	}
	return out, nil
}

func partNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// paperKernels says whether the parameters are the paper's.
func (o *options) paperKernels() bool {
	return o.a == 3 && o.p == 1 && o.one == 1 && o.two == 10
}
