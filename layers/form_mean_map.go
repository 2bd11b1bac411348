package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// meanMapForm is the form of NewMeanMapLayer for the kernel of another map.
type meanMapForm struct{ borrower }

func newMeanMapForm() meanMapForm {
	return meanMapForm{borrower{first: "gaussian", fits: func(e *Entry) bool { return e.lends },
		own: func() []ParamDef {
			return []ParamDef{
				{Name: "inner", Doc: "columns of the random map of a sample; an additive map finds its columns from " +
					"its parameters", Whole: true, Max: 1 << 16, Default: 512., OfMap: true},
				{Name: "landmarks", Doc: "samples to compare with, by the Nyström map in place of the kernel's " +
					"own; 0 is none", Whole: true, Closed: true, Max: MaxLandmarks, Default: 0., OfMap: true},
				{Name: "tau", Doc: "bandwidth τ of the discrepancy"}, phaseDef,
			}
		}}}
}

func (meanMapForm) traits() Traits { return Traits{Draws: DrawsFrequencies, Tunable: true, Bags: true} }

// more adds the order to the parameters of a kernel whose map need not have one.
func (f meanMapForm) more(v Values) []ParamDef {
	defs := f.borrower.more(v)
	if e := f.of(v); e != nil {
		for _, p := range e.Form.params() {
			if p.Name == autoOrderDef.Name && p.OrNumber {
				defs = append(defs, p)
			}
		}
	}
	return defs
}

func (f meanMapForm) plan(s Spec) (plan, error) {
	of, err := f.kernel(s)
	if err != nil {
		return plan{}, err
	}
	tau := s.Params.Number("tau")
	inner := innerMap{f.of(s.Params), s}
	columns, err := inner.columns()
	if err != nil {
		return plan{}, err
	}
	p := plan{kernel: &meanKernel{of, tau}, lifted: columns, inner: s.Dims * columns}
	fit := func(sample *tensor.Dense, opts []Option) (Layer, error) {
		o := apply(opts)
		if o.name == "" {
			o.name = autoName("meanmap")
		}
		l, err := inner.build(of, sample, o)
		if err != nil {
			return nil, fmt.Errorf("layers: map mean-map: %w", err)
		}
		return newMeanMapLayer(l, tau, s.Features, o)
	}
	if m := inner.landmarks(); m > 0 {
		p.fit = fit
		p.state = map[string]tensor.Shape{innerPrefix + "landmarks": {m, s.Dims}, innerPrefix + "projection": {m, m}}
	} else {
		p.build = func(opts []Option) (Layer, error) { return fit(nil, opts) }
	}
	return p, nil
}

// innerMap is the map of a sample in a mean map: the map of the kernel, or its Nyström map.
type innerMap struct {
	of *Entry
	s  Spec // of the mean map
}

func (m innerMap) landmarks() int { return int(m.s.Params.Number("landmarks")) }

// spec describes the map if there are no landmarks. Parameters that shape its features have their defaults.
func (m innerMap) spec(name string) Spec {
	v := Values{}
	for _, p := range m.of.Form.params() {
		if value, given := m.s.Params[p.Name]; given && (!p.OfMap || p.Name == autoOrderDef.Name) {
			v[p.Name] = value
		} else if p.Default != nil {
			v[p.Name] = p.Default
		}
	}
	inner := Spec{Map: m.of.Name, Params: v, Dims: m.s.Dims, Seed: m.s.Seed, Dtype: m.s.Dtype, Name: name}
	if m.of.HasFeatures() {
		inner.Features = int(m.s.Params.Number("inner"))
	}
	return inner
}

// columns returns the number of its output columns.
func (m innerMap) columns() (int, error) {
	if n := m.landmarks(); n > 0 {
		return n, nil
	}
	s := m.spec("")
	if m.of.HasFeatures() {
		return s.Features, nil
	}
	p, err := m.of.plan(s)
	return p.columns, err
}

// build draws the map, or fits it on a sample. o are the options of the mean map.
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
	return m.spec(name).buildOf(m.of, nil, opts...)
}

// fill fills in the defaults of the kernel for the samples, and τ: half the root of the mean MMD² over pairs of sets.
func (f meanMapForm) fill(v Values, x ops.Matrix) error {
	samples := x
	if b, ok := x.(*ops.Bags); ok {
		samples = b.Samples()
	}
	if err := f.borrower.fill(v, samples); err != nil {
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
		m := innerMap{f.of(v), Spec{Dims: b.Axes(), Dtype: b.Dtype().String(), Params: without(v, "landmarks")}}
		l, err := m.build(nil, nil, apply([]Option{named("tau"), WithDtype(b.Dtype())}))
		if err != nil {
			return 0, err
		}
		z, err := (&BagLayer{base: bagBase(l, b.Axes()), inner: l}).means(some)
		if err != nil {
			return 0, err
		}
		return math.Sqrt(meanSquaredDistance(ops.Float64s(z), some.Len())) / 2, nil
	})
}

// without returns a copy of v without one name.
func without(v Values, name string) Values {
	out := Values{}
	for n, value := range v {
		if n != name {
			out[n] = value
		}
	}
	return out
}

// meanSquaredDistance returns the mean squared distance over pairs of n rows: 2n/(n-1) times the sum over the columns
// of the variance.
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
