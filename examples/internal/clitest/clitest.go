// Package clitest is what the tests of the examples share. It runs a program in a process of its own, as its users do.
package clitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
)

// OK ends a test with an error.
func OK(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// asProgram is set in the processes that Command starts.
const asProgram = "BOCHNER_TEST_PROGRAM"

// Main is TestMain: it runs the tests or, in a process that Command started, the program.
func Main(m *testing.M, program func()) {
	if os.Getenv(asProgram) != "" {
		program()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Command is the program, to be run in a folder. It is killed with the test, or a while before the tests are out of
// time.
func Command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx := t.Context()
	if end, limited := t.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-10*time.Second))
		t.Cleanup(cancel)
	}
	path, err := os.Executable()
	OK(t, err)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if os.Getenv("GOGC") == "" {
		cmd.Env = append(cmd.Env, "GOGC=400") // which spares CPU time; a test of memory sets its own
	}
	return cmd
}

// Result is what a run left behind.
type Result struct {
	Args           []string
	Status         int
	Stdout, Stderr string
}

// Run runs the program in a folder. Arguments are separated by blanks.
func Run(t *testing.T, dir, args string) Result {
	t.Helper()
	cmd := Command(t, dir, strings.Fields(args)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Result{strings.Fields(args), cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// OK wants the exit status 0.
func (r Result) OK(t *testing.T) Result {
	t.Helper()
	if r.Status != 0 {
		t.Fatalf("%v: exit status %d: %s", r.Args, r.Status, r.Stderr)
	}
	return r
}

// Fails wants an exit status, nothing on stdout and one line on stderr, which starts with the program's name and holds
// the texts.
func (r Result) Fails(t *testing.T, status int, program string, texts ...string) {
	t.Helper()
	if r.Status != status || r.Stdout != "" {
		t.Errorf("%v: exit status %d, want %d; stdout %q, stderr %q", r.Args, r.Status, status, r.Stdout, r.Stderr)
		return
	}
	if !strings.HasPrefix(r.Stderr, program+": ") || strings.Count(r.Stderr, "\n") != 1 || !strings.HasSuffix(r.Stderr, "\n") {
		t.Errorf("%v: stderr is not one line of %s's: %q", r.Args, program, r.Stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.Stderr, text) {
			t.Errorf("%v: stderr %q does not hold %q", r.Args, r.Stderr, text)
		}
	}
}

// File writes a file and returns its path.
func File(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	OK(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// Gzip is text, packed.
func Gzip(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text) // a Builder takes all
	_ = z.Close()
	return b.String()
}

// Picture wants a PNG file of at least so many pixels.
func Picture(t *testing.T, path string, width, height int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	if c, err := png.DecodeConfig(f); err != nil || c.Width < width || c.Height < height {
		t.Errorf("%s: %d x %d, %v", path, c.Width, c.Height, err)
	}
}

// Names are the names in a folder, sorted.
func Names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	OK(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Checker draws n rows of d numbers in (0, 1) and says on which colour of a chessboard of 2 x 2 fields the first two
// lie, with a margin: two classes that no linear function tells apart.
func Checker(n, d int, seed uint64) (rows [][]float64, dark []bool) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = float64(1+rng.IntN(998)) / 1000
			if j < 2 { // .05 to .35 or .65 to .95
				row[j] = .05 + .3*row[j] + .6*float64(rng.IntN(2))
			}
		}
		rows, dark = append(rows, row), append(dark, (row[0] > .5) != (row[1] > .5))
	}
	return rows, dark
}

// CSV is rows as lines, with what last says of row i as the last field, or the first; nil says nothing.
func CSV(rows [][]float64, first, last func(i int) string) string {
	var b strings.Builder
	for i, row := range rows {
		var fields []string
		if first != nil {
			fields = append(fields, first(i))
		}
		for _, v := range row {
			fields = append(fields, fmt.Sprint(v))
		}
		if last != nil {
			fields = append(fields, last(i))
		}
		b.WriteString(strings.Join(fields, ",") + "\n")
	}
	return b.String()
}

// Histograms writes rows.csv, n rows of five numbers with two classes, and twice.csv, the same rows times 2.
func Histograms(t *testing.T, dir string, n int) (rows [][]float64, label func(i int) string) {
	t.Helper()
	rows, dark := Checker(n, 5, 1)
	label = func(i int) string { return map[bool]string{true: "dark", false: "light"}[dark[i]] }
	twice := make([][]float64, n)
	for i, row := range rows {
		twice[i] = floats.ScaleTo(make([]float64, len(row)), 2, row)
	}
	File(t, dir, "rows.csv", CSV(rows, nil, label))
	File(t, dir, "twice.csv", CSV(twice, nil, label))
	return rows, label
}
