package main

import (
	"flag"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	spectral "github.com/bochner-go/bochner/init"
)

type options struct {
	in, test, plot, dtype string
	rows, seeds           int
	seed                  uint64
	exact                 bool
	methods               []method
	sizes                 []int
	samplers              []string
}

// What is tried unless flags say otherwise: numbers of features, as in the paper and for made histograms, and how many of these are
// trained on, and tested on.
const (
	fileSizes = "1000,2000,5000,10000"
	madeSizes = "100,300,1000"
	madeRows  = 300
)

func parse(args []string) (*options, error) {
	o := new(options)
	var methodList, sizeList, samplerList string
	fs := flag.NewFlagSet("histograms", flag.ContinueOnError)
	fs.StringVar(&o.in, "in", "", "training histograms, a `file` of LIBSVM text, CSV or .npy, each also .gz, labels last (default: made ones)")
	fs.StringVar(&o.test, "test", "", "test histograms, a `file` (default: half of the rows of -in)")
	fs.StringVar(&o.plot, "plot", "histograms.png", "the picture, a `file` (PNG); empty draws none")
	fs.IntVar(&o.rows, "rows", 0, "training rows, and as many test rows, at most; 0 is all, of made ones 300")
	fs.IntVar(&o.seeds, "seeds", 5, "draws of each random map")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of the first draw and of the choice of rows")
	fs.StringVar(&sizeList, "features", "", "numbers of features of the random maps, a `list` (default "+fileSizes+", and "+madeSizes+" for made rows)")
	fs.StringVar(&samplerList, "sampler", "iid", "samplers of the random maps, a `list` of "+spectral.SamplerNames())
	fs.StringVar(&methodList, "methods", "all", "maps to compare, a `list`, or all")
	fs.BoolVar(&o.exact, "exact", true, "fit the exact kernels too")
	fs.StringVar(&o.dtype, "dtype", "float64", "element `type` of the features: float32, float64")
	err := cli.Parse(fs, "histograms compares kernels on histograms, exact and by their feature maps, in a problem of classification.", args)
	if err != nil {
		return nil, err
	}
	if o.test != "" && o.in == "" {
		return nil, cli.Usage("-test %s: needs -in, the training file", o.test)
	}
	if o.rows < 0 || o.seeds < 1 {
		return nil, cli.Usage("-rows %d -seeds %d: want at least 0 and 1", o.rows, o.seeds)
	}
	if o.dtype != "float32" && o.dtype != "float64" {
		return nil, cli.Usage("-dtype %s: want float32 or float64", o.dtype)
	}
	if o.in == "" && o.rows == 0 {
		o.rows = madeRows
	}
	if o.sizes, err = parseSizes(sizeList, o.in == ""); err != nil {
		return nil, err
	}
	for _, s := range strings.Split(samplerList, ",") {
		if _, err := spectral.SamplerByName(strings.TrimSpace(s)); err != nil {
			return nil, &cli.UsageError{Err: err}
		}
		o.samplers = append(o.samplers, strings.TrimSpace(s))
	}
	if o.seed > math.MaxUint64-uint64(o.seeds) {
		return nil, cli.Usage("-seed %d: too large for %d draws", o.seed, o.seeds)
	}
	if o.methods, err = parseMethods(methodList); err != nil {
		return nil, err
	}
	return o, o.probe()
}

// probe builds the random maps, each for one number of features that is as odd or even as those of the flag, which is what a map may object
// to: before minutes of work, and not after.
func (o *options) probe() error {
	for _, m := range o.methods {
		if !m.sized() {
			continue
		}
		for _, size := range o.sizes {
			spec, err := m.spec(m.forms()[0], o.dtype)
			if err != nil {
				return err
			}
			spec.Features = min(size, 16+size%2)
			if err := cli.Probe(spec); err != nil {
				return cli.Usage("-features %d: %w", size, err)
			}
		}
	}
	return nil
}

// parseSizes reads -features, in rising order.
func parseSizes(list string, made bool) (sizes []int, err error) {
	switch {
	case list == "" && made:
		list = madeSizes
	case list == "":
		list = fileSizes
	}
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return nil, cli.Usage("-features %s: want whole numbers, comma-separated", list)
		}
		if err := cli.CheckFeatures("features", n); err != nil {
			return nil, err
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
}
