package main

import (
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
)

const synopsis = `features maps a file to features and tells how well they approximate the kernel.
Without -in it makes its own histograms; with neither -out nor -kernel it reports.`

// options are the flags, read and checked.
type options struct {
	cli.MapFlags
	in, out, kernel, plot string
	report, json          bool
	bags                  bool // the rows are sets of samples
	seeds, rows           int
	csv                   cli.ReadingFlags
	reading               data.Options
	sweep                 []int
	samplers              []string
	spec                  layers.Spec
}

func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("features", flag.ContinueOnError)
	var label, sweep string
	fs.StringVar(&o.in, "in", "", "input `file`: LIBSVM text, CSV or .npy, each also .gz or .zst, or .parquet; for a map of bags CSV with a column bag (default: made histograms, or sets)")
	fs.StringVar(&label, "label", "none", "which column of a table or .npy row is a label, to be left out: last, first, none, its name, or its `number` from 1")
	o.csv.Register(fs)
	fs.StringVar(&o.out, "out", "", "write the features to this `file`, .npy or .csv")
	fs.StringVar(&o.kernel, "kernel", "", "write the exact kernel matrix of the rows to this `file`, .npy or .csv")
	o.MapFlags.Register(fs, "gaussian", "; with -report also all")
	fs.Lookup("map").Usage += "; exp-semigroup on the made histograms"
	fs.Lookup("scale").Usage += "; for bags by default cube, of all samples"
	fs.BoolVar(&o.report, "report", false, "compare the exact with the approximate kernel")
	fs.IntVar(&o.seeds, "seeds", 30, "report: draws for each mean and its standard error")
	fs.IntVar(&o.rows, "rows", 1000, fmt.Sprintf("report: rows to compare on, at most; %d of bags", bagRows))
	fs.StringVar(&sweep, "sweep", "128,256,512,1024,2048,4096,8192", "report: features at which the error is measured; none for no sweep")
	fs.StringVar(&o.plot, "plot", "", "report: draw the error against the features to this `file` (PNG)")
	fs.BoolVar(&o.json, "json", false, "print one JSON object as the last line of stdout")
	if err := cli.Parse(fs, synopsis, args); err != nil {
		return nil, err
	}
	given := cli.Given(fs)
	if o.out == "" && o.kernel == "" {
		o.report = true
	}
	if e, err := layers.Lookup(o.Map); err == nil && e.Bags {
		if err := o.setBags(given); err != nil {
			return nil, err
		}
	} else if o.in == "" {
		if !given["map"] {
			o.Map = "exp-semigroup"
		}
		if !given["scale"] {
			o.Scale = "l1"
		}
	}
	if err := o.check(label, sweep, given); err != nil {
		return nil, err
	}
	var err error
	if o.spec, err = o.Spec(given); err != nil {
		return nil, err
	}
	e, err := layers.Lookup(o.spec.Map)
	if err != nil {
		return nil, err
	}
	if !e.Sampled {
		for _, f := range []string{"seeds", "sweep", "plot"} {
			if given[f] {
				return nil, cli.Usage("-%s does not apply to -map %s, which draws no frequencies", f, o.Map)
			}
		}
		o.sweep, o.samplers = nil, []string{""}
	}
	if !e.HasSampler || o.spec.Sampler == "" { // it draws in its own way
		o.samplers = []string{""}
	}
	return o, o.probe()
}

// probe finds flags that do not fit the map, for each number of features that will be drawn.
func (o *options) probe() error {
	if err := cli.Probe(o.spec); err != nil || !o.report {
		return err
	}
	spec := o.spec
	for _, spec.Features = range o.sweep {
		if err := cli.Probe(spec); err != nil {
			return cli.Usage("-sweep: %w", err)
		}
	}
	return nil
}

// setBags fills in the defaults that differ for a map of sets of samples.
func (o *options) setBags(given map[string]bool) error {
	for _, name := range []string{"label", "header", "delimiter"} {
		if given[name] {
			return cli.Usage("-%s does not apply to -map %s, whose files name the columns", name, o.Map)
		}
	}
	o.bags = true
	if !given["scale"] {
		o.Scale = "cube"
	}
	if !given["rows"] {
		o.rows = bagRows
	}
	return nil
}

// bagRows is how many bags the report compares by default: the exact kernels look at the densities of each pair, or at
// all pairs of samples.
const bagRows = 100

func (o *options) check(label, sweep string, given map[string]bool) error {
	var err error
	if o.reading, err = o.csv.Options(); err != nil {
		return err
	}
	for _, name := range []string{"label", "header", "delimiter"} {
		if o.in == "" && given[name] {
			return cli.Usage("-%s does not apply to the made histograms; it goes with -in", name)
		}
	}
	if o.reading.Label, err = data.ParseLabel(label); err != nil {
		o.reading.LabelNames = []string{label}
	}
	if err := cli.CheckMatrixFile("out", o.out); err != nil {
		return err
	}
	if err := cli.CheckMatrixFile("kernel", o.kernel); err != nil {
		return err
	}
	if !o.report {
		for _, f := range []string{"seeds", "rows", "sweep", "plot"} {
			if given[f] {
				return cli.Usage("-%s belongs to -report", f)
			}
		}
		if o.Sampler == "all" {
			return cli.Usage("-sampler all belongs to -report; features are written for one sampler")
		}
	}
	if o.seeds < 2 || o.rows < 2 {
		return cli.Usage("-seeds %d -rows %d: want at least 2 of each", o.seeds, o.rows)
	}
	if sweep != "none" {
		for _, s := range strings.Split(sweep, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(s))
			if err != nil {
				return cli.Usage("-sweep %s: want numbers of features, comma-separated, or none", sweep)
			}
			if err := cli.CheckFeatures("sweep", n); err != nil {
				return err
			}
			o.sweep = append(o.sweep, n)
		}
	}
	if o.plot != "" && o.sweep == nil {
		return cli.Usage("-plot draws the error of the -sweep; it does not apply to -sweep none")
	}
	o.samplers = []string{o.Sampler}
	if o.Sampler == "all" {
		if o.out != "" {
			return cli.Usage("-sampler all does not apply to -out; features are written for one sampler")
		}
		o.samplers, o.Sampler = nil, "iid"
		for _, s := range spectral.Samplers() {
			o.samplers = append(o.samplers, s.String())
		}
	}
	return nil
}
