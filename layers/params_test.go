package layers_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
)

// TestValuesRoundTrip: what String writes, ParseValues reads back to the last bit; so does JSON, which is what a model
// file keeps.
func TestValuesRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	extremes := []float64{math.SmallestNonzeroFloat64, math.MaxFloat64, 1e21, 1.0 / 3, 1}
	for _, e := range layers.Entries() {
		for i := range 50 {
			v := layers.Values{}
			for _, p := range e.Params() {
				switch {
				case p.Flag:
					v[p.Name] = rng.IntN(2) == 0
				case p.Words != nil && (!p.OrNumber || rng.IntN(2) == 0 && p.Name != "order" && p.Name != "lambdas"):
					// order=auto and lambdas=auto exclude other parameters
					v[p.Name] = p.Words[rng.IntN(len(p.Words))]
				case p.List:
					v[p.Name] = "" // which excludes nothing
				case p.Whole:
					v[p.Name] = p.Max - float64(rng.IntN(int(p.Max-p.Min)))
				case p.Max != 0:
					v[p.Name] = p.Max - rng.Float64()*(p.Max-p.Min)
				case i < len(extremes):
					v[p.Name] = extremes[i]
				default:
					v[p.Name] = math.Exp(20 * rng.NormFloat64())
				}
			}
			if got, err := layers.ParseValues(e.Name, v.String()); err != nil || !reflect.DeepEqual(got, v) {
				t.Fatalf("%s: %q is read as %v, %v", e.Name, v, got, err)
			}
			var back layers.Values
			if text, err := json.Marshal(v); err != nil || json.Unmarshal(text, &back) != nil ||
				!reflect.DeepEqual(back, v) {
				t.Fatalf("%s: JSON %s of %v is read as %v", e.Name, text, v, back)
			}
		}
		for _, blank := range []string{"", " "} {
			if v, err := layers.ParseValues(e.Name, blank); err != nil || v == nil || len(v) != 0 {
				t.Errorf("%s: %q is read as %v, %v", e.Name, blank, v, err)
			}
		}
	}
	if text := must(json.Marshal(layers.Values(nil))); string(text) != "{}" {
		t.Errorf("no values are %s in JSON", text)
	}
}

func TestValues(t *testing.T) {
	v, err := layers.ParseValues("matern", " phase = true, nu=2.5,ell =1e2 ")
	if err != nil || v.String() != "ell=100,nu=2.5,phase=true" {
		t.Fatalf("%q, %v", v, err)
	}
	if v.Number("ell") != 100 || !v.Bool("phase") {
		t.Errorf("ell = %v, phase = %v", v.Number("ell"), v.Bool("phase"))
	}
	if v, err = layers.ParseValues("chi2", "period=optimal, window=uniform"); err != nil ||
		v.Word("period") != "optimal" || v.Number("period") != 0 || v.String() != "period=optimal,window=uniform" {
		t.Errorf("%q, %v", v, err)
	}
	if v, err = layers.ParseValues("chi2", "period=9.5"); err != nil || v.Word("period") != "" ||
		v.Number("period") != 9.5 {
		t.Errorf("%q, %v", v, err)
	}
	// What is missing, or of the other kind, is zero.
	if v.Word("sigma") != "" || v.Number("sigma") != 0 || v.Bool("sigma") || v.Number("phase") != 0 || v.Bool("ell") {
		t.Error("a missing value is not zero")
	}
}

// TestTexts: policies, ranges and values in short read as they should.
func TestTexts(t *testing.T) {
	for text, p := range map[string]layers.Policy{"none": layers.Frozen, "bandwidth": layers.Bandwidth,
		"bandwidth-each": layers.BandwidthEach, "all": layers.All, "": layers.Frozen} {
		if got, err := layers.ParsePolicy(text); got != p || err != nil || text != "" && p.String() != text {
			t.Errorf("%v is called %q, and %q is read as %v, %v", int(p), p, text, got, err)
		}
	}
	values := layers.Values{"sigma": 2.8284271247461903, "phase": false, "window": "uniform"}
	for _, c := range [][2]string{
		{layers.Policy(9).String(), "Policy(9)"},
		{layers.ParamDef{}.Range(), "above 0"},
		{layers.ParamDef{Min: -1.5}.Range(), "above -1.5"},
		{layers.ParamDef{Closed: true}.Range(), "of at least 0"},
		{layers.ParamDef{Min: 1, Closed: true, Max: 9}.Range(), "of at least 1 and at most 9"},
		{values.Short(), "sigma=2.828,window=uniform"},
		{layers.Values{"phase": true, "sigma": 1. / 3}.Short(), "phase=true,sigma=0.3333"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// TestValuesOfAnyNumber: a number is one, whatever Go's type of it, in checks, in layers and in text.
func TestValuesOfAnyNumber(t *testing.T) {
	want := must(layers.Spec{Map: "chi2", Dims: 3, Params: layers.Values{"order": 2., "gamma": 2.}}.Build())
	for _, v := range []layers.Values{
		{"order": 2, "gamma": 2}, {"order": int8(2), "gamma": int64(2)}, {"order": uint(2), "gamma": float32(2)},
	} {
		s := layers.Spec{Map: "chi2", Dims: 3, Params: v}
		l := must(s.Build())
		if l.Features() != want.Features() ||
			l.(*layers.HomogeneousLayer).Kernel() != want.(*layers.HomogeneousLayer).Kernel() {
			t.Errorf("%#v: %v, want %v", v, l, want)
		}
		if v.Number("order") != 2 || v.Short() != "gamma=2,order=2" || v.String() != v.Short() {
			t.Errorf("%#v: order %v, %s, %s", v, v.Number("order"), v.Short(), v)
		}
		if err := s.FillDefaults(nil); err != nil || s.Params["order"] != 2. {
			t.Errorf("%#v: after FillDefaults %#v, %v", v, s.Params, err)
		}
	}
	for _, v := range []layers.Values{
		{"sigmas": "1:10", "weights": "1:-1"}, {"sigmas": []float64{1, 10}, "weights": []int{1, -1}},
		{"sigmas": []any{1., 10.}, "weights": []any{1., -1.}}, // as in JSON
	} {
		k, err := layers.Spec{Map: "delta-gaussian", Dims: 3, Params: v}.Kernel()
		if want := (spectral.DeltaGaussian{Sigmas: []float64{1, 10}, Weights: []float64{1, -1}}); err != nil ||
			!reflect.DeepEqual(k, want) || v.String() != "sigmas=1:10,weights=1:-1" || v.Word("sigmas") != "1:10" {
			t.Errorf("%#v: %v, want %v; %v, %v", v, k, want, v, err)
		}
	}
	for _, v := range []layers.Values{{"order": -1}, {"order": 1.5}, {"order": int64(101)}, {"order": nil},
		{"order": []int{1}}} {
		_, err := layers.Spec{Map: "chi2", Dims: 3, Params: v}.Build()
		wantErr(t, fmt.Sprintf("%#v", v), err, layers.ErrParam)
	}
}
