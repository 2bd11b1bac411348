package train_test

import (
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
)

// TestNotes: what a model's file says of it beside the card comes back, whatever it is; the card's own key, the checksum's, and what is
// not UTF-8 are errors, and there is then no file.
func TestNotes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	m := smallModel()
	m.Notes = map[string]string{"source": "run 7, \"küche\"\n", "evaluation": `{"accuracy":.5}`, "": "empty"}
	for name, save := range map[string]func(string) error{"Save": m.Save, "SaveSpec": m.SaveSpec} {
		if err := save(path); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back := must(train.Load(path))
		if !maps.Equal(back.Notes, m.Notes) {
			t.Errorf("%s: the notes %q came back as %q", name, m.Notes, back.Notes)
		}
		if !must(predictTwo(m)).equal(must(predictTwo(back))) {
			t.Errorf("%s: with notes the model predicts otherwise", name)
		}
	}
	for _, note := range [][2]string{{"bochner", "{}"}, {"sha256", "0"}, {"a", "\xff"}} {
		m.Notes = map[string]string{note[0]: note[1]}
		missing := filepath.Join(dir, "n")
		if err := m.Save(missing); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), note[0]) {
			t.Errorf("the note %q: %v", note, err)
		}
		if _, err := train.Load(missing); err == nil {
			t.Errorf("the note %q is in a file", note)
		}
	}
}

// predictTwo is predict for smallModel, of two columns.
func predictTwo(m *train.Model) (prediction, error) {
	names, err := m.PredictClasses(rowsOf(7, 2))
	return prediction{Scores: []uint64{0}, Names: names}, err
}
