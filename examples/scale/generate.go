package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// steps of the noise, in 1/64: sums with whole numbers are exact in float32, and short as text.
const steps = 64

// write makes the files.
func (o *options) write(ctx context.Context) {
	set := try.Get(data.Read(o.from, data.Options{Form: data.FormDense}))
	x := set.X.(*tensor.Dense).Float64s()
	labels := make([]float64, set.Rows())
	for i, l := range set.Labels {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil {
			try.Fail("%s: row %d has the class %q; to be written beside numbers it must be one", o.from, i, l)
		}
		labels[i] = v
	}
	try.Do(os.Mkdir(o.generate, 0o755))
	bar := program.NewProgress("files")
	defer bar.Close()
	for f := range o.files {
		from, to := o.rows*f/o.files, o.rows*(f+1)/o.files
		name := filepath.Join(o.generate, fmt.Sprintf("part-%04d.%s", f, o.format))
		o.writeFile(ctx, name, x, labels, from, to)
		bar.Step(f+1, o.files, "")
	}
}

// writeFile writes the rows [from, to), which do not depend on the files that they are divided into.
func (o *options) writeFile(ctx context.Context, name string, x, labels []float64, from, to int) {
	d := len(x) / len(labels)
	file := try.Get(data.NewMatrixFile(name, to-from, d+1, tensor.Float32))
	const piece = 4096
	var source rand.PCG
	rng := rand.New(&source)
	var err error
	for at := from; at < to && err == nil; at += piece {
		n := min(piece, to-at)
		block := make([]float32, 0, n*(d+1))
		for i := at; i < at+n; i++ {
			source.Seed(o.seed, uint64(i))
			r := i % len(labels)
			for _, v := range x[r*d : (r+1)*d] {
				block = append(block, float32(v)+float32(rng.IntN(steps)-steps/2)/steps)
			}
			block = append(block, float32(labels[r]))
		}
		if err = ctx.Err(); err == nil {
			err = file.Write(tensor.New(tensor.WithShape(n, d+1), tensor.WithBacking(block)))
		}
	}
	try.Do(file.Close(err))
}
