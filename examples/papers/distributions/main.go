// Command distributions learns on sets of samples: the experiments of Sutherland, Oliva, Póczos and Schneider (2016),
// "Linear-time Learning on Distributions with Approximate Kernel Embeddings".
//
//	go run ./examples/papers/distributions
//	go run ./examples/papers/distributions -part gram
//	go run ./examples/papers/distributions -part images -in data/cifar10-cats-dogs/cifar10-cats-dogs.train.bin.gz \
//		-test data/cifar10-cats-dogs/cifar10-cats-dogs.test.bin.gz
//	go run ./examples/papers/distributions -part bags -in data/bags/musk1.csv.gz
//	go run ./examples/papers/distributions -part cost
//
// components (figure 4 of the paper) is the regression of the number of components, 1 to 10, of mixtures of normal laws
// in the plane on samples of them. The paper's text has lost the constants of the law; those used here are at
// drawMixture. -em N adds what the information criteria of Akaike and Schwarz choose for N of the test sets, by fits of
// expectation-maximisation, and -kl N kernel ridge regression on the estimates of the pairwise Kullback-Leibler
// divergences of N training and N test sets by nearest neighbours, made positive semidefinite, beside the first method
// on the same sets.
//
// gram (figure 2, table 2) compares three estimates of the kernel exp(-JS/2σ²) from samples of mixtures with the true
// one: by entropies, by the coefficients of the embedding, and by random features. images (figure 5) classifies images
// by their pixels (column, row, grey value) and the pixels of the mirror image. bags classifies the sets of a CSV file
// by ten-fold cross-validation. Sets with more than three coordinates have a density for each coordinate. cost measures
// the time of the features and the memory.
//
// A method makes rows of the sets, and on these are random Fourier features of the Gaussian kernel, or in the linear
// ones nothing; on them ridge regression, for images and bags a support vector machine:
//
//	hdd-js, hdd-hellinger, hdd-tv   the embedding of density estimates of HDDLayer, -lambdas, -rule, -functions, -box, -points
//	l2-density                      the coefficients of the density estimates
//	mean-map                        the mean of 512 Fourier features of the samples
//	histogram-js, ...               the homogeneous map, of order 3, of a histogram with 10 cells an axis
//
// All choices are made on the training sets, at most 2000 of them, by the leave-one-out error of ridge regression on
// 1024 features: the bandwidth of the estimate, a multiple of Scott's; σ, a multiple of half the root mean square
// distance of two rows; and λ, which is chosen again near there on a tenth of the training sets. The table has the
// multiples; the standard error belongs to a mean over test sets; the seconds are for the features of all sets and for
// one fit with the choice of λ.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/cmd/program"
)

func main() {
	frame.Main("distributions", "learns on sets of samples: experiments of Sutherland et al. (2016).", &options{Flags: frame.Flags{Plot: "distributions.png"}})
}

// options are the flags.
type options struct {
	frame.Flags
	part, in, testFile          string
	setList, sampleList         string
	nameList, ruleName, sampled string
	sets, samples               []int
	test, em, kl                int
	columns, functions, lambdas int
	points                      int
	box, scattered              bool
	rule                        spectral.LambdaRule
	sampler                     spectral.Sampler // nil: samplerFor
	chosen                      []method
}

// A part is what -part names. It prints its table and adds its pictures.
type part struct {
	name          string
	run           func(o *options, ctx context.Context)
	sets, samples string // what -sets and -samples are unless they are given; of no account where they do not apply
}

var parts = []part{
	{"components", (*options).components, "4000", "200,800"},
	{"gram", (*options).gram, "100", "2500"},
	{"images", (*options).images, "2500", "4"},
	{"bags", (*options).bags, "20", "4"},
	{"cost", (*options).cost, "4000,8000,16000", "800"},
}

func (o *options) Declare(fs *flag.FlagSet) {
	fs.StringVar(&o.part, "part", "components", "what to do: "+strings.Join(partNames(), ", "))
	fs.StringVar(&o.in, "in", "", "images, bags: training images in CIFAR-10's layout, or sets, a CSV file with the columns bag and label, a `file`")
	fs.StringVar(&o.testFile, "test", "", "images: test images, a `file`")
	fs.StringVar(&o.setList, "sets", "", "numbers of training sets, a `list` (default 4000; images 2500; cost 4000,8000,16000; gram 100, its sets)")
	fs.StringVar(&o.sampleList, "samples", "", "samples of a set, a `list` (default 200,800; cost 800; gram 2500)")
	fs.IntVar(&o.test, "test-sets", 2000, "components, images: test sets")
	fs.IntVar(&o.em, "em", 0, "components: test sets for which mixtures are fitted and AIC and BIC choose")
	fs.IntVar(&o.kl, "kl", 0, "components: training and test sets for the kernel of divergences by nearest neighbours")
	fs.IntVar(&o.columns, "features", 5000, "random Fourier features")
	fs.IntVar(&o.functions, "functions", 10, "basis functions of an axis")
	fs.BoolVar(&o.box, "box", true, "take all products of the functions of two axes, and not those of low total degree")
	fs.BoolVar(&o.scattered, "scattered", false, "cost: uniform points in place of a grid")
	fs.IntVar(&o.lambdas, "lambdas", 5, "frequencies λ")
	fs.StringVar(&o.ruleName, "rule", "gauss", "`rule` of the frequencies λ: quantile, gauss, drawn")
	fs.IntVar(&o.points, "points", 0, "points of an axis at which densities are estimated; 0 is 128, 48, 20 in one to three dimensions")
	fs.StringVar(&o.sampled, "sampler", "", fmt.Sprintf("`sampler` of the Fourier features: %s (default orthogonal, iid for embeddings of more than %d numbers)", spectral.Samplers(), maxOrthogonal))
	fs.StringVar(&o.nameList, "methods", "all", "methods, a `list`, or all")
}

