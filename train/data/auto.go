package data

import (
	"iter"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
)

// Auto is Standard for the columns of real numbers. It leaves a column whose values are all 0 or 1 as it is: these are
// categories and booleans. Standard would scale such a column up the more the rarer its level is, until it dominates
// the kernel.
type Auto struct {
	Mean, Scale []float64 // of each column, 0 and 1 for a column that stays; nil before Fit

	moments Standard
	other   []bool // columns with a value other than 0 and 1
}

var _ step = (*Auto)(nil)

// Name returns "auto".
func (s *Auto) Name() string { return "auto" }

// Fit learns the mean and the standard deviation of each column.
func (s *Auto) Fit(x ops.Matrix) error { return fitOne(s, x) }

// Apply returns the scaled rows; x stays as it is.
func (s *Auto) Apply(x ops.Matrix) (ops.Matrix, error) { return applied(s, x) }

// ApplyInPlace scales x itself.
func (s *Auto) ApplyInPlace(x ops.Matrix) error { return applyOne(s, x) }

// State returns mean and scale.
func (s *Auto) State() map[string]*tensor.Dense {
	return (&Standard{Mean: s.Mean, Scale: s.Scale}).State()
}

// SetState sets mean and scale; scale is above 0.
func (s *Auto) SetState(state map[string]*tensor.Dense) error {
	if _, err := vectors(s, state, "mean", "scale"); err != nil {
		return err
	}
	var m Standard
	if err := m.SetState(state); err != nil {
		return err
	}
	*s = Auto{Mean: m.Mean, Scale: m.Scale}
	return nil
}

func (s *Auto) fitted() int { return len(s.Mean) }

func (s *Auto) learns() bool { return true }

func (s *Auto) learn(rows iter.Seq[[]float64], d int) {
	if s.other == nil {
		s.other = make([]bool, d)
	}
	for row := range rows {
		for j, v := range row {
			s.other[j] = s.other[j] || v != 0 && v != 1
		}
	}
	s.moments.learn(rows, d)
	s.Mean, s.Scale = make([]float64, d), make([]float64, d)
	for j, other := range s.other {
		if s.Scale[j] = 1; other {
			s.Mean[j], s.Scale[j] = s.moments.Mean[j], s.moments.Scale[j]
		}
	}
}

func (s *Auto) scale(row []float64) { (&Standard{Mean: s.Mean, Scale: s.Scale}).scale(row) }

// learnSparse leaves the scaler as it is: it moves zeros whatever it learns.
func (s *Auto) learnSparse(iter.Seq2[[]int32, []float64], int, int) {}

// moved is the first column: most are centred.
func (s *Auto) moved() int { return 0 }

// scaleSparse has nothing to do: zeros move, so no sparse row comes here.
func (s *Auto) scaleSparse([]int32, []float64) {}
