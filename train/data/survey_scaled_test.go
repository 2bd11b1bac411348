package data

import (
	"context"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

// TestSurveyScaled: a scaler whose first pass came with the survey is the scaler that FitBlocks fits, of every format,
// and reads the files once less where rows are dense.
func TestSurveyScaled(t *testing.T) {
	ctx := context.Background()
	files := map[string]string{
		"a.csv":    "1,2.5,x\n3,-4,y\n5,6e3,x\n0,.25,y\n",
		"b.libsvm": "x 1:1 2:2.5\ny 1:3 2:-4\nx 1:5 2:6e3\ny 2:.25\n",
	}
	for name, text := range files {
		path := fileOf(t, name, text)
		for _, scale := range []string{"none", "standard", "minmax", "l1,standard", "standard,minmax", "cube"} {
			o := StreamOptions{Options: Options{Form: FormDense}, BlockRows: 3}
			if name == "a.csv" {
				o.Label, o.Header = LabelLast, HeaderNo
			}
			s := must(OpenStream(o, path))
			got, want := must(ParseScalers(scale)), must(ParseScalers(scale))
			v := must(s.SurveyScaled(ctx, 2, got))
			if learnt := v.learnt != nil; learnt != (name == "a.csv") {
				t.Errorf("%s %s: the survey has learnt: %v", name, scale, learnt)
			}
			mustDo(v.FitScaler(ctx))
			mustDo(want.FitBlocks(Streamed{Stream: s}.Matrices(ctx)))
			mustDo(v.FitScaler(ctx)) // again: all passes
			sameState(t, name+" "+scale, got, want, 1e-13, 0)
		}
	}
	var none *Survey
	fails(t, none.FitScaler(ctx), domain.ErrParam)
	fails(t, new(Survey).FitScaler(ctx), domain.ErrParam)
}

// TestReadAllStops: one file is read under the context, as several are.
func TestReadAllStops(t *testing.T) {
	path := fileOf(t, "a.csv", "1,2,x\n3,4,y\n")
	ctx, cancel := context.WithCancel(context.Background())
	if s, err := ReadAll(ctx, Options{}, path); err != nil || s.Rows() != 2 {
		t.Fatal(s, err)
	}
	cancel()
	fails(t, failed(ReadAll(ctx, Options{}, path)), context.Canceled)
	var none context.Context
	fails(t, failed(ReadAll(none, Options{}, path)), domain.ErrParam)
}

// TestColumnsStay: JSON that does not describe columns leaves a Columns as it was.
func TestColumnsStay(t *testing.T) {
	c := Columns{Inputs: []Input{{Name: "a", Kind: Number}}}
	for _, text := range []string{`{"inputs": [{"name": "b", "kind": "none of them"}]}`, `{"inputs": 3}`} {
		if err := c.UnmarshalJSON([]byte(text)); err == nil || len(c.Inputs) != 1 || c.Inputs[0].Name != "a" {
			t.Errorf("%s: %+v, %v", text, c.Inputs, err)
		}
	}
}
