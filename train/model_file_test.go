package train_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// smallModel has d input columns, 2 features of one frequency, or 62 of structured ones for 17 columns, and 2 classes.
func smallModel(d int) *train.Model {
	s := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.5}, Dims: d, Features: 2, Name: "map"}
	if d == 17 {
		s.Sampler, s.Features = "structured", 62
	}
	m := &train.Model{Scaler: must(data.ParseScalers("none")), Spec: s, Map: must(s.Build()),
		Head: must(layers.NewSoftmaxHead(s.Features, 2)), Classes: data.Classes{"no", "yes"}}
	w := make([]float64, 2*s.Features)
	for i := range w {
		w[i] = math.Sin(float64(i + 1))
	}
	if err := errors.Join(m.Scaler.Fit(rowsOf(3, d)), m.Head.SetWeights(w, []float64{.5, -.5})); err != nil {
		panic(err)
	}
	return m
}

func rowsOf(n, d int) *tensor.Dense {
	x := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64))
	for i := range n * d {
		x.Float64s()[i] = float64(i%5) / 4
	}
	return x
}

type (
	object  = map[string]any // JSON to be tampered with
	tensors = map[string]*tensor.Dense
)

// forge writes a smallModel with another card and other tensors, under a checksum that is right.
func forge(t testing.TB, path string, d int, f func(card, spec object, ts tensors)) {
	t.Helper()
	noError(t, smallModel(d).Save(path))
	meta, ts := must2(modelfile.Read(path))
	var card object
	noError(t, json.Unmarshal([]byte(meta["bochner"]), &card))
	f(card, card["spec"].(object), ts)
	meta["bochner"] = string(must(json.Marshal(card)))
	noError(t, modelfile.Write(path, meta, ts))
}

