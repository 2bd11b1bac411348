package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/bochner-go/bochner/train/beam"
	"github.com/bochner-go/bochner/train/beam/submit"
	"github.com/bochner-go/bochner/train/wholefile"
)

// given are the names of the flags that the user set.
func given(fs *flag.FlagSet) map[string]bool {
	set := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { set[f.Name] = true })
	return set
}

// absolute makes a local name absolute, for workers are elsewhere.
func absolute(name string) (string, error) {
	if beam.Remote(name) {
		return name, nil
	}
	return filepath.Abs(name)
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

func fitCommand(fs *flag.FlagSet) func(ctx context.Context) error {
	var rf recipeFlags
	var o submit.Options
	rf.register(fs, "last")
	registerSubmit(fs, &o)
	train := fs.String("train", "", "training `files` and folders, separated by commas, local or gs:// patterns; formats as in examples/train")
	save := fs.String("save", "", "write the model to this `file`")
	lambda := fs.Float64("lambda", 0, "penalty relative to the mean squared norm of a feature row (default 1e-6 times the rows)")
	return func(ctx context.Context) error {
		rf.given = given(fs)
		switch {
		case *train == "" || *save == "":
			return usage("fit needs -train, the files to fit on, and -save, the model")
		case rf.given["lambda"] && !(*lambda > 0):
			return usage("-lambda %v: want a number above 0", *lambda)
		}
		files, err := list(ctx, *train)
		if err != nil {
			return err
		}
		to, err := absolute(*save)
		if err != nil {
			return err
		}
		read, err := rf.reads(ctx, files)
		if err != nil {
			return err
		}
		if err := apart("save", []string{to}, read); err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Dir(to)); err != nil && !beam.Remote(to) {
			return fmt.Errorf("-save %s: %w", *save, err) // before any work is done for it
		}
		start := time.Now()
		r, err := rf.prepare(ctx, files)
		if err != nil {
			return err
		}
		ready := time.Now()
		p, s := sdk.NewPipelineWithRoot()
		if err := beam.Fit(s, r, files, *lambda, to); err != nil {
			return err
		}
		if err := submit.Run(ctx, p, o); err != nil {
			return err
		}
		m := r.Model
		_, err = fmt.Printf("map       %s %v, %d -> %d features\nfiles     %d\nseconds   prepare %.1f, job %.1f\nmodel     %s\n",
			m.Spec.Map, m.Spec.Params.Short(), m.Dims(), m.Map.Features(), len(files), ready.Sub(start).Seconds(), time.Since(ready).Seconds(), to)
		return err
	}
}

func featuresCommand(fs *flag.FlagSet) func(ctx context.Context) error {
	var rf recipeFlags
	var o submit.Options
	rf.register(fs, "none")
	registerSubmit(fs, &o)
	in := fs.String("in", "", "`files` and folders to map, as -train of fit")
	out := fs.String("out", "", "write the features to this `folder`, NAME.npy for each file")
	load := fs.String("load", "", "the map and the scaler of this model `file`, in place of -map and the flags beside it")
	return func(ctx context.Context) error {
		rf.given = given(fs)
		if *in == "" || *out == "" {
			return usage("features needs -in, the files to map, and -out, the folder")
		}
		if *load != "" {
			for _, name := range append([]string{"map", "params", "features", "sampler", "dtype", "scale", "seed", "survey"}, columnFlags...) {
				if rf.given[name] {
					return usage("-%s does not apply to -load: the model knows", name)
				}
			}
		}
		files, err := list(ctx, *in)
		if err != nil {
			return err
		}
		to, err := absolute(*out)
		if err != nil {
			return err
		}
		names, err := beam.FeatureFiles(files, to)
		if err != nil {
			return usage("-in and -out: %v", err)
		}
		read, err := rf.reads(ctx, nil)
		if err != nil {
			return err
		}
		if *load != "" {
			read = append(read, *load)
		}
		if err := apart("out", names, read); err != nil {
			return err
		}
		if !beam.Remote(to) {
			if err := os.MkdirAll(to, 0o755); err != nil {
				return err
			}
		}
		var r *beam.Recipe
		if *load != "" {
			r, err = rf.load(ctx, *load, files)
		} else {
			r, err = rf.prepare(ctx, files)
		}
		if err != nil {
			return err
		}
		p, s := sdk.NewPipelineWithRoot()
		if err := beam.Features(s, r, files, to); err != nil {
			return err
		}
		if err := submit.Run(ctx, p, o); err != nil {
			return err
		}
		_, err = fmt.Printf("map       %s %v, %d -> %d features\nfiles     %d in %s\n", r.Model.Spec.Map, r.Model.Spec.Params.Short(), r.Model.Dims(), r.Model.Map.Features(), len(files), to)
		return err
	}
}
