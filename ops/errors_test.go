package ops_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestErrors: every bad value and parameter is one error of the right kind that names the layer, the place and the
// value, without a graph and in one. TestMisfits has the shapes and types.
func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	a := ops.Attr{Layer: `layers: probe "here"`}
	w, x := rowsOf(2, 1, 1, 1, 1, 1, 1), rowsOf(3, .1, .2, .3, .4, 0, .6)
	l, r, h := vector(.7), vector(1, 1), ops.Series{F: []int{1}, Gamma: 1}
	mw, degrees, scales := products(tensor.Float64)
	buckets, sketchSigns := sketches(tensor.Float64, 2, 7)
	s, norms := rowsOf(4, signs...), vector(1, 1, 1, 1, 1, 1, 1)
	u, roots := rowsOf(2, 1, 1, 1, 1, 1, 1), vector(1, 1)
	lm, p := rowsOf(3, 1, 2, 3, 4, 5, 6), rowsOf(2, 1, 2, 3, 4)
	grid, hash := rowsOf(3, .1, .2, .3, .4, .5, .6), rowsOf(4, 1, 2, 3, 4, 5, 6, 7, 8)
	line, pairs := must(ops.NewGrid(10)), rowsOf(2, .5, 1)
	table := func(points, width int, power float64) ops.Op {
		return ops.Table(ops.Tables{Points: points, Width: width, Power: power}, a)
	}
	of := func(in ...*tensor.Dense) []*tensor.Dense { return in }
	for i, c := range []struct {
		op   ops.Op
		in   []*tensor.Dense
		is   error
		says string
	}{
		{ops.Fourier(a), of(rowsOf(3, 0, 1, 2, 3, nan, 5), w), ops.ErrDomain, "x[1,1] = NaN is not a finite number"},
		{ops.Fourier(a), of(rowsOf(3, inf, 1, 2), w), ops.ErrDomain, "x[0,0] = +Inf"},
		{ops.Fourier(a), of(matrix(tensor.Float32, 2, 3, 0, 0, 0, 1e20), matrix(tensor.Float32, 3, 2, 1e30)),
			ops.ErrDomain, "the projection of row 1"},
		{ops.Fourier(a), of(x, rowsOf(2, 1, 1, 1, 1)), ops.ErrShape, "W has shape (2, 2), want [3, m] with x (2, 3)"},
		{ops.Fourier(a), of(x, changed(w, 3, nan)), ops.ErrDomain, "W[1,1] = NaN is not finite"},
		{ops.Laplace(a), of(rowsOf(3, 0, 1, 2, 3, 4, -1e-300), w), ops.ErrDomain, "x[1,2] = -1e-300 is negative"},
		{ops.Laplace(a), of(x, changed(w, 3, -1)), ops.ErrDomain, "W[1,1] = -1"},
		{ops.Positive(a), of(rowsOf(3, 0, 1, 2, 3, -inf, 5), w, vector(1)), ops.ErrDomain, "x[1,1] = -Inf"},
		{ops.Positive(a), of(x, changed(w, 3, -inf), vector(1)), ops.ErrDomain, "W[1,1] = -Inf is not finite"},
		{ops.Positive(a), of(x, w, vector(nan)), ops.ErrDomain, "s[0,0] = NaN"},
		{ops.Positive(a), of(x, w, vector(1, 1)), ops.ErrShape, "s has shape (2), want [1] or [3]"},
		{ops.Positive(a), of(rowsOf(3, 0, 0, 0, 300, 300, 300), w, vector(.01)), ops.ErrDomain,
			"a feature of row 1, exp(w·x - ½‖s∘x‖²), is not finite in float64; scale the rows"},
		{ops.Positive(a), of(matrix(tensor.Float32, 2, 3, 0, 0, 0, 30, 30, 30), matrix(tensor.Float32, 3, 2, 1),
			entries(tensor.Float32, .01)), ops.ErrDomain, "a feature of row 1"},
		{ops.Units(7, a), of(x, w), ops.ErrParam, "Unit(7)"},
		{ops.Units(ops.TangentUnit, a), of(x, rowsOf(1, 1, 1, 1)), ops.ErrShape, "as many of A as of V"},
		{ops.SkewedFourier(a), of(changed(x, 5, -.25), vector(.5, .5, .25), w), ops.ErrDomain,
			"x[1,2] = -0.25 is not above -c = -0.25; shift the data or raise C (--params c=NUMBER)"},
		{ops.SkewedFourier(a), of(x, vector(1, 2), w), ops.ErrShape, "c has shape (2), want [1] or [3]"},
		{ops.StructuredFourier(a), of(rowsOf(5, 1, 1, 1, 1, 1), s, norms), ops.ErrShape, "at least 5"},
		{ops.StructuredFourier(a), of(x, matrix(tensor.Float64, 6, 5, 1), norms), ops.ErrShape, "power of two"},
		{ops.StructuredFourier(a), of(x, matrix(tensor.Float64, 3, 4, 1), norms), ops.ErrShape,
			"three rows for each block of 4"},
		{ops.StructuredFourier(a), of(x, changed(s, 6, .5), norms), ops.ErrDomain, "signs[1,2] = 0.5 is not a sign"},
		{ops.StructuredFourier(a), of(x, s, changed(norms, 2, nan)), ops.ErrDomain, "norms[0,2] = NaN"},
		{ops.StructuredFourier(a), of(x, s, norms, vector(-1e4)), ops.ErrDomain, "bandwidth"},
		{ops.SignedFourier(a), of(x, changed(u, 3, nan), vector(1, 1, 1, 1), roots), ops.ErrDomain, "W[1,1] = NaN"},
		{ops.SignedFourier(a), of(x, u, vector(1, 1, 1, inf), roots), ops.ErrDomain, "norms[0,3] = +Inf"},
		{ops.SignedFourier(a), of(x, u, vector(1, 1, 1, 1), vector(1, 0)), ops.ErrDomain,
			"roots[0,1] = 0 is not a finite number above 0"},
		{ops.SignedFourier(a), of(x, u, vector(1, 1, 1), roots), ops.ErrShape, "the norms have shape (3), want"},
		{ops.Homogeneous(h, a), of(changed(x, 4, -.2), l, r), ops.ErrDomain, "x[1,1] = -0.2 is negative"},
		{ops.Homogeneous(h, a), of(changed(x, 2, nan), l, r), ops.ErrDomain, "x[0,2] = NaN"},
		{ops.Homogeneous(ops.Series{F: h.F, Gamma: 1, Stationary: true}, a), of(changed(x, 2, inf), l, r), ops.ErrDomain,
			"x[0,2] = +Inf"},
		{ops.Homogeneous(ops.Series{F: h.F, Gamma: 3}, a), of(changed(x, 4, 1e300), l, r), ops.ErrDomain,
			"x[1,1] = 1e+300 has features that are not finite in float64; scale the data"},
		{ops.Homogeneous(h, a), of(x, vector(nan), r), ops.ErrDomain, "L[0,0] = NaN is not finite"},
		{ops.Homogeneous(h, a), of(x, l, vector(1, inf)), ops.ErrDomain, "roots[0,1] = +Inf is not finite"},
		{ops.Homogeneous(h, a), of(x, l, vector(1)), ops.ErrShape, "the roots have shape (1), want [2]"},
		{ops.Homogeneous(ops.Series{F: h.F}, a), of(x, l, r), ops.ErrParam, "degree 0"},
		{ops.Homogeneous(ops.Series{F: h.F, Gamma: 1, Negative: 3}, a), of(x, l, r), ops.ErrParam, "Negative(3)"},
		{ops.Homogeneous(ops.Series{F: []int{2, 1}, Gamma: 1}, a), of(x, l, r), ops.ErrParam, "harmonics [2 1]"},
		{ops.ScaleColumns(a), of(rowsOf(1, 1e300), vector(1e300)), ops.ErrDomain,
			"x[0,0] = 1e+300 is not finite in float64 in the unit"},
		{ops.ScaleColumns(a), of(x, vector(inf)), ops.ErrDomain, "scale[0,0] = +Inf"},
		{ops.Damp(ops.Root, a), of(rowsOf(1, -1), vector(1), rowsOf(1, 1)), ops.ErrDomain, "x[0,0] = -1"},
		{ops.Damp(ops.Root, a), of(rowsOf(1, 1), vector(1), rowsOf(1, nan)), ops.ErrDomain, "x[0,0] = NaN"},
		{ops.Damp(7, a), of(rowsOf(1, 1), vector(1), rowsOf(1, 1)), ops.ErrParam, "Exponent(7)"},
		{ops.LogWaves(nil, nil, a), of(x), ops.ErrParam, "frequencies []"},
		{ops.LogWaves([]float64{-1}, []float64{1}, a), of(x), ops.ErrParam, "above 0"},
		{ops.LogWaves([]float64{math.MaxFloat64}, []float64{1}, a), of(rowsOf(1, 1000)), // the frequency overflows
			ops.ErrDomain, "x[0,0] = 1000 is not finite in float64"},
		{ops.LogWaves([]float64{1}, []float64{1}, a), of(rowsOf(1, math.MaxFloat64)),
			ops.ErrDomain, "x[0,0]"},
		{table(1, 2, 1), of(pairs, tableKnots, tableNumbers), ops.ErrParam, "tables of 1 points"},
		{table(4, 0, 1), of(pairs, tableKnots, tableNumbers), ops.ErrParam, "and 0 numbers"},
		{table(4, 2, nan), of(pairs, tableKnots, tableNumbers), ops.ErrParam, "in x^NaN"},
		{table(4, 2, 1), of(pairs, rowsOf(2, 0, 1), tableNumbers), ops.ErrShape, "the knots have shape (1, 2"},
		{table(4, 2, 1), of(rowsOf(2, 0, nan), tableKnots, tableNumbers), ops.ErrDomain, "x[0,1] = NaN"},
		{table(4, 2, 1), of(pairs, changed(tableKnots, 6, -3), tableNumbers), ops.ErrDomain, "knots[1,2] = -3 is not"},
		{table(4, 2, 1), of(pairs, tableKnots, changed(tableNumbers, 11, inf)), ops.ErrDomain, "table[1,3] = +Inf is no"},
		{ops.Maclaurin(a), of(x, changed(mw, 8, nan), degrees, scales), ops.ErrDomain, "W[0,8] = NaN"},
		{ops.Maclaurin(a), of(x, mw, changed(degrees, 2, 1.5), scales), ops.ErrDomain,
			"degrees[0,2] = 1.5 is no whole number from 0 to 3"},
		{ops.Maclaurin(a), of(x, mw, changed(degrees, 3, 4), scales), ops.ErrDomain, "degrees[0,3] = 4"},
		{ops.Maclaurin(a), of(x, mw, degrees, changed(scales, 6, inf)), ops.ErrDomain, "scales[0,6] = +Inf"},
		{ops.Maclaurin(a), of(rowsOf(3, 1, 2, 3, 1e200, 1e200, 1e200), mw, degrees, scales), ops.ErrDomain,
			"the features of row 1 are not finite"},
		{ops.TensorSketch(0, 1, 0, a), of(x, buckets, sketchSigns), ops.ErrParam, "a sketch of 0 columns"},
		{ops.TensorSketch(7, 1, -.1, a), of(x, buckets, sketchSigns), ops.ErrParam,
			"(1 x·x' + -0.1)^p"},
		{ops.TensorSketch(7, .5, .3, a), of(x, changed(buckets, 6, 7), sketchSigns), ops.ErrDomain,
			"buckets[1,2] = 7 is no whole number from 0 to 6"},
		{ops.TensorSketch(7, .5, .3, a), of(x, buckets, changed(sketchSigns, 4, .5)), ops.ErrDomain,
			"signs[1,0] = 0.5 is neither 1 nor -1"},
		{ops.TensorSketch(7, .5, .3, a), of(rowsOf(3, 1, 2, 3, 1e200, 1e200, 1e200), buckets, sketchSigns), ops.ErrDomain,
			"the features of row 1 are not finite in float64"},
		{ops.Binning(3, a), of(x, grid, grid, hash), ops.ErrParam, "3 bins, want a power of 2"},
		{ops.Binning(4096, a), of(x, grid, grid, hash), ops.ErrParam, "4096 bins"},
		{ops.Binning(4, a), of(x, changed(grid, 4, inf), grid, hash), ops.ErrDomain, "rates[1,1] = +Inf is not finite"},
		{ops.Binning(4, a), of(x, grid, changed(grid, 2, nan), hash), ops.ErrDomain, "offsets[0,2] = NaN is not finite"},
		{ops.Binning(4, a), of(x, grid, grid, changed(hash, 5, .5)), ops.ErrDomain,
			"hash[1,1] = 0.5 is no whole number from 0 to 16777215"},
		{ops.Binning(4, a), of(x, grid, grid, changed(hash, 0, 1<<24)), ops.ErrDomain, "hash[0,0] = 1.6777216e+07"},
		{ops.Nystrom(nil, a), of(x, lm, p), ops.ErrShape, "the kernel is nil"},
		{ops.Nystrom(cauchy{}, a), of(x, changed(lm, 4, nan), p), ops.ErrDomain, "landmarks[1,1] = NaN"},
		{ops.Nystrom(cauchy{}, a), of(x, lm, changed(p, 3, inf)), ops.ErrDomain, "projection[1,1] = +Inf"},
		{ops.Nystrom(cauchy{}, a), of(changed(x, 4, nan), lm, p), ops.ErrDomain, "x[1,1] = NaN"},
		{ops.KDE([]int{0, 2}, line, a), of(rowsOf(1, .5, 1.5), vector(.3)), ops.ErrDomain,
			"bag 0: x[1,0] = 1.5 is outside the unit cube"},
		{ops.KDE([]int{0, 2}, line, a), of(rowsOf(1, .5, .2), vector(.04)), ops.ErrParam,
			"axis 0 is 0.04, want 0.05 to 4 for 10 points"},
		{ops.KDE([]int{0, 2}, line, a), of(rowsOf(1, .5, .2), vector(nan)), ops.ErrParam, "NaN"},
		{ops.KDE([]int{0, 1}, line, a), of(rowsOf(1, .5, .2), vector(.3)), ops.ErrShape, "end at 1 and there are 2"},
		{ops.KDE([]int{0, 2}, scatter(1, 5), a), of(rowsOf(1, .5, .2), vector(.05)), ops.ErrParam,
			"want 0.1 to 4 for 5 points"},
		{ops.HDD(false, a), of(rowsOf(2, .5, 1, -1, 2), vector(1), vector(1), p), ops.ErrDomain, "x[1,0] = -1 is negative"},
		{ops.HDD(false, a), of(rowsOf(2, 1, 1, 1e9, 2), vector(math.MaxFloat64), vector(1), p), ops.ErrDomain,
			"λ ln p of row 1"},
		{ops.HDD(false, a), of(rowsOf(1, 1), vector(1), vector(1), p), ops.ErrShape, "p has shape (1, 1), want [1, k·2]"},
		{ops.HDD(false, a), of(rowsOf(2, 1, 1), vector(1), vector(inf), p), ops.ErrDomain, "roots[0,0] = +Inf is not finite"},
		{ops.HDD(false, a), of(rowsOf(2, 1, 1), vector(1), vector(1), changed(p, 2, nan)), ops.ErrDomain, "Φ[1,0] = NaN"},
		{ops.Coefficients(a), of(rowsOf(2, 1, nan), p), ops.ErrDomain, "x[0,1] = NaN"},
		{ops.Coefficients(a), of(rowsOf(2, 1, 1), changed(p, 3, inf)), ops.ErrDomain, "Φ[1,1] = +Inf"},
		{ops.BagMean([]int{0, 1, 1, 2}, a), of(x), ops.ErrShape, "bag 1 is empty"},
		{ops.Columns(2, 4, 1, a), of(x), ops.ErrShape, "columns 2 to 4 of a matrix of shape (2, 3)"},
		{ops.Concat(nil, a), of(x), ops.ErrShape, "no scales"},
		{ops.Concat([]float64{1}, a), of(x, x), ops.ErrShape, "2 inputs, want 1"},
		{ops.Kronecker(nil, a), of(x), ops.ErrShape, "no scales"},
		{ops.Normalise(7, a), of(x), ops.ErrParam, "Norm(7)"},
		{ops.Normalise(ops.L1, a), of(changed(x, 5, nan)), ops.ErrDomain, "x[1,2] = NaN"},
		{ops.Activate(17, a), of(x), ops.ErrParam, "Activation(17)"},
		{ops.Huber(nan, a), of(x), ops.ErrParam, "δ = NaN"},
		{ops.Huber(0, a), of(x), ops.ErrParam, "δ = 0"},
		{ops.Pinball(0, a), of(x), ops.ErrParam, "quantile 0"},
		{ops.Pinball(1, a), of(x), ops.ErrParam, "quantile 1"},
		{ops.Pinball(-1, a), of(x), ops.ErrParam, "quantile -1"},
	} {
		_, err := c.op.Into(nil, c.in[0], arguments(c.in)...)
		graph := func() error {
			g := G.NewGraph()
			var nodes []*G.Node
			for i, v := range c.in {
				nodes = append(nodes, leaf(g, fmt.Sprint("in", i), v))
			}
			if _, err := c.op.Node(nodes...); err != nil {
				return err
			}
			m := G.NewTapeMachine(g)
			defer m.Close()
			return ops.Cause(m.RunAll())
		}()
		for _, err := range []error{err, graph} {
			if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) ||
				!strings.HasPrefix(fmt.Sprint(err), a.Layer) {
				t.Errorf("%d: %v, want %v with %q", i, err, c.is, c.says)
			}
		}
	}
}

