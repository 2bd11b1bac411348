package service

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, Main) }

// TestFlags: a wrong flag is exit status 2, a model or an address that cannot be used 1, each with one line that says
// what to do.
func TestFlags(t *testing.T) {
	dir := t.TempDir()
	m := newModel("gaussian", 3, 1)
	ok(t, m.Save(filepath.Join(dir, "m")))
	m.Notes = map[string]string{"evaluation": "[]"}
	ok(t, m.Save(filepath.Join(dir, "noted")))
	clitest.File(t, dir, "text", "no model, and more than a few bytes of it, so that it is no damaged one\n")
	taken := must(net.Listen("tcp", "127.0.0.1:0"))
	defer taken.Close()
	for _, tc := range []struct {
		args   string
		status int
		text   string
	}{
		{"", 2, "missing flags: --model=FILE"},
		{"--model m m", 2, "unexpected argument m"},
		{"--model m --max-body 0", 2, "--max-body 0: want 1 to 4294967296"},
		{"--model m --max-body 8GiB", 2, "--max-body 8589934592: want 1 to 4294967296"},
		{"--model m --max-rows 0", 2, "--max-rows 0: want 1 to 16777216"},
		{"--model m --max-memory=-1", 2, "--max-memory -1: want 0"},
		{"--model m --max-memory 500XB", 2, "\"500XB\" is not a number of bytes; write 500000000, 500MB or 512MiB"},
		{"--model m --max-memory MB", 2, "is not a number of bytes"},
		{"--model m --max-memory 1e400", 2, "is not a number of bytes"},
		{"--model m --max-memory .001MiB", 2, "is not a number of bytes"},
		{"--model m --max-memory 1kB", 1, "--max-memory 1000: this model with --concurrent"},
		{"--model m --max-connections 0", 2, "want at least 1"},
		{"--model m --concurrent 0", 2, "want at least 1"},
		{"--model m --timeout 0s", 2, "--timeout 0s: want more than 0"},
		{"--model m --linger=-1s", 2, "want 0 or more"},
		{"--model m --watch often", 2, "--watch: "},
		{"--model none", 1, "no such file"},
		{"--model text", 1, "not a model file"},
		{"--model .", 1, "directory"},
		{"--model noted", 1, `noted: the note "evaluation" is no`},
		{"--model m --addr " + taken.Addr().String(), 1, "address already in use; choose another, HOST:0 for any free port"},
		{"--model m --addr nowhere", 1, "--addr nowhere: "},
	} {
		clitest.Run(t, dir, tc.args).Fails(t, tc.status, "serve", tc.text)
	}
	holds(t, "--help", clitest.Run(t, dir, "--help").OK(t).Stdout, "--max-memory")
}
