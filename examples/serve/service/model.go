package service

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/notes"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/onnx"
	"golang.org/x/sync/semaphore"
)

// loaded is a model with what the server says about it. It never changes.
type loaded struct {
	model   *train.Model
	table   *table // nil if the columns of the model have no names
	card    card
	picture template.URL // of the kernel's error; "" without one
	pairs   int          // that it shows
	file    os.FileInfo
	onnx    func() ([]byte, error) // the ONNX file, made at the first request

	memory             int64               // of the process, in bytes
	short, long        *semaphore.Weighted // memory for bodies of at most shortBody bytes, and for others
	work               *semaphore.Weighted // memory for rows and answers
	maxBody            int64
	maxRows            int
	atOnce, atOnceSure int // rows that are mapped at once, without and with their distribution
}

// load reads the model file, again if it changes meanwhile, so that model and checksum belong together.
func load(o *options) (*loaded, error) {
	for range 3 {
		before, err := os.Stat(o.Model)
		if err != nil {
			return nil, fmt.Errorf("--model: %w", err)
		}
		var sum string
		m, failed := train.Load(o.Model)
		if failed == nil {
			sum, failed = checksum(o.Model)
		}
		if after, err := os.Stat(o.Model); err != nil || !same(before, after) {
			continue
		}
		if failed != nil {
			return nil, failed
		}
		l := &loaded{model: m, file: before, onnx: sync.OnceValues(func() ([]byte, error) { return export(m) })}
		if err := l.describe(sum, o); err != nil {
			return nil, fmt.Errorf("--model %s: %w", o.Model, err)
		}
		return l, nil
	}
	return nil, fmt.Errorf("--model %s: the file changes while it is read; write another file and rename it", o.Model)
}

