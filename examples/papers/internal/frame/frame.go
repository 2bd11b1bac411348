// Package frame is what the experiments on papers share: their flags and pictures, rows of histograms, means over
// draws, heads on features.
package frame

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/train/cmd/picture"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/stat"
)

// Experiment is what a program does. It embeds Flags. Check and Run end at an error by package try.
type Experiment interface {
	Common() *Flags
	Declare(fs *flag.FlagSet)    // declares its own flags
	Check(given map[string]bool) // refuses wrong ones before any work is done
	Run(ctx context.Context)     // prints its tables and adds its pictures
}

// Flags are the flags that all experiments have, with their defaults, and the pictures that a run has drawn.
type Flags struct {
	Plot  string
	Draws int // of each random map; 0: the experiment has no such flag
	Seed  uint64

	Inputs   []program.File // set by Check
	Pictures []image.Image
	Columns  int // of pictures; 0: all in a row
}

// Common is the flags.
func (f *Flags) Common() *Flags { return f }

// Main runs an experiment from its flags to the picture.
func Main(name, synopsis string, x Experiment) {
	program.Main(name, func(ctx context.Context, args []string) error {
		f, fs := x.Common(), flag.NewFlagSet(name, flag.ContinueOnError)
		x.Declare(fs)
		if f.Draws > 0 {
			fs.IntVar(&f.Draws, "draws", f.Draws, "draws of each random map")
		}
		fs.Uint64Var(&f.Seed, "seed", 1, "`seed` of the first draw and of the choice of rows")
		fs.StringVar(&f.Plot, "plot", f.Plot, "the picture, a `file` (PNG); empty draws none")
		return try.Catch(func() {
			try.Do(flags.Parse(fs, name+" "+synopsis, args))
			if draws := max(f.Draws, 1); f.Seed > math.MaxUint64-uint64(draws) {
				flags.Usage("-seed %d: too large for %d draws", f.Seed, draws)
			}
			x.Check(flags.Given(fs))
			try.Do(program.CheckFiles(f.Inputs, []program.File{{Flag: "-plot", Path: f.Plot}}))
			x.Run(ctx)
			if len(f.Pictures) > 0 {
				try.Do(picture.Save(f.Plot, cmp.Or(f.Columns, len(f.Pictures)), f.Pictures...))
			}
		})
	})
}

// Add keeps a picture.
func (f *Flags) Add(img image.Image) { f.Pictures = append(f.Pictures, img) }

// Spread is the mean of some draws and their standard deviation, 0 of a single one.
type Spread struct {
	Mean, SD float64
	n        int
}

// SpreadOf measures values.
func SpreadOf(v []float64) Spread {
	if len(v) == 1 {
		return Spread{Mean: v[0], n: 1}
	}
	mean, sd := stat.MeanStdDev(v, nil)
	return Spread{mean, sd, len(v)}
}

// StdErr is the standard error of the mean.
func (s Spread) StdErr() float64 { return s.SD / math.Sqrt(float64(s.n)) }

// Over measures a line of a table: f of each cell and each draw, by its seed. It tells how far it is.
func (f *Flags) Over(ctx context.Context, what string, cells []string, measure func(cell int, seed uint64) float64) []Spread {
	bar := program.NewProgress(what)
	defer bar.Close()
	out := make([]Spread, len(cells))
	for i, cell := range cells {
		values := make([]float64, f.Draws)
		for j := range values {
			bar.Step(i*f.Draws+j, len(cells)*f.Draws, cell)
			try.Do(context.Cause(ctx))
			values[j] = measure(i, f.Seed+uint64(j))
		}
		out[i] = SpreadOf(values)
	}
	return out
}

// NewLine is what a picture shows of measurements by the number of features, with a bar about each mean.
func NewLine(name string, features []int, spreads []Spread, bar func(Spread) float64) report.Line {
	line := report.Line{Name: name}
	for i, s := range spreads {
		line.Add(float64(features[i]), s.Mean, bar(s))
	}
	return line
}

// Line prints a line of a table.
func Line(name string, spreads []Spread, cell func(i int, s Spread) string) {
	fmt.Print("| ", name, " |")
	for i, s := range spreads {
		fmt.Print(" ", cell(i, s), " |")
	}
	fmt.Println()
}

// Each is f of each of a list.
func Each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// Counts reads a list of whole numbers, in rising order.
func Counts(flagName, list string, least int) (out []int) {
	for _, s := range flags.List(list) {
		n, err := strconv.Atoi(s)
		if err != nil || n < least {
			flags.Usage("-%s %s: want whole numbers from %d, comma-separated", flagName, list, least)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckFeatures wants a number of features that a map may have.
func CheckFeatures(flagName string, n int) {
	if n < 1 || n > maxFeatures {
		flags.Usage("-%s %d: want 1 to %d", flagName, n, maxFeatures)
	}
}

const maxFeatures = 1 << 24

// TableHead is the head of a table in Markdown.
func TableHead(columns ...string) string {
	return "| " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", len(columns)) + "|\n"
}

// Features reads a list of numbers of features.
func Features(flagName, list string) []int {
	sizes := Counts(flagName, list, 1)
	CheckFeatures(flagName, sizes[len(sizes)-1])
	return sizes
}

// Pick reads a list of some of the names, or all.
func Pick(flagName, list string, names []string) []string {
	if list == "all" {
		return names
	}
	out := flags.List(list)
	for i, s := range out {
		if !slices.Contains(names, s) {
			flags.Usage("-%s %s: %q is none of all, %s", flagName, list, s, strings.Join(names, ", "))
		}
		if slices.Contains(out[:i], s) {
			flags.Usage("-%s %s: %s is named twice", flagName, list, s)
		}
	}
	return out
}
