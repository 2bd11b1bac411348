package train

import (
	"fmt"
	"strconv"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Model is a fitted model: a scaler, the feature map that a spec describes, and a head. It is safe for concurrent use
// as long as nothing changes its parameters.
type Model struct {
	Scaler  *data.Scaler // fitted on the training rows
	Spec    layers.Spec  // describes Map
	Map     layers.Layer // Scaler's columns -> features
	Head    layers.Head  // features -> one score a class, or one a target
	Classes data.Classes // the class of each score; nil for regression
	// Columns turns the rows of a table into numbers; nil if the rows are numbers by position.
	Columns *data.Columns
	// Relevance says how much each scaled column matters, from 0 to 1 for the most relevant one (see evidence.Result).
	// nil: the model has not learned one scale per column by evidence.
	Relevance []float64
	// Uncertainty holds what PredictDistribution, PredictIntervals, Probabilities and PredictSets need; nil: not
	// learned.
	Uncertainty *Uncertainty
	// Notes are further metadata of the model file, by key, such as its origin and its scores. They have no effect on
	// predictions.
	Notes map[string]string
}

// NewModel returns a model of layers that a program built, whatever fitted them. The last one is the head; the others
// are the map, as a layers.Sequential if there are several. The model predicts, saves, loads, serves and exports like
// one from a Recipe: its Spec is the map's (layers.SpecOf), and its Scaler "none". Put the fitted scaler there
// if the layers learned from scaled rows.
//
// The k outputs of a head that classifies get the Classes "0" to "k-1"; name them in that field. The outputs of another
// head are k targets, unless Classes has k names, which makes them one-versus-rest scores.
//
// Errors: domain.ErrParam for a nil layer, for a last layer that is no head or has no map before it, and for a map
// without a Spec, such as one of a kernel that layers.Register has to name first; domain.ErrShape, domain.ErrDtype and
// layers.ErrName for layers that do not fit together.
func NewModel(ls ...layers.Layer) (*Model, error) {
	m, err := newModel(ls)
	if err != nil {
		return nil, fmt.Errorf("train: NewModel: %w", err)
	}
	return m, nil
}

func newModel(ls []layers.Layer) (*Model, error) {
	for i, l := range ls {
		if domain.IsNil(l) {
			return nil, fmt.Errorf("layer %d is nil: %w", i, domain.ErrParam)
		}
	}
	n := len(ls) - 1
	if n < 1 {
		return nil, fmt.Errorf("%d layers; give at least a map and a head: %w", len(ls), domain.ErrParam)
	}
	m, is := new(Model), false
	if m.Head, is = ls[n].(layers.Head); !is {
		return nil, fmt.Errorf("the last layer, %v, is no head; end with one such as layers.NewLinearHead: %w", ls[n],
			domain.ErrParam)
	}
	if m.Map = ls[0]; n > 1 {
		var err error
		if m.Map, err = layers.NewSequential(ls[:n]...); err != nil {
			return nil, err
		}
	}
	if m.Map.Features() != m.Head.Dims() {
		return nil, fmt.Errorf("the map makes %d features and the head takes %d: %w", m.Map.Features(), m.Head.Dims(),
			domain.ErrShape)
	}
	if m.Map.Dtype() != m.Head.Dtype() {
		return nil, fmt.Errorf("the map is %v and the head %v: %w", m.Map.Dtype(), m.Head.Dtype(), domain.ErrDtype)
	}
	var err error
	if m.Spec, err = layers.SpecOf(m.Map); err != nil {
		return nil, err
	}
	if m.Scaler, err = data.ParseScalers("none"); err != nil {
		return nil, err
	}
	if m.Head.Classifies() {
		for i := range m.Head.Features() {
			m.Classes = append(m.Classes, strconv.Itoa(i))
		}
	}
	return m, m.Scaler.Fit(tensor.New(tensor.WithShape(1, m.Dims()), tensor.Of(tensor.Float64)))
}

// blockRows is the number of rows that a model maps at once, so that memory never holds the features of all rows.
const blockRows = 512

// valid returns an error for a model that cannot predict.
func (m *Model) valid() error {
	if m.Head == nil {
		return fmt.Errorf("train: Model: Head is nil; fit one, as Recipe.Fit does: %w", domain.ErrParam)
	}
	return m.maps()
}

// maps returns an error for a model that cannot compute features.
func (m *Model) maps() error {
	if m.Scaler == nil || m.Map == nil {
		return fmt.Errorf("train: Model: Scaler or Map is nil; the scaler that does nothing is "+
			"ParseScalers(\"none\"), fitted: %w", domain.ErrParam)
	}
	return nil
}

// Dims returns the number of input columns: those that the Map takes or, without one, the Spec, for each list of the
// Scaler.
func (m *Model) Dims() int {
	scaled := m.Spec.Dims
	if m.Map != nil {
		scaled = m.Map.Dims()
	}
	if m.Scaler == nil || m.Scaler.Lists() < 2 {
		return scaled
	}
	return scaled / m.Scaler.Lists()
}

// Rows turns a table into rows that Prepare and Predict take. It finds the columns by name. A model without Columns
// takes a table whose columns are all numbers, by position. Errors: as for data.Columns.Set; domain.ErrParam or
// domain.ErrShape for a nil frame.
func (m *Model) Rows(f *data.Frame) (*data.Set, error) {
	c := m.Columns
	if c == nil {
		if f == nil {
			return nil, fmt.Errorf("train: Model: the frame is nil: %w", domain.ErrParam)
		}
		var err error
		if c, err = f.Plain(); err != nil {
			return nil, err
		}
	}
	return c.Set(f)
}

// Options returns the options to read files of rows for the model: its Columns, its number of columns, and classes or
// targets.
func (m *Model) Options() data.Options {
	o := data.Options{Dims: m.Dims(), Columns: m.Columns}
	if m.Classes == nil {
		o.Task = data.Regression
	}
	return o
}

// Prepare returns the rows of x [n, d], scaled and in the element type of the Map or, without one, of the Spec. x is
// float32 or float64, dense or sparse, or, for a map of sets of samples, n sets with d coordinates (ops.Bags); it does
// not change. Sparse rows stay sparse if the scaler keeps zeros (data.Scaler.KeepsZeros) and become dense otherwise.
//
// Errors: domain.ErrParam for a model without Scaler, or without Map and Spec; domain.ErrShape for another number of
// columns; domain.ErrDtype for another element type; domain.ErrDomain for a cell that is not finite or that the model's
// element type cannot hold.
func (m *Model) Prepare(x ops.Matrix) (ops.Matrix, error) {
	if m.Map == nil && m.Spec.Dims == 0 || m.Scaler == nil {
		return nil, m.maps()
	}
	if domain.IsNil(x) || x.Dims() != 2 || x.Shape()[1] != m.Dims() {
		shape := "none"
		if !domain.IsNil(x) {
			shape = fmt.Sprint(x.Shape())
		}
		return nil, fmt.Errorf("train: Model: x has shape %s and the model was fitted on %d columns: %w",
			shape, m.Dims(), domain.ErrShape)
	}
	own, err := own(x, m.Scaler.KeepsZeros())
	if err != nil {
		return nil, m.inColumn(err)
	}
	scaled := &data.Set{Source: "train: Model"}
	if scaled.X, err = m.Scaler.ApplyInPlace(own); err != nil {
		return nil, m.inColumn(err)
	}
	dt := m.Spec.ElementType()
	if m.Map != nil {
		dt = m.Map.Dtype()
	}
	prepared, err := scaled.As(dt)
	return prepared, m.locate(err)
}

// locate returns an error of the Map about prepared rows as one about the rows before.
func (m *Model) locate(err error) error { return m.inColumn(m.Scaler.Locate(err)) }

// inColumn adds the name of the column to an error about a cell. Parts of a map have columns of their own.
func (m *Model) inColumn(err error) error {
	if err == nil || m.Columns == nil || len(m.Spec.Parts) > 0 {
		return err
	}
	return domain.InColumns(m.Columns.Names(), err)
}

// own returns a copy of x in float64, after a check that all cells are finite. Sparse rows become dense unless sparse
// allows them.
func own(x ops.Matrix, sparse bool) (ops.Matrix, error) {
	const who = "train: Model"
	if b, ok := x.(*ops.Bags); ok {
		own, err := own(b.Samples(), false)
		if err != nil {
			return nil, b.InBag(err)
		}
		return b.With(own.(*tensor.Dense))
	}
	if s, ok := x.(*ops.CSR); ok && sparse {
		if err := ops.CheckRows(domain.Reals(), who, s); err != nil {
			return nil, err
		}
		return s.Clone().(*ops.CSR).As(tensor.Float64, who)
	}
	own, err := ops.Copy(nil, x, ops.Attr{Layer: who}) // which reads views and checks that all cells are finite
	if err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(own.Shape()...), tensor.WithBacking(ops.Float64s(own))), nil
}

