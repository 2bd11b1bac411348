package sgd

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
)

// TestFailed: a fit has failed if it diverges, or has more than twice the loss of the short fits in its last epoch. The
// loss of smoothed labels, and one with a penalty, do not compare.
func TestFailed(t *testing.T) {
	c := choice{loss: .1}
	course := &fits.Course{Epochs: []fits.Epoch{{Loss: .1}, {Loss: .21}}}
	for i, want := range []struct {
		course *fits.Course
		err    error
		o      FitOptions
		failed bool
	}{
		{course, nil, FitOptions{}, true},
		{&fits.Course{Epochs: []fits.Epoch{{Loss: .7}, {Loss: .19}}}, nil, FitOptions{}, false},
		{course, nil, FitOptions{LabelSmoothing: .1}, false},
		{course, nil, FitOptions{Lambda: .1}, false},
		{nil, fmt.Errorf("the loss is NaN: %w", given.ErrDiverged), FitOptions{}, true},
		{course, errors.New("another"), FitOptions{}, false},
	} {
		if got := c.failed(want.course, want.err, want.o); got != want.failed {
			t.Errorf("case %d: %v", i, got)
		}
	}
}
