package main

import (
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/cli"
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
func (m method) spec(form, dtype string) (layers.Spec, error) {
	v, err := layers.ParseValues(m.Map, form)
	if e, known := layers.Lookup(m.Map); known == nil && e.Has("way") && v["way"] == nil {
		v["way"] = "laplace" // the papers'
	}
	return layers.Spec{Map: m.Map, Params: v, Dtype: dtype, Name: m.Map}, err
}

// sized says whether the map of a method has a number of features to choose, and is drawn at random.
func (m method) sized() bool { return m.sampled() }

// sampled says whether what is drawn are frequencies, for which there are samplers.
func (m method) sampled() bool {
	e, err := layers.Lookup(m.Map)
	return err == nil && e.Sampled()
}

// parseMethods reads -methods: names of maps, or all.
func parseMethods(list string) ([]method, error) {
	if list == "all" {
		return methods, nil
	}
	var out []method
	var names []string
	for _, m := range methods {
		names = append(names, m.Map)
	}
	for _, name := range strings.Split(list, ",") {
		i := slices.Index(names, strings.TrimSpace(name))
		if i < 0 {
			return nil, cli.Usage("-methods %s: %q is none of all, %s", list, strings.TrimSpace(name), strings.Join(names, ", "))
		}
		if slices.ContainsFunc(out, func(m method) bool { return m.Map == names[i] }) {
			return nil, cli.Usage("-methods %s: %s is named twice", list, names[i])
		}
		out = append(out, methods[i])
	}
	return out, nil
}
