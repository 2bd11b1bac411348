package layers

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Check tests a map on rows x [n, d] that are typical for it, as the tests of this package do with its own maps. Run it
// on a kernel that you Register. These must hold:
//
//   - The defaults of its parameters are in their ranges, and the rows are in the domain of the kernel.
//   - The kernel is symmetric and finite, and |k(x, z)| is at most √(k(x, x) k(z, z)) unless the form is TwoSigns.
//   - Features are unbiased: over 64 seeds the mean inner product of two rows is the kernel, within five standard
//     errors and the bias that the map states. A map that draws nothing may differ by that bias only.
//   - The graph and Transform give the same features, to 1e-12 of the largest.
//   - Gradients for x and for each parameter agree with central differences, for every policy.
//   - NaN, and a cell below the domain, are errors of Transform (ErrDomain).
//   - The spec survives JSON, the same spec draws the same numbers, and Restore makes the same features of Params, in
//     both element types.
//
// Check looks at 12 rows at most and takes about a second. s may leave out parameters that come from the data. Its Dims
// are replaced by the columns of x, and Features of 0 by 64. The error joins all findings. Errors before the tests: a
// form that Register does not take (ErrParam), fewer than two rows (ErrShape).
func Check(s Spec, x *tensor.Dense) error {
	e, err := Lookup(s.Map)
	if err != nil {
		return err
	}
	if _, ok := e.Form.(interface{ ready() bool }); !ok {
		return fmt.Errorf("layers: Check: map %s is of the form %T; Check is for Drawn, TwoSigns, Homogeneous and "+
			"Exponentiated: %w", s.Map, e.Form, ErrParam)
	}
	if domain.IsNil(x) || x.Dims() != 2 || x.Shape()[0] < 2 {
		return fmt.Errorf("layers: Check: map %s: want at least two rows [n, d]: %w", s.Map, ErrShape)
	}
	if s.Dims = x.Shape()[1]; s.Features == 0 && e.HasFeatures() {
		s.Features = 64
	}
	if err := s.FillDefaults(x); err != nil {
		return err
	}
	if err := e.Check(s.Params); err != nil {
		return fmt.Errorf("layers: Check: the defaults of map %s: %w", s.Map, err)
	}
	k, err := s.Kernel()
	if err != nil {
		return err
	}
	rows, err := sample(x, 12, k.Domain())
	if err != nil {
		return fmt.Errorf("layers: Check: map %s: %w", s.Map, err)
	}
	s.Dtype, s.Tune, s.Name = "", "", ""
	c := &checker{spec: s, entry: e, kernel: k, rows: rows}
	if c.layer, err = s.Build(); err != nil {
		return err
	}
	for _, f := range []func() error{c.gram, c.unbiased, c.sameInGraph, c.gradients, c.refuses, c.returns} {
		if err := f(); err != nil {
			c.found = append(c.found, fmt.Errorf("layers: Check: map %s(%v): %w", s.Map, s.Params, err))
		}
	}
	return errors.Join(c.found...)
}

// checker is the state of a Check.
type checker struct {
	spec   Spec
	entry  *Entry
	kernel spectral.Kernel
	rows   [][]float64
	layer  Layer
	found  []error
}

// x returns the rows as a new tensor.
func (c *checker) x(dt tensor.Dtype) *tensor.Dense {
	return newTensor(dt, slices.Concat(c.rows...), len(c.rows), c.spec.Dims)
}

// features returns the features of a layer for the rows, in float64.
func (c *checker) features(l Layer) ([]float64, error) {
	z, err := l.Transform(nil, c.x(l.Dtype()))
	if err != nil {
		return nil, err
	}
	if want := (tensor.Shape{len(c.rows), l.Features()}); !z.Shape().Eq(want) {
		return nil, fmt.Errorf("Transform made %v of %d rows, want %v: %w", z.Shape(), len(c.rows), want, ErrShape)
	}
	return ops.Float64s(z), nil
}

