package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestCV: the bandwidth and lambda that cross-validation chooses tell apart what the default bandwidth does not; there
// is a table and a picture.
func TestCV(t *testing.T) {
	dir := files(t)
	const args = "-train last.csv -test test.csv -features 256 -head ridge "
	plain := fit(t, dir, args+"-params sigma=4")
	ob := fit(t, dir, args+"-cv 4")
	if *ob.Accuracy < max(.9, *plain.Accuracy) || len(ob.CV) < 72 || *ob.Lambda <= 0 {
		t.Errorf("accuracy %v, of a bandwidth that is too wide %v, %d scores, lambda %v", *ob.Accuracy, *plain.Accuracy, len(ob.CV), *ob.Lambda)
	}
	best := ob.CV[0]
	for _, s := range ob.CV {
		if s.ErrorRate != nil && (*s.ErrorRate < *best.ErrorRate || *s.ErrorRate == *best.ErrorRate && *s.MSE < *best.MSE*(1-1e-6)) {
			best = s
		}
	}
	if best.Lambda != *ob.Lambda || best.Params.Number("sigma") != ob.Params.Number("sigma") {
		t.Errorf("chosen %v and lambda %v, the best are %+v", ob.Params, *ob.Lambda, best)
	}
	r := clitest.Run(t, dir, args+"-cv 3 -plot cv.png").OK(t)
	if strings.Count(r.Stdout, "\n  sigma=") < len(cvFactors[true]) || strings.Count(r.Stdout, "*") != 1 || !strings.HasPrefix(r.Stdout, "cross-validated error rate\n") {
		t.Errorf("stdout:\n%s", r.Stdout)
	}
	clitest.Picture(t, filepath.Join(dir, "cv.png"), 400, 300)
	// Where nothing comes from the data lambda alone is chosen, unless it is given.
	if ob := fit(t, dir, args+"-cv 3 -params sigma=.3"); len(ob.CV) < 9 || *ob.Accuracy < .9 {
		t.Errorf("%d scores, accuracy %v", len(ob.CV), *ob.Accuracy)
	}
	if ob := fit(t, dir, "-train last.csv -test test.csv -head ridge -map linear -cv 3"); len(ob.CV) < 9 {
		t.Errorf("%d scores of the linear map", len(ob.CV))
	}
	if ob := fit(t, dir, args+"-cv 3 -params sigma=.3 -lambda .25"); len(ob.CV) != 1 || *ob.Lambda != .25 || ob.CV[0].Lambda != .25 {
		t.Errorf("-lambda .25: %+v, lambda %v", ob.CV, *ob.Lambda)
	}
}

// TestCVHeads: every head is chosen for by a score that suits it and is named, and the choice is good.
func TestCVHeads(t *testing.T) {
	dir := files(t)
	for _, tc := range []struct {
		args   string
		metric string
		scores int
	}{
		{"-train last.csv -test test.csv -head svm", "error rate", 25},
		{"-train last.csv -test test.csv -head softmax -epochs 30 -batch 30 -lr .2 -lambda 0", "error rate", 5},
		{"-train last.csv -test test.csv -head linear -epochs 30 -batch 30 -lr .1", "error rate", 20},
		{"-train last.csv -test test.csv -head softmax -tune bandwidth -epochs 20 -batch 30 -lr .2 -lambda 1e-6 -checkpoint c", "error rate", 5},
		{"-train smooth.csv -test smoothtest.csv -task regression -head svm -epsilon .01", "mean squared error", 25},
		{"-train smooth.csv -test smoothtest.csv -task regression -head linear -lambda 0 -batch 20", "mean squared error", 5},
	} {
		ob := fit(t, dir, tc.args+" -features 64 -cv 3 -seed 3")
		if len(ob.CV) < tc.scores || ob.Lambda == nil {
			t.Fatalf("%s: %d scores, lambda %v", tc.args, len(ob.CV), ob.Lambda)
		}
		for _, s := range ob.CV {
			if s.StdErr != nil && ((s.ErrorRate != nil) != (tc.metric == "error rate") || (s.MSE == nil) == (s.ErrorRate == nil)) || s.Features != 64 {
				t.Errorf("%s: %+v", tc.args, s)
			}
		}
		if ob.Accuracy != nil && *ob.Accuracy < .8 || ob.RMSE != nil && *ob.RMSE > .1 {
			t.Errorf("%s: accuracy %v, rmse %v", tc.args, ob.Accuracy, ob.RMSE)
		}
	}
}