func (o *options) Check(given map[string]bool) {
	o.Inputs = []program.File{{Flag: "-in", Path: o.in}, {Flag: "-test", Path: o.testFile}}
	all := frame.Each(o.methods(), func(m method) string { return m.name })
	names := frame.Pick("methods", o.nameList, all)
	if err := o.rule.UnmarshalText([]byte(o.ruleName)); err != nil {
		flags.Usage("%w", err)
	}
	if o.sampled != "" {
		sampler, err := spectral.SamplerByName(o.sampled)
		if err != nil {
			flags.Usage("%w", err)
		}
		o.sampler = sampler
	}
	o.chosen = slices.DeleteFunc(o.methods(), func(m method) bool { return !slices.Contains(names, m.name) })
	o.checkPart(given)
	o.setCounts()
	if o.test < 2 || o.em < 0 || o.kl < 0 || o.kl == 1 || o.points < 0 {
		flags.Usage("-test-sets %d -em %d -kl %d -points %d: want at least 2 test sets, 0 or at least 2 for -kl, and no number below 0", o.test, o.em, o.kl, o.points)
	}
	o.probe()
}

// probe draws a map for the flags that are the layers' own.
func (o *options) probe() {
	frame.CheckFeatures("features", o.columns)
	if o.functions < 1 || o.lambdas < 1 {
		flags.Usage("-functions %d -lambdas %d: want at least 1 of each", o.functions, o.lambdas)
	}
	of := o.density(spectral.JensenShannonDivergence, []float64{.5}, 2)
	if _, err := layers.NewHDDLayer(of, 2, 2+o.columns%2, append(single(o.Seed), layers.WithSampler(o.samplerFor(0)))...); err != nil {
		flags.Usage("%w", err)
	}
}

// maxOrthogonal is the number of dimensions up to which frequencies are orthogonal unless a flag says otherwise: the
// time is cubic in it.
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

// checkPart wants a part that there is, and its files.
func (o *options) checkPart(given map[string]bool) {
	files := o.part == "images" || o.part == "bags"
	switch {
	case !slices.Contains(partNames(), o.part):
		flags.Usage("-part %s: want one of %s", o.part, strings.Join(partNames(), ", "))
	case files && o.in == "":
		flags.Usage("-part %s needs -in", o.part)
	case o.part == "images" && o.testFile == "":
		flags.Usage("-part images needs -test")
	case !files && o.in != "":
		flags.Usage("-in does not apply to -part %s, which draws its sets", o.part)
	case o.part != "images" && o.testFile != "":
		flags.Usage("-test does not apply to -part %s", o.part)
	case o.part != "components" && (given["em"] || given["kl"]):
		flags.Usage("-em and -kl belong to -part components")
	case o.part != "cost" && o.scattered:
		flags.Usage("-scattered belongs to -part cost")
	case o.part == "cost" && given["points"]:
		flags.Usage("-points does not apply to -part cost, which has %d x %d", costPoints, costPoints)
	case files && given["samples"]:
		flags.Usage("-samples does not apply to -part %s, whose sets are as they are", o.part)
	case o.part == "bags" && (given["sets"] || given["test-sets"]):
		flags.Usage("-sets and -test-sets do not apply to -part bags, which is cross-validated on all sets")
	}
}

// setCounts reads the numbers of sets and samples.
func (o *options) setCounts() {
	part := o.chosenPart()
	o.sets = frame.Counts("sets", cmp.Or(o.setList, part.sets), 10)
	o.samples = frame.Counts("samples", cmp.Or(o.sampleList, part.samples), 4)
	if o.part == "gram" && (len(o.sets) > 1 || len(o.samples) > 1) {
		flags.Usage("-part gram takes one number of -sets and of -samples")
	}
}

func partNames() []string { return frame.Each(parts, func(p part) string { return p.name }) }

// chosenPart is the part that is asked for.
func (o *options) chosenPart() part { return parts[slices.Index(partNames(), o.part)] }

func (o *options) Run(ctx context.Context) { o.chosenPart().run(o, ctx) }
