package ops_test

import (
	"math"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestDtype: float32 rows give float32 features, which differ from those in float64 by no more than the rounding of W, of c, of
// b and of a product of d terms; rows or a dst of the other element type are an error.
func TestDtype(t *testing.T) {
	const n, m = 13, 67
	forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
		d := v.dims(17)
		x32 := matrix(tensor.Float32, n, d, floats(v.rows(n, d, 5))...)
		x64 := matrix(tensor.Float64, n, d, floats(x32)...)
		l32 := v.build(t, d, m, 5, tuned(p), dtype(tensor.Float32))
		l64 := v.in64(t, l32, m, p)
		z, err := l32.Transform(nil, x32)
		if err != nil {
			t.Fatal(err)
		}
		if z.Dtype() != tensor.Float32 || l32.Dtype() != tensor.Float32 {
			t.Fatalf("the layer is %v, its features of float32 rows are %v", l32.Dtype(), z.Dtype())
		}
		got, want := floats(z), transform(t, l64, x64)
		bound := v.rounding(t, x64, m)
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= bound[i]) {
				t.Fatalf("%v: feature [%d,%d] is %v in float32 and %v in float64, bound %.2g", l32, i/l32.Features(), i%l32.Features(), got[i], want[i], bound[i])
			}
		}
		for _, c := range []struct {
			l   layers.Layer
			x   *tensor.Dense
			dst tensor.Dtype
		}{{l32, x64, tensor.Float32}, {l64, x32, tensor.Float64}, {l32, x32, tensor.Float64}, {l64, x64, tensor.Float32}} {
			_, err := c.l.Transform(matrix(c.dst, n, c.l.Features(), 0), c.x)
			wantErr(t, err, layers.ErrDtype, c.l.Name(), "float32", "float64")
			if c.x.Dtype() == c.l.Dtype() {
				continue
			}
			_, err = c.l.Transform(nil, c.x)
			wantErr(t, err, layers.ErrDtype, c.l.Name(), "float32", "float64")
			in := G.NewMatrix(G.NewGraph(), c.x.Dtype(), G.WithShape(n, d), G.WithName("x"), G.WithValue(c.x))
			wantErr(t, c.l.Fwd(in).Err(), layers.ErrDtype, c.l.Name(), "WithDtype")
		}
	})
}

// in64 is the layer of seed 5 in float64. Of a fitted one it has the parameters of l: eigenvectors of rounded landmarks are others.
func (v variant) in64(t *testing.T, l layers.Layer, m int, p layers.Policy) layers.Layer {
	t.Helper()
	l64 := v.build(t, l.Dims(), m, 5, tuned(p))
	if v.form != fitted {
		return l64
	}
	wide := map[string]*tensor.Dense{}
	for _, p := range l.Params() {
		s := p.Value.Shape()
		wide[p.Name] = matrix(tensor.Float64, s[0], s[1], floats(p.Value)...)
	}
	if err := l64.SetParams(wide); err != nil {
		t.Fatal(err)
	}
	return l64
}

// rounding bounds the difference of each feature. With u = 2⁻²⁴, the phase p = Σ aᵢwᵢ + b of d terms, where a is x or ln(x+c),
// differs by at most (d+6)u Σ|aᵢwᵢ| + 2u|b|, plus 2u Σ|wᵢ| for the rounding of c where there is one: d for the product, the
// others for W, for a tuned W that is W₀·exp(-ρ) or exp(ln W), |ln w| u each, and for a. Cosine, sine and exp(-p), p >= 0, have
// slopes of at most 1, and the result is rounded once. A structured projection is norm·v·x with a unit vector v; its 3 log₂ d' stages
// keep the length of x, but for a known factor, and round once each, as do the norm, exp(-ρ), x and the product. For few columns
// the product is one of d terms with W: Σ|xᵢwᵢ| is at most norm·‖x‖, and all of them round at most d+6 times.
func (v variant) rounding(t *testing.T, x *tensor.Dense, m int) []float64 {
	t.Helper()
	const u = 1. / (1 << 24)
	n, d := x.Shape()[0], x.Shape()[1]
	l := v.build(t, d, m, 5)
	out := make([]float64, n*l.Features())
	if v.form == copied {
		return out
	}
	if h, ok := l.(*layers.HomogeneousLayer); ok {
		return roundingOfSeries(h, x.Float64s())
	}
	if v.form == fitted { // computed in float64, and rounded once; |z|² <= k(x, x) <= 1
		for i := range out {
			out[i] = u
		}
		return out
	}
	if v.form == discrete { // in float64 from signs; the scales and the result are rounded once
		if z, err := l.Transform(nil, x); err == nil { // zeros are not on the sphere
			for i, c := range z.Float64s() {
				out[i] = 3*u*math.Abs(c) + 1e-14
			}
		}
		return out
	}
	on, off := v.randomRows(t, x).Float64s(), make([]float64, 0)
	switch l := l.(type) {
	case *layers.ExponentiatedLayer:
		if l.Homogeneous() == nil {
			break
		}
		off = roundingOfSeries(l.Homogeneous(), x.Float64s())
	case *layers.LevyLayer:
		off = v.roundingOfMetric(l, x.Float64s(), len(on))
	}
	if v.way() == "normalised" {
		v.roundingOfNormalised(out, l, x.Float64s(), n)
		return out
	}
	d = len(on) / n
	params := map[string][]float64{}
	for _, p := range l.Params() {
		params[p.Name] = p.Value.Float64s()
	}
	if v.form == signed {
		v.roundingOfSigned(out, x, params)
		return out
	}
	ws, shifted := params["W"], params["c"] != nil
	logs := make([]float64, len(ws))
	for i, w := range ws {
		logs[i] = math.Abs(math.Log(math.Max(math.Abs(w), 1e-45)))
	}
	as := slices.Clone(on)
	if shifted {
		for i, a := range on {
			as[i] = math.Log(a + params["c"][0])
		}
	}
	scale := math.Sqrt(2 / float64(m))
	if v.form == tangent {
		m *= 2 // columns of W
	}
	for i := range out {
		at, j := i/l.Features(), i%l.Features()%m
		dp := 0.0
		if norms := params["norms"]; norms != nil {
			xs := on[at*d : at*d+d]
			dp = max(3*math.Log2(float64(spectral.PaddedDims(d)))+4, float64(d+6)) * u * norms[j] * math.Sqrt(dot(xs, xs))
			if len(off) > 0 {
				dp += norms[j] * math.Sqrt(dot(off[at*d:at*d+d], off[at*d:at*d+d]))
			}
		}
		for k := range d {
			if ws == nil {
				break
			}
			w, a := math.Abs(ws[k*m+j]), as[at*d+k]
			if len(off) > 0 {
				dp += w * off[at*d+k]
			}
			if shifted {
				dp += 2 * u * w
			}
			dp += (float64(d+6) + logs[k*m+j]) * u * math.Abs(a) * w
		}
		if b := params["b"]; b != nil {
			dp += 2 * u * b[j]
		}
		out[i] = scale * (dp + 2*u)
		if v.way() != "" {
			xs := row(x.Float64s(), n, at)
			out[i] = v.length(xs) * scale * (dp + (6-4*math.Log(v.length(xs)))*u)
		}
	}
	return out
}

