// Package notes is what command bochner and a server say of a model: what it is, and the evaluation that its file holds.
package notes

import (
	"encoding/json"
	"fmt"

	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/modelfile"
	"github.com/bochner-go/bochner/train/report"
)

// Key is the metadata key of the evaluation, a JSON object.
const Key = "evaluation"

// Scores are how good predictions are. What does not apply is nil.
type Scores struct {
	Accuracy  *float64 `json:"accuracy,omitempty"`
	F1        *float64 `json:"f1,omitempty"`
	AUC       *float64 `json:"auc,omitempty"` // of the second of two classes
	Precision *float64 `json:"average_precision,omitempty"`
	RMSE      *float64 `json:"rmse,omitempty"`
}

// Evaluation is how good a model was found to be, on rows that it was not fitted on.
type Evaluation struct {
	TrainRows int `json:"train_rows"`
	TestRows  int `json:"test_rows"`
	Scores
	KernelError *report.GramError `json:"kernel_error,omitempty"` // nil for a tuned map, which has left its kernel
	Pairs       Pairs             `json:"pairs,omitempty"`        // of the matrices that KernelError compares
}

// Put notes the evaluation in the model.
func (e *Evaluation) Put(m *train.Model) error {
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("the note %q: %w", Key, err)
	}
	if m.Notes == nil {
		m.Notes = map[string]string{}
	}
	m.Notes[Key] = string(text)
	return nil
}

// Of reads the evaluation that the model came with, nil where it came with none.
func Of(m *train.Model) (*Evaluation, error) {
	text, ok := m.Notes[Key]
	if !ok {
		return nil, nil
	}
	e := new(Evaluation)
	if err := json.Unmarshal([]byte(text), e); err != nil {
		return nil, fmt.Errorf("the note %q is no evaluation (%w); save the model again: %w", Key, err, modelfile.ErrFormat)
	}
	return e, nil
}
