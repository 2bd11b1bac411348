package data

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Scaler changes rows before a map, by one or more scalers in their order; ParseScalers makes it. Each scaler is fitted
// to the training rows as the scalers before it return them. Several such lists stand side by side: the columns of the
// first, then the columns of the second, and so on. A scaler must be fitted even if it learns nothing, since
// it keeps the number of columns. Do not copy it while it is being fitted.
//
//   - none leaves the rows as they are. Like all scalers it checks that they are finite.
//   - l1 divides each row by its l1 norm, x / Σ|x_j|, so that a histogram sums to 1, and l2 by its Euclidean norm,
//     x / √Σx_j². A row of zeros stays as it is.
//   - minmax maps each column to [0, 1] by the range that it was fitted to, (x - min) / (max - min). Values outside of
//     the range are not clipped. A column that was constant becomes 0.
//   - cube is minmax with values clipped to the unit cube. It serves sets of samples, whose densities are estimated on
//     the cube, and kernels of histograms, x >= 0, for which a later row below the fitted range would be negative.
//   - standard is (x - mean) / scale with the population standard deviation as scale, by n, not n - 1. A constant
//     column is centred and divided by 1.
//   - auto is standard for the columns of real numbers. It leaves a column whose values are all 0 or 1 as it is: these
//     are categories and booleans, which standard scales up the more the rarer their level is.
//   - robust is z / √(1 + (z/3)²) with z = (x - median) / (upper quartile - lower quartile), so that outliers end at ±3
//     (Holzmüller, Grinsztajn and Steinwart 2024). If the quartiles are equal, half the range takes their place.
//   - quantile maps each column to the quantiles of the normal distribution, by the ranks of the training rows: linear
//     between at most 1000 knots, and constant beyond the first and the last. quantile-uniform maps to the ranks
//     themselves, in (0, 1).
//
// robust and quantile are fitted on all rows, or on 10,000 of them that are drawn uniformly (fewer if there are more
// than 6,700 columns: 2^26 numbers).
//
// Matrices are [n, d], float64 or float32, dense or sparse; a row goes through all scalers in float64 and is rounded
// once. For sets of samples (ops.Bags) the rows are all samples. Apply does not change the scaler and may run in
// several goroutines. A train.Model scales the rows that it is given, so give it rows as they were read.
//
// Sparse rows stay sparse under none, l1 and l2, under minmax and cube if the least value of every column that varies
// is 0, as for counts, and under robust if all medians are 0. A scaler that would change zeros, such as standard,
// returns an error that wraps ErrZeros; make the rows dense then (Options.Form, ops.CSR.Dense).
type Scaler struct {
	lists [][]step
	cols  int // of the rows; 0 before Fit
}

// step is one scaler of a list.
type step struct {
	name string
	scaling
}

// scaling is what a step does. It sees a row as its entries: values in the columns cols, or in all columns if cols is
// nil. Columns that are not there are 0.
type scaling interface {
	// learn learns from n finite rows of d columns, which it may go through several times, in addition to earlier rows.
	learn(rows entries, n, d int)
	// finish ends the learning.
	finish()
	// scale scales a row of finite values. It may leave infinities if a result overflows.
	scale(cols []int32, values []float64)
	// vectors are that the scaler learns; nil if it learns nothing.
	vectors() []stateVector
	// flaw says what is wrong with vectors that are as stateVector says, and "" if nothing is.
	flaw(cols int) string
	// centres says whether zeros move whatever the scaler learns.
	centres() bool
}

// stateVector is a vector of a state, of finite numbers: one for each column, or with series equally many for each.
type stateVector struct {
	name   string
	at     *[]float64
	width  bool // whether the numbers are above 0
	series bool
}

// columnOf is the column of entry t.
func columnOf(cols []int32, t int) int {
	if cols == nil {
		return t
	}
	return int(cols[t])
}

// scalings make what a step does by its name.
var scalings = map[string]func() scaling{
	"none":             func() scaling { return norm{} },
	"l1":               func() scaling { return norm{l1} },
	"l2":               func() scaling { return norm{l2} },
	"minmax":           func() scaling { return &ranges{} },
	"cube":             func() scaling { return &ranges{clip: true} },
	"standard":         func() scaling { return &moments{} },
	"auto":             func() scaling { return &moments{auto: true} },
	"robust":           func() scaling { return &robust{} },
	"quantile":         func() scaling { return &quantiles{score: normalQuantile} },
	"quantile-uniform": func() scaling { return &quantiles{score: func(p float64) float64 { return p }} },
}

