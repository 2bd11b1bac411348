package layers

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops/domain"
)

// ParamDef is the declaration of a parameter of a map, read off the tags of a field of a struct, such as a kernel:
//
//	type Matern struct {
//		Nu  float64 `param:"nu" default:"1.5" doc:"smoothness ν"`
//		Ell float64 `param:"ell" doc:"length scale ℓ"`
//	}
//
// The tag param is the name, doc the meaning. default is the value for a Spec that leaves the name out; without it the
// value comes from the data (Spec.FillDefaults), and is false for a bool. range is an interval as "[0,1]" or "(0,", by
// default the numbers above 0. words are words that stand for numbers, 0, 1, 2, ... or as "auto=0" says; a number is
// then allowed only if there is a range. The fields of an embedded struct are parameters too, and so are the fields
// of a struct or interface with the tag `param:",inline"`.
//
// The kind of the parameter is the type of the field: bool; int or []int, for a whole number; float64; []float64, for
// finite numbers, see Values; spectral.Kernel, for the name of the map whose kernel it is.
type ParamDef struct {
	Name     string
	Doc      string
	Flag     bool
	Words    []string
	OrNumber bool // a word or a number
	List     bool
	Whole    bool    // numbers are whole
	Min      float64 // numbers are above Min, or at least Min with Closed
	Closed   bool
	Max      float64 // numbers are at most Max; 0: no limit
	Default  any     // float64, bool or string; nil: from the data, see Spec.FillDefaults

	numbers  []float64 // of the words
	borrowed bool      // a parameter of the kernel of another map
}

// longDocs are the meanings that are too long for a tag, by the name of the parameter.
var longDocs = map[string]string{
	"phase":      "the phase form √(2/m) cos(xW + b) in place of the pair",
	"activation": "what a dense or periodic layer applies to each number",
	"way": "the features: Laplace features; the same, rows normalised to √k(x, x); a Gaussian's on a map without " +
		"randomness; or the better of the last two for so many features",
	"order": "order n: 2n+1 columns for each input column; auto: frequencies on x itself, without bias, where there " +
		"are such, and otherwise 1",
	"negative": "what x < 0 is: an error; part of sign(x) sign(z) k(|x|, |z|); or split from x > 0, a dimension of " +
		"its own",
	"period":   "period Λ: the fitted one, that with the least largest error, or a number",
	"coupling": "how the frequencies of the two signs are drawn together",
	"eps": "largest error of the signed combination of Gaussians, relative to the largest |k|; auto: the best for " +
		"dimension, number of features and coupling",
	"flat": "what wide Gaussians are worth in mass; 0: the least mass; eps=auto chooses it, too",
	"bandwidth": "bandwidth of the density estimate, one number or one a coordinate; or found on the data, by " +
		"Scott's rule or by cross-validation",
	"lambdas": "number of frequencies λ of an embedding; auto: frequencies on the values of densities, without bias, " +
		"where there are such, and otherwise 5",
	"points": "points of the grid on each axis; auto is 128, 48 and 20 for 1 to 3 coordinates, 128 for each " +
		"direction of more",
	"inner":     "columns of the random map of a sample; an additive map finds its columns from its parameters",
	"landmarks": "samples to compare with, by the Nyström map in place of the kernel's own; 0 is none",
}

// eachParam returns a copy of a struct of parameters, after it called do with each parameter and its field in the copy.
func eachParam[T any](of T, do func(d ParamDef, f reflect.Value)) T {
	walk(reflect.ValueOf(&of).Elem(), false, do)
	return of
}

// orDefaults returns a copy of a struct of parameters with the default for each 0 that is out of range.
func orDefaults[T any](of T) T {
	return eachParam(of, func(d ParamDef, f reflect.Value) {
		if d.Default != nil && f.IsZero() && d.number() && !slices.Contains(d.numbers, 0) && !(d.Closed && d.Min <= 0) {
			d.decode(f, d.Default)
		}
	})
}

func walk(v reflect.Value, borrowed bool, do func(d ParamDef, f reflect.Value)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			c := reflect.New(v.Elem().Type()).Elem()
			c.Set(v.Elem())
			walk(c, borrowed, do)
			v.Set(c)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch field := v.Type().Field(i); field.Tag.Get("param") {
			case "":
				if embedded(field) {
					walk(v.Field(i), borrowed, do)
				}
			case ",inline":
				walk(v.Field(i), borrowed, do)
			default:
				d := declared(field)
				d.borrowed = borrowed
				do(d, v.Field(i))
				walk(v.Field(i), true, do) // the kernel of another map
			}
		}
	}
}

// embedded reports whether a field is an embedded struct, whose fields are parameters of the outer struct.
func embedded(f reflect.StructField) bool { return f.Anonymous && f.Type.Kind() == reflect.Struct }

// unread returns the path of an exported or embedded field that is not a parameter, or "".
func unread(t reflect.Type) string {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("param")
		switch inline := tag == ",inline"; {
		case embedded(f), inline && f.Type.Kind() == reflect.Struct:
			if name := unread(f.Type); name != "" {
				return f.Name + "." + name
			}
		case !tagged && (f.IsExported() || f.Anonymous), inline && f.Type.Kind() != reflect.Interface:
			return f.Name
		}
	}
	return ""
}

