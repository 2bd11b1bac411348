// Package modelfile keeps named tensors and a few strings in one file that notices its own damage.
//
// The format is safetensors (https://github.com/huggingface/safetensors, "Format"), so that other programs can read
// a model:
//
//	8 bytes   N, the length of the header, unsigned little-endian
//	N bytes   the header, JSON: {"__metadata__": {key: string, ...},
//	          name: {"dtype": "F64"|"F32", "shape": [...], "data_offsets": [begin, end]}, ...}, padded with spaces
//	          so that N is a multiple of 8
//	the rest  the tensors, little-endian, row-major, in the order of the header, without gaps; the offsets count
//	          from the end of the header
//
// One thing is added to it. The first key of the metadata is "sha256": 64 hex digits, the SHA-256 of the whole file
// with these digits themselves taken as zeros ('0'). Read compares, so a flipped byte anywhere is an ErrCorrupt. The
// header has one form only (keys sorted, no optional spaces), so equal contents are equal files.
package modelfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bochner-go/bochner/train/wholefile"
	"gorgonia.org/tensor"
)

var (
	// ErrCorrupt marks a model file whose bytes are not those that were written.
	ErrCorrupt = errors.New("the model file is damaged")
	// ErrFormat marks a file that is no model file of this library.
	ErrFormat = errors.New("not a model file")
)

// MaxHeader is the largest header that is read or written, in bytes.
const MaxHeader = 64 << 20

// HashKey is the metadata key of the checksum. It belongs to the format: Write sets it, Read checks and drops it.
const HashKey = "sha256"

// Write puts tensors (float64 or float32, any shape, scalars and empty ones included) and meta into the file path.
//
// The bytes depend on the contents alone. The file is replaced whole or not at all: the bytes go to a temporary file
// in the same folder, which is synced and then renamed, so that after a failure the old file still stands and the
// temporary one is gone. A view or a transpose is written in the order of its own rows. Errors: as for Encode, and
// the errors of the file system, which name the path.
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

// Read returns what Write put into the file: metadata and tensors by name.
//
// Errors: ErrCorrupt for a file that was cut or changed, ErrFormat for one of another kind, and the errors of the file
// system. Memory is in proportion to the file's true size, whatever its header says.
func Read(path string) (meta map[string]string, tensors map[string]*tensor.Dense, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("modelfile: %w", err)
	}
	meta, tensors, err = Decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return meta, tensors, nil
}
