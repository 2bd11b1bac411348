package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// checkNotebooks type-checks the notebooks of a folder.
func checkNotebooks(root, folder string) (said []string, err error) {
	paths, err := filepath.Glob(filepath.Join(root, folder, "*.ipynb"))
	if err != nil {
		return nil, err
	}
	bindings := filepath.Join(root, folder, "gokernel/kernel/imports.go")
	bound, err := parser.ParseFile(token.NewFileSet(), bindings, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	kernel := importsOf(bound)
	fset, files, cells, wanted := token.NewFileSet(), []*ast.File{}, 0, []string{}
	for _, path := range paths {
		code, err := cellsOf(path)
		if err != nil {
			return nil, err
		}
		cells += len(code)
		file, err := fileOf(fset, filepath.ToSlash(filepath.Join(folder, filepath.Base(path))), code)
		if err != nil {
			said = append(said, err.Error())
			continue
		}
		files = append(files, file)
		wanted = append(wanted, importsOf(file)...)
	}
	if cells == 0 {
		return nil, fmt.Errorf("no notebook in %s has a cell of code", folder)
	}
	fmt.Printf("%d cells of %d notebooks\n", cells, len(paths))
	slices.Sort(wanted)
	importer, err := load(root, slices.Compact(wanted))
	if err != nil {
		return said, err
	}
	for _, file := range files {
		said = append(said, checkTypes(fset, file, importer, kernel)...)
	}
	return said, nil
}

// cellsOf are the cells of code of a notebook.
func cellsOf(path string) (code []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var notebook struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(text, &notebook); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range notebook.Cells {
		if c.Type == "code" {
			code = append(code, strings.Join(c.Source, ""))
		}
	}
	return code, nil
}

// fileOf makes a Go file of cells: their imports on top, and all else in the body of a function, each cell in a block
// inside the one before, so that it may declare a name again. A function is a variable there. Positions are those in
// the cells.
func fileOf(fset *token.FileSet, name string, cells []string) (*ast.File, error) {
	imports, body := "", ""
	for i, cell := range cells {
		place := fmt.Sprintf("\n//line %s: cell %d:", name, i+1)
		inner, line := place+"1\n", 1
		for _, s := range statementsOf(cell) {
			inner += inBody(s, func(imported string) { imports += fmt.Sprintf("%s%d\n%s", place, line, imported) })
			line += strings.Count(s, "\n")
		}
		if _, err := parse(fset, "package p; func _() {"+inner+"\n}"); err != nil {
			return nil, err
		}
		body += "\n{" + inner
	}
	return parse(fset, "package p"+imports+`
func _() {
	var display struct{ HTML, JavaScript, Latex, Markdown, SVG func(string) interface{} }`+body+
		strings.Repeat("\n}", len(cells)+1))
}

func parse(fset *token.FileSet, source string) (*ast.File, error) {
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if list, ok := err.(scanner.ErrorList); ok {
		err = list[0]
	}
	return file, err
}

// inBody is a statement of a cell as the body of a function has it, on as many lines. Imports go to another place.
func inBody(s string, imports func(string)) string {
	const head = "package p;"
	f, err := parser.ParseFile(token.NewFileSet(), "", head+s, 0)
	if err != nil || len(f.Imports)+len(f.Decls) == 0 {
		return s // no declaration
	}
	if len(f.Imports) > 0 {
		imports(s)
		return strings.Repeat("\n", strings.Count(s, "\n"))
	}
	d, ok := f.Decls[0].(*ast.FuncDecl)
	if !ok || d.Recv != nil || d.Body == nil {
		return s
	}
	at := func(pos token.Pos) int { return int(pos) - 1 - len(head) }
	signature := "func" + s[at(d.Name.End()):at(d.Body.Pos())]
	// Declared before it is assigned, it may call itself.
	return s[:at(d.Pos())] + "var " + d.Name.Name + " " + strings.ReplaceAll(signature, "\n", " ") + "; " +
		d.Name.Name + " = " + signature + s[at(d.Body.Pos()):]
}

// statementsOf cuts Go at the ends of statements that are in nothing else. What it cannot read is in the last one.
func statementsOf(code string) (out []string) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(token.Position, string) {}, 0)
	depth, start := 0, 0
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.SEMICOLON:
			if end := min(file.Offset(pos)+1, len(code)); depth == 0 {
				out = append(out, code[start:end])
				start = end
			}
		case token.EOF:
			return append(out, code[start:])
		}
	}
}

func importsOf(file *ast.File) (paths []string) {
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// An importer has packages by their path.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no package %s", path)
}

// load reads the exported names of packages, as the module of a folder sees them, from what the compiler wrote.
func load(dir string, paths []string) (importer, error) {
	list, err := packages.Load(&packages.Config{Mode: packages.LoadTypes, Dir: dir}, paths...)
	if err != nil {
		return nil, err
	}
	known := importer{}
	for _, p := range list {
		if len(p.Errors) == 0 {
			known[p.PkgPath] = p.Types
		}
	}
	return known, nil
}

// What gophernotes bears: a value that is left alone, for it shows the last one, and names not used or declared twice.
var borne = regexp.MustCompile("is not used$|and not used|^no new variables")

// checkTypes says what is wrong with a file of fileOf for gophernotes, whose Go has no type parameters, and no range
// over integers and functions.
func checkTypes(fset *token.FileSet, file *ast.File, from importer, kernel []string) (said []string) {
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if host, _, _ := strings.Cut(path, "/"); strings.Contains(host, ".") && !slices.Contains(kernel, path) {
			place := fset.Position(spec.Pos())
			said = append(said, fmt.Sprintf("%s: gokernel/kernel/imports.go does not have %s", place, path))
		}
	}
	config := types.Config{Importer: from, GoVersion: "go1.17", Error: func(err error) {
		if e := err.(types.Error); !borne.MatchString(e.Msg) {
			said = append(said, fmt.Sprintf("%s: %s", fset.Position(e.Pos), e.Msg))
		}
	}}
	config.Check("p", fset, []*ast.File{file}, nil) // what it returns was said
	return said
}
