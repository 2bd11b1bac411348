// Command pictures keeps the pictures of README.md and the guides. Without a flag it runs the commands that draw them,
// all on made data, and exits with 1 where one draws another picture than the one in examples/pictures, of another size
// or with more than one pixel in a hundred that looks different, or where a guide names another command or picture.
//
//	go run ./examples/pictures [-write]
//
// With -write it takes over what the commands draw, in 256 colours, a third of the size.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/picture"
)

const folder = "examples/pictures"

// commands, as the guides have them, by the picture that each draws in the folder where it runs.
var commands = map[string]string{
	"fit.png":               "go run ./train/cmd/bochner fit",
	"02_freeze_or_tune.png": "go run ./examples/02_freeze_or_tune",
	"08_learning.png":       "go run ./examples/08_learning",
	"08_columns.png":        "go run ./examples/08_learning",
	"09_uncertainty.png":    "go run ./examples/09_uncertainty",
	"features.png":          "go run ./train/cmd/bochner features --map gaussian --sampler all --rows 300 --seeds 10 --plot features.png",
	"figure1.png":           "go run ./examples/papers/yang2014 -rows 300",
	"homogeneous.png":       "go run ./examples/papers/homogeneous",
	"indefinite.png":        "go run ./examples/papers/indefinite -part error,variance -rows 300",
}

func main() {
	write := flag.Bool("write", false, "take over what the commands draw")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "pictures: %q: there are flags only\n", flag.Args())
		os.Exit(2)
	}
	if err := run(*write); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(write bool) error {
	text, err := guides()
	if err != nil {
		return fmt.Errorf("%w; run from the root of the repository", err)
	}
	if err := named(text); err != nil {
		return err
	}
	var failed []error
	for name, command := range commands {
		if err := keep(name, command, write); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

// guides are the texts that show pictures: README.md and the guides beside the code, one after another.
func guides() (string, error) {
	paths := []string{"README.md"}
	for _, pattern := range []string{"*/*.md", "*/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		paths = append(paths, more...)
	}
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		all.Write(text)
	}
	return all.String(), nil
}

// named wants the guides to show each picture and no other of the folder, and to have each command on a line of its own
// or between back quotes.
func named(guides string) error {
	var shown []string
	for _, m := range regexp.MustCompile(`\]\([^)\n]*pictures/([^)\n]*)\)`).FindAllStringSubmatch(guides, -1) {
		shown = append(shown, m[1])
		if commands[m[1]] == "" {
			return fmt.Errorf("a guide shows %s, which no command draws", m[1])
		}
	}
	lines := strings.Split(guides, "\n")
	for name, command := range commands {
		if !slices.Contains(shown, name) {
			return fmt.Errorf("no guide shows %s", name)
		}
		if !slices.Contains(lines, command) && !strings.Contains(guides, "`"+command+"`") {
			return fmt.Errorf("no guide names the command that draws %s: %s", name, command)
		}
	}
	return nil
}

// keep runs a command and compares what it draws with the picture of the folder, or puts it there.
func keep(name, command string, write bool) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	arg := strings.Fields(command)
	var said bytes.Buffer
	cmd := exec.Command(arg[0], arg[1:]...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, &said)
	}
	drawn, err := read(name)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	if write {
		small, err := picture.Small(drawn)
		if err != nil {
			return err
		}
		return os.WriteFile(path, small, 0o644)
	}
	ours, err := read(path)
	if err != nil {
		return err
	}
	if d := picture.Difference(ours, drawn); d != "" {
		return fmt.Errorf("%s, by %s; where that is meant, take it over with -write", d, command)
	}
	return nil
}

func read(path string) (image.Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}
