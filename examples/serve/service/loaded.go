package service

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/bochner-go/bochner/examples/internal/notes"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
)

// loaded is a model with all that is said of it. It never changes.
type loaded struct {
	model *train.Model
	table *table // nil where the columns of the model have no names
	card  card
	page  *page
	file  os.FileInfo // as it was read

	// onnx is the model as an ONNX file. It is made when it is first asked for, and kept: half the size of a float64
	// model.
	onnx func() ([]byte, error)

	maxRows    int   // of a request
	atOnce     int   // rows that are mapped at once
	atOnceSure int   // the same where their distribution is asked for
	dearer     int64 // how many times the work of a prediction that of a distribution is
}

// load reads a model file. One that changes meanwhile is read again, so that the checksum is the model's.
func load(path string, o *options) (*loaded, error) {
	for range 3 {
		before, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("-model: %w", err)
		}
		var sum string
		m, err1 := train.Load(path)
		if err1 == nil { // it is no pipe, which checksum would wait for
			sum, err1 = checksum(path)
		}
		if after, err := os.Stat(path); err != nil || !same(before, after) {
			continue
		}
		if err1 != nil {
			return nil, err1
		}
		if of, err := layers.Lookup(m.Spec.Map); err == nil && of.Bags {
			return nil, fmt.Errorf("-model %s: the map %s takes sets of samples, and a request holds rows; serve a model of rows", path, of.Name)
		}
		e, err := notes.Of(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		l := &loaded{model: m, table: newTable(m.Columns), file: before,
			onnx: sync.OnceValues(func() ([]byte, error) { return export(m) })}
		if err := l.share(o); err != nil {
			return nil, fmt.Errorf("-model %s: %w", path, err)
		}
		if l.card, err = newCard(m, e, before, sum, l.maxRows, o); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if l.page, err = newPage(l.card, e, o.addr); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return l, nil
	}
	return nil, fmt.Errorf("-model %s: the file changes while it is read; write it beside its name and rename it", path)
}

// inColumn is an error that names the column of the matrix that a cell is in. Parts of a tree number columns of their own.
func (l *loaded) inColumn(err error) error {
	if l.table == nil || len(l.model.Spec.Parts) > 0 {
		return err
	}
	return inColumn(l.table.Names(), err)
}

// same says whether two looks at a file saw the same contents, as far as the file system tells.
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// checksum is the file's SHA-256, as sha256sum prints it.
func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
