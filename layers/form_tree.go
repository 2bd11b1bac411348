package layers

import (
	"fmt"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// sequentialName and concatName are layers of which a Spec with Parts is made. Like dense and normalise they have no
// kernel of their own, so that Entries does not list them.
const (
	sequentialName = "sequential"
	concatName     = "concat"
)

// structure are the layers, besides maps, of which a Spec with Parts is made.
var structure = completed([]*Entry{
	{Name: sequentialName, Formula: "its Parts one after the other", Inputs: "the first part's",
		of: sequentialForm{}},
	{Name: concatName, Formula: "its Parts side by side, √weight times each", Inputs: "every part's",
		of: concatForm{}},
	{Name: "dense", Formula: "activation(xW + b)", Inputs: "any", Paper: "Glorot and Bengio 2010", of: denseForm{}},
	{Name: "normalise", Formula: "x/‖x‖", Inputs: "any", of: normaliseForm{}},
})

// branch is the part of forms whose specs have Parts.
type branch struct{}

func (branch) branches() {}

func (branch) traits() Traits { return Traits{Width: "what its parts make"} }

// hasParts says whether specs of the entry have Parts.
func (e *Entry) hasParts() bool {
	_, ok := e.of.(interface{ branches() })
	return ok
}

// maxDepth is the largest depth of parts within parts. It bounds the work that a damaged file can ask for.
const maxDepth = 16

// deeper says whether there are parts within parts beyond so many levels.
func (s Spec) deeper(levels int) bool {
	below := func(p Spec) bool { return p.deeper(levels - 1) }
	return len(s.Parts) > 0 && (levels == 0 || slices.ContainsFunc(s.Parts, below))
}

// within returns the parts of a spec, with names and the element type. A part without a name gets one from its place,
// so that the names of parameters are the same in every process.
func (s Spec) within() ([]Spec, error) {
	if len(s.Parts) == 0 {
		return nil, fmt.Errorf("layers: %s: the Spec has no Parts; give the specs of the layers that it is made of: %w",
			s.Map, ErrParam)
	}
	if s.deeper(maxDepth) {
		return nil, fmt.Errorf("layers: %s: the Parts are more than %d deep; a sequential of sequentials is one: %w",
			s.Map, maxDepth, ErrParam)
	}
	parts := slices.Clone(s.Parts)
	for i := range parts {
		p := &parts[i]
		if p.Dtype != "" && p.ElementType() != s.ElementType() {
			return nil, fmt.Errorf("layers: %s: part %d is %s and the whole is %v; leave the Dtype of parts out: %w",
				s.Map, i, p.Dtype, s.ElementType(), ErrDtype)
		}
		if p.Dtype = s.Dtype; p.Name == "" {
			p.Name = fmt.Sprintf("%d_%s", i, p.Map)
			if s.Name != "" {
				p.Name = s.Name + "_" + p.Name
			}
		}
	}
	return parts, nil
}

// layerName returns the name of the layer that a spec with a name builds.
func (s Spec) layerName() string {
	e, err := Lookup(s.Map)
	if err != nil || !e.hasParts() {
		return s.Name
	}
	parts, err := s.within()
	if err != nil {
		return s.Name
	}
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.layerName()
	}
	return joinNames(names)
}

// widen sets the Dims of a part. Another number that the part states is an error.
func (s *Spec) widen(of string, i, dims int) error {
	if s.Dims != 0 && s.Dims != dims {
		return fmt.Errorf("layers: %s: part %d, %s, takes %d columns and gets %d: %w", of, i, s.Map, s.Dims, dims,
			ErrShape)
	}
	s.Dims = dims
	return nil
}

// planned returns the parts with their Dims, and their plans. dims returns how many columns part i takes, given the
// plans of the parts before it.
func (s Spec) planned(dims func(i int, before []plan) int) ([]Spec, []plan, error) {
	parts, err := s.within()
	if err != nil {
		return nil, nil, err
	}
	var plans []plan
	for i := range parts {
		if err := parts[i].widen(s.Map, i, dims(i, plans)); err != nil {
			return nil, nil, err
		}
		_, p, err := parts[i].plan()
		if err != nil {
			return nil, nil, fmt.Errorf("layers: %s: part %d: %w", s.Map, i, err)
		}
		if p.traits.Bags {
			return nil, nil, fmt.Errorf("layers: %s: part %d, %s, is a map of sets of samples, which stands "+
				"by itself: %w", s.Map, i, parts[i].Map, ErrParam)
		}
		plans = append(plans, p)
	}
	return parts, plans, nil
}

