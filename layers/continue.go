package layers

import (
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Continue gives a map the parameters that another map of the same Spec has learned under another Policy, so that tuning
// goes on from there: parameters of the same name and shape are copied, and bandwidths that only from has go into the
// frequencies, W_j / exp(log_bandwidth_j) in dimension j. Parameters that only to has stay as they are.
//
// Errors: domain.ErrParam for a bandwidth that has no frequencies W beside it in from, or none to go into in to, and for a
// nil layer.
func Continue(to, from Layer) error {
	if domain.IsNil(to) || domain.IsNil(from) {
		return fmt.Errorf("layers: Continue: a layer is nil; give two maps of one Spec: %w", ErrParam)
	}
	learned, values := map[string]*tensor.Dense{}, map[string]*tensor.Dense{}
	for _, p := range from.Params() {
		learned[p.Name] = p.Value
	}
	for _, p := range to.Params() {
		values[p.Name] = p.Value
		if v := learned[p.Name]; v != nil && v.Shape().Eq(p.Value.Shape()) {
			values[p.Name] = v
		}
	}
	for name, rho := range learned {
		prefix, ok := strings.CutSuffix(name, "log_bandwidth")
		if !ok || values[name] != nil {
			continue
		}
		w, err := learned[prefix+"W"], error(nil)
		if w == nil || values[prefix+"W"] == nil && values[prefix+"log_W"] == nil {
			return fmt.Errorf("layers: Continue: %v has the bandwidth %q and there are no frequencies %sW that take it: %w", from, name, prefix, ErrParam)
		}
		if w, err = ops.BandwidthInto(nil, w, rho, ops.Attr{Layer: from.Name()}); err != nil {
			return err
		}
		if values[prefix+"log_W"] == nil {
			values[prefix+"W"] = w
			continue
		}
		values[prefix+"log_W"] = mapTensor(w, func(v float64) float64 { return math.Log(max(v, math.SmallestNonzeroFloat32)) })
	}
	return to.SetParams(values)
}
