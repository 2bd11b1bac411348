package notes

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
)

// symmetric is an n×n matrix of f(i, j), i <= j.
func symmetric(n int, f func(i, j int) float64) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			m.Set(i, j, f(min(i, j), max(i, j)))
		}
	}
	return m
}

// TestEvaluation: what is noted comes back; a model without it has none, and one with another note under its name is an
// error.
func TestEvaluation(t *testing.T) {
	m := new(train.Model)
	if e, err := Of(m); e != nil || err != nil {
		t.Errorf("no notes: %v, %v", e, err)
	}
	half := .5
	e := &Evaluation{TrainRows: 3, TestRows: 2, Scores: Scores{Accuracy: &half, F1: &half}, KernelError: &report.GramError{RelativeFrobenius: .1, Max: .2, RMS: .05, Rows: 2}, Pairs: Pairs{{1, 1.25}, {.5, .375}}}
	if err := e.Put(m); err != nil {
		t.Fatal(err)
	}
	back, err := Of(m)
	if err != nil || !reflect.DeepEqual(e, back) {
		t.Errorf("%+v came back as %+v, %v", e, back, err)
	}
	exact, approx := back.Pairs.Matrices()
	if !mat.Equal(exact, mat.NewDense(1, 2, []float64{1, .5})) || !mat.Equal(approx, mat.NewDense(1, 2, []float64{1.25, .375})) {
		t.Errorf("the pairs are %v and %v", exact, approx)
	}
	m.Notes[Key] = "{"
	if _, err := Of(m); !errors.Is(err, modelfile.ErrFormat) || !strings.Contains(err.Error(), Key) {
		t.Errorf("half an object: %v", err)
	}
	nan := math.NaN()
	if err := (&Evaluation{Scores: Scores{RMSE: &nan}}).Put(m); err == nil || !strings.Contains(err.Error(), Key) {
		t.Errorf("NaN: %v", err)
	}
}

// TestPairs: at most a thousand, of all rows, each within half a unit of the sixth digit of its entries.
func TestPairs(t *testing.T) {
	for _, n := range []int{1, 2, 44, 45, 500} {
		exact := symmetric(n, func(i, j int) float64 { return 1 / (1 + float64(i+j)) })
		approx := symmetric(n, func(i, j int) float64 { return float64(1000*i + j) })
		p := PairsOf(exact, approx)
		if all := n * (n + 1) / 2; len(p) > maxPairs || len(p) < min(all, maxPairs/2) {
			t.Errorf("%d pairs of %d rows", len(p), n)
		}
		rows := map[int]bool{}
		for _, v := range p {
			i, j := int(v[1])/1000, int(v[1])%1000
			rows[i], rows[j] = true, true
			if k := exact.At(i, j); math.Abs(v[0]-k) > 5e-6*k {
				t.Errorf("the pair %d, %d is %v, want %v", i, j, v[0], k)
			}
		}
		if len(rows) < n*3/4 {
			t.Errorf("the pairs are of %d rows of %d", len(rows), n)
		}
	}
	if v := sixDigits(math.MaxFloat64); v != 1.79769e308 {
		t.Errorf("the largest number became %v", v)
	}
}
