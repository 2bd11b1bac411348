package layers_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestPartsComposeKernels: the inner product of joined features is the weighted sum of the inner products of the parts,
// which may overlap, and the kernel of multiplied features is their product.
func TestPartsComposeKernels(t *testing.T) {
	x := rows(tensor.Float64, 11, 7, 1)
	a := must(layers.NewSkewedLayer(spectral.SkewedChi2{C: .2}, 3, 20, layers.Tune(layers.All)))
	b := must(layers.NewRandomLaplaceLayer(spectral.ReciprocalSemigroup{Lambda: 1}, 5, 13))
	both := []layers.Part{{Layer: a, From: 0, To: 3, Weight: .25}, {Layer: b, From: 2, To: 7, Weight: 3}}
	sum := must(must(layers.NewConcat(7, both)).Transform(nil, x))
	product := must(must(layers.NewProduct(7, both)).Transform(nil, x))
	part := func(l layers.Layer, from, to int) *tensor.Dense {
		return must(l.Transform(nil, must(x.Slice(nil, G.S(from, to))).(*tensor.Dense)))
	}
	za, zb := part(a, 0, 3), part(b, 2, 7)
	for i := range 11 {
		for j := range 11 {
			u, v := .25*inner(za, i, j), 3*inner(zb, i, j)
			if got := inner(sum, i, j); math.Abs(got-u-v) > 1e-12 {
				t.Fatalf("z_%d·z_%d = %v, weighted sum %v", i, j, got, u+v)
			}
			if got := inner(product, i, j); math.Abs(got-u*v) > 1e-12 {
				t.Fatalf("z_%d·z_%d = %v, product %v", i, j, got, u*v)
			}
		}
	}
}

// TestProductOfColumns: the product over columns of the χ² or the intersection kernel is Hellinger's of each column
// times the skewed kernel with c = 0, exactly.
func TestProductOfColumns(t *testing.T) {
	x, y := []float64{.2, .7, 1.5}, []float64{.5, .4, 1.1}
	for name, k := range map[string]spectral.Kernel{"skewed-chi2": spectral.Chi2{},
		"skewed-intersection": spectral.Intersection{}} {
		s := layers.Spec{Map: "product", Dims: 3, Params: layers.Values{"from": "0:0:1:2", "to": "3:1:2:3"},
			Parts: []layers.Spec{{Map: name, Params: layers.Values{"c": 0.}, Features: 32}, {Map: "hellinger"},
				{Map: "hellinger"}, {Map: "hellinger"}}}
		want := 1.
		for j := range x {
			want *= k.At(x[j:j+1], y[j:j+1])
		}
		if got := must(s.Kernel()).At(x, y); math.Abs(got-want) > 1e-12 || must(s.Build()).Features() != 32 {
			t.Errorf("%s: k = %v, want %v", name, got, want)
		}
	}
}

// TestMust: what cannot be made is a panic with the error.
func TestMust(t *testing.T) {
	bad := errors.New("no layer")
	for name, f := range map[string]func(){
		"Must":      func() { layers.Must(nil, bad) },
		"MustHead":  func() { layers.MustHead(nil, bad) },
		"MustDense": func() { layers.MustDense(nil, bad) },
	} {
		func() {
			defer func() {
				if got := recover(); got != bad {
					t.Errorf("%s panics with %v", name, got)
				}
			}()
			f()
		}()
	}
}

// TestPartOfColumns: an error about a cell of a part counts its column from the first of all parts.
func TestPartOfColumns(t *testing.T) {
	l := must(layers.NewConcat(5, []layers.Part{{Layer: must(layers.NewIdentity(2)), To: 2, Weight: 1},
		{Layer: must(layers.NewHomogeneousLayer(spectral.Chi2{}, 3)), From: 2, To: 5, Weight: 1}}))
	_, err := l.Transform(nil, dense(5, 0, 0, 1, 1, 1, 0, 0, 1, -1, 1))
	wantErr(t, "a negative cell", err, layers.ErrDomain, "x[1,3] = -1 is negative")
}

// TestSummaryOfParts: parts stand under their composition, and a layer that is there twice is counted once.
func TestSummaryOfParts(t *testing.T) {
	a := fourier(3, 8, layers.WithName("<a>"), layers.Tune(layers.All))
	b := must(layers.NewIdentity(2, layers.WithName("b")))
	both := must(layers.NewConcat(5, []layers.Part{{Layer: a, From: 0, To: 3, Weight: 1},
		{Layer: b, From: 3, To: 5, Weight: 1}}))
	s := layers.Summary(must(layers.NewSequential(both, must(layers.NewLinearHead(10, 1, layers.WithName("head"))))), a)
	var depths []int
	for _, l := range s.Layers {
		depths = append(depths, l.Depth)
	}
	if want := []int{0, 1, 2, 2, 1, 0}; !slices.Equal(depths, want) {
		t.Errorf("depths %v, want %v", depths, want)
	}
	if all, tuned := s.Count(); all != 3*4+10+1 || tuned != all {
		t.Errorf("%d numbers, %d tuned", all, tuned)
	}
	if html := s.HTML(); strings.Contains(html, "<a>") || !strings.Contains(html, "&lt;a&gt;") {
		t.Errorf("a name is not escaped:\n%s", html)
	}
	if empty := layers.Summary().String(); !strings.HasSuffix(empty, "\n0 numbers: 0 tuned, 0 frozen\n") {
		t.Errorf("nothing is %q", empty)
	}
}
