package main

import (
	"fmt"
	"os"

	"github.com/bochner-go/bochner/examples/internal/cli"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"gorgonia.org/tensor"
)

// problem is the size of a fit on rows x, of which there are so many, through a map of so many features; a nil x is
// rows that are read in blocks.
func problem(spec layers.Spec, x ops.Matrix, rows, features, outputs int) train.Problem {
	p := train.Problem{Rows: rows, Features: features, Outputs: max(1, outputs),
		Single: cli.Dtype(spec) == tensor.Float32}
	e, err := layers.Lookup(spec.Map)
	p.Signed = err == nil && e.Signed
	if s, sparse := x.(*ops.CSR); sparse && spec.Map == "linear" {
		p.Stored = max(1, s.Pointers()[s.Rows()])
	}
	return p
}

// cost is that of fitting the head.
func (o *options) cost(p train.Problem) train.Cost {
	switch {
	case o.cg:
		return train.CGOptions{}.Cost(p)
	case o.head == "ridge" && o.stream:
		return o.ridgeOptions().CostOfBlocks(p)
	case o.head == "ridge":
		return o.ridgeOptions().Cost(p)
	case o.head == "svm":
		return o.svmOptions(p.Rows).Cost(p)
	}
	fit := o.fit
	if o.stream {
		fit.CacheBytes = -1 // there are no features of all rows
	}
	return fit.Cost(p)
}

// afford says what a fit will take, memory and time, and refuses what there is not enough memory for. Everything that
// trains asks here, before it begins.
func (o *options) afford(what string, p train.Problem, c train.Cost) error {
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

// affordCV is afford for cross-validation of the candidates.
func (o *options) affordCV(candidates []train.Candidate, x ops.Matrix, outputs int, co train.CVOptions) error {
	most := 0
	for _, c := range candidates {
		c.Spec.Dims = x.Shape()[1]
		n := c.Spec.Features
		if cols, err := c.Spec.Columns(); err == nil { // of a map whose parameters are known
			n = cols
		}
		most = max(most, n)
	}
	p := problem(o.cvSpec(), x, x.Shape()[0], most, outputs)
	return o.afford(fmt.Sprintf("cross-validation of %d maps in %d folds", len(candidates), o.cv), p, co.Cost(p,
		len(candidates)))
}