// TestGrid: what is chosen is the best of the grid, features and lambda too; tables and pictures for one, two and three
// settings.
func TestGrid(t *testing.T) {
	dir := files(t)
	const args = "-train last.csv -test test.csv -head ridge -cv 3 "
	ob := fit(t, dir, args+"-grid sigma=.2,.4,4 -grid features=64,128 -grid lambda=1e-3,.1")
	best := ob.CV[0]
	for _, s := range ob.CV {
		if *s.ErrorRate < *best.ErrorRate || *s.ErrorRate == *best.ErrorRate && *s.MSE < *best.MSE*(1-1e-6) {
			best = s
		}
	}
	if len(ob.CV) != 12 || best.Features != ob.Features || best.Lambda != *ob.Lambda || best.Params.Number("sigma") != ob.Params.Number("sigma") {
		t.Errorf("%+v is not the best of %+v", ob, ob.CV)
	}
	if ob := fit(t, dir, args+"-map reciprocal-semigroup -features 64 -grid map.lambda=.1,1"); len(ob.CV) < 18 || ob.CV[0].Params.Number("lambda") != .1 || ob.CV[len(ob.CV)-1].Params.Number("lambda") != 1 {
		t.Errorf("%+v", ob.CV)
	}
	r := clitest.Run(t, dir, args+"-features 64 -grid sigma=.05,.1 -grid lambda=.01,.1")
	if ob := fit(t, dir, args+"-features 64 -grid sigma=.05,.1 -grid lambda=.01,.1"); !slices.Contains(ob.CVEnds, "sigma") || !strings.Contains(r.OK(t).Stdout, "\nthe best sigma is at an end of what was tried") {
		t.Errorf("at an end: %v, and\n%s", ob.CVEnds, r.Stdout)
	}
	for grid, rows := range map[string][]string{
		"-grid sigma=.2,.4,4 -lambda .01":                                              {"\n  sigma=0.2  ", "± std. error\n"},
		"-grid sigma=.2,.4 -grid features=64,128 -lambda .01":                          {"\n  features:", "\n  sigma=0.2 ", "\n  sigma=0.4 "},
		"-grid sigma=.2,.4 -grid features=64,128 -grid lambda=0,.1":                    {"\n  lambda:", "\n  sigma=0.2 features=64 ", "\n  sigma=0.4 features=128 "},
		"-grid sigma=.2 -grid features=64 -grid lambda=.1":                             {"± std. error\n"},
		"-trials 25 -grid sigma=.1:10 -grid features=32:256 -grid lambda=1e-6:1":       {"\n  the 20 best of 25 ", "± std. error\n  sigma=0."},
		"-trials 4 -grid sigma=.1:10 -grid features=64,128":                            {"\n  lambda:", " features=64 "},
		"-map matern -features 64 -trials 3 -grid ell=.1:10 -grid nu=.5,1.5 -lambda 1": {"± std. error\n"},
	} {
		r := clitest.Run(t, dir, args+grid+" -plot cv.png").OK(t)
		for _, row := range rows {
			if !strings.Contains(r.Stdout, row) {
				t.Errorf("%s: no %q in\n%s", grid, row, r.Stdout)
			}
		}
		table, _, _ := strings.Cut(r.Stdout, "\nmap ")
		if strings.Count(table, "*") != 1 {
			t.Errorf("%s:\n%s", grid, table)
		}
		clitest.Picture(t, filepath.Join(dir, "cv.png"), 400, 300)
	}
}

// TestTrials: draws are those of the seed.
func TestTrials(t *testing.T) {
	dir := files(t)
	const args = "-train last.csv -test test.csv -head ridge -cv 3 -trials 5 -grid sigma=.1:10 -grid features=32:128 -grid lambda=1e-6:1 "
	one, again, other := fit(t, dir, args), fit(t, dir, args), fit(t, dir, args+"-seed 2")
	if len(one.CV) != 5 || !reflect.DeepEqual(one.CV, again.CV) || reflect.DeepEqual(one.CV, other.CV) {
		t.Errorf("%+v\n%+v\n%+v", one.CV, again.CV, other.CV)
	}
}
