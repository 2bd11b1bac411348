package train_test

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// modelDir tells the test binary, started once more, where the models of TestModelFiles are.
const modelDir = "BOCHNER_TEST_MODELS"

// prediction is what a model says of the rows of predictedRows, the scores as bits.
type prediction struct {
	Scores []uint64
	Names  []string
}

func predict(m *train.Model) (prediction, error) {
	x, _, _ := counts(29, modelDims, 7)
	s, err := m.Scores(x)
	if err != nil {
		return prediction{}, err
	}
	var p prediction
	for _, v := range s.RawMatrix().Data {
		p.Scores = append(p.Scores, math.Float64bits(v))
	}
	if m.Classes != nil {
		p.Names, err = m.PredictClasses(x)
	}
	return p, err
}

func (p prediction) equal(q prediction) bool {
	return len(p.Scores) > 0 && slices.Equal(p.Scores, q.Scores) && slices.Equal(p.Names, q.Names)
}

// TestPredictInChild is the other process of TestModelFiles; by itself it has nothing to do.
func TestPredictInChild(t *testing.T) {
	dir := os.Getenv(modelDir)
	if dir == "" {
		return
	}
	said := map[string]prediction{}
	for _, path := range must(filepath.Glob(filepath.Join(dir, "*.model"))) {
		m, err := train.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		said[path] = must(predict(m))
	}
	f := must(os.Create(filepath.Join(dir, "said")))
	if err := errors.Join(gob.NewEncoder(f).Encode(said), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestModelFiles: a model that was saved predicts the same bits in another process, for every map, head, task, element type and
// policy; of a frozen one, spec and seed are enough.
func TestModelFiles(t *testing.T) {
	dir := t.TempDir()
	x, labels, y := counts(100, modelDims, 1)
	want, plan := map[string]prediction{}, map[string]string{}
	for i, p := range plans(true) {
		m, err := p.fit(x, labels, y, 1)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		full, spec := filepath.Join(dir, fmt.Sprintf("%03d-full.model", i)), filepath.Join(dir, fmt.Sprintf("%03d-spec.model", i))
		if err := m.Save(full); err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		want[full], plan[full] = must(predict(m)), p.String()
		built := must(train.NewModel(m.Map, m.Head)) // from the same layers
		built.Scaler, built.Classes = m.Scaler, m.Classes
		if err := built.Save(full + "-built.model"); err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		want[full+"-built.model"], plan[full+"-built.model"] = want[full], p.String()+", built"
		err = m.SaveSpec(spec)
		switch _, missing := os.Stat(spec); {
		case p.entry.Fitted:
			if !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "was fitted on data") || missing == nil {
				t.Errorf("%v: spec only: %v, no file: %v", p, err, missing)
			}
		case p.tune == "" && err != nil:
			t.Fatalf("%v: %v", p, err)
		case p.tune == "":
			want[spec], plan[spec] = want[full], p.String()+", spec only"
			if a, b := size(full), size(spec); p.entry.Sampled && b > a*3/4 {
				t.Errorf("%v: %d bytes with the frequencies, %d without", p, a, b)
			}
		case !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "was tuned") || !strings.Contains(err.Error(), "use Save") || missing == nil:
			t.Errorf("%v: spec only: %v, no file: %v", p, err, missing)
		}
		if p.tune != "" { // the file is then needed
			drawn := *m
			drawn.Map = must(m.Spec.Build())
			if must(predict(&drawn)).equal(want[full]) {
				t.Errorf("%v: tuning changed nothing", p)
			}
		}
	}
	cmd := itself("-test.run=^TestPredictInChild$")
	cmd.Env = append(os.Environ(), modelDir+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, out)
	}
	var said map[string]prediction
	f := must(os.Open(filepath.Join(dir, "said")))
	defer f.Close()
	if err := gob.NewDecoder(f).Decode(&said); err != nil {
		t.Fatal(err)
	}
	for path, p := range want {
		if !p.equal(said[path]) {
			t.Errorf("%s: another process predicts otherwise", plan[path])
		}
	}
}

func size(path string) int64 { return must(os.Stat(path)).Size() }