// Features maps the rows of x [n, d], dense, sparse or ops.Bags, to features [n, D]. Errors: see Prepare.
func (m *Model) Features(x ops.Matrix) (*tensor.Dense, error) {
	x, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	z, err := layers.Transform(m.Map, nil, x)
	return z, m.locate(err)
}

// Scores returns the outputs of the head [n, k]: class probabilities for a softmax head, and else one-versus-rest
// scores or predicted targets. x is dense, sparse or ops.Bags. Memory holds the scores, a copy of x, and a few hundred
// rows of features. Sparse rows under a scaler that moves zeros become dense a few hundred at a time. Errors: see
// Prepare; domain.ErrParam for a model without Head; domain.ErrShape for no rows.
func (m *Model) Scores(x ops.Matrix) (*mat.Dense, error) {
	if err := m.valid(); err != nil {
		return nil, err
	}
	if s, _ := x.(*ops.CSR); s != nil && !m.Scaler.KeepsZeros() && s.Rows() > blockRows {
		return stacked(x, m.Head.Features(), m.Scores) // as its rows become dense
	}
	x, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	return m.ScoresPrepared(x)
}

// stacked calls f on blocks of rows, and stacks the results, which have k columns.
func stacked(x ops.Matrix, k int, f func(block ops.Matrix) (*mat.Dense, error)) (*mat.Dense, error) {
	out := mat.NewDense(x.Shape()[0], k, nil)
	for at, block := range data.Blocks(x, blockRows) {
		y, err := f(block)
		if err != nil {
			return nil, domain.InBlock(at, err)
		}
		out.Slice(at, at+block.Shape()[0], 0, k).(*mat.Dense).Copy(y)
	}
	return out, nil
}