// gram checks the kernel function by itself.
func (c *checker) gram() error {
	for i, a := range c.rows {
		for j, b := range c.rows {
			v, w := c.kernel.At(a, b), c.kernel.At(b, a)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("k of rows %d and %d is %v: %w", i, j, v, ErrDomain)
			}
			if math.Abs(v-w) > 1e-12*math.Max(math.Abs(v), math.Abs(w)) {
				return fmt.Errorf("k of rows %d and %d is %v one way and %v the other: %w", i, j, v, w, ErrParam)
			}
			if !c.entry.Signed() && v*v > (1+1e-9)*c.kernel.At(a, a)*c.kernel.At(b, b) {
				return fmt.Errorf("k of rows %d and %d is %v, above √k(x,x) √k(z,z): no positive definite kernel: %w",
					i, j, v, ErrParam)
			}
		}
	}
	return nil
}

// bias returns a bound of the error that the mean inner product of the features of two rows has.
func (c *checker) bias(x, z []float64) (float64, error) {
	sup := func(k spectral.Homogeneous, h *spectral.Harmonics) (off float64) {
		for j := range x {
			off += math.Pow(max(math.Abs(x[j]), math.Abs(z[j])), k.Degree())
		}
		return off * spectral.SupError(k, h)
	}
	switch l := c.layer.(type) {
	case *GORFLayer:
		p, err := c.spec.split(c.entry)
		if err != nil {
			return 0, err
		}
		return p.Error, nil
	case *HomogeneousLayer:
		return sup(l.kernel, l.harmonics), nil
	case *ExponentiatedLayer: // D² is off by four times as much at most
		if l.inner == nil {
			return 0, nil
		}
		return 2 * sup(l.kernel.Of, l.inner.harmonics) / l.kernel.Sigma / l.kernel.Sigma, nil
	}
	return 0, nil
}

// unbiased compares mean inner products of features with the kernel.
func (c *checker) unbiased() error {
	draws := 64
	if !c.entry.Sampled() {
		draws = 1
	}
	n := len(c.rows)
	sum, squares := make([]float64, n*n), make([]float64, n*n)
	for seed := range draws {
		s := c.spec
		s.Seed = uint64(seed)
		l, err := s.Build()
		if err != nil {
			return err
		}
		z, err := c.features(l)
		if err != nil {
			return err
		}
		signs, d := SignatureOf(l), l.Features()
		for i := range n {
			for j := range n {
				v := 0.0
				for k := range d {
					term := z[i*d+k] * z[j*d+k]
					if signs != nil {
						term *= signs[k]
					}
					v += term
				}
				sum[i*n+j] += v
				squares[i*n+j] += v * v
			}
		}
	}
	for i, a := range c.rows {
		for j, b := range c.rows[:i+1] {
			mean, k := sum[i*n+j]/float64(draws), c.kernel.At(a, b)
			variance := math.Max(0, squares[i*n+j]/float64(draws)-mean*mean)
			bias, err := c.bias(a, b)
			if err != nil {
				return err
			}
			allowed := 5*math.Sqrt(variance/float64(max(1, draws-1))) + bias + 1e-9*(math.Abs(k)+math.Abs(mean))
			if !(math.Abs(mean-k) <= allowed) {
				return fmt.Errorf("the mean z(x)·z(x') of rows %d and %d over %d draws is %v and the kernel is %v, "+
					"more than %.2g apart: "+
					"the frequencies are not of the kernel's spectral distribution: %w", i, j, draws, mean, k, allowed,
					ErrParam)
			}
		}
	}
	return nil
}

