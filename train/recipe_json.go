package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
)

// fitterKinds are the Fitters that a recipe in JSON can have, by their names there.
var fitterKinds = map[string]fits.Fitter{
	"ridge":     linear.RidgeOptions{},
	"cg":        linear.CGOptions{},
	"svm":       linear.SVMOptions{},
	"logistic":  linear.LogisticOptions{},
	"minibatch": sgd.MiniBatch{},
}

// FitterKind returns the name of the Fitter's type in the JSON of the recipe: "ridge", "cg", "svm", "logistic" or
// "minibatch". It is empty for another Fitter.
func (r Recipe) FitterKind() string {
	f := r.Fitter
	for kind, of := range fitterKinds {
		if t := reflect.TypeOf(f); t == reflect.TypeOf(of) || t == reflect.PointerTo(reflect.TypeOf(of)) {
			return kind
		}
	}
	return ""
}

// byValue returns the options that a pointer to one of fitterKinds points to, and another Fitter as it is.
func byValue(f fits.Fitter) fits.Fitter {
	p := reflect.ValueOf(f)
	if p.Kind() != reflect.Pointer || p.IsNil() || (Recipe{Fitter: f}).FitterKind() == "" {
		return f
	}
	return p.Elem().Interface().(fits.Fitter)
}

// MarshalJSON writes the options that differ from their zero values, by the names of their fields with a small first
// letter. A Fitter is an object with its kind (see FitterKind) and its options; functions are left out. Errors:
// domain.ErrParam for a Fitter of another type.
func (r Recipe) MarshalJSON() ([]byte, error) {
	out, err := encodeFields(reflect.ValueOf(r))
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes. Options that the text leaves out are zero. Errors (domain.ErrParam): an
// unknown name, with those that there are, an unknown kind of Fitter, and a value of another type.
func (r *Recipe) UnmarshalJSON(text []byte) error {
	var read Recipe
	if err := decodeFields("", text, reflect.ValueOf(&read).Elem()); err != nil {
		return fmt.Errorf("train: Recipe: %w", err)
	}
	*r = read
	return nil
}

// fieldsOf are the options of a struct by their names in JSON.
func fieldsOf(v reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Anonymous:
			maps.Copy(fields, fieldsOf(v.Field(i)))
		case f.IsExported() && f.Type.Kind() != reflect.Func:
			first, size := utf8.DecodeRuneInString(f.Name)
			fields[string(unicode.ToLower(first))+f.Name[size:]] = v.Field(i)
		}
	}
	return fields
}

// words are the numbers of a type whose values have names.
func words(t reflect.Type) (out []string) {
	if t.Kind() != reflect.Int || !t.Implements(reflect.TypeFor[fmt.Stringer]()) {
		return nil
	}
	for v := reflect.New(t).Elem(); !strings.HasPrefix(fmt.Sprint(v), t.Name()); v.SetInt(v.Int() + 1) {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

// coded says whether a type has JSON of its own.
func coded(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]())
}

func encodeFields(v reflect.Value) (map[string]any, error) {
	out := map[string]any{}
	for name, f := range fieldsOf(v) {
		if f.IsZero() {
			continue
		}
		one, err := encodeOption(f)
		if err != nil {
			return nil, err
		}
		out[name] = one
	}
	return out, nil
}

func encodeOption(v reflect.Value) (any, error) {
	if f, ok := v.Interface().(fits.Fitter); ok {
		kind := Recipe{Fitter: f}.FitterKind()
		if kind == "" {
			return nil, fmt.Errorf("train: Recipe: a Fitter of type %T has no JSON: %w", f, domain.ErrParam)
		}
		out, err := encodeFields(reflect.Indirect(reflect.ValueOf(f)))
		if err == nil {
			out["kind"] = kind
		}
		return out, err
	}
	switch names := words(v.Type()); {
	case v.Kind() == reflect.Pointer:
		return encodeOption(v.Elem())
	case v.Type() == reflect.TypeFor[time.Duration]():
		return fmt.Sprint(v), nil
	case names != nil && v.Int() >= 0 && int(v.Int()) < len(names):
		return names[v.Int()], nil
	case v.Kind() == reflect.Struct && !coded(v.Type()):
		return encodeFields(v)
	}
	return v.Interface(), nil
}

func decodeFields(place string, text []byte, v reflect.Value) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return fmt.Errorf("%swant an object: %w: %w", prefix(place), err, domain.ErrParam)
	}
	fields := fieldsOf(v)
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		f, ok := fields[name]
		if !ok {
			return fmt.Errorf("%sthere is no option %q; there are %s: %w", prefix(place), name,
				strings.Join(slices.Sorted(maps.Keys(fields)), ", "), domain.ErrParam)
		}
		at := name
		if place != "" {
			at = place + "." + name
		}
		if err := decodeOption(at, raw[name], f); err != nil {
			return err
		}
	}
	return nil
}

func prefix(place string) string {
	if place == "" {
		return ""
	}
	return place + ": "
}

func decodeOption(place string, text json.RawMessage, v reflect.Value) error {
	wrong := func(want string) error {
		return fmt.Errorf("%s: %s: want %s: %w", place, bytes.TrimSpace(text), want, domain.ErrParam)
	}
	var word string
	switch names := words(v.Type()); {
	case v.Type() == reflect.TypeFor[fits.Fitter]():
		return decodeFitter(place, text, v)
	case v.Kind() == reflect.Pointer && string(text) != "null":
		v.Set(reflect.New(v.Type().Elem()))
		return decodeOption(place, text, v.Elem())
	case v.Type() == reflect.TypeFor[time.Duration]():
		d := time.Duration(0)
		err := json.Unmarshal(text, &word)
		if err == nil {
			d, err = time.ParseDuration(word)
		}
		if err != nil {
			return wrong(`a time, such as "30s"`)
		}
		v.SetInt(int64(d))
		return nil
	case names != nil:
		if json.Unmarshal(text, &word) != nil || !slices.Contains(names, word) {
			return wrong("one of " + strings.Join(names, ", "))
		}
		v.SetInt(int64(slices.Index(names, word)))
		return nil
	case v.Kind() == reflect.Struct && !coded(v.Type()):
		return decodeFields(place, text, v)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v.Addr().Interface())
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typed) && typed.Field != "":
		return fmt.Errorf("%s.%s is a %s, want a value of type %v: %w", place, typed.Field, typed.Value, typed.Type, domain.ErrParam)
	case err != nil:
		return fmt.Errorf("%s: %w: %w", place, err, domain.ErrParam)
	}
	return nil
}

// decodeFitter reads a Fitter, whose kind says which type it has.
func decodeFitter(place string, text json.RawMessage, v reflect.Value) error {
	raw := map[string]json.RawMessage{}
	var kind string
	if err := json.Unmarshal(text, &raw); err != nil {
		return fmt.Errorf("%s: want an object: %w: %w", place, err, domain.ErrParam)
	}
	if raw["kind"] != nil {
		if err := json.Unmarshal(raw["kind"], &kind); err != nil {
			return fmt.Errorf("%s.kind: %w: %w", place, err, domain.ErrParam)
		}
	}
	of, ok := fitterKinds[kind]
	if !ok {
		return fmt.Errorf("%s: there is no kind %q; there are %s: %w", place, kind,
			strings.Join(slices.Sorted(maps.Keys(fitterKinds)), ", "), domain.ErrParam)
	}
	delete(raw, "kind")
	rest, err := json.Marshal(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	f := reflect.New(reflect.TypeOf(of)).Elem()
	if err := decodeFields(place, rest, f); err != nil {
		return err
	}
	v.Set(f)
	return nil
}
