package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func must[T any](v T, err error) T {
	do(err)
	return v
}

func do(err error) {
	if err != nil {
		panic(err)
	}
}

var ok = clitest.OK

// fitted is a model that a recipe fits to rows.
func fitted(recipe train.Recipe, rows data.Source) *train.Model {
	m, _, err := recipe.Fit(context.Background(), rows)
	do(err)
	return m
}

const dims = 5 // of the models here

// The types of bodies.
const typeJSON, typeNPY = "application/json", "application/x-npy"

// patience is how long a test waits for what must come: a busy machine may stand still for a while.
const patience = 3 * time.Minute

// specOf is a map of so many features, or of as many as it can have. Its name may end in /float32.
func specOf(mapName string, features int) layers.Spec {
	spec := layers.Spec{Features: features, Seed: 7}
	if name, single := strings.CutSuffix(mapName, "/float32"); single {
		mapName, spec.Dtype = name, "float32"
	}
	switch spec.Map = mapName; mapName {
	case "linear":
		spec.Features = dims
	case "delta-gaussian":
		spec.Features = 32 // 4 a frequency of two signs
	}
	return spec
}

// newModel is a model of noise that the seed draws, on 34 features: classes by a softmax for two outputs or more, else a
// target.
func newModel(mapName string, outputs int, seed uint64) *train.Model {
	const n = 20
	rng := rand.New(rand.NewPCG(seed, 0))
	set := &data.Set{X: randomRows(n, 3)}
	if mapName == "mean-map" {
		set.X = must(ops.BagsOfRows(randomRows(n, 3)))
	}
	recipe := train.Recipe{Spec: specOf(mapName, 34), Fitter: linear.RidgeOptions{Lambdas: []float64{1e-3}}}
	if outputs > 1 {
		recipe.Fitter = linear.LogisticOptions{Lambdas: []float64{1e-3}}
	}
	for _, i := range rng.Perm(n) {
		if outputs > 1 {
			set.Labels = append(set.Labels, fmt.Sprint("class ", i%outputs))
		} else {
			set.Y = append(set.Y, 100*rng.NormFloat64())
		}
	}
	return fitted(recipe, set)
}

// evaluated is newModel with an evaluation that is its own for the kernel and made up for the rest.
func evaluated(mapName string, outputs int, seed uint64) *train.Model {
	m := newModel(mapName, outputs, seed)
	x := randomRows(60, 4)
	exact, approx := must(report.ExactGram(must(m.Spec.Kernel()), x)), must(report.ApproxGram(m.Map, x))
	kernel, accuracy := must(report.Compare(exact, approx)), .8125
	e := notes.Evaluation{TrainRows: 101, TestRows: 60, Scores: notes.Scores{Accuracy: &accuracy}, KernelError: &kernel, Pairs: notes.PairsOf(exact, approx)}
	do(e.Put(m))
	return m
}

// randomRows are n rows in (0, 1).
func randomRows(n int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]float64, n*dims)
	for i := range v {
		v[i] = rng.Float64()
	}
	return tensor.New(tensor.WithShape(n, dims), tensor.WithBacking(v))
}

// asJSON is the body of rows.
func asJSON(x *tensor.Dense) string {
	return arrays(slices.Collect(slices.Chunk(x.Float64s(), dims)))
}

// asNPY is the body of numbers, row by row.
func asNPY(rows, cols int, v []float64) string {
	var b bytes.Buffer
	do(npyio.Write(&b, mat.NewDense(rows, cols, v)))
	return b.String()
}

// running is a server in this process.
type running struct {
	*server
	url  string
	stop func() error // ends it as SIGTERM does, and waits; the second time it returns nil
}

// runServer serves a model with small limits, changed by set.
func runServer(t *testing.T, m *train.Model, set func(o *options)) *running {
	t.Helper()
	o := &options{Model: filepath.Join(t.TempDir(), "m.safetensors"), MaxBody: 1 << 16, MaxRows: 50, MaxMemory: 256 << 20,
		MaxConnections: 100, Concurrent: 2, Timeout: patience, Drain: patience}
	if set != nil {
		set(o)
	}
	ok(t, m.Save(o.Model))
	s := must(newServer(o))
	s.log = log.New(io.Discard, "", 0)
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		defer close(ended)
		ended <- s.serve(ctx, l)
	}()
	stop := func() error {
		cancel()
		return <-ended
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
		wait(t, func() bool { return s.held.Load() == 0 }) // all requests give their memory back
	})
	return &running{server: s, url: "http://" + l.Addr().String(), stop: stop}
}