// TestLoadErrors: what is no model, a damaged one, and a card that says what the tensors do not hold are errors of
// their kind that name the file. Nothing of the size that a card states is allocated.
func TestLoadErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	noError(t, smallModel(2).Save(path))
	good := must(os.ReadFile(path))
	flipped := slices.Clone(good)
	flipped[len(good)/2] ^= 1
	w := tensors{"W": rowsOf(3, 2)}
	ours := must(modelfile.Encode(map[string]string{"made by": "somebody else"}, w))
	card := func(text string) []byte { return must(modelfile.Encode(map[string]string{"bochner": text}, w)) }
	theirs := append([]byte{56, 0, 0, 0, 0, 0, 0, 0},
		[]byte(`{"W":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}  `+"12345678")...)
	load := func(what, path string, is error, text string) {
		t.Helper()
		var m *train.Model
		var err error
		bytes := allocated(func() { m, err = train.Load(path) })
		wants(t, what, err, is, path)
		if wants(t, what, err, is, text); m != nil || bytes > 1<<20 {
			t.Errorf("%s: a model, or %d bytes allocated", what, bytes)
		}
	}
	for name, c := range map[string]struct {
		bytes []byte
		is    error
		text  string
	}{
		"a byte changed": {flipped, modelfile.ErrCorrupt, "damaged"},
		"a byte less":    {good[:len(good)-1], modelfile.ErrCorrupt, "damaged"},
		"a byte more":    {append(slices.Clone(good), 0), modelfile.ErrCorrupt, "damaged"},
		"tensors":        {ours, modelfile.ErrFormat, `no metadata "bochner"`},
		"no hash":        {theirs, modelfile.ErrFormat, "not a model file"},
		"csv":            {[]byte(strings.Repeat("1,2,3,4\n", 30)), modelfile.ErrFormat, "not a model file"},
		"card":           {card("{"), modelfile.ErrFormat, "no model card"},
		"list":           {card("[1]"), modelfile.ErrFormat, "no model card"},
		"empty card":     {card("{}"), layers.ErrParam, `no map ""`},
		"empty":          {nil, modelfile.ErrCorrupt, "0 bytes"},
	} {
		noError(t, os.WriteFile(path, c.bytes, 0o600))
		load(name, path, c.is, c.text)
	}
	load("not a file", path+"2", fs.ErrNotExist, "")
	load("a directory", filepath.Dir(path), nil, "directory")

	format := modelfile.ErrFormat
	none := func(rows, cols int) *tensor.Dense {
		return tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking([]float64{}))
	}
	cell := func(name string, i int, v float64) tensors {
		_, ts := must2(modelfile.Decode(good))
		ts[name].Float64s()[i] = v
		return tensors{name: ts[name]}
	}
	unscaled := tensors{"scaler.cols": nil}
	for _, c := range []struct {
		what       string
		is         error
		text       string
		spec, card object // in place of what is there; nil takes it away
		tensors    tensors
	}{
		{"features", format, "", object{"features": 1e9}, nil, nil},
		{"dims", format, "", object{"dims": 1e9}, nil, nil},
		{"dims of a draw", format, "", object{"dims": 1e9}, object{"drawn": false}, nil},
		{"dims of an orthogonal draw", format, "", object{"dims": 1e9, "sampler": "orthogonal"}, object{"drawn": false}, nil},
		{"dims without frequencies", format, "", object{"dims": 1e9}, nil, tensors{"map.W": nil}},
		{"dims of no frequencies", format, "", object{"dims": 1e9}, nil, tensors{"map.W": none(1e9, 0)}},
		{"outputs", format, "", nil, object{"outputs": 1e9}, nil},
		{"all", format, "", object{"features": 1e9, "dims": 1e9}, object{"outputs": 1e9}, nil},
		{"features of an empty head", format, "", object{"features": 1e9}, object{"outputs": 0},
			tensors{"head.W": none(1e9, 0)}},
		{"outputs of an empty head", format, "", object{"features": 0, "dims": 0}, object{"outputs": 1e9},
			tensors{"head.W": none(0, 1e9)}},
		{"a linear map", format, "", object{"map": "linear", "params": object{}, "dims": 1e9}, nil, nil},
		{"no sizes", format, "", object{"dims": nil, "features": nil}, nil, nil},
		{"negative dims", format, "", object{"dims": -2}, nil, nil},
		{"negative features", format, "", object{"features": -2}, nil, nil},
		{"not a size", format, "", object{"dims": 1e30}, nil, nil},
		{"half a size", format, "", object{"dims": 1.5}, nil, nil},
		{"another shape", layers.ErrShape, "", nil, nil, tensors{"map.W": rowsOf(3, 1)}},
		{"no frequencies", format, "", nil, nil, tensors{"map.W": nil}},
		{"no head", format, "", nil, nil, tensors{"head.W": nil}},
		{"no intercept", layers.ErrParam, "", nil, nil, tensors{"head.b": nil}},
		{"no scaler", domain.ErrParam, "", nil, nil, unscaled},
		{"another scaler", domain.ErrParam, "", nil, object{"scaler": "minmax"}, nil},
		{"an unknown scaler", domain.ErrParam, "", nil, object{"scaler": "whiten"}, nil},
		{"an unknown head", format, "", nil, object{"head": "tree"}, nil},
		{"another class", format, "", nil, object{"classes": []string{"no", "yes", "maybe"}}, nil},
		{"another element type", format, "", object{"dtype": "float32"}, nil, nil},
		{"an unknown element type", format, "", object{"dtype": "int8"}, nil, nil},
		{"an unknown sampler", spectral.ErrParam, "", object{"sampler": "grid"}, nil, nil},
		{"an unknown policy", layers.ErrParam, "", object{"tune": "some"}, nil, nil},
		{"a text for a number", layers.ErrParam, "", object{"params": object{"sigma": "1"}}, nil, nil},
		{"a parameter less", layers.ErrParam, "", object{"params": object{}}, nil, nil},
		{"NaN", format, `the tensor "head.W" has NaN at 3`, nil, nil, cell("head.W", 3, math.NaN())},
		{"an infinite intercept", format, "", nil, nil, cell("head.b", 0, math.Inf(1))},
		{"an infinite frequency", format, "", nil, nil, cell("map.W", 1, math.Inf(-1))},
		{"a newer version", format, "version 99.0.0, and this is " + modelfile.Version, nil,
			object{"version": "99.0.0"}, nil},
		{"a minor version", format, "of the newer version 0.2.0", nil, object{"version": "0.2.0"}, nil},
		{"a version of two numbers", format, "", nil, object{"version": "99.0"}, nil},
		{"a version of words", format, "", nil, object{"version": "new"}, nil},
		{"an unknown map", layers.ErrParam, "or what Register adds", object{"map": "rbf"}, nil, nil},
		{"structured dims", format, "", object{"dims": 1e9}, nil, unscaled},
		{"structured signs", format, "", object{"dims": 1 << 30}, nil,
			tensors{"map.signs": none(0, 1<<30), "scaler.cols": nil}},
		{"structured, more dims", format, "", object{"dims": 33}, nil, unscaled},
		{"structured, less dims", layers.ErrShape, "", object{"dims": 16}, nil, unscaled},
		{"structured, few dims", spectral.ErrSampler, "", object{"dims": 15}, nil, unscaled},
		{"structured, no norms", layers.ErrParam, "", nil, nil, tensors{"map.norms": nil, "scaler.cols": nil}},
	} {
		d := 2
		if strings.HasPrefix(c.what, "structured") {
			d = 17
		}
		forge(t, path, d, func(card, spec object, ts tensors) {
			maps.Copy(card, c.card)
			maps.Copy(spec, c.spec)
			maps.Copy(ts, c.tensors)
			maps.DeleteFunc(spec, func(_ string, v any) bool { return v == nil })
			maps.DeleteFunc(ts, func(_ string, v *tensor.Dense) bool { return v == nil })
		})
		load(c.what, path, c.is, c.text)
	}
	x, want := rowsOf(5, 2), must(smallModel(2).Scores(rowsOf(5, 2)))
	for key, v := range map[string]any{"drawn": false, "version": modelfile.Version + "9"} { // drawn again; a later patch
		forge(t, path, 2, func(card, _ object, _ tensors) { card[key] = v })
		if m, err := train.Load(path); err != nil || !mat.Equal(must(m.Scores(x)), want) {
			t.Errorf("%s: %v: %v", key, v, err)
		}
	}
}

