// Package maptest tests the contract of a feature map, as package testing/fstest tests that of a file system. Run it in
// a test of a kernel of your own that you Register:
//
//	func TestMine(t *testing.T) {
//		maptest.Run(t, maptest.Map{Spec: layers.Spec{Map: "mine"}})
//	}
//
// The tests of this module run it over every map of the table, and over sets of samples and trees.
package maptest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Map is a map and what its tests have to be told. Only Spec.Map is needed.
type Map struct {
	// Spec is the map with parameters to test with; those that come from the data may be missing. Dims and Features
	// are replaced by several numbers, but for a map of sets and a tree, whose Dims and Features of 0 become 3 and 10.
	Spec layers.Spec
	// Rows returns n rows [n, d] of float64 that are typical of the kernel, of a seed. If it is nil, they are those of
	// the function Rows.
	Rows func(n, d int, seed uint64) *tensor.Dense
	// Kernel is the kernel of two rows and SetKernel that of two sets of samples, by a plain formula, to compare the
	// kernel of Spec with. If they are nil, that is compared with nothing, and the kernel of a tree is not tested.
	Kernel    func(x, z []float64) float64
	SetKernel func(x, z [][]float64) float64
	// Mean returns the mean of the inner product of the features of rows i and j over draws, and a bound of its error.
	// If it is nil, the mean is the kernel, and the error is what the layer states.
	Mean func(l layers.Layer, x ops.Matrix, i, j int) (mean, bias float64)
	// Outside are numbers outside the domain besides NaN and the infinities, and Remedy is a part of their error.
	Outside []float64
	Remedy  string
}

// Run tests m by subtests:
//
//   - kernel: it is symmetric and finite, |k(x, z)| is at most √(k(x, x) k(z, z)) unless the map has two signs, and it
//     is Map.Kernel.
//   - unbiased: the mean inner product of the features of two rows over draws is the kernel, within four standard
//     errors and the stated bias. Not of a map that is fitted on rows.
//   - gradient: for rows and parameters, under every policy and on both machines, it agrees with differences, where the
//     layer is used on one node twice and on another.
//   - domain: a cell outside the domain is an error that names layer, cell, value and remedy, in a graph and without.
//   - dtype: float32 is float64 within its rounding, and rows of another element type are errors.
//   - extremes: no rows, one row or column, and tiny and huge numbers.
//   - sparse: sparse rows have the features, gradients and errors of the same rows made dense.
//   - views: slices and transposes give what their copies give.
//   - params: the spec survives JSON; spec and parameters build the same map, to the bit, and so does what SpecOf
//     returns; bad parameters are errors; a summary counts them.
//   - nodes: two maps in one graph do not merge, and a taken name is an error.
//   - memory: Transform writes to the caller's memory, gives the same bits in many goroutines, and allocates no more
//     for more rows.
//   - defaults: parameters from data are in their ranges, the same for dense and sparse rows and for views.
func Run(t *testing.T, m Map) {
	t.Helper()
	var c *contract
	if catch(t, func() { c = newContract(t, m) }); c == nil {
		return
	}
	for _, test := range []struct {
		name    string
		of      func(t *testing.T, c *contract)
		applies bool
	}{
		{"kernel", kernel, c.kernel != nil},
		{"unbiased", unbiased, c.kernel != nil && (c.Mean != nil || !c.traits.Fitted && !c.traits.Bags)},
		{"gradient", gradients, true},
		{"domain", outside, true},
		{"dtype", precision, true},
		{"extremes", extremes, true},
		{"sparse", sparse, !c.traits.Bags}, // sets of samples are dense
		{"views", views, true},
		{"params", params, true},
		{"nodes", nodes, true},
		{"memory", memory, true},
		{"defaults", defaults, !c.traits.Bags && !c.tree},
	} {
		if test.applies {
			sub(t, test.name, func(t *testing.T) { test.of(t, c) })
		}
	}
}

// failure is an error of what must succeed.
type failure struct{ error }

// must returns v. An error ends the subtest of sub.
func must[T any](v T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return v
}

