// Command platforms type-checks the packages of a module and their tests for other machines, and looks there for what vet finds
// on some machines alone: assembly that does not fit its declaration, shifts wider than an int, and the like.
//
//	go -C .ci/tools run ./platforms -C ../.. windows/amd64 js/wasm
//
// It is the type check of go vet without its price: dependencies are read from source, without their function bodies,
// where go vet compiles them all for each machine.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/atomicalign"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/framepointer"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/packages"
)

var analyzers = []*analysis.Analyzer{
	asmdecl.Analyzer, atomicalign.Analyzer, buildtag.Analyzer, framepointer.Analyzer, shift.Analyzer, stringintconv.Analyzer,
	unsafeptr.Analyzer,
}

func main() {
	dir := flag.String("C", ".", "folder of the module")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "platforms: name a machine, as windows/amd64")
		os.Exit(2)
	}
	wrong := 0
	for _, machine := range flag.Args() {
		n, err := check(*dir, machine, "./...")
		if err != nil {
			fmt.Fprintf(os.Stderr, "platforms: %s: %v\n", machine, err)
			os.Exit(1)
		}
		wrong += n
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

// check prints what is wrong with packages on a machine and counts it.
func check(dir, machine, pattern string) (wrong int, err error) {
	goos, goarch, ok := strings.Cut(machine, "/")
	if !ok {
		return 0, fmt.Errorf("a machine is written as windows/amd64")
	}
	roots, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		Tests: true,
	}, pattern)
	if err != nil {
		return 0, err
	}
	files, tested := 0, 0
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			fmt.Printf("%s: %v\n", machine, e)
			wrong++
		}
	})
	if wrong > 0 {
		return wrong, nil
	}
	graph, err := checker.Analyze(analyzers, roots, nil)
	if err != nil {
		return 0, err
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			return 0, act.Err
		}
		for _, d := range act.Diagnostics {
			fmt.Printf("%s: %v: %s\n", machine, act.Package.Fset.Position(d.Pos), d.Message)
			wrong++
		}
	}
	for _, p := range roots {
		if files += len(p.Syntax); strings.HasSuffix(p.ID, ".test]") {
			tested++
		}
	}
	if files == 0 || tested == 0 {
		return 0, fmt.Errorf("%d files and %d packages with tests: these are not the packages that were meant", files, tested)
	}
	fmt.Printf("%s: %d packages, %d of them with tests, %d files\n", machine, len(roots), tested, files)
	return wrong, nil
}