// newStep makes a step that has learned nothing.
func newStep(name string) step { return step{name, scalings[name]()} }

// ParseScalers reads a list of none, l1, l2, minmax, cube, standard, auto, robust, quantile and quantile-uniform,
// separated by commas, such as "minmax,l2", or several lists to stand side by side, separated by |, such as
// "quantile|standard,l2". An empty list is none. Errors: domain.ErrParam for another name.
func ParseScalers(lists string) (*Scaler, error) {
	if strings.TrimSpace(lists) == "" {
		lists = "none"
	}
	s := new(Scaler)
	for part := range strings.SplitSeq(lists, "|") {
		var list []step
		for name := range strings.SplitSeq(part, ",") {
			name = strings.TrimSpace(name)
			if scalings[name] == nil {
				return nil, fmt.Errorf("data: scaler %q in %q is unknown, want none, l1, l2, minmax, cube, standard, auto, "+
					"robust, quantile or quantile-uniform: %w", name, lists, domain.ErrParam)
			}
			list = append(list, newStep(name))
		}
		s.lists = append(s.lists, list)
	}
	return s, nil
}

// SideBySide returns the lists of fitted scalers side by side. Errors: domain.ErrParam for none and for one that is not
// fitted; domain.ErrShape for scalers of different columns.
func SideBySide(scalers ...*Scaler) (*Scaler, error) {
	out := new(Scaler)
	for i, s := range scalers {
		switch {
		case s == nil || s.cols == 0:
			return nil, fmt.Errorf("data: SideBySide: scaler %d is not fitted; call Fit or SetState first: %w", i,
				domain.ErrParam)
		case i > 0 && s.cols != out.cols:
			return nil, fmt.Errorf("data: SideBySide: scaler %d was fitted to %d columns, and those before it to %d: %w", i,
				s.cols, out.cols, domain.ErrShape)
		}
		out.lists, out.cols = append(out.lists, s.lists...), s.cols
	}
	if out.cols == 0 {
		return nil, fmt.Errorf("data: SideBySide: no scaler; give at least one: %w", domain.ErrParam)
	}
	return out, nil
}

// fresh returns lists that have learned nothing.
func (s *Scaler) fresh() [][]step {
	lists := make([][]step, len(s.lists))
	for k, list := range s.lists {
		for _, t := range list {
			lists[k] = append(lists[k], newStep(t.name))
		}
	}
	return lists
}

// Lists returns the number of lists side by side, which is how many scaled columns there are for each column of the
// rows.
func (s *Scaler) Lists() int { return len(s.lists) }

// Name returns the lists that ParseScalers reads.
func (s *Scaler) Name() string {
	parts := make([]string, len(s.lists))
	for i, list := range s.lists {
		names := make([]string, len(list))
		for k, t := range list {
			names[k] = t.name
		}
		parts[i] = strings.Join(names, ",")
	}
	return strings.Join(parts, "|")
}

// who names the scaler in messages.
func (s *Scaler) who() string { return fmt.Sprintf("data: scaler %q", s.Name()) }

// Clipped returns a new scaler that is not fitted, with cube in place of minmax and auto.
func (s *Scaler) Clipped() *Scaler {
	out := &Scaler{lists: s.fresh()}
	for _, list := range out.lists {
		for k, t := range list {
			if t.name == "minmax" || t.name == "auto" {
				list[k] = newStep("cube")
			}
		}
	}
	return out
}

// KeepsZeros says whether the fitted scaler leaves every 0 at 0, so that it applies to sparse rows.
func (s *Scaler) KeepsZeros() bool { return s.keepsZeros() == nil }

func (s *Scaler) keepsZeros() error {
	for _, t := range slices.Concat(s.lists...) {
		if err := s.stepKeepsZeros(t, s.cols); err != nil {
			return err
		}
	}
	return nil
}