// smallModel has 2 input columns, 2 features of one frequency, and 2 classes.
func smallModel() *train.Model {
	m := &train.Model{
		Scaler:  must(data.ParseScalers("none")),
		Spec:    layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": 1.5}, Dims: 2, Features: 2, Name: "map"},
		Head:    must(layers.NewSoftmaxHead(2, 2)),
		Classes: data.Classes{"no", "yes"},
	}
	m.Map = must(m.Spec.Build())
	if err := errors.Join(m.Scaler.Fit(rowsOf(3, 2)), m.Head.SetWeights([]float64{1, -2, 3, -4}, []float64{.5, -.5})); err != nil {
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

// TestDamageIsNoticed: a file in which any one byte is another, or that ends early, is no model, and the error says so.
func TestDamageIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	if err := smallModel().Save(path); err != nil {
		t.Fatal(err)
	}
	good := must(os.ReadFile(path))
	try := func(what string, bad []byte) {
		t.Helper()
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := train.Load(path); m != nil || !errors.Is(err, modelfile.ErrCorrupt) || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), path) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for i := range good {
		for _, flip := range []byte{1 << (i % 8), 0x80, 0xff} {
			bad := slices.Clone(good)
			bad[i] ^= flip
			try(fmt.Sprintf("byte %d of %d is %#x, not %#x", i, len(good), bad[i], good[i]), bad)
		}
		try(fmt.Sprintf("%d of %d bytes", i, len(good)), good[:i])
	}
	try("a byte more", append(slices.Clone(good), 0))
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Load(path); err != nil {
		t.Errorf("the whole file: %v", err)
	}
}

// TestOtherFiles: what is no model of ours is called that, and what is not there is not there.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	w := map[string]*tensor.Dense{"W": rowsOf(3, 2)}
	ours := must(modelfile.Encode(map[string]string{"made by": "somebody else"}, w))
	theirs := append([]byte{56, 0, 0, 0, 0, 0, 0, 0}, []byte(`{"W":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}  `+"12345678")...)
	for name, tc := range map[string]struct {
		bytes []byte
		is    error
		wants string
	}{
		"tensors":     {ours, modelfile.ErrFormat, `no metadata "bochner"`},
		"no hash":     {theirs, modelfile.ErrFormat, "not a model file"},
		"csv":         {[]byte(strings.Repeat("1,2,3,4\n", 30)), modelfile.ErrFormat, "not a model file"},
		"card":        {must(modelfile.Encode(map[string]string{"bochner": "{"}, w)), modelfile.ErrFormat, "no model card"},
		"list":        {must(modelfile.Encode(map[string]string{"bochner": "[1]"}, w)), modelfile.ErrFormat, "no model card"},
		"empty card":  {must(modelfile.Encode(map[string]string{"bochner": "{}"}, w)), layers.ErrParam, `no map ""`},
		"empty":       {nil, modelfile.ErrCorrupt, "0 bytes"},
		"not a file":  {nil, fs.ErrNotExist, "not a file"},
		"a directory": {nil, nil, "directory"},
	} {
		path := filepath.Join(dir, name)
		switch name {
		case "not a file":
		case "a directory":
			path = dir
		default:
			if err := os.WriteFile(path, tc.bytes, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, err := train.Load(path)
		if m != nil || err == nil || tc.is != nil && !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.wants) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %v with %q", name, err, tc.is, tc.wants)
		}
	}
}

// object is JSON to be tampered with.
type object = map[string]any

