package layers

import (
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// The ways to the features of a semigroup kernel.
const (
	laplaceWay    = "laplace"    // RandomLaplaceLayer
	normalisedWay = "normalised" // the same, WithNormalisation
	levyWay       = "levy"       // LevyLayer
	autoWay       = "auto"       // one of the last two, by levyPays
)

// wayParam is the parameter that chooses the features. Specs that were written before there was a choice do not have
// it, and mean laplace.
//
// laplace is the default, although auto has a fraction of its kernel error: a classifier on fewer than some thousand
// columns does not gain by that, and loses where auto chooses levy. On optdigits under ridge it has .953 against .960
// with 256 columns, .971 against .977 with 1024 (examples/papers/yang2014.md). The scale of the centred columns is not
// the reason: ridge with an intercept and a penalty that it chooses does not depend on it. The reason is probably what
// the columns span. At the default β the kernel is nearly linear in Ψ, and a few Fourier columns span little more than
// linear functions. Laplace frequencies have heavy tails: some of their columns are steep functions of single cells,
// which are errors of the kernel and separate classes.
const wayParam = "way"

var (
	wayDef = ParamDef{Name: wayParam, Doc: "the features: Laplace features; the same, rows normalised to √k(x, x); a " +
		"Gaussian's on a map without randomness; or the better of the last two for so many features",
		Words: []string{laplaceWay, normalisedWay, levyWay, autoWay}, Default: laplaceWay, OfMap: true}
	wayOrderDef = ParamDef{Name: "order", Doc: "order n of that map: 2n+1 columns for each input column, or 2n for " +
		"the reciprocal kernel", Whole: true, Min: 1, Closed: true, OfMap: true}
)

// semigroupForm is the form of a semigroup kernel with one parameter of its own and several kinds of features.
type semigroupForm struct {
	param     ParamDef
	kernel    func(v float64) spectral.Semigroup
	defaults  func(v Values, x ops.Matrix) error // of param
	columns   func(order int) int                // what the map of way=levy makes of an input column
	mostOrder int
	// order finds the default order of that map in the data; nil: it is 1.
	order func(v Values, x ops.Matrix) (float64, error)
}

func (semigroupForm) traits() Traits {
	return Traits{Draws: DrawsFrequencies, Tunable: true, lends: true}
}

func (f semigroupForm) params() []ParamDef { return []ParamDef{f.param, wayDef} }

// ordered says whether there is a parameter order: whether the way may be levy.
func ordered(v Values) bool { way := v.Word(wayParam); return way == levyWay || way == autoWay }

func (f semigroupForm) more(v Values) []ParamDef {
	if !ordered(v) {
		return nil
	}
	d := wayOrderDef
	if d.Max = float64(f.mostOrder); f.order == nil {
		d.Default = 1.
	}
	return []ParamDef{d}
}

func (semigroupForm) together(Values) error { return nil }

func (f semigroupForm) fill(v Values, x ops.Matrix) error {
	if err := f.defaults(v, x); err != nil || f.order == nil || !ordered(v) {
		return err
	}
	return fill(v, "order", func() (float64, error) { return f.order(v, x) })
}

func (f semigroupForm) plan(s Spec) (plan, error) {
	k, way, order := f.kernel(s.Params.Number(f.param.Name)), s.way(s.Params), int(s.Params.Number("order"))
	p := plan{kernel: k}
	switch {
	case way == levyWay:
		p.lifted, p.sampler = f.columns(order)*s.Dims, spectral.Coupled{}.String()
	case way == normalisedWay && s.Dims <= mostSobol:
		p.sampler = spectral.Sobol{}.String()
	}
	p.build = func(opts []Option) (Layer, error) {
		switch way {
		case levyWay:
			return NewLevyLayer(k, s.Dims, s.Features, append(opts, WithOrder(order))...)
		case normalisedWay:
			opts = append(opts, WithNormalisation())
		}
		return NewRandomLaplaceLayer(k, s.Dims, s.Features, opts...)
	}
	return p, nil
}

// way returns the way of a full set of parameters, with auto resolved. The choice depends on the spec alone. Do not
// change it: model files rely on it.
func (s Spec) way(v Values) string {
	way := v.Word(wayParam)
	if way != autoWay {
		return way
	}
	switch s.Sampler {
	case spectral.Orthogonal{}.String(), spectral.Coupled{}.String(), spectral.Structured{}.String():
		// These samplers draw directions, and Laplace frequencies have none.
		return levyWay
	}
	if s.Features%2 == 0 && levyPays(s.Dims, s.Features) {
		return levyWay
	}
	return normalisedWay
}

// mostSobol is the largest number of columns for which normalised rows have Sobol' points by default. These halve the
// error in few dimensions, and reduce it a little in a thousand. Beyond, the default is independent frequencies:
// opposite quantiles are no better for the exponential kernel, and worse by a tenth for the reciprocal one.
const mostSobol = 1000

// levyPays says whether there are enough features, for the columns of x, for LevyLayer to be the better map.
func levyPays(dims, features int) bool { return features >= 3*dims }

// wavesOrder returns the least order for which the metric between 0 and the largest cell has an error of at most one in
// a hundred, but at most 8. At the default λ it is one or two, unless single cells hold most of their rows. Without
// rows it is 1.
func wavesOrder(v Values, x ops.Matrix) (float64, error) {
	const most, share = 8, .01
	if x == nil {
		return 1, nil
	}
	rows, err := sample(x, 1000, domain.NonNegative())
	if err != nil {
		return 0, err
	}
	largest := 0.0
	for _, row := range rows {
		for _, c := range row {
			largest = math.Max(largest, c)
		}
	}
	t := math.Log1p(2 * largest / v.Number("lambda"))
	exact := spectral.ReciprocalSemigroup{Lambda: 1}.Metric([]float64{math.Expm1(t) / 2}, []float64{0})
	for n := 1; n < most; n++ {
		off, err := spectral.LogWavesError(n, t)
		if err != nil {
			return 0, err
		}
		if off <= share*exact {
			return float64(n), nil
		}
	}
	return most, nil
}
