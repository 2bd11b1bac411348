package calibrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// calibrationText is a Calibration as JSON: the numbers of its method and no others.
type calibrationText struct {
	Method   string    `json:"method"`
	Classes  int       `json:"classes"`
	Inverse  *float64  `json:"inverseTemperature,omitempty"`
	Bias     []float64 `json:"bias,omitempty"`
	Sigmoids []sigmoid `json:"sigmoids,omitempty"`
	Floor    float64   `json:"floor,omitempty"`
	Steps    []steps   `json:"steps,omitempty"`
}

// MarshalJSON writes the parameters of c without rounding. Errors: domain.ErrParam for a calibration that has not been
// fitted.
func (c *Calibration) MarshalJSON() ([]byte, error) {
	if c.classes == 0 {
		return nil, errNotFitted
	}
	t := calibrationText{Method: c.method.String(), Classes: c.classes, Bias: c.bias, Sigmoids: c.sigmoids, Floor: c.floor, Steps: c.steps}
	if c.method == Temperature || c.method == TemperatureBias {
		t.Inverse = &c.inverse
	}
	return json.Marshal(t)
}

// UnmarshalJSON reads and checks what MarshalJSON wrote; an error leaves c as it was. Errors: domain.ErrParam for
// parameters that are missing, out of range or of another method; the errors of encoding/json.
func (c *Calibration) UnmarshalJSON(text []byte) error {
	var t calibrationText
	if err := strictly("Calibration", text, &t); err != nil {
		return err
	}
	m, err := ParseMethod(t.Method)
	if err != nil {
		return err
	}
	if t.Classes < 2 || !t.ofMethod(m) {
		return fmt.Errorf("train: Calibration: the JSON is no calibration by %v of %d classes: it lacks numbers, or has some that do not belong; write it by MarshalJSON: %w", m, t.Classes, domain.ErrParam)
	}
	*c = Calibration{method: m, classes: t.Classes, bias: t.Bias, sigmoids: t.Sigmoids, floor: t.Floor, steps: t.Steps}
	if t.Inverse != nil {
		c.inverse = *t.Inverse
	}
	return nil
}

// strictly reads one JSON value and refuses unknown fields and anything after it.
func strictly(who string, text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("train: %s: %w", who, err)
	}
	if d.More() {
		return fmt.Errorf("train: %s: there is more behind the JSON: %w", who, domain.ErrParam)
	}
	return nil
}

// ofMethod says whether the numbers belong to the method, and are usable.
func (t *calibrationText) ofMethod(m Method) bool {
	temperature, biased := m == Temperature || m == TemperatureBias, m == TemperatureBias
	if temperature != (t.Inverse != nil) || biased != (t.Bias != nil) || (m == Platt) != (t.Sigmoids != nil) || (m == Isotonic) != (t.Steps != nil || t.Floor != 0) {
		return false
	}
	ok := true
	switch m {
	case Temperature, TemperatureBias:
		ok = *t.Inverse >= 0 && finite(*t.Inverse) && (!biased || len(t.Bias) == t.Classes)
		for _, b := range t.Bias {
			ok = ok && math.Abs(b) <= math.MaxFloat64/4
		}
	case Platt:
		ok = len(t.Sigmoids) == t.Classes
		for _, f := range t.Sigmoids {
			ok = ok && finite(f.Centre, f.Width, f.Slope, f.Offset) && f.Width > 0
		}
	case Isotonic:
		ok = len(t.Steps) == t.Classes && t.Floor > 0 && t.Floor <= .5
		for _, f := range t.Steps {
			ok = ok && f.usable(t.Floor)
		}
	default:
		return false
	}
	return ok
}

// usable says whether f is nondecreasing, from at least floor to at most 1.
func (f steps) usable(floor float64) bool {
	if len(f.X) == 0 || len(f.X) != len(f.Y) || !finite(f.X...) {
		return false
	}
	for j, y := range f.Y {
		if !(y >= floor && y <= 1) || j > 0 && !(f.X[j] > f.X[j-1] && y >= f.Y[j-1]) {
			return false
		}
	}
	return true
}