// run builds the cost Σ c∘z of the features in a graph, and returns the features and the gradients of the cost for the
// rows and for the parameters of the layer.
func (c *checker) run(l Layer, weights *tensor.Dense) (z []float64, grads map[string][]float64, err error) {
	g := G.NewGraph()
	x := G.NewMatrix(g, l.Dtype(), G.WithShape(len(c.rows), c.spec.Dims), G.WithName("x"), G.WithValue(c.x(l.Dtype())))
	w := G.NewMatrix(g, l.Dtype(), G.WithShape(weights.Shape()...), G.WithName("weights"), G.WithValue(weights))
	r := l.Fwd(x)
	if err := r.Err(); err != nil {
		return nil, nil, err
	}
	product, err := G.HadamardProd(r.Node(), w)
	if err != nil {
		return nil, nil, err
	}
	cost, err := G.Sum(product)
	if err != nil {
		return nil, nil, err
	}
	var out G.Value
	G.Read(r.Node(), &out)
	wrt := append(G.Nodes{x}, l.ModelIn(g)...)
	found, err := G.Grad(cost, wrt...)
	if err != nil {
		return nil, nil, err
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		return nil, nil, ops.Cause(err)
	}
	grads = map[string][]float64{}
	for i, n := range found {
		t, ok := n.Value().(*tensor.Dense)
		if !ok {
			return nil, nil, fmt.Errorf("the gradient for %s is a %T: %w", wrt[i].Name(), n.Value(), ErrShape)
		}
		grads[wrt[i].Name()] = slices.Clone(ops.Float64s(t))
	}
	return slices.Clone(ops.Float64s(out.(*tensor.Dense))), grads, nil
}

// sameInGraph compares the features of the graph with the features of Transform.
func (c *checker) sameInGraph() error {
	l, err := c.spec.build(nil, WithInputGrad())
	if err != nil {
		return err
	}
	want, err := c.features(l)
	if err != nil {
		return err
	}
	got, _, err := c.run(l, newTensor(tensor.Float64, repeat(1., len(want)), len(c.rows), l.Features()))
	if err != nil {
		return err
	}
	return sameNumbers("the features of Fwd and of Transform", got, want, 1e-12)
}

// sameNumbers returns an error unless two lists agree to a tolerance, relative to the largest number.
func sameNumbers(what string, got, want []float64, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d numbers and %d: %w", what, len(got), len(want), ErrShape)
	}
	largest := 0.0
	for _, v := range want {
		largest = math.Max(largest, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance*largest) {
			return fmt.Errorf("%s differ, number %d is %v and %v: %w", what, i, got[i], v, ErrParam)
		}
	}
	return nil
}

// gradients compares the gradients with central differences of two steps. The difference between the steps estimates
// their error.
func (c *checker) gradients() error {
	policies := []Policy{Frozen}
	t, err := c.spec.Traits()
	if err != nil {
		return err
	}
	if t.Tunable {
		policies = []Policy{Frozen, Bandwidth, BandwidthEach, All}
	}
	for _, p := range policies {
		s := c.spec
		s.Tune = p.String()
		l, err := s.build(nil, WithInputGrad())
		if err != nil {
			return err
		}
		weights := make([]float64, len(c.rows)*l.Features())
		for i := range weights {
			weights[i] = math.Sin(float64(3*i + 1)) // of no pattern that the features have
		}
		_, grads, err := c.run(l, newTensor(tensor.Float64, weights, len(c.rows), l.Features()))
		if err != nil {
			return fmt.Errorf("policy %v: %w", p, err)
		}
		cells := map[string][]float64{"x": slices.Concat(c.rows...)}
		for _, q := range l.Params() {
			if q.Tuned {
				cells[l.Name()+"_"+q.Name] = q.Value.Float64s()
			}
		}
		if len(cells) != len(grads) {
			return fmt.Errorf("policy %v: %d gradients for %d tensors: %w", p, len(grads), len(cells), ErrParam)
		}
		for name, at := range cells {
			if err := c.slopes(l, name, at, weights, grads[name]); err != nil {
				return fmt.Errorf("policy %v: %w", p, err)
			}
		}
	}
	return nil
}

