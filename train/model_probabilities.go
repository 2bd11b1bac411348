package train

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// Probabilities are the probabilities of the classes [n, k], calibrated on rows that were held out, under any head; the Laplace
// approximation is part of them where Uncertainty has it. A class may have the largest probability though another has the
// largest score. Errors: see Scores; domain.ErrParam for a model without Uncertainty, or of targets.
func (m *Model) Probabilities(x ops.Matrix) (*mat.Dense, error) {
	if err := m.knows("Probabilities", true); err != nil {
		return nil, err
	}
	own, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	scores, _, err := m.sure(own)
	if err != nil {
		return nil, err
	}
	return m.Uncertainty.Calibration.Probabilities(scores)
}

// PredictSets are sets of classes, as indices into Classes in descending probability, that hold the class of a row with a probability
// of at least level in (0, 1); see calibrate.Sets for what that means. Errors: see Probabilities; domain.ErrParam for a
// level that the held-out rows are too few for.
func (m *Model) PredictSets(x ops.Matrix, level float64) ([][]int, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("train: PredictSets: the level %v is not between 0 and 1: %w", level, domain.ErrParam)
	}
	p, err := m.Probabilities(x)
	if err != nil {
		return nil, err
	}
	return m.Uncertainty.Sets.All(level, p)
}
