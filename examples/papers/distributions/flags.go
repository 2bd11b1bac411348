package main

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
)

type options struct {
	experiment, in, testFile, plot string
	sets, samples                  []int
	test, em, kl                   int
	columns, functions, lambdas    int
	points                         int
	box, scattered                 bool
	rule                           spectral.LambdaRule
	sampler                        spectral.Sampler // nil: samplerFor
	seed                           uint64
	names                          []string
}

// parse reads the flags.
func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("distributions", flag.ContinueOnError)
	var sets, samples, names, rule, sampler string
	fs.StringVar(&o.experiment, "experiment", "components", "`name`: "+strings.Join(experimentNames(), ", "))
	fs.StringVar(&o.in, "in", "", "images, bags: training images in CIFAR-10's layout, or sets, a CSV file with the columns bag and label, a `file`")
	fs.StringVar(&o.testFile, "test-in", "", "images: test images, a `file`")
	fs.StringVar(&sets, "sets", "", "numbers of training sets, a `list` (default 4000; images 2500; cost 4000,8000,16000; gram 100, its sets)")
	fs.StringVar(&samples, "samples", "", "samples of a set, a `list` (default 200,800; cost 800; gram 2500)")
	fs.IntVar(&o.test, "test", 2000, "components, images: test sets")
	fs.IntVar(&o.em, "em", 0, "components: test sets for which mixtures are fitted and AIC and BIC choose")
	fs.IntVar(&o.kl, "kl", 0, "components: training and test sets for the kernel of divergences by nearest neighbours")
	fs.IntVar(&o.columns, "features", 5000, "random Fourier features")
	fs.IntVar(&o.functions, "functions", 10, "basis functions of an axis")
	fs.BoolVar(&o.box, "box", true, "take all products of the functions of two axes, and not those of low total degree")
	fs.BoolVar(&o.scattered, "scattered", false, "cost: uniform points in place of a grid")
	fs.IntVar(&o.lambdas, "lambdas", 5, "frequencies λ")
	fs.StringVar(&rule, "rule", "gauss", "`rule` of the frequencies λ: quantile, gauss, drawn")
	fs.IntVar(&o.points, "points", 0, "points of an axis at which densities are estimated; 0 is 128, 48, 20 in one to three dimensions")
	fs.StringVar(&sampler, "sampler", "", fmt.Sprintf("`sampler` of the Fourier features: %s (default orthogonal, iid for embeddings of more than %d numbers)", spectral.SamplerNames(), maxOrthogonal))
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of all draws")
	fs.StringVar(&names, "methods", "all", "methods, a `list`, or all")
	fs.StringVar(&o.plot, "plot", "distributions.png", "components, gram, images: the picture, a `file` (PNG); empty draws none")
	if err := cli.Parse(fs, "distributions learns on sets of samples: experiments of Sutherland et al. (2016).", args); err != nil {
		return nil, err
	}
	if err := o.checkNames(names); err != nil {
		return nil, err
	}
	var err error
	if o.rule, err = spectral.ParseLambdaRule(rule); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	if sampler != "" {
		if o.sampler, err = spectral.SamplerByName(sampler); err != nil {
			return nil, &cli.UsageError{Err: err}
		}
	}
	if err := o.checkExperiment(cli.Given(fs)); err != nil {
		return nil, err
	}
	if err := o.setCounts(sets, samples); err != nil {
		return nil, err
	}
	if o.test < 2 || o.em < 0 || o.kl < 0 || o.points < 0 {
		return nil, cli.Usage("-test %d -em %d -kl %d -points %d: want at least 2 test sets, and no number below 0", o.test, o.em, o.kl, o.points)
	}
	if o.seed == math.MaxUint64 {
		return nil, cli.Usage("-seed %d: too large, the next one is used as well", o.seed)
	}
	return o, o.probe()
}

// probe draws a map for the flags that are the layers' own.
func (o *options) probe() error {
	if err := cli.CheckFeatures("features", o.columns); err != nil {
		return err
	}
	js := spectral.JensenShannonDivergence()
	opts := append(o.hddOptions(js, []float64{.5}, 2, o.seed), layers.WithSampler(o.samplerFor(0)))
	if _, err := layers.NewHDDLayer(js, 1, 2, 2+o.columns%2, opts...); err != nil {
		return &cli.UsageError{Err: err}
	}
	return nil
}

