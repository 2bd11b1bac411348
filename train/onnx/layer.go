package onnx

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
)

// params are the parameters of a layer by name, in float64. Those that the map tunes by a logarithm, log_L, or an
// inverse softplus, raw_c, stand there as what they are of: L and c. The logarithms of bandwidths stay.
type params struct {
	of     fmt.Stringer
	values map[string][]float64
	shapes map[string][]int
}

func paramsOf(l layers.Layer) params {
	p := params{of: l, values: map[string][]float64{}, shapes: map[string][]int{}}
	for _, each := range l.Params() {
		if natural := each.Natural(); natural.Name != "bandwidth" {
			each = natural
		}
		p.values[each.Name], p.shapes[each.Name] = ops.Float64s(each.Value), each.Value.Shape()
	}
	return p
}

// mapped are the values of f.
func mapped(v []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(v))
	for i, u := range v {
		out[i] = f(u)
	}
	return out
}

// get returns a parameter; a missing one is an error.
func (p params) get(name string) []float64 {
	v := p.values[name]
	if v == nil {
		fail(domain.ErrParam, "%v has no parameter %s; restore it from a whole model file", p.of, name)
	}
	return v
}

// columns is the number of columns of a parameter.
func (p params) columns(name string) int {
	s := p.shapes[name]
	if len(s) != 2 || s[1] == 0 {
		p.get(name)
		fail(domain.ErrShape, "%v: the parameter %s is no matrix", p.of, name)
	}
	return s[1]
}

// bandwidths are exp(-log_bandwidth), one for each of the d rows of W.
func (p params) bandwidths(d int) []float64 {
	v, log := make([]float64, d), p.values["log_bandwidth"]
	for i := range v {
		switch len(log) {
		case 0:
			v[i] = 1
		case 1:
			v[i] = math.Exp(-log[0])
		case d:
			v[i] = math.Exp(-log[i])
		default:
			fail(domain.ErrShape, "%v: %d bandwidths for %d columns", p.of, len(log), d)
		}
	}
	return v
}

// layer adds a layer of the model.
func (g *graph) layer(l layers.Layer, x value) value {
	l = layers.Unwrap(l)
	p := paramsOf(l)
	switch l := l.(type) {
	case *layers.Identity:
		return x
	case *layers.RandomLayer:
		return g.random(x, p, l)
	case *layers.PeriodicLayer:
		return g.concat(1, x, g.activate(g.periodic(x, p, l.Dims()), l.Activation()))
	case *layers.LevyLayer:
		return g.levy(x, p, l)
	case *layers.HomogeneousLayer:
		return g.homogeneous(x, p, l)
	case *layers.ExponentiatedLayer:
		inner := l.Homogeneous()
		if inner == nil {
			return g.fourier(x, p, l.Dims())
		}
		psi := g.homogeneous(x, p, inner)
		return g.fourier(psi, p, inner.Features())
	case *layers.GORFLayer:
		return g.signed(x, p, l.Dims())
	case *layers.RandomMaclaurinLayer:
		return g.maclaurin(x, p, l.Dims())
	case *layers.TensorSketchLayer:
		return g.sketch(x, p, l)
	case *layers.BinningLayer:
		return g.binning(x, p, l)
	case *layers.AddKPCALayer:
		of, ok := l.Kernel().(spectral.Homogeneous)
		if !ok {
			break
		}
		return g.table(x, p, l.Dims(), of.Degree()/2, true)
	case *layers.MajiBergLayer:
		return g.table(x, p, l.Dims(), 1, false)
	case *layers.NystromLayer:
		return g.nystrom(x, p, l)
	case *layers.Dense:
		return g.activate(g.affine(x, p, l.Dims(), l.Features()), l.Activation())
	case *layers.Normalise:
		return g.normalise(x, l.Norm() == ops.L2)
	case *layers.Sequential:
		for i, part := range l.Layers() {
			x = g.within(fmt.Sprint(i), func() value { return g.layer(part, x) })
		}
		return x
	case *layers.Concat:
		return g.concat(1, g.parts(x, l.Parts(), l.Dims())...)
	case *layers.Product:
		return g.product(g.parts(x, l.Parts(), l.Dims()), l.Parts())
	case layers.BagMap:
		return fail(domain.ErrParam, "%v takes sets of samples, and an ONNX graph here takes rows; export a map of rows", l)
	}
	return fail(domain.ErrParam, "%v, a %T, has no form in standard operators; use a map of package layers", l, l)
}

// parts adds the parts of a Concat or Product of so many columns, each times √weight.
func (g *graph) parts(x value, parts []layers.Part, dims int) (all []value) {
	for i, part := range parts {
		all = append(all, g.within(fmt.Sprint(i), func() value {
			of := x
			if part.From != 0 || part.To != dims {
				of = g.slice(x, 1, part.From, part.To)
			}
			return g.times(g.layer(part.Layer, of), math.Sqrt(part.Weight))
		}))
	}
	return all
}

// product multiplies each column of one part by each of the others, the last part's running fastest.
func (g *graph) product(of []value, parts []layers.Part) value {
	z, columns := of[0], parts[0].Layer.Features()
	for i, next := range of[1:] {
		columns *= parts[i+1].Layer.Features()
		z = g.reshape(g.op("Mul", g.unsqueeze(z, 2), g.unsqueeze(next, 1)), columns)
	}
	return z
}

// affine is xW + b.
func (g *graph) affine(x value, p params, d, k int) value {
	return g.op("Gemm", x, g.weights("W", p.get("W"), d, k), g.weights("b", p.get("b"), k))
}

// activate adds the activation of a layer.
func (g *graph) activate(x value, f ops.Activation) value {
	switch f {
	case ops.Linear:
		return x
	case ops.ReLU:
		return g.op("Relu", x)
	case ops.Tanh:
		return g.op("Tanh", x)
	case ops.Sigmoid:
		return g.op("Sigmoid", x)
	case ops.Softplus:
		return g.softplus(x)
	}
	return fail(domain.ErrParam, "the activation %v has no form in ONNX", f)
}

// softplus is ln(1 + exp(x)) = max(x, 0) + ln(1 + exp(-|x|)).
func (g *graph) softplus(x value) value {
	tail := g.op("Log", g.op("Add", g.op("Exp", g.op("Neg", g.op("Abs", x))), g.scalar(1)))
	return g.op("Add", g.op("Relu", x), tail)
}