// forge writes smallModel with another card and other tensors, under a checksum that is right.
func forge(t testing.TB, path string, f func(card, spec object, ts map[string]*tensor.Dense)) {
	t.Helper()
	if err := smallModel().Save(path); err != nil {
		t.Fatal(err)
	}
	meta, ts, err := modelfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var card object
	if err := json.Unmarshal([]byte(meta["bochner"]), &card); err != nil {
		t.Fatal(err)
	}
	f(card, card["spec"].(object), ts)
	meta["bochner"] = string(must(json.Marshal(card)))
	if err := modelfile.Write(path, meta, ts); err != nil {
		t.Fatal(err)
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestForgedCards: a card that says what the tensors do not hold is an error, and nothing of the size that it states is allocated.
func TestForgedCards(t *testing.T) {
	type tensors = map[string]*tensor.Dense
	none := func(rows, cols int) *tensor.Dense {
		return tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking([]float64{}))
	}
	for _, tc := range []struct {
		what string
		is   error
		f    func(card, spec object, ts tensors)
	}{
		{"features", modelfile.ErrFormat, func(_, spec object, _ tensors) { spec["features"] = 1e9 }},
		{"dims", modelfile.ErrFormat, func(_, spec object, _ tensors) { spec["dims"] = 1e9 }},
		{"dims of a draw", modelfile.ErrFormat, func(card, spec object, _ tensors) { spec["dims"], card["drawn"] = 1e9, false }},
		{"dims of an orthogonal draw", modelfile.ErrFormat, func(card, spec object, _ tensors) {
			spec["dims"], spec["sampler"], card["drawn"] = 1e9, "orthogonal", false
		}},
		{"dims without frequencies", modelfile.ErrFormat, func(_, spec object, ts tensors) { spec["dims"] = 1e9; delete(ts, "map.W") }},
		{"dims of no frequencies", modelfile.ErrFormat, func(_, spec object, ts tensors) { spec["dims"], ts["map.W"] = 1e9, none(1e9, 0) }},
		{"outputs", modelfile.ErrFormat, func(card, _ object, _ tensors) { card["outputs"] = 1e9 }},
		{"all", modelfile.ErrFormat, func(card, spec object, _ tensors) { spec["features"], spec["dims"], card["outputs"] = 1e9, 1e9, 1e9 }},
		{"features of an empty head", modelfile.ErrFormat, func(card, spec object, ts tensors) {
			spec["features"], card["outputs"], ts["head.W"] = 1e9, 0, none(1e9, 0)
		}},
		{"outputs of an empty head", modelfile.ErrFormat, func(card, spec object, ts tensors) {
			spec["features"], spec["dims"], card["outputs"], ts["head.W"] = 0, 0, 1e9, none(0, 1e9)
		}},
		{"a linear map", modelfile.ErrFormat, func(_, spec object, _ tensors) {
			spec["map"], spec["params"], spec["dims"] = "linear", object{}, 1e9
		}},
		{"no sizes", modelfile.ErrFormat, func(_, spec object, _ tensors) { delete(spec, "dims"); delete(spec, "features") }},
		{"negative dims", modelfile.ErrFormat, func(_, spec object, _ tensors) { spec["dims"] = -2 }},
		{"negative features", modelfile.ErrFormat, func(_, spec object, _ tensors) { spec["features"] = -2 }},
		{"not a size", modelfile.ErrFormat, func(_, spec object, _ tensors) { spec["dims"] = 1e30 }},
		{"half a size", modelfile.ErrFormat, func(_, spec object, _ tensors) { spec["dims"] = 1.5 }},
		{"frequencies of another shape", layers.ErrShape, func(_, spec object, ts tensors) { ts["map.W"] = rowsOf(3, 1) }},
		{"no frequencies", modelfile.ErrFormat, func(_, _ object, ts tensors) { delete(ts, "map.W") }},
		{"no head", modelfile.ErrFormat, func(_, _ object, ts tensors) { delete(ts, "head.W") }},
		{"no intercept", layers.ErrParam, func(_, _ object, ts tensors) { delete(ts, "head.b") }},
		{"no scaler", domain.ErrParam, func(_, _ object, ts tensors) { delete(ts, "scaler.cols") }},
		{"another scaler", domain.ErrParam, func(card, _ object, _ tensors) { card["scaler"] = "minmax" }},
		{"an unknown scaler", domain.ErrParam, func(card, _ object, _ tensors) { card["scaler"] = "whiten" }},
		{"an unknown head", modelfile.ErrFormat, func(card, _ object, _ tensors) { card["head"] = "tree" }},
		{"another class", modelfile.ErrFormat, func(card, _ object, _ tensors) { card["classes"] = []string{"no", "yes", "maybe"} }},
		{"another element type", modelfile.ErrFormat, func(_, spec object, _ tensors) { spec["dtype"] = "float32" }},
		{"an unknown element type", modelfile.ErrFormat, func(_, spec object, _ tensors) { spec["dtype"] = "int8" }},
		{"an unknown sampler", spectral.ErrParam, func(_, spec object, _ tensors) { spec["sampler"] = "grid" }},
		{"an unknown policy", layers.ErrParam, func(_, spec object, _ tensors) { spec["tune"] = "some" }},
		{"a text for a number", layers.ErrParam, func(_, spec object, _ tensors) { spec["params"] = object{"sigma": "1"} }},
		{"a parameter less", layers.ErrParam, func(_, spec object, _ tensors) { spec["params"] = object{} }},
		{"a weight that is NaN", modelfile.ErrFormat, func(_, _ object, ts tensors) { ts["head.W"].Float64s()[3] = math.NaN() }},
		{"an infinite intercept", modelfile.ErrFormat, func(_, _ object, ts tensors) { ts["head.b"].Float64s()[0] = math.Inf(1) }},
		{"an infinite frequency", modelfile.ErrFormat, func(_, _ object, ts tensors) { ts["map.W"].Float64s()[1] = math.Inf(-1) }},
		{"a newer version", modelfile.ErrFormat, func(card, _ object, _ tensors) { card["version"] = "99.0.0" }},
		{"a version of two numbers", modelfile.ErrFormat, func(card, _ object, _ tensors) { card["version"] = "99.0" }},
		{"a version of words", modelfile.ErrFormat, func(card, _ object, _ tensors) { card["version"] = "new" }},
		{"an unknown map", layers.ErrParam, func(_, spec object, _ tensors) { spec["map"] = "rbf" }},
	} {
		path := filepath.Join(t.TempDir(), "m")
		forge(t, path, tc.f)
		var m *train.Model
		var err error
		bytes := allocated(func() { m, err = train.Load(path) })
		if m != nil || !errors.Is(err, tc.is) || !strings.Contains(err.Error(), "train: Load "+path) || bytes > 1<<20 {
			t.Errorf("%s: %v, want %v; %d bytes allocated; a model: %v", tc.what, err, tc.is, bytes, m != nil)
		}
	}
	path := filepath.Join(t.TempDir(), "m")
	forge(t, path, func(card, _ object, _ map[string]*tensor.Dense) { card["drawn"] = false })
	if m, err := train.Load(path); err != nil || !mat.Equal(must(m.Scores(rowsOf(5, 2))), must(smallModel().Scores(rowsOf(5, 2)))) {
		t.Errorf("the model drawn again: %v", err)
	}
}

// TestUnreadableNumbers: what cannot be used is named, with the tensor or the version; a later patch is read.
func TestUnreadableNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	for text, f := range map[string]func(card, spec object, ts map[string]*tensor.Dense){
		`the tensor "head.W" has NaN at 3`: func(_, _ object, ts map[string]*tensor.Dense) {
			ts["head.W"].Float64s()[3] = math.NaN()
		},
		"of the newer version 0.2.0, and this is " + train.Version: func(card, _ object, _ map[string]*tensor.Dense) {
			card["version"] = "0.2.0"
		},
		"": func(card, _ object, _ map[string]*tensor.Dense) { card["version"] = train.Version + "9" },
	} {
		forge(t, path, f)
		if _, err := train.Load(path); (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
	m := smallModel()
	m.Head.Params()[0].Value.Float64s()[0] = math.Inf(1)
	if err := m.Save(path); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), `"head.W" has +Inf at 0`) {
		t.Errorf("saved: %v", err)
	}
}

