package ops_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// guides are the texts of the project, README.md and the guides, by their paths from its root.
func guides(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "node_modules", "executed", "testdata"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel("..", path)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("%d guides", len(all))
	}
	return all
}

// TestGuidesAreShort: README.md has at most 200 lines and a guide 250, and no line of prose is wider than 120 columns.
func TestGuidesAreShort(t *testing.T) {
	for path, text := range guides(t) {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		most := 250
		if path == "README.md" {
			most = 200
		}
		if len(lines) > most {
			t.Errorf("%s has %d lines, more than %d", path, len(lines), most)
		}
		code := false
		for i, line := range lines {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			picture := strings.HasPrefix(line, "![")
			if wide := utf8.RuneCountInString(line) > 120; wide && !code && !picture && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d: a line of more than 120 columns", path, i+1)
			}
		}
	}
}

// TestTablesOfGuides: a table has a heading, and as many cells in each row as there.
func TestTablesOfGuides(t *testing.T) {
	cells := func(line string) int { return strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") }
	for path, text := range guides(t) {
		code, above := false, ""
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			if strings.HasPrefix(line, "|") && !code {
				switch rule := strings.HasPrefix(line, "|---"); {
				case rule && !strings.HasPrefix(above, "|"):
					t.Errorf("%s:%d: a table without a heading", path, i+1)
				case strings.HasPrefix(above, "|") && cells(line) != cells(above):
					t.Errorf("%s:%d: %d cells below %d", path, i+1, cells(line)-1, cells(above)-1)
				}
			}
			above = line
		}
		if code {
			t.Errorf("%s: a block of code does not end", path)
		}
	}
}

// TestLinksOfGuides: the files and headings that the guides link to are there, and README.md or a guide that it links
// to leads to every guide.
func TestLinksOfGuides(t *testing.T) {
	all := guides(t)
	reached := map[string]bool{"README.md": true}
	for todo := []string{"README.md"}; len(todo) > 0; todo = todo[1:] {
		for _, target := range links(t, todo[0], all) {
			if _, guide := all[target]; guide && !reached[target] {
				reached[target] = true
				todo = append(todo, target)
			}
		}
	}
	for path := range all {
		if !reached[path] {
			t.Errorf("no link leads from README.md to %s", path)
			links(t, path, all)
		}
	}
}

// links are the files that a guide links to, from the root; it reports those that are not there.
func links(t *testing.T, path string, all map[string]string) (files []string) {
	t.Helper()
	for _, l := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(all[path], -1) {
		if strings.HasPrefix(l[1], "https://") {
			continue
		}
		target, heading, _ := strings.Cut(l[1], "#")
		file := path
		if target != "" {
			file = filepath.ToSlash(filepath.Join(filepath.Dir(path), filepath.FromSlash(target)))
		}
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(file))); err != nil {
			t.Errorf("%s: the link to %s: %v", path, l[1], err)
		} else if heading != "" && !slices.Contains(headings(all[file]), heading) {
			t.Errorf("%s: the link to %s: there is no such heading", path, l[1])
		}
		files = append(files, file)
	}
	return files
}

// headings are the anchors of the headings of a guide.
func headings(text string) (anchors []string) {
	for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(h[1]), "")
		anchors = append(anchors, strings.ReplaceAll(plain, " ", "-"))
	}
	return anchors
}

// TestCodeOfGuides: each block of Go in a guide follows a line <!-- code: FILE NAME --> and is what stands in FILE, a
// file that is compiled and run by the tests or by CI, between the comments "NAME: from here" and "NAME: to here".
func TestCodeOfGuides(t *testing.T) {
	block := regexp.MustCompile("(?m)^(?:<!-- code: (\\S+) (.*) -->\n)?```go\n((?s:.*?))^```$")
	found := 0
	for path, text := range guides(t) {
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			found++
			if m[1] == "" {
				t.Errorf("%s: a block of Go without a line <!-- code: FILE NAME --> before it:\n%s", path, m[3])
				continue
			}
			source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m[1])))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			name := regexp.QuoteMeta(m[2])
			part := regexp.MustCompile(`(?s)\n(\t*)// ` + name + `: from here\n(.*?)\n\t*// ` + name + `: to here\n`).
				FindSubmatch(source)
			if part == nil {
				t.Errorf("%s: %s has no lines between %q and %q", path, m[1], m[2]+": from here", m[2]+": to here")
				continue
			}
			indent := regexp.MustCompile(`(?m)^` + string(part[1]))
			if want := indent.ReplaceAllString(string(part[2]), "") + "\n"; m[3] != want {
				t.Errorf("%s shows\n%s\n%s has\n%s", path, m[3], m[1], want)
			}
		}
	}
	if found < 3 {
		t.Errorf("%d blocks of Go", found)
	}
}