// post sends a body and returns the status and the answer, which must be JSON.
func (r *running) post(t *testing.T, query, contentType, body string) (int, map[string]any) {
	t.Helper()
	resp := must(http.Post(r.url+"/predict"+query, contentType, strings.NewReader(body)))
	return resp.StatusCode, object(t, resp)
}

// object is the JSON of an answer.
func object(t *testing.T, resp *http.Response) (ob map[string]any) {
	t.Helper()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(text, &ob)
	}
	if kind := resp.Header.Get("Content-Type"); err != nil || kind != typeJSON {
		t.Fatalf("%s, %s: %q: %v", resp.Status, kind, text, err)
	}
	return ob
}

// get is the text of a page.
func (r *running) get(t *testing.T, page string) (int, string) {
	t.Helper()
	resp := must(http.Get(r.url + page))
	defer resp.Body.Close()
	return resp.StatusCode, string(must(io.ReadAll(resp.Body)))
}

// answers wants an answer to a body, of the model that is served, with these notes.
func (r *running) answers(t *testing.T, query, contentType, body string, want map[string]any, notes ...string) {
	t.Helper()
	want = maps.Clone(want)
	want["model"], want["notes"] = r.current.Load().card.SHA256, notes
	if notes == nil {
		delete(want, "notes")
	}
	status, got := r.post(t, query, contentType, body)
	if want := parsed(want); status != http.StatusOK || !reflect.DeepEqual(got, want) {
		t.Errorf("%s as %s, %.100q: %d\n%v, want\n%v", query, contentType, body, status, got, want)
	}
}

// parsed is a value as JSON reads it, numbers to the bit.
func parsed(v any) (out any) {
	do(json.Unmarshal(must(json.Marshal(v)), &out))
	return out
}

// predictions are what a model predicts, as the answer has them with scores.
func predictions(m *train.Model, x ops.Matrix) map[string]any {
	of := map[string]any{"scores": appendRows(nil, must(m.Scores(x)))}
	switch {
	case m.Classes != nil:
		of["classes"] = must(m.PredictClasses(x))
	case m.Head.Features() == 1:
		of["targets"] = must(m.PredictTargets(x))
	}
	return of
}

// works wants an answer to some rows.
func (r *running) works(t *testing.T) {
	t.Helper()
	if status, ob := r.post(t, "", typeJSON, asJSON(randomRows(2, 1))); status != http.StatusOK {
		t.Errorf("rows are answered with %d %v", status, ob)
	}
}

// refuses wants a body to be refused with a status and texts.
func (r *running) refuses(t *testing.T, query, contentType, body string, want int, texts ...string) {
	t.Helper()
	status, ob := r.post(t, query, contentType, body)
	wantRefusal(t, fmt.Sprintf("%s %s %.100q", query, contentType, body), status, ob, want, texts...)
}

// counts wants a line of /metrics to come.
func (r *running) counts(t *testing.T, line string) {
	t.Helper()
	wait(t, func() bool { return r.counted(t, line) })
}

// counted says whether /metrics has a line.
func (r *running) counted(t *testing.T, line string) bool {
	_, text := r.get(t, "/metrics")
	return strings.Contains(text, line+"\n")
}

// readCard is what /model says, and its text.
func (r *running) readCard(t *testing.T) (c card, text string) {
	t.Helper()
	_, text = r.get(t, "/model")
	ok(t, json.Unmarshal([]byte(text), &c))
	return c, text
}

// wantRefusal wants a status and an error of one line that holds the texts.
func wantRefusal(t *testing.T, what string, status int, ob map[string]any, want int, texts ...string) {
	t.Helper()
	text, _ := ob["error"].(string)
	if status != want || text == "" || len(ob) != 1 || strings.Contains(text, "\n") {
		t.Errorf("%s: %d %v, want %d", what, status, ob, want)
	}
	holds(t, what, text, texts...)
}

// holds wants texts in a longer one.
func holds(t *testing.T, what, long string, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !strings.Contains(long, s) {
			t.Errorf("%s: %.4000q does not hold %q", what, long, s)
		}
	}
}
