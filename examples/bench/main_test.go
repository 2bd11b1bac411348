package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

const keys = "lib setting blas map shape n d features dtype cores runs ms min_ms ns_per_output gflops peak_gflops peak_share " +
	"cpu machine_cores isa go platform load"

// objects reads JSON lines.
func objects(t *testing.T, text string) (out []map[string]any) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var ob map[string]any
		if err := json.Unmarshal([]byte(line), &ob); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		out = append(out, ob)
	}
	return out
}

// TestJSON: a line for each map and element type; the structured map has no product, and the gradient is float32 alone.
func TestJSON(t *testing.T) {
	r := clitest.Run(t, t.TempDir(), "-shapes 37x17x46 -runs 1 -cores 1 -json").OK(t)
	var got []string
	for _, ob := range objects(t, r.Stdout) {
		clitest.Keys(t, "a line", ob, keys)
		got = append(got, ob["map"].(string)+" "+ob["dtype"].(string))
		features := 46.
		if name := ob["map"]; name == "chi2" || name == "intersection" {
			features = 3 * 17
		}
		if ob["lib"] != "bochner" || ob["n"] != 37. || ob["d"] != 17. || ob["features"] != features || ob["runs"] != 1. || ob["cores"] != 1. {
			t.Errorf("a line says %v", ob)
		}
		if ms := ob["ms"].(float64); !(ms > 0) || ob["min_ms"] != ms || !near(ob["ns_per_output"].(float64), ms*1e6/(37*features)) {
			t.Errorf("the times of %v", ob)
		}
		work := map[string]float64{"gaussian": 1, "phase": 2, "laplace": 2, "normalised": 2, "levy": 3, "exp-chi2": 3, "gradient": 6, "autograd": 6, "sparse": 2. / 17}[ob["map"].(string)] * 37 * 17 * 46
		if !near(ob["gflops"].(float64), work/(ob["ms"].(float64)*1e6)) {
			t.Errorf("the operations of %v", ob)
		}
		if (ob["peak_gflops"].(float64) > 0) != (ob["isa"] != "generic") {
			t.Errorf("the peak of %v", ob)
		}
	}
	want := []string{"gaussian float32", "phase float32", "structured float32", "laplace float32", "normalised float32", "levy float32", "exp-chi2 float32", "gradient float32", "autograd float32", "sparse float32", "chi2 float32", "intersection float32",
		"gaussian float64", "phase float64", "structured float64", "laplace float64", "normalised float64", "levy float64", "exp-chi2 float64", "sparse float64", "chi2 float64", "intersection float64"}
	if !slices.Equal(got, want) {
		t.Errorf("lines of %q, want %q", got, want)
	}
}

func near(a, b float64) bool { return a-b <= 1e-9*b && b-a <= 1e-9*b }

// TestTable: the machine is named above the table, the structured map is left out where its sampler would be refused,
// and the picture is there.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "-shapes 19x3x10,5x31x8 -runs 2 -cores 1 -dtype float32 -maps gaussian,structured -plot bench.png").OK(t)
	head, table, ok := strings.Cut(r.Stdout, "\n\n")
	if !ok || !strings.Contains(head, "cores, ") || !strings.HasSuffix(head, "; median of 2") || r.Stderr != "picture: bench.png\n" {
		t.Errorf("stdout starts with %q, stderr %q", head, r.Stderr)
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 5 {
		t.Fatalf("the table is\n%s", table)
	}
	for i, start := range []string{"| rows×columns→features | map |", "|---|", "| 19×3→10 | gaussian | float32 | 1 |", "| 5×31→8 | gaussian |", "| 5×31→8 | structured |"} {
		if !strings.HasPrefix(lines[i], start) || strings.Count(lines[i], "|") != 9 {
			t.Errorf("line %d is %q, want it to start with %q", i, lines[i], start)
		}
	}
	clitest.Picture(t, filepath.Join(dir, "bench.png"), 600, 0)
}