// Leaf is a layer of a tree that has no parts of its own.
type Leaf struct {
	Prefix string // of the names of its parameters in the whole tree
	Spec   Spec   // with its Dims, Dtype and Name
}

// Leaves returns the layers of a tree that have no parts, in order. For a map it is the map alone. Parameters that come
// from the data must be there (ErrParam), see FillDefaults.
func (s Spec) Leaves() ([]Leaf, error) { return s.leaves("") }

func (s Spec) leaves(prefix string) ([]Leaf, error) {
	e, full, err := s.resolve()
	if err != nil {
		return nil, err
	}
	tree, ok := e.form(full.Params).(interface {
		widths(s Spec) ([]Spec, []plan, error)
	})
	if !ok {
		return []Leaf{{prefix, s}}, nil
	}
	parts, _, err := tree.widths(full)
	if err != nil {
		return nil, err
	}
	var all []Leaf
	for _, p := range parts {
		below, err := p.leaves(prefix + p.layerName() + ".")
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// joined returns the traits and the state of all parts together.
func joined(t Traits, parts []Spec, plans []plan) (Traits, map[string]tensor.Shape) {
	state := map[string]tensor.Shape{}
	for i, p := range plans {
		t.Tunable = t.Tunable || p.traits.Tunable
		t.Fitted = t.Fitted || p.traits.Fitted
		t.Sampled = t.Sampled || p.traits.Sampled
		t.HasSampler = t.HasSampler || p.traits.HasSampler
		t.Discrete = t.Discrete || p.traits.Discrete
		t.Signed = t.Signed || p.traits.Signed
		for name, shape := range p.state {
			state[parts[i].layerName()+"."+name] = shape
		}
	}
	if len(state) == 0 {
		state = nil
	}
	return t, state
}

// each builds the parts one by one. rows returns the rows that part i is fitted on, given the layers before it, and
// grad says whether part i needs WithInputGrad if the whole has it.
func each(parts []Spec, opts []Option, grad func(i int) bool,
	rows func(i int, before []Layer) (*tensor.Dense, error)) ([]Layer, error) {
	o := apply(opts)
	var ls []Layer
	for i, s := range parts {
		var more []Option
		if o.undrawn {
			more = append(more, withoutDraw())
		}
		if o.inputGrad && grad(i) {
			more = append(more, WithInputGrad())
		}
		x, err := rows(i, ls)
		if err != nil {
			return nil, err
		}
		l, err := s.build(x, more...)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		ls = append(ls, l)
	}
	return ls, nil
}

// grown returns the parts of a spec with defaults for the rows x. next returns the rows that part i sees, given the
// parts.
func (s Spec) grown(next func(parts []Spec, i int) (ops.Matrix, error)) ([]Spec, error) {
	parts, err := s.within()
	if err != nil {
		return nil, err
	}
	out := slices.Clone(s.Parts)
	for i := range parts {
		x, err := next(parts, i)
		if err != nil {
			return nil, err
		}
		if err := parts[i].widen(s.Map, i, x.Shape()[1]); err != nil {
			return nil, err
		}
		if err := parts[i].FillDefaults(x); err != nil {
			return nil, fmt.Errorf("layers: %s: part %d: %w", s.Map, i, err)
		}
		out[i].Dims, out[i].Params, out[i].Parts = parts[i].Dims, parts[i].Params, parts[i].Parts
	}
	return out, nil
}

// sequentialForm is the form of layers one after the other.
type sequentialForm struct{ branch }

// widths returns the parts with their Dims, and their plans.
func (sequentialForm) widths(s Spec) ([]Spec, []plan, error) {
	return s.planned(func(i int, before []plan) int {
		if i == 0 {
			return s.Dims
		}
		return before[i-1].columns
	})
}

func (f sequentialForm) plan(s Spec) (plan, error) {
	parts, plans, err := f.widths(s)
	if err != nil {
		return plan{}, err
	}
	last := plans[len(plans)-1]
	t, state := joined(f.traits(), parts, plans)
	p := plan{columns: last.columns, on: plans[0].on, traits: t, state: state, kernel: chained(plans)}
	p.traits.Signed = last.traits.Signed
	p.build = func(sample *tensor.Dense, opts []Option) (Layer, error) {
		x := sample
		first := func(i int) bool { return i == 0 }
		ls, err := each(parts, opts, first, func(i int, before []Layer) (*tensor.Dense, error) {
			if sample == nil || i == 0 || !slices.ContainsFunc(plans[i:], func(p plan) bool { return p.traits.Fitted }) {
				return x, nil
			}
			var err error
			x, err = before[i-1].Transform(nil, x)
			return x, err
		})
		if err != nil {
			return nil, fmt.Errorf("layers: %s: %w", s.Map, err)
		}
		return NewSequential(ls...)
	}
	return p, nil
}

func (f sequentialForm) grow(s Spec, x ops.Matrix) ([]Spec, error) {
	x, err := someRows(x, SampleRows, s.Seed)
	if err == nil {
		x, err = inType(x, s.ElementType())
	}
	if err != nil {
		return nil, err
	}
	return s.grown(func(parts []Spec, i int) (ops.Matrix, error) {
		if i == 0 {
			return x, nil
		}
		l, err := parts[i-1].Fit(x)
		if err != nil {
			return nil, err
		}
		x, err = Apply(l, nil, x)
		return x, err
	})
}

// inType returns rows in an element type, a copy if they have another one.
func inType(x ops.Matrix, dt tensor.Dtype) (ops.Matrix, error) {
	if x.Dtype() == dt {
		return x, nil
	}
	if s, ok := x.(*ops.CSR); ok {
		return s.As(dt, "layers: the data")
	}
	t, err := ops.Copy(nil, x, ops.Attr{Layer: "layers: the data"})
	if err != nil {
		return nil, err
	}
	return newTensor(dt, ops.Float64s(t), t.Shape().Clone()...), nil
}

// concatForm is the form of layers side by side.
type concatForm struct {
	branch
	From    []float64 `param:"from" default:"" doc:"the first input column of each part, as 0:16; empty: 0"`
	To      []float64 `param:"to" default:"" doc:"the input column after the last one of each part; empty: all"`
	Weights []float64 `param:"weights" default:"" doc:"the weight of each part's kernel in the sum; empty: 1"`
}

// slots returns the columns and weights of the parts.
func (f concatForm) slots(s Spec) ([]Part, error) {
	slots := make([]Part, len(s.Parts))
	for _, p := range []struct {
		name   string
		list   *[]float64
		absent float64
	}{{"from", &f.From, 0}, {"to", &f.To, float64(s.Dims)}, {"weights", &f.Weights, 1}} {
		if len(*p.list) == 0 {
			*p.list = repeat(p.absent, len(slots))
		}
		if len(*p.list) != len(slots) {
			return nil, fmt.Errorf("layers: concat: %s = %s, want a number for each of %d parts: %w", p.name,
				listText(*p.list), len(slots), ErrParam)
		}
	}
	for i := range slots {
		if a, b := f.From[i], f.To[i]; a != math.Trunc(a) || b != math.Trunc(b) ||
			!(a >= 0 && a < b && b <= float64(s.Dims)) && s.Dims > 0 {
			return nil, fmt.Errorf("layers: concat: part %d is columns %v to %v of %d: %w", i, a, b, s.Dims, ErrShape)
		}
		slots[i] = Part{From: int(f.From[i]), To: int(f.To[i]), Weight: f.Weights[i]}
	}
	return slots, nil
}

// widths returns the parts with their Dims, and their plans.
func (f concatForm) widths(s Spec) ([]Spec, []plan, error) {
	slots, err := f.slots(s)
	if err != nil {
		return nil, nil, err
	}
	return s.plannedOn(slots)
}

// plannedOn is planned for parts of the columns of slots.
func (s Spec) plannedOn(slots []Part) ([]Spec, []plan, error) {
	return s.planned(func(i int, _ []plan) int { return slots[i].To - slots[i].From })
}

func (f concatForm) plan(s Spec) (plan, error) {
	slots, err := f.slots(s)
	if err != nil {
		return plan{}, err
	}
	parts, plans, err := s.plannedOn(slots)
	if err != nil {
		return plan{}, err
	}
	t, state := joined(f.traits(), parts, plans)
	p := plan{traits: t, state: state, kernel: summed(slots, plans)}
	if len(plans) == 1 {
		p.on = plans[0].on
	}
	for _, of := range plans {
		p.columns += of.columns
	}
	p.build = func(sample *tensor.Dense, opts []Option) (Layer, error) {
		ls, err := each(parts, opts, func(int) bool { return true }, func(i int, _ []Layer) (*tensor.Dense, error) {
			if sample == nil {
				return nil, nil
			}
			x, err := columns(sample, slots[i].From, slots[i].To)
			if err != nil {
				return nil, err
			}
			return x.(*tensor.Dense), nil
		})
		if err != nil {
			return nil, fmt.Errorf("layers: %s: %w", s.Map, err)
		}
		filled := slices.Clone(slots)
		for i, l := range ls {
			filled[i].Layer = l
		}
		var more []Option
		if apply(opts).inputGrad {
			more = append(more, WithInputGrad())
		}
		return NewConcat(s.Dims, filled, more...)
	}
	return p, nil
}

func (f concatForm) grow(s Spec, x ops.Matrix) ([]Spec, error) {
	s.Dims = x.Shape()[1]
	slots, err := f.slots(s)
	if err != nil {
		return nil, err
	}
	if x, err = someRows(x, SampleRows, s.Seed); err != nil {
		return nil, err
	}
	return s.grown(func(_ []Spec, i int) (ops.Matrix, error) { return columns(x, slots[i].From, slots[i].To) })
}

// denseForm is the form of Dense.
type denseForm struct {
	Activation ops.Activation `param:"activation" words:"linear,relu,tanh,sigmoid,softplus" default:"relu"`
}

func (denseForm) traits() Traits { return Traits{Sampled: true, Tunable: true} }

func (f denseForm) plan(s Spec) (plan, error) {
	return plan{columns: s.Features, build: drawing(func(opts []Option) (*Dense, error) {
		return NewDense(s.Dims, s.Features, f.Activation, opts...)
	})}, nil
}

// normaliseForm is the form of Normalise.
type normaliseForm struct {
	Norm ops.Norm `param:"norm" words:"l1=1,l2=2" default:"l2" doc:"the norm"`
}

func (normaliseForm) traits() Traits { return Traits{Width: "as many features as input columns"} }

func (f normaliseForm) plan(s Spec) (plan, error) {
	return plan{columns: s.Dims, through: f.Norm.Of, build: drawing(func(opts []Option) (*Normalise, error) {
		return NewNormalise(s.Dims, f.Norm, opts...)
	})}, nil
}

// chained returns the kernel of layers one after the other, k(φ(x), φ(z)): k is the kernel of the last layer, and the
// others have no parameters. It returns nil for other layers.
func chained(plans []plan) spectral.Kernel {
	last := len(plans) - 1
	k := plans[last].kernel
	for i := last - 1; i >= 0 && k != nil; i-- {
		if plans[i].through == nil {
			return nil
		}
		k = after{k, plans[i].through}
	}
	return k
}

// after is the kernel k(φ(x), φ(z)) for a φ that takes any row.
type after struct {
	k   spectral.Kernel
	phi func(dst, row []float64) []float64
}

func (k after) At(x, z []float64) float64 { return k.k.At(k.phi(nil, x), k.phi(nil, z)) }

func (k after) Domain() spectral.Domain { return spectral.Domain{} }

// summed returns the kernel of layers side by side, Σ β k(x_p, z_p), or nil if a part has none.
func summed(slots []Part, plans []plan) spectral.Kernel {
	sum := sumKernel{slots: slots}
	for _, p := range plans {
		if p.kernel == nil {
			return nil
		}
		sum.of = append(sum.of, p.kernel)
	}
	return sum
}

// sumKernel is a weighted sum of kernels of columns.
type sumKernel struct {
	slots []Part
	of    []spectral.Kernel
}

func (k sumKernel) At(x, z []float64) (sum float64) {
	for i, p := range k.slots {
		sum += p.Weight * k.of[i].At(x[p.From:p.To], z[p.From:p.To])
	}
	return sum
}

// Domain is all rows: each part checks its own columns.
func (k sumKernel) Domain() spectral.Domain { return spectral.Domain{} }