// roundingOfMetric is what the columns of x in the unit of the kernel, rounded thrice, are off: as those of a homogeneous map, or of the order of
// the rounding of a logarithm of 1 + 2x.
func (v variant) roundingOfMetric(l *layers.LevyLayer, x []float64, columns int) []float64 {
	const u = 1. / (1 << 24)
	scaled, out := make([]float64, len(x)), make([]float64, columns)
	for i, c := range x {
		scaled[i] = v.unit() * c
	}
	if h, ok := l.Metric().(*layers.HomogeneousLayer); ok {
		return roundingOfSeries(h, scaled)
	}
	for i := range out {
		if c := scaled[i/(columns/len(x))]; c != 0 {
			out[i] = 12 * u * (1 + math.Log1p(2*c))
		}
	}
	return out
}

// roundingOfNormalised: a projection p is off by δp = (d+8)u p and the rounding of a tuned W, exp(-p)/‖exp(-p)‖ then by δp and the mean of δp
// over the squares of the row, and the length as its logarithm is.
func (v variant) roundingOfNormalised(out []float64, l layers.Layer, x []float64, n int) {
	const u = 1. / (1 << 24)
	d, m, w := len(x)/n, l.Features(), l.Params()[0].Value.Float64s()
	z := matrix(tensor.Float64, n, d, x...)
	features, err := l.Transform(nil, z)
	for i := range n {
		xs, length, mean := x[i*d:i*d+d], v.length(x[i*d:i*d+d]), 0.0
		delta := make([]float64, m)
		for j := range m {
			for k, c := range xs {
				delta[j] += (float64(d+8) + math.Abs(math.Log(math.Max(w[k*m+j], 1e-45)))) * u * c * w[k*m+j]
			}
			if err == nil {
				unit := features.Float64s()[i*m+j] / length
				mean += unit * unit * delta[j]
			}
		}
		for j := range m {
			out[i*m+j] = 1e-38 + 2*length*math.Min(1, features.Float64s()[i*m+j]/length)*(delta[j]+mean+(8-4*math.Log(length))*u)
		}
	}
}

// roundingOfSigned: the phase r Σ xᵢuᵢ of d terms differs by (d+8)u r Σ|xᵢuᵢ|, d for the sum, the others for u, r, a bandwidth and the
// product; and a root by some roundings.
func (v variant) roundingOfSigned(out []float64, x *tensor.Dense, params map[string][]float64) {
	const u = 1. / (1 << 24)
	d, norms, roots, directions := x.Shape()[1], params["norms"], params["roots"], params["U"]
	m, q, cols := len(norms)/len(roots), len(directions)/d, 2*len(norms)
	for i := range out {
		at, j := i/cols, i%cols
		b, k := j/(2*m), j/(2*m)*m+j%m
		dp := 2.
		for l := range d {
			dp += float64(d+8) * math.Abs(x.Float64s()[at*d+l]*directions[l*q+k%q]) * norms[k]
		}
		out[i] = roots[b] / math.Sqrt(float64(m)) * u * (dp + 8)
	}
}

// roundingOfSeries: the phase f L ln|x| is off by u of ln|x|, of L and of the product each, and so by 4u|f L ln|x|| with a tuned L, which is
// rounded once more as ln L; the size |x|^{γ/2} by as much of γ/2 ln|x|, and every number by some roundings. Under an exponential the
// homogeneous map adds this to the rounding of what its frequencies multiply.
func roundingOfSeries(l *layers.HomogeneousLayer, x []float64) []float64 {
	const u = 1. / (1 << 24)
	h, out := l.Harmonics(), make([]float64, len(x)/l.Dims()*l.Features())
	gamma, per := l.Kernel().(spectral.Homogeneous).Degree(), len(out)/len(x)
	fastest := float64(h.F[h.Order()])*h.Base()*(1+math.Abs(math.Log(h.Base()))) + gamma
	for i := range out {
		if c := math.Abs(x[i/per]); c != 0 {
			out[i] = 2 * math.Pow(c, gamma/2) * u * (8 + 4*fastest*math.Abs(math.Log(c)))
		}
	}
	return out
}