// catch runs a part of a test, which ends with an error that must finds.
func catch(t *testing.T, test func()) {
	t.Helper()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			t.Error(r.error)
		default:
			panic(r)
		}
	}()
	test()
}

// sub runs a subtest, and says whether it passed.
func sub(t *testing.T, name string, test func(t *testing.T)) bool {
	t.Helper()
	return t.Run(name, func(t *testing.T) { catch(t, func() { test(t) }) })
}

// contract is a Map with what follows from its Spec.
type contract struct {
	Map
	traits   layers.Traits
	kernel   spectral.Kernel // nil for a tree without Map.Kernel
	domain   spectral.Domain
	tree     bool
	policies []layers.Policy
}

func newContract(t *testing.T, m Map) *contract {
	c := &contract{Map: m, tree: len(m.Spec.Parts) > 0}
	e := must(layers.Lookup(m.Spec.Map))
	if c.Spec.Dims == 0 {
		c.Spec.Dims = 3
	}
	if c.Spec.Features == 0 && e.HasFeatures() && !c.tree {
		c.Spec.Features = 10
	}
	c.traits = must(c.Spec.Traits())
	if unit, err := c.Spec.UnitRows(); err == nil && unit {
		c.domain = domain.UnitSphere(0)
	} else if low, err := c.Spec.BoundedBelow(); err == nil && low {
		c.domain = domain.NonNegative()
	}
	if !c.tree {
		// Typical rows need the kernel, and the kernel parameters that may come from the rows.
		var err error
		if c.kernel, err = c.Spec.Kernel(); err != nil {
			must(c, c.Spec.FillDefaults(c.input(tensor.Float64, 29, c.Spec.Dims, 97)))
			c.kernel = must(c.Spec.Kernel())
		}
		c.domain = c.kernel.Domain()
		must(c, e.Check(c.Spec.Params))
	}
	if c.tree && m.Kernel != nil {
		c.kernel = must(c.Spec.Kernel())
	}
	for _, p := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.BandwidthEach, layers.All} {
		if _, err := c.fit(c.spec(c.dims(3), 10, 1, tuned(p))); err == nil {
			c.policies = append(c.policies, p)
		} else if p == layers.Frozen || !errors.Is(err, layers.ErrParam) {
			t.Fatal(err)
		}
	}
	return c
}

// dims returns d, or for structured frequencies, which have at least 16 columns, 15 + d.
func (c *contract) dims(d int) int {
	switch {
	case c.tree || c.traits.Bags:
		return c.Spec.Dims
	case c.Spec.Sampler == spectral.Structured{}.String():
		return 15 + d
	}
	return d
}

// several returns dims of several numbers of columns, of which a map of sets and a tree have one alone.
func (c *contract) several(ds ...int) (all []int) {
	for _, d := range ds {
		all = append(all, c.dims(d))
	}
	return slices.Compact(all)
}

type edit func(*layers.Spec)

func tuned(p layers.Policy) edit { return func(s *layers.Spec) { s.Tune = p.String() } }
func named(name string) edit     { return func(s *layers.Spec) { s.Name = name } }
func as(dt tensor.Dtype) edit    { return func(s *layers.Spec) { s.Dtype = dt.String() } }

// spec returns the spec for d columns and about so many features, which should be even.
func (c *contract) spec(d, features int, seed uint64, edits ...edit) layers.Spec {
	s := seeded(c.Spec, seed)
	if s.Dims = d; !c.tree {
		s.Features = 0
		if c.traits.HasFeatures() {
			s.Features = features
		}
	}
	if c.traits.Signed { // four columns a frequency
		s.Features *= 2
	}
	for _, e := range edits {
		e(&s)
	}
	return s
}

// seeded returns the spec with another seed, of its parts too.
func seeded(s layers.Spec, seed uint64) layers.Spec {
	s.Seed, s.Parts = seed, slices.Clone(s.Parts)
	for i, part := range s.Parts {
		s.Parts[i] = seeded(part, seed+uint64(i)*0x9e3779b97f4a7c15)
	}
	return s
}

