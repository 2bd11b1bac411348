package layers_test

import (
	"fmt"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"gorgonia.org/tensor"
)

// TestContinue: a map goes on from what another one of the same Spec has learned under another policy: it has the same
// features, and what it cannot take is an error that leaves it as it was.
func TestContinue(t *testing.T) {
	x := mapped(rows(tensor.Float64, 7, 3, 1), func(v float64) float64 { return .1 + v })
	build := func(name string, p layers.Policy) layers.Layer {
		s := layers.Spec{Map: name, Features: 8, Dims: 3, Tune: p.String()}
		if name == "chi2" {
			s.Features = 0
		}
		return must(must(s, s.FillDefaults(x)).Fit(x))
	}
	// What from has learned in numbers a column, a map with one number for all cannot take.
	lost := func(name string, from, to layers.Policy) bool {
		own := name == "skewed-chi2" || name == "chi2" // whose scale is not one of frequencies
		return own && from == layers.BandwidthEach && to != layers.BandwidthEach
	}
	for _, name := range []string{"gaussian", "skewed-chi2", "exp-semigroup", "chi2", "delta-gaussian"} {
		for _, fromPolicy := range []layers.Policy{layers.Bandwidth, layers.BandwidthEach} {
			for toPolicy := layers.Frozen; toPolicy <= layers.All; toPolicy++ {
				from, to := build(name, fromPolicy), build(name, toPolicy)
				learned := values(from)
				for _, p := range from.Params() {
					if p.Tuned {
						k := 0.
						learned[p.Name] = mapped(p.Value, func(v float64) float64 { k++; return v + .3*k })
					}
				}
				must(from, from.SetParams(learned))
				what := fmt.Sprint(name, " ", fromPolicy, " to ", toPolicy)
				want, err := features(to, x), layers.Continue(to, from)
				if lost(name, fromPolicy, toPolicy) {
					wantErr(t, what, err, layers.ErrShape)
				} else {
					want = features(must(from, err), x)
				}
				near(t, what, features(to, x), want, 1e-12)
			}
		}
	}
}
