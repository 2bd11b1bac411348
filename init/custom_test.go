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
		{func(k *Custom) { k.Form = 0 }, "Form"},
		{func(k *Custom) { k.Form = 9 }, "Transform(9)"},
		{func(k *Custom) { k.Exact = nil }, "Exact"},
		{func(k *Custom) { k.Frequency = nil }, "Frequency"},
		{func(k *Custom) { k.C = 1 }, "C = 1"},
		{func(k *Custom) { k.Form, k.On = Laplace, domain.UnitSphere(1e-9) }, "x >= 0"},
		{func(k *Custom) { k.Form, k.On = LogFourier, domain.NonNegative() }, "-C"},
		{func(k *Custom) { k.Form, k.C = LogFourier, -1 }, "C = -1"},
		{func(k *Custom) { k.Form, k.C = LogFourier, math.NaN() }, "C = NaN"},
	} {
		k := base
		c.change(&k)
		wantErr(t, k.Validate(), ErrParam, "spectral: Custom", c.says)
		_, err := Frequencies(k, IID{}, 2, 3, 1)
		wantErr(t, err, ErrParam)
	}
	for _, k := range []Custom{
		base,
		{Form: Laplace, Exact: base.Exact, Frequency: base.Frequency},
		{Form: LogFourier, C: 0.2, Exact: base.Exact, Frequency: base.Frequency},
		{Form: LogFourier, C: 0.2, On: domain.NonNegative(), Exact: base.Exact, Frequency: base.Frequency},
		{Form: Fourier, On: domain.UnitSphere(1e-9), Exact: base.Exact, Frequency: base.Frequency},
	} {
		if err := k.Validate(); err != nil {
			t.Errorf("%v, %v: %v", k.Form, k.On, err)
		}
	}
}

func TestCustomDomain(t *testing.T) {
	for _, c := range []struct {
		k    Custom
		want Domain
	}{
		{Custom{Form: Fourier}, domain.Reals()},
		{Custom{Form: Laplace}, domain.NonNegative()},
		{Custom{Form: LogFourier, C: 0.2}, domain.Above(0.2)},
		{Custom{Form: LogFourier, C: 0.2, On: domain.NonNegative()}, domain.NonNegative()},
	} {
		if got := c.k.Domain(); got != c.want {
			t.Errorf("%v: %v, want %v", c.k.Form, got, c.want)
		}
	}
}

func TestTransformString(t *testing.T) {
	for tr, want := range map[Transform]string{Fourier: "Fourier", Laplace: "Laplace", LogFourier: "LogFourier",
		7: "Transform(7)"} {
		if tr.String() != want {
			t.Errorf("%q, want %q", tr, want)
		}
	}
}
