package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestCV: the bandwidth and lambda that cross-validation chooses tell apart what the default bandwidth does not; there is a table and a picture.
func TestCV(t *testing.T) {
	dir := files(t)
	const args = "-train last.csv -test test.csv -features 256 -head ridge "
	plain := fit(t, dir, args+"-params sigma=4")
	ob := fit(t, dir, args+"-cv 4")
	if *ob.Accuracy < max(.9, *plain.Accuracy) || len(ob.CV) != 72 || *ob.Lambda <= 0 {
		t.Errorf("accuracy %v, of a bandwidth that is too wide %v, %d scores, lambda %v", *ob.Accuracy, *plain.Accuracy, len(ob.CV), *ob.Lambda)
	}
	best := ob.CV[0]
	for _, s := range ob.CV {
		if s.MSE != nil && *s.MSE < *best.MSE {
			best = s
		}
	}
	if best.Lambda != *ob.Lambda || best.Params.Number("sigma") != ob.Params.Number("sigma") {
		t.Errorf("chosen %v and lambda %v, the best are %+v", ob.Params, *ob.Lambda, best)
	}
	r := clitest.Run(t, dir, args+"-cv 3 -plot cv.png").OK(t)
	if strings.Count(r.Stdout, "\n  sigma=") != len(cvFactors) || strings.Count(r.Stdout, "*") != 1 {
		t.Errorf("stdout:\n%s", r.Stdout)
	}
	clitest.Picture(t, filepath.Join(dir, "cv.png"), 400, 300)
	// Where nothing comes from the data lambda alone is chosen.
	if ob := fit(t, dir, args+"-cv 3 -params sigma=.3"); len(ob.CV) != 9 || *ob.Accuracy < .9 {
		t.Errorf("%d scores, accuracy %v", len(ob.CV), *ob.Accuracy)
	}
	if ob := fit(t, dir, "-train last.csv -test test.csv -head ridge -map linear -cv 3"); len(ob.CV) != 9 {
		t.Errorf("%d scores of the linear map", len(ob.CV))
	}
}
