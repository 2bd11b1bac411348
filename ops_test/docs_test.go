package ops_test

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestConstructorsHaveExamples: every constructor of a public package has an Example with checked output: the functions
// that return a struct or an interface of their package, those that are called New, Fit, Load, Read or Pack something,
// and kernels and samplers, whose constructor is the struct literal. An Example of the type will do for its functions.
func TestConstructorsHaveExamples(t *testing.T) {
	named := regexp.MustCompile(`^(New|Fit|Load|Read|Pack)([A-Z]|$)`)
	for path, p := range publicPackages(t) {
		want := func(name string, examples []*doc.Example) {
			if !slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" }) {
				t.Errorf("%s: %s has no Example with an output; add func Example%s() to an example*_test.go of its folder",
					path, name, name)
			}
		}
		for _, f := range p.Funcs {
			if named.MatchString(f.Name) {
				want(f.Name, f.Examples)
			}
		}
		for _, typ := range p.Types {
			for _, f := range typ.Funcs {
				if (composite(typ) && typ.Name != "Option") || named.MatchString(f.Name) {
					want(f.Name, slices.Concat(f.Examples, typ.Examples))
				}
			}
			if path == module+"/init" && literal(typ) {
				want(typ.Name, typ.Examples)
			}
		}
	}
}

// composite says whether a type is a struct or an interface.
func composite(t *doc.Type) bool {
	switch t.Decl.Specs[0].(*ast.TypeSpec).Type.(type) {
	case *ast.StructType, *ast.InterfaceType:
		return true
	}
	return false
}

// literal says whether a type is a kernel or a sampler that is made by writing it down.
func literal(t *doc.Type) bool {
	methods := map[string]bool{}
	for _, m := range t.Methods {
		methods[m.Name] = true
	}
	_, isStruct := t.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	return isStruct && (methods["At"] && methods["Domain"] || methods["Sample"])
}

// TestEverySymbolHasAComment: what documentation shows of a public package has a comment, the methods included that a
// type has from one that is embedded in it and not exported, which linters of declarations do not see. String, Error
// and Unwrap speak for themselves; of Domain, Degree, Extension and Validate the interfaces of package init and the
// comments of fields say all.
func TestEverySymbolHasAComment(t *testing.T) {
	clear := []string{"String", "Error", "Unwrap", "Domain", "Degree", "Extension", "Validate"}
	for path, p := range publicPackages(t) {
		forEachDoc(p, func(name, text string) {
			last := name[strings.LastIndex(name, ".")+1:]
			if strings.TrimSpace(text) == "" && !slices.Contains(clear, last) {
				t.Errorf("%s: %s has no comment", path, name)
			}
		})
	}
}

// unresolved is what looks like a link to a symbol in text that is none, as package comment writes it in Markdown:
// [Name], [Type.Method], [package.Name]. One letter is a shape, [D].
var unresolved = regexp.MustCompile(`\\\[(?:\\\*)?(?:[a-z][a-z0-9]*\.)?[A-Z]\w+(?:\.[A-Z]\w*)?\]`)

// TestLinksInComments: every link in a doc comment leads somewhere, to a symbol that there is.
func TestLinksInComments(t *testing.T) {
	packages := publicPackages(t)
	others := map[string]map[string]bool{} // the symbols of packages
	for path, p := range packages {
		others[path] = symbols(p)
	}
	known := func(l *comment.DocLink) bool {
		if others[l.ImportPath] == nil {
			p, err := build.Import(l.ImportPath, "..", 0)
			if err != nil {
				return false
			}
			others[l.ImportPath] = symbols(docOf(t, p, l.ImportPath))
		}
		return l.Name == "" || others[l.ImportPath][strings.TrimPrefix(l.Recv+"."+l.Name, ".")]
	}
	for path, p := range packages {
		forEachDoc(p, func(name, text string) {
			printer := p.Printer()
			printer.DocLinkURL = func(l *comment.DocLink) string {
				if l.ImportPath != "" && !known(l) {
					t.Errorf("%s: the comment of %s: there is no %s.%s%s", path, name, l.ImportPath, l.Recv, l.Name)
				}
				return ""
			}
			for line := range strings.Lines(string(printer.Markdown(p.Parser().Parse(text)))) {
				if strings.HasPrefix(line, "\t") {
					continue // code
				}
				for _, link := range unresolved.FindAllString(line, -1) {
					t.Errorf("%s: the comment of %s: %s leads nowhere", path, name, link)
				}
			}
		})
	}
}

// symbols are the exported names of a package, and its methods and fields as Type.Name.
func symbols(p *doc.Package) map[string]bool {
	all := map[string]bool{}
	forEachDoc(p, func(name, _ string) { all[name] = true })
	for _, t := range p.Types {
		ast.Inspect(t.Decl, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok {
				for _, name := range f.Names {
					all[t.Name+"."+name.Name] = true
				}
			}
			return true
		})
	}
	return all
}

// forEachDoc calls f with every comment that documentation shows and what it is about.
func forEachDoc(p *doc.Package, f func(name, text string)) {
	f("package "+p.Name, p.Doc)
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, spec := range v.Decl.Specs {
				s := spec.(*ast.ValueSpec)
				for _, name := range s.Names {
					if name.IsExported() {
						f(name.Name, v.Doc+s.Doc.Text()+s.Comment.Text())
					}
				}
			}
		}
	}
	funcs := func(prefix string, fs []*doc.Func) {
		for _, fn := range fs {
			f(prefix+fn.Name, fn.Doc)
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs("", p.Funcs)
	for _, t := range p.Types {
		f(t.Name, t.Doc)
		values(t.Consts)
		values(t.Vars)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
	}
}

const module = "github.com/bochner-go/bochner"

// publicPackages are the documentation of every package that a user can import, by import path, with its examples.
func publicPackages(t *testing.T) map[string]*doc.Package {
	t.Helper()
	all := map[string]*doc.Package{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		_, err = os.Stat(filepath.Join(path, "go.mod"))
		if name := d.Name(); path != ".." && (err == nil || strings.ContainsAny(name[:1], "._") ||
			slices.Contains([]string{"internal", "testdata", "cmd", "examples", "ops_test"}, name)) {
			return filepath.SkipDir
		}
		if p, err := build.ImportDir(path, 0); err == nil {
			name := module + filepath.ToSlash(strings.TrimPrefix(path, ".."))
			all[name] = docOf(t, p, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if all[module+"/layers"] == nil {
		t.Fatal("the packages are not where they were")
	}
	return all
}

// docOf is the documentation of a package, as go doc and sites of packages show it.
func docOf(t *testing.T, p *build.Package, path string) *doc.Package {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
		files = append(files, must(parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)))
	}
	return must(doc.NewFromFiles(fset, files, path))
}

// interfaceMethods are the methods that the exported interfaces of a package list.
func interfaceMethods(p *doc.Package) (all []*ast.Field) {
	for _, t := range p.Types {
		if it, ok := t.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.InterfaceType); ok {
			for _, m := range it.Methods.List {
				if len(m.Names) > 0 {
					all = append(all, m)
				}
			}
		}
	}
	return all
}