// FuzzLoad: whatever the card says, loading is an error or gives a model that predicts and can be saved, in memory that
// the file accounts for: 2^22 numbers of a draw and a few copies.
func FuzzLoad(f *testing.F) {
	path := filepath.Join(f.TempDir(), "m")
	var ts tensors
	forge(f, path, 2, func(card, spec object, all tensors) {
		text := string(must(json.Marshal(card)))
		f.Add(text)
		f.Add(strings.Replace(text, `"drawn":true`, `"drawn":false`, 1))
		f.Add(strings.Replace(text, `"dims":2`, `"dims":1000000000`, 1))
		f.Add(strings.Replace(strings.Replace(text, `"dims":2`, `"dims":65536`, 1), `"drawn":true`, `"drawn":false`, 1))
		for _, e := range layers.Entries() {
			spec["map"] = e.Name
			f.Add(string(must(json.Marshal(card))))
		}
		ts = all
	})
	f.Add(`{"spec":{"map":"linear","dims":2},"scaler":"none","head":"linear","outputs":2}`)
	f.Add(`{"spec":{"map":"laplacian","params":{"sigma":1e-300,"phase":true},"dims":1,"features":2},"outputs":2,
		"head":"linear"}`)
	f.Add(`{"spec":{"map":"skewed-chi2","params":{"c":0.5},"dims":2,"features":2,"tune":"all"},"outputs":2,
		"head":"softmax","drawn":true}`)
	f.Add(`{"spec":null,"classes":[],"drawn":null}`)
	f.Fuzz(func(t *testing.T, card string) {
		bytes, err := modelfile.Encode(map[string]string{"bochner": card}, ts)
		if err != nil {
			return // no JSON string
		}
		noError(t, os.WriteFile(path, bytes, 0o600))
		var m *train.Model
		if n := allocated(func() { m, err = train.Load(path) }); n > 256<<20 || (m == nil) != (err != nil) {
			t.Fatalf("%d bytes allocated; a model: %v, and the error %v", n, m != nil, err)
		}
		if err != nil || m.Dims() != 2 {
			return
		}
		scores, err := m.Scores(rowsOf(5, 2))
		if err != nil {
			return // of values that the parameters make overflow
		}
		if !mat.Equal(must(reloaded(t, m.Save).Scores(rowsOf(5, 2))), scores) {
			t.Fatal("what was loaded and saved predicts otherwise")
		}
	})
}

