// Package modelfile stores named tensors and metadata strings in one file with a checksum.
//
// The format is safetensors (https://github.com/huggingface/safetensors, "Format"), so that other programs can read a
// model:
//
//	8 bytes   N, the length of the header, unsigned little-endian
//	N bytes   the header, JSON: {"__metadata__": {key: string, ...},
//	          name: {"dtype": "F64"|"F32", "shape": [...], "data_offsets": [begin, end]}, ...}, padded with spaces
//	          so that N is a multiple of 8
//	the rest  the tensors, little-endian, row-major, in the order of the header, without gaps; the offsets count
//	          from the end of the header
//
// It has one addition. The first key of the metadata is "sha256": 64 hex digits, the SHA-256 of the whole file with
// zeros ('0') in place of these digits. Read verifies it, so that a changed byte anywhere is an ErrCorrupt. The header
// has a canonical form (keys sorted, no optional spaces), so equal contents give equal files.
package modelfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/bochner-go/bochner/train/wholefile"
	"gorgonia.org/tensor"
)

var (
	// ErrCorrupt marks a model file whose bytes are not those that were written.
	ErrCorrupt = errors.New("the model file is damaged")
	// ErrFormat marks a file that is not a model file of this library.
	ErrFormat = errors.New("not a model file")
)

// Version is the version of the library, as it is written to model files.
const Version = "0.1.0"

// MaxHeader is the largest header that is read or written, in bytes.
const MaxHeader = 64 << 20

// HashKey is the metadata key of the checksum. It is reserved: Write sets it, and Read checks and removes it.
const HashKey = "sha256"

// Write writes tensors (float64 or float32, any shape, scalars and empty ones included) and meta to the file path.
//
// Equal contents give equal bytes. The file is replaced whole or not at all: after a failure the old file is still
// there, and no temporary file. A view or a transpose is written as its own rows. Errors: as for Encode; the errors of
// the file system, with the path.
func Write(path string, meta map[string]string, tensors map[string]*tensor.Dense) error {
	data, err := Encode(meta, tensors)
	if err != nil {
		return err
	}
	if err := wholefile.Write(path, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
		return fmt.Errorf("modelfile: writing %s: %w", path, err)
	}
	return nil
}

// Read returns the metadata and the tensors, by name, of a file that Write wrote.
//
// It looks at the header, its sizes and the checksum before it makes room for a tensor, so that memory is proportional
// to what a sound file holds. A directory, a named pipe or a device is refused without opening it. Errors: ErrCorrupt
// for a file that was cut or changed, ErrFormat for another kind of file, and the errors of the file system.
func Read(path string) (meta map[string]string, tensors map[string]*tensor.Dense, err error) {
	info, err := os.Stat(path) // as opening a named pipe waits for its writer
	if err != nil {            // a *fs.PathError, whose text begins with the name of the call
		return nil, nil, fmt.Errorf("modelfile: %s: %w", path, errors.Unwrap(err))
	}
	if err := regular(path, info); err != nil {
		return nil, nil, fmt.Errorf("modelfile: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("modelfile: %w", err)
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("modelfile: %w", err)
	}
	if meta, tensors, err = decode(f, info.Size()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("modelfile: %w", err)
	}
	if after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
		return nil, nil, fmt.Errorf("%s: %w", path, corrupt("it was written to while it was read"))
	}
	return meta, tensors, nil
}

// regular wants a file that has a size, of no more bytes than can be addressed.
func regular(path string, info os.FileInfo) error {
	kind := "device"
	switch mode := info.Mode(); {
	case mode.IsRegular() && info.Size() > math.MaxInt:
		return fmt.Errorf("%s has %d bytes, more than this machine can address: %w", path, info.Size(), ErrFormat)
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "directory"
	case mode&os.ModeNamedPipe != 0:
		kind = "named pipe"
	case mode&os.ModeSocket != 0:
		kind = "socket"
	}
	return fmt.Errorf("%s is a %s: %w; give the name of a file that was saved by this library", path, kind, ErrFormat)
}
