package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// Decode is Read for bytes: it returns the metadata, without the checksum, and the tensors, which share no memory with
// data. Errors: ErrCorrupt and ErrFormat, as for Read.
func Decode(data []byte) (meta map[string]string, tensors map[string]*tensor.Dense, err error) {
	return decode(bytes.NewReader(data), int64(len(data)))
}

// decode reads a file of so many bytes: its header, then all of it for the checksum, and then the tensors.
func decode(file io.ReaderAt, size int64) (map[string]string, map[string]*tensor.Dense, error) {
	head := make([]byte, min(size, int64(digitsAt+digitsLen)))
	if err := readAt(file, head, 0); err != nil {
		return nil, nil, err
	}
	if err := checkKind(head); err != nil {
		return nil, nil, err
	}
	if len(head) < digitsAt+digitsLen {
		return nil, nil, corrupt("it ends after %d bytes, within the checksum", size)
	}
	meta, entries, body, err := parse(file, size)
	if err != nil {
		return nil, nil, err
	}
	sum, err := checksum(file, size)
	if err != nil {
		return nil, nil, err
	}
	if sum != string(head[digitsAt:]) {
		return nil, nil, corrupt("its SHA-256 is not the one it was written with")
	}
	tensors, err := readTensors(entries, body)
	return meta, tensors, err
}

// readAt fills b from an offset within the file.
func readAt(file io.ReaderAt, b []byte, offset int64) error {
	n, err := file.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	return failed(err, offset+int64(n))
}

// failed is the error of a read that stopped at a byte.
func failed(err error, at int64) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return corrupt("it ends at byte %d, sooner than its size says", at)
	}
	return fmt.Errorf("modelfile: %w", err)
}

// corrupt returns an error that wraps ErrCorrupt and suggests a remedy.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("modelfile: %s: %w; copy it again from where it was saved, or save the model again", fmt.Sprintf(format, args...), ErrCorrupt)
}

// checkKind tells a damaged model file from another kind of file by the signature at the start of the header. Damage
// leaves most of it: up to 4 bytes may differ. A safetensors file of another program has other metadata there and
// differs more.
func checkKind(data []byte) error {
	if len(data) <= lengthLen {
		return corrupt("it has only %d bytes", len(data))
	}
	head := data[lengthLen:min(len(data), digitsAt)]
	differ := 0
	for i, c := range head {
		if c != signature[i] {
			differ++
		}
	}
	if differ > min(4, len(head)/2) {
		return fmt.Errorf("modelfile: the header does not begin with %s: %w; give a file that was saved by this library (safetensors with its checksum)", signature, ErrFormat)
	}
	return nil
}

// parse reads the header of a file without its checksum, and returns the metadata, the entries and the bytes of the
// tensors, which are not read yet. It trusts nothing; fuzzing starts here.
func parse(file io.ReaderAt, size int64) (map[string]string, map[string]entry, *io.SectionReader, error) {
	var length [lengthLen]byte
	if err := readAt(file, length[:], 0); err != nil {
		return nil, nil, nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > MaxHeader || n > uint64(size-lengthLen) || n%8 != 0 {
		return nil, nil, nil, corrupt("the header's length %d is not a multiple of 8 within the file of %d bytes", n, size)
	}
	header := make([]byte, n)
	if err := readAt(file, header, lengthLen); err != nil {
		return nil, nil, nil, err
	}
	meta, entries, end, err := parseHeader(header)
	if err != nil {
		return nil, nil, nil, err
	}
	from := lengthLen + int64(n)
	if end != size-from {
		return nil, nil, nil, corrupt("the tensors end at byte %d, the file holds %d", end, size-from)
	}
	return meta, entries, io.NewSectionReader(file, from, end), nil
}

// parseHeader reads the JSON and accepts only the form that headerBytes writes. That excludes duplicate keys, unknown
// fields, stray spaces, and tensors with gaps or in another order. It returns where the tensors end, too.
func parseHeader(header []byte) (map[string]string, map[string]entry, int64, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(header, &fields); err != nil {
		return nil, nil, 0, corrupt("the header is no JSON object (%v)", err)
	}
	var meta map[string]string
	if err := json.Unmarshal(fields[metadataKey], &meta); err != nil {
		return nil, nil, 0, corrupt("%s maps no strings to strings (%v)", metadataKey, err)
	}
	digits := meta[HashKey]
	delete(meta, HashKey)
	delete(fields, metadataKey)
	entries := make(map[string]entry, len(fields))
	for name, raw := range fields {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, nil, 0, corrupt("tensor %q has an entry that cannot be read (%v)", name, err)
		}
		if name == "" || e.Shape == nil {
			return nil, nil, 0, corrupt("tensor %q has no name or no shape", name)
		}
		entries[name] = e
	}
	end, err := layout(entries)
	if err != nil {
		return nil, nil, 0, err
	}
	want := headerBytes(meta, entries)
	if len(digits) == digitsLen {
		copy(want[len(signature):], digits)
	}
	if !bytes.Equal(want, header) {
		return nil, nil, 0, corrupt("the header is not in the form in which it is written")
	}
	return meta, entries, end, nil
}

