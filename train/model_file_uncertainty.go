package train

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// uncertaintyCard is what the card says of Model.Uncertainty. The posteriors are tensors.
type uncertaintyCard struct {
	Intervals   *calibrate.Intervals   `json:"intervals,omitempty"`
	Calibration *calibrate.Calibration `json:"calibration,omitempty"`
	Sets        *calibrate.Sets        `json:"sets,omitempty"`
}

// The prefixes of the tensors of the posteriors.
const posteriorPrefix, laplacePrefix = "posterior.", "laplace."

// putUncertainty adds the posteriors to the tensors of a file and returns what the card says.
func (m *Model) putUncertainty(tensors map[string]*tensor.Dense) *uncertaintyCard {
	u := m.Uncertainty
	if u == nil {
		return nil
	}
	if u.Posterior != nil {
		for name, t := range u.Posterior.Tensors() {
			tensors[posteriorPrefix+name] = t
		}
	}
	if u.Laplace != nil {
		for name, t := range u.Laplace.Tensors() {
			tensors[laplacePrefix+name] = t
		}
	}
	return &uncertaintyCard{Intervals: u.Intervals, Calibration: u.Calibration, Sets: u.Sets}
}

// check compares the card of an uncertainty with the model's.
func (u *uncertaintyCard) check(c card, tensors map[string]*tensor.Dense) error {
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

// restoreUncertainty makes Model.Uncertainty of a file.
func (m *Model) restoreUncertainty(c *uncertaintyCard, tensors map[string]*tensor.Dense) error {
	if c == nil {
		return nil
	}
	u := &Uncertainty{Intervals: c.Intervals, Calibration: c.Calibration, Sets: c.Sets}
	if found := withPrefix(tensors, posteriorPrefix); len(found) > 0 {
		u.Posterior = new(linear.Posterior)
		if err := u.Posterior.Restore(found); err != nil {
			return err
		}
		if d, k := u.Posterior.Fit.W.Dims(); d != m.Head.Dims() || k != m.Head.Features() {
			return fmt.Errorf("the posterior is of %d features and %d targets, and the head of %d and %d",
				d, k, m.Head.Dims(), m.Head.Features())
		}
	}
	if found := withPrefix(tensors, laplacePrefix); len(found) > 0 {
		w, b := headOf(m.Head)
		u.Laplace = new(linear.Laplace)
		if err := u.Laplace.Restore(found, w, b); err != nil {
			return err
		}
	}
	m.Uncertainty = u
	return nil
}
