package layers

import (
	"fmt"
	"maps"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// Homogeneous is the form of an additive homogeneous kernel. Its map is a HomogeneousLayer. It has the parameters gamma
// and negative and, unless the spectrum of the kernel is a point mass, order, window and period.
type Homogeneous struct {
	simple
	// Kernel makes the kernel of degree gamma.
	Kernel func(gamma float64, n spectral.Negative) spectral.Homogeneous
}

// Exponentiated is the form of the kernel exp(-D²/2σ²) of an additive homogeneous kernel k, with D² = k(x,x) + k(z,z) -
// 2k(x,z). Its map is an ExponentiatedLayer. It has the parameters of Homogeneous, sigma and phase. For the intersection
// kernel order may be auto, see ExponentiatedLayer.
type Exponentiated struct {
	simple
	// Kernel makes the homogeneous kernel of degree gamma.
	Kernel func(gamma float64, n spectral.Negative) spectral.Homogeneous
}

// The parameters of the homogeneous maps. A map whose kernel has a point mass is exact and has the last two only.
var (
	gammaDef = ParamDef{Name: "gamma", Doc: "degree γ: k is Σ (xz)^{γ/2} 𝒦(ln z - ln x)", Default: 1.}
	// autoOrderDef is for a kernel that also has frequencies on x itself, without an order.
	autoOrderDef = ParamDef{Name: "order", Doc: "order n: 2n+1 columns for each input column; auto: frequencies on x " +
		"itself, without bias, where gamma is 1 and negative is not sign, and otherwise 1",
		Words: []string{"auto"}, OrNumber: true, Whole: true, Closed: true, Max: spectral.MaxOrder, Default: "auto",
		OfMap: true}
	negativeDef = ParamDef{Name: "negative",
		Doc: "what x < 0 is: an error; part of sign(x) sign(z) k(|x|, |z|); or split from x > 0, a " +
			"dimension of its own",
		Words: []string{"error", "sign", "split"}, Default: "error"}
	seriesDefs = []ParamDef{
		{Name: "order", Doc: "order n: 2n+1 columns for each input column", Whole: true, Closed: true,
			Max: spectral.MaxOrder, Default: 1., OfMap: true},
		gammaDef,
		{Name: "window", Doc: "window of the signature", Words: []string{"uniform", "rectangular"},
			Default: "rectangular", OfMap: true},
		{Name: "period", Doc: "period Λ: the fitted one, that with the least largest error, or a number",
			Words: []string{"auto", "optimal"}, OrNumber: true, Default: "auto", OfMap: true},
		negativeDef,
	}
)

const histogramInputs = "x >= 0; any with `negative`"

func hellinger(g float64, n spectral.Negative) spectral.Homogeneous {
	return spectral.Hellinger{Gamma: g, Negative: n}
}

func chi2(g float64, n spectral.Negative) spectral.Homogeneous {
	return spectral.Chi2{Gamma: g, Negative: n}
}

func intersection(g float64, n spectral.Negative) spectral.Homogeneous {
	return spectral.Intersection{Gamma: g, Negative: n}
}

func jensenShannon(g float64, n spectral.Negative) spectral.Homogeneous {
	return spectral.JensenShannon{Gamma: g, Negative: n}
}

// ready says whether there is a kernel.
func (f Homogeneous) ready() bool {
	return f.Kernel != nil && !domain.IsNil(f.Kernel(1, spectral.RejectNegative))
}

// series says whether the map has frequencies. A point mass has none.
func (f Homogeneous) series() bool { return !pointMass(f.Kernel(1, spectral.RejectNegative)) }

func (f Homogeneous) traits() Traits {
	t := Traits{Tunable: f.series(), Zeros: true, Width: "2·order+1 columns for each input column, twice that for negative=split",
		lends: true}
	if !t.Tunable {
		t.Width = "one column for each input column, two for negative=split"
	}
	return t
}

func (f Homogeneous) params() []ParamDef {
	if f.series() {
		return seriesDefs
	}
	return []ParamDef{gammaDef, negativeDef}
}

// of returns the kernel of values that are in range.
func (f Homogeneous) of(v Values) spectral.Homogeneous {
	n, _ := spectral.ParseNegative(v.Word("negative"))
	return f.Kernel(v.Number("gamma"), n)
}

// columns returns the number of output columns.
func (f Homogeneous) columns(s Spec) int {
	d := (2*int(s.Params.Number("order")) + 1) * s.Dims // order 0 where there is none
	if s.Params.Word("negative") == spectral.SplitNegative.String() {
		d *= 2
	}
	return d
}

// options returns the options that the parameters stand for.
func (f Homogeneous) options(v Values) []Option {
	if !f.series() {
		return nil
	}
	w, _ := spectral.ParseWindow(v.Word("window"))
	opts := []Option{WithOrder(int(v.Number("order"))), WithWindow(w)}
	switch period, ok := v["period"].(float64); {
	case ok:
		opts = append(opts, WithPeriod(period))
	case v.Word("period") == "optimal":
		opts = append(opts, WithOptimalPeriod())
	}
	return opts
}

func (f Homogeneous) plan(s Spec) (plan, error) {
	k := f.of(s.Params)
	return plan{kernel: k, columns: f.columns(s), build: func(opts []Option) (Layer, error) {
		return NewHomogeneousLayer(k, s.Dims, append(opts, f.options(s.Params)...)...)
	}}, nil
}

func (f Exponentiated) ready() bool { return Homogeneous(f).ready() }

func (f Exponentiated) traits() Traits {
	return Traits{Draws: DrawsFrequencies, Tunable: true, lends: true}
}

func (f Exponentiated) params() []ParamDef {
	defs := slices.Concat([]ParamDef{sigmaDef}, Homogeneous(f).params(), []ParamDef{phaseDef})
	if _, ok := f.kernel(Values{}).Laplacian(); ok {
		defs[1] = autoOrderDef
	}
	return defs
}

// kernel returns the kernel of values that are in range.
func (f Exponentiated) kernel(v Values) spectral.Exponentiated {
	return spectral.Exponentiated{Of: Homogeneous(f).of(v), Sigma: v.Number("sigma")}
}

// direct says whether the map has frequencies on x itself.
func (f Exponentiated) direct(v Values) bool {
	_, ok := f.kernel(v).Laplacian()
	return ok && v.Word("order") == "auto"
}

// together returns an error for options of a series that the map does not have.
func (f Exponentiated) together(given Values) error {
	order, stated := given["order"]
	if _, ok := f.kernel(given).Laplacian(); !ok || stated && order != "auto" {
		return nil
	}
	for _, p := range seriesDefs {
		if value, stated := given[p.Name]; stated && value != p.Default && (p.Name == "window" || p.Name == "period") {
			return fmt.Errorf("layers: %s = %v is of a series, and without an order the map has frequencies on x "+
				"itself; give an order, or leave %s out: %w", p.Name, value, p.Name, ErrParam)
		}
	}
	return nil
}

func (f Exponentiated) fill(v Values, x ops.Matrix) error {
	return fill(v, "sigma", func() (float64, error) { return metricSigma(Homogeneous(f).of(v), x) })
}

func (f Exponentiated) plan(s Spec) (plan, error) {
	inner, k := Homogeneous(f), f.kernel(s.Params)
	if f.direct(s.Params) {
		return plan{kernel: k, build: func(opts []Option) (Layer, error) {
			return NewExponentiatedLayer(k, s.Dims, s.Features, opts...)
		}}, nil
	}
	if s.Params.Word("order") == "auto" {
		s.Params = maps.Clone(s.Params)
		s.Params["order"] = 1.
	}
	return plan{kernel: k, lifted: inner.columns(s), build: func(opts []Option) (Layer, error) {
		return NewExponentiatedLayer(k, s.Dims, s.Features, append(opts, inner.options(s.Params)...)...)
	}}, nil
}