// maxOrthogonal is the number of dimensions up to which frequencies are orthogonal unless a flag says otherwise: the time is cubic in it.
const maxOrthogonal = 1024

// samplerFor is the sampler for embeddings of so many numbers.
func (o *options) samplerFor(dims int) spectral.Sampler {
	switch {
	case o.sampler != nil:
		return o.sampler
	case dims > maxOrthogonal:
		return spectral.IID{}
	}
	return spectral.Orthogonal{}
}

// checkExperiment wants an experiment that there is, and its files.
func (o *options) checkExperiment(given map[string]bool) error {
	if !slices.Contains(experimentNames(), o.experiment) {
		return cli.Usage("-experiment %s: want one of %s", o.experiment, strings.Join(experimentNames(), ", "))
	}
	files := o.experiment == "images" || o.experiment == "bags"
	switch {
	case files && o.in == "":
		return cli.Usage("-experiment %s needs -in", o.experiment)
	case o.experiment == "images" && o.testFile == "":
		return cli.Usage("-experiment images needs -test-in")
	case !files && o.in != "":
		return cli.Usage("-in does not apply to -experiment %s, which draws its sets", o.experiment)
	case o.experiment != "images" && o.testFile != "":
		return cli.Usage("-test-in does not apply to -experiment %s", o.experiment)
	case o.experiment != "components" && (given["em"] || given["kl"]):
		return cli.Usage("-em and -kl belong to -experiment components")
	case o.experiment != "cost" && o.scattered:
		return cli.Usage("-scattered belongs to -experiment cost")
	case o.experiment == "cost" && given["points"]:
		return cli.Usage("-points does not apply to -experiment cost, which has %d x %d", costPoints, costPoints)
	case files && given["samples"]:
		return cli.Usage("-samples does not apply to -experiment %s, whose sets are as they are", o.experiment)
	case o.experiment == "bags" && (given["sets"] || given["test"]):
		return cli.Usage("-sets and -test do not apply to -experiment bags, which is cross-validated on all sets")
	}
	return nil
}

// setCounts reads the numbers of sets and samples.
func (o *options) setCounts(sets, samples string) (err error) {
	if sets == "" {
		sets = map[string]string{"components": "4000", "images": "2500", "cost": "4000,8000,16000", "gram": "100", "bags": "20"}[o.experiment]
	}
	if samples == "" {
		samples = map[string]string{"components": "200,800", "images": "4", "cost": "800", "gram": "2500", "bags": "4"}[o.experiment]
	}
	if o.sets, err = counts("sets", sets, 10); err != nil {
		return err
	}
	if o.samples, err = counts("samples", samples, 4); err != nil {
		return err
	}
	if o.experiment == "gram" && (len(o.sets) > 1 || len(o.samples) > 1) {
		return cli.Usage("-experiment gram takes one number of -sets and of -samples")
	}
	return nil
}

// checkNames wants methods that there are.
func (o *options) checkNames(list string) error {
	if list == "all" {
		return nil
	}
	var all []string
	for _, m := range o.methods() {
		all = append(all, m.name)
	}
	for _, n := range strings.Split(list, ",") {
		if n = strings.TrimSpace(n); !slices.Contains(all, n) {
			return cli.Usage("-methods: there is no %q; there are %s", n, strings.Join(all, ", "))
		}
		o.names = append(o.names, n)
	}
	return nil
}

// chosen are the methods of the flag.
func (o *options) chosen() []method {
	if o.names == nil {
		return o.methods()
	}
	return slices.DeleteFunc(o.methods(), func(m method) bool { return !slices.Contains(o.names, m.name) })
}

// counts reads a list of numbers, in rising order.
func counts(name, list string, least int) ([]int, error) {
	var out []int
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < least {
			return nil, cli.Usage("-%s %s: want whole numbers from %d, comma-separated", name, list, least)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