// TestSparseErrors: the entries are looked at, and what is not stored where 0 is outside; the first cell in reading
// order is named. A map of which zeros are no zeros has no sparse features.
func TestSparseErrors(t *testing.T) {
	w, one := uniform(tensor.Float64, 4, 7, 1), vector(1)
	x := func(v ...float64) *ops.CSR {
		return must(ops.NewCSR(2, 4, []int{0, 1, 1 + len(v)}, append([]int32{2}, []int32{0, 1, 3}[:len(v)]...),
			append([]float64{.5}, v...)))
	}
	skewed := func(x *ops.CSR, c ...float64) error {
		return second(ops.SkewedFourier(ops.Attr{}).Into(nil, x, vector(c...), w))
	}
	h := ops.Homogeneous(ops.Series{Gamma: 1}, ops.Attr{})
	for says, c := range map[string]struct{ err, is error }{
		"x[1,1] = NaN":                   {second(ops.Fourier(ops.Attr{}).Into(nil, x(1, math.NaN()), w)), ops.ErrDomain},
		"x[1,0] = -Inf":                  {second(ops.Fourier(ops.Attr{}).Into(nil, x(math.Inf(-1), 1), w)), ops.ErrDomain},
		"projection":                     {second(ops.Fourier(ops.Attr{}).Into(nil, x(1e308, 1e308, 1e308), w)), ops.ErrDomain},
		"x[1,3] = -0.25":                 {second(ops.Laplace(ops.Attr{}).Into(nil, x(1, 1, -.25), w)), ops.ErrDomain},
		"x[1,1] = -0.1 is":               {skewed(x(1, -.1), .1), ops.ErrDomain},
		"x[0,0] = 0 is not above -c = 0": {skewed(x(1, 2, 3), 0), ops.ErrDomain},
		"x[1,2] = 0":                     {skewed(x(1, 2, 3), 1, 1, 0, 1), ops.ErrDomain},
		"x[1,0] = NaN":                   {skewed(x(math.NaN()), 1), ops.ErrDomain},
		"row 0 has norm 0.5":             {ops.CheckRows(domain.UnitSphere(1e-6), "test", x(1, 1)), ops.ErrDomain},
		"make them dense": {second(ops.Homogeneous(ops.Series{Gamma: 1, Stationary: true}, ops.Attr{}).Sparse(x(1), one,
			one)), ops.ErrParam},
		"x[1,0] = -2 is negative": {second(h.Sparse(x(-2), one, one)), ops.ErrDomain},
		"has features that are not finite": {second(ops.Homogeneous(ops.Series{Gamma: 4}, ops.Attr{}).Sparse(x(1e300), one,
			one)), ops.ErrDomain},
		"L[0,0] = NaN": {second(h.Sparse(x(1), vector(math.NaN()), one)), ops.ErrDomain},
		"x[1,1] = 2 is not finite": {second(ops.ScaleColumns(ops.Attr{}).Sparse(x(1, 2), vector(1e308))),
			ops.ErrDomain},
		"x[1,1] = 3 is not finite": {second(ops.ScaleColumns(ops.Attr{}).Sparse(csr(rowsOf(2, 1, 0, 1, 0, 0, 3)).Slice(1, 3),
			vector(1e308))), ops.ErrDomain}, // of a part of rows
		"the rows are nil": {second(h.Sparse(nil, one, one)), ops.ErrShape},
	} {
		wantErr(t, c.err, c.is, says)
	}
}

