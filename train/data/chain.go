package data

import (
	"fmt"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Chain applies scalers one after the other; ParseScalers makes it. Each scaler is fitted to the training rows as the
// scalers before it return them. A row goes through all scalers in float64, so float32 data are rounded once, at the
// end. A chain must be fitted even if none of its scalers learns anything, since it keeps the number of columns. Do not
// copy it while it is being fitted.
//
// Its state has the states of its scalers, with names such as "0.minmax.min" (position, scaler, name), and "cols", the
// number of columns.
type Chain struct {
	steps []step
	cols  int // 0 before Fit
}

var _ Scaler = (*Chain)(nil)

// Name returns the list that ParseScalers reads.
func (c *Chain) Name() string {
	names := make([]string, len(c.steps))
	for i, s := range c.steps {
		names[i] = s.Name()
	}
	return strings.Join(names, ",")
}

// Clipped returns a new chain that is not fitted, with cube in place of minmax and auto.
func (c *Chain) Clipped() *Chain {
	out := new(Chain)
	for _, s := range c.steps {
		name := s.Name()
		if name == "minmax" || name == "auto" {
			name = "cube"
		}
		out.steps = append(out.steps, newStep(name))
	}
	return out
}

// Fit fits each scaler to x as the scalers before it return it; x stays as it is.
func (c *Chain) Fit(x ops.Matrix) error {
	cols, err := fit(c, x, c.steps...)
	if err == nil {
		c.cols = cols
	}
	return err
}

// Apply returns the scaled rows; x stays as it is.
func (c *Chain) Apply(x ops.Matrix) (ops.Matrix, error) { return applied(c, x) }

// ApplyInPlace scales x itself.
func (c *Chain) ApplyInPlace(x ops.Matrix) error { return apply(c, x, c.cols, c.steps...) }

// State returns what the scalers learned; it is empty before Fit.
func (c *Chain) State() map[string]*tensor.Dense {
	state := make(map[string]*tensor.Dense)
	if c.cols == 0 {
		return state
	}
	state["cols"] = vector([]float64{float64(c.cols)})
	for i, s := range c.steps {
		for name, t := range s.State() {
			state[c.prefix(i)+name] = t
		}
	}
	return state
}

// prefix precedes the names in the state of scaler i.
func (c *Chain) prefix(i int) string { return fmt.Sprintf("%d.%s.", i, c.steps[i].Name()) }

// SetState sets the state of a chain with the same name.
func (c *Chain) SetState(state map[string]*tensor.Dense) error {
	parts := make([]map[string]*tensor.Dense, len(c.steps))
	own := make(map[string]*tensor.Dense)
	for name, t := range state {
		i := slices.IndexFunc(c.indices(), func(i int) bool { return strings.HasPrefix(name, c.prefix(i)) })
		if i < 0 {
			own[name] = t
			continue
		}
		if parts[i] == nil {
			parts[i] = make(map[string]*tensor.Dense)
		}
		parts[i][strings.TrimPrefix(name, c.prefix(i))] = t
	}
	v, err := vectors(c, own, "cols")
	if err != nil {
		return err
	}
	cols := int(v[0][0])
	if len(v[0]) != 1 || float64(cols) != v[0][0] || cols < 1 {
		return fmt.Errorf("%s: state \"cols\" is %v, want one whole number above 0: %w", who(c), v[0], domain.ErrParam)
	}
	steps := make([]step, len(c.steps)) // so that an error changes nothing
	for i, s := range c.steps {
		steps[i] = newStep(s.Name())
		if err := steps[i].SetState(parts[i]); err != nil {
			return fmt.Errorf("%s, place %d: %w", who(c), i, err)
		}
		if d := steps[i].fitted(); d != anyWidth && d != cols {
			return fmt.Errorf("%s: the state of scaler %d has %d columns and \"cols\" is %d: %w", who(c), i, d, cols, domain.ErrParam)
		}
	}
	c.steps, c.cols = steps, cols
	return nil
}

func (c *Chain) indices() []int {
	idx := make([]int, len(c.steps))
	for i := range idx {
		idx[i] = i
	}
	return idx
}
