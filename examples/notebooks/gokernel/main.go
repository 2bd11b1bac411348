// Command gokernel builds a Jupyter kernel for Go that has this library linked in, and registers it for the user:
//
//	go -C examples/notebooks/gokernel run . [-dir FOLDER] [-name bochner]
//
// The kernel is gophernotes v0.7.5 (github.com/gopherdata/gophernotes), whose published form does not start on Go 1.25.
// It is compiled from the module cache together with the files of the folder kernel and with bindings, written now, for
// the packages that kernel/imports.go lists: go build -overlay shows them to the compiler as one program. Nothing of it
// is copied or edited, and go.mod pins all of it. No network is needed once the modules are there.
//
// It exits with 1, before building, where Jupyter is not to be found and no -dir says where kernels belong.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	dir := flag.String("dir", "", "Jupyter data `folder` to register the kernel in (default: what jupyter --data-dir says)")
	name := flag.String("name", "bochner", "`name` of the kernel")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "gokernel: %q: there are flags only\n", flag.Args())
		os.Exit(2)
	}
	spec, err := install(*dir, *name)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gokernel:", err)
		os.Exit(1)
	}
	fmt.Println("registered", spec)
}

// install builds the kernel into the folder kernels/name of a Jupyter data folder, where it replaces one of the same
// name, and returns that folder.
func install(dir, name string) (string, error) {
	if dir == "" {
		var err error
		if dir, err = dataDir(); err != nil {
			return "", err
		}
	}
	spec, err := filepath.Abs(filepath.Join(dir, "kernels", name))
	if err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp("", "gokernel")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	overlay, err := writeOverlay(tmp)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(spec, 0o755); err != nil {
		return "", err
	}
	exe, err := goCommand("env", "GOEXE")
	if err != nil {
		return "", err
	}
	program := filepath.Join(spec, "gokernel"+strings.TrimSpace(exe))
	if _, err := goCommand("build", readonly, "-tags=gokernel", "-overlay="+overlay, "-o="+program, "./kernel"); err != nil {
		return "", err
	}
	return spec, writeJSON(filepath.Join(spec, "kernel.json"), map[string]any{
		"argv":         []string{program, "{connection_file}"},
		"display_name": "Go (" + name + ")",
		"language":     "go",
	})
}

// dataDir is the folder in which Jupyter looks for a user's kernels.
func dataDir() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir, nil
	}
	out, err := exec.Command("jupyter", "--data-dir").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("there is no command jupyter; install Jupyter (Debian: apt-get install jupyter-notebook; without a browser " +
			"jupyter-nbconvert and python3-nbclient do), or name its data folder by -dir")
	}
	if err != nil {
		return "", fmt.Errorf("jupyter --data-dir: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// goCommand runs the go command in this folder and returns what it prints. Its messages go to stderr.
func goCommand(arg ...string) (string, error) {
	cmd := exec.Command("go", arg...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", arg[0], err)
	}
	return string(out), nil
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