// fit builds a spec, on rows where it is fitted.
func (c *contract) fit(s layers.Spec) (layers.Layer, error) {
	return s.Fit(c.input(tensor.Float64, max(1, s.Features)+29, s.Dims, 97))
}

func (c *contract) build(d, features int, seed uint64, edits ...edit) layers.Layer {
	return must(c.fit(c.spec(d, features, seed, edits...)))
}

var dtypes = []tensor.Dtype{tensor.Float64, tensor.Float32}

// each runs a test for every policy and element type, on d columns (see dims) and with about the given number of
// features. It stops at the first failure, because the other cases usually fail for the same cause.
func (c *contract) each(t *testing.T, d, features int, of []tensor.Dtype,
	test func(t *testing.T, l layers.Layer, p layers.Policy)) {
	t.Helper()
	for _, dt := range of {
		for _, p := range c.policies {
			passed := sub(t, fmt.Sprint(p, " ", dt), func(t *testing.T) {
				test(t, c.build(c.dims(d), features, 1, tuned(p), named("map"), as(dt)), p)
			})
			if !passed {
				return
			}
		}
	}
}

// rows returns typical rows.
func (c *contract) rows(n, d int, seed uint64) *tensor.Dense {
	if c.Rows != nil {
		return c.Rows(n, d, seed)
	}
	return Rows(c.domain, n, d, seed)
}

// Rows returns n rows [n, d] of float64 in a domain, of a seed: numbers in [-1, 1), or [0, 1) where no number may be
// negative, one in five of them 0, and of unit length where they must be.
func Rows(on spectral.Domain, n, d int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	signed := on.Contains(-1)
	cells := make([]float64, n*d)
	for i := range cells {
		if cells[i] = rng.Float64(); signed && rng.Uint64()&1 == 0 {
			cells[i] = -cells[i]
		}
		if rng.Float64() < .2 {
			cells[i] = 0
		}
	}
	return Inside(on, matrix(tensor.Float64, n, d, cells...))
}

// Inside brings rows of float64 to unit length where a domain wants that, in place, and returns them. A row of zeros
// becomes an axis.
func Inside(on spectral.Domain, x *tensor.Dense) *tensor.Dense {
	if !unitRows(on) {
		return x
	}
	i := 0
	for row := range slices.Chunk(x.Float64s(), max(1, x.Shape()[1])) {
		length := 0.0
		for _, v := range row {
			length = math.Hypot(length, v)
		}
		if length == 0 {
			row[i%len(row)], length = 1, 1
		}
		for j := range row {
			row[j] /= length
		}
		i++
	}
	return x
}

// unitRows says whether a domain is the unit sphere.
func unitRows(on spectral.Domain) bool {
	low, _, cells := on.Low()
	return !cells && math.IsInf(low, -1)
}

