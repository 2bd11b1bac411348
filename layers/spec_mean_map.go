package layers

import (
	"fmt"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// meanMapEntry is the mean map of the kernel of another map.
func meanMapEntry(others []*Entry) *Entry {
	others = slices.DeleteFunc(slices.Clone(others), func(e *Entry) bool { return e.Signed })
	e := &Entry{Name: "mean-map", Formula: "exp(-MMD²/2τ²) of the kernel of the map `kernel`, with its parameters", Inputs: "sets of samples, those of the kernel",
		Paper: "Muandet et al. 2012", Sampled: true, Tunable: true, Bags: true, kernels: others,
		Params: []ParamDef{
			kernelDef(others, "gaussian"),
			{Name: "inner", Doc: "columns of the random map of a sample; those of an additive one follow from its parameters", Whole: true, Max: 1 << 16, Default: 512., OfMap: true},
			{Name: "landmarks", Doc: "samples to compare with, by the Nyström map in place of the kernel's own; 0 is none", Whole: true, Closed: true, Max: MaxLandmarks, Default: 0., OfMap: true},
			{Name: "tau", Doc: "bandwidth τ of the discrepancy"}, phaseDef,
		}}
	e.outer = func(k spectral.Kernel, v Values) spectral.Kernel { return &meanKernel{k, v.Number("tau")} }
	e.defaults = meanMapDefaults(e)
	e.lifted = func(s Spec, v Values) int { return innerMap{e.named(v), s, v}.columns() }
	e.below = func(s Spec, v Values) int { return s.Dims * e.lifted(s, v) }
	e.fittedWith = func(v Values) bool { return v.Number("landmarks") > 0 }
	e.state = func(s Spec, v Values) map[string]tensor.Shape {
		m := int(v.Number("landmarks"))
		return map[string]tensor.Shape{innerPrefix + "landmarks": {m, s.Dims}, innerPrefix + "projection": {m, m}}
	}
	e.layer = func(k spectral.Kernel, s Spec, opts []Option) (Layer, error) { return e.fit(k, s, nil, opts) }
	e.fit = func(k spectral.Kernel, s Spec, sample *tensor.Dense, opts []Option) (Layer, error) {
		o := apply(opts)
		o.oneStream = s.OneStream
		if o.name == "" {
			o.name = autoName("meanmap")
		}
		l, err := innerMap{e.named(s.Params), s, s.Params}.build(k.(*meanKernel).of, sample, o)
		if err != nil {
			return nil, fmt.Errorf("layers: map mean-map: %w", err)
		}
		return newMeanMapLayer(l, s.Params.Number("tau"), s.Features, o)
	}
	return e
}

// innerMap is the map of a sample in a mean map: that of a kernel, or the Nyström map of it.
type innerMap struct {
	of *Entry
	s  Spec // of the mean map
	v  Values
}

func (m innerMap) landmarks() int { return int(m.v.Number("landmarks")) }

// columns is how many it makes.
func (m innerMap) columns() int {
	switch {
	case m.landmarks() > 0:
		return m.landmarks()
	case m.of.HasFeatures():
		return int(m.v.Number("inner"))
	}
	return m.of.columns(m.params(), m.s.Dims)
}

// params are those of the map of the kernel: what shapes its features has its default, or the one that it had before.
func (m innerMap) params() Values {
	v := Values{}
	for _, p := range m.of.Params {
		if value, given := m.v[p.Name]; given && !p.OfMap {
			v[p.Name] = value
		} else if p.Absent != nil {
			v[p.Name] = p.Absent
		} else if p.Default != nil {
			v[p.Name] = p.Default
		}
	}
	return v
}

// build draws it, or fits it on a sample; o are the options of the mean map.
func (m innerMap) build(k spectral.Kernel, sample *tensor.Dense, o options) (Layer, error) {
	var opts []Option
	if o.undrawn {
		opts = append(opts, withoutDraw())
	}
	name := o.name + "_inner"
	if n := m.landmarks(); n > 0 {
		opts = append(opts, named(name), WithDtype(o.dt), WithSeed(m.s.Seed), WithLandmarks(n))
		return newNystromLayer(k, sample, m.s.Dims, n, apply(opts))
	}
	inner := Spec{Map: m.of.Name, Params: m.params(), Dims: m.s.Dims, Seed: m.s.Seed, Dtype: m.s.Dtype, Name: name}
	if m.of.HasFeatures() {
		inner.Features = m.columns()
	}
	return inner.buildOf(m.of, inner.Params, nil, opts...)
}

// meanMapDefaults are those of the kernel for the samples, and τ, half the root of the mean MMD² over pairs of sets.
func meanMapDefaults(e *Entry) func(v Values, x ops.Matrix) error {
	return func(v Values, x ops.Matrix) error {
		samples := x
		if b, ok := x.(*ops.Bags); ok {
			samples = b.Samples()
		}
		if err := e.named(v).fillFromData(v, samples); err != nil {
			return err
		}
		return fill(v, "tau", func() (float64, error) {
			b, err := bagsOf(x)
			if err != nil {
				return 0, err
			}
			some := spreadBags(b, defaultBags)
			if some.Len() < 2 {
				return 0, fmt.Errorf("want at least two sets to derive it from: %w", ErrShape)
			}
			m := innerMap{e.named(v), Spec{Dims: b.Axes(), Dtype: b.Dtype().String()}, without(v, "landmarks")}
			l, err := m.build(nil, nil, apply([]Option{named("tau"), WithDtype(b.Dtype())}))
			if err != nil {
				return 0, err
			}
			z, err := (&BagLayer{base: bagBase(l, b.Axes()), inner: l}).means(some)
			if err != nil {
				return 0, err
			}
			return math.Sqrt(meanSquaredDistance(float64s(z), some.Len())) / 2, nil
		})
	}
}

// without is v without a name.
func without(v Values, name string) Values {
	out := Values{}
	for n, value := range v {
		if n != name {
			out[n] = value
		}
	}
	return out
}

// meanSquaredDistance is that of pairs of n rows: 2n/(n-1) times the mean over rows of the variance of their cells.
func meanSquaredDistance(x []float64, n int) float64 {
	d := len(x) / n
	total := 0.0
	for j := range d {
		mean := 0.0
		for i := range n {
			mean += x[i*d+j] / float64(n)
		}
		for i := range n {
			total += (x[i*d+j] - mean) * (x[i*d+j] - mean)
		}
	}
	return 2 * total / float64(n-1)
}
