package train

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// The prefixes of the tensors of the posteriors.
const posteriorPrefix, laplacePrefix = "posterior.", "laplace."

// checkFile compares the uncertainty of a card, and the posteriors among the tensors, with the rest of the card.
func (u *Uncertainty) checkFile(c card, tensors map[string]*tensor.Dense) error {
	if u == nil {
		for name := range tensors {
			if strings.HasPrefix(name, posteriorPrefix) || strings.HasPrefix(name, laplacePrefix) {
				return fmt.Errorf("there is a tensor %s, and the card states no uncertainty", name)
			}
		}
		return nil
	}
	if classes := c.Classes != nil; u.Intervals != nil && classes || (u.Calibration != nil) != classes || (u.Sets != nil) != classes {
		return fmt.Errorf("an uncertainty has Intervals of targets, or Calibration and Sets of classes, and this one has others")
	}
	posterior, laplace := withPrefix(tensors, posteriorPrefix), withPrefix(tensors, laplacePrefix)
	switch {
	case u.Calibration != nil && u.Calibration.Classes() != c.Outputs:
		return fmt.Errorf("the calibration is of %d classes, and there are %d", u.Calibration.Classes(), c.Outputs)
	case u.Intervals != nil && u.Intervals.Targets() != c.Outputs:
		return fmt.Errorf("the intervals are of %d targets, and there are %d", u.Intervals.Targets(), c.Outputs)
	case u.Intervals != nil && u.Intervals.Scaled() != (len(posterior) > 0), len(posterior) > 0 && c.Classes != nil:
		return fmt.Errorf("the intervals and the posterior do not belong together")
	case len(laplace) > 0 && (c.Head != "softmax" || c.Classes == nil):
		return fmt.Errorf("a Laplace approximation is stated of a %s head", c.Head)
	}
	return nil
}

// restore adds the posteriors of a file with a head.
func (u *Uncertainty) restore(head layers.Head, tensors map[string]*tensor.Dense) error {
	if u == nil {
		return nil
	}
	if found := withPrefix(tensors, posteriorPrefix); len(found) > 0 {
		u.Posterior = new(linear.Posterior)
		if err := u.Posterior.Restore(found); err != nil {
			return err
		}
		if d, k := u.Posterior.Fit.W.Dims(); d != head.Dims() || k != head.Features() {
			return fmt.Errorf("the posterior is of %d features and %d targets, and the head of %d and %d",
				d, k, head.Dims(), head.Features())
		}
	}
	if found := withPrefix(tensors, laplacePrefix); len(found) > 0 {
		w, b := headOf(head)
		u.Laplace = new(linear.Laplace)
		return u.Laplace.Restore(found, w, b)
	}
	return nil
}