// TestPackErrors: weights of another op, or in another place, are no inputs.
func TestPackErrors(t *testing.T) {
	x, w, fourier := rowsOf(3, 1, 2, 3), rowsOf(2, 1, 1, 1, 1, 1, 1), ops.Fourier(ops.Attr{})
	packed := must(fourier.Pack(3, w))
	for says, c := range map[string]struct{ err, is error }{
		"another op":                             {second(ops.SkewedFourier(ops.Attr{}).Into(nil, x, vector(1), packed)), ops.ErrParam},
		"input 2 has weights":                    {second(fourier.Into(nil, x, w, packed)), ops.ErrParam},
		"nil or packed":                          {second(fourier.Into(nil, x, (*ops.Weights)(nil))), ops.ErrParam},
		"W has shape (3, 2), want [2, m] with x": {second(fourier.Into(nil, rowsOf(2, 1, 2), packed)), ops.ErrShape},
		"x is float32 and W float64":             {second(fourier.Into(nil, matrix(tensor.Float32, 1, 3, 1), packed)), ops.ErrDtype},
		"want [2, m]:":                           {second(fourier.Pack(2, w)), ops.ErrShape},
		"W[1,1] = NaN is not finite":             {second(fourier.Pack(3, changed(w, 3, math.NaN()))), ops.ErrDomain},
		"W[1,1] = -1 is negative":                {second(ops.Laplace(ops.Attr{}).Pack(3, changed(w, 3, -1))), ops.ErrDomain},
		"W is nil":                               {second(fourier.Pack(3)), ops.ErrShape},
		"2 inputs to pack, want 1":               {second(fourier.Pack(3, w, w)), ops.ErrShape},
		"no inputs that are packed":              {second(ops.Softmax(ops.Attr{}).Pack(3, w)), ops.ErrParam},
		"W is float64 and the degrees float32": {second(ops.Maclaurin(ops.Attr{}).Pack(3, w, entries(tensor.Float32, 1, 1),
			vector(1, 1))), ops.ErrDtype},
	} {
		wantErr(t, c.err, c.is, says)
	}
}

