// Command outputs keeps the outputs that the notebooks of this repository carry. Without a flag it compares the outputs
// of the executed notebooks in a folder, which run.sh writes, with the outputs in the repository, and exits with 1 when
// they differ: cells, text and tables must be equal, and a picture must have the same size and at most one pixel in a
// hundred that looks different, as rounding may move a line by one.
//
//	go run ./examples/notebooks/outputs [-write] [examples/notebooks/executed]
//
// With -write it copies the outputs into the repository's notebooks: without the times and the versions that a run
// leaves in them, and with the pictures in 256 colours, a third of the size.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

const notebooks = "examples/notebooks"

func main() {
	write := flag.Bool("write", false, "copy the outputs into the notebooks of the repository")
	flag.Parse()
	executed := filepath.Join(notebooks, "executed")
	if flag.NArg() == 1 {
		executed = flag.Arg(0)
	}
	if flag.NArg() > 1 {
		fmt.Fprintln(os.Stderr, "outputs: one folder of executed notebooks, please")
		os.Exit(2)
	}
	if err := run(notebooks, executed, *write); err != nil {
		fmt.Fprintln(os.Stderr, "outputs:", err)
		os.Exit(1)
	}
}

// run compares the notebooks of a folder with executed ones, or takes over their outputs.
func run(folder, executed string, write bool) error {
	paths, err := filepath.Glob(filepath.Join(folder, "[0-9]*.ipynb"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("there is no notebook in %s; run from the root of the repository", folder)
	}
	different := 0
	for _, path := range paths {
		ours, err := readNotebook(path)
		if err != nil {
			return err
		}
		theirs, err := readNotebook(filepath.Join(executed, filepath.Base(path)))
		if err != nil {
			return err
		}
		if err := theirs.complete(); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		if write {
			if err := theirs.tidy(); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := theirs.write(path); err != nil {
				return err
			}
			continue
		}
		for _, d := range ours.differences(theirs) {
			fmt.Printf("%s: %s\n", filepath.Base(path), d)
			different++
		}
	}
	if different > 0 {
		return fmt.Errorf("%d differences; where they are meant, take them over with -write", different)
	}
	return nil
}
