package train

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/internal/given"
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

// Prediction is what a model predicts for rows, and how sure it is of that. Its matrices have the shape [n, k], for n
// rows and k classes or targets.
type Prediction struct {
	Scores        *mat.Dense    // as of Model.Scores
	Distribution  *Distribution // of the targets; nil for classes, and for a model without Posterior
	Probabilities *mat.Dense    // of the classes, calibrated; nil for targets

	of     *Uncertainty
	logits *mat.Dense // the scores as the calibration takes them
}

// Intervals returns bounds [n, k] of the targets, as Model.PredictIntervals. Errors: domain.ErrParam for a model without
// Intervals, and for a level outside (0, 1); domain.ErrShape for a level that needs more held-out rows.
func (p *Prediction) Intervals(level float64) (lower, upper *mat.Dense, err error) {
	if p.of == nil || p.of.Intervals == nil {
		return nil, nil, fmt.Errorf("train: Prediction: the model has no Intervals; fit targets with "+
			"Recipe.Uncertainty: %w", domain.ErrParam)
	}
	return p.of.Intervals.Bounds(level, p.Scores, p.std())
}

// std has the standard deviations of the targets, if there is a posterior.
func (p *Prediction) std() *mat.Dense {
	if p.Distribution == nil {
		return nil
	}
	return p.Distribution.Std
}

// Sets returns a set of classes for each row, as Model.PredictSets. Errors: domain.ErrParam for a model without Sets, and
// for a level outside (0, 1); domain.ErrShape for a level that needs more held-out rows.
func (p *Prediction) Sets(level float64) ([][]int, error) {
	if p.of == nil || p.of.Sets == nil {
		return nil, fmt.Errorf("train: Prediction: the model has no Sets; fit classes with Recipe.Uncertainty: %w",
			domain.ErrParam)
	}
	return p.of.Sets.All(level, p.Probabilities)
}

// Prediction predicts the rows x with all that the model's Uncertainty says of them. It maps the rows once. Errors: see
// Scores; domain.ErrParam for a model without Uncertainty; domain.ErrDomain for scores that are not finite.
func (m *Model) Prediction(x ops.Matrix) (*Prediction, error) {
	return m.prediction("Prediction", m.Classes != nil, x)
}

// PredictionPrepared is Prediction for rows that Prepare returned.
func (m *Model) PredictionPrepared(x ops.Matrix) (*Prediction, error) {
	if err := m.checkUncertainty("Prediction", m.Classes != nil); err != nil {
		return nil, err
	}
	return m.uncertain(x)
}

// prediction is Prediction for who, which errors name and which wants classes or targets.
func (m *Model) prediction(who string, classes bool, x ops.Matrix) (*Prediction, error) {
	if err := m.checkUncertainty(who, classes); err != nil {
		return nil, err
	}
	x, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	return m.uncertain(x)
}

// PredictDistribution predicts the targets of rows x with their standard deviations,
//
//	Mean = the prediction of the head,    FunctionStd² = σ² v(z),    Std² = σ² (1 + v(z))
//
// with the noise σ² and v of linear.Posterior, which says how they behave far from the training rows. It takes n D²
// operations more than Scores. Errors: see Prediction; domain.ErrParam for a classification model, and for an indefinite
// kernel, which has no posterior.
func (m *Model) PredictDistribution(x ops.Matrix) (*Distribution, error) {
	p, err := m.prediction("PredictDistribution", false, x)
	if err != nil {
		return nil, err
	}
	if p.Distribution == nil {
		return nil, fmt.Errorf("train: PredictDistribution: the model has no Posterior, as the features of an "+
			"indefinite kernel have none; PredictIntervals has intervals: %w", domain.ErrParam)
	}
	return p.Distribution, nil
}

// PredictIntervals returns bounds [n, k] that cover each target by itself with a probability of at least level in (0,
// 1), whatever its distribution; calibrate.Intervals states the guarantee. Errors: see Prediction and
// Prediction.Intervals; domain.ErrParam for a classification model.
func (m *Model) PredictIntervals(x ops.Matrix, level float64) (lower, upper *mat.Dense, err error) {
	p, err := m.prediction("PredictIntervals", false, x)
	if err != nil {
		return nil, nil, err
	}
	return p.Intervals(level)
}

