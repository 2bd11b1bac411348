//go:build unix

package service

import (
	"bufio"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestSignals: SIGHUP takes a new model over, SIGTERM and SIGINT end the program with the exit status 0.
func TestSignals(t *testing.T) {
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		dir := t.TempDir()
		path := filepath.Join(dir, "m")
		if err := newModel("gaussian", 3, 1).Save(path); err != nil {
			t.Fatal(err)
		}
		cmd := clitest.Command(t, dir, "-model", "m", "-addr", "127.0.0.1:0", "-watch", "0")
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stderr)
		line := func(want string) string {
			t.Helper()
			if !lines.Scan() || !strings.Contains(lines.Text(), want) {
				t.Fatalf("stderr %q, want %s", lines.Text(), want)
			}
			return lines.Text()
		}
		url := regexp.MustCompile(`http://\S+`).FindString(line("serves m, sha256 " + must(checksum(path))[:12]))
		if err := newModel("gaussian", 2, 2).Save(path); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		line("took over m, sha256 " + must(checksum(path))[:12])
		resp, err := http.Post(url+"/predict", "application/json", strings.NewReader(asJSON(randomRows(2, 1))))
		if err != nil {
			t.Fatal(err)
		}
		if ob := object(t, resp); ob["model"] != must(checksum(path)) {
			t.Errorf("%v", ob)
		}
		if err := cmd.Process.Signal(end); err != nil {
			t.Fatal(err)
		}
		line("stopping")
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", end, err)
		}
	}
}
