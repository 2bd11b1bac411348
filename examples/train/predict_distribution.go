package main

import (
	"strconv"

	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
)

// withDistribution adds the columns of a distribution: of each target its standard deviation and the ends of its interval;
// of classes whether each is in the set, and in place of scores calibrated probabilities.
func (p *predicted) withDistribution(level float64) {
	p.level = level
	percent := strconv.FormatFloat(100*level, 'g', 4, 64) + "%"
	if p.model.Classes != nil {
		for k, class := range p.model.Classes {
			p.names[k] = "probability " + class
		}
		for _, class := range p.model.Classes {
			p.names = append(p.names, "in "+percent+" set "+class)
		}
		return
	}
	targets := p.names
	if p.model.Uncertainty.Posterior != nil {
		for _, name := range targets {
			p.names = append(p.names, name+" std")
		}
	}
	for _, end := range []string{" lower ", " upper "} {
		for _, name := range targets {
			p.names = append(p.names, name+end+percent)
		}
	}
}

// predict are the columns of some rows.
func (p *predicted) predict(x ops.Matrix) (*mat.Dense, error) {
	if p.level == 0 {
		return p.model.Scores(x)
	}
	first, std, err := predictSure(p.model, x)
	if err != nil {
		return nil, err
	}
	parts := []*mat.Dense{first}
	if p.model.Classes != nil {
		sets, err := p.model.Uncertainty.Sets.All(p.level, first)
		if err != nil {
			return nil, err
		}
		n, k := first.Dims()
		in := mat.NewDense(n, k, nil)
		for i, set := range sets {
			for _, c := range set {
				in.Set(i, c, 1)
			}
		}
		parts = append(parts, in)
	} else {
		lower, upper, err := p.model.Uncertainty.Intervals.Bounds(p.level, first, std)
		if err != nil {
			return nil, err
		}
		if std != nil {
			parts = append(parts, std)
		}
		parts = append(parts, lower, upper)
	}
	out := parts[0]
	for _, m := range parts[1:] {
		wider := new(mat.Dense)
		wider.Augment(out, m)
		out = wider
	}
	return out, nil
}
