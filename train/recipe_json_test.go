package train

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
)

// fill sets every option of a struct to a value that is not zero.
func fill(v reflect.Value) {
	for name, f := range fieldsOf(v) {
		switch {
		case f.Type() == reflect.TypeFor[fits.Fitter]() || f.Type() == reflect.TypeFor[layers.Spec]():
		case f.Kind() == reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			fill(f.Elem())
		case f.Kind() == reflect.Struct:
			fill(f)
		case f.Kind() == reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 2, 2))
		case f.Kind() == reflect.String:
			f.SetString(name)
		case f.CanInt():
			f.SetInt(1)
		case f.CanUint():
			f.SetUint(1 << 63)
		case f.CanFloat():
			f.SetFloat(.125)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		}
	}
}

// TestRecipeJSON: every option of every kind of Fitter comes back, and an option that JSON cannot have is found here.
func TestRecipeJSON(t *testing.T) {
	for kind, of := range fitterKinds {
		f := reflect.New(reflect.TypeOf(of)).Elem()
		fill(f)
		r := Recipe{Spec: layers.Spec{Map: "chi2", Params: layers.Values{"order": 2.}, Seed: 7, Tune: "all"}}
		fill(reflect.ValueOf(&r).Elem())
		r.Fitter = f.Interface().(fits.Fitter)
		if r.FitterKind() != kind {
			t.Errorf("%T is %q, want %q", r.Fitter, r.FitterKind(), kind)
		}
		text := must(json.Marshal(r))
		var back Recipe
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(r, back) {
			t.Errorf("%s\ncame back as\n%+v, want\n%+v (%v)", text, back, r, err)
		}
	}
	text, err := json.Marshal(Recipe{Scale: "l1", Fitter: &linear.SVMOptions{Loss: linear.SquaredInsensitive, Epsilon: .5}})
	if want := `{"fitter":{"epsilon":0.5,"kind":"svm","loss":"squared epsilon-insensitive"},"scale":"l1"}`; string(text) != want || err != nil {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	text = []byte(`{"columns": {"missing": "fill", "cycles": []}, "spec": {"map": "gaussian", "features": 64},
		"tuner": {"steps": ["frozen", "all"], "descent": {"epochs": 3, "checkpoints": {"path": "c", "every": "1m30s"}}, "evidence": {"rows": 9}},
		"uncertainty": {"heldOut": 0.3, "sets": "adaptive", "laplace": true}}`)
	var r Recipe
	want := Recipe{Columns: &data.ColumnOptions{Missing: data.MissingFill, Cycles: []string{}}, Spec: layers.Spec{Map: "gaussian", Features: 64},
		Tuner: &Tuner{Steps: []string{StepFrozen, StepAll}, Descent: sgd.FitOptions{Epochs: 3, Checkpoints: sgd.Checkpoints{Path: "c", Every: 90 * time.Second}},
			Evidence: evidence.Options{Rows: 9}}, Uncertainty: &UncertaintyOptions{HeldOut: .3, Sets: "adaptive", Laplace: true}}
	if err := json.Unmarshal(text, &r); err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("%+v, want %+v (%v)", r, want, err)
	}
}

// TestRecipeJSONErrors: what is wrong is named by its place.
func TestRecipeJSONErrors(t *testing.T) {
	for text, says := range map[string]string{
		`{"scales": "l1"}`:                                      `there is no option "scales"; there are columns, fitter, groups, scale, spec, tuner, uncertainty`,
		`{"fitter": {}}`:                                        `fitter: there is no kind ""; there are cg, logistic, minibatch, ridge, svm`,
		`{"fitter": {"kind": "tree"}}`:                          `fitter: there is no kind "tree"`,
		`{"fitter": {"kind": 1}}`:                               "fitter.kind: ",
		`{"fitter": []}`:                                        "fitter: want an object",
		`{"fitter": {"kind": "ridge", "tol": 1}}`:               `fitter: there is no option "tol"; there are blockRows, classWeights, lambdas, seed, select`,
		`{"fitter": {"kind": "svm", "loss": "l"}}`:              `fitter.loss: "l": want one of squared hinge, squared epsilon-insensitive`,
		`{"tuner": {"descent": {"epochs": "3"}}}`:               "tuner.descent.epochs: ",
		`{"tuner": {"descent": {"checkpoints": {"every": 3}}}}`: `tuner.descent.checkpoints.every: 3: want a time, such as "30s"`,
		`{"spec": {"maps": "gaussian"}}`:                        "spec: ",
		`{"columns": 3}`:                                        "columns: want an object",
		`3`:                                                     "want an object",
	} {
		r := Recipe{Scale: "l2"}
		if err := json.Unmarshal([]byte(text), &r); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), says) || r.Scale != "l2" {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
	if _, err := json.Marshal(Recipe{Fitter: otherFitter{}}); !errors.Is(err, domain.ErrParam) {
		t.Errorf("a Fitter of another type: %v", err)
	}
	text, err := json.Marshal(Recipe{Fitter: linear.SVMOptions{Loss: -1}}) // which a fit refuses
	if want := `{"fitter":{"kind":"svm","loss":-1}}`; string(text) != want || err != nil {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	if kind := (Recipe{Fitter: otherFitter{}}).FitterKind(); kind != "" {
		t.Errorf("its kind is %q", kind)
	}
}

type otherFitter struct{ fits.Fitter }
