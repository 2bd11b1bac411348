package spectral

import (
	"math"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

func TestCustomValidate(t *testing.T) {
	base := customGaussian
	for _, c := range []struct {
		change func(k *Custom)
		says   string
	}{
		{func(k *Custom) { k.Of.Transform = 0 }, "no transform"},
		{func(k *Custom) { k.Of.Transform = 9 }, "Transform(9)"},
		{func(k *Custom) { k.Of.Transform = ReLU }, "say Fourier, Laplace or LogFourier"},
		{func(k *Custom) { k.Exact = nil }, "Exact"},
		{func(k *Custom) { k.Of.Draw = nil }, "give Draw, Quantile or NormQuantile"},
		{func(k *Custom) { k.Of.Shift = 1 }, "Shift = 1"},
		{func(k *Custom) { k.Of.Transform, k.On = Laplace, domain.UnitSphere(1e-9) }, "x >= 0"},
		{func(k *Custom) { k.Of.Transform, k.On = LogFourier, domain.NonNegative() }, "-Shift"},
		{func(k *Custom) { k.Of.Transform, k.Of.Shift = LogFourier, -1 }, "C = -1"},
		{func(k *Custom) { k.Of.Transform, k.Of.Shift = LogFourier, math.NaN() }, "C = NaN"},
	} {
		k := base
		c.change(&k)
		wantErr(t, k.Validate(), ErrParam, "spectral: Custom", c.says)
		_, err := Frequencies(k, IID{}, 2, 3, 1)
		wantErr(t, err, ErrParam)
	}
	for _, k := range []Custom{
		base,
		{Exact: base.Exact, Of: Law{Transform: Laplace, Draw: base.Of.Draw}},
		{Exact: base.Exact, Of: Law{Transform: LogFourier, Shift: .2, Draw: base.Of.Draw}},
		{Exact: base.Exact, Of: Law{Transform: LogFourier, Shift: .2, Draw: base.Of.Draw}, On: domain.NonNegative()},
		{Exact: base.Exact, Of: Law{Transform: Fourier, Draw: base.Of.Draw}, On: domain.UnitSphere(1e-9)},
	} {
		if err := k.Validate(); err != nil {
			t.Errorf("%v, %v: %v", k.Of.Transform, k.On, err)
		}
	}
}

func TestCustomDomain(t *testing.T) {
	for _, c := range []struct {
		k    Custom
		want Domain
	}{
		{Custom{Of: Law{Transform: Fourier}}, domain.Reals()},
		{Custom{Of: Law{Transform: Laplace}}, domain.NonNegative()},
		{Custom{Of: Law{Transform: LogFourier, Shift: .2}}, domain.Above(0.2)},
		{Custom{Of: Law{Transform: LogFourier, Shift: .2}, On: domain.NonNegative()}, domain.NonNegative()},
	} {
		if got := c.k.Domain(); got != c.want {
			t.Errorf("%v: %v, want %v", c.k.Of.Transform, got, c.want)
		}
	}
}
