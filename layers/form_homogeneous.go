package layers

import (
	"fmt"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// sampling says at which frequencies a homogeneous map samples the spectrum of its kernel.
type sampling struct {
	Window spectral.Window `param:"window" words:"uniform,rectangular" default:"rectangular" doc:"window of the signature"`
	// 0 is spectral.FittedPeriod, -1 spectral.OptimalPeriod
	Period float64 `param:"period" words:"auto=0,optimal=-1" range:"(0," default:"auto"`
}

// options returns the options that the parameters stand for, with an order.
func (s sampling) options(order int) []Option {
	return []Option{func(o *options) {
		o.harmonics.order, o.harmonics.window = &order, s.Window
		if o.harmonics.optimal = s.Period < 0; s.Period > 0 {
			o.harmonics.period = &s.Period
		}
	}}
}

// samplingHidden says whether a kernel has a spectrum without frequencies, a point mass, and so no such parameter.
func samplingHidden(k spectral.Homogeneous, name string) bool {
	return pointMass(k) && slices.Contains([]string{"order", "window", "period"}, name)
}

// homogeneousForm is the form of an additive homogeneous kernel. Its map is a HomogeneousLayer.
type homogeneousForm struct {
	Kernel   spectral.Homogeneous `param:",inline"`
	Order    int                  `param:"order" range:"[0,100]" default:"1" doc:"order n: 2n+1 columns for each input"`
	Sampling sampling             `param:",inline"`
}

func (f homogeneousForm) hides(name string) bool { return samplingHidden(f.Kernel, name) }

func (f homogeneousForm) traits() Traits {
	t := Traits{Tunable: !pointMass(f.Kernel), Zeros: true, lends: true,
		Width: "2·order+1 columns for each input column, twice that for negative=split"}
	if !t.Tunable {
		t.Width = "one column for each input column, two for negative=split"
	}
	return t
}

func (f homogeneousForm) plan(s Spec) (plan, error) {
	var series []Option
	columns := s.Dims
	if !pointMass(f.Kernel) {
		columns, series = (2*f.Order+1)*s.Dims, f.Sampling.options(f.Order)
	}
	if f.Kernel.Extension() == spectral.SplitNegative {
		columns *= 2
	}
	return plan{kernel: f.Kernel, columns: columns, build: func(opts ...Option) (Layer, error) {
		return NewHomogeneousLayer(f.Kernel, s.Dims, append(opts, series...)...)
	}}, nil
}

// exponentiatedForm is the form of the kernel exp(-D²/2σ²) of an additive homogeneous kernel k, with D² = k(x,x) +
// k(z,z) - 2k(x,z). Its map is an ExponentiatedLayer.
type exponentiatedForm struct {
	Kernel   spectral.Exponentiated `param:",inline"`
	Order    int                    `param:"order" words:"auto=-1" range:"[0,100]" default:"auto"`
	Sampling sampling               `param:",inline"`
	Phase    bool                   `param:"phase"`
}

func (f exponentiatedForm) hides(name string) bool { return samplingHidden(f.Kernel.Of, name) }

func (f exponentiatedForm) traits() Traits {
	return Traits{Sampled: true, HasSampler: true, Tunable: true, lends: true, gains: true}
}

// direct says whether the map has frequencies on x itself: for order=auto, if D² is an l1 distance.
func (f exponentiatedForm) direct() bool {
	_, ok := f.Kernel.Laplacian()
	return ok && f.Order < 0
}

// check returns an error for options of a series that the map does not have.
func (f exponentiatedForm) check(mapName string, given Values) error {
	if !f.direct() {
		return nil
	}
	for name, absent := range map[string]any{"window": spectral.Rectangular.String(), "period": "auto"} {
		if value, stated := given[name]; stated && value != absent {
			return fmt.Errorf("layers: %s = %v is of a series, and without an order the map has frequencies on x "+
				"itself; give an order, or leave %s out: %w", name, value, name, ErrParam)
		}
	}
	return nil
}

func (f exponentiatedForm) fill(v Values, x ops.Matrix) error {
	if !f.hides("order") && f.Order < 0 && !f.direct() {
		v["order"] = 1.
	}
	return fill(v, "sigma", func() (float64, error) { return metricSigma(f.Kernel.Of, x) })
}

func (f exponentiatedForm) plan(s Spec) (plan, error) {
	p := plan{kernel: f.Kernel}
	var series []Option
	if !f.direct() {
		if f.Order < 0 {
			f.Order = 1
		}
		inner, err := homogeneousForm{f.Kernel.Of, f.Order, f.Sampling}.plan(s)
		if err != nil {
			return plan{}, err
		}
		if p.lifted = inner.columns; !pointMass(f.Kernel.Of) {
			series = f.Sampling.options(f.Order)
		}
	}
	p.build = func(opts ...Option) (Layer, error) {
		return NewExponentiatedLayer(f.Kernel, s.Dims, s.Features, append(opts, series...)...)
	}
	return p, nil
}
