package layers_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// TestSignatures: a map has the signs of its halves. A map of one sign has no signature. A composition has the signs of
// its parts.
func TestSignatures(t *testing.T) {
	signed := must(layers.NewGORFLayer(twoGaussians, 3, 8, layers.WithName("signed")))
	one := must(layers.NewGORFLayer(spectral.DeltaGaussian{Sigmas: []float64{1}, Weights: []float64{2}}, 3, 8,
		layers.WithName("one")))
	minus := must(layers.NewGORFLayer(spectral.DeltaGaussian{Sigmas: []float64{1}, Weights: []float64{-2}}, 3, 4,
		layers.WithName("minus")))
	plain := fourier(3, 2, layers.WithName("plain"))
	head := must(layers.NewLinearHead(8, 2))
	halves := []float64{1, 1, 1, 1, -1, -1, -1, -1}
	part := func(l layers.Layer) layers.Part { return layers.Part{Layer: l, From: 0, To: 3, Weight: 2} }
	for name, c := range map[string]struct {
		m    layers.Map
		want []float64
	}{
		"no map":           {nil, nil},
		"two signs":        {signed, halves},
		"one sign":         {one, nil},
		"all minus":        {minus, []float64{-1, -1, -1, -1}},
		"no sign":          {plain, nil},
		"wrapped":          {wrapped{signed}, halves},
		"before a head":    {must(layers.NewSequential(signed, head)), nil},
		"last in sequence": {must(layers.NewSequential(must(layers.NewLinearHead(2, 3)), signed)), halves},
		"beside another": {must(layers.NewConcat(3, []layers.Part{part(plain), part(signed)})),
			append([]float64{1, 1}, halves...)},
		"times another": {must(layers.NewProduct(3, []layers.Part{part(signed), part(plain)})),
			[]float64{1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1}},
		"times itself, minus": {must(layers.NewProduct(3, []layers.Part{part(minus), part(must(layers.NewGORFLayer(
			spectral.DeltaGaussian{Sigmas: []float64{1}, Weights: []float64{-1}}, 3, 4)))})), nil},
		"beside one sign": {must(layers.NewConcat(3, []layers.Part{part(plain), part(one)})), nil},
	} {
		if got := layers.SignatureOf(c.m); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if s := one.Signature(); len(s) != 8 || slices.Contains(s, -1) {
		t.Errorf("the signature of one sign is %v", s)
	}
}

// TestGORFLayerOfOneSign: a lone sign has all frequencies to itself, whatever the coupling.
func TestGORFLayerOfOneSign(t *testing.T) {
	for _, c := range spectral.Couplings() {
		l := must(layers.NewGORFLayer(spectral.SpherePolynomial{A: 4, P: 10, Eps: .03}, 5, 28, layers.WithCoupling(c)))
		_, minus := l.Split().Masses()
		if u := l.Params()[0].Value; !u.Shape().Eq(tensor.Shape{5, 14}) || minus != 0 || l.Coupling() != c {
			t.Errorf("%v: one sign has directions %v, %v", l.Coupling(), u.Shape(), l.Split())
		}
	}
}

// TestSphereMapTakesUnitRows: but for rounding.
func TestSphereMapTakesUnitRows(t *testing.T) {
	l := must(layers.NewGORFLayer(spectral.NeuralTangent{}, 2, 8, layers.WithName("ball")))
	for norm, ok := range map[float64]bool{1: true, 1 + 9e-7: true, 1 + 2e-6: false, 0: false, 2: false} {
		_, err := l.Transform(nil, dense(2, 0, 1, norm, 0))
		if ok && err != nil {
			t.Errorf("norm %v: %v", norm, err)
		} else if !ok {
			wantErr(t, norm, err, layers.ErrDomain, fmt.Sprintf(
				`GORFLayer "ball": row 1 has norm %v, not 1; scale the rows to unit l2 norm (--scale l2)`, norm))
		}
	}
}

// The difference of two Gaussians, an indefinite kernel: inner products of the features take the signs of the columns.
func ExampleNewGORFLayer() {
	k := spectral.DeltaGaussian{Sigmas: []float64{1, 10}, Weights: []float64{1, -1}}
	x := []float64{.4, 0, .2, .1}
	y := []float64{0, .1, .7, .5}
	l := must(layers.NewGORFLayer(k, 4, 16384, layers.WithSeed(7)))
	z := layers.MustDense(l.Transform(nil, matrix(x, y)))
	sum, norm, v := 0., 0., z.Float64s()
	for j, sign := range l.Signature() {
		sum += sign * v[j] * v[16384+j]
		norm += sign * v[j] * v[j]
	}
	fmt.Println(l.Split())
	fmt.Printf("k(x, y) = %.2f, with signs z(x)·z(y) = %.2f\n", k.At(x, y), sum)
	fmt.Printf("k(x, x) = %.2f, with signs z(x)·z(x) = %.2f\n", k.At(x, x), math.Abs(norm))
	// Output:
	// masses 1 and 1, 1 and 1 components, exact
	// k(x, y) = -0.25, with signs z(x)·z(y) = -0.25
	// k(x, x) = 0.00, with signs z(x)·z(x) = 0.00
}
