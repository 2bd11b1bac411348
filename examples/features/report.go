package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/bochner-go/bochner/examples/internal/cli"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// sweepSeeds is the number of draws for each point of the sweep.
const sweepSeeds = 5

// sweepPoint is the relative Frobenius error at a number of features, with its standard error over draws.
type sweepPoint struct {
	Features          int     `json:"features"`
	RelativeFrobenius float64 `json:"relative_frobenius"`
	StdErr            float64 `json:"std_err"`
}

// samplerReport is the report on one sampler.
type samplerReport struct {
	Sampler       string            `json:"sampler"`
	Reason        string            `json:"reason,omitempty"` // why it does not fit the kernel
	KernelError   *report.GramError `json:"kernel_error,omitempty"`
	MeanSigned    *report.Bias      `json:"mean_signed_error,omitempty"`
	Sweep         []sweepPoint      `json:"sweep,omitempty"`
	SweepExponent *float64          `json:"sweep_exponent,omitempty"` // -0.5 for independent draws
}

// reportOn compares the exact with the approximate kernel, for one sampler or for all.
func (o *options) reportOn(ctx context.Context, x *tensor.Dense, ob *object) error {
	rows, _ := data.Split(x.Shape()[0], 0, o.Seed)
	if len(rows) > o.rows {
		_, rows = data.Split(len(rows), float64(o.rows)/float64(len(rows)), o.Seed)
	}
	x = data.Rows(x, rows)
	var reports []samplerReport
	for _, s := range o.samplers {
		r, err := o.reportSampler(ctx, s, x)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if len(reports) == 1 {
		r := reports[0]
		ob.KernelError, ob.MeanSigned, ob.Sweep, ob.SweepExponent = r.KernelError, r.MeanSigned, r.Sweep, r.SweepExponent
	} else {
		ob.Samplers, ob.Sampler = reports, "all"
	}
	if o.plot == "" {
		return nil
	}
	return o.draw(reports)
}

func (o *options) reportSampler(ctx context.Context, sampler string, x *tensor.Dense) (samplerReport, error) {
	r := samplerReport{Sampler: sampler}
	spec := o.spec
	spec.Sampler = sampler
	k, err := spec.Kernel()
	if err != nil {
		return r, err
	}
	at := func(features int) func(seed uint64) (report.Map, error) {
		s := spec
		s.Features = features
		return func(seed uint64) (report.Map, error) {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			s.Seed = seed
			return cli.Build(s)
		}
	}
	if e, err := layers.Lookup(spec.Map); err != nil || !e.Sampled {
		return r, errors.Join(err, r.exact(k, at(spec.Features), x))
	}
	bar := cli.NewProgress("report, " + sampler)
	rep, err := report.KernelError(k, at(spec.Features), x, seeds(o.Seed, o.seeds))
	if len(o.samplers) > 1 && errors.Is(err, spectral.ErrSampler) {
		r.Reason = err.Error()
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.KernelError, r.MeanSigned = &rep.Mean, &rep.Bias
	for i, features := range o.sweep {
		bar.Step(i, len(o.sweep), fmt.Sprint(features, " features"))
		rep, err := report.KernelError(k, at(features), x, seeds(o.Seed, min(o.seeds, sweepSeeds)))
		if err != nil {
			return r, err
		}
		r.Sweep = append(r.Sweep, sweepPoint{features, rep.Mean.RelativeFrobenius, rep.StdErr.RelativeFrobenius})
	}
	r.SweepExponent = exponent(r.Sweep)
	return r, nil
}

// exact is the report on a map that draws nothing.
func (r *samplerReport) exact(k spectral.Kernel, draw func(uint64) (report.Map, error), x *tensor.Dense) error {
	m, err := draw(0)
	if err != nil {
		return err
	}
	exact, err := spectral.Gram(k, x, nil)
	if err != nil {
		return err
	}
	approx, err := report.ApproxGram(m, x)
	if err != nil {
		return err
	}
	e, err := report.Compare(exact, approx)
	r.KernelError = &e
	return err
}

// seeds are n consecutive seeds from the given one on.
func seeds(first uint64, n int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = first + uint64(i)
	}
	return s
}

// exponent is the slope of ln error over ln features, or nil where it has none.
func exponent(sweep []sweepPoint) *float64 {
	var lx, ly []float64
	for _, p := range sweep {
		if p.RelativeFrobenius > 0 {
			lx, ly = append(lx, math.Log(float64(p.Features))), append(ly, math.Log(p.RelativeFrobenius))
		}
	}
	if len(lx) < 2 {
		return nil
	}
	_, slope := stat.LinearRegression(lx, ly, nil, false)
	return &slope
}

// draw writes the error against the number of features.
func (o *options) draw(reports []samplerReport) error {
	var series []report.Series
	for _, r := range reports {
		s := report.Series{Name: r.Sampler}
		for _, p := range r.Sweep {
			s.Features, s.Error, s.StdErr = append(s.Features, p.Features), append(s.Error, p.RelativeFrobenius), append(s.StdErr, p.StdErr)
		}
		if len(s.Features) > 0 {
			series = append(series, s)
		}
	}
	if len(series) == 0 {
		return cli.Usage("-plot does not apply to -map %s, whose error does not depend on a number of features", o.spec.Map)
	}
	img, err := report.ErrorCurves(series, report.WithTitle(fmt.Sprintf("%s %v: kernel error by number of features", o.spec.Map, o.spec.Params)))
	if err != nil {
		return err
	}
	if err := report.SavePNG(o.plot, img); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "picture:", o.plot)
	return nil
}

func (r samplerReport) print() {
	if r.Reason != "" {
		fmt.Printf("sampler   %s does not fit: %s\n", r.Sampler, r.Reason)
		return
	}
	if r.Sampler != "" {
		fmt.Printf("sampler   %s\n", r.Sampler)
	}
	e := r.KernelError
	fmt.Printf("error     %.5f relative Frobenius, %.5f max, %.5f rms on %d rows\n", e.RelativeFrobenius, e.Max, e.RMS, e.Rows)
	if b := r.MeanSigned; b != nil {
		fmt.Printf("bias      mean signed error %.2e, standard error %.2e over seeds: %.2f standard errors\n", b.Mean, b.StdErr, b.Z)
	}
	for _, p := range r.Sweep {
		fmt.Printf("          %5d features: %.5f +- %.5f\n", p.Features, p.RelativeFrobenius, p.StdErr)
	}
	if r.SweepExponent != nil {
		fmt.Printf("          the error falls as features^%.2f\n", *r.SweepExponent)
	}
}
