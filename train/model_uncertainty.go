package train

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/calibrate"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

// Distribution is a normal distribution for each target of each row, in the unit of the target. Its matrices have the
// shape [n, k], for n rows and k targets.
type Distribution struct {
	Mean        *mat.Dense // the predicted targets
	FunctionStd *mat.Dense // the standard deviation of the predicted function, without noise
	Std         *mat.Dense // the standard deviation of a target, noise included
}

// Quantile returns the q-quantiles Mean + Std Φ⁻¹(q) of the targets, [n, k], with q in (0, 1). Errors
// (domain.ErrParam): another q, or an empty Distribution.
func (d *Distribution) Quantile(q float64) (*mat.Dense, error) {
	switch {
	case !(q > 0 && q < 1):
		return nil, fmt.Errorf("train: Distribution: the probability %v is not between 0 and 1: %w", q, domain.ErrParam)
	case d.Mean == nil || d.Std == nil:
		return nil, fmt.Errorf("train: Distribution: it is empty; Model.PredictDistribution makes one: %w",
			domain.ErrParam)
	}
	z, out := distuv.UnitNormal.Quantile(q), new(mat.Dense)
	out.Apply(func(i, j int, mean float64) float64 { return mean + z*d.Std.At(i, j) }, d.Mean)
	return out, nil
}

// NLL returns the mean of -log p(y) over rows and targets, in nats, for targets y [n, k]. Errors: domain.ErrShape for
// another shape, domain.ErrDomain for a target that is not finite, domain.ErrParam for nil y or an empty Distribution.
func (d *Distribution) NLL(y *mat.Dense) (float64, error) {
	if d.Mean == nil || d.Std == nil || y == nil {
		return 0, fmt.Errorf("train: Distribution: it or y is empty; Model.PredictDistribution makes a "+
			"Distribution: %w", domain.ErrParam)
	}
	n, k := d.Mean.Dims()
	if r, c := y.Dims(); r != n || c != k {
		return 0, fmt.Errorf("train: Distribution: y is [%d,%d] and the means [%d,%d]: %w", r, c, n, k, domain.ErrShape)
	}
	sum := 0.
	for i := range n {
		for j := range k {
			v, s := y.At(i, j), d.Std.At(i, j)
			if v-v != 0 {
				return 0, fmt.Errorf("train: Distribution: y[%d,%d] = %v is not finite: %w", i, j, v, domain.ErrDomain)
			}
			z := (v - d.Mean.At(i, j)) / s
			sum += z*z/2 + math.Log(s) + math.Log(2*math.Pi)/2
		}
	}
	return sum / float64(n*k), nil
}

// PredictDistribution predicts the targets of rows x with their standard deviations,
//
//	Mean = the prediction of the head,    FunctionStd² = σ² v(z),    Std² = σ² (1 + v(z))
//
// with the noise σ² and v of linear.Posterior, which says how they behave far from the training rows. It takes n D²
// operations more than Scores. Errors: see Scores; domain.ErrParam for a model without Uncertainty, for a
// classification model, and for an indefinite kernel, which has no posterior.
func (m *Model) PredictDistribution(x ops.Matrix) (*Distribution, error) {
	if err := m.checkUncertainty("PredictDistribution", false); err != nil {
		return nil, err
	}
	if m.Uncertainty.Posterior == nil {
		return nil, fmt.Errorf("train: PredictDistribution: the model has no Posterior, as the features of an "+
			"indefinite kernel have none; PredictIntervals has intervals: %w", domain.ErrParam)
	}
	own, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	return m.distribution(own)
}

// PredictIntervals returns bounds [n, k] that cover each target by itself with a probability of at least level in (0,
// 1), whatever its distribution; calibrate.Intervals states the guarantee. Errors: see Scores; domain.ErrParam for a
// model without Uncertainty or Intervals, for a classification model, and for a level outside (0, 1); domain.ErrShape
// for a level that needs more held-out rows.
func (m *Model) PredictIntervals(x ops.Matrix, level float64) (lower, upper *mat.Dense, err error) {
	if err := m.checkUncertainty("PredictIntervals", false); err != nil {
		return nil, nil, err
	}
	if m.Uncertainty.Intervals == nil {
		return nil, nil, fmt.Errorf("train: PredictIntervals: the model has a Posterior and no Intervals; "+
			"Recipe.Uncertainty asks for both: %w", domain.ErrParam)
	}
	own, err := m.Prepare(x)
	if err != nil {
		return nil, nil, err
	}
	mean, std, err := m.scoresAndStds(own)
	if err != nil {
		return nil, nil, err
	}
	return m.Uncertainty.Intervals.Bounds(level, mean, std)
}

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

// checkUncertainty returns an error for a model without Uncertainty, and for a model of classes where targets are wanted
// or the reverse.
func (m *Model) checkUncertainty(who string, classes bool) error {
	if err := m.valid(); err != nil {
		return err
	}
	switch {
	case classes && m.Classes == nil:
		return fmt.Errorf("train: %s: a regression model has no classes; use PredictDistribution: %w",
			who, domain.ErrParam)
	case !classes && m.Classes != nil:
		return fmt.Errorf("train: %s: a classification model has no targets; use Probabilities or PredictSets: %w",
			who, domain.ErrParam)
	case m.Uncertainty == nil, classes && (m.Uncertainty.Calibration == nil || m.Uncertainty.Sets == nil):
		return fmt.Errorf("train: %s: the model has no Uncertainty; fit it with Recipe.Uncertainty: %w", who,
			domain.ErrParam)
	}
	return nil
}

// scoresAndStds returns the scores of prepared rows as the calibration takes them, and the standard deviations of the
// targets if there is a posterior.
func (m *Model) scoresAndStds(x ops.Matrix) (scores, std *mat.Dense, err error) {
	u := m.Uncertainty
	switch {
	case u.Posterior != nil:
		d, err := m.distribution(x)
		if err != nil {
			return nil, nil, err
		}
		return d.Mean, d.Std, nil
	case u.Laplace != nil:
		scores, err = m.overDense(x, m.Head.Features(), u.Laplace.Probabilities)
	default:
		scores, err = m.ScoresPrepared(x)
	}
	if err == nil && m.Classes != nil && m.Head.Classifies() {
		scores, err = calibrate.LogProbabilities(scores)
	}
	return scores, nil, err
}

// distribution is PredictDistribution for prepared rows.
func (m *Model) distribution(x ops.Matrix) (*Distribution, error) {
	k, noise := m.Head.Features(), m.Uncertainty.Posterior.Noise
	all, err := m.overDense(x, 2*k, func(z *tensor.Dense) (*mat.Dense, error) {
		y, err := layers.Transform(m.Head, nil, z)
		if err != nil {
			return nil, err
		}
		v, err := m.Uncertainty.Posterior.Variance(nil, z)
		if err != nil {
			return nil, err
		}
		out, scores := mat.NewDense(len(v), 2*k, nil), ops.Float64s(y)
		for i, v := range v {
			row := out.RawRowView(i)
			copy(row, scores[i*k:(i+1)*k])
			for t, noise := range noise {
				row[k+t] = math.Sqrt(noise * v)
			}
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	n, _ := all.Dims()
	d := &Distribution{mat.DenseCopyOf(all.Slice(0, n, 0, k)), mat.DenseCopyOf(all.Slice(0, n, k, 2*k)), new(mat.Dense)}
	d.Std.Apply(func(_, t int, s float64) float64 { return math.Sqrt(noise[t] + s*s) }, d.FunctionStd)
	return d, nil
}