// FuzzLoad: whatever the card says, loading is an error or gives a model that predicts and can be saved, in memory that the file
// accounts for: 2^22 numbers of a draw and a few copies.
func FuzzLoad(f *testing.F) {
	path := filepath.Join(f.TempDir(), "m")
	forge(f, path, func(card, spec object, _ map[string]*tensor.Dense) {
		text := string(must(json.Marshal(card)))
		f.Add(text)
		f.Add(strings.Replace(text, `"drawn":true`, `"drawn":false`, 1))
		f.Add(strings.Replace(text, `"dims":2`, `"dims":1000000000`, 1))
		f.Add(strings.Replace(strings.Replace(text, `"dims":2`, `"dims":65536`, 1), `"drawn":true`, `"drawn":false`, 1))
		for _, e := range layers.Entries() {
			spec["map"] = e.Name
			f.Add(string(must(json.Marshal(card))))
		}
	})
	f.Add(`{"spec":{"map":"linear","dims":2},"scaler":"none","head":"linear","outputs":2}`)
	f.Add(`{"spec":{"map":"laplacian","params":{"sigma":1e-300,"phase":true},"dims":1,"features":2},"outputs":2,"head":"linear"}`)
	f.Add(`{"spec":{"map":"skewed-chi2","params":{"c":0.5},"dims":2,"features":2,"tune":"all"},"outputs":2,"head":"softmax","drawn":true}`)
	f.Add(`{"spec":null,"classes":[],"drawn":null}`)
	_, ts, err := modelfile.Read(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, card string) {
		bytes, err := modelfile.Encode(map[string]string{"bochner": card}, ts)
		if err != nil {
			return // no JSON string
		}
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		var m *train.Model
		if n := allocated(func() { m, err = train.Load(path) }); n > 256<<20 {
			t.Fatalf("%d bytes allocated", n)
		}
		if (m == nil) != (err != nil) {
			t.Fatalf("a model: %v, and the error %v", m != nil, err)
		}
		if err != nil || m.Dims() != 2 {
			return
		}
		scores, err := m.Scores(rowsOf(5, 2))
		if err != nil {
			return // of values that the parameters make overflow
		}
		if err := m.Save(path); err != nil {
			t.Fatalf("what was loaded cannot be saved: %v", err)
		}
		if again := must(must(train.Load(path)).Scores(rowsOf(5, 2))); !mat.Equal(again, scores) {
			t.Fatal("what was loaded and saved predicts otherwise")
		}
	})
}

