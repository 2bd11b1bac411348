// Command bench measures the feature maps or the readers of files on this machine, and with -peers scikit-learn, numpy
// and pandas beside them.
//
//	go run ./examples/bench
//	go run ./examples/bench -shapes a,c -dtype float32 -cores 1,2 -peers -plot bench.png
//	go run ./examples/bench -maps gaussian,structured -shapes 3000x4096x4096 -json
//
// A shape is n x d x D: n rows of d columns in, D columns out. The phase form and the random Laplace map have D
// frequencies, a product of 2ndD operations; the pair form of the Gaussian map has D/2, half of that; the structured
// sampler has no product. levy is the other map of a semigroup kernel, and exp-chi2 is a Gaussian's map on the
// homogeneous map of order 1. Both have D/2 frequencies on three columns for each of x. normalised is the Laplace map
// with rows of a given length. The homogeneous maps chi2 and intersection are of order 1. They have no product either,
// and three columns out for each in, whatever D is.
//
// The maps are timed through Transform into memory of the caller's, with W drawn and packed before. gradient is the
// phase form's forward and backward for X, W and b on Gorgonia's tape machine, float32, at shape a and at shapes given
// by their numbers. autograd is the same again, with torch as its peer. sparse is the phase form of rows that store 1 %
// of their cells, and as many fewer operations, at shape g and at shapes given by their numbers.
//
// Each time is the median of -runs runs after some that warm up. The peak is the speed of multiply-adds on registers,
// measured in the same minute and multiplied by the cores. With -peers the same shapes are measured in processes of
// their own right after: the RBFSampler and the AdditiveChi2Sampler of scikit-learn (beside chi2), VLFeat's homogeneous
// kernel map (beside intersection, through a loop in C that is compiled for it), random Laplace features and the
// gradient in numpy, the gradient by torch's autograd, and the sparse product in scipy, these with all memory reused,
// each with OpenBLAS's own choice of kernels and, where the machine has AVX-512, with OPENBLAS_CORETYPE=SkylakeX, which
// is faster where OpenBLAS does not know the machine and the same where it does (scipy's sparse product has no kernels
// to choose); the JSON key blas says what it chose. Other work on the cores slows all of them down, and not evenly.
//
//	go run ./examples/bench -reading 1000000x16 -peers
//
// -reading measures the readers of files in place of the maps. It makes CSV and LIBSVM text of so many rows and columns
// in a temporary folder, from a seed, with every cell filled: once with numbers of 17 digits, once with numbers of up to
// six. data.Read reads each file whole on one core, so many times after one that warms up. With -peers the C reader of
// pandas, as it is and correctly rounded (round_trip, as ours is), and load_svmlight_file of scikit-learn read the same
// files right after, on one core in a process of their own. The ratio is the time over ours.
//
//	go run ./examples/bench -scaling
//
// -scaling prints the time of each map on 1, 2, 4, ... and all cores of the machine, and how many times as fast as one
// core that is. It takes -shapes, -dtype, -maps and -runs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/bochner-go/bochner/examples/internal/cli"
)

func main() { cli.Main("bench", run) }

// cell is one shape, element type and number of cores: what is measured together, ours and then the peers.
type cell struct {
	shape shape
	dtype string
	cores int
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := cli.CheckWritable("plot", o.plot); err != nil {
		return err
	}
	var settings []setting
	if o.peers {
		if settings, err = findPeers(ctx, o.reading != nil); err != nil {
			return err
		}
	}
	host := machine()
	if o.reading != nil {
		return measureReading(ctx, o, host)
	}
	if o.scaling {
		return measureScaling(ctx, o, host)
	}
	if !o.json {
		fmt.Print(tableHead(host, o.runs, settings))
	}
	var all []measurement
	for _, s := range o.shapes {
		for _, dtype := range o.dtypes {
			for _, cores := range o.cores {
				found, err := measureCell(ctx, o, cell{s, dtype, cores}, settings)
				if err != nil {
					return err
				}
				if err := show(o, host, found, settings); err != nil {
					return err
				}
				all = append(all, found...)
			}
		}
	}
	if o.plot == "" {
		return nil
	}
	return draw(o.plot, host, all)
}

// measureCell measures our maps, hands their memory back, and measures the peers.
func measureCell(ctx context.Context, o *options, c cell, settings []setting) ([]measurement, error) {
	before := runtime.GOMAXPROCS(c.cores)
	defer runtime.GOMAXPROCS(before)
	var out []measurement
	for _, name := range o.maps {
		if !fits(name, c) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := measure(name, c, o.runs)
		if err != nil {
			return nil, fmt.Errorf("%s at %v, %s: %w", name, c.shape, c.dtype, err)
		}
		out = append(out, m)
		debug.FreeOSMemory()
	}
	for _, s := range settings {
		found, err := measurePeers(ctx, s, c, out, o.runs)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// show prints the measurements of a cell, as JSON lines or as rows of the table.
func show(o *options, host hostInfo, found []measurement, settings []setting) error {
	if !o.json {
		fmt.Print(tableRows(found, settings))
		return nil
	}
	for _, m := range found {
		err := printJSON(struct {
			measurement
			hostInfo
		}{m, host})
		if err != nil {
			return err
		}
	}
	return nil
}

// printJSON prints v as a line.
func printJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(line))
	return err
}
