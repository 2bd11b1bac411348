package layers

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The errors of this package wrap one of these.
var (
	ErrDomain = ops.ErrDomain
	ErrShape  = ops.ErrShape
	ErrDtype  = ops.ErrDtype
	ErrParam  = ops.ErrParam
	// ErrName marks a node name that the graph already uses for something else.
	ErrName = errors.New("name already in use")
)

// Map is a feature map without a graph, as closed-form fits and reports need it. It maps x [n, Dims] to z [n,
// Features].
type Map interface {
	// Transform writes the output for the rows of x to dst [n, Features], allocated if nil, without a graph. dst must
	// not overlap x. Transform is safe for concurrent use unless a solver changes the parameters at the same time.
	// Errors: another shape of x or dst (ErrShape), another element type (ErrDtype), a cell outside the domain
	// (ErrDomain).
	Transform(dst, x *tensor.Dense) (*tensor.Dense, error)
	// Dims is the number of input columns.
	Dims() int
	// Features is the number of output columns.
	Features() int
}

// Layer is a feature map, a head, or a composition of layers. It maps x [n, Dims] to z [n, Features].
//
// Graphs that share a layer may run concurrently, each on its own machine. Build graphs, gradients and machines one at
// a time, because Gorgonia writes to global variables and to the shared tensors while it builds.
type Layer interface {
	Map
	// Fwd adds the layer to the graph of x and returns its output. A graph has one set of learnable nodes for the
	// layer, which every Fwd in that graph shares. Result.Err returns the error.
	Fwd(x G.Input) G.Result
	// Model returns the learnable nodes of the latest Fwd, for G.Grad and a solver. It is empty for a frozen layer, and
	// G.Grad without nodes is an error: a graph of frozen layers alone has nothing to learn.
	Model() G.Nodes
	// ModelIn returns the learnable nodes of a given graph.
	ModelIn(g *G.ExprGraph) G.Nodes
	// Params returns the parameters, learnable or not, which a model file holds. The tensors are the layer's own.
	Params() []Param
	// SetParams copies values, by name, into the parameters. There must be a value for every parameter, with its shape
	// and element type.
	SetParams(map[string]*tensor.Dense) error
	// Name returns the name of the layer, unique in a graph.
	Name() string
	// Dtype is the element type of input, parameters and output.
	Dtype() tensor.Dtype
	// Describe does nothing. golgi's Layer interface has it, without arguments and results. String describes the layer.
	Describe()
	fmt.Stringer
}

// Param is a parameter of a layer.
type Param struct {
	Name  string // unique within the layer; the node is called <layer>_<Name>
	Value *tensor.Dense
	Tuned bool // whether a solver changes it
}

// LocalName returns the name within the layer that p belongs to: "W" for "inner.W", a parameter of the map of samples
// in a mean map.
func (p Param) LocalName() string { return p.Name[strings.LastIndexByte(p.Name, '.')+1:] }

// Logarithmic reports whether p is the logarithm of a scale ("log_...") or its inverse softplus ("raw_c"), so that a
// step changes the scale by a factor.
func (p Param) Logarithmic() bool {
	name := p.LocalName()
	return strings.HasPrefix(name, "log_") || name == "raw_c"
}

// tunedAs are what a parameter above 0 may be tuned as: the prefixes of names, and what takes values back.
var tunedAs = []struct {
	prefix string
	node   func(*G.Node) (*G.Node, error)
	number func(float64) float64
}{{"log_", G.Exp, math.Exp}, {"raw_", G.Softplus, softplus}}

// Natural returns what p is the logarithm ("log_...") or the inverse softplus ("raw_...") of, under its name and in the
// element type of p, and any other parameter as it is.
func (p Param) Natural() Param {
	local := p.LocalName()
	for _, by := range tunedAs {
		if name, ok := strings.CutPrefix(local, by.prefix); ok {
			p.Name, p.Value = strings.TrimSuffix(p.Name, local)+name, mapTensor(p.Value, by.number)
			break
		}
	}
	return p
}

