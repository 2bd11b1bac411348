package ops

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Op is an op with its parameters: a feature map, a layer of a network or a loss. It is a small value without state,
// made by a constructor such as Fourier. The comment of the constructor names the inputs: x, the rows, then the
// others in order. Inputs in brackets may be nil, and left out at the end.
//
// Node adds the op to a graph. Into computes the same without a graph. Where the comment says that sparse rows stay
// sparse, Sparse maps a CSR to a CSR.
type Op struct {
	*decl
	attr   Attr
	params any   // the parameters of the result; immutable
	err    error // of the parameters
}

// decl declares an op. All checks, the graph and the form without one follow from it.
type decl struct {
	kind  string
	sig   *signature
	names []string // of the inputs, in messages; nil numbers them
	in    []Inputs // the names of the inputs for Frozen, 0 for one without a gradient; nil if none has one
	parts bool     // the inputs have one name, and those that depend on data alone no gradient
	data  bool     // the input is data, see Data
	// bind sets the letters of sig that the parameters fix.
	bind func(o *Op, v *sizes)
	// check is what sig cannot say about shapes. It may set letters of the result.
	check func(c *call) error

	on        func(o *Op) Domain // of x; nil is Attr.Domain
	unchecked bool               // the domain is not checked, or forward does
	// circular is for a map of cosines and sines. Its forward reports projections that are not finite, so the cells
	// are not checked before.
	circular bool
	// sparse says what forward does with sparse rows.
	sparse sparsity
	// stays returns sparse features of the sparse rows x, where zeros is nil or true. A graph has sparse features
	// while only x might have a gradient.
	stays  typedCSR
	zeros  func(c *call) bool
	finite []int // the inputs whose numbers must be finite

	pack    *packer                       // of inputs that have a packed form
	prepare func(c *call) error           // checks the values of the inputs
	adds    bool                          // forward adds to zeros; else it writes every cell
	forward kernel                        // writes to c.out
	value   func(c *call) (Matrix, error) // in place of forward, for a result that is not written to memory of its own
	// backward writes the gradients that are wanted, see gradientFor, from the inputs that it reads, perhaps theOutput,
	// and the gradient of the output.
	backward kernel
	reads    []int
	unpacked bool // backward does not take the packed inputs
	// node is Node where it is more than one op.
	node func(o Op, in []*G.Node) (*G.Node, error)
}

// sparsity says what an op does with a CSR.
type sparsity int

const (
	refused sparsity = iota // it is an error
	spread                  // any input may be sparse, and is made dense
	native                  // the first input may be sparse, and forward reads it
)

// kernel is a generic function for both element types.
type kernel struct{ f32, f64 func(c *call) error }

// typedCSR is a kernel that makes sparse rows.
type typedCSR struct{ f32, f64 func(c *call) (*CSR, error) }

// packer prepares the inputs from..from+n of an op in the form that products read. keep asks for a copy of what it
// reads; otherwise it may borrow the memory for the call.
type packer struct {
	from, n int
	pack    func(c *call, keep bool) (any, error)
}

// call is one run of an op.
type call struct {
	Op
	sizes
	x      Matrix          // the first input
	first  int             // where it stands; not 0 for Pack
	packs  bool            // this is a call of Pack
	in     []*tensor.Dense // all inputs, contiguous; nil for absent and packed ones, and in[0] if x is sparse
	shapes []tensor.Shape  // nil for absent ones
	w      *Weights        // the packed inputs
	out    *tensor.Dense
	size   tensor.Shape // of the result
	state  any          // of prepare for forward
	keeps  bool         // this is a call of Sparse
	parts  []*CSR       // all sparse inputs
	column []int32      // of the entries of sparse rows, where these are the only row of x, see byCoordinate
}

// calls holds calls for reuse, so that a run with a dst allocates nothing.
var calls = sync.Pool{New: func() any { return new(call) }}

