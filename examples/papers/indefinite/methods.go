package main

import (
	"maps"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
)

// A kernel is one of the paper's two, with its maps.
type kernel struct {
	name    string
	params  layers.Values
	methods []method
}

// A method is a map of a kernel.
type method struct {
	name   string // the paper's
	Map    string
	Params layers.Values
	only   string // the part that it is for; empty: all but couplings
}

const (
	polynomial    = "sphere-polynomial"
	deltaGaussian = "delta-gaussian"
)

func kernelNames() []string { return []string{polynomial, deltaGaussian} }

// paperKernels are both, with the parameters of the flags.
func (e *experiment) paperKernels() []*kernel {
	sphere := &kernel{name: polynomial, params: layers.Values{"a": e.a, "p": e.p}}
	delta := &kernel{name: deltaGaussian, params: layers.Values{"sigma1": e.one, "sigma2": e.two}}
	for _, k := range []*kernel{sphere, delta} {
		k.methods = []method{
			{name: "GORF", Map: k.name, Params: k.params},
			{name: "GRFF", Map: k.name, Params: with(k.params, "coupling", "iid")},
		}
		for _, c := range spectral.Couplings() {
			k.methods = append(k.methods, method{name: c.String(), Map: k.name, Params: with(k.params, "coupling", c.String()), only: "couplings"})
		}
	}
	sphere.methods = append(sphere.methods, method{name: "SRF", Map: "srf", Params: sphere.params}, method{name: "TS", Map: "tensor-sketch", Params: sphere.params},
		method{name: "RM", Map: "random-maclaurin", Params: sphere.params})
	// What is left of a difference of two Gaussians where the measure has one sign alone.
	delta.methods = append(delta.methods, method{name: "positive part", Map: "gaussian", Params: layers.Values{"sigma": e.one}, only: "regression"})
	return []*kernel{sphere, delta}
}

// with is a copy of v with one value more.
func with(v layers.Values, name string, value any) layers.Values {
	out := maps.Clone(v)
	out[name] = value
	return out
}

// in says whether the method takes part in a part.
func (m method) in(part string) bool { return m.only == "" && part != "couplings" || m.only == part }

// spec is the map in d dimensions.
func (m method) spec(features, dims int, seed uint64) layers.Spec {
	s := layers.Spec{Map: m.Map, Params: m.Params, Dims: dims, Features: features, Seed: seed, Name: m.Map}
	if e, err := layers.Lookup(m.Map); err == nil && e.HasSampler {
		s.Sampler = "iid"
	}
	return s
}

// String names the kernel with its parameters.
func (k *kernel) String() string { return k.name + " " + k.params.Short() }

// A size is a number s of frequencies a sign, as a multiple of the d dimensions.
type size struct {
	name     string // the head of its column
	multiple float64
}

// features are the columns of a map, 4s: GORF has the cosine and the sine of each frequency of both signs.
func (s size) features(d int) int { return 4 * int(s.multiple*float64(d)) }

// The paper's sizes, of tables II, III and IV.
var (
	sizes           = []size{{"s = d/2", .5}, {"s = d", 1}, {"s = 2d", 2}, {"s = 8d", 8}}
	regressionSizes = []size{{"s = 2d", 2}, {"s = 4d", 4}, {"s = 8d", 8}}
)