// slopes compares the gradient for at most about 40 cells of x or of a parameter.
func (c *checker) slopes(l Layer, name string, at, weights, gradient []float64) error {
	x := c.x(tensor.Float64)
	if name == "x" {
		at = x.Float64s()
	}
	cost := func() (sum, size float64, err error) {
		if name != "x" { // what is kept of the parameters is made anew
			values := map[string]*tensor.Dense{}
			for _, p := range l.Params() {
				values[p.Name] = p.Value.Clone().(*tensor.Dense)
			}
			if err := l.SetParams(values); err != nil {
				return 0, 0, err
			}
		}
		z, err := l.Transform(nil, x)
		if err != nil {
			return 0, 0, err
		}
		for i, v := range z.Float64s() {
			sum += weights[i] * v
			size += math.Abs(weights[i] * v)
		}
		return sum, size, nil
	}
	for i := 0; i < len(at); i += 1 + len(at)/40 {
		v := at[i]
		if name == "x" && v == 0 { // where the derivative may be defined as 0
			continue
		}
		var slope [2]float64
		var noise float64
		var outside error
		for k, step := range []float64{1e-4 * math.Max(math.Abs(v), 1e-3), 5e-5 * math.Max(math.Abs(v), 1e-3)} {
			at[i] = v + step
			up, size, err := cost()
			at[i] = v - step
			down, _, other := cost()
			at[i] = v
			for _, err := range []error{err, other} {
				if err != nil && !errors.Is(err, ErrDomain) {
					return err
				}
				outside = errors.Join(outside, err)
			}
			slope[k], noise = (up-down)/(2*step), 1e-14*size/step
		}
		if outside != nil { // of the domain
			continue
		}
		best := slope[1] + (slope[1]-slope[0])/3
		allowed := 2*math.Abs(slope[1]-slope[0]) + noise + 1e-7*math.Abs(best)
		if !(math.Abs(gradient[i]-best) <= allowed) {
			return fmt.Errorf("the gradient for %s[%d] is %v and central differences give %v: %w", name, i, gradient[i],
				best, ErrParam)
		}
	}
	return nil
}

// refuses returns an error unless Transform refuses numbers outside the domain.
func (c *checker) refuses() error {
	bad := []float64{math.NaN()}
	if low, open, ok := c.kernel.Domain().Low(); ok {
		if bad = append(bad, low-1); open {
			bad = append(bad, low)
		}
	}
	for _, v := range bad {
		x := c.x(tensor.Float64)
		x.Float64s()[0] = v
		if _, err := c.layer.Transform(nil, x); !errors.Is(err, ErrDomain) {
			return fmt.Errorf("Transform of a row with the cell %v is %v, want an error that wraps ErrDomain: %w", v,
				err, ErrDomain)
		}
	}
	return nil
}

// returns checks that a spec and its parameters survive a round trip.
func (c *checker) returns() error {
	text, err := json.Marshal(c.spec)
	if err != nil {
		return err
	}
	var read Spec
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if again, err := json.Marshal(read); err != nil || !reflect.DeepEqual(text, again) {
		return fmt.Errorf("the spec is %s, and after a round trip %s, %v: %w", text, again, err, ErrParam)
	}
	for _, dtype := range []string{tensor.Float64.String(), tensor.Float32.String()} {
		read.Dtype = dtype
		l, err := read.Build()
		if err != nil {
			return err
		}
		want, err := c.features(l)
		if err != nil {
			return err
		}
		twin, err := read.Build()
		if err != nil {
			return err
		}
		same, err := c.features(twin)
		if err == nil {
			err = sameNumbers("the features of two builds of one spec", same, want, 0)
		}
		if err != nil {
			return err
		}
		params := map[string]*tensor.Dense{}
		for _, p := range l.Params() {
			params[p.Name] = p.Value
		}
		restored, err := read.Restore(params)
		if err != nil {
			return err
		}
		if same, err = c.features(restored); err == nil {
			err = sameNumbers("the features of a layer and of its Restore", same, want, 0)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dtype, err)
		}
	}
	return nil
}