// TestSaveErrors: what Load could not read, and what a seed does not bring back, is not written. SaveSpec refuses
// weights that the spec does not draw; Save keeps them.
func TestSaveErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	save, spec := (*train.Model).Save, (*train.Model).SaveSpec
	wide := func(m *train.Model) {
		m.Spec.Dims = 1<<22 + 1<<17 + 1 // one column too many for a frequency under 2 features and 2 outputs
		if err := m.Scaler.Fit(rowsOf(1, m.Spec.Dims)); err != nil {
			panic(err)
		}
		m.Map = must(m.Spec.Build())
	}
	other := func(opts ...layers.Option) func(m *train.Model) {
		return func(m *train.Model) {
			m.Map = must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1.5}, 2, 2, opts...))
		}
	}
	composed := func(m *train.Model) {
		first := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1.5}, 2, 2))
		must(layers.NewConcat(2, []layers.Part{{Layer: first, To: 2, Weight: 1}, {Layer: m.Map, To: 2, Weight: 1}}))
	}
	note := func(key, text string) func(m *train.Model) {
		return func(m *train.Model) { m.Notes = map[string]string{key: text} }
	}
	bad := domain.ErrParam
	for _, c := range []struct {
		what string
		f    func(m *train.Model)
		save func(m *train.Model, path string) error
		is   error
		text string
	}{
		{"no scaler", func(m *train.Model) { m.Scaler = nil }, save, bad, "Scaler"},
		{"no head", func(m *train.Model) { m.Head = nil }, spec, bad, "Head"},
		{"not fitted", func(m *train.Model) { m.Scaler = must(data.ParseScalers("l2")) }, save, bad,
			`"l2" is not fitted`},
		{"another width", func(m *train.Model) { m.Spec.Dims = 1 }, save, bad, "does not describe its Map"},
		{"other features", func(m *train.Model) { m.Spec.Features = 4 }, save, bad, "4 features"},
		{"another element type", func(m *train.Model) { m.Spec.Dtype = "float32" }, save, bad, "float32"},
		{"no spec", func(m *train.Model) { m.Spec = layers.Spec{} }, save, layers.ErrParam, "does not describe"},
		{"another kernel", func(m *train.Model) { m.Spec.Map = "laplacian" }, save, bad, "Spec"},
		{"another bandwidth", func(m *train.Model) { m.Spec.Params = layers.Values{"sigma": 3.} }, save, bad, "Spec"},
		{"classes", func(m *train.Model) { m.Classes = data.Classes{"one"} }, save, bad, "1 classes and 2 outputs"},
		{"no classes", func(m *train.Model) { m.Classes = nil }, save, bad, "a softmax head predicts classes"},
		{"Latin-1", func(m *train.Model) { m.Classes[0] = "caf\xe9" }, save, bad, `"caf\xe9" is not UTF-8`},
		{"relevance", func(m *train.Model) { m.Relevance = []float64{1} }, save, bad, "the relevance of 1 columns"},
		{"Inf", func(m *train.Model) { m.Head.Params()[0].Value.Float64s()[0] = math.Inf(1) }, save, bad,
			`"head.W" has +Inf at 0`},
		{"the card's note", note("bochner", "{}"), save, bad, "bochner"},
		{"the checksum's note", note("sha256", "0"), save, bad, "sha256"},
		{"a note in Latin-1", note("a", "\xff"), save, bad, "a"},
		{"a wide map", wide, spec, bad, "save the whole model"},
		{"by name", other(layers.WithName("rff")), spec, bad, "save the whole model"},
		{"by seed", other(layers.WithName("map"), layers.WithSeed(2)), spec, bad, "save the whole model"},
		{"composed", composed, spec, bad, "save the whole model"},
		{"composed, saved", composed, save, nil, ""},
		{"the same draw", func(*train.Model) {}, spec, nil, ""},
		{"alone", other(), spec, nil, ""},
	} {
		m := smallModel(2)
		c.f(m)
		if err := c.save(m, path); c.is != nil {
			wants(t, c.what, err, c.is, c.text)
		} else if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if err := os.Remove(path); errors.Is(err, fs.ErrNotExist) != (c.is != nil) {
			t.Fatalf("%s: no file: %v", c.what, err)
		}
	}
	// A composition does not draw the map of a loaded model again.
	m, want := reloaded(t, smallModel(2).SaveSpec), must(smallModel(2).Scores(rowsOf(5, 2)))
	composed(m)
	if !mat.Equal(must(m.Scores(rowsOf(5, 2))), want) {
		t.Error("the map of a loaded model was drawn again")
	}
}