// declared reads the declaration of a field.
func declared(f reflect.StructField) ParamDef {
	d := ParamDef{Name: f.Tag.Get("param"), Doc: f.Tag.Get("doc")}
	if d.Doc == "" {
		d.Doc = longDocs[d.Name]
	}
	if text, ok := f.Tag.Lookup("words"); ok {
		for i, word := range strings.Split(text, ",") {
			word, number, stated := strings.Cut(word, "=")
			x := float64(i)
			if stated {
				x = tagNumber(f, number)
			}
			d.Words, d.numbers = append(d.Words, word), append(d.numbers, x)
		}
	}
	interval, ranged := f.Tag.Lookup("range")
	d.OrNumber = ranged && d.Words != nil
	if ranged {
		low, high, _ := strings.Cut(interval, ",")
		d.Closed = strings.HasPrefix(low, "[")
		d.Min = tagNumber(f, low[1:])
		if high = strings.TrimSuffix(high, "]"); high != "" {
			d.Max = tagNumber(f, high)
		}
	}
	switch kind := f.Type.Kind(); {
	case !f.IsExported():
		panic(fmt.Sprintf("layers: the field %s of the parameter %s is not exported", f.Name, d.Name))
	case kind == reflect.Float64:
	case kind == reflect.Bool:
		d.Flag, d.Default = true, false
	case kind == reflect.Int, f.Type == reflect.TypeFor[[]int]():
		d.Whole = true
	case f.Type == reflect.TypeFor[[]float64]():
		d.List = true
	case kind == reflect.Interface:
		for _, e := range lending(f.Type) {
			d.Words = append(d.Words, e.Name)
		}
	default:
		panic(fmt.Sprintf("layers: the field %s of the parameter %s is a %v; want a bool, int, float64, []int, "+
			"[]float64 or spectral.Kernel", f.Name, d.Name, f.Type))
	}
	if text, ok := f.Tag.Lookup("default"); ok {
		d.Default = d.read(text)
		if err := d.check(f.Name, d.Default); err != nil {
			panic(err)
		}
	}
	return d
}

func tagNumber(f reflect.StructField, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("layers: the tag of the field %s: %v", f.Name, err))
	}
	return x
}

// decode sets a field to a value that is in range. Words of a list, which are rules, leave it empty.
func (d ParamDef) decode(f reflect.Value, value any) {
	value = plainValue(value)
	word, _ := value.(string)
	x, _ := toNumber(value)
	if i := slices.Index(d.Words, word); i >= 0 && d.numbers != nil {
		x = d.numbers[i]
	}
	switch f.Kind() {
	case reflect.Bool:
		b, _ := value.(bool)
		f.SetBool(b)
	case reflect.Int:
		f.SetInt(int64(x))
	case reflect.Float64:
		f.SetFloat(x)
	case reflect.Slice:
		f.SetZero()
		if list, _ := parseList(word); d.List {
			f.Set(reflect.ValueOf(list))
		} else if x > 0 {
			f.Set(reflect.ValueOf([]int{int(x)}))
		}
	case reflect.Interface:
		for _, e := range lending(f.Type()) {
			if e.Name == word {
				f.Set(reflect.ValueOf(e.Kernel))
			}
		}
	}
}

// encode is the inverse of decode.
func (d ParamDef) encode(f reflect.Value) any {
	x := 0.
	switch f.Kind() {
	case reflect.Bool:
		return f.Bool()
	case reflect.Slice:
		if list, ok := f.Interface().([]float64); ok {
			return listText(list)
		}
		if f.Len() > 0 {
			x = float64(f.Index(0).Int())
		}
	case reflect.Interface:
		k, _ := f.Interface().(spectral.Kernel)
		if e := lender(k); e != nil {
			return e.Name
		}
		return ""
	case reflect.Int:
		x = float64(f.Int())
	case reflect.Float64:
		x = f.Float()
	}
	if i := slices.Index(d.numbers, x); i >= 0 {
		return d.Words[i]
	}
	return x
}

// read returns the value that a text says, or the text if it says none, which check refuses.
func (d ParamDef) read(text string) any {
	switch x, err := strconv.ParseFloat(text, 64); {
	case d.Flag:
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
	case d.number() && err == nil && !slices.Contains(d.Words, text):
		return x
	}
	return text
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
		want = domain.Or(options)
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

// check compares a value with the declaration.
func (d ParamDef) check(mapName string, value any) error {
	switch x := plainValue(value).(type) {
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
		_, err := parseList(x)
		if list := d.List && (err == nil || x == ""); !list && !slices.Contains(d.Words, x) {
			return d.wants(mapName, strconv.Quote(x))
		}
	default:
		return d.wants(mapName, fmt.Sprint(x))
	}
	return nil
}

// parseList reads finite numbers separated by colons, at least one.
func parseList(text string) ([]float64, error) {
	var list []float64
	for _, part := range strings.Split(text, ":") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, fmt.Errorf("%q is not a finite number", part)
		}
		list = append(list, x)
	}
	return list, nil
}

// listText is the inverse of parseList.
func listText(list []float64) string {
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return strings.Join(mapped(list, text), ":")
}
