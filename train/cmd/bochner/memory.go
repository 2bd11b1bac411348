package main

import (
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// afford refuses a task of so many bytes where they and the peak of this process so far are more than the process may
// have (domain.Memory). A task that cannot fit is refused before it begins.
func afford(what string, bytes float64, remedy string) error {
	have := domain.Memory()
	if have == 0 || bytes+float64(program.PeakRSS()) <= float64(have) {
		return nil
	}
	return fmt.Errorf("%s: that takes %s of memory, and there are %s, of which %s are taken; %s", what, inBytes(bytes),
		inBytes(float64(have)), inBytes(float64(program.PeakRSS())), remedy)
}

// affordScaling refuses sparse rows that a scaler would make too large.
func affordScaling(what string, bytes float64) error { return afford(what, bytes, "scale by l1 or l2") }

// affordMap refuses a map whose frequencies, weights and tables, so many numbers, do not fit into memory.
func affordMap(spec layers.Spec, size float64) error {
	return afford(fmt.Sprintf("--map %s --features %d in %d dimensions", spec.Map, spec.Features, spec.Dims), 8*size,
		"ask for fewer features, or --sampler structured where the map takes it")
}

// estimate is memory and time in words, for so many bytes and operations. It is empty below 100 MB and a second.
func estimate(bytes, operations float64) string {
	seconds := operations/slowest + bytes/touched
	if seconds >= 1 {
		seconds = operations/rate() + bytes/touched
	}
	if bytes < 1e8 && seconds < 1 {
		return ""
	}
	return fmt.Sprintf("about %s of memory, %s", inBytes(bytes), inTime(seconds))
}

// touched is how many bytes of fresh memory a second are filled, about.
const touched = 1e9

// slowest is a rate that every machine exceeds: a task of less than a second at this rate needs no measured one.
const slowest = 2e8

func inBytes(b float64) string {
	switch {
	case b >= 1e12:
		return fmt.Sprintf("%.0f TB", b/1e12)
	case b >= 1e9:
		return fmt.Sprintf("%.3g GB", b/1e9)
	}
	return fmt.Sprintf("%.0f MB", math.Ceil(b/1e6))
}

func inTime(seconds float64) string {
	switch {
	case seconds >= 2*3600:
		return fmt.Sprintf("%.0f hours", seconds/3600)
	case seconds >= 120:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	default:
		return fmt.Sprintf("%.0f s", math.Ceil(seconds))
	}
}

// rate is how many operations a second this machine has in products of matrices, at half of what a short one shows:
// fits have other parts too. It is measured once in a process.
var rate = sync.OnceValue(func() float64 {
	const n = 256
	m := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	out := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	best := math.Inf(1)
	for range 3 {
		start := time.Now()
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, m, m, 0, out)
		best = min(best, max(time.Since(start), time.Microsecond).Seconds())
	}
	return n * n * n / best
})

// afford says what a fit will take, memory and time, and refuses a fit that the memory cannot hold. Everything that
// trains asks here, before it begins.
func (f *fitting) afford(what string, p fits.Problem, c fits.Cost) error {
	if p.Stored == 0 { // the kernel error and the scores take features of some rows
		c.Bytes = max(c.Bytes, 8*float64(p.Features)*float64(min(p.Rows, kernelErrorRows)))
	}
	what = fmt.Sprintf("%s of %d rows, %d features and %d outputs", what, p.Rows, p.Features, p.Outputs)
	remedy := "ask for fewer features or rows"
	switch _, ridge := f.recipe.Fitter.(linear.RidgeOptions); {
	case f.CV != nil:
		remedy = "ask for fewer features, or leave --cv out"
	case ridge && f.Stream.on:
		remedy = "ask for fewer features, leave --stream out, or name the fitter cg in a --recipe"
	case ridge && f.ClassWeights != "":
		remedy = "ask for fewer features, or leave --class-weights out"
	case ridge:
		remedy = "ask for fewer features, or name the fitter cg in a --recipe"
	}
	if err := afford(fmt.Sprintf("%s, with %s", what, c.Largest), c.Bytes, remedy); err != nil {
		return err
	}
	if text := estimate(c.Bytes, c.Operations); text != "" {
		fmt.Fprintf(os.Stderr, "%s: %s after the features\n", what, text)
	}
	return nil
}

// affordFit is afford for a fit, and for learning the distribution after it.
func (f *fitting) affordFit(s *train.Start) error {
	err := f.afford("a fit", s.Problem, s.Fitter.Cost(s.Problem))
	if u := f.recipe.Uncertainty; err == nil && u != nil {
		err = f.afford("the distribution", s.Problem, u.Cost(s.Problem, s.Model.Classes != nil))
	}
	return err
}