// describe fills in what follows from the model.
func (l *loaded) describe(sum string, o *options) error {
	m := l.model
	if e, err := layers.Lookup(m.Spec.Map); err == nil && e.Bags {
		return fmt.Errorf("the map %s takes sets of samples, and a request holds rows; serve a model of rows", e.Name)
	}
	evaluation, err := notes.Of(m)
	if err != nil {
		return err
	}
	l.table = newTable(m.Columns)
	if err := l.share(o); err != nil {
		return err
	}
	if l.card, err = newCard(l, evaluation, sum); err != nil {
		return err
	}
	if evaluation != nil {
		l.pairs = len(evaluation.Pairs)
		l.picture, err = kernelPicture(l.card, evaluation.Pairs)
	}
	return err
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

// export is the model as an ONNX file, with all outputs that it has.
func export(m *train.Model) ([]byte, error) {
	var b bytes.Buffer
	err := onnx.Export(&b, m, onnx.Everything(m))
	return b.Bytes(), err
}

// onnx answers with the model as an ONNX file, or with the reason that there is none.
func (s *server) onnx(w http.ResponseWriter, r *http.Request) {
	l := s.current.Load()
	file, err := l.onnx()
	if err != nil {
		s.refuse(w, refusal(http.StatusNotFound, "there is no ONNX file of this model: %v", err))
		return
	}
	head := w.Header()
	head.Set("Content-Type", "application/octet-stream")
	head.Set("Content-Disposition", `attachment; filename="model.onnx"`)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("ETag", `"`+l.card.SHA256+`"`) // of the model file, from which it follows
	http.ServeContent(w, r, "model.onnx", l.card.Written, bytes.NewReader(file))
}

// The memory that the model leaves is divided. Each request that is computed has features of some rows and buffers of
// the readers. Of the rest half is for bodies as far as they have come, a quarter of that for short ones, so that slow
// clients with long bodies do not keep out the others. The other half is for rows and answers.
const (
	copies      = 3         // a model takes at most this multiple of its file: numbers, packed ones, and the ONNX file
	maxWindow   = 8 << 20   // of a compressed body, as RFC 8878, section 3.1.1.1.2, recommends
	reading     = 1 << 20   // buffers of the readers
	maxFeatures = 8 << 20   // bytes of features, but at least one row
	maxAtOnce   = 512       // rows
	maxSureWork = 1 << 30   // multiply-adds for distributions between two turns, but at least one row
	shortBody   = 64 << 10  // bytes
	received    = 2         // bytes held for a byte of a body: the buffer grows
	growth      = 18        // bytes of a number of the rows, while they grow
	tableGrowth = 18 + 64   // bytes of a cell of a table
	number      = 2*26 + 32 // bytes of a number of an answer: in JSON, in a buffer that grows, and in a slice
)

// share divides the memory.
func (l *loaded) share(o *options) error {
	held := copies * l.file.Size()
	room := int64(o.MaxMemory) - held
	if o.MaxMemory == 0 {
		if room = domain.Memory() / 4; room == 0 {
			room = 1 << 28
		}
	}
	l.memory = room + held
	d, features, outputs := int64(l.model.Dims()), int64(l.model.Map.Features()), int64(l.model.Head.Features())
	row := 8 * (2*d + 3*features + 2*outputs) // a map may take as much again before its features
	more, scratch, work := l.sureTakes()
	l.atOnce = int(min(max(1, maxFeatures/row), maxAtOnce))
	l.atOnceSure = int(min(max(1, maxFeatures/(row+more)), maxAtOnce, max(1, maxSureWork/max(1, work))))
	fixed := maxWindow + reading + max(int64(l.atOnce)*row, int64(l.atOnceSure)*(row+more)+scratch)
	each := l.rowTakes(asked{scores: true, distribution: l.model.Uncertainty != nil})
	rest := room - int64(o.Concurrent)*fixed
	if least := max(16*shortBody, 4*each); rest < least {
		return fmt.Errorf("--max-memory %d: this model with --concurrent %d takes at least %d bytes; raise "+
			"--max-memory or lower --concurrent", l.memory, o.Concurrent, l.memory-rest+least)
	}
	l.short, l.long = semaphore.NewWeighted(rest/8), semaphore.NewWeighted(3*rest/8)
	l.work = semaphore.NewWeighted(rest / 2)
	l.maxBody = min(int64(o.MaxBody), 3*rest/8/received)
	l.maxRows = int(min(int64(o.MaxRows), rest/2/each))
	return nil
}

// rowTakes is what a row and its answer take at most.
func (l *loaded) rowTakes(a asked) int64 {
	d, outputs := int64(l.model.Dims()), int64(l.model.Head.Features())
	takes := growth * d
	if l.table != nil {
		takes += tableGrowth * int64(len(l.table.Inputs))
	}
	name, names := 0, int64(1)
	for _, c := range l.model.Classes {
		name = max(name, 16+3*6*len(c)) // as a string, and in JSON where every byte may become \u0000
	}
	numbers := outputs
	if a.distribution && l.model.Classes != nil {
		names, numbers = 1+outputs, 2*outputs
	} else if a.distribution {
		numbers = 5 * outputs
	}
	return takes + names*int64(name) + numbers*number
}

// sureTakes is what the distribution of a row takes beside its score: bytes, bytes whatever the rows, and
// multiply-adds.
func (l *loaded) sureTakes() (row, scratch, work int64) {
	features, outputs := int64(l.model.Map.Features()), int64(l.model.Head.Features())
	switch u := l.model.Uncertainty; {
	case u == nil:
		return 0, 0, 0
	case u.Posterior != nil: // centred features, their solutions, and matrices of targets
		return 8 * (2*features + 10*outputs), 0, features * features / 2
	case u.Laplace != nil:
		n, each := features+1, features+1
		switch work = n * n; u.Laplace.Covariance {
		case linear.ExactCovariance:
			work, each = work*outputs*(outputs+1)/2, n*outputs*outputs
		case linear.ClassesCovariance:
			work *= outputs
		}
		const laplace = 2 << 20 // numbers, or a row that has more
		return 8 * (n + 6*outputs + outputs*outputs), 8 * max(laplace, each), work
	}
	return 8 * 6 * outputs, 0, 0
}
