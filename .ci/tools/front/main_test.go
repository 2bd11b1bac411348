package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a repository of files by their names.
func write(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func expect(t *testing.T, said []string, err error, want string) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	if got := strings.Join(said, "\n") + "\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// fit has flags under a command of its name and else none.
const fit = `package main

import (
	"flag"
	"os"
)

func main() {
	if len(os.Args) < 2 || os.Args[1] != "fit" {
		os.Exit(2)
	}
	fs := flag.NewFlagSet("fit", flag.ExitOnError)
	fs.String("map", "gaussian", "maps: linear, exp-chi2, none")
	fs.String("train", "", "rows")
	fs.String("save", "", "model")
	fs.Bool("v", false, "talk")
	fs.Bool("json", false, "print JSON")
	fs.Float64("c", 0, "shift")
	fs.Parse(os.Args[2:])
}
`

const right = "<!-- prints: go run ./rows -->\n\n```text\nrm -r what a reader does not run\n```\n```sh" + `
# a comment
go test ./...
go -C inner run . fit
go run ./cmd/inner fit -v
go get example.com/m
go run ./fit fit -map linear,exp-chi2 -v -c -1 \
    -train rows.csv -json --save=x -save model -train ../outside
go run ./fit fit -map=none -train model
echo '{"a": [1 | 2]}' | python3 script.py -rows '' - ./script.py # so
sh script.py; ./script.py && cd fit
curl -s localhost:8080
` + "```\n"

const wrong = "```sh" + `
rm -r .
go mod tidy
go run ./absent
go run ./lib
go run ./inner
go run fit
go vet ./absent/...
go run ./fit fit -mop linear
go run ./fit fit -map linaer
go run ./fit fit -map linear,linaer
go run ./fit fit -map
go run ./fit fit -map -v
go run ./fit fit -v linear
go run ./fit fti -v
python3 absent.py
./absent.sh
echo "unclosed
` + "```\n"

func TestGuides(t *testing.T) {
	root := write(t, map[string]string{
		"go.mod":            "module example.com/m\n\ngo 1.24\n",
		"inner/go.mod":      "module example.com/inner\n\ngo 1.24\n",
		"fit/main.go":       fit,
		"cmd/inner/main.go": fit,
		"inner/main.go":     fit,
		"lib/lib.go":        "package lib\n",
		"rows/main.go":      "package main\n\nfunc main() { println(`rows.csv`) }\n", "script.py": "#!/bin/sh\n",
		"right.md": right, "wrong.md": wrong, "none.md": "```text\ngo run ./fit\n```\n",
	})
	said, err := checkGuides(root, "", []string{"right.md"})
	expect(t, said, err, "\n")

	// Flags are looked at after all else: the second list.
	said, err = checkGuides(root, "", []string{"wrong.md"})
	expect(t, said, err, `wrong.md:2: rm -r .: rm is no command that this check knows; teach it in .ci/tools/front
wrong.md:3: go mod tidy: go mod is no command that this check knows; teach it in .ci/tools/front
wrong.md:4: go run ./absent: there is no package ./absent
wrong.md:5: go run ./lib: ./lib is package lib, no program
wrong.md:6: go run ./inner: ./inner is in another module; run it by go -C
wrong.md:7: go run fit: go run wants the folder of a program, from . on, and then its flags
wrong.md:8: go vet ./absent/...: there is no folder ./absent/...
wrong.md:16: python3 absent.py: there is no file absent.py
wrong.md:17: ./absent.sh: there is no program ./absent.sh
wrong.md:18: echo "unclosed: the quotation mark " has no other one
wrong.md:9: go run ./fit fit -mop linear: there is no flag -mop
wrong.md:10: go run ./fit fit -map linaer: -map linaer: the help does not list it
wrong.md:11: go run ./fit fit -map linear,linaer: -map linaer: the help does not list it
wrong.md:12: go run ./fit fit -map: -map has no value
wrong.md:13: go run ./fit fit -map -v: -map has no value
wrong.md:14: go run ./fit fit -v linear: linear is neither a flag nor the value of one
wrong.md:15: go run ./fit fti -v: fit fti -h lists no flags (exit status 2)
`)
	if _, err := checkGuides(root, "", []string{"none.md"}); err == nil {
		t.Error("no error for guides without a command")
	}
	if said, err := checkGuides(root, ".", []string{"wrong.md"}); err != nil || len(said) != 10 {
		t.Errorf("unbuilt: %d are wrong (%v), want the first 10", len(said), err)
	}
}

// What these cells do is Go for gophernotes alone.
var cells = []string{`import (
	"fmt"
	"strings"

	"example.com/m/bound"
)
import "os"`, `const n = 3
// down calls itself.
func down(i int,
	f func(interface{}) int) (a int) {
	if i == 0 {
		return n
	}
	return down(i-1, f)
}
type pair struct{ a, b int }
x, err := fmt.Println(down(2, nil))
x, err := fmt.Println(pair{1, 2})`, `x := "another type"; y := map[string][]int{}
y[x]`, `fmt.Println(strings.ToUpper(x))
display.HTML(x)
bound.Two()`}

func TestNotebooks(t *testing.T) {
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "free/free.go": "package free\n",
		"bound/bound.go": "package bound\n\nfunc Two() (int, error) { return 2, nil }\n\n" +
			"func Same[T any](v T) T { return v }\n",
		"n/gokernel/kernel/imports.go": "package main\n\nimport _ \"example.com/m/bound\"\n",
	}
	for _, c := range []struct {
		cell int // the one to add a line to
		line string
		want string
	}{
		{0, "", ""},
		{2, "down(1)", "cell 2:13: not enough arguments in call to down\n" +
			"\thave (number)\n\twant (int, func(interface{}) int)"},
		{4, "dwon(1, nil)", "cell 4:4: undefined: dwon"},
		{4, "n.x", "cell 4:4: n.x undefined (type untyped int has no field or method x)"},
		{4, "x = n", "cell 4:4: cannot use n (untyped int constant 3) as string value in assignment"},
		{4, "for i := range n {}", "cell 4:4: cannot range over n (untyped int constant 3): requires go1.22 or later"},
		{4, "bound.Same(1)", "cell 4:4: implicit function instantiation requires go1.18 or later"},
		{3, "if x {", "cell 3:4: expected '}', found 'EOF'"},
		{1, `import "example.com/m/free"`, "cell 1:8: gokernel/kernel/imports.go does not have example.com/m/free"},
		{1, `import "absent"`, "cell 1:8: could not import absent (there is no package absent)"},
	} {
		type cell map[string]any
		list := []cell{{"cell_type": "markdown", "source": []string{"no Go"}}}
		for i, source := range cells {
			if i+1 == c.cell {
				source += "\n" + c.line
			}
			list = append(list, cell{"cell_type": "code", "source": strings.SplitAfter(source, "\n")})
		}
		text, err := json.Marshal(map[string]any{"cells": list})
		if err != nil {
			t.Fatal(err)
		}
		files["n/1.ipynb"] = string(text)
		said, err := checkNotebooks(write(t, files), "n")
		if c.want != "" {
			c.want = "n/1.ipynb: " + c.want
		}
		expect(t, said, err, c.want+"\n")
	}
	delete(files, "n/1.ipynb")
	if _, err := checkNotebooks(write(t, files), "n"); err == nil {
		t.Error("no error for a folder without a notebook")
	}
}