// begin returns a call without inputs.
func (o Op) begin() *call {
	c := calls.Get().(*call)
	c.Op = o
	for range o.sig.in {
		c.in, c.shapes = append(c.in, nil), append(c.shapes, nil)
	}
	if o.bind != nil {
		o.bind(&c.Op, &c.sizes)
	}
	return c
}

func (c *call) end() {
	clear(c.in)
	clear(c.shapes)
	*c = call{in: c.in[:0], shapes: c.shapes[:0], size: c.size[:0]}
	calls.Put(c)
}

// with is the op with parameters, and the error that check finds in them.
func (d *decl) with(params any, a Attr, check func(who string) error) Op {
	o := Op{decl: d, attr: a, params: params}
	o.err = check(o.who())
	return o
}

func (o *Op) who() string { return o.attr.who(o.kind) }

// name is what messages call input i.
func (o *Op) name(i int) string {
	if i < len(o.names) {
		return o.names[i]
	}
	return fmt.Sprint("input ", i)
}

// Node adds the op to the graph of its inputs. Errors: shapes, parameters, an input that is missing.
func (o Op) Node(in ...*G.Node) (*G.Node, error) {
	switch {
	case o.err != nil:
		return nil, o.err
	case o.node != nil:
		return o.node(o, in)
	}
	return o.apply(in...)
}

// Into computes the op of dense or sparse rows x and writes the result to dst, allocated if nil, without a graph. The
// further inputs are tensors, or a *Weights in the place of those that Pack took. It returns the errors of the graph.
// With a dst and packed weights a map allocates nothing.
func (o Op) Into(dst *tensor.Dense, x Matrix, in ...Matrix) (*tensor.Dense, error) {
	c := o.begin()
	defer c.end()
	if err := c.inputs(x, in); err != nil {
		return nil, err
	}
	var err error
	if dst, err = output(c.who(), dst, c.x.Dtype(), c.size...); err != nil {
		return nil, err
	}
	if _, ok := c.x.(*CSR); ok && c.staysSparse() {
		z, err := c.sparseResult()
		if err != nil {
			return nil, err
		}
		return z.Dense(dst)
	}
	if err := c.ready(); err != nil {
		return nil, err
	}
	return dst, c.fill(dst)
}

// Sparse computes the op of sparse rows as sparse rows, without a graph. It is an error (ErrParam) if zeros have other
// features than zeros.
func (o Op) Sparse(x *CSR, in ...Matrix) (*CSR, error) {
	c := o.begin()
	defer c.end()
	c.keeps = true
	if err := c.inputs(x, in); err != nil {
		return nil, err
	}
	if !c.staysSparse() {
		if c.stays.f32 != nil {
			if err := c.checkValues(); err != nil {
				return nil, err
			}
		}
		return nil, fmt.Errorf("%s: the op has no sparse output for these sparse rows; make them dense: %w", c.who(), ErrParam)
	}
	return c.sparseResult()
}

// Weights holds the inputs of an op in the form that its products read. It is immutable and safe for concurrent use.
type Weights struct {
	by     *packer
	of     any // such as a *simd.Weights[float32]
	dt     tensor.Dtype
	shapes []tensor.Shape // of the inputs
	first  any            // the address of the first cell of the first input
	summed sync.Once
	sums   any // the column sums of W, []float32 or []float64, computed for sparse rows with a base
}

// Dtype returns the element type.
func (w *Weights) Dtype() tensor.Dtype { return w.dt }

// Shape returns the shape of the first packed input.
func (w *Weights) Shape() tensor.Shape { return w.shapes[0].Clone() }

// Dims returns the length of Shape.
func (w *Weights) Dims() int { return len(w.shapes[0]) }

