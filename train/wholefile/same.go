package wholefile

import (
	"os"
	"path/filepath"
	"strings"
)

// Same says whether two names are, or would be, one file: it follows links, and names under which there is no file yet
// are the same if they are equal after that.
func Same(a, b string) bool {
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	if errOne == nil && errTwo == nil {
		return os.SameFile(one, two)
	}
	return resolve(a) == resolve(b)
}

// resolve returns an absolute name without links, which need not exist.
func resolve(name string) string {
	if !filepath.IsAbs(name) {
		if dir, err := os.Getwd(); err == nil {
			name = dir + string(filepath.Separator) + name // not cleaned: link/.. is not the folder of link
		}
	}
	for range 64 { // links that point nowhere yet
		if found, err := filepath.EvalSymlinks(name); err == nil {
			return found
		}
		name = strings.TrimRight(name, string(filepath.Separator))
		dir, base := filepath.Split(name)
		target, err := os.Readlink(name)
		switch {
		case err == nil && filepath.IsAbs(target):
			name = target
		case err == nil:
			name = dir + target
		case dir == "" || dir == name:
			return filepath.Clean(name)
		default:
			return filepath.Join(resolve(dir), base)
		}
	}
	return filepath.Clean(name)
}
