// Command histograms compares kernels on histograms, exact and by their feature maps, on a problem of classification:
// tables 1 and 2 of Vedaldi and Zisserman (2012), "Efficient Additive Kernels via Explicit Feature Maps", and figure 2
// and table 2 of Yang et al. (2014), "Random Laplace Feature Maps for Semigroup Kernels on Histograms".
//
//	go run ./examples/papers/histograms
//	go run ./examples/papers/histograms -in data/scene15-spm/scene15-spm.train.libsvm.gz \
//		-test data/scene15-spm/scene15-spm.test.libsvm.gz -dtype float32
//
// Both papers used spatial-pyramid histograms of Caltech-101 and support vector machines. The second command uses such
// histograms of 15 classes of scenes, 1500 to train on and 2985 to test on, with 4200 bins, and ridge regression on +1
// and -1. With -head svm the maps, not the exact kernels, have support vector machines, whose λ is chosen on a fifth of
// the training rows. The first command, which takes seconds, makes histograms of words by itself. Rows are divided by
// their sum, or with -norm l2, which table 3 of the first paper calls incorrect for these kernels, by their Euclidean
// norm.
//
// All choices are made on the training rows. λ has the fewest wrong classes of rows that are left out, and of several
// such λ the least squared error. The parameter of a kernel that has one (σ, c, β, λ) is chosen in the same way, by
// factors of 2 from its default. The choice is made for the exact kernel, and again for a random map, which prefers a
// smoother kernel: at its largest number of features and on a draw that is not measured.
//
// A row of the table is a kernel or a map, with its accuracy and its macro F1 on the test rows, mean and standard
// deviation of the draws where there are several; the relative Frobenius error of its kernel matrix on the training
// rows; and the seconds for the features (or the kernel matrix) of all rows and for one fit, without the choices. A
// second table says which orders of methods that the papers report are found here. The picture shows accuracy against
// the number of features, beside the accuracy of the exact kernels. With -one CLASS the problem is that class against
// all others.
//
// -methods names some of the maps, and -sampler a list compares samplers, which all draw for the parameter that was
// chosen with the first:
//
//	go run ./examples/papers/histograms -methods gaussian,skewed-chi2 -sampler iid,orthogonal,antithetic -exact=false
//
// -view is another description of the rows of -in, such as another histogram of the same pictures. Its bins stand beside
// the others, with a weight: the kernel of an additive map is the weighted sum of the kernels of both, as in Li et al.
// (2010).
//
// -bins chooses bins of a map by a group lasso, with a penalty on the lengths of the weights of a bin, and prints the
// accuracy on what is left:
//
//	go run ./examples/papers/histograms -bins chi2
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/train/cmd/program"
	"gorgonia.org/tensor"
)

func main() {
	frame.Main("histograms", "compares kernels on histograms, exact and by their feature maps, in a problem of classification.",
		&experiment{Flags: frame.Flags{Plot: "histograms.png", Draws: 5}})
}

// experiment is a run of the program.
type experiment struct {
	frame.Flags
	frame.Problem                     // normalised histograms, and classes
	in, test, one, dtype, head, norm  string
	bins, view                        string
	weight                            float64
	rows                              int
	exact                             bool
	methodList, sizeList, samplerList string
	methods                           []method
	sizes                             []int
	samplers                          []string
	source                            string // of the rows
	progress                          *program.Progress
	results                           []result
}

// What is tried unless flags say otherwise: numbers of features, as in the paper and for made histograms, and how many
// of these are trained on, and tested on.
const (
	fileSizes = "1000,2000,5000,10000"
	madeSizes = "100,300,1000"
	madeRows  = 300
)

func (e *experiment) Declare(fs *flag.FlagSet) {
	fs.StringVar(&e.in, "in", "", "training histograms, a `file` of LIBSVM text, CSV or .npy, each also .gz, labels last (default: made ones)")
	fs.StringVar(&e.test, "test", "", "test histograms, a `file` (default: half of the rows of -in)")
	fs.StringVar(&e.view, "view", "", "a second description of the rows of -in, a `file`, whose kernel is added")
	fs.Float64Var(&e.weight, "weight", .5, "weight of the kernel of -view, between 0 and 1; the other has the rest")
	fs.StringVar(&e.one, "one", "", "a `class` to tell from the others, which is a problem of two classes (default: all classes)")
	fs.IntVar(&e.rows, "rows", 0, "training rows, and as many test rows, at most; 0 is all, of made ones 300")
	fs.StringVar(&e.sizeList, "features", "", "numbers of features of the random maps, a `list` (default "+fileSizes+", and "+madeSizes+" for made rows)")
	fs.StringVar(&e.samplerList, "sampler", "iid", fmt.Sprint("samplers of the random maps, a `list` of ", spectral.Samplers()))
	fs.StringVar(&e.methodList, "methods", "all", "maps to compare, a `list`, or all")
	fs.StringVar(&e.head, "head", "ridge", "what learns on the features: ridge, svm")
	fs.StringVar(&e.norm, "norm", "l1", "norm that rows are divided by: l1, l2")
	fs.StringVar(&e.bins, "bins", "", "an additive `map`, of which a group lasso chooses bins; nothing else is done")
	fs.BoolVar(&e.exact, "exact", true, "fit the exact kernels too")
	fs.StringVar(&e.dtype, "dtype", "float64", "element `type` of the features: float32, float64")
}