// ScoresPrepared is Scores for rows that Prepare returned.
func (m *Model) ScoresPrepared(x ops.Matrix) (*mat.Dense, error) {
	if m.Map == nil || m.Head == nil {
		return nil, fmt.Errorf("train: Model: Map or Head is nil; Recipe.Fit makes both: %w", domain.ErrParam)
	}
	k := m.Head.Features()
	return m.overBlocks(x, k, func(z ops.Matrix) (*mat.Dense, error) {
		y, err := layers.Transform(m.Head, nil, z)
		if err != nil {
			return nil, err
		}
		return mat.NewDense(y.Shape()[0], k, ops.Float64s(y)), nil
	})
}

// overBlocks maps prepared rows in blocks, calls f on the features of each, and stacks the results, which have k
// columns.
func (m *Model) overBlocks(x ops.Matrix, k int, f func(z ops.Matrix) (*mat.Dense, error)) (*mat.Dense, error) {
	x, err := data.RowMajor("train: Model", "x", x)
	if err != nil {
		return nil, err
	}
	if x.Shape()[0] == 0 {
		return nil, fmt.Errorf("train: Model: no rows to predict: %w", domain.ErrShape)
	}
	var z *tensor.Dense
	return stacked(x, k, func(block ops.Matrix) (*mat.Dense, error) {
		if z != nil && z.Shape()[0] != block.Shape()[0] {
			z = nil // the last block has fewer rows
		}
		features, err := layers.Apply(m.Map, z, block)
		if err != nil {
			return nil, m.locate(err)
		}
		z, _ = features.(*tensor.Dense) // or sparse rows, as they came
		return f(features)
	})
}

// Predict returns the class of each row, as an index into Classes. Errors: see Scores; domain.ErrParam for a regression
// model.
func (m *Model) Predict(x ops.Matrix) ([]int, error) {
	if m.Classes == nil {
		return nil, fmt.Errorf("train: Model: a regression model has no classes; use PredictTargets: %w",
			domain.ErrParam)
	}
	s, err := m.Scores(x)
	if err != nil {
		return nil, err
	}
	if _, k := s.Dims(); k != len(m.Classes) {
		return nil, fmt.Errorf("train: Model: the head has %d outputs and there are %d Classes; name one for each: %w",
			k, len(m.Classes), domain.ErrParam)
	}
	return ArgMax(s), nil
}

// PredictClasses returns the name of the class of each row. Errors: see Predict.
func (m *Model) PredictClasses(x ops.Matrix) ([]string, error) {
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

// PredictTargets returns the predicted target of each row. Use Scores for a model of several targets. Errors: see
// Scores; domain.ErrParam for a classification model and for several targets.
func (m *Model) PredictTargets(x ops.Matrix) ([]float64, error) {
	if m.Classes != nil {
		return nil, fmt.Errorf("train: Model: a classification model has no targets; use Predict: %w", domain.ErrParam)
	}
	if err := m.valid(); err != nil {
		return nil, err
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

// ArgMax returns for each row the column of its largest score, the first of equals. NaN is never the largest; a row of
// NaN alone gives -1, which is no class. Scores without rows, or nil, give an empty slice.
func ArgMax(scores *mat.Dense) []int {
	if scores == nil {
		return []int{}
	}
	n, _ := scores.Dims()
	best := make([]int, n)
	for i := range best {
		best[i] = given.ArgMax(scores.RawRowView(i))
	}
	return best
}
