package main

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

// shape is n rows of d columns in, features columns out.
type shape struct {
	name           string
	n, d, features int
	dense          bool // whether the maps of dense rows are measured here
	gradient       bool // and the gradient
	sparse         bool // and sparse rows
}

func (s shape) String() string { return fmt.Sprintf("%d×%d→%d", s.n, s.d, s.features) }

// standard are the shapes that have a letter.
var standard = []shape{
	{"a", 10000, 64, 4096, true, true, false},
	{"b", 4096, 16, 8192, true, false, false},
	{"c", 256, 64, 4096, true, false, false},
	{"d", 2000, 784, 4096, true, false, false},
	{"e", 3060, 4200, 2000, true, false, false},
	{"f", 3000, 4096, 4096, true, false, false},
	{"g", 512, 24000, 3000, false, false, true},
}

const letters = "a,b,c,d,e,f,g"

type options struct {
	runs         int
	shapes       []shape
	dtypes, maps []string
	cores        []int
	json, peers  bool
	plot         string
	reading      []int // rows and columns of the files to read; nil measures maps
	scaling      bool  // a table of the speedup by cores
}

func parse(args []string) (*options, error) {
	o := new(options)
	var shapes, dtypes, maps, cores, reading string
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.IntVar(&o.runs, "runs", 5, "runs a measurement, of which the median counts")
	fs.StringVar(&shapes, "shapes", letters, "shapes, a `list` of letters and of rows x columns x features, such as 1000x64x2048")
	fs.StringVar(&dtypes, "dtype", "float32,float64", "element types, a `list`")
	fs.StringVar(&maps, "maps", strings.Join(mapNames, ","), "what to measure, a `list`")
	fs.StringVar(&cores, "cores", defaultCores(), "numbers of cores, a `list`")
	fs.BoolVar(&o.json, "json", false, "print one JSON object a line instead of a table")
	fs.BoolVar(&o.peers, "peers", false, "measure scikit-learn, numpy and VLFeat too; needs python3 with scikit-learn, and for VLFeat libvl and a C compiler")
	fs.StringVar(&o.plot, "plot", "", "draw a picture of the speeds to a `file` (PNG)")
	fs.StringVar(&reading, "reading", "", "measure the readers of files in place of the maps, at `rows x columns`, such as 1000000x16; with -peers pandas and scikit-learn too")
	fs.BoolVar(&o.scaling, "scaling", false, "print the time of each map on 1, 2, 4, ... of the machine's cores and the speedup, in place of the table")
	synopsis := "bench measures the feature maps, and with -peers scikit-learn and numpy beside them.\nThe shapes, rows×columns→features:"
	for _, s := range standard {
		synopsis += fmt.Sprintf(" %s %v", s.name, s)
	}
	if err := cli.Parse(fs, synopsis, args); err != nil {
		return nil, err
	}
	if o.runs < 1 {
		return nil, cli.Usage("-runs %d: want at least 1", o.runs)
	}
	if given := cli.Given(fs); given["reading"] {
		for _, name := range []string{"shapes", "dtype", "maps", "cores", "plot", "scaling"} {
			if given[name] {
				return nil, cli.Usage("-%s does not go with -reading, which measures no map, on one core", name)
			}
		}
		var ok bool
		if o.reading, ok = sizes(reading, 2); !ok {
			return nil, cli.Usage("-reading %q: want rows x columns such as 1000000x16, at most %d cells", reading, limit)
		}
		return o, nil
	}
	if given := cli.Given(fs); o.scaling {
		for _, name := range []string{"cores", "peers", "json", "plot"} {
			if given[name] {
				return nil, cli.Usage("-%s does not go with -scaling, which prints a table of our maps on 1, 2, 4, ... cores", name)
			}
		}
		cores = doublings(runtime.NumCPU())
	}
	for _, text := range cli.List(shapes) {
		s, err := parseShape(text)
		if err != nil {
			return nil, err
		}
		o.shapes = append(o.shapes, s)
	}
	for _, text := range cli.List(cores) {
		c, err := strconv.Atoi(text)
		if err != nil || c < 1 || c > runtime.NumCPU() {
			return nil, cli.Usage("-cores %q: want whole numbers from 1 to %d, which this machine has", text, runtime.NumCPU())
		}
		o.cores = append(o.cores, c)
	}
	var err error
	if o.dtypes, err = among("dtype", dtypes, []string{"float32", "float64"}); err != nil {
		return nil, err
	}
	if o.maps, err = among("maps", maps, mapNames); err != nil {
		return nil, err
	}
	return o, o.checkFit()
}

// checkFit wants something to measure, and for a picture something with a product.
func (o *options) checkFit() error {
	some, dense := false, false
	for _, s := range o.shapes {
		for _, dtype := range o.dtypes {
			for _, name := range o.maps {
				if fits(name, cell{s, dtype, 1}) {
					some, dense = true, dense || products(name, s) > 0
				}
			}
		}
	}
	if !some {
		return cli.Usage("-maps %s: structured wants 16 columns or more, gradient float32 and shape a or one given by its numbers, sparse shape g or one given by its numbers, and nothing else shape g", strings.Join(o.maps, ","))
	}
	if o.plot != "" && !dense {
		return cli.Usage("-plot: the picture is of the speed of products, and structured, chi2 and intersection have none; add a dense map to -maps")
	}
	return nil
}

func defaultCores() string {
	if n := runtime.NumCPU(); n > 1 {
		return fmt.Sprintf("1,%d", n)
	}
	return "1"
}

// doublings are 1, 2, 4, ... and n itself.
func doublings(n int) string {
	var list []string
	for c := 1; c < n; c *= 2 {
		list = append(list, strconv.Itoa(c))
	}
	return strings.Join(append(list, strconv.Itoa(n)), ",")
}

func among(name, list string, known []string) ([]string, error) {
	parts := cli.List(list)
	for _, p := range parts {
		if !slices.Contains(known, p) {
			return nil, cli.Usage("-%s %q: want some of %s", name, p, strings.Join(known, ", "))
		}
	}
	return parts, nil
}

// limit is the number of cells of the largest matrix. It keeps a typing error from filling the memory.
const limit = 1 << 28

// sizes reads so many numbers with x between them, of which two are the sides of no matrix beyond the limit.
func sizes(text string, count int) ([]int, bool) {
	parts := strings.Split(text, "x")
	v := make([]int, len(parts))
	for i, p := range parts {
		var err error
		if v[i], err = strconv.Atoi(p); err != nil || v[i] < 1 || v[i] > limit {
			return nil, false
		}
		for _, u := range v[:i] {
			if u*v[i] > limit {
				return nil, false
			}
		}
	}
	return v, len(v) == count
}

// parseShape reads a letter or n x d x D. The pair form wants an even D.
func parseShape(text string) (shape, error) {
	for _, s := range standard {
		if s.name == text {
			return s, nil
		}
	}
	v, ok := sizes(text, 3)
	if !ok || v[2]%2 != 0 {
		return shape{}, cli.Usage("-shapes %q: want one of %s, or rows x columns x features such as 1000x64x2048, features even, at most %d cells a matrix", text, letters, limit)
	}
	return shape{text, v[0], v[1], v[2], true, true, true}, nil
}