// stepKeepsZeros returns an error if a step, fitted to a number of columns, changes zeros.
func (s *Scaler) stepKeepsZeros(t step, cols int) error {
	moved := 0
	if !t.centres() {
		if t.vectors() == nil {
			return nil
		}
		zeros := make([]float64, cols)
		t.scale(nil, zeros)
		moved = slices.IndexFunc(zeros, func(v float64) bool { return v != 0 })
	}
	if moved < 0 {
		return nil
	}
	return fmt.Errorf("%s: %s makes another number of the zeros of column %d, which sparse rows do not store; "+
		"read the rows dense, or scale by l1 or l2: %w", s.who(), t.name, moved, ErrZeros)
}

// Locate returns an error about a scaled row with the number of the column that it had before, and says that the value is
// scaled. It changes no error without a column.
func (s *Scaler) Locate(err error) error {
	cell := domain.InputCell(err)
	if s == nil || s.cols == 0 || cell == nil {
		return err
	}
	cell.Col, cell.Scaled = cell.Col%s.cols, s.Name() != "none"
	return cell
}

// Apply returns the scaled rows in the element type of x; x stays as it is. Errors: domain.ErrShape for another number
// of columns than in Fit; domain.ErrParam for a scaler that is not fitted; domain.ErrDomain for a value that is not
// finite or overflows when scaled.
func (s *Scaler) Apply(x ops.Matrix) (ops.Matrix, error) {
	if b, ok := x.(*ops.Bags); ok && b != nil {
		return ofSamples(b, s.Apply)
	}
	own, err := s.copied(x)
	if err != nil {
		return nil, err
	}
	return s.ApplyInPlace(own)
}

// copied is a copy of rows, contiguous or sparse. It leaves to others to refuse what is neither.
func (s *Scaler) copied(x ops.Matrix) (ops.Matrix, error) {
	switch v := x.(type) {
	case *ops.CSR:
		if v != nil {
			return v.Clone().(*ops.CSR), nil
		}
	case *tensor.Dense:
		if v != nil {
			return ops.Copy(nil, v, ops.Attr{Layer: s.who()})
		}
	}
	return x, nil
}

// ofSamples applies f to the samples of bags.
func ofSamples(b *ops.Bags, f func(ops.Matrix) (ops.Matrix, error)) (ops.Matrix, error) {
	samples, err := f(b.Samples())
	switch {
	case err != nil:
		return nil, b.InBag(err)
	case samples == ops.Matrix(b.Samples()): // in place
		return b, nil
	}
	return b.With(samples.(*tensor.Dense))
}

