package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/wholefile"
)

// command is what both commands have in common.
type command struct {
	in, out  string // the names of the flags
	from, to string // and their values
	recipe   recipeFlags
	submit   submit.Options
	// writes returns the names of the files that are written for those that are read.
	writes func(files []string, to string) ([]string, error)
	// steps adds to a pipeline what there is to do.
	steps func(s sdk.Scope, r *beam.Recipe, files []string, to string) error
}

func (c *command) register(fs *flag.FlagSet, label, in, out string) {
	fs.StringVar(&c.from, c.in, "", in)
	fs.StringVar(&c.to, c.out, "", out)
	c.recipe.register(fs, label)
	fs.DurationVar(&c.submit.Timeout, "timeout", time.Hour, "`time` after which the job has failed")
	fs.BoolVar(&c.submit.Processes, "processes", false, "run each worker in a process of its own, on this machine")
}

func fitCommand(fs *flag.FlagSet) func(ctx context.Context) error {
	c := &command{in: "train", out: "save"}
	c.register(fs, "last", "training `files` and folders, separated by commas, local or gs:// patterns; formats as in "+
		"bochner evaluate", "write the model to this `file`")
	lambda := fs.Float64("lambda", 0, "penalty relative to the mean squared norm of a feature row (default 1e-6 times the rows)")
	c.writes = func(_ []string, to string) ([]string, error) {
		if set(fs, "lambda") && !(*lambda > 0) {
			return nil, usage("-lambda %v: want a number above 0", *lambda)
		}
		if _, err := os.Stat(filepath.Dir(to)); err != nil && !beam.Remote(to) {
			return nil, fmt.Errorf("-save %s: %w", to, err) // before any work is done for it
		}
		return []string{to}, nil
	}
	c.steps = func(s sdk.Scope, r *beam.Recipe, files []string, to string) error {
		return beam.Fit(s, r, files, *lambda, to)
	}
	return c.run
}

func featuresCommand(fs *flag.FlagSet) func(ctx context.Context) error {
	c := &command{in: "in", out: "out"}
	c.register(fs, "none", "`files` and folders to map, as -train of fit",
		"write the features to this `folder`, NAME.npy for each file")
	c.writes = func(files []string, to string) ([]string, error) {
		names, err := beam.FeatureFiles(files, to)
		if err != nil {
			return nil, usage("-in and -out: %v", err)
		}
		return names, nil
	}
	c.steps = func(s sdk.Scope, r *beam.Recipe, files []string, to string) error {
		if !beam.Remote(to) {
			if err := os.MkdirAll(to, 0o755); err != nil {
				return err
			}
		}
		return beam.Features(s, r, files, to)
	}
	return c.run
}

// set says whether the user set a flag.
func set(fs *flag.FlagSet, name string) (found bool) {
	fs.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func list(ctx context.Context, names string) ([]string, error) {
	return beam.List(ctx, strings.Split(names, ",")...)
}

func (c *command) run(ctx context.Context) error {
	if c.from == "" || c.to == "" {
		return usage("want -%s, the files to read, and -%s, what to write", c.in, c.out)
	}
	files, err := list(ctx, c.from)
	if err != nil {
		return err
	}
	to := c.to
	if !beam.Remote(to) { // workers may be in other folders
		if to, err = filepath.Abs(to); err != nil {
			return err
		}
	}
	written, err := c.writes(files, to)
	if err != nil {
		return err
	}
	read, err := c.recipe.reads(ctx)
	if err != nil {
		return err
	}
	if err := apart(c.out, written, append(read, files...)); err != nil {
		return err
	}
	start := time.Now()
	r, err := c.recipe.prepare(ctx, files)
	if err != nil {
		return err
	}
	ready := time.Now()
	p, s := sdk.NewPipelineWithRoot()
	if err := c.steps(s, r, files, to); err != nil {
		return err
	}
	if err := submit.Run(ctx, p, c.submit); err != nil {
		return err
	}
	m := r.Model
	_, err = fmt.Printf("map       %v, %d -> %d features\nfiles     %d\nseconds   prepare %.1f, job %.1f\nwritten   %s\n",
		layers.Spec{Map: m.Spec.Map, Params: m.Spec.Params}, m.Dims(), m.Map.Features(), len(files), ready.Sub(start).Seconds(),
		time.Since(ready).Seconds(), to)
	return err
}

// apart refuses to write a file that is read.
func apart(flagName string, written, read []string) error {
	for _, to := range written {
		for _, from := range read {
			if to == from || !beam.Remote(to) && !beam.Remote(from) && wholefile.Same(to, from) {
				return usage("-%s would overwrite %s, which is read; name another", flagName, from)
			}
		}
	}
	return nil
}
