package service

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"gonum.org/v1/gonum/mat"
)

// rowsOf are the rows of a matrix as JSON reads them.
func rowsOf(m *mat.Dense) (rows []any) {
	n, _ := m.Dims()
	for i := range n {
		rows = append(rows, list(m.RawRowView(i)))
	}
	return rows
}

func list[T any](values []T) (out []any) {
	for _, v := range values {
		out = append(out, v)
	}
	return out
}

// TestPredict: JSON and .npy, of classes, of one target and of several, give what the model gives, to the bit.
func TestPredict(t *testing.T) {
	x := randomRows(29, 5)
	npy := asNPY(29, dims, x.Float64s())
	for name, m := range map[string]*train.Model{"classes": newModel("gaussian", 3, 1), "target": newModel("exp-semigroup", 1, 1),
		"float32": newModel("gaussian/float32", 3, 1), "two signs": newModel("delta-gaussian/float32", 1, 1)} {
		r := runServer(t, m, nil)
		scores := must(m.Scores(x))
		want := map[string]any{"model": must(checksum(r.Model))}
		if m.Classes != nil {
			want["classes"] = list(must(m.PredictClasses(x)))
		} else {
			want["targets"] = list(must(m.PredictTargets(x)))
		}
		for _, query := range []string{"", "?scores=false", "?scores=true"} {
			if query == "?scores=true" {
				want["scores"] = rowsOf(scores)
			}
			for kind, body := range map[string]string{"application/json": asJSON(x), "application/json; charset=utf-8": " " + strings.ReplaceAll(asJSON(x), ",", " ,\n\t") + "\r\n", "application/x-npy": npy} {
				status, ob := r.post(t, query, kind, strings.NewReader(body))
				if status != http.StatusOK || !reflect.DeepEqual(ob, want) {
					t.Errorf("%s%s as %s: %d\n%v, want\n%v", name, query, kind, status, ob, want)
				}
			}
		}
	}
}

// TestLimitsAreReached: a request of just the most rows is answered, one of a row more is not.
func TestLimitsAreReached(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxRows = 29 })
	for n, want := range map[int]int{1: 200, 29: 200, 30: 413} {
		x := randomRows(n, 5)
		for kind, body := range map[string]string{"application/json": asJSON(x), "application/x-npy": asNPY(n, dims, x.Float64s())} {
			if status, ob := r.post(t, "", kind, strings.NewReader(body)); status != want {
				t.Errorf("%d rows as %s: %d %v, want %d", n, kind, status, ob, want)
			}
		}
	}
}

// TestSeveralTargets: a model of several targets answers with its scores.
func TestSeveralTargets(t *testing.T) {
	m := newModel("gaussian", 3, 1)
	head := must(layers.NewLinearHead(34, 3))
	if err := head.SetWeights(m.Head.Params()[0].Value.Float64s(), make([]float64, 3)); err != nil {
		t.Fatal(err)
	}
	m.Head, m.Classes = head, nil
	x := randomRows(4, 5)
	r := runServer(t, m, nil)
	status, ob := r.post(t, "", "application/json", strings.NewReader(asJSON(x)))
	if want := map[string]any{"model": must(checksum(r.Model)), "scores": rowsOf(must(m.Scores(x)))}; status != http.StatusOK || !reflect.DeepEqual(ob, want) {
		t.Errorf("%d %v, want %v", status, ob, want)
	}
}
