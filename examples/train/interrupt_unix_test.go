//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestInterruptedAnywhere: one signal ends it where it waits for a file that says nothing.
func TestInterruptedAnywhere(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := clitest.Command(t, dir, strings.Fields("-train pipe.csv -test pipe.csv")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3000 { // until it reads
		out, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			defer out.Close()
			break
		}
		if !errors.Is(err, syscall.ENXIO) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if cmd.Wait() == nil || cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) || stderr.String() != "train: interrupted: context canceled\n" {
		t.Errorf("exit status %d, stderr %q", cmd.ProcessState.ExitCode(), stderr.String())
	}
	clitest.Run(t, dir, "-load pipe.csv -test pipe.csv").Fails(t, 1, "train", "pipe.csv is a named pipe: not a model file")
}