// TestSaveIsAllOrNothing: when a model cannot be written, the file that was there is still whole, and nothing else is left.
func TestSaveIsAllOrNothing(t *testing.T) {
	old, changed := smallModel(), smallModel()
	if err := changed.Head.SetWeights([]float64{4, 3, 2, 1}, []float64{0, 0}); err != nil {
		t.Fatal(err)
	}
	x := rowsOf(5, 2)
	want := map[bool]*mat.Dense{true: must(old.Scores(x)), false: must(changed.Scores(x))}
	for _, tc := range []struct {
		what, name string
		mode       fs.FileMode
		fails      bool // for every user; an unwritable folder does not stop root
	}{
		{"a folder that can be written", "m", 0o700, false},
		{"an unwritable folder", "m", 0o500, false},
		{"a name that leaves no room for that of a temporary file", strings.Repeat("m", 250), 0o700, true},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "first")
		if err := old.Save(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, filepath.Join(dir, tc.name)); err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(dir, tc.name)
		if err := os.Chmod(dir, tc.mode); err != nil {
			t.Fatal(err)
		}
		err := changed.Save(path)
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if tc.fails && err == nil || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", tc.what, err)
		}
		m, loadErr := train.Load(path)
		if loadErr != nil || !mat.Equal(must(m.Scores(x)), want[err != nil]) {
			t.Errorf("%s: saved with %v, loaded with %v, or the wrong model", tc.what, err, loadErr)
		}
		if left := must(os.ReadDir(dir)); len(left) != 1 {
			t.Errorf("%s: it left %v", tc.what, left)
		}
	}
	dir := t.TempDir()
	if err := changed.Save(dir); err == nil || !strings.Contains(err.Error(), dir) { // a folder has that name
		t.Errorf("over a folder: %v", err)
	}
	if err := changed.Save(filepath.Join(dir, "missing", "m")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into a folder that is not there: %v", err)
	}
}

// TestSaveErrors: what Load could not read is not written.
func TestSaveErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	wide := func(m *train.Model) {
		m.Spec.Dims = 1<<22/2 + 1<<16 + 1 // one column too many for 2 features and 2 outputs
		if err := m.Scaler.Fit(rowsOf(1, m.Spec.Dims)); err != nil {
			panic(err)
		}
		m.Map = must(m.Spec.Build())
	}
	for _, tc := range []struct {
		what  string
		f     func(m *train.Model)
		save  func(m *train.Model, path string) error
		is    error
		wants string
	}{
		{"no scaler", func(m *train.Model) { m.Scaler = nil }, (*train.Model).Save, domain.ErrParam, "Scaler"},
		{"no head", func(m *train.Model) { m.Head = nil }, (*train.Model).SaveSpec, domain.ErrParam, "Head"},
		{"a scaler that is not fitted", func(m *train.Model) { m.Scaler = must(data.ParseScalers("l2")) }, (*train.Model).Save, domain.ErrParam, `"l2" is not fitted`},
		{"another width", func(m *train.Model) { m.Spec.Dims = 1 }, (*train.Model).Save, domain.ErrParam, "does not describe its Map"},
		{"other features", func(m *train.Model) { m.Spec.Features = 4 }, (*train.Model).Save, domain.ErrParam, "4 features"},
		{"another element type", func(m *train.Model) { m.Spec.Dtype = "float32" }, (*train.Model).Save, domain.ErrParam, "float32"},
		{"no spec", func(m *train.Model) { m.Spec = layers.Spec{} }, (*train.Model).Save, layers.ErrParam, "does not describe"},
		{"classes", func(m *train.Model) { m.Classes = data.Classes{"one"} }, (*train.Model).Save, domain.ErrParam, "1 classes and 2 outputs"},
		{"no classes", func(m *train.Model) { m.Classes = nil }, (*train.Model).Save, domain.ErrParam, "a softmax head predicts classes"},
		{"a class in Latin-1", func(m *train.Model) { m.Classes[0] = "caf\xe9" }, (*train.Model).Save, domain.ErrParam, `"caf\xe9" is not UTF-8`},
		{"a wide map without its frequencies", wide, (*train.Model).SaveSpec, domain.ErrParam, "use Save"},
	} {
		m := smallModel()
		tc.f(m)
		err := tc.save(m, path)
		if !errors.Is(err, tc.is) || !strings.Contains(fmt.Sprint(err), tc.wants) {
			t.Errorf("%s: %v, want %v with %q", tc.what, err, tc.is, tc.wants)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: a file was written", tc.what)
		}
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
	for _, tc := range []struct {
		ls   []layers.Layer
		is   error
		want string
	}{
		{nil, domain.ErrParam, "0 layers; give at least a map and a head"},
		{[]layers.Layer{linear}, domain.ErrParam, "1 layers"},
		{[]layers.Layer{rff, nil, linear}, domain.ErrParam, "layer 1 is nil"},
		{[]layers.Layer{rff, (*layers.LinearHead)(nil)}, domain.ErrParam, "layer 1 is nil"},
		{[]layers.Layer{rff, dense}, domain.ErrParam, "is no head; end with one"},
		{[]layers.Layer{rff, softmax}, domain.ErrShape, "makes 8 features and the head takes 3"},
		{[]layers.Layer{dense, rff, linear}, domain.ErrShape, "makes 3 columns"},
		{[]layers.Layer{rff, single}, domain.ErrDtype, "the map is float64 and the head float32"},
		{[]layers.Layer{rff, linear, linear}, domain.ErrShape, "makes 1 features"},
		{[]layers.Layer{must(layers.NewLinearHead(2, 8)), linear}, domain.ErrParam, "holds no heads"},
		{[]layers.Layer{own, linear}, domain.ErrParam, "add it by Register"},
	} {
		if m, err := train.NewModel(tc.ls...); m != nil || !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %v with %q", err, tc.is, tc.want)
		}
	}
}