// Scales returns a typical size for each value of the parameter, row-major, to measure changes by:
//
//   - 1 for logarithms ("log_...") and for phases and biases ("b"), which have no unit;
//   - c/(1 - exp(-c)) for the inverse softplus of c ("raw_c"), to first order the change that doubles c;
//   - for any other parameter the root mean square of the values, or 1.4826 times the median of their absolute values
//     if that is smaller and not 0. The two agree for normal values, and the tails of a Cauchy distribution do not move
//     the second. In a matrix this is over the row, because row j of the frequencies W [d, m] has the unit of one over
//     column j of x. It is 1 if all values are 0.
func (p Param) Scales() []float64 {
	if p.Value == nil {
		return nil
	}
	out := slices.Clone(ops.Float64s(p.Value))
	name, row := p.LocalName(), len(out)
	if p.Value.Dims() == 2 {
		row = p.Value.Shape()[1]
	}
	for part := range slices.Chunk(out, max(1, row)) {
		size := sizeOf(part)
		for i, v := range part {
			switch {
			case name == "raw_c":
				c := softplus(v)
				part[i] = c / -math.Expm1(-c)
			case name == "b" || p.Logarithmic() || size == 0:
				part[i] = 1
			default:
				part[i] = size
			}
		}
	}
	return out
}

// sizeOf returns the root mean square of values, or what their median says if tails are heavy.
func sizeOf(values []float64) float64 {
	rms, sizes := floats.Norm(values, 2)/math.Sqrt(float64(len(values))), make([]float64, len(values))
	for i, v := range values {
		sizes[i] = math.Abs(v)
	}
	slices.Sort(sizes)
	if m := 1.4826 * sizes[len(sizes)/2]; m > 0 {
		return min(m, rms)
	}
	return rms
}

// base is the common part of layers with parameters: a name, an element type, and parameters that are attached to
// graphs.
type base struct {
	kind     string // the type's name
	prefix   string // of messages about the layer
	name     string
	dims     int
	columns  string // what they hold, for errors; may be empty
	between  int    // the columns of a map that the features are made of; 0: there is none
	features int
	params   []Param
	changed  func() // called after SetParams
	what     string // see about
	of       form   // of the Spec that SpecOf returns; nil: there is none
	origin   *draw
	watch    *watch // made by newBase

	options // that it was made with

	mu   sync.Mutex
	last *G.ExprGraph // the graph of the latest Fwd
}

