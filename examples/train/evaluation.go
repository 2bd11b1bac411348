package main

import "github.com/bochner-go/bochner/examples/internal/notes"

// evaluation is what goes into the model's file.
func (r *result) evaluation() *notes.Evaluation {
	o := r.object()
	return &notes.Evaluation{TrainRows: o.TrainRows, TestRows: o.TestRows, Accuracy: o.Accuracy, F1: o.F1, RMSE: o.RMSE, KernelError: o.KernelError, Pairs: r.pairs}
}
