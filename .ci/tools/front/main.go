// Command front checks what a reader tries first, without running it: the commands of README.md and the guides, and
// the cells of the notebooks.
//
//	go -C .ci/tools run ./front -C "$PWD" -unbuilt train/beam
//
// A command must name a program and flags that there are, and maps, samplers and the like that the help of the
// program lists. The cells of a notebook must be Go that the kernel for notebooks takes, with types that fit.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	root := flag.String("C", ".", "root of the repository")
	unbuilt := flag.String("unbuilt", "", "folder of a module whose programs are not built, nor their flags looked at")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "front: %q is no flag\n", flag.Arg(0))
		os.Exit(2)
	}
	wrong, err := run(*root, *unbuilt)
	if err != nil {
		fmt.Fprintln(os.Stderr, "front:", err)
		os.Exit(1)
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

// run prints what is wrong in a repository and counts it.
func run(root, unbuilt string) (wrong int, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return 0, err
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "*.md").Output()
	if err != nil {
		return 0, fmt.Errorf("git ls-files in %s: %w", root, err)
	}
	said, err := checkGuides(root, unbuilt, strings.Fields(string(list)))
	if err == nil {
		var more []string
		more, err = checkNotebooks(root, "examples/notebooks")
		said = append(said, more...)
	}
	for _, s := range said {
		fmt.Println(s)
	}
	return len(said), err
}
