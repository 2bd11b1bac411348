package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// way is a way to the features of a semigroup kernel.
//
// laplace is the default, although auto has a fraction of its kernel error: a classifier on fewer than some thousand
// columns does not gain by that, and loses where auto chooses levy. On optdigits under ridge it has .953 against .960
// with 256 columns, .971 against .977 with 1024 (examples/papers/yang2014.md). The scale of the centred columns is not
// the reason: ridge with an intercept and a penalty that it chooses does not depend on it. The reason is probably what
// the columns span. At the default β the kernel is nearly linear in Ψ, and a few Fourier columns span little more than
// linear functions. Laplace frequencies have heavy tails: some of their columns are steep functions of single cells,
// which are errors of the kernel and separate classes.
type way int

const (
	laplaceWay    way = iota // RandomLaplaceLayer
	normalisedWay            // the same, WithNormalisation
	levyWay                  // LevyLayer
	autoWay                  // one of the last two
)

// semigroupForm is the part of the forms of semigroup kernels that they share.
type semigroupForm struct {
	Kernel spectral.Semigroup `param:",inline"`
	Way    way                `param:"way" words:"laplace,normalised,levy,auto" default:"laplace"`
}

// expSemigroupForm is the form of spectral.ExpSemigroup.
type expSemigroupForm struct {
	semigroupForm
	Order int `param:"order" range:"[1,100]" default:"1" doc:"order n of levy: 2n+1 columns for each input"`
}

// reciprocalForm is the form of spectral.ReciprocalSemigroup.
type reciprocalForm struct {
	semigroupForm
	Order int `param:"order" range:"[1,16]" doc:"order n of levy: 2n columns for each input"`
}

// semigroupFormOf returns the form of a kernel that has one of the two, or nil.
func semigroupFormOf(k spectral.Kernel, by way, order int) form {
	switch k := k.(type) {
	case spectral.ExpSemigroup:
		return expSemigroupForm{semigroupForm{k, by}, order}
	case spectral.ReciprocalSemigroup:
		return reciprocalForm{semigroupForm{k, by}, order}
	}
	return nil
}

// hides hides the order unless the way may be levy.
func (f semigroupForm) hides(name string) bool { return name == "order" && f.Way < levyWay }

func (f expSemigroupForm) plan(s Spec) (plan, error) { return f.planned(s, f.Order, 2*f.Order+1) }

func (f reciprocalForm) plan(s Spec) (plan, error) { return f.planned(s, f.Order, 2*f.Order) }

// fill finds the default order in the data.
func (f reciprocalForm) fill(v Values, x ops.Matrix) error {
	if f.hides("order") {
		return nil
	}
	return fill(v, "order", func() (float64, error) { return wavesOrder(v, x) })
}

// planned is plan for an order of way=levy and the columns that it makes of an input column.
func (f semigroupForm) planned(s Spec, order, columns int) (plan, error) {
	by := f.chosen(s)
	p := plan{kernel: f.Kernel, size: s.frequencies(s.Dims, s.Features)}
	switch {
	case by == levyWay:
		p.size, p.sampler = s.fourier(columns*s.Dims, false), spectral.Orthogonal{Coupled: true}.String()
	case by == normalisedWay && s.Dims <= mostSobol:
		p.sampler = spectral.Sobol{}.String()
	}
	p.build = func(o options) (Layer, error) {
		switch by {
		case levyWay:
			o.harmonics.order = &order
			return NewLevyLayer(f.Kernel, s.Dims, s.Features, withAll(o))
		case normalisedWay:
			o.normalise = true
		}
		return NewRandomLaplaceLayer(f.Kernel, s.Dims, s.Features, withAll(o))
	}
	return p, nil
}

// chosen returns the way, with auto resolved. The choice depends on the spec alone. Do not change it: model files rely
// on it.
func (f semigroupForm) chosen(s Spec) way {
	if f.Way != autoWay {
		return f.Way
	}
	switch s.Sampler {
	case spectral.Orthogonal{}.String(), spectral.Orthogonal{Coupled: true}.String(), spectral.Structured{}.String():
		// These samplers draw directions, and Laplace frequencies have none.
		return levyWay
	}
	if s.Features%2 == 0 && s.Features >= 3*s.Dims { // enough for LevyLayer to be the better map
		return levyWay
	}
	return normalisedWay
}

// mostSobol is the largest number of columns for which normalised rows have Sobol' points by default. These halve the
// error in few dimensions, and reduce it a little in a thousand. Beyond, the default is independent frequencies:
// opposite quantiles are no better for the exponential kernel, and worse by a tenth for the reciprocal one.
const mostSobol = 1000

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

// unitOf returns the f of a kernel exp(-Σ f(s(x + z))) and its scale s, β² or 1/λ. Errors (ErrParam): another kernel, a
// scale that the element type cannot hold.
func unitOf(b *base, k spectral.Kernel) (f ops.Exponent, scale float64, err error) {
	switch k := k.(type) {
	case spectral.ExpSemigroup:
		f, scale = ops.Root, k.Beta*k.Beta
	case spectral.ReciprocalSemigroup:
		f, scale = ops.Log1p, 1/k.Lambda
	default:
		return 0, 0, fmt.Errorf("%s: the length √k(x, x) is known for spectral.ExpSemigroup and "+
			"spectral.ReciprocalSemigroup, not for %T; leave WithNormalisation out: %w", b.who(), k, ErrParam)
	}
	least, most := 0x1p-1022, math.MaxFloat64
	if b.dt == tensor.Float32 {
		least, most = 0x1p-126, math.MaxFloat32
	}
	if !(scale >= least && scale <= most) {
		return 0, 0, fmt.Errorf("%s: %s has the scale %v, which %v cannot hold; scale the data and the parameter "+
			"together: %w", b.who(), kernelText(k), scale, b.dt, ErrParam)
	}
	return f, scale, nil
}
