package service

import (
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
)

// TestPredict: JSON and .npy, of classes, of one target and of several, give what the model gives, to the bit.
func TestPredict(t *testing.T) {
	x := randomRows(29, 5)
	npy := asNPY(29, dims, x.Float64s())
	for _, m := range []*train.Model{newModel("gaussian", 3, 1), newModel("exp-semigroup", 1, 1),
		newModel("gaussian/float32", 3, 1), newModel("delta-gaussian/float32", 1, 1)} {
		r := runServer(t, m, nil)
		for _, query := range []string{"", "?scores=false", "?scores=true"} {
			want := predictions(m, x)
			if query != "?scores=true" {
				delete(want, "scores")
			}
			for kind, body := range map[string]string{typeJSON: asJSON(x), "application/json; charset=utf-8": " " + strings.ReplaceAll(asJSON(x), ",", " ,\n\t") + "\r\n", typeNPY: npy} {
				r.answers(t, query, kind, body, want)
			}
		}
	}
}

// TestLimitsAreReached: a request of just the most rows is answered, one of a row more is not.
func TestLimitsAreReached(t *testing.T) {
	r := runServer(t, newModel("gaussian", 3, 1), func(o *options) { o.MaxRows = 29 })
	for n, want := range map[int]int{1: 200, 29: 200, 30: 413} {
		x := randomRows(n, 5)
		for kind, body := range map[string]string{typeJSON: asJSON(x), typeNPY: asNPY(n, dims, x.Float64s())} {
			if status, ob := r.post(t, "", kind, body); status != want {
				t.Errorf("%d rows as %s: %d %v, want %d", n, kind, status, ob, want)
			}
		}
	}
}

// TestSeveralTargets: a model of several targets answers with its scores.
func TestSeveralTargets(t *testing.T) {
	m := newModel("gaussian", 3, 1)
	head := must(layers.NewLinearHead(34, 3))
	ok(t, head.SetWeights(m.Head.Params()[0].Value.Float64s(), make([]float64, 3)))
	m.Head, m.Classes = head, nil
	x := randomRows(4, 5)
	r := runServer(t, m, nil)
	r.answers(t, "", typeJSON, asJSON(x), predictions(m, x))
}
