package main

import (
	"slices"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/layers"
)

// A method is an entry of the experiment: a map of layers' table, by name.
type method struct {
	Map   string
	Forms []string // the forms of it to compare, as in -params; none is one form with the defaults
	Tune  string   // the parameter that cross-validation chooses, from its default upwards and downwards; empty: none
	Exact bool     // whether the exact kernel is a row of its own; not where the map is the kernel to rounding
}

// methods is the list of what is compared. A map more is a line more.
var methods = []method{
	{Map: "linear"},
	{Map: "hellinger", Forms: []string{"gamma=1", "gamma=0.5"}},
	{Map: "chi2", Forms: []string{"order=1", "order=2", "order=1,gamma=0.5"}, Exact: true},
	{Map: "intersection", Forms: []string{"order=1", "order=2", "order=1,gamma=0.5"}, Exact: true},
	{Map: "jensen-shannon", Forms: []string{"order=1", "order=2", "order=1,gamma=0.5"}, Exact: true},
	{Map: "add-kpca", Forms: []string{"kernel=chi2", "kernel=intersection", "kernel=jensen-shannon"}},
	{Map: "maji-berg"},
	{Map: "gaussian", Tune: "sigma", Exact: true},
	{Map: "laplacian", Tune: "sigma", Exact: true},
	{Map: "skewed-chi2", Tune: "c", Exact: true},
	{Map: "skewed-intersection", Tune: "c", Exact: true},
	{Map: "exp-hellinger", Tune: "sigma", Exact: true},
	{Map: "exp-chi2", Tune: "sigma", Exact: true},
	{Map: "exp-intersection", Forms: []string{"order=2"}, Tune: "sigma", Exact: true},
	{Map: "exp-jensen-shannon", Tune: "sigma", Exact: true},
	{Map: "exp-semigroup", Tune: "beta", Exact: true},
	{Map: "reciprocal-semigroup", Tune: "lambda", Exact: true},
}

// forms are the forms of a method, one at least.
func (m method) forms() []string {
	if m.Forms == nil {
		return []string{""}
	}
	return m.Forms
}

// spec is a form of a method, complete but for the data.
func (m method) spec(form, dtype string) layers.Spec {
	v := try.Get(layers.ParseValues(m.Map, form))
	if e, known := layers.Lookup(m.Map); known == nil && e.Has("way") && v["way"] == nil {
		v["way"] = "laplace" // the papers'
	}
	return layers.Spec{Map: m.Map, Params: v, Dtype: dtype, Name: m.Map}
}

// random says whether the map of a method draws frequencies, for which there are samplers, of a number to choose.
func (m method) random() bool {
	e, err := layers.Lookup(m.Map)
	return err == nil && e.Sampled
}

func methodNames() []string { return frame.Each(methods, func(m method) string { return m.Map }) }

// methodOf is the method of a name.
func methodOf(name string) method {
	return methods[slices.IndexFunc(methods, func(m method) bool { return m.Map == name })]
}

// newKernel says whether no form before this one has its kernel: forms differ in the order of the map, and in γ.
func (m method) newKernel(form string) bool {
	for _, f := range m.forms() {
		if degreeOf(f) == degreeOf(form) {
			return f == form
		}
	}
	return true
}