// Pack copies inputs of the op, W and what belongs to it, into the form that products of rows of d columns read. Into
// takes the result in their place. Errors: an op without packed inputs (ErrParam), shapes (ErrShape), different element
// types (ErrDtype), invalid values (ErrDomain).
func (o Op) Pack(d int, in ...*tensor.Dense) (*Weights, error) {
	c := o.begin()
	defer c.end()
	switch {
	case o.err != nil:
		return nil, o.err
	case o.pack == nil:
		return nil, fmt.Errorf("%s: it has no inputs that are packed: %w", c.who(), ErrParam)
	case len(in) > o.pack.n:
		return nil, fmt.Errorf("%s: %d inputs to pack, want %d: %w", c.who(), len(in), o.pack.n, ErrShape)
	}
	c.packs = true
	c.set('d', d)
	for i, t := range in {
		if t != nil {
			if err := c.add(o.pack.from+i, t); err != nil {
				return nil, err
			}
		}
	}
	if err := c.fit(); err != nil {
		return nil, err
	}
	return c.packed(true)
}

// packed prepares the inputs that have a packed form.
func (c *call) packed(keep bool) (*Weights, error) {
	p, first := c.pack, c.in[c.pack.from]
	of, err := p.pack(c, keep)
	if err != nil {
		return nil, err
	}
	w := &Weights{by: p, of: of, dt: first.Dtype(), first: firstCell(first)}
	for _, s := range c.shapes[p.from : p.from+p.n] {
		if s != nil {
			s = s.Clone()
		}
		w.shapes = append(w.shapes, s)
	}
	return w, nil
}

// inputs sets the arguments of Into or Sparse.
func (c *call) inputs(x Matrix, in []Matrix) error {
	if c.err != nil {
		return c.err
	}
	x, err := matrix(x)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", c.who(), c.name(0), err)
	}
	if err := c.add(0, x); err != nil {
		return err
	}
	at := 1
	for _, v := range in {
		n, w, packed := 1, (*Weights)(nil), false
		switch w, packed = v.(*Weights); {
		case packed && (w == nil || c.pack == nil || w.by != c.pack || at != c.pack.from):
			return fmt.Errorf("%s: input %d has weights that are nil or packed by another op: %w", c.who(), at,
				ErrParam)
		case packed:
			c.w, n = w, c.pack.n
			copy(c.shapes[at:], w.shapes)
			err = c.oneType(at, w.dt, 0, c.x.Dtype())
		case domain.IsNil(v):
		case at >= len(c.in):
			return c.tooMany(1 + len(in))
		default:
			err = c.add(at, v)
		}
		if at += n; err != nil {
			return err
		}
	}
	return c.fit()
}

func (o *Op) tooMany(have int) error {
	return fmt.Errorf("%s: %d inputs, want %d: %w", o.who(), have, len(o.sig.in), ErrShape)
}

// missing is the error for an input that is nil.
func (o *Op) missing(i int) error {
	return fmt.Errorf("%s: %s is nil: %w", o.who(), o.name(i), ErrShape)
}

// add sets input i, made contiguous.
func (c *call) add(i int, v Matrix) error {
	if s, ok := v.(*CSR); ok && (c.sparse == spread || i == 0 && (c.sparse == native || c.stays.f32 != nil)) {
		if c.shapes[i], c.parts = s.Shape(), append(c.parts, s); c.x == nil {
			c.x, c.first = s, i
		}
		return c.oneType(i, s.Dtype(), c.first, c.x.Dtype())
	}
	t, ok := v.(*tensor.Dense)
	if !ok {
		return fmt.Errorf("%s: %s: want a dense tensor, got %T: %w", c.who(), c.name(i), v, ErrDtype)
	}
	t, err := contiguous(t)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", c.who(), c.name(i), err)
	}
	if c.in[i], c.shapes[i] = t, t.Shape(); c.x == nil {
		c.x, c.first = t, i
	}
	return c.oneType(i, t.Dtype(), c.first, c.x.Dtype())
}

