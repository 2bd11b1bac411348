package wholefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/train/wholefile"
)

// content is what the file holds, and the number of entries in its folder.
func content(t *testing.T, path string) (string, int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), len(entries)
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, s := range []string{"first", "second", ""} {
		if err := wholefile.Write(path, text(s)); err != nil {
			t.Fatal(err)
		}
		if got, n := content(t, path); got != s || n != 1 {
			t.Errorf("the file holds %q and its folder %d entries, want %q and 1", got, n, s)
		}
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := wholefile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed in the middle")
	err := wholefile.Write(path, func(w io.Writer) error {
		if err := text("half of the new")(w); err != nil {
			return err
		}
		return failed
	})
	if got, n := content(t, path); !errors.Is(err, failed) || got != "old" || n != 1 {
		t.Errorf("error %v, the file holds %q and its folder %d entries", err, got, n)
	}
}

// TestAbortAll: nothing of a file in progress is left, and its name keeps what it had.
func TestAbortAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := wholefile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	f, err := wholefile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	wholefile.AbortAll()
	if err := f.Commit(); err == nil {
		t.Error("an aborted file was put in place")
	}
	if got, n := content(t, path); got != "old" || n != 1 {
		t.Errorf("the file holds %q and its folder %d entries", got, n)
	}
}

func TestSymbolicLinkAndMode(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(link, text("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v, %v", info, err)
	}
	if got, _ := content(t, path); got != "new" {
		t.Errorf("behind the link is %q", got)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestBadPaths(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "absent", "f")} {
		if err := wholefile.Write(path, text("x")); err == nil {
			t.Errorf("writing to %s is no error", path)
		}
	}
}

// TestSame: links, hard links and other spellings are the same file, also where there is none yet.
func TestSame(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, err := range []error{
		os.Mkdir("a", 0o755), os.Mkdir("b", 0o755), os.WriteFile("a/f", nil, 0o644), os.WriteFile("a/g", nil, 0o644),
		os.Link("a/f", "hard"), os.Symlink("a/f", "soft"), os.Symlink("a", "folder"), os.Symlink("b/later", "dangling"),
		os.Symlink("dangling", "twice"), os.Symlink("loop", "loop"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"a/f", "a/f", true}, {"a/f", "./a/../a/f", true}, {"a/f", filepath.Join(here, "a", "f"), true}, {"a/f", "hard", true},
		{"a/f", "soft", true}, {"a/f", "folder/f", true}, {"a/f", "a/g", false}, {"hard", "a/g", false},
		{"a/new", "a/new", true}, {"a/new", "./a/../a/new", true}, {"a/new", "folder/new", true}, {"new", "folder/../new", true},
		{"a/new", filepath.Join(here, "folder", "new"), true}, {"b/later", "dangling", true}, {"b/later", "twice", true},
		{"no/f", "./no/f", true}, {"a/new", "b/new", false}, {"a/new", "a/f", false}, {"later", "dangling", false},
		{"loop", "a/new", false}, {"", "a/new", false},
	} {
		if got := wholefile.Same(c.a, c.b); got != c.same || wholefile.Same(c.b, c.a) != c.same {
			t.Errorf("Same(%q, %q) = %v", c.a, c.b, got)
		}
	}
}
