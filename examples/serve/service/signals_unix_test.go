//go:build unix

package service

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"os"
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
		ok(t, newModel("gaussian", 3, 1).Save(path))
		cmd := clitest.Command(t, dir, "--model", "m", "--addr", "127.0.0.1:0", "--watch", "0")
		stderr := must(cmd.StderrPipe())
		ok(t, cmd.Start())
		lines := bufio.NewScanner(stderr)
		line := func(want string) string {
			t.Helper()
			if !lines.Scan() || !strings.Contains(lines.Text(), want) {
				t.Fatalf("stderr %q, want %s", lines.Text(), want)
			}
			return lines.Text()
		}
		url := regexp.MustCompile(`http://\S+`).FindString(line("serves m, sha256 " + must(checksum(path))[:12]))
		ok(t, newModel("gaussian", 2, 2).Save(path))
		ok(t, cmd.Process.Signal(syscall.SIGHUP))
		line("now serves m, sha256 " + must(checksum(path))[:12])
		resp := must(http.Post(url+"/predict", typeJSON, strings.NewReader(asJSON(randomRows(2, 1)))))
		if ob := object(t, resp); ob["model"] != must(checksum(path)) {
			t.Errorf("%v", ob)
		}
		ok(t, cmd.Process.Signal(end))
		line("stopping")
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", end, err)
		}
	}
}

// TestPipeInTheModelsPlace: a named pipe is a bad file.
func TestPipeInTheModelsPlace(t *testing.T) {
	badReload(t, func(path string) error { return syscall.Mkfifo(path, 0o600) })
}

// TestStopsWhileItLoads: a program that receives a signal does not read its model to the end. The file holds a header,
// and 1 GB of nothing that it names.
func TestStopsWhileItLoads(t *testing.T) {
	const size = 1 << 30
	path := filepath.Join(t.TempDir(), "m")
	header := `{"__metadata__":{"sha256":"` + strings.Repeat("0", 64) + `"},` +
		`"w":{"dtype":"F64","shape":[134217728],"data_offsets":[0,1073741824]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	head := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	ok(t, errors.Join(os.WriteFile(path, head, 0o600), os.Truncate(path, int64(len(head))+size)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, &options{Model: path, Addr: "127.0.0.1:0", Concurrent: 1, MaxBody: 1, MaxRows: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