// input returns typical rows or, for a map of sets, sets of 1 to 4 samples near each other.
func (c *contract) input(dt tensor.Dtype, n, d int, seed uint64) ops.Matrix {
	if !c.traits.Bags {
		return in(dt, c.rows(n, max(1, d), seed))
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	offsets, cells := []int{0}, []float64(nil)
	for i := range n {
		centre := .2 + .6*rng.Float64()
		for range (1 + i%4) * d {
			cells = append(cells, min(1, max(0, centre+.1*rng.NormFloat64())))
		}
		offsets = append(offsets, len(cells)/d)
	}
	return must(ops.NewBags(matrix(dt, len(cells)/d, d, cells...), offsets))
}

// samples returns the tensor of rows, or of the samples of sets.
func samples(x ops.Matrix) *tensor.Dense {
	if b, ok := x.(*ops.Bags); ok {
		return b.Samples()
	}
	return x.(*tensor.Dense)
}

// in returns a copy of x in an element type.
func in(dt tensor.Dtype, x *tensor.Dense) *tensor.Dense {
	y := tensor.New(tensor.WithShape(x.Shape()...), tensor.Of(dt))
	for i, v := range floats(x) {
		set(y, i, v)
	}
	return y
}

// matrix returns a tensor of numbers, which are repeated.
func matrix(dt tensor.Dtype, n, d int, cells ...float64) *tensor.Dense {
	x := tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
	for i := range n * d {
		set(x, i, cells[i%len(cells)])
	}
	return x
}

// set writes cell i of a contiguous tensor.
func set(x *tensor.Dense, i int, v float64) {
	if x.Dtype() == tensor.Float32 {
		x.Float32s()[i] = float32(v)
	} else {
		x.Float64s()[i] = v
	}
}

// floats returns the cells of a contiguous tensor as float64, in its memory if it is of that type.
func floats(x *tensor.Dense) []float64 { return ops.Float64s(x) }

// transform returns the features of rows, which must be there.
func transform(l layers.Layer, x ops.Matrix) []float64 {
	return floats(must(layers.Transform(l, nil, x)))
}

// row is row i of n rows.
func row(z []float64, n, i int) []float64 { return z[i*len(z)/n : (i+1)*len(z)/n] }

// product returns the inner product of two rows of features, with the signs of the layer.
func product(l layers.Layer, x, z []float64) (sum float64) {
	signs := layers.SignatureOf(l)
	for i, v := range x {
		if v *= z[i]; signs != nil {
			v *= signs[i]
		}
		sum += v
	}
	return sum
}

// furthest returns the largest difference of two lists, +Inf for other lengths and for NaN.
func furthest(a, b []float64) (far float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		if d := math.Abs(a[i] - b[i]); !(d <= far) && a[i] != b[i] {
			if far = d; d != d {
				return math.Inf(1)
			}
		}
	}
	return far
}

// same checks that numbers are those that are wanted, within a tolerance.
func same(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if far := furthest(got, want); !(far <= tol) {
		t.Errorf("%s: the numbers differ by %v, want at most %.2g", what, far, tol)
	}
}

// wantErr checks that err wraps target and says what it should.
func wantErr(t *testing.T, err, target error, says ...string) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error %v does not wrap %q", err, target)
		return
	}
	wantSays(t, err, says...)
}

func wantSays(t *testing.T, err error, says ...string) {
	t.Helper()
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error %q does not say %q", err, s)
		}
	}
}

// node returns a node that holds rows, or the samples of sets.
func node(g *G.ExprGraph, name string, x G.Value) *G.Node {
	return G.NewMatrix(g, x.Dtype(), G.WithShape(x.Shape()...), G.WithName(name), G.WithValue(x))
}

// forward applies a layer to a node that holds x, and fwd to a new node.
func forward(l layers.Layer, n *G.Node, x ops.Matrix) (*G.Node, error) {
	if b, ok := x.(*ops.Bags); ok {
		r := l.(interface {
			FwdBags(x G.Input, offsets []int) G.Result
		}).FwdBags(n, b.Offsets())
		return r.Node(), r.Err()
	}
	r := l.Fwd(n)
	return r.Node(), r.Err()
}

// run runs a graph on a machine. A LispMachine makes the gradients itself, and on a TapeMachine they are there if wrt
// is given.
func run(cost *G.Node, lisp bool, wrt ...*G.Node) error {
	var m G.VM
	switch {
	case lisp && len(wrt) == 0:
		m = G.NewLispMachine(cost.Graph(), G.ExecuteFwdOnly())
	case lisp:
		m = G.NewLispMachine(cost.Graph())
	case len(wrt) == 0:
		m = G.NewTapeMachine(cost.Graph())
	default:
		if _, err := G.Grad(cost, wrt...); err != nil {
			return err
		}
		m = G.NewTapeMachine(cost.Graph(), G.BindDualValues(wrt...))
	}
	defer m.Close()
	return m.RunAll()
}

func fwd(l layers.Layer, x ops.Matrix) *G.Node {
	return must(forward(l, node(G.NewGraph(), "x", samples(x)), x))
}

// result runs the graph of a node and returns its value.
func result(z *G.Node) []float64 {
	var out G.Value
	G.Read(z, &out)
	must(z, run(z, false))
	return slices.Clone(floats(out.(*tensor.Dense)))
}

// at is cell [i, j] as an error names it.
func at(i, j int, v any) string { return fmt.Sprintf("x[%d,%d] = %v", i, j, v) }