// TestMarshalBinary: the bytes are those of the file. Without a head they leave out what the spec draws, and only Load
// refuses them.
func TestMarshalBinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	whole := smallModel()
	if err := whole.Save(path); err != nil {
		t.Fatal(err)
	}
	if got := must(whole.MarshalBinary()); !slices.Equal(got, must(os.ReadFile(path))) {
		t.Error("the bytes are not those of the file")
	}
	set := smallModel()
	set.Map.Params()[0].Value.Float64s()[0] = 7
	for name, tc := range map[string]struct {
		m     *train.Model
		drawn bool
	}{"whole": {whole, true}, "headless": {smallModel(), false}, "a weight that was set": {set, true}} {
		if name != "whole" {
			tc.m.Head = nil
		}
		text := must(tc.m.MarshalBinary())
		if _, tensors := must2(modelfile.Decode(text)); (tensors["map.W"] != nil) != tc.drawn {
			t.Errorf("%s: the map's weights are there: %v", name, !tc.drawn)
		}
		back := new(train.Model)
		if err := back.UnmarshalBinary(text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a, b := must(back.Features(rowsOf(5, 2))), must(tc.m.Features(rowsOf(5, 2))); !slices.Equal(a.Float64s(), b.Float64s()) {
			t.Errorf("%s: the features are others", name)
		}
		if again := must(back.MarshalBinary()); !slices.Equal(again, text) {
			t.Errorf("%s: the bytes of what came back are others", name)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := train.Load(path); (err == nil) != (name == "whole") || err != nil && !strings.Contains(err.Error(), "has no head") {
			t.Errorf("%s: Load: %v", name, err)
		}
		text[len(text)-1] ^= 1
		if err := back.UnmarshalBinary(text); !errors.Is(err, modelfile.ErrCorrupt) {
			t.Errorf("%s: a changed byte: %v", name, err)
		}
	}
	if _, err := new(train.Model).MarshalBinary(); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "Scaler or Map is nil") {
		t.Errorf("an empty model: %v", err)
	}
}

func must2[A, B any](a A, b B, err error) (A, B) {
	if err != nil {
		panic(err)
	}
	return a, b
}

// itself is a command that starts the test binary again, under the emulator that BOCHNER_EMULATOR names, if any.
func itself(args ...string) *exec.Cmd {
	args = append(append(strings.Fields(os.Getenv("BOCHNER_EMULATOR")), os.Args[0]), args...)
	return exec.Command(args[0], args[1:]...)
}