func TestFlags(t *testing.T) {
	for args, texts := range map[string][]string{
		"-runs 0":                                {"-runs 0"},
		"-shapes h":                              {`-shapes "h"`, "a,b,c,d,e,f,g"},
		"-shapes 10x3":                           {`"10x3"`},
		"-shapes 10x3x7":                         {"even"},
		"-shapes 0x3x8":                          {`"0x3x8"`},
		"-shapes 100000x64x40000000":             {"cells"},
		"-dtype float16":                         {"float16", "float32, float64"},
		"-maps cosine":                           {"cosine", "gaussian, phase"},
		"-cores 0":                               {`-cores "0"`},
		"-cores 100000":                          {"which this machine has"},
		"more":                                   {"unexpected"},
		"-maps gradient -dtype float64":          {"gradient float32"},
		"-maps structured -shapes 9x3x4":         {"16 columns"},
		"-maps phase -shapes g":                  {"nothing else shape g"},
		"-maps sparse -shapes a":                 {"sparse shape g"},
		"-maps structured -shapes c -plot p.png": {"dense map"},
		"-reading 10":                            {`-reading "10"`, "rows x columns"},
		"-reading 10x0":                          {`"10x0"`},
		"-reading 100000000x64":                  {"cells"},
		"-reading 10x3 -cores 1":                 {"-cores", "-reading"},
	} {
		clitest.Run(t, t.TempDir(), args).Fails(t, 2, "bench", texts...)
	}
	clitest.Run(t, t.TempDir(), "-plot no/where.png").Fails(t, 1, "bench", "-plot", "folder")
}

// TestNoPython: without python3, and with one that lacks scikit-learn, one line says what to install.
func TestNoPython(t *testing.T) {
	empty, lacking := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(lacking, "python3"), []byte("#!/bin/sh\necho \"No module named 'sklearn'\" >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, lacking} {
		t.Setenv("PATH", path)
		clitest.Run(t, t.TempDir(), "-peers -shapes 8x3x4").Fails(t, 1, "bench", "scikit-learn is not there", "apt-get install python3-sklearn")
		clitest.Run(t, t.TempDir(), "-peers -reading 3x2").Fails(t, 1, "bench", "pandas and scikit-learn is not there", "apt-get install python3-pandas")
	}
}

