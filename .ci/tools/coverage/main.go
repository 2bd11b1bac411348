// Command coverage prints which share of the statements of each package a coverage profile holds, and fails where a
// named package, or one below it, has less than the least share.
//
//	go test -covermode=set -coverpkg=./... -coverprofile=FILE ./...
//	go -C .ci/tools run ./coverage -profile FILE -least 90 example.com/module/package ...
//
// A statement counts as covered if the tests of any package ran it.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
)

func main() {
	profile := flag.String("profile", "", "the coverage profile, a `file`")
	least := flag.Float64("least", 90, "least `percent` of the statements of each named package")
	flag.Parse()
	if err := run(os.Stdout, *profile, *least, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

// share counts the statements of a package.
type share struct{ covered, all int }

func (s share) percent() float64 { return 100 * float64(s.covered) / float64(s.all) }

// run prints the table of a profile to w. The error names every package of named, or below one of them, that has less
// than least percent, and every one of named that the profile lacks.
func run(w io.Writer, profile string, least float64, named []string) error {
	if !(0 <= least && least <= 100) {
		return fmt.Errorf("-least %v: want a percentage from 0 to 100", least)
	}
	files, err := cover.ParseProfiles(profile)
	if err != nil {
		return fmt.Errorf("-profile %q: %w", profile, err)
	}
	shares := map[string]share{}
	for _, file := range files {
		s := shares[path.Dir(file.FileName)]
		for _, block := range file.Blocks {
			s.all += block.NumStmt
			if block.Count > 0 {
				s.covered += block.NumStmt
			}
		}
		shares[path.Dir(file.FileName)] = s
	}
	maps.DeleteFunc(shares, func(_ string, s share) bool { return s.all == 0 })

	var short []string
	for _, name := range named {
		if _, ok := shares[name]; !ok {
			short = append(short, name+" is not in the profile")
		}
	}
	fmt.Fprintln(w, "statements  covered  package")
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		s := shares[name]
		fmt.Fprintf(w, "%10d  %5.1f %%  %s\n", s.all, s.percent(), name)
		if s.percent() < least && slices.ContainsFunc(named, func(root string) bool {
			return name == root || strings.HasPrefix(name, root+"/")
		}) {
			short = append(short, fmt.Sprintf("%s has %.1f %%", name, s.percent()))
		}
	}
	if len(short) > 0 {
		return fmt.Errorf("want %v %% of the statements covered: %s", least, strings.Join(short, ", "))
	}
	return nil
}
