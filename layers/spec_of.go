package layers

import (
	"fmt"
	"reflect"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
)

// SpecOf returns the Spec of a map, or of a composition of maps, that a constructor made, so that what is built by hand
// is saved and served like the rest: Restore with the Params of l makes a layer of the same features. So does Build,
// unless parameters were fitted, tuned or set, or the map of samples in a mean map has a seed of its own. If the name
// of a layer determines its random numbers (WithSeed), the Spec has the seed that draws the same numbers without a
// name.
//
// Errors (ErrParam): a nil layer or one of another package; a head; a kernel that is not in the table of maps, see
// Register; an option that a Spec does not have, such as WithStationary.
func SpecOf(l Layer) (Spec, error) {
	if domain.IsNil(l) {
		return Spec{}, fmt.Errorf("layers: SpecOf: the layer is nil: %w", ErrParam)
	}
	switch v := l.(type) {
	case *Sequential:
		return v.specOf(sequentialForm{}, v.Dims())
	case interface{ spec() (Spec, error) }:
		return v.spec()
	case interface{ Unwrap() Layer }:
		return SpecOf(v.Unwrap())
	case interface{ made() (form, options) }:
		if f, o := v.made(); f != nil {
			return specOf(l, f, o)
		}
	}
	return Spec{}, fmt.Errorf("layers: SpecOf: %v has no Spec, which holds no heads and none of the options of this "+
		"layer: %w", l, ErrParam)
}

// made returns the form of the layer and the options that it was made with.
func (b *base) made() (form, options) { return b.of, b.options }

// specOf returns the Spec of a layer of a form, with its parameters, that was made with options.
func specOf(l Layer, f form, o options) (Spec, error) {
	e, err := entryOf(f, kernelBehind(l))
	if err != nil {
		return Spec{}, err
	}
	s := Spec{Map: e.Name, Params: valuesOf(f), Dims: l.Dims(), Features: l.Features(), Dtype: l.Dtype().String(),
		Name: l.Name()}
	if e.HasSampler {
		s.Sampler = o.sampler.String()
	}
	if o.policy != Frozen {
		s.Tune = o.policy.String()
	}
	if e.Sampled || e.Fitted {
		if v, ok := l.(interface{ draws() []*draw }); ok {
			for _, drawn := range v.draws() {
				o.nth = drawn.key.nth
			}
		}
		if s.Seed = o.sourceSeed(); isMeanMap(l) { // which makes its numbers differ from the map's of samples
			s.Seed = o.seed
		}
	}
	return s, nil
}

// specOf returns the Spec of a composition.
func (g group) specOf(of form, dims int) (Spec, error) {
	e, err := entryOf(of, nil)
	if err != nil {
		return Spec{}, err
	}
	s := Spec{Map: e.Name, Params: valuesOf(of), Dims: dims, Seed: g.seed, Dtype: g.Dtype().String()}
	for _, l := range g.layers {
		part, err := SpecOf(l)
		if err != nil {
			return Spec{}, fmt.Errorf("part %q: %w", l.Name(), err)
		}
		s.Parts = append(s.Parts, part)
	}
	return s, nil
}

// valuesOf returns the values of the parameters of a form or of a kernel.
func valuesOf[T any](of T) Values {
	v := Values{}
	eachShown(orDefaults(of), func(d ParamDef, field reflect.Value) { v[d.Name] = d.encode(field) })
	return v
}

// entryOf returns the entry of the table for a form with parameters, of a layer with the kernel k.
func entryOf(f form, k spectral.Kernel) (*Entry, error) {
	for _, e := range slices.Concat(structure, Entries()) {
		if reflect.TypeOf(e.of) == reflect.TypeOf(f) && (e.Kernel == nil || sameKind(e.Kernel, k)) &&
			variantOf(e.of) == variantOf(f) {
			return e, nil
		}
	}
	return nil, fmt.Errorf("layers: SpecOf: the kernel %s is not in the table of maps; add it by Register: %w",
		kernelText(k), ErrParam)
}

// variantOf returns what tells apart the entries of a form without kernels.
func variantOf(f form) any {
	switch f := f.(type) {
	case productForm:
		return f.name
	case parallelForm:
		return f.product
	case densityForm:
		return f.Distance
	}
	return nil
}