// TestCheckRowsEdges: the fast look at all cells agrees with Domain.Contains at the ends of every domain, in both
// types, wherever the cell stands.
func TestCheckRowsEdges(t *testing.T) {
	for _, d := range []domain.Domain{domain.Reals(), domain.NonNegative(), domain.Above(.03), domain.Above(0),
		domain.Above(-.5), domain.Above(1e300), domain.UnitCube()} {
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			for _, low := range []float64{0, 1, -.03, .5, -math.MaxFloat32, -math.MaxFloat64, math.MaxFloat32,
				math.MaxFloat64, -1e300} {
				for _, v := range []float64{low, math.Nextafter(low, 1), math.Nextafter(low, -1),
					float64(math.Nextafter32(float32(low), 1)),
					float64(math.Nextafter32(float32(low), -1)), math.Copysign(0, -1), math.NaN(), math.Inf(1),
					math.Inf(-1)} {
					x := matrix(dt, 5, 7, 1)
					for j := range 35 {
						setAt(x, j, 1)
					}
					for _, j := range []int{0, 17, 34} {
						setAt(x, j, v)
						got := ops.CheckRows(d, "test", x)
						if want := d.Contains(at(x, j)); (got == nil) != want ||
							got != nil && !errors.Is(got, ops.ErrDomain) {
							t.Errorf("%v, %v: x = %v at %d: %v, contained: %v", d, dt, at(x, j), j, got, want)
						}
						setAt(x, j, 1)
					}
				}
			}
		}
	}
}

