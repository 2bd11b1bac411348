// Command indefinite does again the experiments of Luo, Fang, Yang and Huang (2021), "Towards Unbiased Random Features
// with Lower Variance For Stationary Indefinite Kernels": generalized orthogonal random features (GORF) of two kernels
// that are not positive definite, beside independent ones (GRFF) and three older methods: random Maclaurin features
// (RM), tensor sketches (TS) and spherical random features (SRF). These three are for the polynomial kernel of the
// sphere alone.
//
//	go run ./examples/papers/indefinite
//	go run ./examples/papers/indefinite -data data
//
// The kernels are (1 - ‖x-z‖²/a²)^p on the unit sphere and exp(-‖x-z‖²/2σ₁²) - exp(-‖x-z‖²/2σ₂²). Five parts, each by
// itself with -part:
//
//	error       table II and figure 2: the relative Frobenius error of the kernel matrix of 1000 rows, its diagonal included
//	couplings   the same for every coupling of the two signs
//	variance    figure 1: by how much the couplings of the two signs lower the variance, by spectral.Coupling.Variance
//	accuracy    figure 3: a support vector machine on the features, its λ the best on rows that are set aside
//	regression  tables III and IV: the error on the test rows of Boston housing, by ridge and by ε-insensitive regression
//
// s is the number of frequencies a sign; every method is given the 4s columns that GORF makes of them. What the paper
// prints stands in brackets. Its a and p are not printed; its figures for GRFF are near ours for a = 3 and p = 1, the
// default. Its code overwrites the diagonal of the kernel matrix, which for the polynomial kernel takes away a part of
// the error that is large where s is small.
//
// Columns are scaled to [0, 1], rows of ijcnn1 to length 1, rows of usps to length 1 after that, which are the scalings
// that go with the paper's figures; for the polynomial kernel all rows have length 1. The first command, without the
// paper's data, takes made histograms, and has no regression. The second takes long, most of it for the support vector
// machines of ijcnn1 and usps; -sets, -part, -train and -draws make it shorter.
package main

import (
	"context"
	"flag"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
)

func main() {
	frame.Main("indefinite", "compares random features of indefinite kernels, as Luo et al. (2021).",
		&experiment{Flags: frame.Flags{Plot: "indefinite.png", Draws: 10}})
}

// experiment is a run of the program.
type experiment struct {
	frame.Flags
	data                          string
	setList, partList, kernelList string
	sources                       []source
	parts                         []string
	kernels                       []*kernel
	rows, train                   int
	a, p, one, two                float64
	housing                       *data.Set
}

// A part is what the program does under a name of -part.
type part struct {
	name string
	run  func(e *experiment, ctx context.Context)
}

// parts are all, in their order.
var parts = []part{
	{"error", (*experiment).kernelErrors},
	{"couplings", (*experiment).couplings},
	{"variance", (*experiment).variances},
	{"accuracy", (*experiment).accuracies},
	{"regression", (*experiment).regressions},
}

func (e *experiment) Declare(fs *flag.FlagSet) {
	fs.StringVar(&e.data, "data", "", "the `folder` of the paper's data, as letter/letter.train.libsvm.gz (default: made histograms)")
	fs.StringVar(&e.setList, "sets", "all", "data sets for error and accuracy, a `list` of "+strings.Join(names(sources), ", ")+", or all")
	fs.StringVar(&e.partList, "part", "all", "what to do, a `list` of "+strings.Join(partNames(), ", ")+", or all")
	fs.StringVar(&e.kernelList, "kernels", "all", "a `list` of "+strings.Join(kernelNames(), ", ")+", or all")
	fs.IntVar(&e.rows, "rows", 1000, "rows of the kernel matrix, at most")
	fs.IntVar(&e.train, "train", 0, "rows to train on, and to test on, at most; 0 is all, of made ones 1000")
	fs.Float64Var(&e.a, "a", 3, "a of the polynomial kernel, √2 or more")
	fs.Float64Var(&e.p, "p", 1, "p of the polynomial kernel")
	fs.Float64Var(&e.one, "sigma1", 1, "σ₁ of the delta-Gaussian kernel")
	fs.Float64Var(&e.two, "sigma2", 10, "σ₂ of the delta-Gaussian kernel")
}

func (e *experiment) Check(given map[string]bool) {
	e.Inputs = []program.File{{Flag: "-data", Path: e.data}}
	if given["sets"] && e.data == "" {
		flags.Usage("-sets %s: needs -data, the folder of the data", e.setList)
	}
	if e.rows < 2 || e.Draws < 2 || e.train < 0 {
		flags.Usage("-rows %d -draws %d -train %d: want at least 2, 2 and 0", e.rows, e.Draws, e.train)
	}
	e.parts = frame.Pick("part", e.partList, partNames())
	if e.data == "" && e.does("regression") {
		if e.partList != "all" {
			flags.Usage("-part %s: regression needs -data, the folder with the Boston housing data", e.partList)
		}
		e.parts = slices.DeleteFunc(e.parts, func(p string) bool { return p == "regression" })
	}
	sets := frame.Pick("sets", e.setList, names(sources))
	e.sources = slices.DeleteFunc(slices.Clone(sources), func(s source) bool { return !slices.Contains(sets, s.name) })
	if e.data == "" {
		e.sources = []source{made}
		if e.train == 0 {
			e.train = madeTrain
		}
	}
	e.pickKernels()
}

// pickKernels makes the kernels of -kernels, and tries their maps on the flags before any work is done.
func (e *experiment) pickKernels() {
	names := frame.Pick("kernels", e.kernelList, kernelNames())
	for _, k := range e.paperKernels() {
		if !slices.Contains(names, k.name) {
			continue
		}
		e.kernels = append(e.kernels, k)
		for _, m := range k.methods {
			if _, err := m.spec(64, 16, 1).Build(); err != nil {
				flags.Usage("%s: %w", k, err)
			}
		}
	}
}

// does says whether a part is asked for.
func (e *experiment) does(part string) bool { return slices.Contains(e.parts, part) }

func (e *experiment) Run(ctx context.Context) {
	e.read()
	e.Columns = max(len(e.sources), min(2, len(e.kernels)))
	for _, p := range parts {
		if e.does(p.name) {
			try.In(p.name, func() { p.run(e, ctx) })
		}
	}
}

func partNames() []string { return frame.Each(parts, func(p part) string { return p.name }) }

// ofPaper says whether the parameters are the paper's.
func (e *experiment) ofPaper() bool {
	return e.a == 3 && e.p == 1 && e.one == 1 && e.two == 10
}
