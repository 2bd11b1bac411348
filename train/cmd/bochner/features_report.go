package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/cmd/picture"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/stat"
)

// sweepPoint is the relative Frobenius error at a number of features, with its standard error over draws.
type sweepPoint struct {
	Features          int     `json:"features"`
	RelativeFrobenius float64 `json:"relative_frobenius"`
	StdErr            float64 `json:"std_err"`
	CentredFrobenius  float64 `json:"centred_frobenius"` // of the centred matrices
}

// samplerReport is the report on one sampler.
type samplerReport struct {
	Sampler string `json:"sampler"`
	Reason  string `json:"reason,omitempty"` // why it does not fit the kernel
	kernelReport
}

// kernelReport compares a map with its kernel.
type kernelReport struct {
	KernelError   *report.GramError `json:"kernel_error,omitempty"`
	MeanSigned    *report.Bias      `json:"mean_signed_error,omitempty"`
	Split         *splitReport      `json:"split,omitempty"`       // of a map of two signs, or of a biased one
	ByDistance    []distancePoint   `json:"by_distance,omitempty"` // of pairs of rows
	Sweep         []sweepPoint      `json:"sweep,omitempty"`
	SweepExponent *exponent         `json:"sweep_exponent,omitempty"` // of the error as a power of the features
}

// splitReport is how a map of two signs, or a biased one of one sign, splits its kernel, and the mean signed error
// against the kernel that the split stands for.
type splitReport struct {
	signs
	MeanSigned report.Bias `json:"mean_signed_error"`
}

// distancePoint is the error over pairs of rows of about one distance. With --sampler all it is also the square of this
// error over the square of iid's error.
type distancePoint struct {
	report.DistanceError
	MSEToIID    *float64 `json:"mse_to_iid,omitempty"`
	MSEToIIDErr *float64 `json:"mse_to_iid_std_err,omitempty"`
}

// exponent is the slope of ln error over ln features, mean and standard error over draws; -0.5 for independent
// frequencies.
type exponent struct {
	Mean   float64 `json:"mean"`
	StdErr float64 `json:"std_err"`
}

// reportOn compares the exact with the approximate kernel, for one sampler or for all.
func (c *featuresCmd) reportOn(ctx context.Context, x ops.Matrix, ob *mapped) (err error) {
	if ob.Note, err = normalisation(c.spec, x); err != nil {
		return err
	}
	rows, _ := data.Split(x.Shape()[0], 0, c.spec.Seed)
	if len(rows) > *c.Rows {
		_, rows = data.Split(len(rows), float64(*c.Rows)/float64(len(rows)), c.spec.Seed)
	}
	all := x // which a map is fitted on
	x = data.Rows(x, rows)
	var reports []samplerReport
	for _, s := range c.samplers {
		r, err := c.reportSampler(ctx, s, x, all)
		if err != nil {
			return err
		}
		if reports = append(reports, r); len(reports) > 1 && reports[0].Sampler == "iid" {
			compareWithIID(r.ByDistance, reports[0].ByDistance)
		}
	}
	if len(reports) == 1 {
		ob.kernelReport = reports[0].kernelReport
	} else {
		ob.Samplers, ob.Sampler = reports, "all"
	}
	if c.Plot == "" {
		return nil
	}
	return c.draw(reports)
}