// oneType returns an error unless input i has the element type of the first input.
func (o *Op) oneType(i int, dt tensor.Dtype, first int, as tensor.Dtype) error {
	if dt == as {
		return nil
	}
	return fmt.Errorf("%s: %s is %v and %s %v; give both one type: %w", o.who(), o.name(first), as, o.name(i), dt,
		ErrDtype)
}

// fit compares the shapes of the inputs with the signature and computes the shape of the result; a call of Pack has
// those that are packed alone.
func (c *call) fit() error {
	for i, s := range c.shapes {
		if s == nil && !c.sig.optional[i] && (!c.packs || i >= c.pack.from && i < c.pack.from+c.pack.n) {
			return c.missing(i)
		}
	}
	if bad := c.sig.resolve(&c.sizes, c.shapes); bad >= 0 {
		return c.misfit(bad)
	}
	if c.check != nil {
		if err := c.check(c); err != nil {
			return err
		}
	}
	if !c.packs {
		c.size = c.sizes.shape(c.size[:0], c.sig.result(&c.sizes, c.shapes))
	}
	return nil
}

// atLeastOne checks sizes that must not be 0.
func atLeastOne(letters ...byte) func(c *call) error {
	return func(c *call) error {
		for _, l := range letters {
			if c.sizes[l] == 1 {
				return fmt.Errorf("%s: inputs of shapes %v, want them not empty: %w", c.who(), c.shapes, ErrShape)
			}
		}
		return nil
	}
}

// misfit is the error for an input of the wrong shape. It names the shapes of all inputs before.
func (c *call) misfit(bad int) error {
	others := ""
	for i, s := range c.shapes {
		if i != bad && s != nil {
			others += fmt.Sprintf(", %s %v", c.name(i), s)
		}
	}
	if others != "" {
		others = " with " + others[2:]
	}
	has := "has"
	if name := c.name(bad); strings.HasPrefix(name, "the ") && strings.HasSuffix(name, "s") {
		has = "have"
	}
	return fmt.Errorf("%s: %s %s shape %v, want %s%s: %w", c.who(), c.name(bad), has, c.shapes[bad],
		c.sig.want(&c.sizes, bad), others, ErrShape)
}

// staysSparse reports whether the features of a sparse x are sparse.
func (c *call) staysSparse() bool {
	return c.stays.f32 != nil && (c.zeros == nil || c.zeros(c))
}

// sparseResult is the result as sparse rows.
func (c *call) sparseResult() (*CSR, error) {
	if cols := c.size[1]; cols > maxColumns {
		return nil, fmt.Errorf("%s: %d columns make more than %d; lower the order: %w", c.who(), c.shapes[0][1],
			maxColumns, ErrShape)
	}
	if err := c.checkValues(); err != nil {
		return nil, err
	}
	return typed(c.x.Dtype(), c.stays.f32, c.stays.f64)(c)
}

// domain is the domain of x.
func (o *Op) domain() Domain {
	if o.on != nil {
		return o.on(o)
	}
	return o.attr.Domain
}

// checkValues checks the domain of x and the values of the other inputs.
func (c *call) checkValues() error {
	on := c.domain()
	if !c.unchecked && !(c.circular && on == domain.Reals()) {
		if err := CheckRows(on, c.who(), c.x); err != nil {
			return err
		}
	}
	for _, i := range c.finite {
		if err := typed(c.in[i].Dtype(), checkFiniteInput[float32], checkFiniteInput[float64])(c, i); err != nil {
			return err
		}
	}
	if c.prepare != nil {
		return c.prepare(c)
	}
	return nil
}

func checkFiniteInput[T domain.Float](c *call, i int) error {
	name, shape := strings.TrimPrefix(c.name(i), "the "), c.shapes[i]
	return checkFinite(c.who(), name, reset, cells[T](c, i), shape[len(shape)-1])
}

