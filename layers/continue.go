package layers

import (
	"fmt"
	"math"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// Continue copies into a map what another map of the same Spec has learned under another Policy, so that tuning goes on
// from there:
//
//   - parameters of the same name and shape;
//   - one number of from where to has one a column, to each of them;
//   - exp(log_L) to L, and so for each log_ and for c of raw_c, where to keeps the parameter fixed;
//   - a log_bandwidth that to does not have, or has one of for all columns, into the frequencies:
//     W_j / exp(log_bandwidth_j) in row j.
//
// All other parameters of to stay as they are. Errors: a nil layer (ErrParam); a parameter that from has learned and to
// cannot take, such as numbers a column where to has one for all (ErrShape); another element type (ErrDtype). to is
// then as before.
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
	}
	taken := map[string]bool{} // the parameters of from
	for name := range values {
		taken[name] = give(values, name, learned[name])
	}
	for _, p := range from.Params() {
		if taken[p.Name] || !p.Tuned {
			continue
		}
		ok, err := false, error(nil)
		if prefix, is := strings.CutSuffix(p.Name, "log_bandwidth"); is {
			for _, w := range []string{"W", "U"} { // frequencies, or their directions
				if v := learned[prefix+w]; v != nil && !ok && err == nil {
					ok, err = intoFrequencies(values, prefix, w, v, p.Value, from.Name())
				}
			}
		} else {
			ok = asFixed(values, p)
		}
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("layers: Continue: %v has learned %q of shape %v, which %v cannot take; tune both with "+
				"as many numbers: %w", from, p.Name, p.Value.Shape(), to, ErrShape)
		}
	}
	return to.SetParams(values)
}

// give gives the parameter of that name the numbers v, or one number for all. It is false where one of both is not there
// or v has another shape.
func give(values map[string]*tensor.Dense, name string, v *tensor.Dense) bool {
	old := values[name]
	switch {
	case old == nil || v == nil:
		return false
	case v.Shape().Eq(old.Shape()):
	case v.Shape().TotalSize() != 1 || v.Dtype() != old.Dtype():
		return false
	default:
		one := ops.Float64s(v)[0]
		v = mapTensor(old, func(float64) float64 { return one })
	}
	values[name] = v
	return true
}

// intoFrequencies gives the parameter of that name the frequencies w of from, scaled by their bandwidth.
func intoFrequencies(values map[string]*tensor.Dense, prefix, name string, w, rho *tensor.Dense, layer string) (
	ok bool, err error) {
	if w, err = ops.Bandwidth(ops.Attr{Layer: layer}).Into(nil, w, rho); err != nil {
		return false, err
	}
	has := func(name string) bool { return values[name] != nil && values[name].Shape().Eq(w.Shape()) }
	switch {
	case has(prefix + name):
		return give(values, prefix+name, w), nil
	case has(prefix + "log_" + name):
		log := func(v float64) float64 { return math.Log(max(v, math.SmallestNonzeroFloat32)) }
		return give(values, prefix+"log_"+name, mapTensor(w, log)), nil
	}
	return false, nil
}

// asFixed gives a parameter that is tuned as its logarithm or inverse softplus to a map that has it as it is.
func asFixed(values map[string]*tensor.Dense, p Param) bool {
	n := p.Natural()
	return n.Name != p.Name && give(values, n.Name, n.Value)
}
