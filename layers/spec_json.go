package layers

import (
	"encoding/json"
	"maps"
	"math"

	spectral "github.com/bochner-go/bochner/init"
)

// plainSpec is a Spec without the methods below.
type plainSpec Spec

// specText is the text of a Spec.
type specText struct {
	plainSpec
	// Format is specFormat. Texts of the first versions lack it.
	Format int `json:"format"`
}

// specFormat is 1 from the version on in which exp-intersection and hdd-tv have frequencies on x itself.
const specFormat = 1

// MarshalJSON replaces eps=auto by the numbers eps and flat that it stands for, so that the text builds the same map
// whatever a later version chooses. For the exact measure of sphere-polynomial, where there is no choice, auto stays.
func (s Spec) MarshalJSON() ([]byte, error) {
	if e, full, err := s.resolve(); err == nil && choosesEps(e, full) {
		if p, err := full.split(e); err == nil && p.Eps != 0 {
			s = s.with(p.Eps, p.Flat)
		}
	}
	return json.Marshal(specText{plainSpec(s), specFormat})
}

// UnmarshalJSON is the inverse of MarshalJSON. A text with eps=auto, or without eps, comes from a version without
// MarshalJSON: UnmarshalJSON puts the number that auto stood for then in its place. So it does for the order of
// exp-intersection and the lambdas of hdd-tv, which had no auto.
func (s *Spec) UnmarshalJSON(text []byte) error {
	var read specText
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*s = Spec(read.plainSpec)
	if read.Format == 0 {
		s.asFirst()
	}
	if e, full, err := s.resolve(); err == nil && choosesEps(e, full) {
		if eps := full.firstEps(e); eps != 0 {
			*s = s.with(eps, 0)
		}
	}
	return nil
}

// asFirst gives the parameters that a text of the first versions may leave out the defaults that they had then.
func (s *Spec) asFirst() {
	name, first := "order", 1.
	switch {
	case s.Map == "exp-intersection", s.Map == "mean-map" && s.Params.Word(kernelParam) == "exp-intersection":
	case s.Map == "hdd-tv":
		name, first = "lambdas", lambdaDefs[0].Default.(float64)
	default:
		return
	}
	if _, given := s.Params[name]; !given {
		v := maps.Clone(s.Params)
		if v == nil {
			v = Values{}
		}
		v[name] = first
		s.Params = v
	}
}

// choosesEps says whether the map chooses its eps.
func choosesEps(e *Entry, s Spec) bool { return e.Signed() && s.Params.Word(epsDef.Name) == "auto" }

// split returns the signed measure that the features of the map estimate. s has all its parameters.
func (s Spec) split(e *Entry) (*spectral.Split, error) {
	c, err := spectral.ParseCoupling(s.Params.Word(couplingDef.Name))
	if err != nil {
		return nil, err
	}
	p, err := e.plan(s)
	if err != nil {
		return nil, err
	}
	k, err := kernelAs[spectral.SignedLaw](s, p.kernel)
	if err != nil {
		return nil, err
	}
	return k.Split(s.Dims, s.Features/4, c)
}

// with returns the spec with these two parameters.
func (s Spec) with(eps, flat float64) Spec {
	v := Values{}
	maps.Copy(v, s.Params)
	v[epsDef.Name], v[flatDef.Name] = eps, flat
	s.Params = v
	return s
}

// firstEps returns the eps that the first version chose: of five candidates the one with the least eps² + mass²/m, as
// if frequencies were independent. It returns 0 if there is no choice.
func (s Spec) firstEps(e *Entry) (best float64) {
	p, err := s.split(e)
	if err != nil || p.Eps == 0 {
		return 0
	}
	k, x, opposite := p.Of, []float64{1}, []float64{-1}
	top := max(math.Abs(k.At(x, x)), math.Abs(k.At(x, opposite))) // of |k|
	least := math.Inf(1)
	for _, eps := range []float64{1e-1, 3e-2, 1e-2, 3e-3, 1e-3} {
		p, err := s.with(eps, 0).split(e)
		if err != nil {
			break // and closer ones still less
		}
		mass := p.Mass() / top
		if risk := eps*eps + mass*mass/float64(s.Features/4); risk < least {
			best, least = eps, risk
		}
	}
	return best
}
