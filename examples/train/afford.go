package main

import (
	"fmt"
	"os"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/fits"
)

// afford says what a fit will take, memory and time, and refuses a fit that the memory cannot hold. Everything that
// trains asks here, before it begins.
func (o *options) afford(what string, p fits.Problem, c fits.Cost) error {
	if p.Stored == 0 { // the kernel error and the scores take features of some rows
		c.Bytes = max(c.Bytes, 8*float64(p.Features)*float64(min(p.Rows, kernelErrorRows)))
	}
	what = fmt.Sprintf("%s of %d rows, %d features and %d outputs", what, p.Rows, p.Features, p.Outputs)
	remedy := "ask for fewer features or rows"
	switch {
	case o.cv > 0:
		remedy = "ask for fewer features, or leave -cv out"
	case o.head == "ridge" && o.stream && !o.cg:
		remedy = "ask for fewer features, leave -stream out, or say -solver cg"
	case o.head == "ridge" && o.classWeights != "":
		remedy = "ask for fewer features, or leave -class-weights out"
	case o.head == "ridge" && !o.cg:
		remedy = "ask for fewer features, or say -solver cg"
	}
	if err := cli.Afford(fmt.Sprintf("%s, with %s", what, c.Largest), c.Bytes, remedy); err != nil {
		return err
	}
	if text := cli.Estimate(c.Bytes, c.Operations); text != "" {
		fmt.Fprintf(os.Stderr, "%s: %s after the features\n", what, text)
	}
	return nil
}

// affordFit is afford for a fit, and for learning the distribution after it.
func (o *options) affordFit(s *train.Start) error {
	err := o.afford("a fit", s.Problem, s.Fitter.Cost(s.Problem))
	if u := o.uncertainty(); err == nil && u != nil {
		err = o.afford("the distribution", s.Problem, u.Cost(s.Problem, s.Model.Classes != nil))
	}
	return err
}
