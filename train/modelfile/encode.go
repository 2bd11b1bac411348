package modelfile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

const (
	metadataKey = "__metadata__"
	// signature starts every header; the digits of the checksum follow, at digitsAt in the file.
	signature = `{"` + metadataKey + `":{"` + HashKey + `":"`
	lengthLen = 8
	digitsAt  = lengthLen + len(signature)
	digitsLen = 2 * sha256.Size
)

// entry is the header's entry for a tensor.
type entry struct {
	Dtype   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// Encode returns the bytes of the file that Write writes.
//
// Errors: domain.ErrParam for a name or metadata that is not UTF-8, an empty or reserved name, and a header above
// MaxHeader; domain.ErrDtype for elements that are neither float64 nor float32; domain.ErrShape for a nil tensor.
func Encode(meta map[string]string, tensors map[string]*tensor.Dense) ([]byte, error) {
	if err := checkNames(meta, tensors); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(tensors))
	entries, data := map[string]entry{}, map[string]*tensor.Dense{}
	for _, name := range names {
		t, err := rowMajor(name, tensors[name])
		if err != nil {
			return nil, err
		}
		e := entry{Dtype: "F64", Shape: []int64{}}
		if t.Dtype() == tensor.Float32 {
			e.Dtype = "F32"
		}
		for _, s := range t.Shape() {
			e.Shape = append(e.Shape, int64(s))
		}
		entries[name], data[name] = e, t
	}
	end, err := layout(entries)
	if err != nil {
		return nil, err
	}
	header := headerBytes(meta, entries)
	if len(header) > MaxHeader {
		return nil, fmt.Errorf("modelfile: the header has %d bytes, the limit is %d; keep fewer or shorter names and "+
			"metadata: %w", len(header), MaxHeader, domain.ErrParam)
	}
	if most := int64(math.MaxInt - lengthLen - len(header)); end > most {
		return nil, fmt.Errorf("modelfile: the tensors have %d bytes, a slice of this machine at most %d; keep fewer "+
			"features: %w", end, most, domain.ErrParam)
	}
	out := make([]byte, 0, lengthLen+len(header)+int(end))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(header)))
	out = append(out, header...)
	for _, name := range names {
		out = appendTensor(out, data[name])
	}
	sum := sha256.Sum256(out)
	hex.Encode(out[digitsAt:], sum[:])
	return out, nil
}

// headerBytes is the canonical header: metadata first, then the tensors, sorted by name, the checksum zero, and spaces
// up to a multiple of 8.
func headerBytes(meta map[string]string, entries map[string]entry) []byte {
	b := append([]byte(signature), noDigits...)
	b = append(b, '"')
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		b = appendField(b, k, meta[k])
	}
	b = append(b, '}')
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		b = appendField(b, k, entries[k])
	}
	b = append(b, '}')
	return append(b, "       "[:(8-len(b)%8)%8]...)
}

// appendField appends a field of JSON. Strings and entries can always be written.
func appendField(b []byte, key string, value any) []byte {
	k, _ := json.Marshal(key)
	v, _ := json.Marshal(value)
	return fmt.Appendf(b, ",%s:%s", k, v)
}

// noDigits stands for the checksum while it is computed.
var noDigits = strings.Repeat("0", digitsLen)

// checksum is the SHA-256 of a file of so many bytes in hex digits, computed with zeros in place of its own digits. The
// file is long enough to hold them.
func checksum(file io.ReaderAt, size int64) (string, error) {
	const behind = int64(digitsAt + digitsLen)
	h := sha256.New()
	n, err := io.Copy(h, io.MultiReader(io.NewSectionReader(file, 0, int64(digitsAt)), strings.NewReader(noDigits),
		io.NewSectionReader(file, behind, size-behind)))
	if err == nil && n < size {
		err = io.EOF
	}
	if err != nil {
		return "", failed(err, n)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func checkNames(meta map[string]string, tensors map[string]*tensor.Dense) error {
	for k, v := range meta {
		if k == HashKey {
			return fmt.Errorf("modelfile: metadata key %q is the checksum's; choose another: %w", k, domain.ErrParam)
		}
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return fmt.Errorf("modelfile: metadata %q: %q is not UTF-8, which JSON cannot hold; encode it first: %w", k, v, domain.ErrParam)
		}
	}
	for k := range tensors {
		if k == "" || k == metadataKey || !utf8.ValidString(k) {
			return fmt.Errorf("modelfile: a tensor cannot be called %q: empty, kept by the format, or not UTF-8; rename it: %w", k, domain.ErrParam)
		}
	}
	return nil
}

// rowMajor returns t itself if its memory holds its elements row by row, and otherwise a copy.
func rowMajor(name string, t *tensor.Dense) (*tensor.Dense, error) {
	if t == nil {
		return nil, fmt.Errorf("modelfile: tensor %q is nil; leave it out or give it a value: %w", name, domain.ErrShape)
	}
	if dt := t.Dtype(); dt != tensor.Float64 && dt != tensor.Float32 {
		return nil, fmt.Errorf("modelfile: tensor %q has elements of type %v, only float64 and float32 are kept; convert it: %w", name, dt, domain.ErrDtype)
	}
	return ops.Contiguous(t)
}

// appendTensor appends the elements of a row-major tensor.
func appendTensor(out []byte, t *tensor.Dense) []byte {
	n := t.Shape().TotalSize()
	if n == 0 {
		return out
	}
	if t.Dtype() == tensor.Float32 {
		out, _ = binary.Append(out, binary.LittleEndian, t.Float32s()[:n]) // of numbers, which does not fail
	} else {
		out, _ = binary.Append(out, binary.LittleEndian, t.Float64s()[:n])
	}
	return out
}
