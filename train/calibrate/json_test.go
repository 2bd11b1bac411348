package calibrate

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestJSON: what is written and read again is the same, and nothing is written that has not been fitted.
func TestJSON(t *testing.T) {
	scores, p, labels := drawn(200, 3, 2, 21)
	all := []json.Marshaler{must(FitSets(AdaptiveRandomised, p, labels, math.MaxUint64)),
		must(FitIntervals(p, p))}
	for _, w := range ways {
		all = append(all, fitted(w.method, scores, labels))
	}
	for _, v := range all {
		text, back := must(json.Marshal(v)), reflect.New(reflect.TypeOf(v).Elem())
		if _, err := back.Interface().(json.Marshaler).MarshalJSON(); err == nil {
			t.Errorf("%T: what was not fitted is written", v)
		}
		if err := json.Unmarshal(text, back.Interface()); err != nil || !reflect.DeepEqual(v, back.Interface()) {
			t.Errorf("%v: %s", err, text)
		}
	}
}

func TestBadJSON(t *testing.T) {
	three := 3.
	c := Calibration{Parameters{Method: Temperature, Classes: 2, Inverse: &three}}
	for _, text := range []string{
		`{"method":"temperature-bias","classes":2,"inverseTemperature":1}`, `{"method":"temperature-bias","classes":2,"inverseTemperature":1,"bias":[1]}`,
		`{"method":"temperature-bias","classes":2,"inverseTemperature":1,"bias":[1,1.7e308]}`, `{"method":"temperature","classes":2,"inverseTemperature":1,"bias":[1,2]}`,
		``, `null`, `{}`, `[]`, `{"method":"automatic","classes":2}`, `{"method":"other","classes":2}`,
		`{"method":"isotonic","classes":2,"floor":0.1}`, `{"method":"platt","classes":2,"sigmoids":[]}`,
		`{"method":"temperature","classes":2}`, `{"method":"temperature","classes":1,"inverseTemperature":1}`,
		`{"method":"temperature","classes":2,"inverseTemperature":-1}`, `{"method":"temperature","classes":2,"inverseTemperature":1e999}`,
		`{"method":"temperature","classes":2,"inverseTemperature":1,"floor":0.1}`, `{"method":"temperature","classes":2,"inverseTemperature":1,"more":1}`,
		`{"method":"temperature","classes":2,"inverseTemperature":1} {}`,
		`{"method":"platt","classes":2,"sigmoids":[{"centre":0,"width":1,"slope":1,"offset":0}]}`,
		`{"method":"platt","classes":2,"sigmoids":[{"centre":0,"width":1},{"centre":0,"width":0}]}`,
		`{"method":"isotonic","classes":2,"floor":0.1,"steps":[{"x":[0],"y":[0.1]}]}`,
		`{"method":"isotonic","classes":2,"floor":0.1,"steps":[{"x":[0],"y":[0.1]},{"x":[],"y":[]}]}`,
		`{"method":"isotonic","classes":2,"floor":0.1,"steps":[{"x":[0],"y":[0.1]},{"x":[1,0],"y":[0.1,0.2]}]}`,
		`{"method":"isotonic","classes":2,"floor":0.1,"steps":[{"x":[0],"y":[0.1]},{"x":[0,1],"y":[0.2,0.1]}]}`,
		`{"method":"isotonic","classes":2,"floor":0.1,"steps":[{"x":[0],"y":[0.05]},{"x":[0,1],"y":[0.1,0.2]}]}`,
		`{"method":"isotonic","classes":2,"floor":0.1,"steps":[{"x":[0],"y":[0.1]},{"x":[0,1],"y":[0.1,1.2]}]}`,
	} {
		if err := c.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	if c.T() != 1./3 {
		t.Error("what could not be read has changed c")
	}
	for _, text := range []string{
		``, `{}`, `{"rows":2,"scores":[]}`, `{"rows":2,"scores":[[1]]}`, `{"rows":2,"scores":[[2,1]]}`, `{"rows":2,"scores":[[-1,1]]}`, `{"rows":0,"scores":[[]]}`,
		`{"rows":2,"scores":[[1,2]],"method":"adaptive"}`, `{"rows":-1,"scores":[[1,2]]}`,
	} {
		if err := new(Intervals).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("intervals: %s is taken", text)
		}
	}
	for _, text := range []string{
		``, `{}`, `{"method":"adaptive","rows":2,"scores":[[0.5,3]]}`, `{"method":"adaptive","rows":1,"scores":[[0.5]],"seed":4}`,
		`{"method":"other","rows":1,"scores":[[0.5]]}`, `{"method":"adaptive","rows":1,"scores":[[0.5],[0.5]]}`, `{"method":"adaptive","rows":1,"scores":[]}`,
	} {
		if err := new(Sets).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("sets: %s is taken", text)
		}
	}
}

// Isotonic calibration of many rows keeps few knots.
func TestKnotsArePruned(t *testing.T) {
	scores, _, labels := drawn(4000, 3, 2, 22)
	text := must(json.Marshal(fitted(Isotonic, scores, labels)))
	if knots := strings.Count(string(text), ","); knots > 600 {
		t.Errorf("%d numbers for 12000 scores", knots)
	}
}
