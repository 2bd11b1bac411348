// Command modproxy lays the modules of this repository out as a Go module proxy does, as a tag would publish them: so
// `go get` of a version can be tried before there is a tag.
//
//	go -C .ci/tools run ./modproxy -version v0.1.0 -dir FOLDER -root "$PWD"
//	GOPROXY=file://FOLDER,$(go env GOPROXY) GONOSUMDB=github.com/bochner-go go get github.com/bochner-go/bochner@v0.1.0
//
// It takes the files that git has at HEAD. In the go.mod of a nested module it puts a requirement of the version in the
// place of the replace directive, which only holds in a clone; the commit that is tagged does the same with
// -in-place, which changes the go.mod files of the work tree and writes nothing else.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

func main() {
	version := flag.String("version", "", "the version, `vX.Y.Z`")
	dir := flag.String("dir", "", "the `folder` of the proxy")
	root := flag.String("root", ".", "the root of the repository")
	nested := flag.String("nested", "train/beam,examples/serve", "nested modules to publish, `list`ed by folder")
	inPlace := flag.Bool("in-place", false, "change the go.mod files of the nested modules in the work tree, no proxy")
	flag.Parse()
	if err := run(*version, *dir, *root, strings.Split(*nested, ","), *inPlace); err != nil {
		fmt.Fprintln(os.Stderr, "modproxy:", err)
		os.Exit(1)
	}
}

func run(version, dir, root string, nested []string, inPlace bool) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("-version %q: want vX.Y.Z", version)
	}
	if inPlace {
		for _, folder := range nested {
			if err := require(filepath.Join(root, folder, "go.mod"), version); err != nil {
				return err
			}
		}
		return nil
	}
	if dir == "" {
		return errors.New("-dir is empty: name the folder of the proxy")
	}
	tree, err := os.MkdirTemp("", "modproxy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	archive := exec.Command("bash", "-c", `git -C "$0" archive HEAD | tar -x -C "$1"`, root, tree)
	if out, err := archive.CombinedOutput(); err != nil {
		return fmt.Errorf("git archive: %w\n%s", err, out)
	}
	for _, folder := range append([]string{"."}, nested...) {
		at := filepath.Join(tree, folder)
		if folder != "." {
			if err := require(filepath.Join(at, "go.mod"), version); err != nil {
				return err
			}
		}
		if err := publish(dir, at, version); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

// require puts a requirement of the root module's version in the place of its replace directive.
func require(path, version string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(path, text, nil)
	if err != nil {
		return err
	}
	found := false
	for _, r := range f.Replace {
		if !strings.HasPrefix(r.New.Path, "../") {
			continue
		}
		path := r.Old.Path // DropReplace clears r
		if err := errors.Join(f.DropReplace(path, ""), f.AddRequire(path, version)); err != nil {
			return err
		}
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no replace directive of the root module", path)
	}
	f.Cleanup()
	text, err = f.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// publish writes the four files of a version of the module in the folder at.
func publish(dir, at, version string) error {
	mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
	if err != nil {
		return err
	}
	v := module.Version{Path: modfile.ModulePath(mod), Version: version}
	escaped, err := module.EscapePath(v.Path)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := zip.CreateFromDir(&packed, v, at); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": time.Now().UTC().Format(time.RFC3339)})
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": info, version + ".mod": mod, version + ".zip": packed.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s %s: %d kB\n", v.Path, version, packed.Len()/1000)
	return nil
}
