package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/flags"
	"github.com/bochner-go/bochner/examples/internal/try"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	gblas "gonum.org/v1/gonum/blas"
	"gorgonia.org/tensor"
)

// sigma is the bandwidth of the Gaussian kernel on standard scores of letter.
const sigma = 2.5

// cost is what something took.
type cost struct{ Wall, CPU float64 }

func (c cost) times(f float64) cost { return cost{c.Wall * f, c.CPU * f} }
func (c cost) plus(d cost) cost     { return cost{c.Wall + d.Wall, c.CPU + d.CPU} }

// result is a line of the table.
type result struct {
	Files, Rows                   int
	Bytes                         int64
	Features, Update, Survey, Fit cost // Survey: classes and scaler, before the fit
	Peak                          int64
	MSE                           float64
}

// timed is what f takes.
func timed(f func()) cost {
	start, cpu := time.Now(), program.ProcessorTime()
	f()
	return cost{time.Since(start).Seconds(), (program.ProcessorTime() - cpu).Seconds()}
}

// measure fits, and prints a result.
func (o *options) measure(ctx context.Context) {
	files := try.Get(data.Files(o.data))
	if len(o.use) == 1 {
		if o.use[0] > len(files) {
			flags.Usage("-use %d: %s has %d files", o.use[0], o.data, len(files))
		}
		files = files[:o.use[0]]
	}
	r := result{Files: len(files)}
	for _, f := range files {
		r.Bytes += try.Get(os.Stat(f)).Size()
	}
	o.fit(ctx, files, &r)
	r.Peak = program.PeakRSS()
	try.Do(json.NewEncoder(os.Stdout).Encode(r))
}

// fit does what a program does with the files, and measures in between what cannot be left out.
func (o *options) fit(ctx context.Context, files []string, r *result) {
	scaler := try.Get(data.ParseScalers("standard"))
	var rows data.Streamed
	r.Survey = timed(func() {
		s := try.Get(data.OpenStream(data.StreamOptions{BlockRows: data.BlockRows(1, o.features)}, files...))
		v := try.Get(s.SurveyScaled(ctx, 0, scaler))
		r.Rows = v.Rows
		rows = data.Streamed{Stream: s, Scaler: scaler, Classes: v.Classes, Dtype: tensor.Float64}
		try.Do(v.FitScaler(ctx))
	})
	kernel := spectral.Gaussian{Sigma: sigma}
	m := try.Get(layers.NewFourierLayer(kernel, rows.Stream.Dims(), o.features, layers.WithSeed(o.seed)))
	bar := program.NewProgress("rows")
	defer bar.Close()
	least := baseline{m: m}
	r.Fit = timed(func() {
		var s linear.RidgeStats
		try.Do(s.AddRows(ctx, m, watched{rows, func(b data.Pairs) (err error) {
			bar.Step(s.N(), r.Rows, "")
			if s.N() >= least.next {
				err = try.Catch(func() { least.pause(b.X.(*tensor.Dense)) }) // here, where AddRows may have a goroutine
				least.next = s.N() + pauseRows
			}
			return err
		}}))
		r.MSE = try.Get(s.MSE(try.Get(s.Solve(1e-6 * float64(r.Rows)))))
	})
	r.Fit = r.Fit.plus(least.all.times(-1))
	up := float64(r.Rows) / float64(least.rows)
	r.Features, r.Update = least.features.times(up), least.update.times(up)
}

// watched are rows of which every block is shown before it is handed on.
type watched struct {
	data.Examples
	show func(b data.Pairs) error
}

func (w watched) Blocks(ctx context.Context, epoch int) iter.Seq2[data.Pairs, error] {
	return func(yield func(data.Pairs, error) bool) {
		for b, err := range w.Examples.Blocks(ctx, epoch) {
			if err == nil {
				err = w.show(b)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// The fit pauses before every so many rows, for so many blocks of the baseline: the machine, which may have other work,
// is then the same for both.
const pauseRows, pauseBlocks = 100_000, 8

// rest is a time in which the goroutine that reads ahead has filled its blocks. Then its work counts for the fit, and not
// for the baseline.
const rest = 10 * time.Millisecond

// baseline is what cannot be left out: the features of a block of rows and the update of their Gram matrix.
type baseline struct {
	m                     *layers.RandomLayer
	z                     *tensor.Dense
	zt, g                 []float64
	next, rows            int // when to pause again, and the rows measured
	features, update, all cost
}

// pause measures features and update on the first rows of a block.
func (l *baseline) pause(x *tensor.Dense) {
	n, d := min(x.Shape()[0], data.BlockRows(1, l.m.Features())/4), l.m.Features()
	x = ops.Rows(x, 0, n)
	start := time.Now()
	time.Sleep(rest)
	l.all.Wall += time.Since(start).Seconds()
	l.all = l.all.plus(timed(func() {
		features := timed(func() {
			if l.z != nil && l.z.Shape()[0] != n {
				l.z = nil
			}
			for range pauseBlocks {
				l.z = try.Get(l.m.Transform(l.z, x))
			}
		})
		if len(l.zt) != n*d {
			l.zt, l.g = make([]float64, n*d), make([]float64, d*d)
		}
		for i, v := range l.z.Float64s() {
			l.zt[i%d*n+i/d] = v
		}
		update := timed(func() {
			for range pauseBlocks {
				blas.Implementation{}.Dsyrk(gblas.Lower, gblas.NoTrans, d, n, 1, l.zt, n, 1, l.g, d)
			}
		})
		l.features, l.update, l.rows = l.features.plus(features), l.update.plus(update), l.rows+pauseBlocks*n
	}))
}

// table prints a line for each number of files.
func (o *options) table(ctx context.Context) {
	self := try.Get(os.Executable())
	if o.use == nil {
		o.use = []int{len(try.Get(data.Files(o.data)))}
	}
	fmt.Printf("%s, %d processors; gaussian, float64; seconds, CPU seconds in brackets\n\n", runtime.Version(), runtime.GOMAXPROCS(0))
	fmt.Println("| features | rows | GB | features alone | update | survey and scaler | fit | (survey + fit) / (features + update), CPU | CPU µs a row | peak MB |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, n := range o.use {
		cmd := exec.CommandContext(ctx, self, "-child", "-data", o.data, "-use", fmt.Sprint(n), "-features", fmt.Sprint(o.features), "-seed", fmt.Sprint(o.seed))
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		var r result
		try.In(fmt.Sprintf("measuring %d files", n), func() {
			try.Do(cmd.Run())
			try.Do(json.Unmarshal([]byte(out.String()), &r))
		})
		r.line(o.features)
	}
}

func (r result) line(features int) {
	show := func(c cost) string { return fmt.Sprintf("%.1f (%.1f)", c.Wall, c.CPU) }
	all, least := r.Survey.plus(r.Fit), r.Features.plus(r.Update)
	fmt.Printf("| %d | %d | %.2f | %s | %s | %s | %s | %.3f | %.1f | %d |\n", features, r.Rows, float64(r.Bytes)/1e9, show(r.Features), show(r.Update),
		show(r.Survey), show(r.Fit), all.CPU/least.CPU, 1e6*all.CPU/float64(r.Rows), r.Peak>>20)
}
