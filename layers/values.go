package layers

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Values are the parameters of a map by name, as in --params "beta=0.01,phase=true,window=uniform" and in a model file.
// A value is a bool, a string or a number of any Go type, as in Values{"order": 2, "gamma": .7}. A list of numbers is a
// text, "1:10", or a slice of numbers.
type Values map[string]any

// Number returns a number, 0 if it is missing.
func (v Values) Number(name string) float64 { x, _ := toNumber(v[name]); return x }

// toNumber returns a number of any type as a float64.
func toNumber(value any) (x float64, ok bool) {
	switch r := reflect.ValueOf(value); {
	case r.CanFloat():
		return r.Float(), true
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanUint():
		return float64(r.Uint()), true
	}
	return 0, false
}

// plain returns v with every number as a float64 and every list as a text.
func (v Values) plain() Values {
	out := Values{}
	for name, value := range v {
		out[name] = plainValue(value)
	}
	return out
}

func plainValue(value any) any {
	if x, ok := toNumber(value); ok {
		return x
	}
	slice := reflect.ValueOf(value)
	if slice.Kind() != reflect.Slice {
		return value
	}
	list := make([]float64, slice.Len())
	for i := range list {
		var ok bool
		if list[i], ok = toNumber(slice.Index(i).Interface()); !ok {
			return value
		}
	}
	return listText(list)
}

// Bool returns a flag, false if it is missing.
func (v Values) Bool(name string) bool { x, _ := v[name].(bool); return x }

// Word returns a word or a list, "" if it is missing.
func (v Values) Word(name string) string { x, _ := plainValue(v[name]).(string); return x }

// String returns the values in the form of --params, sorted by name.
func (v Values) String() string {
	parts, plain := make([]string, 0, len(v)), v.plain()
	for _, name := range slices.Sorted(maps.Keys(v)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, plain[name]))
	}
	return strings.Join(parts, ",")
}

// mapped returns f of each value.
func mapped[S, T any](values []S, f func(S) T) []T {
	all := make([]T, len(values))
	for i, v := range values {
		all[i] = f(v)
	}
	return all
}

// Short is String with numbers of four digits and without the flags that are false, for titles and tables.
func (v Values) Short() string {
	short := Values{}
	for name, value := range v.plain() {
		switch x := value.(type) {
		case float64:
			short[name] = fmt.Sprintf("%.4g", x)
		case bool:
			if x {
				short[name] = x
			}
		case string:
			if x != "" { // a list that is not given
				short[name] = shortList(x)
			}
		}
	}
	return short.String()
}

// shortList shortens a list to three numbers of three digits, and says how many there are. Another text stays as it is.
func shortList(text string) string {
	list, err := parseList(text)
	if err != nil {
		return text
	}
	const most = 3
	parts := make([]string, 0, most+1)
	for _, x := range list[:min(len(list), most)] {
		parts = append(parts, fmt.Sprintf("%.3g", x))
	}
	if len(list) > most {
		parts = append(parts, fmt.Sprintf("… (%d)", len(list)))
	}
	return strings.Join(parts, ":")
}

// ParseValues reads the parameters of a map from "name=value,name=value". Errors (ErrParam): an unknown map or
// parameter, a value that is missing, given twice, of another kind or out of range. They say what is allowed.
func ParseValues(mapName, text string) (Values, error) {
	e, err := Lookup(mapName)
	if err != nil {
		return nil, err
	}
	v := Values{}
	if strings.TrimSpace(text) == "" {
		return v, nil
	}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok {
			return nil, fmt.Errorf("layers: map %s: parameter %q has no value; write %s=VALUE: %w", mapName, name, name,
				ErrParam)
		}
		if _, twice := v[name]; twice {
			return nil, fmt.Errorf("layers: map %s: parameter %q is given twice: %w", mapName, name, ErrParam)
		}
		v[name] = value
	}
	// The form of the texts has the parameters of the kernel that one of them names.
	eachParam(e.form(v), func(d ParamDef, _ reflect.Value) {
		if text, given := v[d.Name].(string); given {
			v[d.Name] = d.read(text)
		}
	})
	return v, e.Check(v)
}

// param finds the declaration of a parameter.
func (e *Entry) param(defs []ParamDef, name string) (ParamDef, error) {
	names := make([]string, len(defs))
	for i, p := range defs {
		if names[i] = p.Name; p.Name == name {
			return p, nil
		}
	}
	if len(names) == 0 {
		return ParamDef{}, fmt.Errorf("layers: map %s has no parameters, so no %q: %w", e.Name, name, ErrParam)
	}
	return ParamDef{}, fmt.Errorf("layers: map %s has no parameter %q; it has %s: %w", e.Name, name,
		strings.Join(names, ", "), ErrParam)
}

// withDefaults returns values with the defaults of the parameters that they leave out, and the declarations of those
// that have none, which come from the data.
func (e *Entry) withDefaults(v Values) (full Values, missing []ParamDef) {
	full = v.plain()
	for _, p := range e.ParamsOf(full) {
		switch _, given := full[p.Name]; {
		case given:
		case p.Default == nil:
			missing = append(missing, p)
		default:
			full[p.Name] = p.Default
		}
	}
	return full, missing
}

// Check compares values with the declarations of their parameters. Errors (ErrParam): an unknown parameter, a value of
// another kind or out of range, values that contradict each other.
func (e *Entry) Check(v Values) error {
	f := e.form(v)
	var all []ParamDef // also those that other values hide: check says more of these
	eachParam(f, func(d ParamDef, _ reflect.Value) { all = append(all, d) })
	shown := e.ParamsOf(v)
	// The other parameters depend on the kernel.
	if word, given := v[kernelParam]; given && len(all) > 0 && all[0].Name == kernelParam {
		if err := all[0].check(e.Name, word); err != nil {
			return err
		}
	}
	names, defs := slices.Sorted(maps.Keys(v)), []ParamDef(nil)
	for _, name := range names {
		d, err := e.param(all, name)
		if err != nil {
			_, err = e.param(shown, name)
			return err
		}
		defs = append(defs, d)
	}
	for _, d := range defs {
		if err := d.check(e.Name, v[d.Name]); err != nil {
			return err
		}
	}
	if c, ok := f.(interface {
		check(mapName string, given Values) error
	}); ok {
		if err := c.check(e.Name, v); err != nil {
			return err
		}
	}
	for _, name := range names {
		if _, err := e.param(shown, name); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes an empty object for no parameters.
func (v Values) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]any(v))
}
