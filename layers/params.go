package layers

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Values are the parameters of a map by name, as in -params "beta=0.01,phase=true,window=uniform" and in a model file.
// A value is a bool, a string or a number of any Go type: Values{"order": 2, "gamma": .7}.
type Values map[string]any

// ParamDef declares a parameter of a map: its name, meaning, kind, range and default. Its kind is
//
//   - true or false, with Flag;
//   - one of some words, with Words, or a word or a number, with Words and OrNumber;
//   - finite numbers as text, "1:10", with List, or one of Words;
//   - otherwise a finite number.
type ParamDef struct {
	Name     string
	Doc      string
	Flag     bool
	Words    []string
	OrNumber bool
	List     bool
	Whole    bool    // numbers are whole
	Min      float64 // numbers are above Min, or at least Min with Closed
	Closed   bool
	Max      float64 // numbers are at most Max; 0: no limit
	Default  any     // float64, bool or string; nil: from the data, see Spec.FillDefaults
	OfMap    bool    // it shapes the features and is not a parameter of the kernel
}

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

// plain returns v with every number as a float64.
func (v Values) plain() Values {
	out := Values{}
	for name, value := range v {
		if x, ok := toNumber(value); ok {
			value = x
		}
		out[name] = value
	}
	return out
}

// Bool returns a flag, false if it is missing.
func (v Values) Bool(name string) bool { x, _ := v[name].(bool); return x }

// Word returns a word or a list, "" if it is missing.
func (v Values) Word(name string) string { x, _ := v[name].(string); return x }

// String returns the values in the form of -params, sorted by name.
func (v Values) String() string {
	parts := make([]string, 0, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, v[name]))
	}
	return strings.Join(parts, ",")
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
	defs := e.ParamsOf(choicesIn(text))
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
		def, err := e.param(defs, name)
		if err != nil {
			return nil, err
		}
		if v[name], err = def.parse(mapName, value); err != nil {
			return nil, err
		}
	}
	return v, e.Check(v)
}

// choicesIn finds the values in a text that decide which other parameters there are: kernel and way.
func choicesIn(text string) Values {
	v := Values{}
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); name == kernelParam || name == wayParam {
			v[name] = strings.TrimSpace(value)
		}
	}
	return v
}

func (d ParamDef) parse(mapName, value string) (any, error) {
	if d.Flag {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return nil, d.wants(mapName, strconv.Quote(value))
		}
		return b, nil
	}
	if slices.Contains(d.Words, value) || d.List {
		return value, nil
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !d.number() {
		return nil, d.wants(mapName, strconv.Quote(value))
	}
	return x, nil
}

// number says whether the parameter may be a number.
func (d ParamDef) number() bool { return !d.Flag && !d.List && (d.Words == nil || d.OrNumber) }

// wants returns the error for a value of another kind.
func (d ParamDef) wants(mapName, value string) error {
	want := "true or false"
	if d.List {
		want = strings.Join(append([]string{"finite numbers, as 1:10"}, d.Words...), " or ")
	} else if !d.Flag {
		options := slices.Clone(d.Words)
		if d.number() {
			options = append(options, "a number "+d.Range())
		}
		want = options[len(options)-1]
		if n := len(options) - 1; n > 0 {
			want = strings.Join(options[:n], ", ") + " or " + want
		}
	}
	return fmt.Errorf("layers: map %s: %s = %s, want %s: %w", mapName, d.Name, value, want, ErrParam)
}

// Range describes the range of a number, as in "above 0 and at most 1".
func (d ParamDef) Range() string {
	text := fmt.Sprintf("above %v", d.Min)
	if d.Closed {
		text = fmt.Sprintf("of at least %v", d.Min)
	}
	if d.Max != 0 {
		text += fmt.Sprintf(" and at most %v", d.Max)
	}
	return text
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

// Check compares values with the declarations of their parameters. Errors (ErrParam): an unknown parameter, a value of
// another kind or out of range, values that contradict each other.
func (e *Entry) Check(v Values) error {
	defs := e.ParamsOf(v)
	// The other parameters depend on the kernel.
	if word, given := v[kernelParam]; given && len(defs) > 0 && defs[0].Name == kernelParam {
		if err := defs[0].check(e.Name, word); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		d, err := e.param(defs, name)
		if err != nil {
			return err
		}
		if err := d.check(e.Name, v[name]); err != nil {
			return err
		}
	}
	return e.form().together(v)
}

// check compares a value with the declaration.
func (d ParamDef) check(mapName string, value any) error {
	if x, ok := toNumber(value); ok {
		value = x
	}
	switch x := value.(type) {
	case bool:
		if !d.Flag {
			return d.wants(mapName, fmt.Sprint(x))
		}
	case float64:
		if !d.number() {
			return d.wants(mapName, fmt.Sprint(x))
		}
		if inside := x > d.Min || d.Closed && x == d.Min; !inside || math.IsInf(x, 0) || d.Max != 0 && x > d.Max {
			return fmt.Errorf("layers: map %s: %s = %v, want a finite number %s: %w", mapName, d.Name, x, d.Range(),
				ErrParam)
		}
		if d.Whole && x != math.Trunc(x) {
			return fmt.Errorf("layers: map %s: %s = %v, want a whole number %s: %w", mapName, d.Name, x, d.Range(),
				ErrParam)
		}
	case string:
		if d.List && !slices.Contains(d.Words, x) {
			if _, err := parseList(x); err != nil && x != "" {
				return d.wants(mapName, strconv.Quote(x))
			}
			return nil
		}
		if d.List {
			return nil
		}
		if d.Words == nil {
			return fmt.Errorf("layers: map %s: %s is a %T: %w", mapName, d.Name, x, ErrParam)
		}
		if !slices.Contains(d.Words, x) {
			return d.wants(mapName, strconv.Quote(x))
		}
	default:
		return fmt.Errorf("layers: map %s: %s is a %T: %w", mapName, d.Name, x, ErrParam)
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