func (e *experiment) Check(map[string]bool) {
	e.Inputs = []program.File{{Flag: "-in", Path: e.in}, {Flag: "-test", Path: e.test}, {Flag: "-view", Path: e.view}}
	switch {
	case e.view != "" && (e.in == "" || e.test != ""):
		flags.Usage("-view %s: needs -in, and no -test", e.view)
	case !(e.weight > 0 && e.weight < 1):
		flags.Usage("-weight %v: want a number between 0 and 1", e.weight)
	case e.test != "" && e.in == "":
		flags.Usage("-test %s: needs -in, the training file", e.test)
	case e.rows < 0 || e.Draws < 1:
		flags.Usage("-rows %d -draws %d: want at least 0 and 1", e.rows, e.Draws)
	case e.dtype != "float32" && e.dtype != "float64":
		flags.Usage("-dtype %s: want float32 or float64", e.dtype)
	case e.head != "ridge" && e.head != "svm":
		flags.Usage("-head %s: want ridge or svm", e.head)
	case e.norm != "l1" && e.norm != "l2":
		flags.Usage("-norm %s: want l1 or l2", e.norm)
	case e.bins != "" && !slices.Contains([]string{"hellinger", "chi2", "intersection", "jensen-shannon"}, e.bins):
		flags.Usage("-bins %s: want hellinger, chi2, intersection or jensen-shannon", e.bins)
	case e.sizeList == "" && e.in == "":
		e.sizeList = madeSizes
	case e.sizeList == "":
		e.sizeList = fileSizes
	}
	if e.in == "" && e.rows == 0 {
		e.rows = madeRows
	}
	e.sizes = frame.Features("features", e.sizeList)
	e.samplers = flags.List(e.samplerList)
	for _, s := range e.samplers {
		if _, err := spectral.SamplerByName(s); err != nil {
			flags.Usage("%w", err)
		}
	}
	e.methods = frame.Each(frame.Pick("methods", e.methodList, methodNames()), methodOf)
	e.probe()
}

// probe builds the random maps for a few columns and small numbers of features, as odd or even as the flag's. A map that
// objects to the parity is found before minutes of work. What cannot be told without the data is no error here.
func (e *experiment) probe() {
	const dims = 16
	x := tensor.New(tensor.WithShape(2, dims), tensor.Of(tensor.Float64))
	for j := range dims {
		x.Float64s()[dims+j] = 1
	}
	for _, m := range e.methods {
		if !m.random() {
			continue
		}
		for _, size := range e.sizes {
			spec := m.spec(m.forms()[0], e.dtype)
			spec.Dims, spec.Features = dims, min(size, 16+size%2)
			if spec.FillDefaults(x) != nil {
				continue
			}
			if _, err := spec.Build(); err != nil {
				flags.Usage("-features %d: %w", size, err)
			}
		}
	}
}

func (e *experiment) Run(ctx context.Context) {
	e.read()
	fmt.Printf("%s: %d training and %d test rows of %d bins, %d classes; rows divided by their %s\n\n", e.source, e.X.Shape()[0], len(e.Truth), e.X.Shape()[1],
		e.N, map[string]string{"l1": "sum", "l2": "Euclidean norm"}[e.norm])
	e.progress = program.NewProgress("histograms, maps")
	defer e.progress.Close()
	if e.bins != "" {
		e.keptBins(ctx)
		return
	}
	fmt.Print(tableHead)
	for i, m := range e.methods {
		for _, form := range m.forms() {
			e.progress.Step(i, len(e.methods), m.Map+" "+form)
			try.In(strings.TrimSpace(m.Map+" "+form), func() { e.form(ctx, m, form) })
		}
	}
	e.progress.Step(len(e.methods), len(e.methods), "")
	fmt.Print(verdicts(e.results, len(e.Truth)))
	e.picture("Random maps, mean and standard deviation of the draws", true)
	e.picture("Maps without chance", false)
}

// found keeps a result and prints its row.
func (e *experiment) found(r result) {
	e.results = append(e.results, r)
	e.progress.Close() // the bar, which is drawn again at the next step
	fmt.Print(r.row())
}

// form measures one form of a method: the exact kernel, unless another form has had the same, and the map.
func (e *experiment) form(ctx context.Context, m method, form string) {
	spec := m.spec(form, e.dtype)
	spec.Dims = e.X.Shape()[1]
	try.Do(spec.FillDefaults(e.X))
	if m.Exact && e.exact && m.newKernel(form) {
		spec = e.exactKernel(ctx, m, form, spec)
	}
	sizes, samplers, tune := []int{0}, []string{""}, m.Tune
	if m.random() {
		sizes, samplers = e.sizes, e.samplers
	}
	for _, spec.Sampler = range samplers {
		err := try.Catch(func() { spec.Params = e.maps(ctx, m, form, spec, sizes, tune) })
		if errors.Is(err, spectral.ErrSampler) {
			fmt.Fprintf(os.Stderr, "left out: %s, %v\n", m.Map, err)
			continue
		}
		try.Do(err)
		tune = "" // all samplers draw for one kernel
	}
}