// layout sets the offsets of tensors one behind the other, in the order of their names, and returns their end.
func layout(entries map[string]entry) (end int64, err error) {
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		size, err := byteLength(name, e)
		if err != nil {
			return 0, err
		}
		if size > math.MaxInt64-end {
			return 0, corrupt("tensor %q has the impossible shape %v", name, e.Shape)
		}
		e.Offsets = [2]int64{end, end + size}
		entries[name], end = e, end+size
	}
	return end, nil
}

// byteLength is the product of the shape and the element size, checked for overflow. A zero in the shape does not
// excuse an absurd number beside it.
func byteLength(name string, e entry) (int64, error) {
	size := map[string]int64{"F64": 8, "F32": 4}[e.Dtype]
	if size == 0 {
		return 0, corrupt("tensor %q has the element type %q, not F64 or F32", name, e.Dtype)
	}
	empty := false
	for _, s := range e.Shape {
		if s < 0 || s > math.MaxInt || size > math.MaxInt64/max(s, 1) {
			return 0, corrupt("tensor %q has the impossible shape %v", name, e.Shape)
		}
		size, empty = size*max(s, 1), empty || s == 0
	}
	if empty {
		return 0, nil
	}
	return size, nil
}

// readTensors reads the tensors of checked entries.
func readTensors(entries map[string]entry, body io.Reader) (map[string]*tensor.Dense, error) {
	tensors := make(map[string]*tensor.Dense, len(entries))
	buffer := make([]byte, 8*readPiece)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var err error
		if e := entries[name]; e.Dtype == "F32" {
			tensors[name], err = readTensor(make([]float32, (e.Offsets[1]-e.Offsets[0])/4), e, body, buffer)
		} else {
			tensors[name], err = readTensor(make([]float64, (e.Offsets[1]-e.Offsets[0])/8), e, body, buffer)
		}
		if err != nil {
			return nil, err
		}
	}
	return tensors, nil
}

// readPiece is how many numbers are read at a time.
const readPiece = 1 << 15

// readTensor fills v and makes the tensor of it.
func readTensor[T float32 | float64](v []T, e entry, body io.Reader, buffer []byte) (*tensor.Dense, error) {
	for part := range slices.Chunk(v, readPiece) {
		b := buffer[:binary.Size(part)]
		_, err := io.ReadFull(body, b)
		if err == nil {
			_, err = binary.Decode(b, binary.LittleEndian, part)
		}
		if err != nil {
			return nil, failed(err, e.Offsets[0])
		}
	}
	if len(e.Shape) == 0 {
		return tensor.New(tensor.FromScalar(v[0])), nil
	}
	shape := make([]int, len(e.Shape))
	for i, s := range e.Shape {
		shape[i] = int(s)
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v)), nil
}
