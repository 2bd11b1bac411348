package layers

import (
	"fmt"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// The layers of which a Spec with Parts is made. Like dense, periodic and normalise they have no kernel of their own,
// so that Entries does not list them.
const (
	sequentialName = "sequential"
	concatName     = "concat"
	productName    = "product"
)

// structure are the layers, besides maps, of which a Spec with Parts is made.
var structure = completed([]*Entry{
	{Name: sequentialName, Formula: "its Parts one after the other", Inputs: "the first part's",
		of: sequentialForm{}, Traits: branchTraits},
	{Name: concatName, Formula: "its Parts side by side, √weight times each", Inputs: "every part's",
		of: parallelForm{}, Traits: branchTraits},
	{Name: productName, Formula: "the products of a feature of each of its Parts, √weight times each",
		Inputs: "every part's", of: parallelForm{product: true}, Traits: branchTraits},
	{Name: "dense", Formula: "activation(xW + b)", Inputs: "any", Paper: "Glorot and Bengio 2010", of: denseForm{},
		Traits: Traits{Sampled: true, Tunable: true}},
	{Name: "periodic", Formula: "[x | activation(A_j [cos x_jW_j | sin x_jW_j] + b_j)]", Inputs: "any",
		Paper: "Gorishniy et al. 2022", of: periodicForm{},
		Traits: Traits{Sampled: true, Tunable: true, Width: "the input columns and `width` more for each"}},
	{Name: "normalise", Formula: "x/‖x‖", Inputs: "any", of: normaliseForm{},
		Traits: Traits{Width: identityWidth}},
})

// branch is the form of layers that have parts.
type branch interface {
	form
	// slots returns the columns and weights of parts side by side, or nil for parts one after the other.
	slots(s Spec) ([]Part, error)
}

var branchTraits = Traits{Width: "what its parts make"}

// hasParts says whether specs of the entry have Parts.
func (e *Entry) hasParts() bool {
	_, ok := e.of.(branch)
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
			return nil, fmt.Errorf("layers: %s: part %d is %s, and the map around it %v; leave the Dtype of parts out: %w",
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

// widen sets the Dims of a part. Another number that the part states is an error.
func (s *Spec) widen(of string, i, dims int) error {
	if s.Dims != 0 && s.Dims != dims {
		return fmt.Errorf("layers: %s: part %d, %s, takes %d columns and gets %d: %w", of, i, s.Map, s.Dims, dims,
			ErrShape)
	}
	s.Dims = dims
	return nil
}

// wired returns the parts with their Dims, and their plans. Parts side by side have slots, the columns that they take;
// without slots each part takes what the one before makes.
func (s Spec) wired(tree branch) (parts []Spec, plans []plan, slots []Part, err error) {
	if slots, err = tree.slots(s); err != nil {
		return nil, nil, nil, err
	}
	if parts, err = s.within(); err != nil {
		return nil, nil, nil, err
	}
	for i := range parts {
		dims := s.Dims
		switch {
		case slots != nil:
			dims = slots[i].To - slots[i].From
		case i > 0:
			dims = plans[i-1].columns
		}
		if err := parts[i].widen(s.Map, i, dims); err != nil {
			return nil, nil, nil, err
		}
		_, p, err := parts[i].plan()
		if err != nil {
			return nil, nil, nil, fmt.Errorf("layers: %s: part %d: %w", s.Map, i, err)
		}
		if p.traits.Bags {
			return nil, nil, nil, fmt.Errorf("layers: %s: part %d, %s, is a map of sets of samples, which stands "+
				"by itself: %w", s.Map, i, parts[i].Map, ErrParam)
		}
		plans = append(plans, p)
	}
	return parts, plans, slots, nil
}

// with returns the traits of a tree with u, the traits of a part.
func (t Traits) with(u Traits) Traits {
	t.Tunable = t.Tunable || u.Tunable
	t.Fitted = t.Fitted || u.Fitted
	t.Sampled = t.Sampled || u.Sampled
	t.HasSampler = t.HasSampler || u.HasSampler
	t.Discrete = t.Discrete || u.Discrete
	t.Signed = t.Signed || u.Signed
	return t
}

// treePlan returns the plan of a spec with parts.
func (s Spec) treePlan(tree branch) (plan, error) {
	parts, plans, slots, err := s.wired(tree)
	if err != nil {
		return plan{}, err
	}
	name := joinNames(mapped(plans, func(p plan) string { return p.name }))
	last := plans[len(plans)-1]
	p := plan{name: name, traits: branchTraits, columns: last.columns, on: plans[0].on}
	for _, of := range plans {
		p.traits = p.traits.with(of.traits)
		p.size, p.rows = p.size+of.size, max(p.rows, of.rows)
	}
	if slots == nil {
		p.kernel, p.traits.Signed = chained(plans), last.traits.Signed
	} else {
		k, widths := parallelKernel{slots: slots, product: s.Map == productName}, make([]int, len(plans))
		for i, of := range plans {
			k.of, widths[i] = append(k.of, of.kernel), of.columns
		}
		if p.columns, err = width("layers: "+s.Map, k.product, widths); err != nil {
			return plan{}, err
		}
		if !slices.Contains(k.of, nil) {
			p.kernel = k
		}
		if len(plans) > 1 { // each part checks its own columns
			p.on = spectral.Domain{}
		}
	}
	p.build = func(o options) (Layer, error) {
		l, err := s.buildTree(parts, plans, slots, o)
		if err != nil {
			return nil, fmt.Errorf("layers: %s: %w", s.Map, err)
		}
		l.(interface{ seeded(seed uint64) }).seeded(s.Seed)
		return l, nil
	}
	return p, nil
}

// buildTree builds the parts, which are fitted on the sample that reaches them, and the whole of them.
func (s Spec) buildTree(parts []Spec, plans []plan, slots []Part, o options) (Layer, error) {
	var ls []Layer
	whole, sample := slices.Clone(slots), o.sample
	for i, part := range parts {
		x := sample
		if slots != nil && sample != nil {
			some, err := columns(sample, slots[i].From, slots[i].To)
			if err != nil {
				return nil, err
			}
			x = some.(*tensor.Dense)
		}
		l, err := part.build(o.undrawn, x)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		ls = append(ls, l)
		if slots != nil {
			whole[i].Layer = l
		} else if x != nil && slices.ContainsFunc(plans[i+1:], func(p plan) bool { return p.traits.Fitted }) {
			if sample, err = l.Transform(nil, x); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case slots == nil:
		return NewSequential(ls...)
	case s.Map == productName:
		return NewProduct(s.Dims, whole)
	}
	return NewConcat(s.Dims, whole)
}

// grown returns the parts of a spec with defaults for the rows x.
func (s Spec) grown(f branch, x ops.Matrix) ([]Spec, error) {
	x, err := someRows(x, SampleRows, s.Seed)
	if err != nil {
		return nil, err
	}
	s.Dims = x.Shape()[1]
	slots, err := f.slots(s)
	if err == nil && slots == nil {
		x, err = inType(x, s.ElementType())
	}
	if err != nil {
		return nil, err
	}
	parts, err := s.within()
	if err != nil {
		return nil, err
	}
	out := slices.Clone(s.Parts)
	for i := range parts {
		rows := x
		if slots != nil {
			if rows, err = columns(x, slots[i].From, slots[i].To); err != nil {
				return nil, err
			}
		}
		if err := parts[i].widen(s.Map, i, rows.Shape()[1]); err != nil {
			return nil, err
		}
		if err := parts[i].FillDefaults(rows); err != nil {
			return nil, fmt.Errorf("layers: %s: part %d: %w", s.Map, i, err)
		}
		out[i].Dims, out[i].Params, out[i].Parts = parts[i].Dims, parts[i].Params, parts[i].Parts
		if slots == nil && i+1 < len(parts) {
			l, err := parts[i].Fit(rows)
			if err != nil {
				return nil, err
			}
			if x, err = Apply(l, nil, rows); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
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

// sequentialForm is the form of layers one after the other.
type sequentialForm struct{}

func (sequentialForm) slots(Spec) ([]Part, error)  { return nil, nil }
func (f sequentialForm) plan(s Spec) (plan, error) { return s.treePlan(f) }

// parallelForm is the form of layers side by side, and of their product.
type parallelForm struct {
	From    []float64 `param:"from" default:"" doc:"the first input column of each part, as 0:16; empty: 0"`
	To      []float64 `param:"to" default:"" doc:"the input column after the last one of each part; empty: all"`
	Weights []float64 `param:"weights" default:"" doc:"the weight of each part's kernel; empty: 1"`
	product bool
}

func (f parallelForm) plan(s Spec) (plan, error) { return s.treePlan(f) }

// slots returns the columns and weights of the parts.
func (f parallelForm) slots(s Spec) ([]Part, error) {
	slots := make([]Part, len(s.Parts))
	for _, p := range []struct {
		name   string
		list   *[]float64
		absent float64
	}{{"from", &f.From, 0}, {"to", &f.To, float64(s.Dims)}, {"weights", &f.Weights, 1}} {
		if len(*p.list) == 0 {
			*p.list = slices.Repeat([]float64{p.absent}, len(slots))
		}
		if len(*p.list) != len(slots) {
			return nil, fmt.Errorf("layers: %s: %s = %s, want a number for each of %d parts: %w", s.Map, p.name,
				listText(*p.list), len(slots), ErrParam)
		}
	}
	for i := range slots {
		if a, b := f.From[i], f.To[i]; a != math.Trunc(a) || b != math.Trunc(b) ||
			!(a >= 0 && a < b && b <= float64(s.Dims)) && s.Dims > 0 {
			return nil, fmt.Errorf("layers: %s: part %d is columns %v to %v of %d: %w", s.Map, i, a, b, s.Dims,
				ErrShape)
		}
		slots[i] = Part{From: int(f.From[i]), To: int(f.To[i]), Weight: f.Weights[i]}
	}
	return slots, nil
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

// parallelKernel is the kernel of layers side by side, Σ β k(x_p, z_p), or of their product, Π β k(x_p, z_p).
type parallelKernel struct {
	slots   []Part
	of      []spectral.Kernel
	product bool
}

func (k parallelKernel) At(x, z []float64) float64 {
	sum, product := 0., 1.
	for i, p := range k.slots {
		v := p.Weight * k.of[i].At(x[p.From:p.To], z[p.From:p.To])
		sum, product = sum+v, product*v
	}
	if k.product {
		return product
	}
	return sum
}

// Domain is all rows: each part checks its own columns.
func (k parallelKernel) Domain() spectral.Domain { return spectral.Domain{} }
