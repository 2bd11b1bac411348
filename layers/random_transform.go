package layers

import (
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Transform writes the features of the rows of x to dst.
func (l *randomMap) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	return l.transform(dst, x)
}

// TransformCSR is Transform for sparse rows.
func (l *randomMap) TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	return l.transform(dst, x)
}

func (l *randomMap) transform(dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	l.use()
	a := l.attr()
	w, err := l.weights(a)
	if err != nil {
		return nil, err
	}
	switch c := l.shift(); {
	case c != nil:
		return l.op(a).Into(dst, x, c, w, l.param("b"))
	case l.normalised:
		return l.transformNormalised(dst, x, w, a)
	}
	return l.op(a).Into(dst, x, w, l.param("b"))
}

// weights returns W, packed if it is kept, with the values that a graph would use.
func (l *randomMap) weights(a ops.Attr) (ops.Input, error) {
	kept := &l.packed
	if l.watch.out.Load() {
		kept = &l.checked
	}
	if w := kept.Load(); w != nil {
		return w, nil
	}
	keep := func(w *ops.Weights, err error) (ops.Input, error) {
		if err != nil {
			return nil, err
		}
		if l.keepsW() {
			if kept.Store(w); kept == &l.packed && l.watch.out.Load() {
				kept.Store(nil)
			}
		}
		return w, nil
	}
	if l.structured {
		return keep(l.op(a).Pack(l.dims, l.param("signs"), l.param("norms"), l.param("log_bandwidth")))
	}
	t := l.param("W")
	if v := l.param("log_W"); v != nil {
		t = mapTensor(v, math.Exp)
	}
	if rho := l.param("log_bandwidth"); rho != nil {
		var err error
		if t, err = ops.Bandwidth(a).Into(nil, t, rho); err != nil {
			return nil, err
		}
	}
	if err := l.checkFrequencies(t); err != nil || !l.keepsW() {
		return t, err
	}
	return keep(l.op(a).Pack(l.dims, t))
}

// keepsW says whether no solver changes W.
func (l *randomMap) keepsW() bool {
	return l.policy == Frozen || l.param("raw_c") != nil && l.policy != All
}

// checkFrequencies returns an error for a frequency that is not finite or, in a Laplace map, negative. Parameters that
// were set or tuned may contain one, which would silently make features of NaN.
func (l *randomMap) checkFrequencies(w *tensor.Dense) error {
	on := domain.Reals()
	if l.law.Transform == spectral.Laplace {
		on = domain.NonNegative()
	}
	return ops.CheckFrequencies(on, l.who(), w)
}

// shift returns c with the value that a graph would use, or nil.
func (l *randomMap) shift() *tensor.Dense {
	if raw := l.param("raw_c"); raw != nil {
		return mapTensor(raw, softplus)
	}
	return l.param("c")
}

func softplus(v float64) float64 { return math.Max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }

// inverseSoftplus returns ln(exp(c) - 1), for any c > 0.
func inverseSoftplus(c float64) float64 { return c + math.Log(-math.Expm1(-c)) }

// mapTensor applies f to every entry of a copy.
func mapTensor(t *tensor.Dense, f func(float64) float64) *tensor.Dense {
	v := slices.Clone(ops.Float64s(t))
	for i, x := range v {
		v[i] = f(x)
	}
	return newTensor(t.Dtype(), v, t.Shape().Clone()...)
}
