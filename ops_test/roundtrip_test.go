package ops_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// TestRoundTrip: a spec survives JSON, which writes a choice of eps as the number that was chosen; the same spec, and
// a spec with the parameters of a map, build the same bits, in both element types and under every policy; every
// policy starts from the function of the frozen map.
func TestRoundTrip(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
			d := v.dims(5)
			x := matrix(dt, 7, d, floats(v.rows(7, d, 1))...)
			s := v.spec(d, 11, math.MaxUint64)
			s.Name, s.Tune, s.Dtype = "map", p.String(), dt.String()
			want := transform(t, v.build(t, d, 11, math.MaxUint64, named("map"), tuned(p), dtype(dt)), x)
			s = throughJSON(t, s)
			read := throughJSON(t, s)
			if !reflect.DeepEqual(read, s) {
				t.Errorf("read as %+v, was %+v", read, s)
			}
			first, err := v.fit(s)
			if err != nil {
				t.Fatal(err)
			}
			again, err := v.fit(read)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(transform(t, again, x), want) || again.String() != first.String() {
				t.Errorf("%v: the spec from JSON builds another map, %v", first, again)
			}

			other := v.build(t, d, 11, 1, tuned(p), dtype(dt))
			transform(t, other, x) // what a layer keeps of its old parameters must go
			restored, err := read.Restore(values(first))
			if err != nil {
				t.Fatal(err)
			}
			if err := other.SetParams(values(first)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(transform(t, restored, x), want) || !slices.Equal(transform(t, other, x), want) {
				t.Errorf("%v: parameters out and in give another map", first)
			}
			start := transform(t, v.build(t, d, 11, math.MaxUint64, dtype(dt)), x)
			if off, tol := largestDifference(want, start), map[tensor.Dtype]float64{tensor.Float64: 1e-12, tensor.Float32: 1e-4}[dt]; off > tol {
				t.Errorf("%v starts %v away from the frozen map", first, off)
			}
		})
	}
}

func throughJSON(t *testing.T, s layers.Spec) (read layers.Spec) {
	t.Helper()
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// TestParamErrors: SetParams and Restore name the parameter that is missing or does not fit, and leave the layer as it was.
func TestParamErrors(t *testing.T) {
	forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
		d := v.dims(3)
		l := v.build(t, d, 7, 1, tuned(p), named("map"))
		before := transform(t, l, v.rows(5, d, 1))
		for _, param := range l.Params() {
			for name, c := range map[string]struct {
				value *tensor.Dense
				is    error
			}{
				"missing":       {nil, layers.ErrParam},
				"another shape": {tensor.New(tensor.WithShape(2, 2), tensor.Of(tensor.Float64)), layers.ErrShape},
				"another dtype": {tensor.New(tensor.WithShape(param.Value.Shape()...), tensor.Of(tensor.Float32)), layers.ErrDtype},
			} {
				bad := values(v.build(t, d, 7, 2, tuned(p)))
				if bad[param.Name] = c.value; c.value == nil {
					delete(bad, param.Name)
				}
				s := v.spec(d, 7, 1)
				s.Tune, s.Name = p.String(), "map"
				_, err := s.Restore(bad)
				for _, err := range []error{l.SetParams(bad), err} {
					if err == nil {
						t.Errorf("%s: parameter %s of %s is no error", v.name, param.Name, name)
						continue
					}
					wantErr(t, err, c.is, `"map"`, param.Name)
				}
			}
		}
		if !slices.Equal(transform(t, l, v.rows(5, d, 1)), before) {
			t.Errorf("%v: a failed SetParams changes the layer", l)
		}
	})
}

// values are the parameters of a layer, as a model file has them.
func values(l layers.Layer) map[string]*tensor.Dense {
	out := map[string]*tensor.Dense{}
	for _, p := range l.Params() {
		out[p.Name] = p.Value.Clone().(*tensor.Dense)
	}
	return out
}

func largestDifference(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	largest := 0.0
	for i := range a {
		if d := math.Abs(a[i] - b[i]); !(d <= largest) { // NaN as well
			largest = d
		}
	}
	return largest
}
