package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// files makes a folder with the files that the tests map: rows of five numbers, with and without labels.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rows, dark := clitest.Checker(40, 5, 1)
	label := func(i int) string { return map[bool]string{false: "light", true: "dark"}[dark[i]] }
	clitest.File(t, dir, "rows.csv", clitest.CSV(rows, nil, nil))
	clitest.File(t, dir, "last.csv", clitest.CSV(rows, nil, label))
	clitest.File(t, dir, "first.csv", "colour,p,q,r,s,t\n"+clitest.CSV(rows, label, nil))
	clitest.File(t, dir, "target.csv", clitest.CSV(rows, nil, func(i int) string { return fmt.Sprint(float64(i) / 8) }))
	clitest.File(t, dir, "bags.csv", clitest.Bags(40, 2, nil))
	clitest.File(t, dir, "rows.libsvm", clitest.LIBSVM(rows, func(i int) string { return fmt.Sprint(i % 3) }))
	rows[33][1] = -.25
	clitest.File(t, dir, "negative.csv", clitest.CSV(rows, nil, nil))
	return dir
}

// TestWrongFlags: each is the exit status 2 and one line, before any file is read.
func TestWrongFlags(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct{ args, text string }{
		{"-map rbf", `there is no map "rbf"`},
		{"-map chi2 -features 15", "-features does not apply to -map chi2, which makes 2·order+1 columns for each input column, twice that for negative=split; say -params order=N"},
		{"-map hellinger -features 15", "which makes one column for each input column"},
		{"-map intersection -params negative=abs", `negative = "abs", want error, sign or split`},
		{"-map rbf", `there is no map "rbf"`},
		{"-map hdd-js -label last", "-label does not apply to -map hdd-js, whose files name the columns"},
		{"-map hdd-js -params bandwidth=-1", "bandwidth = -1, want finite numbers above 0"},
		{"-map matern -sampler antithetic", "antithetic does not fit"},
		{"-sampler grid", `no sampler is called "grid"`},
		{"-map laplacian -sampler orthogonal", "orthogonal does not fit"},
		{"-features 15", "15 features is odd"},
		{"-features 0", "-features 0: want 1 to"},
		{"-features 1000000000000 -out a.npy", "want 1 to"},
		{"-sweep 64,15", "-sweep: layers: FourierLayer"},
		{"-sweep 64,0", "-sweep 0: want 1 to"},
		{"-sweep 64,many", "-sweep 64,many: want numbers of features, comma-separated, or none"},
		{"-seeds 1", "-seeds 1"},
		{"-rows 1", "-rows 1"},
		{"-out a.txt", "-out a.txt: want a name that ends in .npy or .csv"},
		{"-kernel a", "-kernel a: want a name that ends in .npy or .csv"},
		{"-out a.npy -kernel a.npy", "-kernel and -out name the same file, a.npy"},
		{"-out a.npy -sampler all", "-sampler all belongs to -report"},
		{"-out a.npy -sampler all -report", "-sampler all does not apply to -out"},
		{"-out a.npy -seeds 3", "-seeds belongs to -report"},
		{"-kernel a.npy -rows 3", "-rows belongs to -report"},
		{"-out a.npy -sweep 8", "-sweep belongs to -report"},
		{"-out a.npy -plot a.png", "-plot belongs to -report"},
		{"-sweep none -plot a.png", "it does not apply to -sweep none"},
		{"-map delta-gaussian -sampler all", "draws its two signs by a coupling; say -params coupling=NAME"},
		{"-map delta-gaussian -sweep 6", "-sweep: layers: GORFLayer"},
		{"-map linear -plot a.png", "-plot does not apply to -map linear"},
		{"-map linear -sweep 8", "-sweep does not apply to -map linear"},
		{"-map linear -seeds 8", "-seeds does not apply to -map linear"},
		{"-map linear -sampler all", "-sampler does not apply to -map linear"},
		{"-map linear -features 5", "-features does not apply to -map linear"},
		{"-dtype int8", "-dtype int8"},
		{"-scale log", `scaler "log"`},
		{"-params sigma=0", "sigma = 0"},
		{"stray", `unexpected argument "stray"`},
		{"-train x", "-train"},
	} {
		clitest.Run(t, dir, "-in none.csv "+tc.args).Fails(t, 2, "features", tc.text)
	}
	for _, args := range []string{"-in rows.csv -out rows.csv", "-in rows.csv -kernel ./rows.csv", "-in rows.csv -plot rows.csv", "-report -out a.csv -plot a.csv"} {
		clitest.Run(t, dir, args).Fails(t, 2, "features", "name the same file")
	}
	clitest.Run(t, dir, "-label last").Fails(t, 2, "features", "-label does not apply to the made histograms")
	if r := clitest.Run(t, dir, "-h").OK(t); !strings.Contains(r.Stdout, "features maps") || !strings.Contains(r.Stdout, "-kernel file") || r.Stderr != "" {
		t.Errorf("-h: %+v", r)
	}
	if names := clitest.Names(t, dir); len(names) > 0 {
		t.Errorf("wrong flags left %v", names)
	}
}

// TestBadData: each is the exit status 1 and one line that names the file, the place and the remedy, and leaves no
// file.
func TestBadData(t *testing.T) {
	dir := files(t)
	before := len(clitest.Names(t, dir))
	for _, tc := range []struct {
		args  string
		texts []string
	}{
		{"-in none.csv", []string{"none.csv", "no such file"}},
		{"-in last.csv", []string{`last.csv:1: column 6: "light" is not a number`}},
		{"-in negative.csv -map exp-semigroup -out a.npy", []string{"negative.csv: ", "x[33,1] = -0.25 is negative", "-scale cube"}},
		{"-in negative.csv -map exp-semigroup -params beta=1 -kernel a.csv", []string{"negative.csv: map exp-semigroup: x[33,1] = -0.25 is negative"}},
		{"-in negative.csv -map skewed-chi2 -params c=.2 -out a.csv -features 8", []string{"negative.csv: map skewed-chi2: x[33,1] = -0.25 is not above -c = -0.2; shift the data or raise C"}},
		{"-in negative.csv -map skewed-intersection -params c=.25 -features 8 -dtype float32 -rows 5", []string{"negative.csv", "x[33,1]", "-c = -0.25"}},
		{"-in negative.csv -map chi2 -out a.npy", []string{"negative.csv: map chi2: x[33,1] = -0.25 is negative", "negative=sign or negative=split"}},
		{"-in rows.csv -out no/a.npy", []string{"-out no/a.npy: cannot be written", "see that the folder exists"}},
		{"-in rows.csv -kernel rows.csv/a.npy", []string{"-kernel rows.csv/a.npy: cannot be written"}},
		{"-in rows.csv -plot no/a.png", []string{"-plot no/a.png: cannot be written"}},
	} {
		clitest.Run(t, dir, tc.args).Fails(t, 1, "features", tc.texts...)
	}
	if names := clitest.Names(t, dir); len(names) != before {
		t.Errorf("the folder holds %v", names)
	}
	if err := os.Mkdir(dir+"/b.npy", 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, dir, "-in rows.csv -out b.npy").Fails(t, 1, "features", "-out b.npy: cannot be written: it is a folder")
}