// newBase checks the options and sizes that all layers have, and the kernels of a layer, and names it.
func newBase(kind string, dims, features int, o options, kernels ...spectral.Kernel) (*base, error) {
	b := &base{kind: kind, name: o.name, dims: dims, features: features, options: o}
	b.sample = nil // which is no longer needed then
	if b.name == "" {
		b.name = autoName(kind)
	}
	b.watch = &watch{of: b}
	b.prefix = fmt.Sprintf("layers: %s %q", kind, b.name)
	if o.dt != tensor.Float32 && o.dt != tensor.Float64 {
		return nil, fmt.Errorf("%s: element type %v, want float32 or float64: %w", b.who(), o.dt, ErrDtype)
	}
	if dims < 1 {
		return nil, fmt.Errorf("%s: %d input dimensions, want at least 1: %w", b.who(), dims, ErrParam)
	}
	if features < 1 {
		return nil, fmt.Errorf("%s: %d features, want at least 1: %w", b.who(), features, ErrParam)
	}
	size := int(o.dt.Size())
	if err := cmp.Or(domain.CheckSize(b.who()+": rows", size, dims),
		domain.CheckSize(b.who()+": rows of features", size, features)); err != nil {
		return nil, err
	}
	for _, k := range kernels {
		if err := checkKernel(b.who(), k); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// begin checks the options, the sizes and the kernels of a layer that its constructor New+kind makes.
func begin(kind string, dims, features int, opts []Option, applicable []string, kernels ...spectral.Kernel) (
	*base, options, error) {
	o, err := newOptions("New"+kind, opts, applicable)
	if err != nil {
		return nil, o, err
	}
	b, err := newBase(kind, dims, features, o, kernels...)
	return b, o, err
}

// scales returns how many scales the policy tunes: one, or one for each input column.
func (b *base) scales() int {
	if b.policy == BandwidthEach {
		return b.dims
	}
	return 1
}

// checkFloat32 returns an error for a number that was drawn and that the element type cannot hold. what names number i.
func (b *base) checkFloat32(drawn []float64, what func(i int) string) error {
	for i, v := range drawn {
		if b.dt == tensor.Float32 && math.Abs(v) > math.MaxFloat32 {
			return fmt.Errorf("%s: %s = %v, which float32 cannot hold; use float64, or scale the data and the "+
				"parameters: %w", b.who(), what(i), v, ErrParam)
		}
	}
	return nil
}

// text describes a layer.
func (b *base) text(what string) string {
	widths := fmt.Sprint(b.dims)
	if b.between > 0 {
		widths += fmt.Sprintf(" -> %d", b.between)
	}
	return fmt.Sprintf("%s %q: %s -> %d, %s", b.kind, b.name, widths, b.features, what)
}

// drawnText is text of a layer that draws frequencies.
func (b *base) drawnText(what string) string {
	return b.text(fmt.Sprintf("%s, sampler %v, seed %d, %v, %v", what, b.sampler, b.seed, b.dt, b.policy.word()))
}

// add adds a parameter, a vector where no shape is given.
func (b *base) add(name string, tuned bool, v []float64, shape ...int) {
	if shape == nil {
		shape = []int{len(v)}
	}
	b.params = append(b.params, Param{name, newTensor(b.dt, v, shape...), tuned})
}

// addPositive adds a parameter that is above 0, by its logarithm if it is tuned; flow.positive returns it.
func (b *base) addPositive(name string, tuned bool, v []float64, shape ...int) {
	if tuned {
		name = "log_" + name
		for i, x := range v {
			v[i] = math.Log(x)
		}
	}
	b.add(name, tuned, v, shape...)
}

// checkSize returns an error for a parameter too large for memory. Parameters are made in float64.
func (b *base) checkSize(shape ...int) error { return domain.CheckSize(b.who(), 8, shape...) }

// newTensor makes a tensor of the layer's element type from numbers in float64, rounded once.
func newTensor(dt tensor.Dtype, v []float64, shape ...int) *tensor.Dense {
	if dt == tensor.Float64 {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	f := make([]float32, len(v))
	for i, x := range v {
		f[i] = float32(x)
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(f))
}

// about describes the map that the layer makes, for the text of a layer that it is a step of.
func (b *base) about() string { return b.what }

// checkColumns returns an error unless x is a matrix of so many columns.
func checkColumns(who string, x ops.Matrix, cols int) error {
	if domain.IsNil(x) {
		return fmt.Errorf("%s: x is nil, want [n, %d]: %w", who, cols, ErrShape)
	}
	if x.Dims() != 2 || x.Shape()[1] != cols {
		return fmt.Errorf("%s: x has shape %v, want [n, %d]: %w", who, x.Shape(), cols, ErrShape)
	}
	return nil
}

// fits returns an error unless x has the layer's width and element type.
func (b *base) fits(x ops.Matrix) error {
	if err := checkColumns(b.who(), x, b.dims); err != nil {
		if b.columns != "" {
			err = fmt.Errorf("%w; x holds %s", err, b.columns)
		}
		return err
	}
	if x.Dtype() != b.dt {
		return fmt.Errorf("%s: x is %v, the layer is %v; build it with WithDtype(tensor.%v): %w", b.who(), x.Dtype(),
			b.dt, dtypeName(x.Dtype()), ErrDtype)
	}
	return nil
}

// noBags returns the error for nil bags.
func noBags(who string) error { return fmt.Errorf("%s: the bags are nil: %w", who, ErrShape) }

// checkKernel returns an error for a kernel that is nil or has parameters out of range.
func checkKernel(who string, k spectral.Kernel) error {
	if domain.IsNil(k) {
		return fmt.Errorf("%s: no kernel: %w", who, ErrParam)
	}
	if v, ok := k.(spectral.Validator); ok {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("%s: %w", who, err)
		}
	}
	return nil
}

// Name returns the name given by WithName, or a made-up one. The names of the parameters' nodes begin with it.
func (b *base) Name() string { return b.name }

// Dims is the number of input columns.
func (b *base) Dims() int { return b.dims }

// Features is the number of output columns.
func (b *base) Features() int { return b.features }

// Dtype is the element type of input, parameters and output.
func (b *base) Dtype() tensor.Dtype { return b.dt }

// Describe does nothing. golgi's Layer has it; String describes the layer.
func (b *base) Describe() {}

// Params returns the parameters, learnable or not. The tensors are the layer's own.
func (b *base) Params() []Param {
	if b.watch != nil {
		b.watch.handOut()
	}
	return b.peek()
}

// peek is Params for a caller that only reads.
func (b *base) peek() []Param { return append([]Param(nil), b.params...) }

// who returns the start of a message about this layer.
func (b *base) who() string { return b.prefix }

// lift is the Fwd of a map whose output node fwd makes from the node of x.
func (b *base) lift(x G.Input, fwd func(x *G.Node) (*G.Node, error)) G.Result {
	n, err := b.input(x)
	if err != nil {
		return G.Err(err)
	}
	return G.LiftResult(fwd(n))
}

// input begins every Fwd: it returns the node of x, and an error unless it has the layer's width and element type.
func (b *base) input(x G.Input) (*G.Node, error) {
	if domain.IsNil(x) {
		return nil, fmt.Errorf("%s: the input is nil, want a node of shape [n, %d]: %w", b.who(), b.dims, ErrShape)
	}
	if err := G.CheckOne(x); err != nil {
		return nil, err
	}
	n := x.Node()
	if n == nil {
		return nil, fmt.Errorf("%s: the input is no node: %w", b.who(), ErrShape)
	}
	if err := b.fits(n); err != nil {
		return nil, err
	}
	b.use()
	b.mu.Lock()
	b.last = n.Graph()
	b.mu.Unlock()
	return n, nil
}

func dtypeName(dt tensor.Dtype) string {
	if dt == tensor.Float32 {
		return "Float32"
	}
	return "Float64"
}

// node returns the node of parameter p in graph g, and adds it if the graph has none. A node of that name with another
// value belongs to something else. It is an error, because Gorgonia would merge the two silently.
func (b *base) node(g *G.ExprGraph, p Param) (*G.Node, error) {
	name := b.name + "_" + p.Name
	if ns := g.ByName(name); len(ns) > 0 {
		if ns[0].Value() == G.Value(p.Value) {
			return ns[0], nil
		}
		return nil, fmt.Errorf("%s: the graph already has a node %q that is not this layer's; give one of the two "+
			"another name, here by WithName: %w",
			b.who(), name, ErrName)
	}
	return G.NewTensor(g, b.dt, p.Value.Dims(), G.WithShape(p.Value.Shape()...), G.WithName(name),
		G.WithValue(p.Value)), nil
}

// Model returns the learnable nodes of the latest Fwd.
func (b *base) Model() G.Nodes {
	b.mu.Lock()
	g := b.last
	b.mu.Unlock()
	return b.ModelIn(g)
}

// ModelIn returns the learnable nodes in g, none if g has not seen the layer.
func (b *base) ModelIn(g *G.ExprGraph) G.Nodes {
	if g == nil {
		return nil
	}
	var ns G.Nodes
	for _, p := range b.params {
		if !p.Tuned {
			continue
		}
		for _, n := range g.ByName(b.name + "_" + p.Name) {
			if n.Value() == G.Value(p.Value) {
				ns = append(ns, n)
			}
		}
	}
	return ns
}

// param returns the tensor of a parameter, or nil.
func (b *base) param(name string) *tensor.Dense {
	for _, p := range b.params {
		if p.Name == name {
			return p.Value
		}
	}
	return nil
}

// SetParams copies values into the parameters by name, and ignores other names. Errors, which change nothing: a missing
// value (ErrParam), another element type (ErrDtype) or shape (ErrShape).
func (b *base) SetParams(values map[string]*tensor.Dense) error {
	for _, p := range b.params {
		v, ok := values[p.Name]
		if !ok || v == nil {
			return fmt.Errorf("%s: no value for the parameter %q: %w", b.who(), p.Name, ErrParam)
		}
		if v.Dtype() != p.Value.Dtype() {
			return fmt.Errorf("%s: parameter %q is %v, want %v: %w", b.who(), p.Name, v.Dtype(), p.Value.Dtype(),
				ErrDtype)
		}
		if !v.Shape().Eq(p.Value.Shape()) {
			return fmt.Errorf("%s: parameter %q has shape %v, want %v: %w", b.who(), p.Name, v.Shape(), p.Value.Shape(),
				ErrShape)
		}
	}
	if b.origin != nil {
		b.origin.set.Store(true)
	}
	for _, p := range b.params {
		if err := ops.Assign(p.Value, values[p.Name]); err != nil {
			return fmt.Errorf("%s: parameter %q: %w", b.who(), p.Name, err)
		}
	}
	if b.changed != nil {
		b.changed()
	}
	return nil
}

// longNumber is a number of more digits than a message needs.
var longNumber = regexp.MustCompile(`\d+\.\d{6,}(e[+-]?\d+)?`)

// kernelText describes a kernel by its type and its fields, with numbers of six digits.
func kernelText(k any) string {
	return longNumber.ReplaceAllStringFunc(fmt.Sprintf("%T%+v", k, k), func(number string) string {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(x, 'g', 6, 64)
	})
}

var serial atomic.Uint64

// autoName makes a name for a layer of a kind, such as fourier_1 for a FourierLayer, that no other layer of this process
// has.
func autoName(kind string) string {
	for _, common := range []string{"Random", "Layer", "Head"} {
		kind = strings.TrimSuffix(strings.TrimPrefix(kind, common), common)
	}
	return fmt.Sprintf("%s_%d", strings.ToLower(kind), serial.Add(1))
}