// ownKernel is a kernel that the table of maps does not have.
type ownKernel struct{ spectral.Gaussian }

// TestNewModel: layers in order, with the classes that their head has; layers that do not make a model are an error.
func TestNewModel(t *testing.T) {
	rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 8))
	dense := must(layers.NewDense(8, 3, ops.ReLU))
	single := must(layers.NewLinearHead(8, 1, layers.WithDtype(tensor.Float32)))
	own := must(layers.NewFourierLayer(ownKernel{spectral.Gaussian{Sigma: 1}}, 2, 8))
	linear, softmax := must(layers.NewLinearHead(8, 1)), must(layers.NewSoftmaxHead(3, 2))
	m := must(train.NewModel(rff, dense, softmax))
	if !slices.Equal(m.Classes, data.Classes{"0", "1"}) || m.Spec.Map != "sequential" || m.Scaler.Name() != "none" {
		t.Errorf("%q, %v, %s", m.Classes, m.Spec, m.Scaler.Name())
	}
	if y, err := must(train.NewModel(rff, linear)).PredictTargets(rowsOf(3, 2)); err != nil || len(y) != 3 {
		t.Errorf("targets %v, %v", y, err)
	}
	model := func(ls ...layers.Layer) error { return second(train.NewModel(ls...)) }
	wantsAll(t, []mistake{
		{model(), domain.ErrParam, "0 layers; give at least a map and a head"},
		{model(linear), domain.ErrParam, "1 layers"},
		{model(rff, nil, linear), domain.ErrParam, "layer 1 is nil"},
		{model(rff, (*layers.LinearHead)(nil)), domain.ErrParam, "layer 1 is nil"},
		{model(rff, dense), domain.ErrParam, "is no head; end with one"},
		{model(rff, softmax), domain.ErrShape, "makes 8 features and the head takes 3"},
		{model(dense, rff, linear), domain.ErrShape, "makes 3 columns"},
		{model(rff, single), domain.ErrDtype, "the map is float64 and the head float32"},
		{model(rff, linear, linear), domain.ErrShape, "makes 1 features"},
		{model(must(layers.NewLinearHead(2, 8)), linear), domain.ErrParam, "holds no heads"},
		{model(own, linear), domain.ErrParam, "add it by Register"},
	})
}

// TestMarshalBinary: the bytes equal the file's. Without a head they leave out what the spec draws, and only Load
// refuses them.
func TestMarshalBinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	whole := smallModel(2)
	noError(t, whole.Save(path))
	if got := must(whole.MarshalBinary()); !slices.Equal(got, must(os.ReadFile(path))) {
		t.Error("the bytes differ from the file's")
	}
	set := smallModel(2)
	set.Map.Params()[0].Value.Float64s()[0] = 7
	for name, tc := range map[string]struct {
		m     *train.Model
		drawn bool
	}{"whole": {whole, true}, "headless": {smallModel(2), false}, "a weight that was set": {set, true}} {
		if name != "whole" {
			tc.m.Head = nil
		}
		text := must(tc.m.MarshalBinary())
		if _, tensors, err := modelfile.Decode(text); err != nil || (tensors["map.W"] != nil) != tc.drawn {
			t.Errorf("%s: the map's weights are there: %v, %v", name, !tc.drawn, err)
		}
		back := new(train.Model)
		if err := back.UnmarshalBinary(text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a, b := must(back.Features(rowsOf(5, 2))), must(tc.m.Features(rowsOf(5, 2))); !slices.Equal(numbers(a),
			numbers(b)) {
			t.Errorf("%s: the features are others", name)
		}
		if again := must(back.MarshalBinary()); !slices.Equal(again, text) {
			t.Errorf("%s: the bytes of what came back are others", name)
		}
		noError(t, os.WriteFile(path, text, 0o600))
		if err := second(train.Load(path)); name == "whole" {
			noError(t, err)
		} else {
			wants(t, name+": Load", err, nil, "has no head")
		}
		text[len(text)-1] ^= 1
		wants(t, name, back.UnmarshalBinary(text), modelfile.ErrCorrupt, "")
	}
	wants(t, "empty", second(new(train.Model).MarshalBinary()), domain.ErrParam, "Scaler or Map is nil")
}
