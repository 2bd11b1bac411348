package train_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gorgonia.org/tensor"
)

// adultColumns are the columns of the adult table of UCI, and how many of the 123 of 0 and 1 each became.
var adultColumns = []struct {
	name   string
	levels int
}{
	{"age", 5}, {"workclass", 8}, {"fnlwgt", 5}, {"education", 16}, {"education-num", 5}, {"marital-status", 7},
	{"occupation", 14}, {"relationship", 6}, {"race", 5}, {"sex", 2}, {"capital-gain", 2}, {"capital-loss", 2},
	{"hours-per-week", 5}, {"native-country", 41},
}

// TestAdultAsPeopleHaveIt: a table of text, with gaps and a header, in the form that UCI has adult in, is fitted
// without preparation as well as the columns of 0 and 1 that others made of it.
func TestAdultAsPeopleHaveIt(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("minutes under the race detector, and nothing runs beside it")
	}
	numbers := func(part string) *data.Set {
		path := filepath.Join("..", "..", "shared", "data", "adult", "adult."+part+".libsvm.gz")
		if _, err := os.Stat(path); err != nil {
			t.Skipf("data absent: %v", err)
		}
		return must(data.Read(path, data.Options{Dims: 123, Form: data.FormDense}))
	}
	table := func(rows *data.Set, reversed bool) (*data.Frame, int) {
		text, gaps := rawAdult(rows, reversed)
		return must(data.ReadFrame(t.Context(), data.Options{LabelNames: []string{"income"}}, written(t, text))), gaps
	}
	trainRows, testRows := numbers("train"), numbers("test")
	frame, gaps := table(trainRows, false)
	if gaps != 4262 {
		t.Errorf("%d gaps, and UCI's file has 1836 in workclass, 1843 in occupation and 583 in native-country", gaps)
	}
	later, _ := table(testRows, true)
	recipe := train.Recipe{Scale: "auto", Spec: layers.Spec{Map: "linear"}} // which has no draw to vary by
	plain, _ := must2(recipe.Fit(t.Context(), trainRows))
	m, _ := must2(recipe.Fit(t.Context(), frame))
	want, got := right(plain, testRows), right(m, must(m.Rows(later)))
	if !(got > want-.003 && got < want+.003) || want < .84 {
		t.Errorf("accuracy %.4f of text, %.4f of columns of 0 and 1", got, want)
	}
}

// rawAdult writes rows of columns of 0 and 1 back as text, with the columns in either order, and counts the gaps.
func rawAdult(rows *data.Set, reversed bool) (text string, gaps int) {
	columns, first := make([]int, len(adultColumns)), make([]int, len(adultColumns)+1) // of the columns of 0 and 1
	for k, c := range adultColumns {
		columns[k], first[k+1] = k, first[k]+c.levels
	}
	if reversed {
		slices.Reverse(columns)
	}
	var b strings.Builder
	for _, k := range columns {
		b.WriteString(adultColumns[k].name + ", ")
	}
	b.WriteString("income\n")
	cells := rows.X.(*tensor.Dense).Float64s()
	for i, label := range rows.Labels {
		row := cells[i*rows.Dims():]
		for _, k := range columns {
			if level := slices.Index(row[first[k]:first[k+1]], 1); level >= 0 {
				fmt.Fprintf(&b, "%s-%d, ", strings.ToUpper(adultColumns[k].name[:1]), level+1)
			} else {
				gaps++
				b.WriteString("?, ")
			}
		}
		b.WriteString(label + "\n")
	}
	return b.String(), gaps
}
