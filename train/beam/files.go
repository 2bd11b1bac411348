package beam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/bochner-go/bochner/train/data"
)

// Remote says whether a name is one of a file system that is not the local one: a scheme, as in gs://, precedes it.
func Remote(name string) bool { return strings.Contains(name, "://") }

// List replaces local folders by the files in them (data.Files) and remote patterns, as in gs://bucket/part-*, by the names that match, and
// makes local names absolute. Errors: as for data.Files and of the file system; a pattern that nothing matches wraps os.ErrNotExist.
func List(ctx context.Context, names ...string) ([]string, error) {
	var all []string
	for _, name := range names {
		found, err := list(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("beam: no file is named: %w", os.ErrNotExist)
	}
	return all, nil
}

func list(ctx context.Context, name string) (found []string, err error) {
	if Remote(name) {
		err = on(ctx, name, func(fs filesystem.Interface) error {
			if found, err = fs.List(ctx, name); err == nil && len(found) == 0 {
				err = os.ErrNotExist
			}
			return err
		})
		return found, err
	}
	found, err = data.Files(name)
	for i := range found {
		if found[i], err = filepath.Abs(found[i]); err != nil {
			break
		}
	}
	return found, err
}

// on calls f with the file system of a remote name.
func on(ctx context.Context, name string, f func(fs filesystem.Interface) error) error {
	fs, err := filesystem.New(ctx, name)
	if err == nil {
		defer fs.Close()
		err = f(fs)
	}
	if err != nil {
		return fmt.Errorf("beam: %s: %w", name, err)
	}
	return nil
}

// fetch returns local names of files: their own, or those of copies in a temporary folder, which done removes.
func fetch(ctx context.Context, names ...string) (local []string, done func(), err error) {
	dir, done := "", func() {}
	for i, name := range names {
		if !Remote(name) {
			local = append(local, name)
			continue
		}
		if dir == "" {
			if dir, err = os.MkdirTemp("", "bochner-beam-"); err != nil {
				return nil, nil, fmt.Errorf("beam: %w", err)
			}
			done = func() { os.RemoveAll(dir) }
		}
		to := filepath.Join(dir, fmt.Sprintf("%06d-%s", i, path.Base(name)))
		err := on(ctx, name, func(fs filesystem.Interface) error { return download(ctx, fs, name, to) })
		if err != nil {
			done()
			return nil, nil, err
		}
		local = append(local, to)
	}
	return local, done, nil
}

func download(ctx context.Context, fs filesystem.Interface, from, to string) error {
	r, err := fs.OpenRead(ctx, from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// deliver lets write make the file of that name. A remote one is made in a temporary folder and copied: stores of objects show it when
// the copy is whole.
func deliver(ctx context.Context, name string, write func(local string) error) error {
	if !Remote(name) {
		return write(name)
	}
	dir, err := os.MkdirTemp("", "bochner-beam-")
	if err != nil {
		return fmt.Errorf("beam: %w", err)
	}
	defer os.RemoveAll(dir)
	local := filepath.Join(dir, path.Base(name))
	if err := write(local); err != nil {
		return err
	}
	return on(ctx, name, func(fs filesystem.Interface) error { return upload(ctx, fs, local, name) })
}

func upload(ctx context.Context, fs filesystem.Interface, from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := fs.OpenWrite(ctx, to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil {
		return err // not closed: what is not whole is not committed
	}
	return w.Close()
}