// reportSampler compares the kernels on the rows x; a map that is fitted on data is fitted on all.
func (c *featuresCmd) reportSampler(ctx context.Context, sampler string, x, all ops.Matrix) (samplerReport, error) {
	r := samplerReport{Sampler: sampler}
	spec := c.spec
	spec.Sampler = sampler
	k, err := spec.Kernel()
	if err != nil {
		return r, err
	}
	r.Sampler = notes.MapOf(spec).Sampler
	name := cmp.Or(r.Sampler, spec.Params.Word("coupling"))
	bar, draws, most := program.NewProgress("report, "+name+", draws"), 0, c.Seeds
	defer bar.Close()
	for _, features := range c.sweep {
		if features != spec.Features {
			most += c.Seeds
		}
	}
	at := func(features int) func(seed uint64) (report.Map, error) {
		s := spec
		s.Features = features
		return func(seed uint64) (report.Map, error) {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			bar.Step(draws, most, fmt.Sprintf("(%d features)", features))
			draws++
			s.Seed = seed
			return build(s, all)
		}
	}
	if e, err := layers.Lookup(spec.Map); err != nil || !e.Sampled { // there is no other draw
		m, err := at(spec.Features)(c.spec.Seed)
		if err == nil {
			r.KernelError = new(report.GramError)
			*r.KernelError, _, _, err = kernelError(k, m, x)
		}
		return r, err
	}
	seeds := make([]uint64, c.Seeds)
	for i := range seeds {
		seeds[i] = c.spec.Seed + uint64(i)
	}
	var split *signs
	measure := func(features int) (*report.KernelErrorReport, error) {
		s := spec
		s.Features = features
		l, err := build(s, all)
		if err != nil {
			return nil, err
		}
		var expectation func(x, z []float64) float64
		split, expectation = splitOf(l)
		return report.KernelErrorAgainst(expectation, k, at(features), x, seeds)
	}
	rep, err := measure(spec.Features)
	if len(c.samplers) > 1 && errors.Is(err, spectral.ErrSampler) {
		r.Reason = err.Error()
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.KernelError, r.MeanSigned = &rep.Mean, &rep.Bias
	if split != nil {
		r.Split = &splitReport{*split, rep.ExpectedBias}
	}
	for _, e := range rep.ByDistance {
		r.ByDistance = append(r.ByDistance, distancePoint{DistanceError: e})
	}
	var sweep []*report.KernelErrorReport
	for _, features := range c.sweep {
		p := rep
		if features != rep.Features {
			if p, err = measure(features); err != nil {
				return r, err
			}
		}
		sweep = append(sweep, p)
		r.Sweep = append(r.Sweep, sweepPoint{features, p.Mean.RelativeFrobenius, p.StdErr.RelativeFrobenius, p.Mean.CentredFrobenius})
	}
	r.SweepExponent = fitExponent(sweep)
	return r, nil
}

// compareWithIID fills in the ratios to the error of iid on the same pairs, where that is not 0.
func compareWithIID(points, iid []distancePoint) {
	for i := range points {
		if iid[i].RMS > 0 {
			ratio, se := points[i].MSERatio(iid[i].DistanceError)
			points[i].MSEToIID, points[i].MSEToIIDErr = &ratio, &se
		}
	}
}

// fitExponent is the slope of every draw, or nil where the errors have none.
func fitExponent(sweep []*report.KernelErrorReport) *exponent {
	if len(sweep) < 2 {
		return nil
	}
	slopes := make([]float64, len(sweep[0].Seeds))
	for seed := range slopes {
		lx, ly := make([]float64, len(sweep)), make([]float64, len(sweep))
		for i, p := range sweep {
			lx[i], ly[i] = math.Log(float64(p.Features)), math.Log(p.Seeds[seed].RelativeFrobenius)
		}
		_, slopes[seed] = stat.LinearRegression(lx, ly, nil, false)
	}
	mean, sd := stat.MeanStdDev(slopes, nil)
	if e := (exponent{mean, sd / math.Sqrt(float64(len(slopes)))}); !math.IsNaN(e.Mean) && !math.IsInf(e.Mean, 0) && !math.IsNaN(e.StdErr) {
		return &e
	}
	return nil
}

// draw writes the error against the number of features.
func (c *featuresCmd) draw(reports []samplerReport) error {
	var lines []report.Line
	for _, r := range reports {
		l := report.Line{Name: cmp.Or(r.Sampler, c.spec.Params.Word("coupling"))}
		for _, p := range r.Sweep {
			l.Add(float64(p.Features), p.RelativeFrobenius, p.StdErr)
		}
		if l.X != nil {
			lines = append(lines, l)
		}
	}
	img, err := report.ErrorCurves(lines, report.WithTitle(fmt.Sprintf("%v: kernel error by number of features", layers.Spec{Map: c.spec.Map, Params: c.spec.Params})))
	if err != nil {
		return err
	}
	return picture.Save(c.Plot, 1, img)
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
	fmt.Printf("error     %.5f relative Frobenius, %.5f max, %.5f rms on %d rows, %.4f centred\n", e.RelativeFrobenius, e.Max, e.RMS, e.Rows, e.CentredFrobenius)
	if b := r.MeanSigned; b != nil {
		fmt.Printf("bias      mean signed error %.2e, standard error %.2e over seeds: %.2f standard errors\n", b.Mean, b.StdErr, b.Z)
	}
	if s := r.Split; s != nil {
		fmt.Printf("signs     %v; against that, mean signed error %.2e: %.2f standard errors\n", &s.signs, s.MeanSigned.Mean, s.MeanSigned.Z)
	}
	for _, p := range r.ByDistance {
		fmt.Printf("          pairs at %-8.4g %.5f rms +- %.5f", p.Distance, p.RMS, p.StdErr)
		if p.MSEToIID != nil {
			fmt.Printf(", mean squared error %.3f +- %.3f of iid's", *p.MSEToIID, *p.MSEToIIDErr)
		}
		fmt.Println()
	}
	for _, p := range r.Sweep {
		fmt.Printf("          %5d features: %.5f +- %.5f, %.4f centred\n", p.Features, p.RelativeFrobenius, p.StdErr, p.CentredFrobenius)
	}
	if r.SweepExponent != nil {
		fmt.Printf("          the error falls as features^(%.3f +- %.3f)\n", r.SweepExponent.Mean, r.SweepExponent.StdErr)
	}
}