// TestPeers: a made python3 answers in place of the real one, and its times stand beside ours.
func TestPeers(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	fake := "#!" + sh + `
[ "$2" = "import numpy, sklearn" ] && exit 0
echo "{\"setting\": \"$OPENBLAS_NUM_THREADS $3 $4 $5 $6 $7 $8 $9\", \"maps\": {\"RBFSampler\": [3, 1, 8], \"laplace\": [5], \"csr\": [7], \"AdditiveChi2Sampler\": [4], \"homkermap\": []}}"
`
	if err := os.WriteFile(filepath.Join(dir, "python3"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("OPENBLAS_NUM_THREADS", "7")
	args := "-peers -shapes 8x31x4 -runs 3 -cores 1 -dtype float64 -maps gaussian,phase,laplace,sparse"
	r := clitest.Run(t, t.TempDir(), args+" -json").OK(t)
	lines := objects(t, r.Stdout)
	if len(lines) != 7 && len(lines) != 10 { // with and without a second setting
		t.Fatalf("%d lines:\n%s", len(lines), r.Stdout)
	}
	rbf, lap, csr := lines[4], lines[5], lines[6]
	if rbf["lib"] != "scikit-learn" || rbf["setting"] != "default" || rbf["blas"] != "1 8 31 4 float64 3 RBFSampler laplace" || rbf["ms"] != 3. || rbf["min_ms"] != 1. {
		t.Errorf("the line of RBFSampler is %v", rbf)
	}
	if lap["lib"] != "numpy" || lap["ms"] != 5. {
		t.Errorf("the line of numpy is %v", lap)
	}
	if csr["lib"] != "scipy" || csr["ms"] != 7. || !near(csr["gflops"].(float64), 2*8*1*4/7e6) {
		t.Errorf("the line of scipy is %v", csr)
	}
	// Maps without a peer are not asked for.
	r = clitest.Run(t, t.TempDir(), "-peers -shapes 8x31x4 -runs 3 -cores 1 -dtype float64 -maps levy,gaussian,exp-chi2 -json").OK(t)
	if lines := objects(t, r.Stdout); len(lines) < 4 || lines[3]["blas"] != "1 8 31 4 float64 3 RBFSampler " {
		t.Errorf("the lines with maps that have no peer are\n%s", r.Stdout)
	}
	// VLFeat is left out where it is not there.
	r = clitest.Run(t, t.TempDir(), "-peers -shapes 8x31x4 -runs 3 -cores 1 -dtype float64 -maps chi2,intersection -json").OK(t)
	if lines := objects(t, r.Stdout); len(lines) != 3 && len(lines) != 4 || lines[2]["lib"] != "scikit-learn" || lines[2]["ms"] != 4. || lines[2]["features"] != 93. {
		t.Errorf("the lines of the homogeneous maps are\n%s", r.Stdout)
	}
	if !strings.Contains(r.Stderr, "libvlfeat-dev") {
		t.Errorf("nothing is said of VLFeat: %q", r.Stderr)
	}
	r = clitest.Run(t, t.TempDir(), args).OK(t)
	if strings.Count(r.Stdout, "| 3 (") != strings.Count(r.Stdout, "| 5 (")*2 || !strings.Contains(r.Stdout, "peer, default: ms (ratio) |") {
		t.Errorf("the table is\n%s", r.Stdout)
	}
}

// TestReading: a line for each file, ours alone, and with a made python3 the peers beside it; the files are gone after it.
func TestReading(t *testing.T) {
	const keys = "lib version reader file digits n d mb cores runs ms min_ms mb_per_s ratio cpu machine_cores isa go platform load"
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	r := clitest.Run(t, t.TempDir(), "-reading 37x5 -runs 2 -json").OK(t)
	var got []string
	for _, ob := range objects(t, r.Stdout) {
		clitest.Keys(t, "a line", ob, keys)
		got = append(got, ob["file"].(string)+" "+ob["digits"].(string))
		if ob["lib"] != "bochner" || ob["n"] != 37. || ob["d"] != 5. || ob["cores"] != 1. || ob["runs"] != 2. || ob["ratio"] != 1. {
			t.Errorf("a line says %v", ob)
		}
		if ms, mb := ob["ms"].(float64), ob["mb"].(float64); !(ms > 0) || !(mb > 0) || !near(ob["mb_per_s"].(float64), mb/ms*1e3) {
			t.Errorf("the speed of %v", ob)
		}
	}
	if want := []string{"csv 17", "csv 1-6", "libsvm 17", "libsvm 1-6"}; !slices.Equal(got, want) {
		t.Errorf("lines of %q, want %q", got, want)
	}
	if left := clitest.Names(t, temp); len(left) > 0 {
		t.Errorf("%q were left behind", left)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	fake := "#!" + sh + `
[ "$2" = "import pandas, sklearn" ] && exit 0
[ -s "$3" ] && echo "[{\"lib\": \"peer\", \"version\": \"$OPENBLAS_NUM_THREADS.2\", \"reader\": \"$4 $5\", \"ms\": [7000, 5000, 90000]}]"
`
	if err := os.WriteFile(filepath.Join(dir, "python3"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	r = clitest.Run(t, t.TempDir(), "-reading 37x5 -runs 3 -peers").OK(t)
	lines := strings.Split(strings.TrimSpace(r.Stdout), "\n")
	if len(lines) != 12 {
		t.Fatalf("the table is\n%s", r.Stdout)
	}
	for i, start := range []string{"| file | rows×columns |", "|---|", "| csv | 37×5 | 17 | ", "| csv | 37×5 | 17 | ", "| csv | 37×5 | 1-6 | "} {
		if !strings.HasPrefix(lines[2+i], start) || strings.Count(lines[2+i], "|") != 10 {
			t.Errorf("line %d is %q, want it to start with %q", 2+i, lines[2+i], start)
		}
	}
	if !strings.Contains(lines[5], "| peer 1.2 csv 3 | 1 | 7000.0 |") || !strings.Contains(lines[4], "| bochner data.Read | 1 |") || !strings.HasSuffix(lines[4], "| 1.00 |") {
		t.Errorf("the lines are %q and %q", lines[4], lines[5])
	}
}
