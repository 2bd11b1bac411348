package layers

import (
	"encoding/json"
	"maps"

	spectral "github.com/bochner-go/bochner/init"
)

// plainSpec is a Spec without MarshalJSON.
type plainSpec Spec

// MarshalJSON replaces eps=auto by the numbers eps and flat that it stands for, so that the text builds the same map
// whatever a later version chooses. For the exact measure of sphere-polynomial, where there is no choice, auto stays.
func (s Spec) MarshalJSON() ([]byte, error) {
	if e, full, err := s.resolve(); err == nil && choosesEps(e, full) {
		if p, err := full.split(e); err == nil && p.Eps != 0 {
			s = s.with(p.Eps, p.Flat)
		}
	}
	return json.Marshal(plainSpec(s))
}

// choosesEps says whether the map chooses its eps.
func choosesEps(e *Entry, s Spec) bool { return e.Signed && s.Params.Word(epsParam) == "auto" }

// epsParam is the parameter of signed maps that may be chosen jointly with the number of features and the coupling.
const epsParam = "eps"

// split returns the signed measure that the features of the map estimate. s has all its parameters.
func (s Spec) split(e *Entry) (*spectral.Split, error) {
	f, ok := e.form(s.Params).(signedForm)
	if !ok {
		return nil, ErrParam
	}
	return f.Kernel.Split(s.Dims, s.Features/4, f.Coupling)
}

// with returns the spec with these two parameters.
func (s Spec) with(eps, flat float64) Spec {
	v := Values{}
	maps.Copy(v, s.Params)
	v[epsParam], v["flat"] = eps, flat
	s.Params = v
	return s
}
