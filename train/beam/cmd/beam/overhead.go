package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/linear"
)

// overhead compares a fit in one process with the same on Prism.
type overhead struct {
	rows, dims, features, files, runs int
	format                            string
	way, dir                          string // of a child
}

// ways are how a child fits.
var ways = []struct{ name, label string }{
	{"alone", "one process"}, {"beam", "Prism, worker in the process"}, {"processes", "Prism, worker in a process of its own"},
}

func overheadCommand(fs *flag.FlagSet) func(ctx context.Context) error {
	var o overhead
	fs.IntVar(&o.rows, "rows", 200_000, "made rows")
	fs.IntVar(&o.dims, "dims", 16, "their columns")
	fs.IntVar(&o.features, "features", 512, "features")
	fs.IntVar(&o.files, "files", 16, "files that the rows are in")
	fs.IntVar(&o.runs, "runs", 9, "runs of each way, in turn")
	fs.StringVar(&o.format, "format", "csv", "of the files: csv, npy (float64)")
	fs.StringVar(&o.way, "way", "", "fit the files of -dir this `way` and print nothing: alone, beam, processes")
	fs.StringVar(&o.dir, "dir", "", "with -way, the `folder`")
	return func(ctx context.Context) error {
		switch {
		case o.way != "":
			return o.fit(ctx)
		case o.files < 1 || o.rows < o.files || o.dims < 1 || o.features < 2 || o.runs < 1:
			return usage("-rows %d -dims %d -features %d -files %d -runs %d: want at least one row a file, one column, two features and one run", o.rows, o.dims, o.features, o.files, o.runs)
		case o.format != "csv" && o.format != "npy":
			return usage("-format %s: want csv or npy", o.format)
		}
		return o.compare(ctx, os.Stdout)
	}
}

// recipeFile is where a child finds the recipe, beside the folder rows.
const recipeFile = "recipe"

func (o *overhead) model(way string) string { return filepath.Join(o.dir, way+".safetensors") }

// fit is what a child does.
func (o *overhead) fit(ctx context.Context) error {
	shipped, err := os.ReadFile(filepath.Join(o.dir, recipeFile))
	if err != nil {
		return err
	}
	r := new(beam.Recipe)
	if err := r.UnmarshalBinary(shipped); err != nil {
		return err
	}
	files, err := list(ctx, filepath.Join(o.dir, "rows"))
	if err != nil {
		return err
	}
	if o.way == "alone" {
		return o.alone(ctx, r, files)
	}
	p, s := sdk.NewPipelineWithRoot()
	if err := beam.Fit(s, r, files, 0, o.model(o.way)); err != nil {
		return err
	}
	return submit.Run(ctx, p, submit.Options{Timeout: time.Hour, Processes: o.way == "processes"})
}

// alone is the fit without an engine.
func (o *overhead) alone(ctx context.Context, r *beam.Recipe, files []string) error {
	rows, err := r.Rows(files...)
	if err != nil {
		return err
	}
	m := r.Model
	fit, err := linear.FitRidge(ctx, m.Map, rows, linear.RidgeOptions{Select: linear.SelectNone})
	if err != nil {
		return err
	}
	head, err := layers.NewLinearHead(m.Map.Features(), 1, layers.WithName("head"))
	if err != nil {
		return err
	}
	if err := head.SetWeights(fit.W.RawMatrix().Data, fit.B); err != nil {
		return err
	}
	m.Head = head
	return m.Save(o.model(o.way))
}

// spent is what a child took: CPU with that of the processes which it started.
type spent struct{ cpu, wall float64 }

// compare makes the rows, runs all ways in turn and prints a Markdown table of medians.
func (o *overhead) compare(ctx context.Context, w io.Writer) (err error) {
	if o.dir, err = os.MkdirTemp("", "beam-overhead-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	if err := o.generate(ctx); err != nil {
		return err
	}
	runs := map[string][]spent{}
	for range o.runs {
		for _, way := range ways {
			s, err := o.child(ctx, way.name)
			if err != nil {
				return err
			}
			runs[way.name] = append(runs[way.name], s)
		}
	}
	want, err := o.weights("alone")
	if err != nil {
		return err
	}
	base := median(runs["alone"], func(s spent) float64 { return s.cpu })
	fmt.Fprintf(w, "%d rows x %d -> %d features, %d %s files, median of %d\n\n| way | CPU s | ratio | wall s | largest difference of a weight, of %.3g |\n|---|---|---|---|---|\n",
		o.rows, o.dims, o.features, o.files, o.format, o.runs, largest(want, nil))
	for _, way := range ways {
		got, err := o.weights(way.name)
		if err != nil {
			return err
		}
		cpu := median(runs[way.name], func(s spent) float64 { return s.cpu })
		wall := median(runs[way.name], func(s spent) float64 { return s.wall })
		fmt.Fprintf(w, "| %s | %.2f | %.3f | %.2f | %.2g |\n", way.label, cpu, cpu/base, wall, largest(got, want))
	}
	return nil
}

// child runs this program on the files.
func (o *overhead) child(ctx context.Context, way string) (spent, error) {
	program, err := os.Executable()
	if err != nil {
		return spent{}, err
	}
	cmd := exec.CommandContext(ctx, program, "overhead", "-way", way, "-dir", o.dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return spent{}, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args[1:], " "), err, said.String())
	}
	return spent{(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), time.Since(start).Seconds()}, nil
}

// weights are those of the head that a way has saved.
func (o *overhead) weights(way string) ([]float64, error) {
	m, err := train.Load(o.model(way))
	if err != nil {
		return nil, err
	}
	return m.Head.Params()[0].Value.Float64s(), nil
}

// largest is the largest magnitude of a - b; nil is 0.
func largest(a, b []float64) float64 {
	most := 0.
	for i, v := range a {
		if b != nil {
			v -= b[i]
		}
		most = math.Max(most, math.Abs(v))
	}
	return most
}

func median(all []spent, of func(spent) float64) float64 {
	all = slices.SortedFunc(slices.Values(all), func(a, b spent) int { return cmp.Compare(of(a), of(b)) })
	return (of(all[(len(all)-1)/2]) + of(all[len(all)/2])) / 2
}