// ApplyInPlace is Apply without the copy where the scaler is one list: it scales the rows where they are, which must be
// contiguous or sparse, and returns x. After a domain.ErrDomain the rows before the one named are already scaled.
func (s *Scaler) ApplyInPlace(x ops.Matrix) (ops.Matrix, error) {
	if b, ok := x.(*ops.Bags); ok && b != nil {
		return ofSamples(b, s.ApplyInPlace)
	}
	m, err := rowsOf(s.who(), x)
	switch {
	case err != nil:
		return nil, err
	case s.cols == 0:
		return nil, fmt.Errorf("%s: is not fitted; call Fit or SetState first: %w", s.who(), domain.ErrParam)
	case s.cols != m.cols:
		return nil, fmt.Errorf("%s: was fitted to %d columns and x has %d: %w", s.who(), s.cols, m.cols, domain.ErrShape)
	}
	if m.ptr != nil {
		if err := s.keepsZeros(); err != nil {
			return nil, err
		}
	}
	parts := slices.Repeat([]ops.Matrix{x}, len(s.lists))
	for k, list := range s.lists {
		if len(parts) > 1 {
			if parts[k], err = s.copied(x); err == nil {
				m, err = rowsOf(s.who(), parts[k])
			}
		}
		if err == nil {
			err = s.inPlace(m, list)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(parts) == 1 {
		return x, nil
	}
	ones := slices.Repeat([]float64{1}, len(parts))
	beside := ops.Concat(ones, ops.Attr{Layer: s.who()})
	if first, ok := parts[0].(*ops.CSR); ok {
		return beside.Sparse(first, parts[1:]...)
	}
	return beside.Into(nil, parts[0], parts[1:]...)
}

// inPlace scales rows by a list.
func (s *Scaler) inPlace(m matrix, list []step) error {
	var row []float64
	for i := range m.rows {
		var cols []int32
		cols, row = m.load(i, row)
		if t := notFiniteAt(row); t >= 0 {
			return domain.Reals().Violation(s.who(), i, columnOf(cols, t), row[t])
		}
		for _, step := range list {
			step.scale(cols, row)
			if t := notFiniteAt(row); t >= 0 {
				return s.overflow(m, i, t, "overflows when scaled by "+step.name)
			}
		}
		if t := m.store(i, row); t >= 0 {
			return s.overflow(m, i, t, "overflows float32 when scaled")
		}
	}
	return nil
}

// overflow is the error for entry t of row i, which still has its original value.
func (s *Scaler) overflow(m matrix, i, t int, reason string) error {
	cols, row := m.load(i, nil)
	return &domain.CellError{Who: s.who(), Row: i, Col: columnOf(cols, t), Value: row[t], Reason: reason,
		Remedy: "the value is far outside those fitted: drop the row or fit with it"}
}

// State returns a copy of what was learned, as float64 vectors: those of each scaler, with names such as "0.minmax.min"
// (position among the scalers of all lists, scaler, name), and "cols", the number of columns of the rows. It is empty
// before Fit.
func (s *Scaler) State() map[string]*tensor.Dense {
	state := make(map[string]*tensor.Dense)
	if s.cols == 0 {
		return state
	}
	state["cols"] = vector([]float64{float64(s.cols)})
	for at, step := range slices.Concat(s.lists...) {
		for _, v := range step.vectors() {
			state[step.key(at)+"."+v.name] = vector(*v.at)
		}
	}
	return state
}

// key is the start of the names in the state of a step, which is number at of all lists.
func (t step) key(at int) string { return fmt.Sprintf("%d.%s", at, t.name) }

// SetState sets the State of a scaler with the same name. A state that does not fit is a domain.ErrParam and changes
// nothing.
func (s *Scaler) SetState(state map[string]*tensor.Dense) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: "+format+": %w", append(append([]any{s.who()}, args...), domain.ErrParam)...)
	}
	left := maps.Clone(state)
	take := func(key string) (v []float64, err error) {
		t := left[key]
		delete(left, key)
		switch {
		case t == nil:
			return nil, fail("state %q is missing", key)
		case t.Dtype() != tensor.Float64 || t.Dims() > 1 || t.RequiresIterator():
			return nil, fail("state %q is a %v of shape %v, want a float64 vector", key, t.Dtype(), t.Shape())
		}
		v = slices.Clone(t.Float64s())
		if j := notFiniteAt(v); j >= 0 {
			return nil, fail("state %q has the value %v at %d", key, v[j], j)
		}
		return v, nil
	}
	v, err := take("cols")
	if err != nil {
		return err
	}
	if len(v) != 1 || v[0] != float64(int(v[0])) || v[0] < 1 {
		return fail("state \"cols\" is %v, want one whole number above 0", v)
	}
	cols, lists := int(v[0]), s.fresh()
	for at, step := range slices.Concat(lists...) {
		length := 0
		for i, l := range step.vectors() {
			key := step.key(at) + "." + l.name
			if *l.at, err = take(key); err != nil {
				return err
			}
			n, low := len(*l.at), slices.IndexFunc(*l.at, func(v float64) bool { return l.width && v <= 0 })
			switch {
			case n == 0 || n%cols != 0 || i > 0 && n != length:
				return fail("state %q has the length %d, which does not fit %d columns", key, n, cols)
			case n != cols && !l.series:
				return fail("state %q has %d columns and \"cols\" is %d", step.key(at), n, cols)
			case low >= 0:
				return fail("state %q has the %s %v in column %d, want above 0", step.key(at), l.name, (*l.at)[low], low)
			}
			length = n
		}
		if flaw := step.flaw(cols); flaw != "" {
			return fail("state %q has %s", step.key(at), flaw)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return fail("state %q is not one of this scaler's", name)
	}
	s.lists, s.cols = lists, cols
	return nil
}

// vector is a copy of v as a tensor.
func vector(v []float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(slices.Clone(v)))
}
