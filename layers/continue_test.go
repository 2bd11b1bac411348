package layers

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// TestContinue: a map goes on from what another one of the same Spec has learned under another policy: it has the same
// features, and what it cannot take is an error that leaves it as it was.
func TestContinue(t *testing.T) {
	x := tensor.New(tensor.WithShape(7, 3), tensor.WithBacking(make([]float64, 21)))
	for i := range x.Float64s() {
		x.Float64s()[i] = .1 + float64(i*7%11)/11
	}
	build := func(name string, p Policy) Layer {
		s := Spec{Map: name, Features: 8, Dims: 3, Tune: p.String()}
		if name == "chi2" {
			s.Features = 0
		}
		return must(must(s, s.FillDefaults(x)).Fit(x))
	}
	features := func(l Layer) []float64 { return ops.Float64s(must(l.Transform(nil, x))) }
	// What from has learned in numbers a column, a map with one number for all cannot take.
	lost := func(name string, from, to Policy) bool {
		own := name == "skewed-chi2" || name == "chi2" // whose scale is not one of frequencies
		return own && from == BandwidthEach && to != BandwidthEach
	}
	for _, name := range []string{"gaussian", "skewed-chi2", "exp-semigroup", "chi2", "delta-gaussian"} {
		for _, fromPolicy := range []Policy{Bandwidth, BandwidthEach} {
			for _, toPolicy := range []Policy{Frozen, Bandwidth, BandwidthEach, All} {
				t.Run(fmt.Sprint(name, " ", fromPolicy, " to ", toPolicy), func(t *testing.T) {
					from, to := build(name, fromPolicy), build(name, toPolicy)
					learned := map[string]*tensor.Dense{}
					for _, p := range from.Params() {
						learned[p.Name] = p.Value
						if p.Tuned {
							k := 0.
							learned[p.Name] = mapTensor(p.Value, func(v float64) float64 { k++; return v + .3*k })
						}
					}
					must(from, from.SetParams(learned))
					before, want := features(to), features(from)
					err := Continue(to, from)
					got := features(to)
					if lost(name, fromPolicy, toPolicy) {
						if !errors.Is(err, ErrShape) {
							t.Fatalf("the error is %v", err)
						}
						want = before
					} else if err != nil {
						t.Fatal(err)
					}
					for i, v := range want {
						if !(math.Abs(got[i]-v) <= 1e-12) {
							t.Fatalf("feature %d is %v, want %v", i, got[i], v)
						}
					}
				})
			}
		}
	}
}
