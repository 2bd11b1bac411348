package train

import (
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Model is a fitted model: a scaler, the feature map that a spec describes, and a head. It is safe for concurrent use as long as
// nothing changes its parameters.
type Model struct {
	Scaler  *data.Chain  // fitted on the training rows
	Spec    layers.Spec  // describes Map
	Map     layers.Layer // Scaler's columns -> features
	Head    layers.Head  // features -> one score a class, or one a target
	Classes data.Classes // the class of each score; nil for regression
}

// blockRows is how many rows a model maps at once, so that features of all rows never stand in memory.
const blockRows = 512

// whole tells what a model lacks.
func (m *Model) whole() error {
	if m.Scaler == nil || m.Map == nil || m.Head == nil {
		return fmt.Errorf("train: Model: Scaler, Map or Head is nil; the scaler that does nothing is ParseScalers(\"none\"), fitted: %w", domain.ErrParam)
	}
	return nil
}

// Dims is the number of input columns.
func (m *Model) Dims() int { return m.Map.Dims() }

// Prepare returns the rows of x [n, d], float32 or float64, scaled and in the model's element type. x stays as it is. Errors:
// another width, named beside the model's (domain.ErrShape); another element type (domain.ErrDtype); a cell that is not finite, or
// that the model's element type cannot hold (domain.ErrDomain).
func (m *Model) Prepare(x *tensor.Dense) (*tensor.Dense, error) {
	if err := m.whole(); err != nil {
		return nil, err
	}
	if x == nil || x.Dims() != 2 || x.Shape()[1] != m.Dims() {
		shape := "none"
		if x != nil {
			shape = fmt.Sprint(x.Shape())
		}
		return nil, fmt.Errorf("train: Model: x has shape %s and the model was fitted on %d columns: %w", shape, m.Dims(), domain.ErrShape)
	}
	own, err := ops.Copy(nil, x, ops.Attr{Layer: "train: Model"}) // which reads views and checks that all cells are finite
	if err != nil {
		return nil, err
	}
	if own.Dtype() == tensor.Float32 {
		v := make([]float64, own.Shape().TotalSize())
		for i := range v {
			v[i] = cell(own, i)
		}
		own = tensor.New(tensor.WithShape(own.Shape()...), tensor.WithBacking(v))
	}
	scaled := &data.Set{X: own, Source: "train: Model"}
	if err := m.Scaler.Apply(scaled.X); err != nil {
		return nil, err
	}
	return scaled.As(m.Map.Dtype())
}

// Features maps the rows of x [n, d] to [n, D].
func (m *Model) Features(x *tensor.Dense) (*tensor.Dense, error) {
	x, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	return m.Map.Transform(nil, x)
}

// Scores is the output of the head [n, k]: probabilities of the classes (SoftmaxHead), one-versus-rest scores or predicted
// targets (LinearHead). Memory is that of the scores and of a few hundred rows of features.
func (m *Model) Scores(x *tensor.Dense) (*mat.Dense, error) {
	x, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	return m.ScoresPrepared(x)
}

// ScoresPrepared is Scores for rows that Prepare returned.
func (m *Model) ScoresPrepared(x *tensor.Dense) (*mat.Dense, error) {
	n, k := x.Shape()[0], m.Head.Features()
	if n == 0 {
		return nil, fmt.Errorf("train: Model: no rows to predict: %w", domain.ErrShape)
	}
	out := mat.NewDense(n, k, nil)
	var z *tensor.Dense
	for at, block := range data.Blocks(x, blockRows) {
		if z != nil && z.Shape()[0] != block.Shape()[0] {
			z = nil // the last block has fewer rows
		}
		var err error
		if z, err = m.Map.Transform(z, block); err != nil {
			return nil, domain.InBlock(at, err)
		}
		y, err := m.Head.Transform(nil, z)
		if err != nil {
			return nil, domain.InBlock(at, err)
		}
		for i := range block.Shape()[0] {
			for j := range k {
				out.Set(at+i, j, cell(y, i*k+j))
			}
		}
	}
	return out, nil
}

// Predict returns the class of each row, as an index into Classes.
func (m *Model) Predict(x *tensor.Dense) ([]int, error) {
	if m.Classes == nil {
		return nil, fmt.Errorf("train: Model: a regression model has no classes; use PredictTargets: %w", domain.ErrParam)
	}
	s, err := m.Scores(x)
	if err != nil {
		return nil, err
	}
	return ArgMax(s), nil
}

// PredictClasses returns the class of each row by name.
func (m *Model) PredictClasses(x *tensor.Dense) ([]string, error) {
	guess, err := m.Predict(x)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(guess))
	for i, c := range guess {
		names[i] = m.Classes[c]
	}
	return names, nil
}

// PredictTargets returns the predicted target of each row. A model of several targets has Scores.
func (m *Model) PredictTargets(x *tensor.Dense) ([]float64, error) {
	if m.Classes != nil {
		return nil, fmt.Errorf("train: Model: a classification model has no targets; use Predict: %w", domain.ErrParam)
	}
	if k := m.Head.Features(); k != 1 {
		return nil, fmt.Errorf("train: Model: the model has %d targets a row; use Scores: %w", k, domain.ErrParam)
	}
	s, err := m.Scores(x)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 0, s), nil
}

// OneHot returns the targets of a SoftmaxHead: row i is 1 in column labels[i]. Errors: a label out of range (data.ErrLabel).
func OneHot(labels []int, classes int, dt tensor.Dtype) (*tensor.Dense, error) {
	y, err := OneVersusRest(labels, classes)
	if err != nil {
		return nil, err
	}
	return Targets(y, dt, func(v float64) float64 { return (v + 1) / 2 }), nil
}

// Targets is y [n, k] as a tensor, each entry through f (nil: as it is).
func Targets(y *mat.Dense, dt tensor.Dtype, f func(float64) float64) *tensor.Dense {
	n, k := y.Dims()
	t := tensor.New(tensor.WithShape(n, k), tensor.Of(dt))
	for i := range n {
		for j, v := range y.RawRowView(i) {
			if f != nil {
				v = f(v)
			}
			setCell(t, i*k+j, v)
		}
	}
	return t
}