// ready makes sparse inputs dense where forward does not read them, checks the values and packs the weights.
func (c *call) ready() (err error) {
	for i := range c.in {
		packed := c.w != nil && i >= c.pack.from && i < c.pack.from+c.pack.n
		if c.sparse == native || len(c.parts) == 0 || c.in[i] != nil || c.shapes[i] == nil || packed {
			continue
		}
		if c.in[i], err = c.parts[0].Dense(nil); err != nil {
			return err
		}
		if c.parts = c.parts[1:]; i == c.first {
			c.x = c.in[i]
		}
	}
	if err := c.checkValues(); err != nil {
		return err
	}
	if c.pack == nil || c.w != nil {
		return nil
	}
	if c.attr.Packed != nil {
		if w := c.attr.Packed.Load(); w != nil && w.by == c.pack && w.first == firstCell(c.in[c.pack.from]) {
			c.w = w
			return nil
		}
	}
	c.w, err = c.packed(false)
	return err
}

// fill writes the result to out. A forward or backward is not called for one without cells.
func (c *call) fill(out *tensor.Dense) error {
	empty := func(s tensor.Shape) bool { return s != nil && s.TotalSize() == 0 }
	if c.out = out; empty(out.Shape()) {
		return nil
	}
	if c.adds || slices.ContainsFunc(c.shapes, empty) {
		typed(out.Dtype(), zero[float32], zero[float64])(out)
	}
	return typed(c.x.Dtype(), c.forward.f32, c.forward.f64)(c)
}

func zero[T domain.Float](t *tensor.Dense) { clear(data[T](t)) }

// cells returns the cells of input i, nil if it is absent.
func cells[T domain.Float](c *call, i int) []T {
	if c.in[i] == nil {
		return nil
	}
	return data[T](c.in[i])
}

// lastInput returns the cells of the last input, nil if it is absent.
func lastInput[T domain.Float](c *call) []T { return cells[T](c, len(c.in)-1) }

// result returns the cells of the result.
func result[T domain.Float](c *call) []T { return data[T](c.out) }

// typed returns the instance of a generic function for an element type.
func typed[F any](dt tensor.Dtype, f32, f64 F) F {
	if dt == tensor.Float32 {
		return f32
	}
	return f64
}

// Inputs is a set of inputs of an op, named by the letters of its documentation. Inputs without a letter here have no
// gradient.
type Inputs uint16

const (
	// The inputs with a gradient, unless they are frozen.
	X      Inputs = 1 << iota // x, the rows, or parts; also the p of HDD and Coefficients, the z of BagMean
	W                         // W, the frequencies or weights
	B                         // b, the bias
	C                         // c, the shift of LogShift and of the skewed maps
	H                         // h, the bandwidths of KDE
	L                         // L, the base frequency of Homogeneous
	R                         // r, the roots of Homogeneous, the norms of SignedFourier
	S                         // s, the scales of ScaleColumns and Damp
	T                         // t, the targets of CrossEntropy
	U                         // U, the directions of SignedFourier
	Z                         // z, the features that Damp scales
	Rho                       // ρ, the log bandwidth of Bandwidth and the structured maps, the roots of SignedFourier
	Lambda                    // λ, the frequencies of HDD
)

// Attr holds what an op needs besides its inputs. The zero value computes the gradients for all inputs and accepts any
// finite x.
type Attr struct {
	// Layer names the layer in messages, such as `layers: FourierLayer "rff"`. If it is empty, messages name the op.
	Layer string
	// Frozen are the inputs without a gradient. An op computes nothing for them, and G.Grad for them is an error.
	Frozen Inputs
	// Domain is the domain of x.
	Domain Domain
	// Packed points to W in packed form, or is nil. An op of xW in a graph then does not pack W at each run, provided
	// that its input is the memory that was packed. Code that writes to this memory must store nil, or W packed again.
	Packed *atomic.Pointer[Weights]
}

// who starts a message.
func (a Attr) who(op string) string {
	if a.Layer != "" {
		return a.Layer
	}
	return "ops: " + op
}
