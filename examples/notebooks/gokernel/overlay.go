package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	_ "unsafe" // for go:linkname

	"github.com/cosmos72/gomacro/base/genimport"
	"github.com/cosmos72/gomacro/base/output"
	"golang.org/x/tools/go/packages"
)

const (
	gophernotes = "github.com/gopherdata/gophernotes"
	readonly    = "-mod=readonly" // what the overlay imports must not reach go.mod
)

// writeOverlay writes the bindings to tmp, and a file for go build -overlay that puts them into the folder thirdparty,
// and the files of gophernotes beside the files of the folder kernel. It returns the name of that file.
func writeOverlay(tmp string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	files, err := goCommand("list", readonly, "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, gophernotes)
	if err != nil {
		return "", err
	}
	for _, f := range strings.Split(strings.TrimSpace(files), "\n") {
		replace[filepath.Join(here, "kernel", filepath.Base(f))] = filepath.FromSlash(f)
	}
	paths, err := importsOf(filepath.Join("kernel", "imports.go"))
	if err != nil {
		return "", err
	}
	sources, err := bindings(paths)
	if err != nil {
		return "", err
	}
	for path, source := range sources {
		base := "of_" + regexp.MustCompile(`[^a-zA-Z0-9]+`).ReplaceAllString(path, "_") + ".go"
		if err := os.WriteFile(filepath.Join(tmp, base), source, 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(here, "thirdparty", base)] = filepath.Join(tmp, base)
	}
	overlay := filepath.Join(tmp, "overlay.json")
	return overlay, writeJSON(overlay, map[string]any{"Replace": replace})
}

// importsOf lists the packages that a Go file imports.
func importsOf(file string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// createImportFile writes gomacro's bindings of one package. It says on o what it leaves out.
//
//go:linkname createImportFile github.com/cosmos72/gomacro/base/genimport.createImportFile
func createImportFile(o *output.Output, out *bytes.Buffer, path string, pkg *types.Package, mode genimport.ImportMode) (empty bool)

// bindings writes, for each package, the Go source that makes its exported names known to the interpreter.
func bindings(paths []string) (map[string][]byte, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps,
		BuildFlags: []string{readonly},
	}, paths...)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(pkgs) > 0 {
		return nil, fmt.Errorf("the packages of kernel/imports.go do not build")
	}
	var said bytes.Buffer
	o := &output.Output{Stdout: &said, Stderr: &said}
	sources := map[string][]byte{}
	for _, p := range pkgs {
		var buf bytes.Buffer
		if createImportFile(o, &buf, p.PkgPath, p.Types, genimport.ImThirdParty) {
			return nil, fmt.Errorf("%s exports nothing that an interpreter can use", p.PkgPath)
		}
		if sources[p.PkgPath], err = renameInit(buf.Bytes()); err != nil {
			return nil, fmt.Errorf("the bindings of %s: %w", p.PkgPath, err)
		}
	}
	for line := range strings.Lines(said.String()) {
		if !strings.Contains(line, "importing generic ") { // what is generic has a concrete sibling
			fmt.Fprint(os.Stderr, line)
		}
	}
	return sources, nil
}

// renameInit gives package spectral another name in a binding file. The generator calls a package by the last part of
// its path, and Go does not let a file import anything as init.
func renameInit(source []byte) ([]byte, error) {
	const from, to = "init", "spectral_"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, spec := range f.Imports {
		if spec.Name != nil && spec.Name.Name == from {
			spec.Name.Name = to
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == from {
				x.Name = to
			}
		}
		return true
	})
	var buf bytes.Buffer
	err = format.Node(&buf, fset, f)
	return buf.Bytes(), err
}
