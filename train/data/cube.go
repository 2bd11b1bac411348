package data

import (
	"iter"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
)

// Cube is MinMax with values clipped to the unit cube:
//
//	x_j ← min(1, max(0, (x_j - min_j) / (max_j - min_j)))
//
// It serves sets of samples, whose densities are estimated on the cube. It also serves kernels of histograms, x >= 0,
// since a later row below the fitted range would become negative under MinMax. A column that was constant becomes 0.
type Cube struct{ Range MinMax }

var _ step = (*Cube)(nil)

// Name returns "cube".
func (s *Cube) Name() string { return "cube" }

// Fit learns the range of each column.
func (s *Cube) Fit(x ops.Matrix) error { return fitOne(s, x) }

// Apply returns the scaled rows; x stays as it is.
func (s *Cube) Apply(x ops.Matrix) (ops.Matrix, error) { return applied(s, x) }

// ApplyInPlace scales x itself.
func (s *Cube) ApplyInPlace(x ops.Matrix) error { return applyOne(s, x) }

// State returns min and max.
func (s *Cube) State() map[string]*tensor.Dense { return s.Range.State() }

// SetState sets min and max, with min <= max.
func (s *Cube) SetState(state map[string]*tensor.Dense) error { return s.Range.SetState(state) }

func (s *Cube) learns() bool { return true }

func (s *Cube) fitted() int { return s.Range.fitted() }

func (s *Cube) learn(rows iter.Seq[[]float64], d int) { s.Range.learn(rows, d) }

func (s *Cube) learnSparse(rows iter.Seq2[[]int32, []float64], n, d int) {
	s.Range.learnSparse(rows, n, d)
}

func (s *Cube) moved() int { return s.Range.moved() }

func (s *Cube) scale(row []float64) {
	s.Range.scale(row)
	clip(row)
}

func (s *Cube) scaleSparse(cols []int32, values []float64) {
	s.Range.scaleSparse(cols, values)
	clip(values)
}

// clip moves numbers to [0, 1].
func clip(v []float64) {
	for i, u := range v {
		v[i] = min(1, max(0, u))
	}
}
