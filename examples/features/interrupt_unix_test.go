//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestInterrupt: a program that is interrupted while it writes says so in one line, leaves no part of a file, and the
// file that was there before stays.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	clitest.File(t, dir, "a.csv", "whole\n")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := clitest.Command(t, dir, "-features", "8192", "-out", "a.csv")
		var stderr, stdout bytes.Buffer
		cmd.Stderr, cmd.Stdout = &stderr, &stdout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); len(clitest.Names(t, dir)) < 2; time.Sleep(5 * time.Millisecond) { // until the temporary file is there
			if time.Since(start) > 30*time.Second {
				t.Fatal("nothing is written")
			}
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 128+int(sig) || stdout.Len() > 0 {
			t.Errorf("%v: %v, stdout %q", sig, err, stdout.String())
		}
		if text := stderr.String(); !strings.HasPrefix(text, "features: a.csv: ") || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: stderr %q", sig, text)
		}
		if names := clitest.Names(t, dir); len(names) != 1 {
			t.Errorf("%v left %v", sig, names)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a.csv")); err != nil || string(b) != "whole\n" {
		t.Errorf("the file that was there is %q, %v", b, err)
	}
}
