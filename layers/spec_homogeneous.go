package layers

import (
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// The parameters of the homogeneous maps. Hellinger's map is exact and has the last two only.
var (
	gammaDef    = ParamDef{Name: "gamma", Doc: "degree γ: k is Σ (xz)^{γ/2} 𝒦(ln z - ln x)", Default: 1.}
	negativeDef = ParamDef{Name: "negative", Doc: "what x < 0 is: an error; part of sign(x) sign(z) k(|x|, |z|); or split from x > 0, a dimension of its own",
		Words: []string{"error", "sign", "split"}, Default: "error"}
	seriesDefs = []ParamDef{
		{Name: "order", Doc: "order n: 2n+1 columns for each input column", Whole: true, Closed: true, Max: spectral.MaxOrder, Default: 1., OfMap: true},
		gammaDef,
		{Name: "window", Doc: "window of the signature", Words: []string{"uniform", "rectangular"}, Default: "rectangular", OfMap: true},
		{Name: "period", Doc: "period Λ: the fitted one, that with the least largest error, or a number", Words: []string{"auto", "optimal"}, OrNumber: true, Default: "auto", OfMap: true},
		negativeDef,
	}
)

const histogramInputs = "x >= 0; any with `negative`"

// A homogeneousKernel makes one of the kernels with a degree and an extension.
type homogeneousKernel func(gamma float64, n spectral.Negative) spectral.Homogeneous

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

// of is the kernel of a spec's parameters, which are checked.
func (k homogeneousKernel) of(v Values) spectral.Homogeneous {
	n, _ := spectral.ParseNegative(v.Word("negative"))
	return k(v.Number("gamma"), n)
}

// params are the parameters that the map of the kernel has.
func (k homogeneousKernel) params() []ParamDef {
	if _, exact := k(1, 0).(spectral.Hellinger); exact {
		return []ParamDef{gammaDef, negativeDef}
	}
	return seriesDefs
}

// homogeneousColumns is the number of columns that a homogeneous map makes of dims.
func homogeneousColumns(v Values, dims int) int {
	d := (2*int(v.Number("order")) + 1) * dims // order 0 where there is none
	if v.Word("negative") == spectral.SplitNegative.String() {
		d *= 2
	}
	return d
}

// homogeneousEntry is the row of an additive kernel.
func homogeneousEntry(name, formula string, k homogeneousKernel) *Entry {
	e := &Entry{Name: name, Formula: formula, Inputs: histogramInputs, Paper: "Vedaldi and Zisserman 2012, figure 1", Params: k.params(), additive: true,
		Width:   "2·order+1 columns for each input column, twice that for negative=split",
		columns: homogeneousColumns, layer: of(homogeneousLayer),
		kernel: func(v Values) spectral.Kernel { return k.of(v) }}
	if e.Tunable = len(e.Params) == len(seriesDefs); !e.Tunable {
		e.Width = "one column for each input column, two for negative=split"
	}
	return e
}

// harmonicsOf are the options that a spec's parameters stand for.
func harmonicsOf(v Values) []Option {
	if v.Word("window") == "" { // Hellinger
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

func homogeneousLayer(k spectral.Homogeneous, s Spec, opts []Option) (Layer, error) {
	return NewHomogeneousLayer(k, s.Dims, append(opts, harmonicsOf(s.Params)...)...)
}

// exponentiatedEntry is the row of the Gaussian kernel of an additive kernel's metric D² = k(x,x) + k(z,z) - 2k(x,z).
func exponentiatedEntry(name, metric string, k homogeneousKernel) *Entry {
	params := append([]ParamDef{sigmaDef}, k.params()...)
	return &Entry{Name: name, Formula: "exp(-D²/2σ²), D² = " + metric, Inputs: histogramInputs, Paper: "Vedaldi and Zisserman 2012, (29)",
		Sampled: true, Tunable: true, Params: append(params, phaseDef), lifted: func(s Spec, v Values) int { return homogeneousColumns(v, s.Dims) }, layer: of(exponentiatedLayer),
		defaults: func(v Values, x ops.Matrix) error {
			return fill(v, "sigma", func() (float64, error) { return metricSigma(k.of(v), x) })
		},
		kernel: func(v Values) spectral.Kernel { return spectral.Exponentiated{Of: k.of(v), Sigma: v.Number("sigma")} }}
}

func exponentiatedLayer(k spectral.Exponentiated, s Spec, opts []Option) (Layer, error) {
	return NewExponentiatedLayer(k, s.Dims, s.Features, append(opts, harmonicsOf(s.Params)...)...)
}