// Probabilities returns the calibrated class probabilities [n, k], under any head. They use the Laplace approximation
// if Uncertainty has one. The class with the largest probability need not be the class with the largest score. Errors:
// see Prediction; domain.ErrParam for a regression model.
func (m *Model) Probabilities(x ops.Matrix) (*mat.Dense, error) {
	p, err := m.prediction("Probabilities", true, x)
	if err != nil {
		return nil, err
	}
	return p.Probabilities, nil
}

// PredictSets returns for each row a set of classes that holds its class with a probability of at least level in (0,
// 1); calibrate.Sets states the guarantee. The classes are indices into Classes, in descending probability. Errors: see
// Prediction and Prediction.Sets; domain.ErrParam for a regression model.
func (m *Model) PredictSets(x ops.Matrix, level float64) ([][]int, error) {
	p, err := m.prediction("PredictSets", true, x)
	if err != nil {
		return nil, err
	}
	return p.Sets(level)
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

// uncertain is Prediction for prepared rows, by what Uncertainty has so far.
func (m *Model) uncertain(x ops.Matrix) (p *Prediction, err error) {
	u := m.Uncertainty
	p = &Prediction{of: u}
	switch {
	case u.Posterior != nil:
		d := &Distribution{Std: new(mat.Dense)}
		if d.Mean, d.FunctionStd, err = m.withHead(x, u.functionStd); err != nil {
			return nil, err
		}
		d.Std.Apply(func(_, t int, s float64) float64 { return math.Sqrt(u.Posterior.Noise[t] + s*s) }, d.FunctionStd)
		p.Scores, p.logits, p.Distribution = d.Mean, d.Mean, d
	case u.Laplace != nil:
		p.Scores, p.logits, err = m.withHead(x, u.Laplace.Probabilities)
	default:
		p.Scores, err = m.ScoresPrepared(x)
		p.logits = p.Scores
	}
	if err != nil {
		return nil, err
	}
	raw := p.Scores.RawMatrix()
	if i, _, v := given.NotFinite(raw.Data, raw.Rows, raw.Cols, raw.Stride); i >= 0 {
		return nil, fmt.Errorf("train: Model: the output for row %d is %v; scale the row to the size of those that the "+
			"model was fitted on: %w", i, v, domain.ErrDomain)
	}
	if m.Classes != nil && m.Head.Classifies() {
		p.logits, err = calibrate.LogProbabilities(p.logits)
	}
	if err == nil && u.Calibration != nil {
		p.Probabilities, err = u.Calibration.Probabilities(p.logits)
	}
	return p, err
}

// functionStd has the standard deviations of the function at features z.
func (u *Uncertainty) functionStd(z *tensor.Dense) (*mat.Dense, error) {
	v, err := u.Posterior.Variance(nil, z)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(len(v), len(u.Posterior.Noise), nil)
	out.Apply(func(i, t int, _ float64) float64 { return math.Sqrt(u.Posterior.Noise[t] * v[i]) }, out)
	return out, nil
}

// withHead maps prepared rows once, and returns the outputs of the head and what f makes of the features, both [n, k].
func (m *Model) withHead(x ops.Matrix, f func(z *tensor.Dense) (*mat.Dense, error)) (scores, more *mat.Dense, err error) {
	k := m.Head.Features()
	both, err := m.overBlocks(x, 2*k, func(z ops.Matrix) (*mat.Dense, error) {
		d, err := given.Dense(z)
		if err != nil {
			return nil, err
		}
		y, err := layers.Transform(m.Head, nil, d)
		if err != nil {
			return nil, err
		}
		more, err := f(d)
		if err != nil {
			return nil, err
		}
		out := new(mat.Dense)
		out.Augment(mat.NewDense(y.Shape()[0], k, ops.Float64s(y)), more)
		return out, nil
	})
	if err != nil {
		return nil, nil, err
	}
	n, _ := both.Dims()
	return mat.DenseCopyOf(both.Slice(0, n, 0, k)), mat.DenseCopyOf(both.Slice(0, n, k, 2*k)), nil
}
