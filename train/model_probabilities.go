package train

import (
	"fmt"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// Probabilities returns the calibrated class probabilities [n, k], under any head. They use the Laplace approximation
// if Uncertainty has one. The class with the largest probability need not be the class with the largest score. Errors:
// see Scores; domain.ErrParam for a model without Uncertainty, and for a regression model.
func (m *Model) Probabilities(x ops.Matrix) (*mat.Dense, error) {
	if err := m.checkUncertainty("Probabilities", true); err != nil {
		return nil, err
	}
	own, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	scores, _, err := m.scoresAndStds(own)
	if err != nil {
		return nil, err
	}
	return m.Uncertainty.Calibration.Probabilities(scores)
}

// PredictSets returns for each row a set of classes that holds its class with a probability of at least level in (0,
// 1); calibrate.Sets states the guarantee. The classes are indices into Classes, in descending probability. Errors: see
// Probabilities; domain.ErrParam for another level; domain.ErrShape for a level that needs more held-out rows.
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