// negative is a graph of a map of x >= 0 whose x has a negative cell.
func negative() *G.Node {
	g := G.NewGraph()
	x, w := leaf(g, "x", rowsOf(2, 1, -2)), leaf(g, "W", uniform(tensor.Float64, 2, 3, 1))
	return G.Must(G.Sum(G.Must(ops.Laplace(ops.Attr{Layer: "mine"}).Node(x, w))))
}

// TestCause: an error of either machine has the error of the op as its cause, with its sentinel, its cell and no word
// of the machine's. An error of Gorgonia's own op has the machine's error, and any other error is its own cause.
func TestCause(t *testing.T) {
	for name, machine := range map[string]func(*G.ExprGraph) G.VM{
		"tape": func(g *G.ExprGraph) G.VM { return G.NewTapeMachine(g) },
		"lisp": func(g *G.ExprGraph) G.VM { return G.NewLispMachine(g, G.ExecuteFwdOnly()) },
	} {
		if name == "lisp" && raceEnabled {
			continue
		}
		m := machine(negative().Graph())
		err := m.RunAll()
		if err == nil || errors.Is(err, ops.ErrDomain) {
			t.Fatalf("%s: the error %v needs no Cause", name, err)
		}
		var cell *domain.CellError
		for _, err := range []error{err, fmt.Errorf("step 3: %w", err)} {
			cause := ops.Cause(err)
			if !errors.Is(cause, ops.ErrDomain) || !errors.As(cause, &cell) || cell.Col != 1 ||
				!strings.HasPrefix(cause.Error(), "mine: x[0,1]") {
				t.Errorf("%s: the cause of %q is %q", name, err, cause)
			}
		}
		m.Close()
	}
	g := G.NewGraph()
	G.Must(G.Square(G.NewMatrix(g, G.Float64, G.WithShape(2, 2), G.WithName("a")))) // without a value
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err == nil || ops.Cause(err).Error() != err.Error() {
		t.Errorf("the cause of %v is %v", err, ops.Cause(err))
	}
	other := errors.New("other")
	if ops.Cause(other) != other || ops.Cause(nil) != nil {
		t.Error("another error changes")
	}
}

// The error of a machine hides the error of the op; Cause brings it back.
func ExampleCause() {
	machine := G.NewTapeMachine(negative().Graph())
	defer machine.Close()
	err := machine.RunAll()
	fmt.Println(errors.Is(err, ops.ErrDomain), errors.Is(ops.Cause(err), ops.ErrDomain))
	fmt.Println(ops.Cause(err))
	// Output:
	// false true
	// mine: x[0,1] = -2 is negative; the kernel is defined for histograms, x >= 0: shift the data, or scale them by the range of the training rows and clip what is beyond it: the scaler cube (--scale cube)
}
