package service

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// body is what a request sent, packed or not.
type body struct {
	json   bool
	blocks net.Buffers
	size   int64 // of the blocks
	packed bool
}

// A body is held in blocks of these sizes, the later ones of the larger.
const (
	firstBlock = 4 << 10
	maxBlock   = 64 << 10
)

// checkHead wants a request of a form that is known and that the model takes.
func (s *server) checkHead(r *http.Request, l *loaded) (*body, error) {
	const want = "send application/json, {\"rows\": [[...], ...]}, or application/x-npy, an array of numpy.save"
	given := r.Header.Get("Content-Type")
	kind, params, err := mime.ParseMediaType(given)
	if err != nil || kind != "application/json" && kind != "application/x-npy" {
		return nil, refusal(http.StatusUnsupportedMediaType, "the Content-Type is %q; %s", given, want)
	}
	if err := checkCharset(params); err != nil {
		return nil, err
	}
	if how := r.Header.Get("Content-Encoding"); how != "" && how != "identity" {
		return nil, refusal(http.StatusUnsupportedMediaType, "the Content-Encoding is %q; send the body as it is", how)
	}
	if r.ContentLength > s.maxBody {
		return nil, &http.MaxBytesError{Limit: s.maxBody}
	}
	b := &body{json: kind == "application/json"}
	if l.table != nil && !b.json {
		return b, l.table.noArray
	}
	return b, nil
}

// checkCharset wants texts in UTF-8, by the parameters of a Content-Type.
func checkCharset(params map[string]string) error {
	if c, said := params["charset"]; said && !strings.EqualFold(c, "utf-8") {
		return refusal(http.StatusBadRequest, "the charset is %s; send UTF-8", quote(c))
	}
	return nil
}

// unreadable is an error of a body that its client has sent wrongly or not at all.
type unreadable struct{ err error }

func (e *unreadable) Error() string {
	return fmt.Sprintf("serve: the body cannot be read: %v; send it with its length, or in chunks as of RFC 9112", e.err)
}

func (e *unreadable) Unwrap() error { return e.err }

// receive holds the body as it comes, whatever it announces. It is read afterwards, by a request that has a turn: one
// that is slow takes no more than it has sent.
func (b *body) receive(w http.ResponseWriter, r *http.Request, most int64, h *hold) error {
	past := func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) } // where it cannot, the client's time ends the wait
	if err := h.waits(past); err != nil {
		return err
	}
	from := http.MaxBytesReader(w, r.Body, most)
	for size := firstBlock; ; size = min(4*size, maxBlock) {
		if err := h.grow(int64(size)); err != nil {
			return err
		}
		block, n, err := make([]byte, size), 0, error(nil)
		for m := 0; n < size && err == nil; n += m {
			m, err = from.Read(block[n:])
		}
		b.blocks, b.size = append(b.blocks, block[:n]), b.size+int64(size)
		if err == nil {
			continue
		}
		if shed := h.waits(past); shed != nil {
			return shed // which ended the wait
		}
		if err != io.EOF {
			return &unreadable{err}
		}
		head := b.blocks[0]
		b.packed = !b.json && (bytes.HasPrefix(head, []byte("\x1f\x8b")) || bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")))
		return nil
	}
}

// rows reads the rows of the body, which it lets go, and tells what is unlike the training rows.
func (b *body) rows(l *loaded, h *hold) (x *tensor.Dense, notes []string, err error) {
	switch dims := l.model.Dims(); {
	case b.json && l.table != nil:
		x, notes, err = readTable(&b.blocks, l.table, l.maxRows, h)
	case b.json:
		x, err = readJSON(&b.blocks, dims, l.maxRows)
	case l.table != nil:
		x, notes, err = readArray(b.blocks, l.table, l.maxRows)
	default:
		var set *data.Set
		set, err = data.ReadNPY(&b.blocks, "body", data.Options{Label: data.LabelNone, Dims: dims, MaxCells: l.maxRows * dims, MaxWindow: maxWindow})
		if err == nil {
			x, err = set.Dense()
		}
	}
	if errors.Is(err, data.ErrTooLarge) {
		err = refusal(http.StatusRequestEntityTooLarge, "the body has more than %d rows; send them in several requests", l.maxRows)
	}
	b.blocks = nil
	return x, notes, err
}
